"""docs/add-a-panel.md, followed word for word in a copy of the project."""

from pathlib import Path

import pandas as pd
from test_add_an_algorithm import follow, steps

from optimist.figures.studies import tables

DOCUMENT = Path(__file__).parents[2] / "docs" / "add-a-panel.md"
FIGURES = "results/quick/figures/glb_omd"


def test_following_the_document_draws_the_new_panels(project):
    commands = {}
    for language, path, content in steps(DOCUMENT.read_text()):
        commands |= follow(project, language, path, content)
    assert all(done.returncode == 0 for done in commands.values())
    assert (project.root / FIGURES / "strip.png").stat().st_size > 10_000

    table = pd.read_csv(project.root / FIGURES / "tables/strip.csv")
    trials = table[(table["panel"] == "a") & (table["role"] == "data")]
    assert trials.groupby("series").size().to_dict() == {"glb_omd": 2, "gloc": 2}
    arms = table[(table["panel"] == "b") & (table["role"] == "data")]
    assert set(arms["series"]) == {"glb_omd", "gloc"}
    assert arms["x"].max() == 150
    assert (arms.groupby("series")["y"].max() > 1).all()
    assert table[table["role"] == "note"].empty

    (path,) = project.root.glob("results/quick/study/glb_omd/variety.*.parquet")
    assert tables.read(path)[0]["variety_facts"]["setting"].tolist() == ["logistic_s3"]
