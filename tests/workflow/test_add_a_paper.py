"""docs/add-a-paper.md, followed word for word in a copy of the project."""

import re
from pathlib import Path

import pandas as pd
from test_add_an_algorithm import follow, steps

DOCUMENT = Path(__file__).parents[2] / "docs" / "add-a-paper.md"
PAPER = "oful_2011"


def follow_all(project, text):
    """Do what all code blocks of a page say; return the finished commands by their text."""
    done = {}
    for language, path, content in steps(text):
        if language == "yaml":
            file = project.root / path
            assert not file.exists()
            file.parent.mkdir(exist_ok=True)
            file.write_text(content)
        else:
            done |= follow(project, language, path, content)
    return done


def test_following_the_document_runs_the_new_paper(project):
    done = follow_all(project, DOCUMENT.read_text())
    dry, quick, _, said = done.values()
    for cell in ("gaussian/oful", "gaussian/uniform", "student_t/oful", "student_t/uniform"):
        assert f"results/quick/run/{PAPER}/{cell}/000-00" in dry.stdout
    assert "glb_omd" not in re.sub(r"config\S*", "", dry.stdout)
    assert quick.returncode == 0

    figures = project.root / "figures" / PAPER
    assert (figures / "regret.png").stat().st_size > 10_000
    assert (figures / "trials.parquet").exists() and (figures / "records/regret.json").exists()
    table = pd.read_csv(figures / "claims.csv")
    verdicts = table.drop_duplicates("claim").set_index("claim")["verdict"].to_dict()
    assert verdicts == {
        f"{PAPER}.01": "reproduced",
        f"{PAPER}.02": "reproduced",
        f"{PAPER}.03": "held",
    }
    assert set(table.loc[table["claim"] == f"{PAPER}.01", "status"]) == {"unstated", "ours"}
    assert "2 claims: 2 reproduced. " in said.stdout and "1 guarantee: 1 held." in said.stdout
    few = pd.read_csv(project.root / "results/quick/figures" / PAPER / "claims.csv")
    assert set(few["verdict"]) == {"shortened"}
