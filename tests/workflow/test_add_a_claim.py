"""docs/add-a-claim.md, followed word for word in a copy of the project."""

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest
from test_add_an_algorithm import follow, steps, written

DOCUMENT = Path(__file__).parents[2] / "docs" / "add-a-claim.md"
CLAIM = "glb_omd.90"


@pytest.mark.workflow
def test_following_the_document_decides_the_new_claim(project):
    done = {}
    for language, path, content in steps(DOCUMENT.read_text()):
        done |= follow(project, language, path, content)
    tests = next(d.stdout for line, d in done.items() if line.startswith("pytest"))
    assert re.search(r"\b3 passed", tests)

    table = pd.read_csv(project.root / "results/quick/figures/glb_omd/claims.csv")
    own = table[table["claim"] == CLAIM]
    assert own["status"].tolist() == ["stated", "unstated", "unstated", "unstated"]
    first = "the constants of the rivals' theories; the identified instance"
    assert own["reading"].tolist()[0] == first
    assert set(own["verdict"]) == {"shortened"}
    assert set(own["n"]) == {2}
    said = next(d.stdout for line, d in done.items() if line.startswith("optimist"))
    assert f"{CLAIM}  shortened" in said
    check_that_edits_run_no_cell(project, next(line for line in done if "--dry-run" in line))


def check_that_edits_run_no_cell(project, line):
    """A changed bound is decided anew from what is there; a bad one is refused by name."""
    path = project.root / "config/papers/glb_omd/claims.yaml"
    text = path.read_text()
    word = "        word: sublinear_growth\n"
    assert text.count(word) == 1
    before = written(project)
    path.write_text(text.replace(word, "        relation: below\n        bound: 2.5\n"))
    project.run(*shlex.split(line.replace(" --dry-run", "")))
    assert written(project) == before
    table = pd.read_csv(project.root / "results/quick/figures/glb_omd/claims.csv")
    assert set(table.loc[table["claim"] == CLAIM, "bound"]) == {"2.5"}

    for old, new, words in (
        ("choices: [base, instance]", "choices: [base, instanze]", "did you mean 'instance'"),
        ("algorithm: gloc}", "algorithm: glocc}", r"glocc \(did you mean '\S+/gloc'"),
        ("quantity: regret", "quantity: regrets", "did you mean 'regret'"),
        ("statistic: ratio", "statistic: ratios", "did you mean 'ratio'"),
    ):
        start = text.index(CLAIM)
        path.write_text(text[:start] + text[start:].replace(old, new, 1))
        stopped = project.run(*shlex.split(line), check=False)
        assert stopped.returncode != 0
        said = stopped.stdout + stopped.stderr
        assert CLAIM in said and re.search(words, said), words
    path.write_text(text)
    check_that_a_row_is_asked_for(project, line)


def check_that_a_row_is_asked_for(project, line):
    """A check without its first number of trials is refused with the row that it lacks."""
    path = project.root / "config/first.csv"
    rows = path.read_text().splitlines(keepends=True)
    (row, *_) = [row for row in rows if row.startswith(CLAIM)]
    path.write_text("".join(other for other in rows if other != row))
    stopped = project.run(*shlex.split(line), check=False)
    assert stopped.returncode != 0
    assert f"allowed: one, such as {row}" in stopped.stdout + stopped.stderr
