"""What fits a terminal, and what is said there while something takes long."""

import io
import json
import logging
import re
import time

import pandas as pd
import pytest

from optimist.claims import pages
from optimist.cli import listing, main
from optimist.comparison import show
from optimist.comparison.rank import COLUMNS
from optimist.core import terminal

LABELS = ["hvt_ucb", "crtm[estimator=ls]", "heavy_oful"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def widest(text):
    return max(map(len, re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()))


def letters(text):
    return "".join(text.split())


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
@pytest.mark.parametrize("words", [[], ["hvt_ucb"], ["hvt_ucb/student_t"]])
def test_a_listing_fits_and_loses_nothing(words, columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main.main(["list", *words]) == 0
    text = capsys.readouterr().out
    assert widest(text) <= columns
    whole = listing.to_text(listing.content(*(words or [None])), None)
    assert sorted(letters(text)) == sorted(letters(whole))


def test_words_are_broken_only_where_there_is_no_other_way():
    rows = [{"setting": "x" * 30, "algorithms": LABELS * 4, "n": 3}]
    text = listing.to_text({"rows": rows}, 60)
    assert "x" * 30 in text and all(label in text for label in LABELS)
    text = listing.to_text({"rows": rows}, 30)
    assert widest(text) <= 30 and "x" * 30 in text


def test_in_a_pipe_each_row_of_a_listing_is_one_whole_line(monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    for path, key in (("hvt_ucb/*", "setting"), ("hvt_ucb/student_t", "option")):
        assert main.main(["list", path, "--json"]) == 0
        (rows,) = (
            part for part in json.loads(capsys.readouterr().out).values() if type(part) is list
        )
        assert main.main(["list", path]) == 0
        lines = capsys.readouterr().out.splitlines()[-len(rows) :]
        assert [line.split()[0] for line in lines] == [row[key] for row in rows]
        for line, row in zip(lines, rows, strict=True):
            last = [*row.values()][-1]
            assert line.endswith(", ".join(last) if type(last) is list else last)


def ranking(labels=LABELS):
    row = dict.fromkeys(COLUMNS, 1234.5) | {"paper": "p", "setting": "s", "rank": 1, "trials": 12}
    row |= {"better_than": [], "worse_than": [], "failed": 0}
    return pd.DataFrame([row | {"algorithm": label} for label in labels])


@pytest.mark.parametrize("labels", [LABELS, ["hvt_ucb", "heavy_oful"]])
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_ranking_fits_and_has_colours_on_terminals_alone(columns, labels, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for stream in (io.StringIO(), Terminal()):
        show.write(ranking(labels), stream)
        text = stream.getvalue()
        assert widest(text) <= columns
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
        assert all(label in plain for label in labels)
        assert letters(plain).count("1234") + letters(plain).count("1235") >= len(labels)
        assert ("\x1b[" in text) == stream.isatty()


def test_the_name_of_a_class_is_no_emoji():
    rows, stream = ranking(), io.StringIO()
    rows.attrs["errors"] = {"p/s/mine.py:V": "ended"}
    show.write(rows, stream)
    assert "mine.py:V: left out" in stream.getvalue()


def test_intervals_are_not_broken_on_a_terminal_of_eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ends = {"mean": -21234.0, "high": 31234.0, "difference": -31234.0, "difference_high": 1e5}
    found = ranking().assign(**ends, p=0.000123, better_than=[[LABELS[0]]] * 3, seconds=0.00123)
    stream = io.StringIO()
    show.write(found, stream)
    lines = stream.getvalue().splitlines()
    assert sum("-21234 ± 52468" in line and "-31234 ± 131234" in line for line in lines) == 3


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((16.637, 4.561), "16.6 ± 4.6"),
        ((21.854, 0.8801), "21.85 ± 0.88"),
        ((1120.6, 559.3), "1121 ± 559"),
        ((1.62, 0.9985), "1.6 ± 1.0"),
        ((-0.31, 0.0204), "-0.310 ± 0.020"),
        ((1.2e8, 3e6), "1.200e+08 ± 3000000"),
        ((161474.0, 2.9e-11, 1e-4), "161474 ± 0"),
        ((1e-17, 2e-17, 1e-9), "0 ± 0"),
        ((5.0, float("nan")), "5.000"),
        ((float("nan"), float("nan")), ""),
    ],
)
def test_an_interval_is_written_to_two_digits_of_its_half(numbers, text):
    assert show._interval(*numbers) == text


def test_names_are_shorter_before_they_are_left_out_and_the_note_says_what_is(monkeypatch):
    rows = ranking(["papers/first.py:Mine[gamma=0.3]", "hvt_ucb"])
    for columns, is_inside, left_out in (
        (160, "papers/first.py:Mine[gamma=0.3] ", ""),
        (90, " Mine[gamma=0.3] ", ""),
        (80, " Mine[gamma=0.3] ", "p and median"),
        (70, "1  papers/first.py:Mine[gamma=0.3]\n", ""),
    ):
        monkeypatch.setenv("COLUMNS", str(columns))
        stream = io.StringIO()
        show.write(rows, stream)
        text = stream.getvalue()
        assert is_inside in text, columns
        words = " ".join(text.split())
        assert (f"no space for {left_out}; use" in words) == bool(left_out), columns


def test_classes_of_one_name_keep_their_files():
    called = show.short_names(
        ["a/x.py:Mine[gamma=1]", "b/y.py:Mine[gamma=2]", "gloc[variant=public]"]
    )
    assert [*called.values()] == [
        "x.py:Mine[gamma=1]",
        "y.py:Mine[gamma=2]",
        "gloc[variant=public]",
    ]


def test_a_ranking_says_once_how_many_trials_there_were(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    stream = io.StringIO()
    show.write(ranking(), stream)
    assert "p/s (12 trials)" in stream.getvalue() and stream.getvalue().count("12 ") == 1
    uneven = ranking().assign(trials=[12, 12, 9], failed=[0, 0, 3])
    stream = io.StringIO()
    show.write(uneven, stream)
    text = stream.getvalue()
    assert "p/s\n" in text and "9 (3 failed)" in text and re.search(r" trials .*median", text)


def test_a_line_is_folded_below_its_last_column():
    line = "paper.01  not reproduced  -> one two three four five six seven"
    assert terminal.folded(line, None) == terminal.folded(line, 62) == line
    first, *others = terminal.folded(line, 50).splitlines()
    assert first == "paper.01  not reproduced  -> one two three four"
    assert others == [" " * 29 + "five six seven"]
    folded = terminal.folded(line, 24).splitlines()
    assert max(map(len, folded)) <= 24 and letters("".join(folded)) == letters(line)


def test_claims_fit_and_commands_stay_whole(monkeypatch):
    frame = pd.DataFrame(
        [
            {
                **dict.fromkeys(("reading", "flags", "remark", "value"), ""),
                "claim": "p.01",
                "kind": "claim",
                "verdict": "open",
                "words": "open on many choices " * 9,
                "cause": "few trials",
                "place": "Section 5",
                "statement": "some words " * 20,
                "explanation": "other words " * 20,
                "deciding": "more trials " * 20,
                "command": "snakemake " + "--option value " * 20,
            }
        ]
    )
    monkeypatch.setattr(pages, "claims_in", lambda frame: [[row] for row in frame.itertuples()])
    monkeypatch.setattr(pages, "open_claims", lambda frame: frame)
    monkeypatch.setattr(pages, "tally", lambda frame: "1 claim " * 20)
    assert widest(pages.to_text(frame, columns=70)) <= 70
    lines = pages.open_text(frame, 70).splitlines()
    assert lines[-1] == "    " + frame["command"][0] and widest("\n".join(lines[:-1])) <= 70


def test_what_takes_long_says_so_on_terminals_alone(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(terminal, "QUIET", 0.05)
    for stream in (Terminal(), io.StringIO()):
        with terminal.Busy("reading a great many files", stream):
            time.sleep(0.3)
        shown = f"{terminal.CLEAR}reading a great man\r{terminal.CLEAR}"
        assert stream.getvalue() == (shown if stream.isatty() else "")
    quick = Terminal()
    with terminal.Busy("nothing", quick):
        pass
    assert quick.getvalue() == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain ± 95 %, naïve\ttab\nline", "plain ± 95 %, naïve\ttab\nline"),
        ("a\u00a0b\u2009c", "a\u00a0b\u2009c"),
        ("\x1bc\x1b]0;t\x07", r"\x1bc\x1b]0;t\x07"),
        ("\x9b2J\x00\r\x7f", r"\x9b2J\x00\r\x7f"),
        ("\u202eabc\u2066\u200b\ufeff", r"\u202eabc\u2066\u200b\ufeff"),
        ("\udcff\U000e0041", r"\udcff\U000e0041"),
    ],
)
def test_what_a_terminal_would_obey_or_hide_is_shown(text, expected):
    assert terminal.shown(text) == expected


def test_log_records_are_shown_likewise():
    record = logging.LogRecord("x", logging.INFO, "", 0, "%s: %s", ("a", "\x1bc"), None)
    assert terminal.LogFormatter("%(message)s").format(record) == r"a: \x1bc"
