"""Style: one colour and marker a method everywhere, told apart in every figure."""

from dataclasses import replace
from itertools import combinations

import pytest
from cells import name_of

from optimist.config.checks import check_cells
from optimist.config.documents import Source
from optimist.config.load import load_paper, load_style, paper_names
from optimist.config.models import Sources
from optimist.core.errors import ConfigError
from optimist.experiments.trials import expand
from optimist.figures.rows import display_name
from optimist.figures.style import RAMP, Style

PAPERS = {name: load_paper(name) for name in paper_names()}
PAPER = PAPERS["glb_omd"]
WHITE, DARK = "#ffffff", "#14171c"  # grounds of figures, and of the page at night


def luminance(colour):
    """Return the relative luminance of WCAG 2."""
    values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def labels_of(paper):
    return list(dict.fromkeys(job.cell.algorithm for job in expand(paper)))


def groups(paper):
    """Yield names of algorithms that are seen together: in a figure, or in a setting."""
    for figure in paper.figures.values():
        yield {name_of(a) for panel in figure["panels"] for a in panel.get("algorithms", [])}
    cells = [job.cell for job in expand(paper)]
    for setting in {cell.setting.label for cell in cells}:
        yield {cell.algorithm.name for cell in cells if cell.setting.label == setting}


def test_contrast_is_at_least_three_to_one():
    style = load_style()
    for colour in {*style["palette"], *(m["colour"] for m in style["methods"].values())}:
        assert contrast(colour, WHITE) >= 3.0 and contrast(colour, DARK) >= 3.0, colour
    assert all(contrast(colour, WHITE) >= 3.0 for colour in RAMP)


@pytest.mark.parametrize("name", PAPERS)
def test_methods_that_are_seen_together_differ_in_colour_and_in_marker(name):
    style = load_style()["methods"]
    for names in groups(PAPERS[name]):
        for pair in combinations(sorted(names), 2):
            first, second = (style[n] for n in pair)
            assert first["colour"] != second["colour"], pair
            assert first["marker"] != second["marker"], pair


@pytest.mark.parametrize("name", PAPERS)
def test_no_two_variants_of_a_paper_share_marker_and_dash_and_none_looks_plain(name):
    style, labels = Style(PAPERS[name], {}), labels_of(PAPERS[name])
    variants = [label for label in labels if name_of(label) != label]
    seen = [(style.marker(label), style.dash(label)) for label in variants]
    assert len(set(seen)) == len(variants)
    for label in variants:
        plain, line = style.line(name_of(label)), style.line(label)
        assert line["color"] == plain["color"] == plain["markerfacecolor"]
        assert line["markerfacecolor"] == "white"
        assert line["linestyle"] != "-" == plain["linestyle"]
        assert style.hatch(label) != "" == style.hatch(name_of(label))


@pytest.mark.parametrize("name", PAPERS)
def test_every_algorithm_of_a_paper_has_a_name_of_its_own(name):
    paper = PAPERS[name]
    labels = labels_of(paper)
    names = {display_name(label, paper.names, paper.options) for label in labels}
    assert len(names) == len(labels)
    assert not [text for text in names if "=" in text and "q̄" not in text and " = " not in text]


def test_styles_do_not_depend_on_which_algorithms_a_figure_shows():
    labels = ["ecolog", "ecolog[diameter=norm]", "ecolog[diameter=norm,solver=pgd]", "gloc"]
    first = Style(PAPER, {}, ["ofuglb", *labels[::-1]])
    second = Style(PAPER, {}, labels[1:])
    first.line("ecolog[diameter=norm,solver=pgd]")
    assert [first.line(label) for label in labels] == [second.line(label) for label in labels]


def test_variants_of_one_algorithm_alone_have_colours_of_their_own():
    labels = ["ecolog[solver=pgd]", "ecolog", "ecolog[index=mixed]"]
    alone, usual = Style(PAPER, {}, labels), Style(PAPER, {})
    assert len({alone.colour(label) for label in labels}) == 3
    assert alone.colour("ecolog") == usual.colour("ecolog")
    for shown in (["gloc"], ["gloc", *labels]):
        among = Style(PAPER, {}, shown)
        assert [among.line(label) for label in shown] == [usual.line(label) for label in shown]


def test_an_algorithm_without_a_look_takes_a_colour_that_is_free():
    paper = replace(PAPER, names={**PAPER.names, "mine.py:Mine": "Mine"})
    style = Style(paper, {})
    others = {style.colour(name) for name in PAPER.names}
    assert style.colour("mine.py:Mine") not in others
    assert style.marker("mine.py:Mine") not in {style.marker(name) for name in PAPER.names}


def test_what_is_no_algorithm_has_shades_from_dark_to_light():
    style = Style(PAPER, {}, ["first", "second", "third"])
    colours = [style.colour(series) for series in ("first", "second", "third")]
    assert colours[0] == RAMP[0] and colours[-1] == RAMP[-1]
    assert [luminance(c) for c in colours] == sorted(luminance(c) for c in colours)
    assert len({style.marker(series) for series in ("first", "second", "third")}) == 3


def test_settings_are_called_by_their_titles_with_options_where_these_coincide():
    style = Style(PAPERS["hvt_ucb"], {})
    label = "student_t[factor=0.3,radius=matched]"
    assert style.settings([label, "gaussian"]) == {label: "Student's t", "gaussian": "Gaussian"}
    two = style.settings([label, "student_t"])
    assert two == {label: "Student's t, factor 0.3, radius matched", "student_t": "Student's t"}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"glb_omb": {"inverse": "x"}}, "algorithm in options 'glb_omb'.*'glb_omd'"),
        ({"glb_omd": {"invers": "x"}}, "option in options.glb_omd 'invers'.*'inverse'"),
    ],
)
def test_names_of_options_that_do_not_exist_are_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        check_cells(replace(PAPER, options=options), Sources(*[Source("x.yaml")] * 3))
