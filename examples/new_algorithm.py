"""A new algorithm beside published ones.

A class in a file of your own plays logistic bandits against GLB-OMD and ECOLog, on the same
trials. The label names the file and the class, and options may stand behind them. Edit the class
and run the script again: only its own trials are played anew.
"""

from pathlib import Path

import optimist

CLASS = f"{Path(__file__).with_name('ridge_sampling.py')}:RidgeSampling"


def main() -> None:
    algorithms = [CLASS, f"{CLASS}[v=1.0]", "glb_omd", "ecolog"]
    played = optimist.play("glb_omd/logistic_s3", algorithms, trials=10, rounds=500, cores=2)
    table = optimist.rank(played)
    table["algorithm"] = table["algorithm"].str.rpartition(":")[2]  # without the file
    columns = ["rank", "algorithm", "mean", "low", "high", "wins", "losses"]
    print(table[columns].round(1).to_string(index=False))
    optimist.plot(played, "new_algorithm.png", names={"glb_omd": "GLB-OMD", "ecolog": "ECOLog"})


if __name__ == "__main__":
    main()
