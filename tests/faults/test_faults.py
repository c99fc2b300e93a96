"""What goes wrong on real machines: nothing is lost, nothing is silently wrong.

Each fault is followed by the same command, or by what its message says, and the results are those
of an undisturbed run, bit for bit.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import pandas as pd
import psutil
import pytest
from projects import new_project, wait_for
from uci_server import UciServer

from optimist import sealed
from optimist.runs import results

pytestmark = pytest.mark.workflow

TARGET = "glb_omd_fig1"
# Long enough that one can be stopped half way.
LONG = {
    "caps": {"rounds": 1000, "trials": 6, "timing_trials": 1},
    "only": {"algorithms": ["glb_omd", "gloc", "ecolog", "glm_ucb"]},
}
FILE = "results/regret/glb_omd/logistic_s3/gloc/000-002.parquet"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the digests of a run that nothing disturbs, by results folder."""
    found = {}
    for name, changes in (("tiny", {}), ("long", LONG)):
        project = new_project(tmp_path_factory.mktemp(name) / "project")
        project.run(*project.overlay(**changes), TARGET)
        found[name] = project.digests()
    return found


def workers(project):
    """Return the processes that run cells in a project."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        command = " ".join(process.info["cmdline"] or [])
        if process.info["cwd"] == str(project.root) and "run_trials.py" in command:
            found.append(process)
    return found


def break_gloc(project, statement):
    """Let GLOC's update begin with a statement; return its source file and the sound text."""
    source = project.root / "src/optimist/algorithms/glb/gloc.py"
    sound = source.read_text()
    update = "    def update(self, arms: np.ndarray, index: int, reward: float) -> None:\n"
    assert sound.count(update) == 1
    source.write_text(sound.replace(update, f"{update}        {statement}\n"))
    return source, sound


def errors_of(done):
    """Return the messages of a command that failed, which shows no traceback."""
    assert done.returncode != 0
    messages = set(re.findall(r"^ *(?:error|ERROR): (.*)$", done.stderr, flags=re.M))
    assert messages, done.stderr
    assert "Traceback" not in done.stderr
    return messages


def error_of(done):
    """Return the one message of a command that failed, which shows no traceback."""
    (message,) = errors_of(done)
    return message


def test_a_worker_that_is_killed_loses_what_it_makes_only(project, undisturbed):
    arguments = project.overlay(**LONG)
    running = project.start(*arguments, TARGET)
    wait_for(lambda: workers(project), "worker")[0].kill()
    assert running.wait() != 0
    lost = undisturbed["long"].keys() - project.digests().keys()
    race = {path for path in undisturbed["long"] if path.startswith("timing/")}
    assert len(lost) == 1 or lost == race
    project.run(*arguments, TARGET)
    assert project.digests() == undisturbed["long"]


def test_a_cell_that_crashes_takes_no_other_of_its_batch_with_it(project, undisturbed):
    source, sound = break_gloc(project, "raise TypeError('a bug of gloc')")
    arguments = project.overlay(job_files=24)
    refused = project.run(*arguments, TARGET, check=False)
    assert refused.returncode != 0 and "a bug of gloc" in refused.stderr
    other = project.root / FILE.replace("gloc", "glb_omd")
    assert not other.exists()  # Snakemake removes what a job that failed has made
    kept = [results.read_metadata(p) for p in (project.root / "results/kept").rglob("*.parquet")]
    source.write_text(sound)
    project.run(*arguments, TARGET)
    assert undisturbed["tiny"].items() <= project.digests().items()
    assert results.read_metadata(other) in kept


def test_a_second_workflow_in_the_same_folder_is_refused_and_disturbs_nothing(project, undisturbed):
    arguments = project.overlay(**LONG)
    running = project.start(*arguments, TARGET)
    wait_for(lambda: workers(project), "worker")
    (worker, *_) = workers(project)
    worker.suspend()  # on a busy machine it might end before the second workflow looks
    try:
        refused = project.run(*arguments, TARGET, check=False)
    finally:
        worker.resume()
    assert refused.returncode != 0
    assert "cannot be locked" in refused.stderr
    assert running.wait() == 0
    assert project.digests() == undisturbed["long"]


# Files that are not what they should be.


def delete_refused(project, files=1):
    """Type what messages about refused files say."""
    done = project.run(*("optimist", "results", "--configfile", "tiny.yaml", "--delete", "refused"))
    assert f"deleted {files} result files" in done.stdout


@pytest.mark.parametrize("content", ["truncated", "empty"])
def test_a_damaged_result_is_named_and_made_again(project, undisturbed, content):
    arguments = project.overlay()
    project.run(*arguments, TARGET)
    path = project.root / FILE
    os.truncate(path, 0 if content == "empty" else path.stat().st_size // 2)
    message = error_of(project.run(*arguments, TARGET, check=False))
    assert FILE in message and "is damaged" in message
    delete_refused(project)
    project.run(*arguments, TARGET)
    assert project.digests() == undisturbed["tiny"]


@pytest.mark.parametrize("how", ["renamed", "overwritten"])
def test_a_result_of_another_configuration_is_refused_and_made_again(project, undisturbed, how):
    other = project.overlay(results="other", caps={"rounds": 41})
    foreign = project.root / FILE.replace("results", "other", 1)
    project.run(*other, str(foreign.relative_to(project.root)))
    arguments = project.overlay()
    project.run(*arguments, TARGET)
    if how == "renamed":
        os.replace(foreign, project.root / FILE)
    else:  # in its place, as `cp` does
        shutil.copyfile(foreign, project.root / FILE)
    os.utime(project.root / FILE)
    message = error_of(project.run(*arguments, TARGET, check=False))
    assert FILE in message and "another configuration or code" in message
    delete_refused(project)
    project.run(*arguments, TARGET)
    assert project.digests() == undisturbed["tiny"]


def test_what_was_kept_for_another_job_is_not_taken(project, undisturbed):
    arguments = project.overlay()
    project.run(*arguments, TARGET)
    kept = sorted((project.root / "results/kept").rglob("*.parquet"))
    contents = [path.read_bytes() for path in kept]
    for path, content in zip(kept, [*contents[1:], contents[0]], strict=True):
        path.write_bytes(content)
    shutil.rmtree(project.root / "results/regret")
    project.run(*arguments, TARGET)
    assert project.digests() == undisturbed["tiny"]


@pytest.mark.parametrize("named", [TARGET, "figures/glb_omd/fig1.png"])
def test_what_was_made_from_a_deleted_result_is_made_again(project, undisturbed, named):
    arguments = project.overlay()
    project.run(*arguments, TARGET)
    path = project.root / FILE
    before = path.stat()
    path.write_bytes(path.read_bytes()[:-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    delete_refused(project)
    project.run(*arguments, named)
    assert project.digests() == undisturbed["tiny"]


def test_a_fetched_table_that_changed_is_refused(project):
    arguments = project.overlay(data={"source": "mirror"})
    raw, prepared = (f"results/data/{name}" for name in ("raw/abalone.parquet", "abalone.csv"))
    project.run(*arguments, prepared)
    sound = (project.root / prepared).read_bytes()
    frame = sealed.read_frame(project.root / raw)
    frame["Length"] = frame["Length"].to_numpy()[::-1]
    sealed.write_frame(frame, project.root / raw)
    (project.root / prepared).unlink()
    message = error_of(project.run(*arguments, prepared, check=False))
    assert "wrong content" in message and raw in message and "delete it and run the same" in message
    (project.root / raw).unlink()
    project.run(*arguments, prepared)
    assert (project.root / prepared).read_bytes() == sound


def test_a_result_of_other_code_is_refused_where_snakemake_has_no_record(project, undisturbed):
    arguments = project.overlay()
    project.run(*arguments, TARGET)
    shutil.rmtree(project.root / ".snakemake")
    source = project.root / "src/optimist/algorithms/glb/gloc.py"
    source.write_text(source.read_text() + "\nEDITED = 1\n")
    set_clock(project, time.time())  # all results are newer than the edit
    os.utime(project.root / "figures/glb_omd/fig1.png", (1.0, 1.0))
    message = error_of(project.run(*arguments, TARGET, check=False))
    assert "logistic_s3/gloc/" in message and "another configuration or code" in message
    assert "(and 1 more files)" in message  # its times
    delete_refused(project, files=3)  # with the times of a variant
    project.run(*arguments, TARGET)
    assert project.digests() == undisturbed["tiny"]


# Clocks.


def set_clock(project, then):
    """Let all that the workflow made look as if it had been made at a time."""
    made = [*project.root.glob("results/**/*.*"), *project.root.glob("figures/glb_omd/**/*.*")]
    for path in made:
        os.utime(path, (then, then))


def planned(project, arguments, target=TARGET):
    """Return the files that a dry run announces, as far as they are below results or figures."""
    text = project.run(*arguments[:-1], "-n", "--", target).stdout
    outputs = ", ".join(re.findall(r"^ +output: (.*)$", text, flags=re.M))
    return set(re.findall(r"(?:results|figures)/[^,]+", outputs))


def test_results_from_a_clock_that_was_ahead_hide_no_edit(project, undisturbed):
    arguments = project.overlay()
    project.run(*arguments, "glb_omd_claims")
    set_clock(project, time.time() + 48 * 3600)
    assert planned(project, arguments, "glb_omd_claims") == set()
    edits = {
        "src/optimist/algorithms/glb/gloc.py": FILE,
        "src/optimist/panels/studies/facts.py": "results/studies/glb_omd/facts.csv",
        "src/optimist/runs/aggregate.py": "results/tables/glb_omd/paper/finals.parquet",
        "config/papers/glb_omd/claims.yaml": "figures/glb_omd/claims.csv",
    }
    for name in edits:
        path = project.root / name
        edit = "EDITED = 1" if name.endswith(".py") else "# An edit that changes no number."
        path.write_text(f"{path.read_text()}\n{edit}\n")
    assert set(edits.values()) <= planned(project, arguments, "glb_omd_claims")
    # New files would be older than those from the future: Snakemake says so, and the document how.
    refused = project.run(*arguments, TARGET, check=False)
    assert refused.returncode != 0 and "clock skew" in refused.stderr
    (command,) = re.findall(r"`(find .*?)`", (project.root / "docs/cluster.md").read_text())
    subprocess.run(command, shell=True, cwd=project.root, check=True)
    project.run(*arguments, TARGET)
    assert project.digests().items() >= undisturbed["tiny"].items()


def test_results_from_a_clock_that_was_behind_are_not_computed_anew(project, undisturbed):
    arguments = project.overlay()
    project.run(*arguments, TARGET)
    before = results.read_metadata(project.root / FILE)
    set_clock(project, time.time() - 48 * 3600)
    project.run(*arguments, TARGET)  # for Snakemake the scripts are newer now
    assert project.digests() == undisturbed["tiny"]
    assert results.read_metadata(project.root / FILE) == before  # it was kept


# Disks.


@pytest.fixture
def disk(project, request):
    """Mount a small file system at the project's results; yield a function that mounts it anew."""
    place = project.root / getattr(request, "param", "results")
    place.mkdir()

    def mount(options):
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        return subprocess.run(command, capture_output=True, text=True)

    # Room for two of the four results, with their logs and benchmarks.
    done = mount("size=56k")
    if done.returncode:
        pytest.skip(f"file systems cannot be mounted here: {done.stderr.strip()}")
    yield lambda options: mount(f"remount,{options}")
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_full_disk_is_named_and_leaves_no_half_file(project, disk, undisturbed):
    arguments = project.overlay()
    for message in errors_of(project.run(*arguments, TARGET, check=False)):
        assert re.match(r"results/\S+: No space left on device; fix that and run", message)
    present = project.digests()  # reads every file that is there, whole
    assert present and present.items() < undisturbed["tiny"].items()
    assert not list((project.root / "results").rglob(".*.tmp"))
    assert disk("size=100m").returncode == 0
    project.run(*arguments, TARGET)
    assert project.digests() == undisturbed["tiny"]


def test_a_read_only_folder_is_named(project, disk, undisturbed):
    assert disk("ro,size=100m").returncode == 0
    arguments = project.overlay()
    message = error_of(project.run(*arguments, TARGET, check=False))
    assert message.startswith("results cannot be written to; fix that and run")
    assert planned(project, arguments)  # looking is allowed
    assert disk("rw,size=100m").returncode == 0
    project.run(*arguments, TARGET)
    assert project.digests() == undisturbed["tiny"]


@pytest.mark.parametrize("disk", [".snakemake"], indirect=True)
def test_a_folder_that_takes_no_records_is_named(project, disk):
    assert disk("ro").returncode == 0
    message = error_of(project.run(*project.overlay(), "--dry-run", TARGET, check=False))
    assert ".snakemake cannot be written to, but Snakemake keeps its records there" in message


# Downloads.


def test_a_download_that_is_interrupted_leaves_nothing(project):
    arguments = project.overlay(papers=["bkb"], only={"settings": [], "algorithms": []})
    raw = project.root / "results/data/raw"
    with UciServer(b"a,b\n" + b"1,2\n" * 1000, "hang_in_table") as uci:
        running = project.start(*arguments, "results/data/abalone.csv", OPTIMIST_UCI_URL=uci.url)
        wait_for(lambda: uci.asked, "request")
        time.sleep(0.5)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    assert not [path for path in raw.glob("*") if not path.name.startswith(".")]
    project.run("snakemake", "--unlock", "--cores", "1")
    # No server answers now: the verified copy is taken, and the record says so.
    nobody = {"OPTIMIST_UCI_URL": "http://127.0.0.1:9/api/dataset"}
    project.run(*arguments, "results/data/abalone.csv", **nobody)
    assert json.loads((raw / "abalone.json").read_text())["source"] == "mirror"
    mirror = project.overlay(
        papers=["bkb"],
        results="other",
        data={"source": "mirror"},
        only={"settings": [], "algorithms": []},
    )
    project.run(*mirror, "other/data/abalone.csv")
    made, expected = (project.root / f / "data/abalone.csv" for f in ("results", "other"))
    assert made.read_bytes() == expected.read_bytes()
    assert not list(raw.glob(".*"))


# Sharing.


def test_merged_results_are_not_made_again(project, tmp_path):
    """Also those from real data, of which Snakemake has no record in the other folder."""
    other = new_project(tmp_path / "other")
    only = {"settings": ["abalone"], "algorithms": ["bkb"]}
    made = "results/regret/bkb/abalone/bkb/000-002.parquet"
    for each in (project, other):
        arguments = each.overlay(papers=["bkb"], only=only, data={"source": "mirror"})
    project.run(*arguments, made)
    other.run("optimist", "merge", str(project.root / "results"), "--into", "results")
    assert (other.root / made).exists()
    assert planned(other, arguments, made) == set()


# Limits.


ENDINGS = {
    # 8 GiB
    "out_of_memory": ("np.ones(2**30)", {}, [TARGET, "glb_omd_claims"]),
    # Half a minute for a job, of which the claims need more.
    "out_of_time": ("__import__('time').sleep(60)", {"time_factor": 0.1}, [TARGET]),
}


@pytest.mark.parametrize("status", ENDINGS)
def test_a_cell_that_passes_its_limit_says_so_and_the_others_go_on(project, undisturbed, status):
    fault, limits, targets = ENDINGS[status]
    source, sound = break_gloc(project, fault)
    arguments = project.overlay(resource_limits=True, **limits)
    project.run(*arguments, *targets)
    assert set(results.read(project.root / FILE)["status"].to_pylist()) == {status}
    other = FILE.replace("gloc", "glb_omd")
    assert set(results.read(project.root / other)["status"].to_pylist()) == {"ok"}
    figure = (project.root / "figures/glb_omd/tables/fig1.csv").read_text()
    assert f"incomplete: 3 of 3 trials {status}" in figure
    done = project.digests()
    if "glb_omd_claims" in targets:
        claims = pd.read_csv(project.root / "figures/glb_omd/claims.csv")
        lost = f"logistic_s3/gloc (regret lane, no complete trial: 3 {status})"
        checks = claims[claims["remark"].str.contains(lost, regex=False, na=False)]
        assert len(checks) and set(checks["outcome"]) == {"missing"}

    said = project.run("optimist", "results", "--configfile", "tiny.yaml", "--delete", "early")
    files = [path for path in done if "/gloc" in path]  # its variants too
    assert f"{status} 3 of 3 trials" in said.stdout
    assert f"deleted {len(files)} result files" in said.stdout
    source.write_text(sound)
    project.run(*arguments, TARGET)
    assert undisturbed["tiny"].items() <= project.digests().items()
