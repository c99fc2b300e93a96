"""What every algorithm owes, checked over the registry: a new entry is tested by being there."""

import ast
import inspect
import json
import re
from pathlib import Path

import numpy as np
import pytest
from toy_environments import (
    CONTEXT,
    STAND_IN,
    ScriptedEnvironment,
    choices,
    configured,
    kinds_of,
    learn,
    make_problem,
    random_arms,
    truth_length,
)

from optimist.algorithms import REGISTRY, algorithm_class, make_algorithm, option_names
from optimist.errors import ConfigError
from optimist.label import Label, name_of
from optimist.numerics.links import Gaussian
from optimist.runs.cell import Cell, build
from optimist.runs.loop import COMPLETE, play
from optimist.runs.trials import Trials, run

CONSTANT_MEMORY = ("glb_omd", "gloc", "ecolog", "hvt_ucb", "oful", "crtm")
STATUS = re.compile(r"ok|unconverged|non_finite|timeout|failed: .+")
HORIZON = 200


def _cases():
    """Map readable ids to one cell for each label and kind of environment the papers run it in."""
    cases = {}
    for paper, setting, label in [*configured("runs"), *configured("timings")]:
        spec = paper["settings"][setting]
        kind = spec.get("parameters", {}).get("link", spec["environment"])
        cell = Cell(paper["paper"], setting, label, spec | {"horizon": HORIZON})
        cases.setdefault(f"{label}-{kind}", cell)
    return cases


CASES = _cases()
KINDS = {kind for name in REGISTRY for kind in kinds_of(algorithm_class(name))}
NAMES_AND_KINDS = [(name, kind) for name in REGISTRY for kind in kinds_of(algorithm_class(name))]
each_name = pytest.mark.parametrize("name", REGISTRY)
each_case = pytest.mark.parametrize("cell", CASES.values(), ids=CASES)


def rounds_for(cell, rounds):
    """Ask for few rounds where they are slow: generic solvers, and arms that do not span."""
    if "slsqp" in cell.algorithm:
        return 8
    return min(rounds, 30) if "dataset" in cell.spec else rounds


def build_cell(cell):
    environment, problem = build(cell, 0, STAND_IN)
    return environment, make_algorithm(cell.algorithm, problem, cell.stream(0, "algorithm"))


def any_problem(name, **changes):
    """Return a problem that the algorithm called ``name`` accepts."""
    return make_problem(kinds_of(algorithm_class(name))[0], **changes)


# The file.


@each_name
def test_it_is_run_by_a_paper(name):
    assert name in {name_of(cell.algorithm) for cell in CASES.values()}


@each_name
def test_it_cites_its_source(name):
    place = r"[A-Z]\w+ .*\(\d{4}\).*(Algorithm|[Ee]quation|eq\.|Theorem|Section)"
    assert re.search(place, algorithm_class(name).reference)


@each_name
def test_its_file_opens_with_the_formula_and_its_deviations(name):
    path = inspect.getsourcefile(algorithm_class(name))
    with open(path, encoding="utf-8") as file:
        source = file.read()
    doc = ast.get_docstring(ast.parse(source))
    assert re.search(r"\$\$.+?\$\$", doc, re.DOTALL), "no displayed formula"
    assert "Deviations" in doc
    assert re.search(r"\(\d{4}\)", doc)


@each_name
def test_no_file_of_its_family_is_long(name):
    folder = Path(inspect.getsourcefile(algorithm_class(name))).parent
    lengths = {path.name: len(path.read_text().splitlines()) for path in folder.glob("*.py")}
    assert {file: length for file, length in lengths.items() if length > 200} == {}


@each_name
def test_its_options_have_defaults(name):
    defaults = option_names(algorithm_class(name))
    assert inspect.Parameter.empty not in defaults.values()
    built = make_algorithm(name, any_problem(name))
    spelled = ",".join(f"{key}={str(value).lower()}" for key, value in defaults.items())
    assert (
        vars(make_algorithm(f"{name}[{spelled}]", any_problem(name))).keys() == vars(built).keys()
    )


@each_name
def test_it_refuses_nonsense_options(name):
    for key, default in option_names(algorithm_class(name)).items():
        with pytest.raises(ConfigError) as error:
            make_algorithm(f"{name}[{key}=nonsense]", any_problem(name))
        named = str(default) if isinstance(default, bool | str) else ""
        for word in (key, "'nonsense'", "allowed", named):
            assert word in str(error.value)
        if isinstance(default, str) and len(default) > 3:
            with pytest.raises(ConfigError, match=f"did you mean '{default}'"):
                make_algorithm(f"{name}[{key}={default[:-1]}]", any_problem(name))


@each_name
def test_it_refuses_unknown_options_and_other_problems(name):
    with pytest.raises(ConfigError, match=r"unknown option 'no_such_thing'.*allowed"):
        make_algorithm(f"{name}[no_such_thing=1]", any_problem(name))
    for kind in KINDS - set(kinds_of(algorithm_class(name))):
        with pytest.raises(ConfigError, match=rf"{name}.* is not defined for .*allowed"):
            make_algorithm(name, make_problem(kind))


@each_name
def test_it_is_built_small_and_without_randomness(name):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    rng = np.random.default_rng(0)
    short, long = (make_algorithm(name, any_problem(name, horizon=h), rng) for h in (10, 10**7))
    assert short.state_bytes() == long.state_bytes()
    assert rng.integers(2**62) == np.random.default_rng(0).integers(2**62)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


# Behaviour, in the environments of the papers.


@each_case
def test_it_plays_the_same_twice_and_touches_nothing_else(cell):
    rounds = rounds_for(cell, 60)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    played = []
    for _ in range(2):
        environment, algorithm = build_cell(cell)
        played.append(choices(algorithm, environment, rounds))
        assert all(0 <= k < len(environment.arms(t)) for t, k in enumerate(played[-1]))
        assert all(isinstance(k, int) for k in played[-1])
    assert played[0] == played[1]
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@each_case
def test_it_never_changes_its_arms(cell):
    environment, algorithm = build_cell(cell)
    for t in range(rounds_for(cell, 40)):
        arms = environment.arms(t).copy()
        arms.flags.writeable = False
        index = algorithm.select(arms)
        learn(algorithm, environment, t, arms, index)
        np.testing.assert_array_equal(arms, environment.arms(t))


@each_case
def test_it_keeps_no_reference_to_its_arms(cell):
    # An environment may reuse its buffer; what was learned must not change with it.
    environment, algorithm = build_cell(cell)
    twin = build_cell(cell)[1]
    buffer = np.empty_like(environment.arms(0))
    for t in range(rounds_for(cell, 25)):
        buffer[:] = environment.arms(t)
        index = algorithm.select(buffer)
        assert twin.select(environment.arms(t)) == index
        learn(algorithm, environment, t, buffer, index)
        learn(twin, environment, t, environment.arms(t), index)
        buffer[:] = 9.9


@each_case
def test_asking_does_not_change_it(cell):
    # Coverage is checked in the regret lane only: both lanes must play the same.
    environment, algorithm = build_cell(cell)
    twin = build_cell(cell)[1]
    thetas = np.zeros((3, truth_length(algorithm.problem, environment.arms(0))))
    for t in range(rounds_for(cell, 25)):
        algorithm.contains(thetas)
        algorithm.diagnostics(), algorithm.state_bytes()
        index = twin.select(environment.arms(t))
        assert algorithm.select(environment.arms(t)) == index
        for each in (algorithm, twin):
            learn(each, environment, t, environment.arms(t), index)


@each_case
def test_it_runs_two_hundred_rounds_with_time_and_finite_state(cell):
    rounds = rounds_for(cell, HORIZON)
    trajectory = run(Trials("regret", cell, 0, 1, rounds=rounds), STAND_IN)[0]
    assert trajectory.status == "ok"
    assert trajectory.columns["round"][-1] == rounds
    seconds = trajectory.columns["seconds"]
    assert seconds[0] > 0.0
    assert (np.diff(seconds) > 0.0).all()
    assert np.isfinite(trajectory.columns["regret"]).all()
    assert (np.diff(trajectory.columns["regret"]) >= 0.0).all()


@each_case
def test_its_memory_grows_only_with_a_raw_history(cell):
    label = Label.parse(cell.algorithm)
    name, options = label.name, dict(label.options)
    bytes_at = run(Trials("timing", cell, 0, 1, rounds=rounds_for(cell, 90)), STAND_IN)[0].columns[
        "state_bytes"
    ]
    grows = np.diff(bytes_at) > 0
    if name in CONSTANT_MEMORY:
        assert not grows.any()
    elif options.get("history", "raw") == "raw" and "history" in option_names(
        algorithm_class(name)
    ):
        assert grows.all()


@each_case
def test_membership_is_asked_row_by_row(cell):
    environment, algorithm = build_cell(cell)
    choices(algorithm, environment, rounds_for(cell, 30))
    length = truth_length(algorithm.problem, environment.arms(0))
    thetas = np.random.default_rng(0).standard_normal((7, length))
    thetas *= np.geomspace(1e-3, 1e3, 7)[:, None]
    inside = np.asarray(algorithm.contains(thetas))
    assert inside.shape == (7,)
    assert inside.dtype == bool
    assert inside.tolist() == [bool(algorithm.contains(theta[None])[0]) for theta in thetas]


@each_case
def test_diagnostics_and_bytes_are_plain_numbers(cell):
    environment, algorithm = build_cell(cell)
    choices(algorithm, environment, rounds_for(cell, 30))
    numbers = algorithm.diagnostics()
    json.dumps(numbers)
    assert np.isfinite([float(v) for v in numbers.values()]).all()
    assert isinstance(algorithm.state_bytes(), int)
    assert algorithm.state_bytes() >= 0


@pytest.mark.parametrize(("name", "kind"), NAMES_AND_KINDS)
def test_saying_that_arms_are_fixed_does_not_change_the_choices(name, kind):
    # What an algorithm does with that knowledge may only make it faster.
    rng = np.random.default_rng(6)
    arms = random_arms(rng, 10, 3)
    problems = [make_problem(kind, dimension=3, fixed_arms=fixed) for fixed in (True, False)]
    predictors = arms @ np.array([1.5, 1.5, 0.0])
    link = getattr(problems[0], "link", Gaussian(1.0))
    rewards = link.sample(rng, np.broadcast_to(link.mean(predictors), (100, 10)))
    environment = ScriptedEnvironment(
        [arms], lambda t, k: float(rewards[t, k]), context=CONTEXT.get(kind)
    )
    told, untold = (
        choices(make_algorithm(name, p, np.random.default_rng(0)), environment, 100)
        for p in problems
    )
    assert told == untold


@each_name
def test_raw_and_aggregated_histories_choose_the_same(name):
    if "history" not in option_names(algorithm_class(name)):
        pytest.skip("keeps no history")
    links = [link for link in algorithm_class(name).links if link != "gaussian"]
    for link in links:
        rng = np.random.default_rng(4)
        arms = random_arms(rng, 12, 2)
        problem = make_problem(link, fixed_arms=True)
        means = problem.link.mean(arms @ np.array([2.0, 2.0]))
        rewards = problem.link.sample(rng, np.broadcast_to(means, (120, 12)))
        environment = ScriptedEnvironment(
            [arms], lambda t, k, rewards=rewards: float(rewards[t, k])
        )
        raw, aggregated = (
            choices(
                make_algorithm(f"{name}[history={mode}]", problem, np.random.default_rng(0)),
                environment,
                120,
            )
            for mode in ("raw", "aggregated")
        )
        assert raw == aggregated


@each_name
def test_arms_are_not_aggregated_when_they_are_redrawn(name):
    if "history" not in option_names(algorithm_class(name)):
        pytest.skip("keeps no history")
    with pytest.raises(ConfigError, match="history is 'aggregated'"):
        make_algorithm(f"{name}[history=aggregated]", any_problem(name))


@pytest.mark.parametrize("name", ["ofuglb", "ofulog_r"])
def test_an_estimate_kept_in_an_object_of_its_own_is_seen_to_be_finite_or_not(name):
    algorithm = make_algorithm(name, any_problem(name))
    assert algorithm.is_finite()
    algorithm._estimate.points[0, 1] = np.nan
    assert not algorithm.is_finite()


# Environments that are not kind.


def unkind(name, kind, shape, reward, marks=(1, 10, 50, HORIZON), time_limit=60.0):
    """Play in a scripted environment; return the trajectory."""
    K, d = shape
    d = min(d, getattr(algorithm_class(name), "max_dimension", d))
    arms = random_arms(np.random.default_rng(1), K, d)
    problem = make_problem(kind, dimension=d)
    theta = np.full(truth_length(problem, arms), 0.1)
    environment = ScriptedEnvironment([arms], reward, theta=theta, context=CONTEXT.get(kind))
    algorithm = make_algorithm(name, problem, np.random.default_rng(0))
    return play(environment, algorithm, list(marks), time_limit=time_limit)


@pytest.mark.parametrize(("name", "kind"), NAMES_AND_KINDS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (5, 1)])
def test_one_arm_and_one_dimension_are_environments_too(name, kind, shape):
    trajectory = unkind(name, kind, shape, lambda t, k: float(t % 2))
    assert trajectory.status == "ok"
    assert trajectory.columns["round"][-1] == HORIZON


@pytest.mark.parametrize(("name", "kind"), NAMES_AND_KINDS)
@pytest.mark.parametrize("reward", [1e12, -1e6, 0.0, 1e100, 1e300])
def test_extreme_rewards_end_in_a_status_and_never_in_a_crash(name, kind, reward):
    marks = (1, 10, 25)
    trajectory = unkind(name, kind, (5, 2), lambda t, k: reward, marks, time_limit=2.0)
    assert STATUS.fullmatch(trajectory.status)
    if trajectory.status in COMPLETE:
        assert trajectory.columns["round"] == list(marks)
    if reward == 0.0:
        assert trajectory.status == "ok"


@pytest.mark.parametrize(("name", "kind"), NAMES_AND_KINDS)
@pytest.mark.parametrize("outlier", [1e100, 1e200, 1.7e308])
def test_one_reward_that_overflows_ends_in_a_status_and_never_in_a_crash(name, kind, outlier):
    rewards = lambda t, k: outlier if t == 8 else 1.0  # noqa: E731
    trajectory = unkind(name, kind, (5, 2), rewards, (1, 10, 25), time_limit=2.0)
    assert STATUS.fullmatch(trajectory.status)


@pytest.mark.parametrize(("name", "kind"), NAMES_AND_KINDS)
@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_reward_that_is_not_finite_is_recorded_as_that(name, kind, bad):
    trajectory = unkind(name, kind, (20, 5), lambda t, k: bad if t == 20 else 1.0)
    assert trajectory.status == "non_finite"
    assert trajectory.columns["round"] == [1, 10]


@each_name
def test_a_singular_matrix_inside_is_a_status(name, monkeypatch):
    def fail(self, arms, index, reward, **told):
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr(algorithm_class(name), "update", fail)
    trajectory = unkind(name, kinds_of(algorithm_class(name))[0], (5, 2), lambda t, k: 1.0)
    assert trajectory.status == "failed: Singular matrix"
    assert trajectory.columns == {}
