"""Aggregation of result files: regret that is counted from best known values."""

import pandas as pd
import pyarrow as pa
import pytest
from result_files import metadata_of

from optimist import sealed
from optimist.errors import ResultError
from optimist.panels.studies.base import fact_table
from optimist.runs import aggregate, results


def runs(setting, algorithm, trial, regrets, instance="fold 0", **columns):
    """Rows of one trial; ``regrets`` are those of its rounds, which are then summed up."""
    regrets = pd.Series(regrets)
    about = {"paper": "toy", "setting": setting, "algorithm": algorithm, "trial": trial}
    about |= {"status": "ok", "seconds": 0.0, "instance": instance, **columns}
    numbers = {"round": range(1, len(regrets) + 1), "regret": regrets.cumsum()}
    return pd.DataFrame(numbers).assign(**about, simple_regret=regrets.cummin())


MANY = [
    runs("here", "a", 0, [0.5, 0.25, 0.125]),
    runs("here", "b", 0, [0.5, 0.0625, 0.5]),
    runs("here", "a", 5, [0.03125, 0.5, 0.5]),
    runs("here", "a", 1, [0.75, 0.75, 0.75], instance="fold 1"),
]


def test_the_floor_is_the_smallest_regret_of_any_algorithm_and_repetition_of_an_instance():
    elsewhere = runs("same function", "c", 0, [0.5, 0.015625])
    best_known = aggregate.find_best_known(pd.concat(MANY)).set_index("instance")
    assert best_known["least_regret"].to_dict() == {"fold 0": 0.03125, "fold 1": 0.75}
    assert best_known["algorithm"].to_dict() == {"fold 0": "a", "fold 1": "a"}
    best_known = aggregate.find_best_known(pd.concat([*MANY, elsewhere])).set_index("instance")
    assert best_known.loc["fold 0"].to_dict() == {"least_regret": 0.015625, "algorithm": "c"}


def test_regret_is_counted_from_the_floor_in_every_round():
    counted = aggregate.count_from(pd.concat(MANY), aggregate.find_best_known(pd.concat(MANY)))
    b = counted[counted["algorithm"] == "b"]
    assert b["regret"].tolist() == [0.46875, 0.5, 0.96875]
    assert b["simple_regret"].tolist() == [0.46875, 0.03125, 0.03125]
    assert counted[counted["trial"] == 1]["regret"].tolist() == [0.0, 0.0, 0.0]
    assert counted["simple_regret"].min() == 0.0


def test_settings_without_a_floor_are_left_alone():
    both = pd.concat([*MANY, runs("there", "a", 0, [2.0, 1.0], instance="another")])
    plain = runs("plain", "a", 0, [2.0, 1.0]).drop(columns=["instance", "simple_regret"])
    best_known = aggregate.find_best_known(pd.concat(MANY))
    counted = aggregate.count_from(pd.concat([both, plain]), best_known)
    for setting in ("there", "plain"):
        assert counted[counted["setting"] == setting]["regret"].tolist() == [2.0, 3.0]


def test_an_instance_that_was_left_out_is_an_error_and_not_counted_from_the_bound():
    best_known = aggregate.find_best_known(pd.concat(MANY[:3]))
    with pytest.raises(ResultError, match="no best known value of 'fold 1'"):
        aggregate.count_from(pd.concat(MANY), best_known)


@pytest.fixture
def files(tmp_path):
    paths = []
    for i, frame in enumerate(MANY):
        paths.append(str(tmp_path / f"{i}.parquet"))
        table = pa.Table.from_pandas(frame, preserve_index=False)
        results.write(table, paths[-1], metadata_of(table, 3))
    best_known = tmp_path / "best_known.parquet"
    sealed.write_frame(aggregate.find_best_known(aggregate.load(paths)), best_known)
    return paths, str(best_known)


def test_curves_and_finals_of_a_figure_are_counted_from_the_best_known_values(files):
    # A figure reads the files of its own cells only; the floor comes from all.
    paths, best_known = files
    made = aggregate.tables({"regret": [paths[1]], "best_known": best_known}, 0.95)
    assert made["finals"]["regret"].tolist() == [0.96875]
    assert made["curves"]["mean"].tolist() == [0.46875, 0.5, 0.96875]
    assert aggregate.tables({"regret": [paths[1]]}, 0.95)["finals"]["regret"].tolist() == [1.0625]


def test_tables_that_were_aggregated_before_are_read_as_they_are(files, tmp_path):
    paths, best_known = files
    before = aggregate.tables({"regret": paths, "best_known": best_known}, 0.95)["finals"]
    path = str(tmp_path / "finals.parquet")
    sealed.write_frame(before, path)
    (made,) = aggregate.tables({"finals": path}, 0.95).values()
    pd.testing.assert_frame_equal(made, before)


def test_a_figure_may_show_the_first_trials_only(files):
    paths, _ = files
    made = aggregate.tables({"regret": paths}, 0.95, trials=1)
    assert sorted(made["finals"]["algorithm"]) == ["a", "b"]
    assert set(made["curves"]["trials"]) == {1}


def test_facts_of_so_many_trials_are_joined_with_the_others(tmp_path):
    sealed.write_frame(fact_table([("kappa", "here", 2.0)]), tmp_path / "facts.csv")
    sealed.write_frame(fact_table([("area", "a", 3.0)], trials=1), tmp_path / "areas.csv")
    paths = {name: str(tmp_path / f"{name}.csv") for name in ("facts", "areas")}
    (joined,) = aggregate.read_tables(paths).values()
    assert joined["name"].tolist() == ["kappa", "area"]
    assert joined["trials"].tolist()[1] == 1.0 and joined["trials"].isna()[0]
