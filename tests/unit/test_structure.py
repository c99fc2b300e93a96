"""Properties of the source code: where labels are parsed, and how objects become plain data."""

import re
from collections import Counter

from toy_environments import ROOT

SOURCES = {
    path.relative_to(ROOT / "src/optimist").as_posix(): path.read_text()
    for path in (ROOT / "src/optimist").rglob("*.py")
}
# Readers of YAML, of the command line, of tables and of plain descriptions.
PARSERS = {
    "algorithms/__init__.py",
    "checks/served.py",
    "config/claims.py",
    "config/labels.py",
    "config/select.py",
    "experiments/cell.py",
    "experiments/paper.py",
    "figures/rows.py",
    "plan/claims.py",
    "plan/costs.py",
}


def places(pattern):
    """Return the number of matches in each file that has any."""
    counts = {name: len(re.findall(pattern, text)) for name, text in SOURCES.items()}
    return Counter({name: number for name, number in counts.items() if number})


def test_labels_are_parsed_by_readers_of_text_alone():
    found = places(r"\bLabel\.parse\b")
    assert {*found} <= PARSERS | {"core/label.py"}
    assert sum(found.values()) <= 25


def test_objects_of_papers_become_plain_data_by_their_own_methods():
    # `describe` is what digests are computed from; the fields of a class may change.
    objects = "cell|setting|block|paper|probe|trials"
    assert not places(rf"\b(?:vars|asdict)\((?:\w+\.)*(?:{objects})\)")
    assert not places(r"\b(?:Cell|Setting|Probe)\(\*\*")


def test_one_function_called_play_is_on_the_path_of_a_trial():
    path = ("job", "trials", "play_trial", "loop")
    found = [name for name in path if "def play(" in SOURCES[f"experiments/{name}.py"]]
    assert found == ["trials"]
