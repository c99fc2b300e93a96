"""Paths: what is formatted is parsed again, and nothing else is taken for a result."""

from pathlib import Path

import pytest

from optimist.core.errors import ConfigError
from optimist.core.layout import (
    MOST_BYTES,
    Layout,
    Result,
    check_length,
    digest_in_name,
    parse_result,
    quote,
    unquoted,
)

LABELS = [
    "student_t",
    "student_t[factor=0.3,radius=matched]",
    "varying_nu_1.5",
    "mine.py:Mine",
    "./code/mine.py:Mine[gamma=0.1]",
    "100%",
    "a%2Fb",
]


DIGEST = "0123456789ab"


@pytest.mark.parametrize("label", LABELS)
def test_a_result_is_parsed_as_it_was_formatted(label):
    names = "glb_omd", label, label, DIGEST
    for place in (Result("regret", *names, 0, 1200), Result("timing", *names, race="3")):
        assert len(Path(place.path).parts) == 5 and "," not in place.path
        for folder in ("results", "/somewhere/else", "run/time", "."):
            assert parse_result(f"{folder}/{place.path}") == place
        assert parse_result(place.path) == place


def test_a_label_is_quoted_without_slashes_and_commas():
    assert quote("student_t[factor=0.3,radius=matched]") == "student_t[factor=0.3~radius=matched]"
    for label in ("a,b/c~d%e", "%7E", "%257E", "~,~"):
        assert unquoted(quote(label)) == label and not {",", "/"} & {*quote(label)}


def test_the_patterns_of_rules_match_the_paths_of_their_results():
    layout = Layout("here/results", "figures")
    place = Result("regret", "bkb", "corner", "bkb[a=1,q_bar=2]", DIGEST, 5, 10)
    names = {"paper": "bkb", "setting": "corner", "algorithm": "bkb[a=1~q_bar=2]"}
    filled = layout.any_result.format(**names, trials="005-009", digest=DIGEST)
    assert filled == layout.result(place.path)
    place = Result("timing", "bkb", "corner", "bkb", DIGEST, race="2")
    folder = layout.race("{paper}", "{race}", "{digest}")
    filled = folder.format(paper="bkb", race="2", digest=DIGEST)
    assert layout.result(place.path) == f"{filled}/corner/bkb.parquet"


@pytest.mark.parametrize(
    "path",
    [
        f"results/study/glb_omd/regions.{DIGEST}.parquet",
        "results/data/raw/abalone.parquet",
        f"results/run/glb_omd/covertype/gloc/000-009.{DIGEST}.csv",
        "results/run/glb_omd/covertype/gloc/000-009.parquet",
        f"results/run/glb_omd/covertype/gloc/000-.{DIGEST}.parquet",
        f"results/run/glb_omd/covertype/gloc/-009.{DIGEST}.parquet",
        f"results/run/glb_omd/gloc/000-009.{DIGEST}.parquet",
        f"results/time/glb_omd/{DIGEST}/covertype/gloc.parquet",
        f"results/time/glb_omd/0.{DIGEST}/gloc.parquet",
        f"results/logs/run/glb_omd/covertype/gloc/000-009.{DIGEST}.log",
        "",
    ],
)
def test_other_files_are_no_results(path):
    assert parse_result(path) is None


def test_labels_that_are_too_long_for_a_file_system_are_refused():
    check_length("glb_omd", "s" * 100, "a" * 90)
    with pytest.raises(ConfigError, match=f"take 24[0-9] bytes; allowed: at most {MOST_BYTES}"):
        check_length("glb_omd", "s" * 100, "a" * 114)
    with pytest.raises(ConfigError, match="too long"):
        check_length("glb_omd", "s" * 100, "é" * 60)


def test_the_digest_in_a_name_depends_on_code_and_versions():
    names = {
        digest_in_name(code, {"numpy": version}) for code in ("a", "b") for version in ("1", "2")
    }
    assert len(names) == 4 and {*map(len, names)} == {12}
