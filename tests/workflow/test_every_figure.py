"""Every figure of a paper is drawn from tables with all of its cells."""

import pytest
from made_up_tables import PAPERS, made_up

from optimist.figures import figure as figures
from optimist.figures.models import Figure

PAPER = PAPERS["glb_omd"]


@pytest.mark.parametrize("name", PAPER.figures)
def test_every_figure_is_drawn_in_full(name, tmp_path, texts_in_full):
    figure = Figure(**PAPER.figures[name])
    table = figures.tabulate(figure, made_up("glb_omd"), PAPER)
    png, pdf, webp = (tmp_path / f"figure.{ending}" for ending in ("png", "pdf", "webp"))
    figures.draw(figure, table, PAPER, png, pdf, webp)
    assert png.read_bytes().startswith(b"\x89PNG") and webp.read_bytes()[8:12] == b"WEBP"
    assert png.stat().st_size < 100_000 and webp.stat().st_size < 30_000
    assert not [text for text in texts_in_full if "missing" in text or "no data" in text]
    assert figure.title in texts_in_full
