"""docs/add-a-claim.md, followed word for word in a copy of the project."""

import re
from pathlib import Path

import pandas as pd
from test_add_an_algorithm import follow, steps

DOCUMENT = Path(__file__).parents[2] / "docs" / "add-a-claim.md"
CLAIM = "glb_omd.90"


def test_following_the_document_decides_the_new_claim(project):
    done = {}
    for language, path, content in steps(DOCUMENT.read_text()):
        done |= follow(project, language, path, content)
    tests = next(d.stdout for line, d in done.items() if line.startswith("pytest"))
    assert re.search(r"\b6 passed", tests)

    table = pd.read_csv(project.root / "results/quick/figures/glb_omd/claims.csv")
    own = table[table["claim"] == CLAIM]
    assert own["status"].tolist() == ["stated", "unstated", "unstated", "unstated"]
    first = "the constants of the rivals' theories; the identified instance"
    assert own["reading"].tolist()[0] == first
    assert set(own["verdict"]) == {"shortened"}
    assert set(own["n"]) == {2}
    said = next(d.stdout for line, d in done.items() if line.startswith("optimist"))
    assert f"{CLAIM}  shortened" in said
