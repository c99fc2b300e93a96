"""docs/baselines.md names the default of every option, and no other."""

import re
from pathlib import Path

import pytest

from optimist.algorithms import REGISTRIES, algorithm_class, option_names
from optimist.config.load import load_paper, paper_names
from optimist.core.label import plain, write

DOCUMENT = (Path(__file__).parents[2] / "docs" / "baselines.md").read_text(encoding="utf-8")
# Chapters by the domain of their methods.
DOMAINS = {
    "Generalized linear bandits": "arms",
    "Heavy tails": "arms",
    "Kernels and linear functions": "arms",
    "Functions on a box": "box",
}
METHODS = [(domain, name) for domain, registry in REGISTRIES.items() for name in registry.table]


def chapters(text, level):
    """Return the text under each heading of a level, by its words."""
    parts = re.split(rf"^{'#' * level} (.+)\n", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def options_of(cell):
    """Return the options that the last column of a row names."""
    return dict(text.split("=", 1) for text in re.findall(r"`(\w+=[^`]+)`", cell))


def rows(text):
    """Return the cells of the rows of the tables in a text, without heads."""
    lines = re.findall(r"^\| (.+) \|$", text, flags=re.M)
    return [line.split(" | ") for line in lines if not set(line) <= set("-| ")][1:]


def documented():
    """Return the options with their defaults, by domain and name of a method."""
    found = {}
    for title, domain in DOMAINS.items():
        for heading, text in chapters(chapters(DOCUMENT, 2)[title], 3).items():
            name = re.fullmatch(r".+: `(\w+)`", heading)[1]
            assert (domain, name) not in found
            found[domain, name] = [options_of(row[-1]) for row in rows(text)]
    return found


FOUND = documented()


def test_every_method_has_a_section_and_no_other():
    assert set(FOUND) == set(METHODS)


@pytest.mark.parametrize(("domain", "name"), METHODS)
def test_the_defaults_are_those_of_the_class(domain, name):
    cls = algorithm_class(name, domain)
    options = [item for row in FOUND[domain, name] for item in row.items()]
    assert len(options) == len(dict(options))
    assert dict(options) == {key: write(plain(value)) for key, value in option_names(cls).items()}


def test_the_defaults_of_settings_are_those_of_the_configuration():
    settings = {
        name: setting
        for paper in map(load_paper, paper_names())
        for name, setting in paper.settings.items()
    }
    shown = rows(chapters(DOCUMENT, 2)["Settings"])
    assert len(shown) >= 5
    for name, *_, default in shown:
        known = settings[name.strip("`")].options
        for key, value in options_of(default).items():
            assert write(plain(known[key])) == value, (name, key)
