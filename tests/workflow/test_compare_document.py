"""docs/compare.md: its Python is run as it stands."""

import re

import pandas as pd
from toy_environments import ROOT

from optimist.algorithms import REGISTRIES
from optimist.comparison import play


def test_the_python_of_the_document_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(play, "workspace", lambda: tmp_path)
    text = (ROOT / "docs/compare.md").read_text(encoding="utf-8")
    scope = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
        exec(block, scope)
    assert isinstance(scope["played"], pd.DataFrame) and scope["played"]["trial"].nunique() == 12
    assert (tmp_path / "curves.pdf").stat().st_size > 3000
    assert set(scope["both"]["algorithm"]) == {"uniform", "Again"}
    REGISTRIES["arms"].added.clear()
