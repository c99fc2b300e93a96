"""What the command line lists: every name that can be run, and what each option may be."""

import json

import pytest

from optimist import cli, listing
from optimist.algorithms import REGISTRIES
from optimist.environments import BOX_REGISTRY, REGISTRY
from optimist.plan.config import load_paper, paper_names
from optimist.runs.setting import option_places
from optimist.runs.trials import expand


def listed(capsys, *arguments):
    assert cli.main(["list", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_papers_and_algorithms_are_listed(capsys):
    tables = listed(capsys)
    assert [row["paper"] for row in tables["papers"]] == paper_names()
    for domain, registry in REGISTRIES.items():
        assert [row["algorithm"] for row in tables[f"algorithms on {domain}"]] == [*registry]


@pytest.mark.parametrize("name", paper_names())
def test_every_setting_of_a_paper_is_listed_with_its_algorithms(name, capsys):
    ((title, rows),) = listed(capsys, name).items()
    paper = load_paper(name)
    assert paper["title"] in title
    asked = {(trials.cell.setting, trials.cell.algorithm) for trials in expand(paper)}
    assert {(row["setting"], label) for row in rows for label in row["algorithms"]} == asked
    assert len({row["setting"] for row in rows}) == len(rows)


@pytest.mark.parametrize("name", paper_names())
def test_options_of_a_setting_have_its_values(name, capsys):
    paper = load_paper(name)
    setting = next(iter(paper["settings"]))
    ((title, rows),) = listed(capsys, f"{name}/{setting}").items()
    assert title.startswith(f"{name}/{setting}")
    found = {row["option"]: row["value"] for row in rows}
    spec = paper["settings"][setting]
    assert found["horizon"] == str(spec["horizon"])
    for key, value in spec.get("parameters", {}).items():
        assert found[key] == str(value)


@pytest.mark.parametrize("environment", [*REGISTRY, *BOX_REGISTRY])
def test_every_option_says_what_it_may_be(environment):
    described = listing._described(environment)
    missing = [key for key in option_places(environment) if not all(described.get(key, ("",)))]
    assert not missing


def test_a_table_of_text_is_aligned_and_complete():
    rows = [{"a": "x", "b": None, "c": ["p", "q"]}, {"a": "long", "b": True, "c": []}]
    assert listing.to_text(rows) == "a     b     c\nx           p, q\nlong  true"


def test_an_unknown_name_suggests_the_nearest(capsys):
    assert cli.main(["list", "glb_ond"]) == 1
    assert "did you mean 'glb_omd'" in capsys.readouterr().err
    assert cli.main(["list", "glb_omd/logistic_s4"]) == 1
    assert "did you mean 'logistic_s" in capsys.readouterr().err
