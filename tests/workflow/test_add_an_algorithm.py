"""docs/add-an-algorithm.md, followed word for word in a copy of the project."""

import re
import shlex
from pathlib import Path

import pyarrow.parquet as pq

DOCUMENT = Path(__file__).parents[2] / "docs" / "add-an-algorithm.md"
NEW = "epsilon_greedy"
SETTINGS = {"logistic_s3", "logistic_s5", "logistic_s7", "logistic_s9"}
QUICK = ("--configfile", "config/quick.yaml")
RESULTS = "results/quick/run/glb_omd"
OLD = "only={settings: [logistic_s3], algorithms: [glb_omd]}"


def steps(text):
    """Yield (language, file named last before it, content) of each code block."""
    for block in re.finditer(r"^```(\w+)\n(.*?)^```", text, flags=re.M | re.S):
        named = re.findall(r"`([\w/]+/[\w]+\.(?:py|yaml|csv))`", text[: block.start()])
        yield block[1], named[-1], block[2]


def patch(path, diff):
    """Apply the one hunk of a diff without line numbers; its place must be unique."""
    lines = diff.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] in " -")
    new = "".join(line[1:] for line in lines if line[0] in " +")
    text = path.read_text()
    assert text.count(old) == 1, f"{path.name} does not hold once:\n{old}"
    path.write_text(text.replace(old, new))


def cells(paths):
    """Return setting/algorithm of result files."""
    return sorted(path.rpartition("/")[0] for path in paths)


def follow(project, language, path, content):
    """Do what one code block says; return the finished commands by their text."""
    if language == "python":
        assert not (project.root / path).exists()
        (project.root / path).write_text(content)
    elif language == "diff":
        patch(project.root / path, content)
    else:
        assert language == "sh"
        return {line: project.run(*shlex.split(line)) for line in content.splitlines()}
    return {}


def written(project):
    """Return the time of writing of each result file, by its path below a paper."""
    folder = project.root / RESULTS
    return {
        str(path.relative_to(folder)): path.stat().st_mtime_ns for path in folder.rglob("*.parquet")
    }


def test_following_the_document_runs_the_new_cells_and_no_other(project):
    project.run("snakemake", "results", "--cores", 2, *QUICK, "--config", OLD)
    old = written(project)
    assert "logistic_s3/glb_omd" in cells(old)

    done = {}
    for language, path, content in steps(DOCUMENT.read_text()):
        done |= follow(project, language, path, content)

    new = sorted(f"{setting}/{NEW}" for setting in SETTINGS)
    now = written(project)
    assert {path: now[path] for path in old} == old
    assert cells(path for path in set(now) - set(old) if NEW in path) == new
    check_dry_run(done, new)
    check_same_numbers(done, project)
    check_figure(project)
    check_rerun_after_an_edit(project, done)


def check_dry_run(done, new):
    output = next(d.stdout for line, d in done.items() if "--dry-run" in line)
    assert cells(re.findall(rf"output: {RESULTS}/(\S+)", output)) == new


def check_same_numbers(done, project):
    """The workflow's results are complete and those that the command line printed."""
    output = next(d.stdout for line, d in done.items() if line.startswith("optimist run glb_omd/"))
    printed = re.findall(r"trial (\d): regret ([\d.]+) after 150 rounds, .* status ok", output)
    (path,) = (project.root / RESULTS / "logistic_s3" / NEW).iterdir()
    rows = pq.read_table(path).to_pylist()
    last = [row for row in rows if row["round"] == 150]
    assert {row["status"] for row in rows} == {"ok"}
    assert len(printed) == 2
    assert [(str(row["trial"]), f"{row['regret']:.4f}") for row in last[:2]] == printed


def check_figure(project):
    folder = project.root / "results/quick/figures/glb_omd"
    assert (folder / f"with_{NEW}.png").stat().st_size > 10_000
    assert (folder / f"with_{NEW}.pdf").exists()
    table = (folder / "tables" / f"with_{NEW}.csv").read_text()
    assert f",{NEW}," in table
    assert ",glb_omd," in table


def check_rerun_after_an_edit(project, done):
    """The last section: edit the file, give the command again."""
    path = next(project.root.glob(f"src/optimist/algorithms/*/{NEW}.py"))
    path.write_text(path.read_text().replace("epsilon: float = 0.05", "epsilon: float = 0.1"))
    now = written(project)
    project.run(*shlex.split(list(done)[-1]))
    changed = written(project).items() - now.items()
    assert cells(path for path, _ in changed) == [f"logistic_s3/{NEW}"]
