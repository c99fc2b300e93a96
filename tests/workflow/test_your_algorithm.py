"""docs/your-algorithm.md, followed with the package from its wheel in an empty folder."""

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

import optimist
from optimist.cli.new import STARTS

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "your-algorithm.md").read_text(encoding="utf-8")


def test_the_commands_print_the_table_of_the_document(installed, tmp_path):
    blocks = re.findall(r"^```sh\n(.*?)^```", DOCUMENT, flags=re.M | re.S)
    install, *commands = map(shlex.split, "".join(blocks).splitlines())
    assert install == ["pip", "install", installed.wheel.name]
    printed = [installed.run(*words, cwd=tmp_path).stdout for words in commands]
    assert "0 failed, 1 hint" in printed[1]
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    (shown,) = re.findall(r"^```text\n(.*?)^```", DOCUMENT, flags=re.M | re.S)
    assert without_times(shown) <= without_times(printed[2])
    # An edit, and one more variant.
    path = tmp_path / "mine.py"
    path.write_text(path.read_text().replace("self.gamma * inverse", "0.5 * self.gamma * inverse"))
    words = commands[2]
    words.insert(words.index("mine.py:Mine"), "mine.py:Mine[gamma=2]")
    lines = without_times(installed.run(*words, cwd=tmp_path).stdout)
    assert not without_times(shown) <= lines
    # Twice half of it is the whole: the ends of the first table, under another name.
    assert any("mine.py:Mine[gamma=2] 42.0 ± 7.2" in line for line in lines)


def without_times(text):
    """Return the lines with numbers of tables, without their ranks and times."""
    rows = [line.split() for line in text.splitlines() if re.search(r"\d ± \d", line)]
    return {" ".join(row[1:-1]) for row in rows}


def test_the_families_of_the_document_are_those_that_there_are():
    rows = re.findall(r"^\| `(\w+)` \| .+ \| `\"(\S+)\"` \| `([^`]+)` \|$", DOCUMENT, flags=re.M)
    assert {family: (pattern, tuple(rivals.split())) for family, pattern, rivals in rows} == {
        family: (start.pattern, start.rivals) for family, start in STARTS.items()
    }


@pytest.mark.skipif(
    not (ROOT / "figures/glb_omd/trials.parquet").exists(), reason="no full run is committed yet"
)
def test_what_sentences_name_is_there():
    named = re.findall(r"`\"(glb_omd/[^\"]+)\"`", DOCUMENT)
    assert len(named) == 3
    assert [len(optimist.settings(text)) for text in named] == [4, 4, 4]
    words = re.findall(r"`ecolog` has ([\d.]+) and `glb_omd` ([\d.]+)", DOCUMENT)
    committed = pd.read_parquet(ROOT / "figures/glb_omd/trials.parquet")
    rows = committed[(committed["lane"] == "regret") & (committed["setting"] == "logistic_s5")]
    means = rows[rows["trial"] < 20].groupby("algorithm")["regret"].mean()
    assert words == [(f"{means['ecolog']:.1f}", f"{means['glb_omd']:.1f}")]
