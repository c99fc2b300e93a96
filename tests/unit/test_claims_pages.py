"""Verdicts as a table, as text, as Markdown and in the README."""

import math
import re

import pandas as pd
import pytest
from claim_tables import SPREAD, check_of, choice, claim_with, document, facts, finals, reading
from scipy.stats import t

from optimist.claims import pages
from optimist.claims.evidence import RatioOfMeans
from optimist.claims.next_look import next_look
from optimist.claims.pages import by_verdict
from optimist.claims.table import COLUMNS, compacted, read_frame, to_frame
from optimist.claims.verdicts import evaluate, gates_of
from optimist.claims.wording import number
from optimist.core.errors import ResultError

# What no text may say of a number that there is none of.
NOTHING = re.compile(r"\b(nan|NaN|None|NA|<NA>)\b")


def ratio(relation, bound, top="a", **keys):
    """A check of the ratio of a to b that has no gate, as it is of no regrets."""
    arguments = {"algorithm": "x", "column": "size", "setting": top, "base": "b"}
    own = {"relation": relation, "bound": bound, **keys}
    return {
        "quantity": "column",
        "statistic": "ratio",
        "arguments": arguments,
        "part": "here",
        **own,
    }


def rivals(relation, bound, **keys):
    arguments = {"setting": "here", "numerator": "y", "denominator": "z"}
    own = {"relation": relation, "bound": bound, **keys}
    return {
        "quantity": "regret",
        "statistic": "ratio",
        "arguments": arguments,
        "part": "here",
        **own,
    }


def fact(name, relation="below", bound=1, **keys):
    arguments = {"name": name, "setting": "here"}
    return check_of("fact", "value", arguments, relation, bound, **keys)


COVERAGE = check_of("coverage", "share", {"algorithm": "x", "settings": ["a"]}, "above", 0.9)
# The ratio of a to b is 10, from 10 - 2.685011 * 0.471405 = 8.73427 to 11.26573.
SIZES = {"a": [10.0 + z for z in SPREAD], "b": [1.0] * 10, "c": [0.0] * 10}
SIZES["wide"] = [10.0 + 4 * z for z in SPREAD]
TABLES = {
    "finals": pd.concat(
        [
            *(finals(s, "x", v, size=v, covered=s == "a") for s, v in SIZES.items()),
            *(finals("here", name, [1.0, 2.0] * 5) for name in ("y", "z", "uniform")),
        ]
    ),
    "facts": facts(kappa=21.04, wild=math.nan),
}
CHOICES = {"radius": choice("radius", "nu", "sd")}


def taken(alternative, *checks, **keys):
    return {**reading(*checks, name=alternative, **keys), "alternatives": {"radius": alternative}}


# One claim of each kind and word.
CLAIMS = (
    claim_with(
        reading(ratio("below", 12.5, why="Half-way.", word="modest"), name="R nu"),
        reading(
            *(ratio("below", 12), ratio("above", 10, status="ours")), name="R sd", status="unstated"
        ),
        reading(ratio("below", 9), name="odd", status="ours"),
        headline="Better",
        note="Mind the | gap.",
        quote="much better [...] in all",
        paper_value="twelve",
        effect={
            "text": "It is {size} times that of another ({size.settings}; {size.n} trials).",
            "numbers": {"size": {"quantity": "column"}},
        },
    ),
    claim_with(reading(ratio("above", 9.5, top="wide")), id="toy.02"),
    claim_with(reading(ratio("below", 8), ratio("below", 5)), id="toy.03"),
    claim_with(
        reading(ratio("below", 12), {**ratio("below", 5), "part": "there"}),
        id="toy.04",
        could_not_fail="it is arithmetic",
    ),
    claim_with(reading(fact("absent")), id="toy.05"),
    claim_with(reading(fact("wild")), id="toy.06"),
    claim_with(reading(fact("kappa", bound=50)), id="toy.07", kind="guarantee"),
    claim_with(reading(COVERAGE), id="toy.08", kind="guarantee", could_not_fail="uniform passes"),
    claim_with(
        reading(fact("kappa", "equals", 21, tolerance=0.5)),
        id="toy.09",
        kind="fact",
        chosen_by_it="its seed",
    ),
    claim_with(reading(fact("kappa", "equals", 1000000, tolerance=0)), id="toy.10", kind="fact"),
    claim_with(reading(rivals("below", 2)), id="toy.11"),
    claim_with(reading(ratio("between", [1, 2], top="c", better="below")), id="toy.12"),
    claim_with(
        taken("nu", ratio("below", 12)),
        taken("sd", ratio("below", 5), status="unstated"),
        id="toy.13",
        choices=CHOICES,
    ),
    claim_with(
        taken("nu", ratio("below", 10)),
        taken("sd", ratio("below", 5), status="unstated"),
        id="toy.14",
        choices=CHOICES,
    ),
    claim_with(
        reading(ratio("below", 10), name="nu"),
        reading(ratio("below", 15), name="sd", status="unstated"),
        id="toy.15",
    ),
)
WORDS = [
    *("reproduced", "open", "not reproduced", "not reproduced in part", "missing", "open", "held"),
    *("vacuous", "selected by it", "differs", "untestable"),
    *("better than claimed", "depends on radius", "doubted", "supported"),
]
NOTES = {"toy.01": "Mind the | gap."}
CELLS = [("regret", name, "x") for name in SIZES]
FIRST = [["toy.02", "size of x, wide / b", "trials", 0, 10]]
DOCUMENT = document(*CLAIMS, first=FIRST)


@pytest.fixture(scope="module")
def verdicts():
    return evaluate(DOCUMENT, TABLES)


@pytest.fixture(scope="module")
def context(verdicts):
    """The other arguments of `to_frame`: next looks, figures, lines and titles."""
    gates, seconds = gates_of(DOCUMENT, TABLES), dict.fromkeys(CELLS, 60.0)
    looks = {verdict.claim.id: next_look(verdict, gates, seconds) for verdict in verdicts}
    figures = {CELLS[0]: ["fig1 (a)", "fig2 (b)"], CELLS[1]: ["fig2 (b)"]}
    return looks, figures, {"toy.01": 12}, {"a": "the first, A", "b": "the first, B"}


@pytest.fixture(scope="module", params=["fresh", "from CSV"])
def frame(request, verdicts, context, tmp_path_factory):
    fresh = to_frame(verdicts, *context)
    if request.param == "fresh":
        return fresh
    path = tmp_path_factory.mktemp("claims") / "claims.csv"
    compacted(fresh).to_csv(path, index=False)
    assert path.stat().st_size < len(fresh.to_csv(index=False))
    return read_frame(path)


def row(frame, claim, place=0):
    return frame[frame["claim"] == claim].iloc[place]


# The table.


def test_the_frame_has_one_row_for_each_check_of_each_reading(frame):
    assert tuple(frame.columns) == COLUMNS
    own = frame[frame["claim"] == "toy.01"]
    assert own["reading"].tolist() == ["R nu", "R sd", "R sd", "odd"]
    assert own["status"].tolist() == ["stated", "unstated", "ours", "ours"]
    assert own["counts"].tolist() == [True, True, False, False]
    assert own["reading_outcome"].tolist() == ["holds", "holds", "holds", ""]
    assert own["outcome"].tolist() == ["holds", "holds", "open", "open"]
    heads = frame.drop_duplicates("claim")
    assert heads["words"].tolist() == WORDS
    assert all(w.startswith(v) for w, v in zip(heads["words"], heads["verdict"], strict=True))


def test_the_frame_holds_what_was_measured(frame):
    found = row(frame, "toy.01")
    assert (found["value"], found["low"], found["high"]) == (10.0, 8.73427, 11.2657)
    assert found["interval"] == "8.734 to 11.27"
    assert (found["n"], found["units"], found["rounds"]) == (10, "trials", 100)
    assert (found["settings"], found["algorithms"]) == ("a, b", "x")
    assert (found["relation"], found["bound"], found["method"]) == ("below", "12.5", "Fieller")
    # Twice the tail of T = -2.5 / 0.471405 = -5.303301 with 9 degrees of freedom.
    assert (found["support"], found["refute"]) == (0.000491707, 1.0)
    assert (found["turns_at"], found["why"], found["line"]) == ("11.27", "Half-way.", 12)
    # The word changes where the check of R sd does: T = -2 / 0.471405 = -4.242641.
    assert (found["turns"], found["alpha"]) == (0.00216584, 0.025)
    assert (found["if_counted"], found["stated"]) == ("supported", '"R nu": holds')
    assert found["own_interval"] == "modest: reproduced from 11.3 up"
    own = row(frame, "toy.02")
    assert (own["n0"], own["first_unit"], own["doublings"]) == (10, 0, 0)
    assert row(frame, "toy.04")["parts"] == "here: reproduced; there: not reproduced"
    assert (row(frame, "toy.11")["gate"], row(frame, "toy.11")["idle"] < 1e-4) == (1.0, True)
    assert found["figures"] == "fig2 (b)"
    assert found["effect"] == "It is 10 times that of another (the first, A and B; 10 trials)."
    assert (found["quote"], found["paper_value"]) == ("much better [...] in all", "twelve")
    assert (own["effect"], own["quote"], own["paper_value"], own["typical"]) == ("", "", "", "")
    assert math.isnan(row(frame, "toy.05")["value"])
    assert row(frame, "toy.10")["bound"] == "1e+06"
    assert row(frame, "toy.09")["bound"] == "21 ± 0.5"
    assert row(frame, "toy.12")["bound"] == "1 to 2"
    assert row(frame, "toy.07")["slack"] == pytest.approx(50 / 21.04, rel=1e-5)


def test_the_frame_says_what_the_next_look_of_an_open_claim_is(frame):
    found = row(frame, "toy.02")
    # From ten trials to twenty, of two cells of a minute each.
    assert (found["needs"], found["needs_kind"], found["cause"]) == (20, "trials", "few trials")
    assert found["deciding"].startswith("The next look has up to 10 more trials a cell (0.3 ")
    assert found["hours"] == pytest.approx(2 * 10 / 60, rel=1e-4)
    assert found["command"].endswith("'decide={toy.02: 20}' -- toy")
    assert found["likely"] in ("likely", "even", "unlikely") and 0.0 <= found["chance"] <= 1.0
    for claim in ("toy.01", "toy.07"):
        assert row(frame, claim)["command"] == row(frame, claim)["deciding"] == ""
    assert row(frame, "toy.06")["command"] == ""


def test_a_table_that_was_read_is_written_alike(verdicts, context, tmp_path):
    paths = tmp_path / "once.csv", tmp_path / "twice.csv"
    fresh = to_frame(verdicts, *context)
    fresh.to_csv(paths[0], index=False)
    read = read_frame(paths[0])
    read.to_csv(paths[1], index=False)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert read.dtypes.equals(fresh.dtypes)
    for show in (pages.to_text, pages.open_text):
        assert show(read) == show(fresh)
    assert pages.to_text(read, details=True) == pages.to_text(fresh, details=True)
    assert pages.to_markdown(read, {}) == pages.to_markdown(fresh, {})


@pytest.mark.parametrize("content", ["", "claim,place\ntoy.01,Figure 1\n"])
def test_a_file_that_is_no_table_of_claims_is_refused(tmp_path, content):
    path = tmp_path / "claims.csv"
    path.write_text(content)
    with pytest.raises(ResultError, match=r"claims.csv is not a table of claims"):
        read_frame(path)


# Where an outcome turns.


@pytest.mark.parametrize(
    ("relation", "bound", "outcome", "turns"),
    [
        ("below", 12, "holds", "11.27"),
        ("below", 8, "fails", "8.734"),
        ("below", 10, "open", "8.734 or 11.27"),
        ("above", 8, "holds", "8.734"),
        ("above", 12, "fails", "11.27"),
        ("above", 10, "open", "8.734 or 11.27"),
    ],
)
def test_a_verdict_turns_at_an_end_of_the_interval(relation, bound, outcome, turns):
    written = document(claim_with(reading(ratio(relation, bound))))
    (found,) = to_frame(evaluate(written, TABLES)).itertuples()
    assert (found.outcome, found.turns_at) == (outcome, turns)


@pytest.mark.parametrize("gates", [True, False])
@pytest.mark.parametrize(("quantile", "outcome"), [(2.70, "open"), (2.80, "holds")])
def test_an_interval_excludes_a_bound_only_where_the_check_is_decided(gates, quantile, outcome):
    # Doubled, 0.025 asks for a quantile of 2.685, and nine tenths of it for 2.745.
    own = [10.0 + z for z in SPREAD]
    cells = {"a": own, "b": [1.0] * 10, "uniform": [100.0] * 10}
    tables = [finals("here", name, values) for name, values in cells.items()]
    tables += [finals(name, "x", cells[name], size=cells[name]) for name in "ab"]
    sides = {"setting": "here", "numerator": "a", "denominator": "b"}
    bound = 10.0 - quantile * 0.4714045
    gated = {**rivals("above", bound if gates else 5), "arguments": sides}
    # Beside a check with a gate any check is tested at nine tenths.
    written = document(claim_with(reading(*[ratio("above", bound)] * (not gates), gated)))
    frame = to_frame(evaluate(written, {"finals": pd.concat(tables)}))
    found = next(frame.itertuples())
    low = 10.0 - t.ppf(1.0 - 0.9 * 0.025 / 2.0, 9) * 0.4714045
    assert (found.low, found.outcome) == (pytest.approx(low, rel=1e-5), outcome)
    assert (found.low > bound) == (outcome == "holds")
    assert found.turns_at.startswith(f"{low:.4g}")


def evidence_frame(monkeypatch, evidence, relation, bound):
    """Return the row of a check of some evidence, whose metric is replaced."""
    written = document(claim_with(reading(ratio(relation, bound)), level=0.9))
    monkeypatch.setattr("optimist.claims.metrics.table.Metric.__call__", lambda *_, **__: evidence)
    (found,) = to_frame(evaluate(written, {})).itertuples()
    return found


def test_an_interval_of_two_pieces_turns_at_their_inner_ends(monkeypatch):
    # Not rejected are [0, 0.903452] and [1.319620, inf).
    y, x = [5, 6, 4, 100, 7, 5, 6, 4], [8, 10, 7, 107, 11, 8, 9, 7]
    evidence = RatioOfMeans(y, x, least=8)
    found = evidence_frame(monkeypatch, evidence, "below", 1)
    assert (found.outcome, found.turns_at) == ("holds", "0.9035 or 1.32")
    assert found.interval == "0 to 0.9035 or 1.32 to inf"
    assert evidence_frame(monkeypatch, evidence, "below", 0.5).turns_at == "0.9035"
    # Not rejected is [0.768729, inf): an infinite end is not a bound.
    y, x = [30, 36, 28, 41, 33, 29, 35, 32], [10, 12, 9, 95, 14, 10, 13, 9]
    found = evidence_frame(monkeypatch, RatioOfMeans(y, x, least=8), "above", 0.5)
    assert (found.outcome, found.turns_at) == ("holds", "0.7687")


def test_the_page_of_all_papers_has_one_line_a_claim_and_leads_to_the_others():
    found = evaluate(document(claim_with(reading(ratio("below", 12)))), TABLES)
    page = pages.to_markdown(to_frame(found), {})
    text = pages.joined({"toy": page, "other": page})
    assert text.count("# Claims of toy\n") == 2
    assert "\n## " not in text
    assert "[All checks](other/claims.md)" in text
    assert "](toy/trials.parquet)" in text and "](../docs/verdicts.md)" in text
    assert text.count("| toy.01 |") == 2


# Words.


def test_the_tally_is_by_kind_and_counts_firm_verdicts(frame):
    assert pages.tally(frame) == (
        "11 claims: 1 reproduced, 1 supported, 1 depends, 1 better than claimed, 2 not reproduced, "
        "1 doubted, 2 open, 1 untestable, 1 missing. 6 of the 7 "
        "decided claims keep their verdicts at an error 11 times smaller. 2 guarantees: 1 held, "
        "1 vacuous. 2 facts: 1 differs, 1 selected by it."
    )
    assert pages.tally(frame[frame["claim"] == "toy.09"]) == "1 fact: 1 selected by it."
    could_not_fail = "vacuous: It is algebra"
    flagged = frame.assign(flags=frame["flags"].mask(frame["kind"] == "empirical", could_not_fail))
    assert "1 missing. 1 of the 1 reproduced claims could not fail. 6 of" in pages.tally(flagged)


def test_the_text_names_verdict_reason_and_need(frame):
    lines = pages.to_text(frame).splitlines()
    assert lines[0] == "toy.01  reproduced      It works."
    assert lines[1] == "toy.02  open            It works."
    assert lines[2] == "                        -> open in 1 of 1 reading"
    assert lines[3] == f"                        -> {row(frame, 'toy.02')['deciding']}"
    assert "                        -> vacuous: it is arithmetic" in lines
    assert "                        -> depends on radius" in lines
    assert lines[-1] == pages.tally(frame)


def test_the_details_list_the_checks(frame):
    lines = pages.to_text(frame, details=True).splitlines()
    shown = [line for line in lines if line.startswith("    ") and "->" not in line]
    assert len(shown) == len(frame)
    assert shown[0] == (
        "    holds     size of x, a / b [R nu]: 10 (8.734 to 11.27, n = 10), "
        "wanted below 12.5 (Half-way.)"
    )
    assert "    missing   absent, here, wanted below 1 (no absent of here in facts)" in shown
    assert any("wanted above 0.9 (0 of 10 trials break it; a rate of" in line for line in shown)
    assert any(line.startswith("    idle      regret of y / z, here") for line in shown)


def test_no_text_says_that_a_number_is_none(frame):
    texts = [
        pages.to_text(frame, details=True),
        pages.open_text(frame),
        pages.to_markdown(frame, NOTES),
        by_verdict(frame),
    ]
    for text in texts:
        assert not NOTHING.search(text), NOTHING.search(text)


def test_numbers_have_four_digits():
    values = (1.23456, 1e4, 1234567.0, 1e7, 0.00001, math.inf, math.nan)
    texts = ["1.235", "10000", "1234567", "1e+07", "1e-05", "inf", "none"]
    assert [*map(number, values)] == texts


# What is open.


def test_open_and_doubted_claims_stand_by_the_price_of_an_answer(frame):
    def priced(name, hours, chance):
        one = frame[frame["claim"] == "toy.02"]
        return one.assign(claim=name, hours=hours, chance=chance)

    rest = frame[frame["claim"].isin(["toy.01", "toy.06"])]
    claims = [
        priced("toy.20", 2.0, 0.25),
        priced("toy.21", 2.0, 1.0),
        # An unknown chance counts as a half; without a price the order is unknown.
        priced("toy.22", 2.0, math.nan),
        priced("toy.23", math.nan, 1.0),
        priced("toy.24", 0.1, 0.0),
        priced("toy.25", 3.0, 1.0).assign(verdict="doubted", words="doubted"),
        rest,
    ]
    lines = pages.open_text(pd.concat(claims, ignore_index=True)).splitlines()
    heads = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert heads == [f"toy.{n}" for n in (21, 25, 22, 20, 23, 24)] + ["toy.06"]
    found = row(frame, "toy.02")
    assert lines[:3] == [
        "toy.21 (open)  It works.",
        f"    few trials: {found['deciding']}",
        f"    {found['command']}",
    ]
    # No command can play anything for a fact that is not a number.
    assert lines[-1].startswith("    few trials: ")
    assert pages.open_text(frame[frame["claim"] == "toy.01"]) == "no claim is open or doubted"


def test_its_command_asks_for_the_trials_that_the_tables_lack(frame):
    from optimist.config import load as config
    from optimist.config.documents import read_value

    options = re.search(r"--config (.*) -- toy", row(frame, "toy.02")["command"])[1]
    keys = [option.strip("'").partition("=")[::2] for option in re.findall(r"'.*?'|\S+", options)]
    written = {key: read_value(value, "") for key, value in keys}
    found = config.check_config({**config.load_config(), **written})
    assert (found["decide"], found["committed"]) == ({"toy.02": 20}, "use")


# The page.


def test_the_page_has_all_claims_readings_and_checks(verdicts, frame):
    page = pages.to_markdown(frame, NOTES)
    assert page.startswith("# Claims of toy\n")
    assert page.index(pages.tally(frame)) < page.index("## toy.01: reproduced")
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        f"## {v.claim.id}: {v.word}" for v in verdicts
    ]
    assert "### R nu (stated): holds\n" in page
    assert "### R sd (unstated): holds\n" in page
    assert "### odd (ours)\n" in page
    assert "### The only reading (stated): fails\n" in page
    assert "\nMind the | gap.\n" in page
    assert '\nThe paper: "much better [...] in all" It prints twelve.\n' in page
    assert "\nWe measure: It is 10 times that of another (the first, A and B; 10 trials).\n" in page
    assert page.count("The paper: ") == page.count("We measure: ") == 1
    assert "[source](../../config/papers/toy/claims.yaml#L12)" in page
    assert "[source](../../config/papers/toy/claims.yaml))" in page
    assert "Vacuous: it is arithmetic.\n" in page
    assert "\nVerdict: **depends on radius**; holds in 1, fails in 1 of 2 readings" in page
    assert "\nWord if our own readings counted: supported.\n" in page
    assert "\nThe error allowed on each side is 0.025; the word would change at 0.0022.\n" in page
    assert "\nWith other meanings of its vague word: modest: reproduced from 11.3 up.\n" in page
    assert "\nCause: few trials. " in page


def test_the_rows_of_the_page_are_those_of_the_table(frame):
    page = pages.to_markdown(frame, NOTES)
    tables = [line for line in page.splitlines() if line.startswith("| ")]
    checks = [line for line in tables if line.count(" | ") == 9 and "outcome" not in line]
    assert len([line for line in checks if "---" not in line]) == len(frame)
    first = next(line for line in checks if "12.5" in line)
    cells = [cell.strip() for cell in first.strip("|").split(" | ")]
    assert cells == [
        *("holds", "size of x, a / b", "10 (8.734 to 11.27, n = 10)", "below 12.5"),
        *("0.00049", "1", "", "11.27", "Half-way.", "fig2 (b)"),
    ]
    for outcome in ("missing", "reported"):
        shown = [line for line in checks if line.startswith(f"| {outcome} ")]
        assert all(line.strip("| ").split(" | ")[4:6] == ["", ""] for line in shown), outcome
    assert any(line.startswith("| missing ") for line in checks)


def test_the_page_says_how_many_words_may_be_wrong(frame):
    assert (
        "at most 0.28 of these 11 claims are expected to have a wrong word of each kind."
        in pages.to_markdown(frame, NOTES)
    )


def test_a_page_begins_with_a_table_with_one_line_for_each_claim(frame):
    lines = pages.to_markdown(frame, NOTES).partition("\n## ")[0].splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + len(CLAIMS)
    assert {line.count("|") for line in table} == {6}
    assert table[2] == "| toy.01 | empirical | Figure 1 | It works. | **reproduced** |"
    assert table[6] == "| toy.05 | empirical | Figure 1 | It works. | missing |"
    assert table[14].endswith("| **depends on radius** |")


# The README.


def test_the_summary_stands_between_the_markers_and_only_there(frame):
    readme = "# Title\n\n<!-- claims -->\nold\n<!-- /claims -->\n\nThe end.\n"
    shown = by_verdict(frame)
    text = pages.with_summary(readme, shown)
    assert text.startswith("# Title\n\n<!-- claims -->\n\n11 claims: 1 reproduced")
    assert text.endswith("\n\n<!-- /claims -->\n\nThe end.\n")
    assert "old" not in text
    assert pages.with_summary(text, shown) == text


def test_findings_list_each_claim_once_by_its_verdict(frame):
    shown = by_verdict(frame)
    assert shown.startswith("11 claims: 1 reproduced")
    lines = [line for line in shown.splitlines() if line.startswith("- ")]
    words = {
        f"{kind}, **{word}**"
        for kind, word in frame[["kind", "words"]].drop_duplicates().to_numpy()
    }
    assert {line[2:].partition(":")[0] for line in lines} == words
    for claim in frame["claim"].unique():
        number = claim.rpartition(".")[2]
        assert len(re.findall(rf"\({number}[,)]", shown)) == 1
