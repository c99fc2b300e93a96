"""What the command line lists: every name that can be run, and what each option may be."""

import json
import re

import pytest
from cells import places_of
from own_class import MINE

from optimist.algorithms import REGISTRIES
from optimist.cli import listing, look, main, new
from optimist.config.load import load_paper, paper_names
from optimist.environments import BOX_REGISTRY, REGISTRY
from optimist.experiments.trials import expand


def listed(capsys, *arguments):
    assert main.main(["list", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_papers_and_algorithms_are_listed(capsys):
    tables = listed(capsys)
    assert [row["paper"] for row in tables["papers"]] == paper_names()
    found = {domain: [] for domain in REGISTRIES}
    for row in tables["algorithms"]:
        found[row["on"]].append(row["algorithm"])
    assert found == {domain: [*registry] for domain, registry in REGISTRIES.items()}


@pytest.mark.parametrize("name", paper_names())
def test_every_setting_of_a_paper_is_listed_with_its_algorithms(name, capsys):
    content, paper = listed(capsys, f"{name}/*"), load_paper(name)
    assert paper.title in content["paper"]
    asked = {trials.cell.labels for trials in expand(paper)}
    rows = content["settings"]
    assert {(row["setting"], label) for row in rows for label in row["algorithms"]} == asked
    assert len({row["setting"] for row in rows}) == len(rows)
    assert {*listed(capsys, name)["algorithms"]} == {label for _, label in asked}


@pytest.mark.parametrize("name", paper_names())
def test_a_paper_fits_on_a_screen_and_says_where_more_is(name, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert main.main(["list", name]) == 0
    text = capsys.readouterr().out
    assert len(text.partition("\noptions of ")[0].splitlines()) <= 50
    for command in re.findall(r"optimist list '?([^ ']+)", " ".join(text.split())):
        assert listed(capsys, command)


@pytest.mark.parametrize("name", paper_names())
def test_options_of_a_setting_have_its_values(name, capsys):
    paper = load_paper(name)
    setting = next(iter(paper.settings))
    content = listed(capsys, f"{name}/{setting}")
    assert content["setting"] == f"{name}/{setting}"
    found = {row["option"]: row["value"] for row in content["options"]}
    setting = paper.settings[setting]
    assert found["horizon"] == str(setting.horizon)
    for key, value in setting.parameters.items():
        assert found[key] == str(value)


@pytest.mark.parametrize("environment", [*REGISTRY, *BOX_REGISTRY])
def test_every_option_says_what_it_may_be(environment):
    described = listing.described(environment)
    missing = [key for key in places_of(environment) if not all(described.get(key, ("",)))]
    assert not missing


def test_a_table_of_text_is_aligned_and_complete():
    rows = [{"a": "x", "b": None, "c": ["p", "q"]}, {"a": "long", "b": True, "c": []}]
    text = listing.to_text({"what": "Two rows", "rows": rows, "about": "of three."}, 80)
    assert text == "Two rows\nof three.\n\nrows\na     b     c\nx           p, q\nlong  true"


def test_a_pattern_selects_settings_of_a_paper(capsys):
    found = listed(capsys, "hvt_ucb/*arms_?0[factor=0.1*")["settings"]
    every = listed(capsys, "hvt_ucb/*")["settings"]
    asked = [row for row in every if re.fullmatch(r".*arms_.0\[factor=0\.1.*", row["setting"])]
    assert found == asked != []
    assert main.main(["list", "hvt_ucb/zz*"]) == 1
    expected = "error: setting hvt_ucb/zz* matches nothing; allowed: patterns of student_t, "
    assert capsys.readouterr().err.startswith(expected)


def test_a_class_that_names_no_source_is_listed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(re.sub("    reference = .*", "", MINE))
    assert main.main(["list", "mine.py:Mine"]) == 0
    assert "mine.py:Mine on arms: no reference" in capsys.readouterr().out
    assert main.main(["list", "hvt*"]) == 1
    assert "'hvt*' is a pattern; allowed: patterns only for settings" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("import os; os._exit(3)", "mine.py:Mine: its process ended with exit status 3"),
        ("while True: pass", "mine.py:Mine: no answer in 2 s"),
    ],
)
def test_a_class_that_ends_or_blocks_its_process_is_one_line(
    text, error, tmp_path, monkeypatch, capfd
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(look, "SECONDS", 2.0)
    (tmp_path / "mine.py").write_text(f"print('aloud')\n{text}\n")
    assert main.main(["list", "mine.py:Mine"]) == 1
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 2) and f"\nerror: {error}" in err


def test_options_of_an_environment_in_a_file_are_listed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    new.write("environment", "world", "heavy_tailed")
    content = listed(capsys, "world.py:World")
    options = {row["option"]: row["value"] for row in content["options"]}
    assert (content["environment"], options["tail"]) == ("world.py:World", "2.5")
    assert {"radius", "factor", "horizon", "arms"} <= set(options)
    assert main.main(["list", "worlds.py:World"]) == 1
    assert "no file 'worlds.py' (did you mean 'world.py'?)" in capsys.readouterr().err
    assert listed(capsys, "world.py:World[arms=3]") == content
    assert main.main(["list", "world.py"]) == 1
    assert "'world.py' is not a class (did you mean 'world.py:World'?)" in capsys.readouterr().err


def test_an_unknown_name_suggests_the_nearest(capsys):
    assert main.main(["list", "glb_ond"]) == 1
    assert "did you mean 'glb_omd'" in capsys.readouterr().err
    assert main.main(["list", "glb_omd/logistic_s4"]) == 1
    assert "did you mean 'logistic_s" in capsys.readouterr().err
