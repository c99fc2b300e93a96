"""What goes wrong on real machines: nothing is lost, nothing is silently wrong.

Each fault is followed by the same command, or by what its message says, and the results are those
of an undisturbed run, bit for bit.
"""

import json
import os
import re
import signal
import subprocess
import time

import psutil
import pytest
from projects import TARGET, wait_for
from uci_server import UciServer

from optimist.experiments import results

# Long enough that one can be stopped half way.
LONG = {
    "caps": {"rounds": 1000, "trials": 6, "timing_trials": 1},
    "only": {"algorithms": ["glb_omd", "gloc", "ecolog", "glm_ucb"]},
}
CELL = "results/run/glb_omd/logistic_s3/gloc"
GLOC = "src/optimist/algorithms/glb/gloc.py"
UPDATE = "    def update(self, arms: np.ndarray, index: int, reward: float) -> None:\n"


@pytest.fixture(scope="module")
def undisturbed(finished_tiny, tmp_path_factory):
    """Return the digests of a long run that nothing disturbs."""
    project = finished_tiny.cloned(tmp_path_factory.mktemp("long") / "project")
    project.run(*project.overlay(**LONG), TARGET)
    return project.digests()


@pytest.fixture
def clone(finished_tiny, tmp_path):
    """Return a copy of a project without results."""
    return finished_tiny.cloned(tmp_path / "project")


@pytest.fixture
def file(tiny):
    """Return the result file of GLOC."""
    (path,) = (tiny.root / CELL).iterdir()
    return path


def workers(project):
    """Return the processes that run cells in a project."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        command = " ".join(process.info["cmdline"] or [])
        if process.info["cwd"] == str(project.root) and re.search(r"\.(run|time)\.py", command):
            found.append(process)
    return found


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


def test_a_worker_that_is_killed_loses_what_it_makes_only(clone, undisturbed):
    arguments = clone.overlay(**LONG)
    running = clone.start(*arguments, TARGET)
    wait_for(lambda: workers(clone), "worker")[0].kill()
    assert running.wait() != 0
    lost = undisturbed.keys() - clone.digests().keys()
    race = {path for path in undisturbed if path.startswith("time/")}
    assert len(lost) == 1 or lost == race
    clone.run(*arguments, TARGET)
    assert clone.digests() == undisturbed


def test_a_killed_run_is_resumed_to_the_same_results(clone, undisturbed):
    arguments = clone.overlay(**LONG)
    running = clone.start(*arguments, TARGET)
    wait_for(lambda: [*clone.root.glob("results/run/*/*/*/*.parquet")], "result")
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    before = clone.digests()
    assert 0 < len(before) < len(undisturbed)
    refused = clone.run(*arguments, TARGET, check=False)
    assert refused.returncode != 0 and "unlock" in refused.stderr
    clone.run("snakemake", "--unlock", "--cores", "1")
    clone.run(*arguments, TARGET)
    assert clone.digests() == undisturbed


# Files that are not what they should be.


def test_a_damaged_result_is_named_and_made_again(tiny, file, finished_tiny):
    arguments = tiny.overlay()
    os.truncate(file, file.stat().st_size // 2)
    message = error_of(tiny.run(*arguments, TARGET, check=False))
    assert str(file.relative_to(tiny.root)) in message and "is damaged" in message
    assert "`optimist results --delete damaged`" in message
    done = tiny.run("optimist", "results", "--configfile", "tiny.yaml", "--delete", "damaged")
    assert "deleted 1 result" in done.stdout
    tiny.run(*arguments, TARGET)
    assert tiny.digests() == finished_tiny.digests()


# Clocks.


def set_clock(project, then):
    """Let all that the workflow made look as if it had been made at a time."""
    made = [*project.root.glob("results/**/*.*"), *project.root.glob("figures/glb_omd/**/*.*")]
    for path in made:
        os.utime(path, (then, then))


def test_results_from_a_clock_that_was_ahead_hide_no_edit(tiny):
    arguments = tiny.overlay()
    set_clock(tiny, time.time() + 48 * 3600)
    assert tiny.outputs(arguments, TARGET) == set()
    tiny.edit("config/papers/glb_omd/figures.yaml", "running time", "time")
    planned = tiny.outputs(arguments, TARGET)
    assert {path.split("/")[0] for path in planned} == {"figures"}
    tiny.edit(GLOC, UPDATE, f"{UPDATE}        pass\n")
    planned = tiny.outputs(arguments, TARGET)
    assert (
        sum("/run/" in path for path in planned) == sum("/time/" in path for path in planned) == 1
    )
    # New files would be older than those from the future: Snakemake says so, and the document how.
    refused = tiny.run(*arguments, TARGET, check=False)
    assert refused.returncode != 0 and "clock skew" in refused.stderr
    (command,) = re.findall(r"`(find .*?)`", (tiny.root / "docs/cluster.md").read_text())
    subprocess.run(command, shell=True, cwd=tiny.root, check=True)
    tiny.run(*arguments, TARGET)
    assert tiny.outputs(arguments, TARGET) == set()


# Disks.


@pytest.fixture
def disk(clone, request):
    """Mount a small file system at a project's results; yield a function that mounts it anew."""
    place = clone.root / getattr(request, "param", "results")
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


def test_a_full_disk_is_named_and_leaves_no_half_file(clone, disk, finished_tiny):
    arguments = clone.overlay()
    for message in errors_of(clone.run(*arguments, TARGET, check=False)):
        assert re.match(r"results/\S+: No space left on device; fix that and run", message)
    present = clone.digests()  # reads every file that is there, whole
    assert present and present.items() < finished_tiny.digests().items()
    assert not list((clone.root / "results").rglob(".*.tmp"))
    assert disk("size=100m").returncode == 0
    clone.run(*arguments, TARGET)
    assert clone.digests() == finished_tiny.digests()


def test_a_read_only_folder_is_named(clone, disk, finished_tiny):
    assert disk("ro,size=100m").returncode == 0
    arguments = clone.overlay()
    message = error_of(clone.run(*arguments, TARGET, check=False))
    assert message.startswith("results cannot be written to; fix that and run")
    assert clone.outputs(arguments, TARGET)  # looking is allowed
    assert disk("rw,size=100m").returncode == 0
    clone.run(*arguments, TARGET)
    assert clone.digests() == finished_tiny.digests()


@pytest.mark.parametrize("disk", [".snakemake"], indirect=True)
def test_a_folder_that_takes_no_records_is_named(clone, disk):
    assert disk("ro").returncode == 0
    message = error_of(clone.run(*clone.overlay(), "--dry-run", TARGET, check=False))
    assert ".snakemake cannot be written to, but Snakemake keeps its records there" in message


# Downloads.


def test_a_download_that_is_interrupted_leaves_nothing(clone):
    arguments = clone.overlay(papers=["bkb"], only={"settings": [], "algorithms": []})
    raw = clone.root / "results/data/raw"
    with UciServer(b"a,b\n" + b"1,2\n" * 1000, "hang_in_table") as uci:
        running = clone.start(*arguments, "results/data/abalone.csv", OPTIMIST_UCI_URL=uci.url)
        wait_for(lambda: uci.asked, "request")
        time.sleep(0.5)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    assert not [path for path in raw.glob("*") if not path.name.startswith(".")]
    clone.run("snakemake", "--unlock", "--cores", "1")
    # No server answers now: the verified copy is taken, and the record says so.
    nobody = {"OPTIMIST_UCI_URL": "http://127.0.0.1:9/api/dataset"}
    clone.run(*arguments, "results/data/abalone.csv", **nobody)
    assert json.loads((raw / "abalone.json").read_text())["source"] == "mirror"
    mirror = clone.overlay(
        papers=["bkb"],
        results="other",
        data={"source": "mirror"},
        only={"settings": [], "algorithms": []},
    )
    clone.run(*mirror, "other/data/abalone.csv")
    made, expected = (clone.root / f / "data/abalone.csv" for f in ("results", "other"))
    assert made.read_bytes() == expected.read_bytes()
    assert not list(raw.glob(".*"))


# Limits.


def test_a_cell_out_of_time_says_so_and_the_others_go_on(tiny, finished_tiny):
    sound = (tiny.root / GLOC).read_text()
    tiny.edit(GLOC, UPDATE, f"{UPDATE}        __import__('time').sleep(60)\n")
    arguments = tiny.overlay(resource_limits=True, time_factor=0.1)  # half a minute
    tiny.run(*arguments, TARGET)
    new = {path: tiny.root / "results" / path for path in tiny.digests()}
    for path in finished_tiny.digests():
        del new[path]
    assert len(new) == 5  # its cell, and the race of it and another
    ends = {path: set(results.read(place)["status"].to_pylist()) for path, place in new.items()}
    assert all(
        end == ({"out_of_time"} if "/gloc" in path else {"ok"}) for path, end in ends.items()
    )
    figure = (tiny.root / "figures/glb_omd/tables/fig1.csv").read_text()
    assert "incomplete: 3 of 3 trials out_of_time" in figure

    words = ("optimist", "results", "--configfile", "tiny.yaml", "--delete", "early")
    said = tiny.run(*words).stdout
    assert "out_of_time 3 of 3 trials" in said
    assert "deleted 2 results" in said  # the race is one
    (tiny.root / GLOC).write_text(sound)
    assert tiny.outputs(arguments, TARGET).isdisjoint(
        f"results/{path}" for path in finished_tiny.digests()
    )
    tiny.run(*arguments, TARGET)
    assert tiny.digests() == finished_tiny.digests()
