"""`optimist run`: a cell's data are those that the code and the configuration at hand make."""

import json

from optimist import cli
from optimist.plan import config

TIMES = ("seconds", "select_seconds")


def test_data_are_prepared_once_for_each_configuration(tmp_path, monkeypatch, capsys, caplog):
    load_config = config.load_config
    caplog.set_level("INFO")

    def run(**options):
        changes = {"results": str(tmp_path), "data": {"source": "mirror"}}
        changed = config.merge(load_config(), {**changes, "datasets": {"abalone": options}})
        monkeypatch.setattr(config, "load_config", lambda: changed)
        assert cli.main(["run", "bkb/abalone/bkb", "--rounds", "20", "--json"]) == 0
        (trial,) = json.loads(capsys.readouterr().out)
        said = caplog.text
        caplog.clear()
        return {k: v for k, v in trial.items() if k not in TIMES}, "preparing" in said

    plain, prepared = run()
    assert prepared
    # What the workflow made, with who knows which options, is not looked at.
    (tmp_path / "data/abalone.csv").write_text("target,a\n0,1\n1,2\n")
    assert run() == (plain, False)
    other, prepared = run(one_hot=True)
    assert prepared and other != plain
    assert run(one_hot=True) == (other, False)
