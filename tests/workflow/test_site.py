"""The documentation site: built in a copy, read page by page, and opened in a real browser."""

import hashlib
import re
import resource
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
import yaml
from browser import needs_browser, shown
from markdown_it import MarkdownIt
from projects import new_project
from toy_environments import ROOT

import optimist
from optimist.algorithms import BOX_REGISTRY, REGISTRY
from optimist.claims.metrics.table import METRICS

SECONDS = 60  # of processors, that a build may take
# What a browser fetches on its own.
FETCHED = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "script", "source", "video"), "src"),
    "object": "data",
}
EXAMPLES = {
    "new_algorithm": "RidgeSampling[v=1]",
    "new_setting": "Ring[arms=20,horizon=300,speed=0]",
    "radius_sweep": "Hvt-UCB",
    "read_results": "at the end of its curves",
    "cluster_plan": "run/glb_omd/logistic_s3/gloc",
}


class Reader(HTMLParser):
    """What of a page counts here.

    Attributes
    ----------
    anchors : set of str
    links, fetched : list of str
        Addresses that a reader may follow, and those that the browser asks for itself.
    tags : list of str
        Of the text between <article> and </article>.
    """

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.fetched, self.tags = set(), [], [], []
        self.in_text = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.in_text |= tag == "article"
        self.anchors |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        if self.in_text:
            self.tags.append(tag)
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag == "link" and attributes.get("rel") not in ("canonical", "prev", "next"):
            self.fetched.append(attributes["href"])
        elif attributes.get(FETCHED.get(tag, "")):
            self.fetched.append(attributes[FETCHED[tag]])

    def handle_endtag(self, tag):
        self.in_text &= tag != "article"


def processor_seconds():
    """Return what processes that ended have taken, whatever else the machine did."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return new_project(tmp_path_factory.mktemp("site") / "project")


@pytest.fixture(scope="module")
def site(project):
    """Return the folder of the site, built as ``make site`` does."""
    before = processor_seconds()
    project.run("mkdocs", "build", NO_MKDOCS_2_WARNING="1")
    assert processor_seconds() - before < SECONDS
    return project.root / "site"


@pytest.fixture(scope="module")
def pages(site):
    """Return what was read of each page, by its path in the site."""
    # The page of a server for addresses that it does not know has addresses from the root; the page
    # of results is one of its own, with tests of its own.
    others = {site / "404.html", site / "figures/index.html"}
    paths = sorted({*site.rglob("*.html")} - others)
    return {str(p.relative_to(site)): Reader(p.read_text(encoding="utf-8")) for p in paths}


def text_of(site, name):
    """Return a page's text without tags."""
    return re.sub(r"<[^>]+>", "", (site / name).read_text(encoding="utf-8"))


# What a reader meets.


def test_every_link_leads_to_a_page_and_an_anchor_that_exist(site, pages):
    broken = []
    for name, page in pages.items():
        for link in page.links + page.fetched:
            url = urlsplit(link)
            if url.scheme in ("http", "https", "mailto", "data"):
                continue
            target = (site / name).parent / unquote(url.path) if url.path else site / name
            key = str(target.resolve().relative_to(site.resolve()))
            known = key in pages and (
                not url.fragment or unquote(url.fragment) in pages[key].anchors
            )
            if not (known or (key not in pages and target.is_file())):
                broken.append((name, link))
    assert not broken
    assert len(pages) > 30


def test_no_page_asks_another_host_for_anything(site, pages):
    asked = [
        (name, address)
        for name, page in pages.items()
        for address in page.fetched
        if urlsplit(address).netloc
    ]
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)", text)
        asked += [(path.name, address) for address in found]
    assert not asked
    # The theme asks a host for this library if a page has such a diagram.
    assert not [path for path in site.rglob("*.html") if 'class="mermaid' in path.read_text()]


def test_the_pages_are_those_that_a_reader_looks_for(pages):
    documents = {str(p.relative_to(ROOT / "docs").with_suffix(".html")) for p in DOCUMENTS}
    wanted = {"index.html", "tutorial.html", "gallery/index.html", "api/index.html"}
    assert documents | wanted <= set(pages)
    links = set(pages["index.html"].links)
    assert documents | wanted - {"index.html"} <= links


DOCUMENTS = sorted(ROOT.glob("docs/**/*.md"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_reads_in_the_site_as_on_a_forge(path, pages):
    forge = MarkdownIt("commonmark").enable("table").render(path.read_text(encoding="utf-8"))
    tags = pages[str(path.relative_to(ROOT / "docs").with_suffix(".html"))].tags
    for tag in ("h1", "h2", "h3", "li", "pre", "ul", "ol", "td", "blockquote"):
        assert tags.count(tag) == len(re.findall(f"<{tag}[ >]", forge)), tag


# Formulas and references.


def test_every_algorithm_stands_with_its_formula(site):
    for place in {**REGISTRY, **{f"box {k}": v for k, v in BOX_REGISTRY.items()}}.values():
        module, _, cls = place.partition(":")
        family = module.split(".")[2].replace("uniform", "glb")
        text = (site / "api" / f"{family}.html").read_text(encoding="utf-8")
        start = text.index(f'id="{module}"')
        end = text.index(f'id="{module}.{cls}"')
        assert 'class="formula displayed"' in text[start:end], module


def test_the_interface_and_the_metrics_are_in_the_reference(pages):
    names = {f"optimist.{name}" for name in optimist.__all__ if name != "__version__"}
    assert names <= pages["api/index.html"].anchors
    functions = {one.make for metrics in METRICS.values() for one in metrics}
    names = {f"{one.__module__}.{one.__name__}" for one in functions}
    assert names <= pages["api/metrics.html"].anchors


def test_a_parameter_has_the_default_of_its_own(site):
    words = re.sub(r"\s+", "", text_of(site, "api/index.html"))
    assert "trials(int,default:10)" in words
    assert "first(int,default:0)" in words


def test_no_formula_is_left_as_text(site):
    left = []
    for path in site.rglob("*.html"):
        text = re.sub(r"<(pre|code|script)\b.*?</\1>", "", path.read_text(), flags=re.S)
        left += [(path.name, found) for found in re.findall(r"\$[^$\n]{0,60}\\[a-z]+", text)]
    assert not left


# What was run for it.


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_a_page_with_its_output(name, project, site):
    page = (site / "gallery" / f"{name}.html").read_text(encoding="utf-8")
    output, heading, _ = page.partition('id="the-script"')
    assert heading and EXAMPLES[name] in output
    assert str(ROOT) not in page and str(project.root) not in page
    pictures = re.findall(r'<img[^>]* src="([\w.]+\.png)"', output)
    assert len(pictures) == (name != "cluster_plan")
    assert all((site / "gallery" / picture).is_file() for picture in pictures)


@pytest.mark.parametrize("label", ["ridge_sampling.py:RidgeSampling", "ring.py:Ring"])
def test_a_class_of_the_examples_keeps_its_contract(label, project):
    said = project.run("optimist", "check", f"examples/{label}").stdout
    assert "0 failed, 0 hint" in said


def test_the_tutorial_shows_what_its_cells_gave(site):
    page = (site / "tutorial.html").read_text(encoding="utf-8")
    assert page.count('class="output"') == 3
    assert "Ridge[gamma=0.3]" in page
    picture = re.search(r'src="(tutorial_\d\.png)"', page)
    assert (site / picture[1]).stat().st_size > 10000
    assert str(ROOT) not in page


def test_the_notebook_is_stored_without_outputs():
    notebook = nbformat.read(ROOT / "docs/tutorial.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert 10 <= len(notebook.cells) <= 15
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)


# What others made.


def test_vendored_files_are_those_of_the_list_and_have_their_licence():
    folder = ROOT / "website" / "vendor"
    listed = dict(
        line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines()
    )
    own = {"README.md", "SHA256SUMS"}
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} - own
    assert files == set(listed)
    for name, digest in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, name
    for library in {name.split("/")[0] for name in listed}:
        assert "Permission is hereby granted" in (folder / library / "LICENSE").read_text()


# In a browser.


# Lists what the page asked for, whatever came of it, and the fonts that it has.
PROBE = """<script>setTimeout(() => {
  const asked = performance.getEntriesByType("resource").map((entry) => entry.name);
  const fonts = [...document.fonts].filter((font) => font.status === "loaded");
  const list = document.createElement("pre");
  list.id = "probe";
  list.textContent = [...asked, ...fonts.map((font) => font.family)].join(" ");
  document.body.append(list);
}, 1500)</script></body>"""


@needs_browser
@pytest.mark.parametrize("name", ["api/glb.html", "api/black_box.html", "check-a-verdict.html"])
def test_a_browser_draws_every_formula_and_asks_no_host(name, site, tmp_path):
    probe = (site / name).with_name(f"probe_of_{Path(name).name}")
    text = (site / name).read_text(encoding="utf-8")
    probe.write_text(text.replace("</body>", PROBE), encoding="utf-8")
    try:
        page = shown(probe.as_uri(), tmp_path)
    finally:
        probe.unlink()
    formulas = len(re.findall(r'class="formula(?: displayed)?"', page))
    assert formulas == page.count('class="katex"') > 1
    assert "katex-error" not in page
    words = re.search(r'<pre id="probe">(.*?)</pre>', page, flags=re.S)[1].split()
    assert "KaTeX_Main" in words
    assert not [word for word in words if word.startswith("http")]


@needs_browser
def test_the_search_finds_words_in_pages_opened_as_files(site, tmp_path):
    page = shown(f"{(site / 'index.html').as_uri()}?q=sherman", tmp_path)
    assert re.search(r"\d+ matching documents", page)


def test_the_navigation_names_every_example_in_order(project):
    text = (project.root / "mkdocs.yml").read_text(encoding="utf-8")
    plain = re.sub(r"!!python/\S+", "", text)
    gallery = next(e["Gallery"] for e in yaml.safe_load(plain)["nav"] if "Gallery" in e)
    named = [Path(next(iter(e.values()))).stem for e in gallery if isinstance(e, dict)]
    assert named == list(EXAMPLES)
