"""Drawing of figures from full, partial and empty tables."""

import io
import re
from dataclasses import replace
from types import SimpleNamespace

import matplotlib.style
import numpy as np
import pytest
from made_up_tables import PAPERS, made_up
from matplotlib.figure import Figure as Page
from matplotlib.text import Text
from PIL import Image

from optimist.figures import figure as figures
from optimist.figures import make_panel
from optimist.figures.artists import bar_name
from optimist.figures.models import Figure
from optimist.figures.style import Style

PAPER = PAPERS["glb_omd"]
GLM_UCB, RS_GLINCB = "glm_ucb[projection=false,radius=logdet]", "rs_glincb[constants=practical]"


@pytest.fixture(scope="module")
def tables():
    return made_up("glb_omd")


def figure_of(panel):
    return Figure(title="", caption="", panels=[panel])


def drawn(figure, table, folder, name="figure"):
    """Draw a figure and return the bytes of its PNG, PDF and WebP files."""
    files = [folder / f"{name}.{ending}" for ending in ("png", "pdf", "webp")]
    figures.draw(figure, table, PAPER, *files)
    return [file.read_bytes() for file in files]


def test_files_carry_fonts_and_no_dates_and_pictures_show_what_is_drawn(tables, tmp_path):
    figure = Figure(**PAPER.figures["fig1"])
    table = figures.tabulate(figure, tables, PAPER)
    png, pdf, webp = drawn(figure, table, tmp_path)
    assert b"/FontFile2" in pdf
    assert not re.search(rb"CreationDate|ModDate|/Type3", pdf)
    assert b"tEXt" not in png
    assert not re.search(rb"EXIF|XMP |ICCP", webp)
    with matplotlib.style.context(figures.STYLE, after_reset=True):
        figures._compose(figure, table, PAPER).savefig(tmp_path / "full.png")
    names = ("figure.png", "full.png", "figure.webp")
    few, full, thumbnail = (Image.open(io.BytesIO((tmp_path / n).read_bytes())) for n in names)
    assert few.mode == "P" and thumbnail.width == 320
    assert thumbnail.height == pytest.approx(few.height * 320 / few.width, abs=0.51)
    shades, exact, small, smaller = (
        np.asarray(picture.convert("RGB"), float)
        for picture in (few, full, thumbnail, few.convert("RGB").resize(thumbnail.size))
    )
    assert np.abs(small - smaller).mean() < 5.0
    assert np.array_equal(shades[0, 0], [255.0] * 3)
    assert np.abs(shades - exact).mean() < 0.2
    assert (np.abs(shades - exact).max(axis=2) > 24.0).mean() < 1e-3


def test_missing_and_incomplete_cells_are_written_on_the_panel(tables, tmp_path, texts):
    finals, curves = tables["finals"].copy(), tables["curves"]
    here = finals["setting"] == "logistic_s3"
    finals = finals[~(here & (finals["algorithm"] == "gloc"))]
    late = (finals["setting"] == "logistic_s3") & (finals["algorithm"] == "ofuglb")
    finals.loc[late & (finals["trial"] == 1), "status"] = "timeout"
    gone = (curves["setting"] == "logistic_s3") & (curves["algorithm"] == "gloc")
    some = {**tables, "finals": finals, "curves": curves[~gone]}
    figure = Figure(**PAPER.figures["fig1"])
    drawn(figure, figures.tabulate(figure, some, PAPER), tmp_path)
    notes = [text for text in texts if "missing" in text]
    assert "missing: GLOC" in notes[0]
    assert "incomplete: OFUGLB (1 of 3 trials timeout)" in notes[0]


def test_estimated_times_are_marked_and_trials_counted(tables, tmp_path, texts):
    figure = Figure(**PAPER.figures["ofuglb_cost"])
    asked = np.where(tables["times"]["algorithm"].str.contains("slsqp"), 2, np.nan)
    some = {**tables, "times": tables["times"].assign(selections=asked)}
    drawn(figure, figures.tabulate(figure, some, PAPER), tmp_path)
    shown = " ".join(texts)
    assert "OFUGLB (SLSQP) *" in shown
    assert "* estimated from 2 of 100 rounds" in shown
    assert "n = 3" in shown


def test_a_logarithmic_axis_hides_no_zero(tables, tmp_path):
    panel = {"kind": "tradeoff", "settings": ["logistic_s3"], "algorithms": ["gloc"]}
    finals = tables["finals"].assign(regret=0.0)
    table = figures.tabulate(figure_of(panel), {**tables, "finals": finals}, PAPER)
    ax = Page().subplots()
    figures._draw_panel(ax, make_panel(panel), table, Style(PAPER, {}))
    assert ax.get_yscale() == "symlog"
    assert ax.get_ylim()[0] <= 0.0


def drawn_panel(panel, tables, paper=PAPER):
    """Draw a figure of one panel, and return its axes and legend."""
    figure = figure_of(panel)
    with matplotlib.style.context(figures.STYLE, after_reset=True):
        page = figures._compose(figure, figures.tabulate(figure, tables, paper), paper)
    return page.axes[0], " ".join(text.get_text() for text in page.legends[0].findobj(Text))


REGRET = {"kind": "regret", "setting": "logistic_s3", "algorithms": ["gloc", "ofuglb"]}


def test_intervals_do_not_reach_below_zero_and_need_three_trials(tables):
    curves = tables["curves"].assign(low=-5.0)
    curves.loc[curves["algorithm"] == "ofuglb", "trials"] = 2
    table = figures.tabulate(figure_of(REGRET), {**tables, "curves": curves}, PAPER)
    data = table[table["role"] == "data"].set_index("series")
    assert (data.loc["gloc", "low"] == 0.0).all()
    assert data.loc["ofuglb", ["low", "high"]].isna().all(axis=None)


def test_a_median_of_two_trials_keeps_its_quartiles(tables):
    panel = {**REGRET, "kind": "median_regret"}
    curves = tables["curves"].assign(trials=2)
    curves = curves.assign(median=curves["mean"], lower=curves["low"], upper=curves["high"])
    table = figures.tabulate(figure_of(panel), {**tables, "curves": curves}, PAPER)
    assert table.loc[table["role"] == "data", "high"].notna().all()


def test_many_bands_become_whiskers_at_the_end(tables):
    few, words = drawn_panel(REGRET, tables)
    assert len(few.collections) == 2 and "band: 99 % t interval of the mean, n = 3" in words
    names = ["gloc", "ofuglb", "glb_omd", GLM_UCB, RS_GLINCB]
    many, words = drawn_panel({**REGRET, "algorithms": names}, tables)
    assert not many.collections and len(many.lines) == 10
    assert "whisker at the end: 99 % t interval of the mean" in words


def test_the_words_say_whose_number_of_trials_is_another(tables):
    curves = tables["curves"].copy()
    curves.loc[curves["algorithm"] == "ofuglb", "trials"] = 7
    panel = {**REGRET, "algorithms": ["gloc", GLM_UCB, "ofuglb"]}
    _, words = drawn_panel(panel, {**tables, "curves": curves})
    assert "n = 3 (OFUGLB 7)" in words


def test_the_words_name_no_interval_where_none_is_drawn(tables):
    _, words = drawn_panel(REGRET, {**tables, "curves": tables["curves"].assign(trials=2)})
    assert "n = 2" in words and "interval" not in words and "band" not in words


@pytest.mark.parametrize("interval, word", [("bootstrap", "bootstrap"), ("normal", "normal")])
def test_the_words_name_the_interval_of_the_paper(interval, word, tables):
    _, words = drawn_panel(REGRET, tables, replace(PAPER, interval=interval))
    assert f"band: 99 % {word} interval of the mean" in words


def test_a_figure_of_one_instance_says_so(tables):
    _, words = drawn_panel(REGRET, tables)
    assert "one instance: trials differ in the noise of rewards alone" in words.replace("\n", " ")
    anew = {**REGRET, "setting": "logistic_s3[instance=per_trial]"}
    assert "one instance" not in drawn_panel(anew, tables)[1]


def test_what_data_are_compared_with_stands_in_the_legend_in_different_dashes(tables):
    panel = {
        "kind": "time_per_round",
        "setting": "logistic_s3",
        "algorithms": ["gloc", "ofuglb"],
        "lines": [{"y": 0.5, "label": "half a second"}],
        "slopes": [{"series": "ofuglb", "power": 1, "label": "slope 1"}],
        "multiples": [{"series": "gloc", "factor": 800, "label": "800 times"}],
    }
    axes, words = drawn_panel(panel, tables)
    assert all(text in words for text in ("half a second", "slope 1", "800 times"))
    grey = [line for line in axes.lines if line.get_color() == "0.35"]
    assert len({str(line._dash_pattern) for line in grey}) == len(grey) == 3
    table = figures.tabulate(figure_of(panel), tables, PAPER)
    last = table[(table["role"] == "data") & (table["series"] == "gloc")].iloc[-1]
    assert table.loc[table["note"] == "800 times", "y"].tolist() == [800 * last["y"]]


def test_a_logarithmic_axis_begins_where_curves_are_not_where_bands_end(tables):
    curves = tables["curves"].assign(low=1e-9)
    axes, _ = drawn_panel({**REGRET, "scale": "log"}, {**tables, "curves": curves})
    shown = curves[(curves["setting"] == "logistic_s3") & (curves["round"] >= 2)]
    least = shown[shown["algorithm"].isin(["gloc", "ofuglb"])]["mean"].min()
    assert axes.get_ylim()[0] == pytest.approx(0.5 * least)


def test_a_lone_panel_has_no_letter(tables):
    axes, _ = drawn_panel({**REGRET, "title": "alone"}, tables)
    assert axes.get_title(loc="left") == "alone"


def test_names_beside_bars_break_before_brackets_and_not_within_a_factor():
    def shown(name):
        return bar_name("series", SimpleNamespace(name=lambda series: name))

    assert shown("Hvt-UCB (no floor)") == "Hvt-UCB (no floor)"
    assert shown("HEAVY-OFUL (threshold × 0.1)") == "HEAVY-OFUL\n(threshold × 0.1)"
    assert shown("a name of many words and no bracket") == "a name of many words\nand no bracket"
    # Two lines without a break before the bracket are better than three with it.
    assert shown("CRTM (Newton steps, threshold × 0.3)") == "CRTM (Newton steps,\nthreshold × 0.3)"
    long = shown("BKB (one thing or another, factor × 0.25)")
    assert long.splitlines() == ["BKB", "(one thing or another,", "factor × 0.25)"]
