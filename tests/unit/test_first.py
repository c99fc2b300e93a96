"""How many trials each check was first judged with, and how many count since: by doubling."""

import numpy as np
import pandas as pd
import pytest
from claim_tables import check_of, claim_with, decide, document, finals, reading
from scipy.stats import ttest_1samp

from optimist.claims import first
from optimist.claims.first import First, doubled, of_document, read
from optimist.claims.planned import check_first
from optimist.config.load import claims_path, load_claims, load_paper, paper_names
from optimist.core.errors import ConfigError
from optimist.core.root import project_root
from optimist.plan.claims import PlannedClaims

# The committed table.


@pytest.fixture(scope="module")
def rows():
    return of_document(read(project_root() / "config" / "first.csv"))


@pytest.fixture(scope="module")
def checks():
    papers = {name: load_paper(name) for name in paper_names()}
    return {
        (claim.id, check.label)
        for claims in PlannedClaims(papers, papers, {}).by_paper.values()
        for claim in claims
        for reading in claim.readings
        for check in reading.checks
        if not check.metric.is_exact
    }


def test_every_check_has_one_row_but_those_of_exact_values(rows, checks):
    assert {*rows} == checks


@pytest.mark.parametrize(("claim", "start"), [("hvt_ucb.09", 250), ("hvt_ucb.12", 200)])
def test_claims_whose_gate_came_later_start_at_trials_that_no_verdict_used(rows, claim, start):
    own = [row for key, row in rows.items() if key[0] == claim and row.unit == "trials"]
    assert {row.start for row in own} == {start}


# k, and the units that count.


@pytest.mark.parametrize(
    ("start", "n0", "number", "k", "stop"),
    [
        (0, 10, 9, -1, None),
        (0, 10, 10, 0, 10),
        (0, 10, 19, 0, 10),
        (0, 10, 20, 1, 20),
        (0, 10, 39, 1, 20),
        (0, 10, 40, 2, 40),
        (0, 30, 250, 3, 240),
        (0, 1, 1023, 9, 512),
        (250, 100, 250, -1, None),
        (250, 100, 349, -1, None),
        (250, 100, 350, 0, 350),
        (250, 100, 450, 1, 450),
        (5, 10, 0, -1, None),
    ],
)
def test_units_count_by_powers_of_two(start, n0, number, k, stop):
    first = First("trials", start, n0)
    assert first.doublings(number) == k
    if k >= 0:
        assert first.stop(k) == stop <= number


def test_p_values_are_doubled_with_the_trials():
    cases = [(0.01, 0, 0.02), (0.01, 1, 0.04), (0.01, 6, 1.0), (0.0, 9, 0.0), (0, -1, 1)]
    assert [doubled(p, k) for p, k, _ in cases] == pytest.approx([one for *_, one in cases])


RATIO = check_of(
    "regret", "ratio", {"setting": "here", "numerator": "uniform", "denominator": "a"}, "above"
)
LABEL = "regret of uniform / a, here"


@pytest.mark.parametrize(
    ("start", "number", "counted", "k"),
    [(0, 29, 29, -1), (0, 30, 30, 0), (0, 59, 30, 0), (0, 60, 60, 1), (20, 50, 30, 0)],
)
def test_verdicts_rest_on_the_units_that_count(start, number, counted, k):
    values = [float(2 + i % 7) for i in range(number)]
    tables = {"finals": [finals("here", "uniform", values), finals("here", "a", [4.0] * number)]}
    first, about = [["toy.01", LABEL, "trials", start, 30]], {"learners": {"here": ["a"]}}
    (result,) = decide(
        reading(RATIO), tables=tables, first=first, about={**about, "least": 30}
    ).results
    evidence, own = result.evidence, values[start if k >= 0 else 0 :][:counted]
    assert (evidence.n, result.k) == (counted, k)
    assert evidence.top.tolist() == own
    raw = ttest_1samp(own, 4.0, alternative="greater").pvalue
    assert result.support == pytest.approx(2.0 ** (k + 1) * raw if k >= 0 else 1.0)
    assert ("fewer than 30 trials" in result.remark) == (k < 0)


def test_trials_before_the_first_that_counts_change_nothing():
    """A reading that was added later uses only trials that were unknown at that time."""
    rng = np.random.default_rng(6)
    late = {name: list(c * rng.gamma(9.0, 1 / 9, 20)) for name, c in (("a", 1), ("uniform", 3))}
    about = {"learners": {"here": ["a"]}}
    row = ["toy.01", LABEL, "trials", 20, 10]
    found = []
    # Before them the method is worse than uniform play, or much better, or was not run.
    for before in ([9.0] * 20, [1e-3] * 20, None):
        tables = [
            finals("here", name, [*(before if name == "a" else [1.0] * 20), *values])
            if before
            else finals("here", name, values, first=20)
            for name, values in late.items()
        ]
        verdict = decide(reading(RATIO), tables={"finals": tables}, first=[row], about=about)
        (result,) = verdict.results
        assert (result.k, result.evidence.n, result.first.start) == (1, 20, 20)
        assert verdict.word == "reproduced"
        found.append((result.support, result.refute, result.gate.support, result.evidence.value))
    assert found[0] == found[1] == found[2]
    # As many trials as it was added with decide nothing, whatever they are.
    tables = [finals("here", "a", [1e-3] * 29), finals("here", "uniform", [1.0] * 29)]
    verdict = decide(reading(RATIO), tables={"finals": tables}, first=[row], about=about)
    assert (verdict.word, verdict.results[0].remark) == ("open", "fewer than 10 trials")


def test_a_reading_that_was_added_late_is_open_until_fresh_trials_decide():
    other = {**RATIO, "arguments": {**RATIO["arguments"], "denominator": "b"}}
    labels = LABEL, LABEL.replace("/ a", "/ b")
    rows = [
        ["toy.01", name, "trials", start, 10] for name, start in zip(labels, (0, 20), strict=True)
    ]
    readings = [reading(RATIO, name="first"), reading(other, name="added", status="unstated")]
    about = {"learners": {"here": ["a", "b"]}}
    words = []
    for number in (20, 29, 30):
        sizes = {"a": 1.0, "b": 9.0, "uniform": 3.0}
        tables = [
            finals("here", name, [c + 0.01 * (i % 5) for i in range(number)])
            for name, c in sizes.items()
        ]
        verdict = decide(*readings, tables={"finals": tables}, first=rows, about=about)
        words.append((verdict.word, verdict.outcomes["added"]))
    assert words == [("supported", "open"), ("supported", "open"), ("depends", "fails")]


def test_an_exact_value_needs_no_number_and_counts_all_units():
    tables = [finals("here", "a", [1.0] * 3, u=[1.0, 2.0, 6.0])]
    about = {"setting": "here", "algorithm": "a", "column": "u"}
    check = {"quantity": "column", "statistic": "largest", "arguments": about}
    check |= {"relation": "below", "bound": 5}
    for n0 in (2, 10):
        first = [["toy.01", "largest u of a, here", "trials", 0, n0]]
        (result,) = decide(reading(check), tables={"finals": tables}, first=first).results
        assert (result.evidence.value, result.evidence.n, result.first) == (6.0, 3, None)
        assert (result.outcome, result.remark) == ("fails", "")


# Studies, whose trials and repetitions are doubled together.


@pytest.mark.parametrize(
    ("start", "number", "counted", "k"),
    [(0, 29, 29, -1), (0, 30, 30, 0), (0, 59, 30, 0), (0, 60, 60, 1), (20, 50, 30, 0)],
)
def test_trials_of_studies_count_by_doubling(start, number, counted, k):
    values = [float(2 + i % 7) for i in range(number)]
    own = finals("here", "a", values, size=values)
    # Another cell of the study has fewer, which is none of this check's business.
    tables = {"seen": [own, finals("here", "b", values[:5], size=values[:5])]}
    about = {"study": "seen", "algorithm": "a", "setting": "here", "column": "size"}
    check = {"quantity": "watched", "statistic": "mean", "arguments": about}
    check |= {"relation": "above", "bound": 4}
    first = [["toy.01", "mean size of a, here", "trials", start, 30]]
    (result,) = decide(reading(check), tables=tables, first=first).results
    evidence, kept = result.evidence, values[start if k >= 0 else 0 :][:counted]
    assert (evidence.values.tolist(), result.k) == (kept, k)
    raw = ttest_1samp(kept, 4.0, alternative="greater").pvalue
    assert result.support == pytest.approx(2.0 ** (k + 1) * raw if k >= 0 else 1.0)
    assert ("fewer than 30 trials" in result.remark) == (k < 0)


def test_repetitions_of_all_that_a_study_compares_are_doubled():
    rows = [
        (dimension, "one", i, dimension ** (1.0 + 0.01 * i))
        for dimension in (10, 100)
        for i in range(13 if dimension == 10 else 11)
    ]
    table = pd.DataFrame(rows, columns=["dimension", "part", "repetition", "seconds"])
    about = {"part": "one", "smallest": 10}
    check = {"quantity": "part_time", "statistic": "slope", "arguments": about}
    check |= {"relation": "below", "bound": 2}
    first = [["toy.01", "log-log slope of the time of the one part against d, d >= 10", "turns"]]
    first[0] += [0, 6]
    (result,) = decide(reading(check), tables={"scaling": table}, first=first).results
    assert (result.k, result.evidence.n) == (1, 11)
    first[0][-1] = 5
    (result,) = decide(reading(check), tables={"scaling": table}, first=first).results
    assert (result.k, result.evidence.n) == (1, 10)


def test_slopes_of_studies_count_the_trials_of_the_cell_that_has_fewest():
    cells = [("here", 10), ("there", 25)]
    table = [
        finals(name, "a", [2.0 + i] * n, size=[1.0 + i + 0.1 * (j % 3) for j in range(n)])
        for i, (name, n) in enumerate(cells)
    ]
    about = {"study": "seen", "algorithm": "a", "settings": ["here", "there"]}
    about |= {"column": "size", "against": "regret"}
    check = {"quantity": "watched", "statistic": "slope", "arguments": about}
    check |= {"relation": "above", "bound": 0}
    label = "log-log slope of size on regret of a over here, there"
    for n0, k in ((10, 0), (5, 1), (11, -1)):
        first = [["toy.01", label, "trials", 0, n0]]
        (result,) = decide(reading(check), tables={"seen": table}, first=first).results
        assert (result.k, result.evidence.n) == (k, 10)


# What is refused.


def refusal(*first, planned=30, least=1, splits=0, **changes):
    """Return the complaint of check_first about a claim with these rows, or an empty text."""
    check, label, cells = RATIO, LABEL, ("a", "uniform")
    if splits:
        about = {"setting": "here", "one": "a", "other": "b", "since": 0, "rounds": 9}
        check = check_of(
            "regret", "difference", {**about, "folds": 5, "repeats": splits // 5}, "below", 0
        )
        label = "regret of a minus regret of b, per round after 0 up to 9, over splits, here"
        cells = ("a", "b")
    claims = document(claim_with(reading({**check, **changes}))).claims
    rows = of_document(
        [[claim, name.replace("CHECK", label), *rest] for claim, name, *rest in first]
    )
    try:
        check_first(claims, rows, {("regret", "here", name): planned for name in cells}, least)
    except ConfigError as error:
        return str(error)
    return ""


def own(unit, start, n0):
    return ("toy.01", "CHECK", unit, start, n0)


@pytest.mark.parametrize(
    ("first", "keys", "words"),
    [
        ([own("trials", 0, 30)], {}, []),
        ([own("trials", 0, 10)], {}, []),
        # No more than are planned, but for the least that its test needs.
        ([own("trials", 0, 10)], {"planned": 5}, []),
        ([own("trials", 30, 10)], {"planned": 30}, []),
        ([own("trials", 0, 100)], {"least": 100}, []),
        ([], {}, ["lacks 1 row;", f'such as toy.01,"{LABEL}",trials,0,30']),
        ([own("trials", 0, 9)], {}, [f"check '{LABEL}': n0 is 9; allowed: at least 10"]),
        ([own("trials", 0, 99)], {"least": 100}, ["n0 is 99; allowed: at least 100"]),
        (
            [own("trials", 0, 31)],
            {},
            [
                "from is 0 and n0 is 31, so 31 trials are needed",
                "allowed: at most 30, the number planned",
            ],
        ),
        ([own("trials", 20, 11)], {}, ["from is 20 and n0 is 11, so 31 trials are needed"]),
        ([own("turns", 0, 30)], {}, ["unit is 'turns'; allowed: 'trials'"]),
        ([own("splits", 0, 5)], {"splits": 25}, []),
        ([own("splits", 0, 4)], {"splits": 25}, ["n0 is 4; allowed: at least 5"]),
        ([own("splits", 0, 26)], {"splits": 25}, ["at most 25, the number planned"]),
    ],
)
def test_rows_that_cannot_be_are_refused_by_name(first, keys, words):
    found = refusal(*first, **keys)
    assert [word for word in words if word not in found] == []
    assert bool(found) == bool(words)
    heads = "config/first.csv, claim toy.01, check '", "config/first.csv lacks "
    assert not found or (found.startswith(heads) and "\n" not in found)


def test_a_row_for_no_check_is_refused(monkeypatch):
    said = refusal(own("trials", 0, 30), ("toy.01", f"{LABEL}x", "trials", 0, 30))
    assert f"a row for the check '{LABEL}x' of toy.01 (did you mean '{LABEL}'?), which no" in said
    said = refusal(own("trials", 0, 30), ("toy.99", "CHECK", "trials", 0, 30))
    assert f"a row for the check '{LABEL}' of toy.99, which no claim has; allowed: one row" in said
    monkeypatch.setattr(first, "read", lambda path: [["glb.01", "x", "trials", 0, 30]])
    with pytest.raises(
        ConfigError, match=r"claim 'glb.01': paper is 'glb' \(did you mean 'glb_omd'"
    ):
        load_claims(claims_path("glb_omd"))


def test_all_rows_that_are_lacking_are_counted_and_the_first_are_shown():
    about = {"study": "seen", "algorithm": "a", "setting": "here"}
    made = [
        check_of("watched", statistic, {**about, "column": column})
        for statistic in ("median", "largest")
        for column in "pqrst"
    ]
    claims = document(claim_with(reading(*made, made[0]))).claims
    with pytest.raises(ConfigError) as error:
        check_first(claims, {}, {}, 20)
    shown = "; ".join(f'toy.01,"median {column} of a, here",trials,0,20' for column in "pqr")
    assert str(error.value) == (
        f"config/first.csv lacks 5 rows; required: one for each check, such as {shown} and 2 more"
    )
    rows = {("toy.01", f"median {column} of a, here"): First("trials", 0, 20) for column in "pqrst"}
    check_first(claims, rows, {}, 20)
    rows["toy.01", "median t of a, here"] = First("trials", 0, 19)
    with pytest.raises(ConfigError, match=r"check 'median t of a, here': n0 is 19; .* 20"):
        check_first(claims, rows, {}, 20)


HEAD = "claim,check,unit,from,n0\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "first.csv has wrong columns; allowed: claim,check,unit,from,n0"),
        ("claim,check,unit,n0\n", "first.csv has wrong columns"),
        (HEAD + "toy.01,x,trials,0\n", "first.csv, line 2 has 4 columns; allowed: 5"),
        (HEAD + "toy.01,x, here,trials,0,10\n", "line 2 has 6 columns"),
        (HEAD + "toy.01,x,trial,0,10\n", "line 2: unit is 'trial'"),
        (HEAD + "toy.01,x,trials,0,0\n", "line 2: n0 is '0'; allowed: at least 1"),
        (HEAD + "toy.01,x,trials,-1,10\n", "line 2: from is '-1'; allowed: at least 0"),
        (HEAD + "toy.01,x,trials,0,ten\n", "line 2: n0 is 'ten'"),
        (HEAD + "toy.01,x,trials,0,1.5\n", "line 2: n0 is '1.5'"),
        (
            HEAD + "toy.01,x,trials,0,10\n" * 2,
            "line 3 is another row for 'x' of toy.01; allowed: one",
        ),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_its_line(tmp_path, text, words):
    (tmp_path / "first.csv").write_text(text)
    with pytest.raises(ConfigError) as error:
        read(tmp_path / "first.csv")
    assert words in str(error.value)


def test_a_table_is_read_row_by_row(tmp_path):
    text = HEAD + 'toy.01,"regret of a / b, here",trials,250,100\ntoy.02,"a, here",turns,0,5\n'
    (tmp_path / "first.csv").write_text(text)
    rows = read(tmp_path / "first.csv")
    assert rows == [
        ["toy.01", "regret of a / b, here", "trials", 250, 100],
        ["toy.02", "a, here", "turns", 0, 5],
    ]
    assert of_document(rows)["toy.02", "a, here"] == First("turns", 0, 5)
