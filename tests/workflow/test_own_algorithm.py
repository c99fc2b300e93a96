"""docs/compare.md, its command and its overlay, followed in a copy of the project."""

import re
import shlex
from pathlib import Path

import pytest
from own_class import MINE

DOCUMENT = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")


def times(project):
    """Return the time of writing of each result file of a class in a file, and of others."""
    found = {p: p.stat().st_mtime_ns for p in (project.root / "results").rglob("*.parquet")}
    results = {p: t for p, t in found.items() if "run" in p.parts}
    mine = {p: t for p, t in results.items() if "mine.py:Mine" in str(p)}
    return mine, {p: t for p, t in results.items() if p not in mine}


@pytest.mark.workflow
def test_an_algorithm_in_a_file_is_run_by_the_workflow_and_again_after_an_edit(project):
    (block,) = re.findall(r"^```yaml\n(.*?)^```", DOCUMENT, flags=re.M | re.S)
    (project.root / "config/mine.yaml").write_text(block)
    (project.root / "mine.py").write_text(MINE)
    (command,) = re.findall(r"`(snakemake [^`]*)`", DOCUMENT)
    words = shlex.split(command)
    place = words.index("--configfile") + 1
    words.insert(place, "config/quick.yaml")
    project.run(*words)
    figures = project.root / "results/quick/figures/glb_omd"
    assert (figures / "with_mine.png").exists()
    assert "mine.py:Mine[gamma=0.3]" in (figures / "tables/with_mine.csv").read_text()
    mine, others = times(project)
    assert len(mine) == 4 and len(others) == 4
    (project.root / "mine.py").write_text(MINE.replace("return int(", "return 0 * int("))
    project.run(*words)
    mine_now, others_now = times(project)
    assert len(mine_now) == 8 and mine.items() <= mine_now.items()  # other code, other names
    assert others_now == others


@pytest.mark.workflow
def test_the_command_of_the_document_compares(project):
    (command,) = re.findall(r"^```sh\n(.*?)\n```", DOCUMENT, flags=re.M | re.S)
    done = project.run(*shlex.split(command))
    for setting in ("logistic_s3", "logistic_s5", "logistic_s7", "logistic_s9"):
        assert f"glb_omd/{setting}" in done.stdout
    assert done.stdout.count("ecolog") == 4
