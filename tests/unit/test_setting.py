"""Settings, cells and labels as objects: variants, plain descriptions, and no class loaded."""

import pickle
import sys
from dataclasses import replace

import pytest

import optimist
from optimist.config.load import load_paper, paper_names
from optimist.core.errors import ConfigError
from optimist.core.label import Label
from optimist.experiments.cell import NOTHING, Cell, Probe, Setting
from optimist.experiments.trials import Trials, expand
from optimist.figures.studies import of_paper

PAPERS = {name: load_paper(name) for name in paper_names()}


def test_a_variant_of_a_variant_keeps_both_options():
    variant = PAPERS["hvt_ucb"].setting("student_t[factor=0.1]")
    both = variant.having(radius="matched")
    assert both.label == "student_t[factor=0.1,radius=matched]"
    assert both.problem == variant.problem | {"radius": "matched"}
    (public,) = optimist.settings("hvt_ucb/student_t[factor=0.1]", radius="matched")
    assert (public.label, public) == (both.label, both)


def test_an_option_set_back_to_its_default_leaves_the_label():
    base = PAPERS["hvt_ucb"].setting("student_t")
    variant = base.having(factor=0.1)
    assert variant.having(factor=base.options["factor"]) == base
    assert variant.with_options(Label("student_t")) is base


def test_a_variant_keeps_the_texts_of_its_base_and_is_equal_without_them():
    variant = PAPERS["bkb"].setting("gaussian_d1[horizon=7]")
    assert variant.title == variant.base.title != ""
    assert replace(variant, title="", about="", base=None) == variant
    assert replace(variant, horizon=8) != variant


@pytest.mark.parametrize("name", PAPERS)
def test_every_cell_comes_back_from_its_description(name):
    paper = PAPERS[name]
    asked = expand(paper)
    watched = [cell for study in of_paper(paper) for cell in study.cells(paper, ())]
    for cell in [*(trials.cell for trials in asked), *watched]:
        assert Cell.restore(cell.describe()) == cell
        again = pickle.loads(pickle.dumps(cell))
        assert again == cell
        assert again.algorithm.options == cell.algorithm.options
        assert again.setting.label.options == cell.setting.label.options
    for trials in asked:
        assert Trials.restore(trials.describe()) == trials


def test_a_description_is_plain_and_lacks_what_is_empty():
    cell = PAPERS["glb_omd"].cell("logistic_s3[factor=0.3]", "ofuglb[solver=slsqp]")
    described = Trials("timing", cell, 0, 1, probe=Probe(Label("ofuglb"), 5)).describe()

    def kinds(value):
        if isinstance(value, dict):
            return {type(value)}.union(*map(kinds, value), *map(kinds, value.values()))
        return {type(value)}

    assert kinds(described) <= {dict, str, int, float, bool, type(None)}
    assert {*described["cell"]["spec"]} == {"environment", "parameters", "problem", "horizon"}
    bare = Cell(Setting("toy", Label("a"), "glm", 5), NOTHING)
    assert bare.describe()["spec"] == {"environment": "glm", "horizon": 5}
    assert Cell.restore(bare.describe()) == bare


def test_no_setting_writes_an_empty_mapping():
    # A description cannot tell an empty mapping from a missing one.
    documents = [one.document() for paper in PAPERS.values() for one in paper.settings.values()]
    assert len(documents) > 200
    assert all(value not in ({}, "", None) for one in documents for value in one.values())


def test_a_label_keeps_its_options_and_loads_nothing():
    label = Label.parse("nowhere/unread.py:Mine[b=2.0,a=x]")
    assert (label, label.name) == (
        "nowhere/unread.py:Mine[a=x,b=2]",
        "nowhere/unread.py:Mine",
    )
    again = pickle.loads(pickle.dumps(label))
    assert (again, again.name, again.options) == (label, label.name, (("a", "x"), ("b", 2)))
    assert Label.parse(label) is label
    assert type(str(label)) is str
    assert "unread" not in sys.modules


@pytest.mark.parametrize(
    ("label", "changes", "expected"),
    [("a", {"b": 1}, "a[b=1]"), ("a[b=1]", {"b": 2.0}, "a[b=2]"), ("a[c=x]", {}, "a[c=x]")],
)
def test_options_are_added_or_replaced(label, changes, expected):
    assert Label.parse(label).having(changes) == expected


def test_a_text_is_an_option_as_a_label_reads_it():
    assert Label.make("a", {"x": "1"}).options == (("x", 1),)
    assert Label.make("a", {"x": "true", "y": "b"}).options == (("x", True), ("y", "b"))


@pytest.mark.parametrize("value", ["p,q", " p", "", "p]", "x=y", "nan", float("inf"), "a\tb"])
def test_a_value_that_no_label_can_hold_is_named(value):
    with pytest.raises(ConfigError, match=r"option instance of poisson_s3 is|instance is"):
        PAPERS["glb_omd"].setting("poisson_s3").having(instance=value)


def test_a_restored_variant_is_no_base_and_makes_no_variants():
    paper = PAPERS["glb_omd"]
    label = next(label for label in paper.settings if label not in paper.bases)
    restored = type(paper).restore(paper.describe([label]))
    assert [*restored.settings] == [label] and not restored.bases
    with pytest.raises(ValueError, match="was restored"):
        restored.setting(label).having(horizon=7)
    assert hash(restored.setting(label)) == hash(paper.setting(label))
