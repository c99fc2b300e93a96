"""A new setting, with published algorithms in it.

An environment in a file of your own is a setting like those of the papers: its parameters, and the
horizon, are options. Here the arms stand still, or turn a little from round to round.
"""

from pathlib import Path

import optimist

CLASS = f"{Path(__file__).with_name('ring.py')}:Ring"


def main() -> None:
    where = [optimist.setting(CLASS, speed=speed, arms=20, horizon=300) for speed in (0.0, 0.1)]
    played = optimist.play(where, ["glb_omd", "gloc", "uniform"], trials=10, cores=2)
    table = optimist.rank(played)
    print(
        table[["setting", "rank", "algorithm", "mean", "low", "high"]]
        .round(1)
        .to_string(index=False)
    )
    optimist.plot(played, "new_setting.png", names={"glb_omd": "GLB-OMD", "gloc": "GLOC"})


if __name__ == "__main__":
    main()
