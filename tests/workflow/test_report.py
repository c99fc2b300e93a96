"""The report, opened in a real browser."""

import re

import pytest
from browser import needs_browser, shown


@pytest.fixture(scope="module")
def report(quick):
    """Return the path of the report of a quick run."""
    path = quick.root / "results/quick/report.html"
    quick.run("snakemake", *quick.quick, "--report", path)
    return path


def shown_after(report, action, tmp_path):
    """Return the text of the page in the browser after a piece of JavaScript has run."""
    text = report.read_text()
    end = text.rindex("</body>")
    script = f"<script>setTimeout(() => {{{action}}}, 500)</script>"
    copy = tmp_path / "report.html"
    copy.write_text(text[:end] + script + text[end:])
    page = re.sub(
        r"<(script|style).*?</\1>", "", shown(copy.as_uri(), tmp_path / "profile"), flags=re.DOTALL
    )
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@needs_browser
def test_the_report_shows_its_categories_figures_and_claims(report, tmp_path):
    home = shown_after(report, "", tmp_path)
    assert "Every experiment of the papers" in home
    for name in ("Results", "GLB-OMD", "Hvt-UCB", "BKB", "GO-UCB"):
        assert name in home
    view = "navbarMode: 'subcategory', category: 'GLB-OMD', subcategory: 'figures'"
    figures = shown_after(report, f"app.setView({{{view}}})", tmp_path)
    for title in ("Figure 4: Covertype", "Confidence regions"):
        assert title in figures


def test_the_report_is_self_contained(report):
    text = report.read_text()
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=[\"']https?://", text)
    for name in ("fig4.png", "regions.png", "table2.csv", "index.html"):
        assert name in text
