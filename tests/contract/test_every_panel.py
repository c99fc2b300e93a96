"""What every kind of panel, table and study owes, checked over the registries and the papers."""

import inspect
import re
from dataclasses import MISSING, FrozenInstanceError, fields, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from made_up_tables import PAPERS, made_up

from optimist.claims.metrics.quantities import QUANTITIES
from optimist.config.checks import check_shown
from optimist.config.documents import Source
from optimist.core.errors import ConfigError
from optimist.experiments.trials import expand
from optimist.figures import (
    PANELS,
    TABLES,
    figure,
    make_panel,
    make_table,
    panel_class,
    table_class,
)
from optimist.figures.base import COLUMNS, NUMBERS
from optimist.figures.models import Figure
from optimist.figures.rows import Tables
from optimist.figures.studies import STUDIES, study_class
from optimist.figures.tables.base import MEANINGS, to_markdown

COMMON_ROLES = {"data", "note", "remark", "footnote", "line", "phase", "point", "slope"}
STATISTICS = ("mean", "median", "quantile", "percentile", "std", "var", "average")
STATISTICS += tuple(f"nan{name}" for name in STATISTICS[:-1])


def shown(key):
    """Return one entry of each kind that the papers have, with its paper: ``panels`` or tables."""
    found = {}
    for paper in PAPERS.values():
        entries = list(paper.tables.values())
        if key == "panels":
            entries = [p for spec in paper.figures.values() for p in spec["panels"]]
        for entry in entries:
            found.setdefault(entry["kind"], (entry, paper))
    return found


SHOWN_PANELS, SHOWN_TABLES = shown("panels"), shown("tables")
each_panel = pytest.mark.parametrize("kind", PANELS)
each_table = pytest.mark.parametrize("kind", TABLES)
each_study = pytest.mark.parametrize("name", STUDIES)


def drawn(kind, table, tmp_path, name="one"):
    """Draw a figure of one panel; return the bytes of its picture."""
    entry, paper = panel_of(kind)
    one = Figure(title="One", caption="", panels=[entry])
    files = [tmp_path / f"{name}.{ending}" for ending in ("png", "pdf", "webp")]
    figure.draw(one, table, paper, *files)
    return files[0].read_bytes()


def panel_of(kind):
    if kind not in SHOWN_PANELS:
        pytest.skip(f"no paper shows a panel of kind {kind}")
    return SHOWN_PANELS[kind]


def tabulated(kind, tables):
    entry, paper = panel_of(kind)
    return figure.tabulate(Figure(title="One", caption="", panels=[entry]), tables, paper)


# Panels.


@each_panel
def test_rows_have_the_declared_columns_and_roles(kind):
    _, paper = panel_of(kind)
    cls, table = panel_class(kind), tabulated(kind, made_up(paper.id))
    assert [*table.columns] == [*COLUMNS, *cls.columns]
    assert set(table["role"]) <= COMMON_ROLES | set(cls.roles)
    assert (table["role"] == "data").any()
    assert all(table[name].dtype == float for name in NUMBERS)
    assert table["n"].dtype == "Int64"
    assert not (table["role"] == "note").any()


@each_panel
@pytest.mark.usefixtures("texts")
def test_drawing_computes_nothing_and_changes_nothing(kind, tmp_path, monkeypatch):
    """The table read back from its file gives the same picture, without any statistic."""
    _, paper = panel_of(kind)
    table = tabulated(kind, made_up(paper.id))
    table.to_csv(tmp_path / "table.csv", index=False)
    before = table.copy()
    first = drawn(kind, table, tmp_path, "first")
    pd.testing.assert_frame_equal(table, before)

    def unreachable(*_, **__):
        raise AssertionError("drawing computes")

    for name in ("mean", "median", "quantile", "std", "agg"):
        monkeypatch.setattr(pd.DataFrame, name, unreachable)
        monkeypatch.setattr(pd.Series, name, unreachable)
    # numpy's own only in the module of the kind: matplotlib calls them too.
    module = inspect.getmodule(panel_class(kind))
    if hasattr(module, "np"):
        without = dict.fromkeys(STATISTICS, unreachable)
        shadow = SimpleNamespace(**{name: getattr(np, name) for name in dir(np)} | without)
        monkeypatch.setattr(module, "np", shadow)
    assert drawn(kind, pd.read_csv(tmp_path / "table.csv"), tmp_path, "second") == first


@each_panel
def test_an_empty_table_draws_a_panel_that_says_so(kind, tmp_path, texts):
    table = tabulated(kind, {})
    assert (table["note"] == "missing").any()
    assert not (table["role"] == "data").any()
    drawn(kind, table, tmp_path)
    assert "no data" in texts
    assert any(text.startswith("missing: ") for text in texts)


@each_panel
def test_unfinished_trials_show_and_enter_no_statistic(kind, tmp_path, texts):
    _, paper = panel_of(kind)
    watched = {"regions", "accuracy", "lemmas"} & set(panel_class(kind).tables)
    if not (panel_class(kind).lanes or watched):
        pytest.skip("made from no trials")
    table = tabulated(kind, made_up(paper.id, status="failed: singular"))
    notes = table.loc[table["role"] == "note", "note"]
    assert notes.str.startswith("incomplete").any() and notes.str.contains("failed").any()
    if panel_class(kind).lanes:
        assert table.loc[table["role"] == "data", "y"].isna().all()
    drawn(kind, table, tmp_path)
    assert any(text.startswith("incomplete: ") for text in texts)


@each_panel
@pytest.mark.parametrize("change", ["unknown", "left out"])
def test_wrong_keys_of_a_panel_are_refused_in_one_line(kind, change):
    entry, paper = panel_of(kind)
    required = {field.name for field in fields(panel_class(kind)) if field.default is MISSING}
    needed = min(required - {"kind"})
    wrong = {**entry, "colour": "red"} if change == "unknown" else {**entry}
    if change == "left out":
        wrong.pop(needed)
    spec = {"title": "One", "caption": "", "panels": [wrong]}
    with pytest.raises(ConfigError) as raised:
        check_shown(replace(paper, figures={"one": spec}), Source("figures.yaml"))
    text = str(raised.value)
    assert "\n" not in text and "figures.one.panels.0" in text
    assert ("'colour'" if change == "unknown" else needed) in text


@each_panel
@pytest.mark.parametrize("key, value", [("slope", {"power": 1}), ("multiple", {"factor": 8})])
def test_a_reference_to_a_series_that_is_not_shown_is_refused(kind, key, value):
    entry, paper = panel_of(kind)
    wrong = {**entry, f"{key}s": [{"series": "nothing", "label": "some line", **value}]}
    spec = {"title": "One", "caption": "", "panels": [wrong]}
    expected = rf"series of a {key} in .*panels\.0 'nothing'; allowed: "
    with pytest.raises(ConfigError, match=expected):
        check_shown(replace(paper, figures={"one": spec}), Source("figures.yaml"))


@each_panel
def test_a_panel_is_its_entry_and_never_changes(kind):
    entry, _ = panel_of(kind)
    panel = make_panel(entry)
    assert {key: getattr(panel, key) for key in entry} == entry
    with pytest.raises(FrozenInstanceError):
        panel.title = "Another"


# Tables.


def table_of(kind):
    if kind not in SHOWN_TABLES:
        pytest.skip(f"no paper shows a table of kind {kind}")
    entry, paper = SHOWN_TABLES[kind]
    group = entry.get("group", "paper")
    return entry, paper, [t.key for t in expand(paper) if t.group == group]


@each_table
@pytest.mark.parametrize("status", ["ok", "failed: singular", None])
def test_a_table_is_written_from_full_unfinished_and_no_results(kind, status):
    entry, paper, keys = table_of(kind)
    tables = {} if status is None else made_up(paper.id, status)
    frame = make_table(entry).frame(Tables(tables, paper, keys))
    assert frame.columns.is_unique
    text = to_markdown(frame)
    assert text.count("\n") == len(frame) + 2
    if table_class(kind).lanes and status != "ok" and "statuses" in frame:
        assert set(frame["statuses"]) == {"missing" if status is None else "failed 3"}


@each_table
def test_every_column_of_a_table_has_a_meaning(kind):
    entry, paper, keys = table_of(kind)
    table = make_table(entry)
    known = {*MEANINGS, *table.meanings, "number"}  # the last is a fact that is made up here
    alike = re.compile(r"(ms|ratio)_at_\d+|.*_(low|high)95")
    columns = table.frame(Tables(made_up(paper.id), paper, keys)).columns
    assert not [name for name in columns if name not in known and not alike.fullmatch(name)]


@each_table
def test_wrong_keys_of_a_table_are_refused_in_one_line(kind):
    entry, paper, _ = table_of(kind)
    wrong = replace(paper, tables={"one": {**entry, "colour": "red"}})
    with pytest.raises(ConfigError, match=r"^f.yaml: unknown key 'colour' in tables.one; [^\n]*$"):
        check_shown(wrong, Source("f.yaml"))


# Studies.


@each_study
def test_a_study_declares_what_it_makes(name):
    cls = study_class(name)
    assert cls.name == name
    assert cls.tables and set(cls.facts) <= set(cls.tables)
    assert set(cls.tables.values()) <= {"csv", "parquet"}
    kinds = [kind for kind in (*PANELS, *TABLES) if kind == name]
    # Claims read the tables that no figure shows: facts, and tables of quantities.
    assert kinds or cls.facts or any(name == one.table for one in QUANTITIES.values())
