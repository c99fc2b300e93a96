"""What every algorithm on a box owes, checked over the registry and the papers' configuration."""

import ast
import inspect
import json
import re
from pathlib import Path

import numpy as np
import pytest
from toy_environments import STAND_IN, ScriptedFunction, configured, make_box_problem, make_problem

from optimist.algorithms import (
    BOX_REGISTRY,
    algorithm_class,
    make_algorithm,
    option_names,
)
from optimist.errors import ConfigError
from optimist.label import name_of
from optimist.runs import loop
from optimist.runs.cell import Cell, build
from optimist.runs.trials import Trials, run

STATUS = re.compile(r"ok|unconverged|non_finite|timeout|failed: .+")


def _cases():
    """Map labels to one cell for each label that a paper runs, a few rounds beyond Phase I."""
    cases = {}
    for paper, setting, label in configured(domain="box"):
        spec = paper["settings"][setting]
        initial = spec["parameters"]["initial"]
        cell = Cell(paper["paper"], setting, label, spec | {"horizon": initial + 4})
        cases.setdefault(label, cell)
    return cases


CASES = _cases()
each_name = pytest.mark.parametrize("name", BOX_REGISTRY)
each_case = pytest.mark.parametrize("cell", CASES.values(), ids=CASES)


def the_class(name):
    return algorithm_class(name, "box")


def bowl(x):
    return 9.0 - float(((x - 1.0) ** 2).sum())


def play(algorithm, function, rounds):
    """Play and return the points asked for, (rounds, d)."""
    asked = []
    for _ in range(rounds):
        x = algorithm.propose()
        asked.append(x)
        algorithm.observe(x, function(x))
    return np.array(asked)


@each_name
def test_it_is_run_by_a_paper(name):
    assert name in {name_of(label) for label in CASES}


@each_name
def test_it_cites_its_source(name):
    place = r"[A-Z]\w+ .*\(\d{4}\).*(Algorithm|[Ee]quation|eq\.|Theorem|Section)"
    assert re.search(place, the_class(name).reference)


@each_name
def test_its_file_opens_with_the_formula_and_its_deviations(name):
    with open(inspect.getsourcefile(the_class(name)), encoding="utf-8") as file:
        source = file.read()
    doc = ast.get_docstring(ast.parse(source))
    assert re.search(r"\$\$.+?\$\$", doc, re.DOTALL), "no displayed formula"
    assert "Deviations" in doc
    assert re.search(r"\(\d{4}\)", doc)


@each_name
def test_no_file_of_its_family_is_long(name):
    folder = Path(inspect.getsourcefile(the_class(name))).parent
    lengths = {path.name: len(path.read_text().splitlines()) for path in folder.glob("*.py")}
    assert {file: length for file, length in lengths.items() if length > 200} == {}


@each_name
def test_it_refuses_nonsense_options(name):
    for key, default in option_names(the_class(name)).items():
        with pytest.raises(ConfigError) as error:
            make_algorithm(f"{name}[{key}=nonsense]", make_box_problem())
        named = str(default) if isinstance(default, bool | str) else ""
        for word in (key, "'nonsense'", "allowed", named):
            assert word in str(error.value)
        if isinstance(default, str) and len(default) > 3:
            with pytest.raises(ConfigError, match=f"did you mean '{default}'"):
                make_algorithm(f"{name}[{key}={default[:-1]}]", make_box_problem())


@each_name
def test_it_refuses_unknown_options_and_arms(name):
    with pytest.raises(ConfigError, match=r"unknown option 'no_such_thing'.*allowed"):
        make_algorithm(f"{name}[no_such_thing=1]", make_box_problem())
    if name == "uniform":  # which plays wherever there is anything to choose from
        return
    with pytest.raises(ConfigError, match=r"unknown algorithm|is not defined for"):
        make_algorithm(name, make_problem("logistic"))


@each_name
def test_it_is_built_small_and_without_randomness(name):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    rng = np.random.default_rng(0)
    short, long = (make_algorithm(name, make_box_problem(horizon=h), rng) for h in (10, 10**6))
    assert short.state_bytes() == long.state_bytes()
    assert rng.integers(2**62) == np.random.default_rng(0).integers(2**62)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@each_case
def test_it_plays_the_same_twice_and_starts_with_the_points_given(cell):
    played, before = [], np.random.get_state()[1].tolist()  # noqa: NPY002
    for _ in range(2):
        environment, problem = build(cell, 0, STAND_IN)
        algorithm = make_algorithm(cell.algorithm, problem, cell.stream(0, "algorithm"))
        played.append(play(algorithm, bowl, cell.spec["horizon"]))
    np.testing.assert_array_equal(*played)
    if problem.initial is not None:
        np.testing.assert_array_equal(played[0][: problem.initial_count], problem.initial)
    assert ((played[0] >= environment.low) & (played[0] <= environment.high)).all()
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@each_name
@pytest.mark.parametrize("trial", [0, 1, 2])
def test_three_trials_are_repeatable_and_differ(name, trial):
    def points(trial):
        problem = make_box_problem(initial=None)
        return play(make_algorithm(name, problem, np.random.default_rng(trial)), bowl, 8)

    np.testing.assert_array_equal(points(trial), points(trial))
    assert not np.array_equal(points(trial), points(trial + 1))


@each_name
def test_a_trial_may_end_before_the_initial_points_do(name):
    algorithm = make_algorithm(name, make_box_problem(horizon=3), np.random.default_rng(0))
    trajectory = loop.play(ScriptedFunction(algorithm.problem, bowl), algorithm, [1, 2, 3])
    assert trajectory.status == "ok"
    assert {len(values) for values in trajectory.columns.values()} == {3}


@each_name
def test_it_draws_initial_points_of_its_own_where_none_are_given(name):
    problem = make_box_problem(initial=None)
    one, two = (
        play(make_algorithm(name, problem, np.random.default_rng(k)), bowl, 6) for k in (0, 1)
    )
    assert not np.isin(one[:4], two[:4]).any()
    assert ((one >= -1.0) & (one <= 3.0)).all()


@each_name
def test_it_keeps_no_reference_to_its_points(name):
    problem = make_box_problem()
    algorithm, twin = (make_algorithm(name, problem, np.random.default_rng(3)) for _ in range(2))
    for _ in range(8):
        x = algorithm.propose()
        np.testing.assert_array_equal(twin.propose(), x)
        y = bowl(x)
        twin.observe(x.copy(), y)
        algorithm.observe(x, y)
        x[:] = 9.9


@each_name
def test_asking_does_not_change_it(name):
    problem = make_box_problem()
    asked, twin = (make_algorithm(name, problem, np.random.default_rng(3)) for _ in range(2))
    size = 25 * 2 + 51
    for _ in range(8):
        inside = np.asarray(asked.contains(np.zeros((3, size))))
        assert inside.shape == (3,)
        assert inside.dtype == bool
        json.dumps(asked.diagnostics())
        assert isinstance(asked.state_bytes(), int)
        x = asked.propose()
        np.testing.assert_array_equal(twin.propose(), x)
        for each in (asked, twin):
            each.observe(x, bowl(x))


@each_case
def test_a_trial_of_its_paper_ends_well(cell):
    trajectory = run(Trials("regret", cell, 0, 1), STAND_IN)[0]
    columns = trajectory.columns
    assert trajectory.status == "ok"
    assert columns["round"] == list(range(1, cell.spec["horizon"] + 1))
    assert {len(values) for values in columns.values()} == {cell.spec["horizon"]}
    assert (np.diff(columns["seconds"]) > 0.0).all()
    assert (np.diff(columns["regret"]) >= 0.0).all()
    assert (np.diff(columns["simple_regret"]) <= 0.0).all()


# Environments that are not kind.


def unkind(name, function, dimension=2, **changes):
    problem = make_box_problem(dimension, **changes)
    algorithm = make_algorithm(name, problem, np.random.default_rng(0))
    environment = ScriptedFunction(problem, function)
    return loop.play(environment, algorithm, list(range(1, 11)), time_limit=60.0)


@each_name
@pytest.mark.parametrize("dimension", [1, 3])
def test_a_constant_function_is_an_environment_too(name, dimension):
    trajectory = unkind(name, lambda x: 1.0, dimension)
    assert trajectory.status == "ok"
    assert trajectory.columns["round"][-1] == 10


@each_name
def test_one_initial_point_is_enough(name):
    initial = np.zeros((1, 2))
    assert unkind(name, bowl, initial=initial, initial_count=1).status == "ok"


@each_name
@pytest.mark.parametrize("factor", [1e12, -1e6, 1e-12])
def test_extreme_values_end_in_a_status_and_never_in_a_crash(name, factor):
    trajectory = unkind(name, lambda x: factor * bowl(x))
    assert STATUS.fullmatch(trajectory.status)
    if trajectory.status in loop.COMPLETE:
        assert trajectory.columns["round"][-1] == 10


@each_name
@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_value_that_is_not_finite_is_recorded_as_that(name, bad):
    seen = []

    def breaks(x):
        seen.append(x)
        return bad if len(seen) > 10 else bowl(x)

    trajectory = unkind(name, breaks)
    assert trajectory.status == "non_finite"
    assert trajectory.columns["round"] == list(range(1, len(trajectory.columns["round"]) + 1))
    assert len(trajectory.columns["round"]) < 10


@each_name
def test_a_singular_matrix_inside_is_a_status(name, monkeypatch):
    def fail(self):
        raise np.linalg.LinAlgError("Singular matrix")

    monkeypatch.setattr(the_class(name), "suggest", fail)
    assert unkind(name, bowl).status == "failed: Singular matrix"
