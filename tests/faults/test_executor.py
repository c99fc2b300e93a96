"""Code that does anything: it costs its own call, and leaves no process and no folder."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import psutil
import pytest
from own_class import MINE
from toy_environments import ROOT

from optimist.core import blas_kernels
from optimist.core.errors import DataError, LateError
from optimist.core.executor import Call, call, calls, relayed
from optimist.core.user_errors import in_one_line, status_in_words

MARK = "OPTIMIST_TEST_OF_EXECUTOR"  # a variable that only processes of one test have
# Statements, and the error that they cost.
BAD = {
    "raises": ("raise ValueError('of mine')", "ValueError: of mine (bad.py, line "),
    "exits": ("sys.exit(3)", "SystemExit: 3 (bad.py, line "),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt (bad.py, line "),
    "raises_its_own": ("raise Own('one', 2)", "Own: one 2 (bad.py, line "),
    "raises_in_silence": ("raise Odd", "Odd (bad.py, line "),
    "recurs": ("recur()", "RecursionError: maximum recursion depth exceeded"),
    "imports": ("import torchh", "ModuleNotFoundError: No module named 'torchh' (bad.py, line "),
    "ends": ("os._exit(0)", "ended with exit status 0, perhaps from os._exit in a class"),
    "is_killed": ("os.kill(os.getpid(), 9)", "ended with signal SIGKILL"),
    "crashes": ("os.kill(os.getpid(), 11)", "ended with signal SIGSEGV"),
    "cannot_be_sent": ("return lambda: 0", "pickle"),
    "closes_its_pipe": ("os.closerange(3, 256)", "ended with signal SIGKILL"),
    "forks_and_ends": ("os.fork() and os._exit(5); time.sleep(300)", "ended with exit status 5"),
}
GOOD = {
    "prints": "print('noise'); os.write(1, b'noise'); os.system('echo noise')",
    "reads": "assert os.path.samestat(os.fstat(0), os.stat(os.devnull)) and not sys.stdin.read()",
    "closes_its_output": "sys.stdout.close(); os.closerange(1, 2)",
    "ignores_sigterm": "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "starts_a_thread": "threading.Thread(target=time.sleep, args=(300,)).start()",
    "starts_a_program": "subprocess.Popen(['sleep', '300'])",
    "forks": "os.fork() or time.sleep(300)",
    "forks_and_goes_on": "os.fork()",
}
STATEMENTS = {name: code for name, (code, _) in BAD.items()} | GOOD
HEAD = """import os, signal, subprocess, sys, threading, time


class Own(BaseException):
    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


class Odd(Exception):
    def __str__(self):
        return 1 / 0


def recur():
    return recur()
"""
FUNCTIONS = """
def number(tell):
    return os.getpid()

def counts(tell, *, last):
    for i in range(last):
        tell(i)
    return "end"

def looks(tell):
    names = [name for name in sys.modules if name.partition(".")[0] == "numpy"]
    return dict(os.environ), names, sys.path[0]

def floods(tell):
    os.write(2, bytes(500_000))
    return "end"

def hangs(tell):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen(["sleep", "300"])
    os.fork() or time.sleep(300)
    tell("begun")
    time.sleep(300)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return an empty current folder with a module of functions; no process may outlive a test."""
    monkeypatch.chdir(tmp_path)
    paths = [str(tmp_path), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setenv(MARK, str(tmp_path))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    made = [
        f"\ndef {name}(tell):\n    {statement}\n    return 'end'\n"
        for name, statement in STATEMENTS.items()
    ]
    (tmp_path / "bad.py").write_text(HEAD + "".join(made) + FUNCTIONS)
    yield tmp_path
    assert not left(tmp_path)
    assert not [*(tmp_path / "tmp").iterdir()]


def left(folder, seconds=60.0):
    """Return the processes that a test has started and that are left after some seconds."""
    deadline = time.monotonic() + seconds
    while (found := marked(folder)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def marked(folder):
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != os.getpid() and process.environ().get(MARK) == str(folder):
                found += [process] if process.status() != psutil.STATUS_ZOMBIE else []
    return found


@pytest.mark.parametrize("name", [*BAD, *GOOD])
def test_code_that_does_anything_costs_its_own_call(here, name):
    waiting = {one: Call(f"bad:{one}", room=one) for one in (name, "number")}
    ended = {one: (word, value) for one, word, value in calls(waiting, 2)}
    assert ended["number"][0] == "done"
    word, value = ended[name]
    if name in BAD:
        assert word == "error" and BAD[name][1] in in_one_line(value)
    else:
        assert (word, value) == ("done", "end")


def test_a_signal_without_a_name_is_given_by_its_number():
    unnamed = min({*range(1, 65)} - {*signal.Signals})
    assert status_in_words(-unnamed).startswith(f"signal {unnamed}, ")


def test_one_call_has_messages_a_result_or_an_error(here):
    seen = []
    assert call("bad:counts", seen.append, last=3) == "end"
    assert seen == [0, 1, 2]
    with pytest.raises(DataError, match=r"^ValueError: "):  # in its own type
        call("optimist.data.download:fetched", uci_id="none", columns=[])


def test_a_process_serves_one_room(here):
    rooms = {"a1": "a", "a2": "a", "b1": "b", "a3": "a"}
    waiting = {key: Call("bad:number", room=room) for key, room in rooms.items()}
    found = {key: number for key, _, number in calls(waiting)}
    assert list(found) == list(rooms)
    assert found["a1"] == found["a2"] and len({*found.values()}) == 3
    waiting = {key: Call("bad:number", room=room) for key, room in rooms.items()}
    # The last call may meet the process of another room first, and have one of its own.
    found = {key: number for key, _, number in calls(waiting, 3)}
    assert found["b1"] not in {found[key] for key in ("a1", "a2", "a3")}


def test_a_call_whose_time_is_over_costs_its_process_and_no_other(here):
    (here / "slow.py").write_text(
        "import time\n\ndef forever(tell):\n    while True:\n        try:\n"
        "            time.sleep(1)\n        except BaseException:\n            pass\n"
    )
    with pytest.raises(LateError):
        call("bad:hangs", seconds=1.0)
    waiting = {"slow": Call("slow:forever", seconds=1.0), "next": Call("bad:number")}
    found = {key: (word, value) for key, word, value in calls(waiting)}
    assert found["slow"][0] == "error" and "its time limit expired" in str(found["slow"][1])
    assert found["next"][0] == "done"


@contextmanager
def standard_error(descriptor):
    """Let a descriptor be the standard error of this process in the block."""
    before = os.dup(2)
    os.dup2(descriptor, 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


@pytest.mark.parametrize("kind", ["closed", "full"])
def test_a_standard_error_that_takes_nothing_holds_up_no_call(here, kind):
    reading, writing = os.pipe()
    os.close(reading)
    if kind == "full":
        os.close(writing)
        writing = os.open("/dev/full", os.O_WRONLY)
    with standard_error(writing):
        assert call("bad:floods", seconds=20.0) == "end"
    os.close(writing)


def test_a_slow_standard_error_gets_all_output(here):
    reading, writing = os.pipe()
    os.set_blocking(writing, False)  # partial writes, and none at all while the pipe is full
    parts = []

    def read():
        while part := os.read(reading, 2**14):
            parts.append(part)
            time.sleep(0.05)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    with standard_error(writing):
        call("bad:floods", seconds=20.0)
    os.close(writing)
    reader.join()
    os.close(reading)
    assert sum(map(len, parts)) == 500_000


def test_the_pipe_of_workers_is_closed(here):
    before = psutil.Process().num_fds()
    call("bad:number")
    assert psutil.Process().num_fds() == before


@pytest.mark.parametrize("command", ["sleep", "yes"])
def test_a_child_that_holds_the_pipe_of_workers_holds_up_no_call(command):
    with open(os.devnull, "wb") as sink, standard_error(sink.fileno()):
        with relayed() as output:
            child = subprocess.Popen([command, "300"], stdout=output)
            begun = time.monotonic()
        assert time.monotonic() - begun < 60.0
        child.kill()
        child.wait()


def test_calls_can_be_called_off_and_nothing_starts_without_a_call(here, monkeypatch):
    waiting = {i: Call("bad:number") for i in range(9)}
    for key, _, _ in calls(waiting):
        assert key == 0
        waiting.clear()
    monkeypatch.setattr(subprocess, "Popen", None)
    assert [*calls({}, 4)] == []


def test_a_process_has_the_shared_kernels_before_it_imports_numpy(here, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    environment, names, first = call("bad:looks")
    assert environment.items() >= blas_kernels.variables().items()
    assert environment["PYTHONHASHSEED"] == "0"
    assert not names and first == str(here)  # of PYTHONPATH, not the current folder


# The commands.

# Statements that classes of a comparison make in each round, and in constructors.
PLAYED = ("raises", "exits", "interrupts", "raises_in_silence", "ends", "crashes", "forks_and_ends")
FIRST = ("Raises", "Exits", "RaisesInSilence", "Ends")
# Files that end the process that loads them.
LOADED = {"ends": "import os; os._exit(0)", "interrupts": "raise KeyboardInterrupt"}


def write_classes(folder, bodies):
    """Write a file with a class for each statement, in its constructor or in each round."""
    start = MINE.index("class Mine")
    parts = [MINE[:start], HEAD]
    for name, (statement, is_first) in bodies.items():
        body = MINE[start:].replace("class Mine", f"class {name}")
        place = "super().__init__(problem)" if is_first else "pass"
        parts.append(body.replace(place, f"{place}; {statement}" if is_first else statement))
    (folder / "classes.py").write_text("\n\n".join(parts))


def test_a_class_that_does_anything_costs_its_own_row(here):
    classes = {name: name.title().replace("_", "") for name in (*PLAYED, *GOOD)}
    bodies = {name: (STATEMENTS[key], False) for key, name in classes.items()}
    write_classes(here, bodies | {f"{name}First": (bodies[name][0], True) for name in FIRST})
    labels = [f"classes.py:{name}" for name in (*bodies, *(f"{name}First" for name in FIRST))]
    for key, statement in LOADED.items():
        (here / f"{key}.py").write_text(statement)
        labels.append(f"{key}.py:Mine")
    command = [sys.executable, "-m", "optimist", "compare", "glb_omd/logistic_s3", "--json"]
    command += ["--trials", "1", "--rounds", "4", "--fresh", "--cores", "2", "-a", "uniform"]
    pipes = {"input": "read by a class", "capture_output": True, "text": True}
    alone, beside = (subprocess.run([*command, *more], **pipes) for more in ([], labels))
    (expected,) = json.loads(alone.stdout)
    rows = {row["algorithm"]: row["mean"] for row in json.loads(beside.stdout)}
    assert rows.pop("uniform") == expected["mean"]
    assert {*rows} == {f"classes.py:{classes[key]}" for key in GOOD}
    said = {line.split(",")[0]: line for line in beside.stderr.splitlines() if "error: " in line}
    for key, first in [*((key, "") for key in PLAYED), *((key, "First") for key in PLAYED)]:
        name = classes[key] + first
        if not first or classes[key] in FIRST:
            line = said.pop(f"error: glb_omd/logistic_s3/classes.py:{name}")
            assert BAD[key][1].replace("bad.py", "classes.py") in line
    for key in LOADED:
        line = said.pop(f"error: glb_omd/logistic_s3/{key}.py:Mine")
        assert BAD[key][1].replace("bad.py", f"{key}.py") in line
    assert not said and "Traceback" not in beside.stderr and beside.returncode == 1


def test_an_environment_that_ends_its_process_is_one_line(here):
    (here / "ends.py").write_text(LOADED["ends"])
    command = [sys.executable, "-m", "optimist", "compare", "ends.py:World", "-a", "uniform"]
    done = subprocess.run(command, capture_output=True, text=True)
    how = "its process ended with exit status 0, perhaps from os._exit in a class"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: ends.py:World: {how}\n"


DETACH = "subprocess.Popen(['sleep', '300'], start_new_session=True)"
WORLD = f"""
import subprocess
from optimist.environments.glm import GLMEnvironment
{DETACH}


class World(GLMEnvironment):
    def __init__(self, *, horizon, trial, stream):
        names = dict(arms=5, dimension=2, link="logistic", norm=1.0)
        super().__init__(horizon=horizon, trial=trial, stream=stream, **names)
"""


@pytest.mark.parametrize("setting", ["glb_omd/logistic_s3", "world.py:World[horizon=9]"])
def test_a_child_that_outlives_a_command_keeps_none_of_its_pipes_open(here, setting):
    write_classes(here, {"Detaches": (f"print('heard'); {DETACH}", False)})
    (here / "world.py").write_text(WORLD)
    command = [sys.executable, "-m", "optimist", "compare", setting, "-a", "classes.py:Detaches"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    try:  # a pipe ends when no process has it open
        command += ["--trials", "1", "--rounds", "2", "--fresh"]
        done = subprocess.run(command, timeout=120, **pipes)
        assert done.returncode == 0 and "heard" in done.stdout
        assert marked(here)
    finally:
        for child in marked(here):
            child.kill()


HANG = (
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); subprocess.Popen(['sleep', '300']); os.fork(); "
    "open('begun', 'w').close(); time.sleep(300)"
)
COMMANDS = {
    "run": ["run", "glb_omd/logistic_s3/classes.py:Hangs"],
    "check": ["check", "classes.py:Hangs"],
    "compare": ["compare", "glb_omd/logistic_s3", "-a", "classes.py:Hangs", "uniform", "--fresh"],
}


def heed():
    """Heed signals that the tests themselves ignore, in the background or under nohup."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def begun(folder, command, **options):
    """Return the process of a command whose class hangs, once it does."""
    write_classes(folder, {"Hangs": (HANG, False)})
    whole = [sys.executable, "-m", "optimist", *COMMANDS[command]]
    options = {"preexec_fn": heed, "stdin": subprocess.DEVNULL, **options}
    process = subprocess.Popen(whole, start_new_session=True, **options)
    deadline = time.monotonic() + 60.0
    while not (folder / "begun").exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    return process


@pytest.mark.parametrize(
    ("command", "reached", "number", "status"),
    [
        *[(name, "all", signal.SIGINT, 130) for name in COMMANDS],
        *[(name, "first", signal.SIGTERM, 143) for name in COMMANDS],
        ("run", "first", signal.SIGINT, 130),
        ("run", "first", signal.SIGHUP, 129),
        ("compare", "all", signal.SIGTERM, 143),
        ("compare", "first", signal.SIGKILL, -9),
        ("check", "first", signal.SIGKILL, -9),
    ],
)
def test_nothing_outlives_a_command_that_is_ended(here, command, reached, number, status):
    """The signal of a terminal reaches all processes of a command, that of `kill` the first."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = begun(here, command, **pipes)
    (os.killpg if reached == "all" else os.kill)(process.pid, number)
    out, error = process.communicate(timeout=120)
    assert process.returncode == status and not out
    kept = "; trials that had ended are kept" if command == "compare" else ""
    assert error == (f"\ninterrupted{kept}\n" if number == signal.SIGINT else "")


def test_a_command_that_a_hangup_should_not_end_goes_on(here):
    """As under nohup."""

    def ignore():
        heed()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    process = begun(here, "run", preexec_fn=ignore)
    os.killpg(process.pid, signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=1.0)
    process.terminate()
    assert process.wait(timeout=120) == 143
