"""`optimist check`: classes that break one promise each, and what is said of them."""

import contextlib
import json
import os
import re
import sys
import textwrap

import psutil
import pytest
from own_class import MINE

from optimist.checks import algorithms, served
from optimist.checks.cases import BrokenError, Played, takes
from optimist.checks.command import check
from optimist.checks.report import TESTS
from optimist.cli import main
from optimist.core.errors import ConfigError

GOOD = '''
r"""Epsilon-greedy on a ridge regression of the rewards,
$$X_t = \\arg\\max_x x^\\top\\hat\\theta_t .$$

Deviations from Sutton and Barto (2018): linear features.
"""

import numpy as np

from optimist.algorithms.glb.base import GLBAlgorithm
from optimist.core.errors import proportion


class Good(GLBAlgorithm):
    reference = "Sutton and Barto (2018), Section 2.4"
    links = ("logistic",)

    def __init__(self, problem, *, rng, epsilon=0.1):
        super().__init__(problem)
        self.rng = rng
        self.epsilon = proportion("epsilon", epsilon)
        self.H = np.eye(problem.dimension)
        self.total = np.zeros(problem.dimension)
        self.rounds = 0

    def select(self, arms):
        if self.rng.random() < self.epsilon:
            return int(self.rng.integers(len(arms)))
        return int(np.argmax(arms @ np.linalg.solve(self.H, self.total)))

    def update(self, arms, index, reward):
        self.rounds += 1
        self.H += np.outer(arms[index], arms[index])
        self.total += reward * arms[index]

    def contains(self, thetas):
        return np.linalg.norm(thetas, axis=1) <= self.problem.norm_bound
'''
HEAD = "import random, sys, time\nimport numpy as np\nfrom good import *\n"
INIT = (
    "def __init__(self, problem, *, rng, epsilon=0.1):\n"
    "    super().__init__(problem, rng=rng, epsilon=epsilon)\n"
)


def cases(text):
    """Return (check, body, words) of each case: a line with check and words, then its body."""
    parts = re.split(r"\n(?=\S)", text.strip())
    heads, bodies = zip(*(part.split("\n", 1) for part in parts), strict=True)
    return [
        (*head.split(": ", 1), textwrap.dedent(body).replace("INIT\n", INIT))
        for head, body in zip(heads, bodies, strict=True)
    ]


# What is wrong: the check that names it, words that it says, and the body of a class.
BROKEN = """
chooses_an_arm: returned 2.0, of type float; allowed: an int
    def select(self, arms): return 2.0
chooses_an_arm: missing a required argument: 'scale'; allowed: self, arms, index, reward
    def update(self, arms, index, reward, scale): pass
chooses_an_arm: raised KeyError: 'gone' (mine.py, line 7), in round 3
    def update(self, arms, index, reward):
        self.rounds += 1
        if self.rounds == 3: raise KeyError('gone')
chooses_an_arm: raised SystemExit: 3 (mine.py, line 5), in round 1
    def update(self, arms, index, reward): sys.exit(3)
chooses_an_arm: in round 1, update writes to the array of arms; allowed: copies
    def update(self, arms, index, reward):
        x = arms[index]
        x /= 2.0
keeps_no_reference_to_its_arrays: in attribute played contains views of arrays that may be
    def update(self, arms, index, reward):
        self.played = [*getattr(self, 'played', []), arms[index]]
keeps_no_reference_to_its_arrays: after arrays of earlier rounds were overwritten, it chose arm
    def update(self, arms, index, reward): self.last = arms[index]
    def select(self, arms):
        if not hasattr(self, 'last'): return 0
        return int(np.argmax(arms @ (self.last if self.last[0] < 9 else -self.last)))
can_be_saved_in_mid_trial: it cannot be saved:
    INIT
        self.rule = lambda arms: 0
can_be_saved_in_mid_trial: after it was saved and loaded, it chose arm
    def __getstate__(self): return {**vars(self), 'total': np.zeros(5)}
leaves_shared_generators_alone: drew from np.random
    def select(self, arms): return int(np.random.randint(len(arms)))
leaves_shared_generators_alone: it drew from random, which
    def select(self, arms): return random.randrange(len(arms))
is_built: with rng=None the constructor raised Attr
    INIT
        self.first = rng.random()
draws_nothing_when_built: the constructor draws from rng
    INIT
        self.first = rng and rng.random()
draws_nothing_when_built: the constructor drew from np.random
    INIT
        self.first = np.random.random()
draws_nothing_when_built: attribute rng is a random generator that does not come from rng
    INIT
        self.rng = np.random.default_rng(0)
options_have_defaults: option gamma has no default value; allowed: a default value, as in gamma=1.0
    def __init__(self, problem, *, rng, gamma): super().__init__(problem, rng=rng)
options_have_defaults: gamma is not keyword-only in the constructor, so no label can set it
    def __init__(self, problem, gamma=1.0, *, rng): super().__init__(problem, rng=rng)
refuses_nonsense_options: [epsilon=nonsense] was accepted; allowed: a ConfigError
    def __init__(self, problem, *, rng, epsilon=0.1):
        super().__init__(problem, rng=rng)
        self.epsilon = epsilon
refuses_nonsense_options: [epsilon=nonsense] raised ValueError: could not convert
    def __init__(self, problem, *, rng, epsilon=0.1):
        super().__init__(problem, rng=rng)
        self.epsilon = float(epsilon)
answers_row_by_row_and_in_plain_numbers: contains returned bool of shape (); allowed
    def contains(self, thetas): return True
answers_row_by_row_and_in_plain_numbers: float64 of shape (7, 1)
    def contains(self, thetas): return np.ones((len(thetas), 1))
answers_row_by_row_and_in_plain_numbers: True, True], the results for each row alone
    def contains(self, thetas):
        lengths = np.linalg.norm(thetas, axis=1)
        return lengths <= lengths.mean()
answers_row_by_row_and_in_plain_numbers: diagnostics['H'] is array(
    def diagnostics(self): return {'H': self.H}
answers_row_by_row_and_in_plain_numbers: diagnostics returned [30]; allowed: a dict
    def diagnostics(self): return [self.rounds]
plays_the_same_twice: allowed: draws from rng alone
    def select(self, arms): return int(np.random.default_rng().integers(len(arms)))
plays_the_same_twice: the numpy Generator passed to __init__(self, problem, *, rng)
    def __init__(self, problem, *, epsilon=0.1): super().__init__(problem, rng=None)
    def select(self, arms): return time.perf_counter_ns() // 100 % len(arms)
is_built_small: the constructor runs out of memory at a horizon of 1e+07
    INIT
        self.seen = [np.zeros((problem.horizon, problem.horizon))]
is_built_small: at horizons 10 and 1e+07, a new instance takes
    INIT
        self.seen = type('Seen', (), {})()
        self.seen.rewards = np.zeros(problem.horizon)
asking_does_not_change_it: after calls of contains, diagnostics and state_bytes, it chose arm
    def contains(self, thetas):
        self.total = self.total + 1.0
        return np.ones(len(thetas), dtype=bool)
prepare_changes_no_choice: after prepare, it chose arm
    estimate = 0.0
    def prepare(self): self.estimate = np.linalg.solve(self.H, self.total)
    def select(self, arms): return int(np.argmax(arms @ (self.estimate + self.H[0])))
looks_at_the_arms_that_it_is_offered: order, it chose the same indices in 30 rounds; allowed
    def select(self, arms): return int(np.argmax(self.paid[: len(arms)]))
    def update(self, arms, index, reward): self.paid[index] += reward - 0.5
    paid = property(lambda self: self.__dict__.setdefault('sums', np.zeros(20)))
a_trial_ends_well: records regret; allowed: columns with names
    def diagnostics(self): return {'regret': 1.0}
a_trial_ends_well: after 149 of 200 rounds, its status is 'failed: Singular matrix'
    def update(self, arms, index, reward):
        self.rounds += 1
        if self.rounds == 150: raise np.linalg.LinAlgError('Singular matrix')
extreme_rewards_end_in_a_status: raised KeyError: 1000000000000.0 (mine.py, line 6), in round 1
    def update(self, arms, index, reward):
        if reward > 1e6: raise KeyError(reward)
extreme_rewards_end_in_a_status: Mine.status is 'odd'; allowed: ok or unconverged
    def update(self, arms, index, reward):
        if reward > 1e6: self.status = 'odd'
rewards_that_are_not_finite_are_recorded: in round 21, its status is 'non_finite: total', with
    def update(self, arms, index, reward):
        self.rounds += 1
        if self.rounds > 9: self.total = self.total * np.nan
names_its_problem: problem_type is 'glb' (mine.py, line 4); allowed: GLBProblem
    problem_type = 'glb'
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return an empty current folder with the good class, whose modules are forgotten later."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    (tmp_path / "good.py").write_text(textwrap.dedent(GOOD).lstrip())
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(("good", "mine")):
            del sys.modules[name]


def write_class(folder, body, base="Good"):
    text = f"{HEAD}class Mine({base}):\n{textwrap.indent(body, '    ')}\n"
    (folder / "mine.py").write_text(text)


def failures(label, *names):
    """Run tests on a class in this process; return the words of those that fail, by name."""
    (cases,) = served.cases(print, text=label)
    failed = {}
    for test in TESTS:
        name = test.__name__.removeprefix("test_")
        for case in cases if not names or name in names else ():
            if takes(test, case):
                place = f"{test.__module__}:{test.__name__}"
                result, seen, allowed, _ = served.run(print, test=place, case=case)
                if result == "failed" and not hasattr(test, "is_hint"):
                    failed[name] = f"{seen}; allowed: {allowed}"
    return failed


@pytest.mark.usefixtures("in_this_process")
def test_a_good_class_holds_everything(here):
    (found,) = check("good.py:Good")
    assert {one.result for one in found.findings} <= {"held", "passed over"}
    assert {"plays_the_same_twice", "is_built_small"} <= set(found.results)


@pytest.mark.parametrize(("check", "words", "body"), cases(BROKEN))
def test_a_broken_class_is_named_by_the_right_check(here, check, body, words):
    write_class(here, body)
    found = failures("mine.py:Mine", check)
    assert words in found[check]
    assert "\n" not in found[check]


def test_a_default_that_is_an_array_is_compared_without_an_error(here):
    (here / "mine.py").write_text(MINE.replace("gamma=0.1", "gamma=np.ones(3)"))
    assert failures("mine.py:Mine", "options_have_defaults") == {}


def test_a_singular_matrix_that_is_raised_is_a_status_and_no_failure(here):
    body = (
        "def update(self, arms, index, reward):\n"
        "    if abs(reward) > 2.0: raise np.linalg.LinAlgError('Singular matrix')\n"
        "    super().update(arms, index, reward)"
    )
    write_class(here, body)
    assert failures("mine.py:Mine") == {}


@pytest.mark.usefixtures("in_this_process")
def test_a_class_that_plays_at_random_is_blamed_for_that_alone(here):
    write_class(here, "def select(self, arms): return int(np.random.randint(len(arms)))")
    (found,) = check("mine.py:Mine")
    assert set(found.failed) == {"plays_the_same_twice", "leaves_shared_generators_alone"}
    assert found.results["asking_does_not_change_it"] == "not run"
    # A class that raises now and then is another matter.
    write_class(
        here,
        "def select(self, arms):\n    Mine.calls = getattr(Mine, 'calls', 0) + 1\n"
        "    if Mine.calls == 400: raise KeyError('now')\n    return 0",
    )
    (found,) = check("mine.py:Mine")
    assert found.results["asking_does_not_change_it"] != "not run"


@pytest.mark.usefixtures("in_this_process")
def test_what_fails_first_keeps_what_builds_on_it_from_running(here):
    write_class(here, "def select(self, arms): return 2.0")
    (found,) = check("mine.py:Mine")
    assert found.failed == ["chooses_an_arm"]
    assert found.results["plays_the_same_twice"] == "not run"
    assert found.results["is_built_small"] == "held"
    write_class(here, "problem_type = None")
    (found,) = check("mine.py:Mine")
    assert set(found.results.values()) == {"failed", "not run"}


def test_a_class_that_hangs_is_stopped(here):
    write_class(here, "def select(self, arms):\n    while True: pass")
    (report,) = check("mine.py:Mine", seconds=3.0, only=("chooses_an_arm", "is_built_small"))
    words = {one.words for one in report.findings if one.result == "failed"}
    assert words == {"it took too long; allowed: at most 3 s for a test"}
    assert report.results["is_built_small"] == "held"


ENDS = [
    (
        "def select(self, arms): os._exit(0)",
        "chooses_an_arm",
        "exit status 0, perhaps from",
    ),
    (INIT + "    os._exit(3)", "is_built", "exit status 3"),
    ("def diagnostics(self): os.kill(os.getpid(), 9)", "a_trial_ends_well", "signal SIGKILL"),
]


@pytest.mark.parametrize(("body", "name", "how"), ENDS)
def test_a_class_that_ends_its_process_fails_one_test(body, name, how, here):
    write_class(here, f"import os\n{body}".replace("os.", "Mine.os."))
    (found,) = check("mine.py:Mine", only=(name, "is_built_small", "builds_on_its_defaults"))
    assert found.failed == [name]
    (words,) = {one.words for one in found.findings if one.result == "failed"}
    assert f"its process ended with {how}" in words
    assert found.results["is_built_small"] == ("not run" if name == "is_built" else "held")


UNKIND = {
    "prints": "print('noise'); os.write(1, b'noise'); os.write(2, b'noise')",
    "has others print": "self.rounds or os.system('echo noise')",
    "reads": "sys.stdin.read(); os.read(0, 1)",
    "forks": "self.rounds or os.fork() or [][0]",
    "starts": "self.rounds or os.system('sleep 300 &')",
    "ignores SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
}


def test_a_class_may_do_anything(here, capfd, monkeypatch):
    """It prints, reads, forks, starts a program and ignores a signal, and no process is left."""
    monkeypatch.setenv("OPTIMIST_TEST_OF_CHECKS", str(here))
    lines = "\n".join(f"    {line}" for line in UNKIND.values())
    write_class(here, f"def select(self, arms):\n{lines}\n    return super().select(arms)")
    source = (here / "mine.py").read_text()
    (here / "mine.py").write_text(f"import os, signal\n{source}")
    (found,) = check("mine.py:Mine", only=("plays_the_same_twice", "chooses_an_arm"))
    assert found.results == {"chooses_an_arm": "held", "plays_the_same_twice": "held"}
    assert capfd.readouterr() == ("", "")
    marked = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            is_marked = process.environ().get("OPTIMIST_TEST_OF_CHECKS") == str(here)
            marked += [process] if is_marked and process.pid != os.getpid() else []
    assert psutil.wait_procs(marked, timeout=3)[1] == []


@pytest.mark.parametrize("error", ["ValueError('odd')", "SystemExit(3)", "KeyboardInterrupt"])
@pytest.mark.usefixtures("in_this_process")
def test_a_constructor_that_raises_anything_is_one_line(here, error):
    write_class(here, INIT + f"    raise {error}")
    (found,) = check("mine.py:Mine")
    assert found.failed == ["is_built"]
    (line,) = [one for one in found.to_text().splitlines() if one.startswith("failed: ")]
    assert f"mine.py:Mine, is_built, seed 0: raised {error.partition('(')[0]}" in line


def test_a_class_that_ends_the_process_before_all_tests_is_told_of(here, capsys):
    write_class(here, "__import__('os')._exit(0)")
    assert main.main(["check", "mine.py:Mine"]) == 1
    out, error = capsys.readouterr()
    assert out == "" and error.count("\n") == 1 and "exit status" in error
    assert "mine.py:Mine ended the process that checked it, while it was being loaded" in error


def test_a_class_that_is_made_for_other_problems_meets_those(here):
    for body, places in (
        ("links = ('gaussian',)", {"glb_omd/logistic_s3[link=gaussian]", "toy gaussian"}),
        (
            "from optimist.environments.problems.kernel import KernelProblem as problem_type\n"
            "kernels = ('matern52',)",
            {"bkb/matern52_d1", "toy matern52_kernel"},
        ),
    ):
        write_class(here, body)
        (cases,) = served.cases(print, text="mine.py:Mine")
        assert {case.where for case in cases if hasattr(case, "where")} == {"", *places}


@pytest.mark.usefixtures("in_this_process")
def test_a_problem_that_is_refused_is_told_and_no_failure(here):
    body = (
        "links = ('logistic', 'poisson')\n"
        + INIT
        + "    if problem.link.name == 'poisson':\n"
        + "        from optimist.core.errors import ConfigError\n"
        + "        raise ConfigError('link is poisson; allowed: logistic')"
    )
    write_class(here, body)
    (found,) = check("mine.py:Mine")
    assert found.failed == []
    assert "refused: toy poisson: link is poisson; allowed: logistic" in found.to_text()


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("tubro", "unknown algorithm or environment 'tubro' (did you mean 'turbo'?)"),
        ("covertype", "environment 'covertype' needs a data set"),
    ],
)
def test_a_wrong_label_is_refused_in_one_line(here, capsys, label, words):
    write_class(here, "pass")
    assert main.main(["check", label]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and words in err


# The command.


def test_the_command_says_what_failed_what_is_a_hint_and_what_held(here, capsys):
    body = "reference = 'me'\ndef select(self, arms):\n    print('here')\n    return 1 / 0"
    write_class(here, body)
    assert main.main(["check", "mine.py:Mine"]) == 1
    out = capsys.readouterr().out
    assert (
        "failed: mine.py:Mine, chooses_an_arm, in glb_omd/logistic_s3, seed 0: raised "
        "ZeroDivisionError: division by zero (mine.py, line 8), in round 1\n" in out
    )
    hint = "hint: mine.py:Mine, cites_its_source, seed 0: reference is 'me'; allowed: author, year"
    assert hint in out
    assert "names_its_problem" not in out
    assert "here" not in out.split() and "Traceback" not in out
    ended = r"1 failed, 3 hint, \d+ held, \d+ not run because others failed \(--json lists them\)"
    assert re.fullmatch(ended, out.splitlines()[-1])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("time.time()", "a clock"),
        ("from time import perf_counter_ns as now; now()", "a clock"),
        ("import datetime; datetime.datetime.now()", "a clock"),
        ("import subprocess; subprocess.run(['true'])", "another process"),
        ("import os; os.system('true')", "another process"),
        ("import socket; socket.socket().connect_ex(('127.0.0.1', 9))", "a network"),
        ("import os; dict(os.environ)", "all environment variables"),
        ("time.sleep(0); import os; os.getenv('X'); open(__file__).close()", ""),
    ],
)
def test_inputs_that_cannot_be_recorded_are_a_hint(here, line, words):
    write_class(here, f"def select(self, arms):\n    {line}\n    return 0")
    play = next(c for c in served.cases(str, text="mine.py:Mine")[0] if isinstance(c, Played))
    with (
        pytest.raises(BrokenError, match=f"it uses {words};") if words else contextlib.nullcontext()
    ):
        algorithms.test_uses_inputs_that_are_recorded(play)


@pytest.mark.usefixtures("in_this_process")
def test_an_index_of_numpy_is_one_and_an_unpublished_method_has_no_source(here):
    body = "reference = 'unpublished'\ndef select(self, arms): return np.argmax(arms[:, 0])"
    write_class(here, body)
    (found,) = check("mine.py:Mine")
    assert found.failed == [] and found.results["tells_its_deviations"] == "held"


def test_the_command_prints_json_and_tracebacks(here, capsys):
    write_class(here, "def select(self, arms): return 2.0")
    assert main.main(["check", "mine.py:Mine", "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert found["label"] == "mine.py:Mine" and found["failed"] == ["chooses_an_arm"]
    first = next(one for one in found["findings"] if one["result"] == "failed")
    assert first["where"] == "glb_omd/logistic_s3" and first["allowed"].startswith("an int from 0")
    assert main.main(["check", "good.py:Good", "--json"]) == 0
    write_class(here, "def select(self, arms): return 1 / 0")
    assert main.main(["--debug", "check", "mine.py:Mine"]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().out


@pytest.mark.usefixtures("in_this_process")
def test_a_name_on_both_domains_is_checked_on_both():
    arms, box = check("uniform", only=("chooses_an_arm", "asks_for_points_of_its_box"))
    assert (arms.what, box.what) == ("algorithm on arms", "algorithm on a box")
    assert [*arms.results] == ["chooses_an_arm"]
    assert [*box.results] == ["asks_for_points_of_its_box"]


# Boxes.

BOX_CLASS = """
import numpy as np
from optimist.algorithms.black_box.base import BoxAlgorithm

class Good(BoxAlgorithm):
    reference = "Sutton and Barto (2018), Section 2.4"

    def __init__(self, problem, *, rng):
        super().__init__(problem, rng)

    def suggest(self):
        return self.uniform(1)[0]
"""


BROKEN_ON_A_BOX = """
asks_for_points_of_its_box: [6.
    def suggest(self): return self.problem.high + 1.0
asks_for_points_of_its_box: propose returned [0.0]
    def suggest(self): return [0.0]
asks_for_points_of_its_box: with initial points, it chose [
    def propose(self): return self.uniform(1)[0]
plays_the_same_twice: when played again, it chose [
    def suggest(self): return self.uniform(1, np.random.default_rng())[0]
keeps_no_reference_to_its_arrays: after arrays of earlier rounds were overwritten, it chose [
    def learn(self, x, y): self.last = x
    def suggest(self): return np.clip(getattr(self, 'last', self.incumbent) / 2, -1, 3)
extreme_rewards_end_in_a_status: raised KeyError
    def learn(self, x, y):
        if y > 1e6: raise KeyError(y)
leaves_shared_generators_alone: np.random
    def begin(self): np.random.random()
can_be_saved_in_mid_trial: cannot be saved:
    def begin(self): self.f = lambda: 0
can_be_saved_in_mid_trial: after it was saved and loaded, it chose [
    def __getstate__(self): return vars(self) | {'rng': np.random.default_rng(0)}
"""


@pytest.mark.parametrize(("check", "words", "body"), cases(BROKEN_ON_A_BOX))
def test_a_broken_class_on_a_box_is_named_by_the_right_check(here, check, body, words):
    (here / "good.py").write_text(BOX_CLASS)
    write_class(here, body)
    assert words in failures("mine.py:Mine", check)[check]


# Environments.

WORLD = """
import numpy as np
from optimist.environments.glm import GLMEnvironment
from optimist.environments.kernel import KernelEnvironment
from optimist.environments.test_functions import TestFunctionEnvironment

class Good(GLMEnvironment):
    def __init__(self, *, horizon, trial, stream, norm=3.0, redrawn=False):
        super().__init__(
            horizon=horizon, trial=trial, stream=stream, link="logistic", norm=norm, redrawn=redrawn
        )

class Bowl(TestFunctionEnvironment):
    def __init__(self, *, horizon, trial, stream, dimension=2):
        super().__init__(
            horizon=horizon, trial=trial, stream=stream, function="rastrigin", dimension=dimension
        )

class Hills(KernelEnvironment):
    def __init__(self, *, horizon, trial, stream, arms=40):
        super().__init__(
            horizon=horizon, trial=trial, stream=stream,
            kernel="gaussian", lengthscale=0.3, arms=arms,
        )
"""


def test_a_good_environment_holds_everything(here):
    (here / "good.py").write_text(WORLD)
    assert failures("good.py:Good") == failures("good.py:Good[redrawn=true,horizon=9]") == {}
    assert failures("good.py:Bowl[dimension=3]") == failures("good.py:Hills") == {}
    with pytest.raises(ConfigError, match=r"unknown option 'nrm' \(did you mean 'norm'\?\)"):
        served.cases(print, text="good.py:Good[nrm=3]")


# The same, with the class that it is wrong in.
BROKEN_WORLDS = """
Good, rewards_are_plain_floats: of type float64; allowed: a finite float
    def reward(self, t, index): return self._rewards[t, index]
Good, rewards_are_plain_floats: reward(3, 0) returned nan, of type float; allowed: a finite float
    def reward(self, t, index): return float('nan') if t == 3 else 0.5
Good, arms_are_sound_and_means_fit_them: allowed: at most 1
    def arms(self, t): return 3.0 * self._arms[0]
Good, arms_are_sound_and_means_fit_them: no attribute 'armz' (mine.py, line 5), in round 1
    def arms(self, t): return self.armz[t]
Good, a_caller_cannot_change_it: writing to the array that means(0) returned changes means(0)
    def means(self, t):
        self._means.flags.writeable = True
        return self._means[0]
Good, a_reward_does_not_depend_on_what_else_is_asked: if rounds and choices come in reverse order
    def reward(self, t, index):
        self.n = getattr(self, 'n', 0) + 1
        return float(self.n)
Good, can_be_saved_in_mid_trial: it cannot be saved:
    def arms(self, t):
        self.f = lambda: 0
        return super().arms(t)
Good, can_be_saved_in_mid_trial: rewards differ after the environment is saved and loaded
    def __getstate__(self): return vars(self) | {'_rewards': 1.0 - self._rewards}
Bowl, can_be_saved_in_mid_trial: rewards differ after the environment is saved and loaded
    def __getstate__(self): return vars(self) | {'_noise': 2.0 * self._noise}
Good, rewards_average_to_the_means: rewards minus means average
    def reward(self, t, index): return 1.0 - float(self._rewards[t, index])
Hills, rewards_average_to_the_means: rewards minus means average
    def reward(self, t, index): return 0.1 + super().reward(t, index)
Hills, rewards_average_to_the_means: times the problem's deviation, 0.1; allowed: at most this
    def reward(self, t, index):
        m = self.means(t)[index]
        return float(m + 2 * (super().reward(t, index) - m))
Bowl, rewards_average_to_the_means: rewards minus means average
    def reward(self, t, x): return 30.0 + super().reward(t, x)
Bowl, rewards_average_to_the_means: rewards minus means, negated for small means, average
    def reward(self, t, x):
        if not hasattr(self, 'level'):
            points = np.random.default_rng(0).random((12, 2))
            points = self.low + points * (self.high - self.low)
            self.level = np.mean([self.value(p) for p in points])
        return float(self.level + super().reward(t, x) - self.value(x))
Good, different_trials_draw_different_numbers: trials 0 and 1 have the same rewards
    def reward(self, t, index): return float(t % 2)
Good, the_same_trial_is_the_same_environment: rewards differ after the environment is constructed
    def reward(self, t, index): return np.random.default_rng().random()
Good, the_algorithm_is_told_the_truth: fixed_arms is False; allowed: True, as in the environment
    def problem(self):
        from dataclasses import replace
        return replace(super().problem(), fixed_arms=False)
Bowl, no_value_is_above_the_maximum_or_the_bound: allowed: at most maximum,
    def value(self, x): return 1.0 + float(x @ x)
Bowl, the_same_trial_is_the_same_environment: rewards differ after the environment is constructed
    def reward(self, t, x): return np.random.default_rng().random()
"""


@pytest.mark.parametrize(("place", "words", "body"), cases(BROKEN_WORLDS))
def test_a_broken_environment_is_named_by_the_right_check(here, place, body, words):
    base, check = place.split(", ")
    (here / "good.py").write_text(WORLD)
    write_class(here, body, base)
    assert words in failures("mine.py:Mine", check)[check]


# The library.


@pytest.mark.parametrize("test", TESTS)
def test_a_test_states_its_rule(test):
    assert test.__doc__.strip().endswith(".")
