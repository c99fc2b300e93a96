"""Every command in the README and in docs, read from there: run, or planned where it takes long."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from projects import new_project

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "config/README.md", "data/README.md"]
DOCUMENTS += sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/*.md"))
# Some build on what their reader has just written; tests of their own follow them to the end.
FOLLOWED = {f"docs/add-{what}.md" for what in ("an-algorithm", "a-panel", "a-claim", "a-paper")}
FOLLOWED |= {f"docs/{name}.md" for name in ("compare", "your-algorithm", "your-own-folder")}
PROGRAMS = ("snakemake", "optimist", "make", "pytest", "python")
INSTALLERS = ("pip", "conda")
SHELL = ("cd",)
# Commands that sentences speak of without what they act on.
NAMED = [
    *([name] for name in ("run", "compare", "check", "init", "decide", "draw")),
    *([name] for name in ("provenance", "publish", "reseal")),
]
# Commands that need the tables of a full run.
COMMITTED = ("claims", "decide", "draw", "provenance", "publish")
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|\.\.\.")


def blocks(text):
    """Return the commands in the blocks of a document that a reader may copy, as lists of words."""
    found = re.findall(r"^```sh\n(.*?)^```", text, flags=re.M | re.S)
    lines = [line for block in found for line in block.replace("\\\n", " ").splitlines()]
    return [words for words in (shlex.split(line, comments=True) for line in lines) if words]


def sentences(text):
    """Return the commands within sentences that stand there in full."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    code = [" ".join(found.split()) for found in re.findall(r"`([^`]+)`", prose)]
    found = [line for line in code if line.startswith(tuple(f"{name} " for name in PROGRAMS))]
    return [shlex.split(line) for line in found if not PLACEHOLDER.search(line)]


def documented():
    """Return every command once, as a line."""
    names = [name for name in DOCUMENTS if name not in FOLLOWED]
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in names]
    found = [words for text in texts for words in (*blocks(text), *sentences(text))]
    return list(dict.fromkeys(shlex.join(words) for words in found if words[0] in PROGRAMS))


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A checkout with the results of one cell, and copies of them where others put theirs."""
    project = new_project(tmp_path_factory.mktemp("documented"))
    cell = "only={settings: [logistic_s3], algorithms: [gloc]}"
    line = ("--logger", "optimist", "--cores", "2")  # as make does
    shown = project.run("snakemake", *line, "results", "--config", cell).stderr
    assert "full log: .snakemake/log/" in shown and len(shown.splitlines()) < 10
    for other in ("elsewhere", "another"):
        shutil.copytree(project.root / "results", project.root / other / "results")
    return project


@pytest.mark.parametrize("name", DOCUMENTS)
def test_blocks_to_copy_have_commands_alone(name):
    for words in blocks((ROOT / name).read_text(encoding="utf-8")):
        assert words[0] in PROGRAMS + INSTALLERS + SHELL
        assert not PLACEHOLDER.search(" ".join(words))


@pytest.mark.xdist_group("documented commands")
@pytest.mark.parametrize("line", documented())
def test_a_documented_command_works(line, project):
    program, *words = shlex.split(line)
    if program == "make":
        subprocess.run(["make", "-n", *words], cwd=project.root, check=True, capture_output=True)
    elif program == "pytest":
        project.run("pytest", "--collect-only", "-q", *words)
    elif program == "python":
        assert (project.root / words[0]).is_file()
    elif "--lint" in words:
        assert "in a good condition" in project.run(program, *words).stderr
    elif "--list" in words:
        assert re.search(r"^all \(.+\.\)$", project.run(program, *words).stdout, flags=re.M)
    elif program == "snakemake" and "--unlock" not in words:
        planned = project.run("snakemake", "--dry-run", *words)
        expected = "Would delete" if "--delete-all-output" in words else "Job stats:"
        assert expected in planned.stdout + planned.stderr
    elif words in NAMED:
        project.run(program, *words, "--help")
    elif words[0] in COMMITTED and not [*project.root.glob("figures/*/trials.parquet")]:
        pytest.skip("no full run has been committed yet")
    else:
        short = ["--rounds", "20", "--trials", "0:1"] if words[0] == "run" else []
        project.run(program, *words, *short)
