"""Paths: what is formatted is parsed again, and nothing else is taken for a result."""

from pathlib import Path

import pytest

from optimist.layout import LANES, Layout, Result, parse_result, shared_names

LABELS = [
    "student_t",
    "student_t[factor=0.3,radius=matched]",
    "varying_nu_1.5",
    "mine.py:Mine",
    "./code/mine.py:Mine[gamma=0.1]",
    "100%",
    "a%2Fb",
]


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("label", LABELS)
def test_a_result_is_parsed_as_it_was_formatted(lane, label):
    place = Result(lane, "glb_omd", label, label, 0, 1200)
    assert len(Path(place.path).parts) == 5
    for folder in ("results", "/somewhere/else", "regret/timing", "."):
        assert parse_result(f"{folder}/{place.path}") == place
    assert parse_result(place.path) == place


def test_the_pattern_of_a_rule_matches_the_path_of_its_results():
    layout = Layout("here/results", "figures")
    place = Result("timing", "bkb", "corner", "bkb[q_bar=2]", 5, 10)
    filled = layout.any_result("timing").format(
        paper="bkb", setting="corner", algorithm="bkb[q_bar=2]", trials="005-009"
    )
    assert filled == layout.result(place.path)


@pytest.mark.parametrize(
    "path",
    [
        "results/tables/glb_omd/paper/finals.parquet",
        "results/studies/glb_omd/regions.parquet",
        "results/data/raw/abalone.parquet",
        "results/kept/ab/abcdef.parquet",
        "results/regret/glb_omd/covertype/gloc/000-009.csv",
        "results/regret/glb_omd/covertype/gloc/finals.parquet",
        "results/regret/glb_omd/covertype/gloc/000-.parquet",
        "results/regret/glb_omd/covertype/gloc/-009.parquet",
        "results/logs/regret/glb_omd/covertype/gloc/000-009.log",
        "regret/glb_omd/gloc/000-009.parquet",
        "",
    ],
)
def test_other_files_are_no_results(path):
    assert parse_result(path) is None


def test_what_machines_share_are_results_and_data_sets(tmp_path):
    layout = Layout(str(tmp_path), str(tmp_path / "figures"))
    shared = [
        layout.result(Result("regret", "bkb", "corner", "bkb", 0, 5).path),
        layout.data("abalone"),
        layout.raw_table("abalone"),
        layout.raw_record("abalone"),
    ]
    own = [
        layout.data_facts("abalone"),
        layout.best_known("go_ucb", "paper"),
        layout.study("bkb", "accuracy", "parquet"),
        layout.result("regret/bkb/corner/bkb/.000-004.parquet.12ab.tmp"),
        layout.result("regret/bkb/notes.parquet"),
    ]
    for path in (*shared, *own):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("")
    assert sorted(shared) == sorted(str(tmp_path / name) for name in shared_names(tmp_path))


def test_no_two_files_of_a_paper_share_a_path():
    layout = Layout("results", "figures")
    paths = [
        *layout.figure("bkb", "a").values(),
        *layout.table("bkb", "b").values(),
        *layout.trials("bkb", "paper").values(),
        *layout.trials("bkb", "variants").values(),
        *layout.claims("bkb").values(),
        *layout.claims().values(),
        layout.manifest("bkb"),
        layout.manifest("bkb", "variants"),
        layout.manifest(),
    ]
    assert len(set(paths)) == len(paths)
    assert layout.manifest() == "figures/manifest.json"
