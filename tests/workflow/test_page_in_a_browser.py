"""The page of results in a real browser: the committed one, and that of a quick run."""

import base64
import gzip
import json
import re
import shutil
from itertools import product

import jsonschema
import numpy as np
import pytest
from browser import BROWSER, needs_browser
from toy_environments import ROOT

from optimist.claims.evidence import Mean
from optimist.config.load import load_config
from optimist.experiments.cell_trials import kept_rounds
from optimist.experiments.trial_table import TrialTable
from optimist.page import build, curves
from optimist.plan.plan import Plan

playwright = pytest.importorskip("playwright.sync_api")

PAGE = ROOT / "figures" / "index.html"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
AXE = ROOT / "tests" / "vendor" / "axe.min.js"
WIDTHS = (360, 768, 1280)
PACKED = r'<script type="text/plain" id="curves">(.*?)</script>'
SIZES = "() => [document.documentElement.scrollWidth, innerWidth]"

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield chromium
        chromium.close()


class Reader:
    """A tab in which the page is open, with what it said and asked for."""

    def __init__(self, browser, page=PAGE, address="#/", **context):
        self.context = browser.new_context(**context)
        self.tab = self.context.new_page()
        self.said, self.asked = [], []
        self.tab.on("console", lambda message: self.said.append(message.text))
        self.tab.on("pageerror", lambda error: self.said.append(str(error)))
        self.tab.on("request", lambda request: self.asked.append(request.url))
        self.page = page
        self.open(address)

    def open(self, address):
        self.tab.goto(self.page.as_uri() + address)
        for _ in range(200):
            if self.tab.evaluate("() => document.documentElement.dataset.ready") == "unpacked":
                return self
            self.tab.wait_for_timeout(25)
        raise AssertionError(f"not ready: {self.said}")

    def go(self, address):
        """Follow a link within the page."""
        self.tab.evaluate(
            "async (hash) => { location.hash = hash; await new Promise((r) => setTimeout(r, 5)); }",
            address,
        )

    @property
    def address(self):
        return self.tab.evaluate("() => location.hash")

    @property
    def title(self):
        return self.tab.inner_text("h1")

    @property
    def text(self):
        return self.tab.inner_text("main")

    def drawing(self):
        """The chart's markup without the running numbers of its clip paths."""
        return re.sub(r"plot-clip-\d+", "plot-clip", self.tab.inner_html("#chart"))


@pytest.fixture
def read(browser):
    """Open a page at an address; it may say nothing and fetch nothing from elsewhere."""
    opened = []

    def read(address="#/", page=PAGE, **options):
        opened.append(Reader(browser, page, address, **options))
        return opened[-1]

    yield read
    for reader in opened:
        reader.context.close()
        assert reader.said == []
        assert all(url.startswith(("file:", "data:", "blob:")) for url in reader.asked)


@pytest.fixture(scope="module")
def data():
    text = PAGE.read_text(encoding="utf-8")
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return json.loads(found)


def views(data):
    """Return an address of every kind of view."""
    claims = {claim["kind"]: id for id, claim in data["claims"].items()}
    claims |= {claim["verdict"]: id for id, claim in data["claims"].items()}
    return [
        "#/",
        "#/explore",
        "#/methods",
        "#/provenance",
        "#/open",
        *(f"#/paper/{id}" for id in data["papers"]),
        *(f"#/claim/{id}" for id in dict.fromkeys(claims.values())),
        f"#/method/{next(iter(data['methods']))}",
        f"#/setting/{quoted(next(iter(data['settings'])))}",
        "#/explore?paper=hvt_ucb&axis=log&base=hvt_ucb",
    ]


def quoted(path):
    return "/".join(part.replace("[", "%5B").replace("]", "%5D") for part in path.split("/"))


# What it says.


def test_home_leads_to_papers_and_claims(read, data):
    reader = read()
    assert "Four papers claimed" in reader.title
    assert len(reader.tab.query_selector_all(".card")) == len(data["papers"])
    assert len(reader.tab.query_selector_all("ol.findings li")) == len(data["findings"])
    reader.tab.click("ol.findings li a >> nth=0")
    assert reader.address == f"#/claim/{data['findings'][0]['claim']}"
    reader.tab.go_back()
    reader.tab.click(".card h2 a >> nth=1")
    assert reader.address == f"#/paper/{[*data['papers']][1]}"


def test_claims_are_filtered_with_the_counts_that_buttons_show(read, data):
    reader = read("#/paper/hvt_ucb")
    own = [c for c in data["claims"].values() if c["paper"] == "hvt_ucb"]
    assert len(reader.tab.query_selector_all(".claims li")) == len(own)
    for word in {claim["verdict"] for claim in own}:
        count = sum(claim["verdict"] == word for claim in own)
        button = reader.tab.locator(f"[id='v-{word}']")
        assert button.inner_text().endswith(f"{word} {count}")
        button.click()
        assert len(reader.tab.query_selector_all(".claims li")) == count
        reader.tab.locator(f"[id='v-{word}']").click()
    reader.tab.select_option("#c-kind", "guarantee")
    count = sum(claim["kind"] == "guarantee" for claim in own)
    assert len(reader.tab.query_selector_all(".claims li")) == count


def test_a_link_to_a_figure_scrolls_to_it_before_pictures_are_there(read, data):
    """Room is kept for each, or those above would push it away as they arrive."""
    reader = read("#/claim/hvt_ucb.02")
    reader.tab.route("**/*.png", lambda route: None)  # they never come
    reader.tab.click("dd a >> nth=0")
    marked = reader.tab.locator("figure.marked").first
    reader.tab.wait_for_timeout(1500)
    box = marked.bounding_box()
    assert -5 <= box["y"] < 450
    shapes = reader.tab.evaluate(
        "() => [...document.querySelectorAll('figure')].map((f) => [f.id.slice(7),"
        " f.querySelector('img').clientWidth / f.querySelector('img').clientHeight])"
    )
    sizes = {name: data["figures"][f"hvt_ucb/{name}"]["size"] for name, _ in shapes}
    assert shapes and all(
        shape == pytest.approx(sizes[name][0] / sizes[name][1], rel=0.02) for name, shape in shapes
    )


def test_every_claim_opens_with_its_verdict_checks_and_command(read, data):
    reader = read()
    for id, claim in data["claims"].items():
        reader.go(f"#/claim/{id}")
        text = reader.text
        assert claim["statement"] in text and claim["verdict"] in text
        assert f"snakemake --cores all {claim['paper']}" in text
        labels = {check[2] for check in claim["checks"]}
        shown = reader.tab.evaluate("() => document.querySelector('main').textContent")
        assert all(label in shown for label in labels)
        # Names stand in place of labels, where there are trials to have them from.
        known = [name.partition("/")[2] for name in (*data["labels"], *data["settings"])]
        drawn = " ".join(reader.tab.locator(".check").all_text_contents())
        assert not [name for name in known if "[" in name and f" {name} " in f"{drawn} "]
        # The one sentence that has the word.
        shown = shown.replace("a ratio to the bound is undefined", "")
        assert "undefined" not in shown and "NaN" not in shown
        if any(status == "ours" and outcome for _, status, outcome in claim["readings"]):
            heads = [
                head for head in reader.tab.locator("h2").all_inner_texts() if "Beside" in head
            ]
            assert heads and all(head.endswith("which count for nothing") for head in heads)


def test_open_claims_are_listed_with_their_cause_and_what_would_decide_them(read, data):
    reader = read("#/open")
    looked_at = ("open", "doubted")
    known = {id: claim for id, claim in data["claims"].items() if claim["verdict"] in looked_at}
    rows = [row.split("\t") for row in reader.tab.locator("tbody tr").all_inner_texts()]
    assert {(row[0], row[2], row[3]) for row in rows} == {
        (id, claim["words"], claim["cause"]) for id, claim in known.items()
    }
    priced = [row[0] for row in rows if row[5] != "–"]
    chances = [0.5 if known[id]["chance"] is None else known[id]["chance"] for id in priced]
    prices = [known[id]["hours"] / max(p, 1e-6) for id, p in zip(priced, chances, strict=True)]
    assert len(priced) > 1 and prices == sorted(prices)
    reader.tab.click("summary")
    commands = [claim["command"] for claim in known.values() if claim["command"]]
    assert sorted(reader.tab.locator("details pre").all_inner_texts()) == sorted(commands)


def test_guarantees_and_facts_that_say_little_have_words_of_their_own(read, data):
    reader = read("#/paper/bkb?kind=guarantee")
    own = [c for c in data["claims"].values() if c["paper"] == "bkb" and c["kind"] == "guarantee"]
    vacuous = sum(claim["verdict"] == "vacuous" for claim in own)
    assert vacuous and f"{vacuous} vacuous" in reader.text
    chosen = [c for c in data["claims"].values() if c["verdict"] == "selected by it"]
    reader.go(f"#/paper/{chosen[0]['paper']}")
    assert "selected by it" in reader.text


AXES = """
([interval, value, relation, bound]) => {
  const check = optimist.data.checks.map(() => null);
  const C = optimist.columns;
  Object.assign(check, { [C.check]: "x", [C.value]: value, [C.interval]: interval,
                         [C.relation]: relation, [C.bound]: bound, [C.outcome]: "open" });
  const axes = optimist.axes([check], 400);
  const drawn = optimist.checks([check], 400, axes)[0];
  return [axes.log !== null, drawn.querySelectorAll(".beyond").length,
          [...drawn.querySelectorAll("line.c-open")].map(
            (line) => [+line.getAttribute("x1"), +line.getAttribute("x2")])];
}
"""


@pytest.mark.parametrize(
    ("interval", "value", "bound", "is_log", "arrows", "pieces"),
    [
        ("0.5 to 2", 1.0, "1.5", True, 0, 1),
        ("0 to 2", 1.0, "1.5", True, 1, 1),  # zero lies beyond a logarithmic axis
        ("0.5 to inf", 1.0, "1.5", True, 1, 1),
        ("0 to 0.4 or 1.2 to inf", 0.3, "1.5", True, 2, 2),
        ("-0.5 to 2", 1.0, "1.5", False, 0, 1),
        ("", 1.0, "1.5", True, 0, 1),
    ],
)
def test_intervals_are_drawn_to_their_ends(read, interval, value, bound, is_log, arrows, pieces):
    found = read().tab.evaluate(AXES, [interval, value, "below", bound])
    assert found[:2] == [is_log, arrows] and len(found[2]) == pieces
    assert all(8 <= start <= end <= 392 for start, end in found[2])
    if "inf" in interval:
        assert found[2][-1][1] == 392


def test_ranks_are_given_to_no_mean_of_few_trials(read):
    cells = [
        {"mean": [float(mean)], "finals": [mean + 0.1 * k for k in range(n)]}
        for mean, n in ((1, 3), (2, 20), (3, 20))
    ]
    ranks = "cells => { const r = optimist.ranks(cells); return cells.map((c) => r.get(c) || '') }"
    reader = read()
    assert reader.tab.evaluate(ranks, cells) == ["", "1", "2"]
    few = [{**cell, "finals": cell["finals"][:3]} for cell in cells]
    assert reader.tab.evaluate(ranks, few) == ["1", "2", "3"]


def test_every_method_setting_and_link_opens(read, data):
    reader = read()
    addresses = [f"#/method/{id}" for id in data["methods"]]
    addresses += [f"#/setting/{quoted(id)}" for id in data["settings"]]
    addresses += [f"#/paper/{id}" for id in data["papers"]]
    links = set()
    for address in addresses:
        reader.go(address)
        shown = reader.tab.evaluate(
            "() => [document.querySelector('main').textContent,"
            " [...document.querySelectorAll('main a')].map((a) => a.getAttribute('href'))]"
        )
        assert "There is no" not in shown[0] and "undefined" not in shown[0], address
        links |= set(shown[1])
    inner = [link for link in links if link.startswith("#")]
    files = [link for link in links if not link.startswith("#")]
    assert files and all((ROOT / "figures" / link).is_file() for link in files)
    for link in inner:
        reader.go(link)
        assert "There is no" not in reader.title, link


def test_an_unknown_address_gets_the_nearest_name(read):
    reader = read("#/claim/hvt_ucb.002")
    assert reader.title == "There is no claim hvt_ucb.002"
    reader.tab.click("main a")
    assert reader.address.startswith("#/claim/hvt_ucb.0")
    assert read("#/explor").tab.inner_text("main a") == "explore"


def test_the_find_box_finds_by_word_and_by_keys(read, data):
    reader = read()
    reader.tab.focus("#find")
    reader.tab.keyboard.type("huber")
    options = reader.tab.locator("#found li").all_inner_texts()
    assert any("Hvt-UCB" in text for text in options)
    reader.tab.keyboard.press("ArrowDown")
    assert reader.tab.get_attribute("#find", "aria-activedescendant") == "found-0"
    reader.tab.keyboard.press("Enter")
    assert reader.address != "#/"
    places = {"open claims": "#/open", "bkb guarantee": "#/paper/bkb?kind=guar"}
    for words, place in places.items():
        reader.tab.fill("#find", words)
        reader.tab.keyboard.press("Enter")
        assert reader.address.startswith(place)
    reader.tab.fill("#find", "gaussian process")
    kinds = reader.tab.locator("#found .kind").all_inner_texts()
    assert kinds and "list" not in kinds[0]
    reader.tab.fill("#find", "no such thing anywhere")
    assert reader.tab.inner_text("#found") == "Nothing found"


# The explorer.


def test_the_explorer_keeps_its_state_in_the_address(read, browser):
    reader = read("#/explore")
    chosen = {"paper": "glb_omd", "line": "median", "band": "quartiles", "axis": "log"}
    for name, value in chosen.items():
        reader.tab.select_option(f"#c-{name}", value)
    reader.tab.click("[id='only-glb_omd']")
    reader.tab.click("[id='chip-gloc']")
    drawn = reader.drawing()
    again = read(reader.address)
    assert again.drawing() == drawn
    assert "GLOC" in drawn and "GLM-UCB" not in drawn
    reader.tab.go_back()
    assert reader.drawing() != drawn
    assert "algs=glb_omd&" in reader.address or reader.address.endswith("algs=glb_omd")


def test_the_table_sorts_by_columns_and_reads_at_a_round_without_losing_the_focus(read):
    reader = read("#/explore")
    reader.tab.click("#sort-median")
    cells = reader.tab.locator("table.narrow tbody tr td:nth-child(4)").all_inner_texts()
    column = [float(text) for text in cells if text != "–"]
    assert column == sorted(column)
    reader.tab.click("#sort-median")
    assert reader.tab.get_attribute("th:nth-child(4)", "aria-sort") == "descending"
    before = reader.tab.inner_text("table.narrow tbody")
    reader.tab.focus("#c-at")
    for _ in range(3):
        reader.tab.keyboard.press("PageDown")
    assert reader.tab.evaluate("() => document.activeElement.id") == "c-at"
    assert reader.tab.inner_text("table.narrow tbody") != before
    assert "at=" in reader.address


@pytest.mark.parametrize("setting", ["glb_omd/logistic_s5", "hvt_ucb/student_t[radius=matched]"])
def test_a_setting_has_the_results_of_the_explorer(read, setting):
    paper, _, label = setting.partition("/")

    def rows(address):
        reader = read(address)
        lines = reader.tab.locator("table.narrow tbody tr").all()
        texts = [[cell.inner_text().strip() for cell in line.locator("td").all()] for line in lines]
        return [row for row in texts if row[2] != "–"]

    board = rows(f"#/explore?paper={paper}&setting={quoted(label)}")
    own = rows(f"#/setting/{quoted(setting)}")
    assert len(own) > 3
    assert own == [[row[0], row[1], row[2], row[4], row[5].strip("–")] for row in board]


def test_a_phone_shows_trials_and_seconds(read):
    reader = read("#/explore", viewport={"width": 360, "height": 900})
    for name, is_shown in (("n", True), ("seconds", True), ("median", False)):
        assert reader.tab.locator(f'td[data-head="{name}"]').first.is_visible() == is_shown
    before = "(cell) => getComputedStyle(cell, '::before').content"
    cell = reader.tab.locator('td[data-head="seconds"]').first
    assert cell.evaluate(before) == '"seconds: "'


def test_paired_intervals_are_those_of_the_pipeline(read, data):
    reader = read()
    rng = np.random.default_rng(11)
    for _ in range(50):
        n = int(rng.integers(2, min(len(data["t"]) + 1, 60)))
        first, second = rng.gamma(2.0, 50.0, (2, n))
        found = reader.tab.evaluate("([a, b]) => optimist.paired(a, b)", [[*first], [*second]])
        wanted = Mean(np.subtract(first, second), 2)
        ((low, high),) = wanted.pieces(0.95)
        numbers = [found["mean"], found["low"], found["high"]]
        assert numbers == pytest.approx([wanted.value, low, high], rel=1e-6, abs=1e-6)
    for paper, setting in (("glb_omd", "logistic_s3"), ("hvt_ucb", "student_t")):
        reader.go(f"#/explore?paper={paper}&setting={setting}&base={paper}")
        (n,) = re.findall(r"of paired differences, n\s=\s(\d+)", reader.text)
        assert int(n) >= 3
        assert reader.tab.locator("#chart svg path[stroke]").count() >= 2


def test_curves_are_those_of_the_committed_tables(read, data):
    reader = read("#/explore")
    table = TrialTable(ROOT / "figures/hvt_ucb/trials.parquet")
    cells = [i for i, c in enumerate(data["cells"]) if c["paper"] == "hvt_ucb" and "curves" in c]
    for i in cells[:: max(1, len(cells) // 10)]:
        cell = data["cells"][i]
        own = table.cell("regret", cell["setting"], cell["label"]).curves(0.95, "t")
        own = own[own["round"].isin(kept_rounds(own["round"].to_numpy()))]
        found = reader.tab.evaluate(
            "i => { const c = optimist.curves(optimist.data.cells[i], 'curves');"
            " return [c.rounds, [...c.mean]]; }",
            i,
        )
        assert found[0] == own["round"].tolist()
        wanted = own["mean"].to_numpy(float)
        assert found[1] == pytest.approx(wanted, abs=2e-5 * cell["curves"]["top"] + 1e-9)


def test_exports_carry_names(read, tmp_path):
    reader = read("#/explore?paper=hvt_ucb", accept_downloads=True)
    for button, ending, words in (
        ("Curves as CSV", ".csv", ["setting,algorithm,round,mean,low,high,n"]),
        ("Table as CSV", "-table.csv", ["rank,algorithm"]),
        ("SVG", ".svg", ["<svg", "Hvt-UCB: ", "optimist "]),
    ):
        with reader.tab.expect_download() as download:
            reader.tab.click(f"text={button}")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        assert path.name.startswith("hvt_ucb-") and path.name.endswith(ending)
        assert all(word in path.read_text(encoding="utf-8") for word in words)
    reader.asked.clear()


# How it looks to everyone.


def test_no_view_scrolls_sideways(read, data):
    for width in WIDTHS:
        reader = read(viewport={"width": width, "height": 900})
        for address in views(data):
            reader.open(address)
            scroll, inner = reader.tab.evaluate(SIZES)
            assert scroll <= inner, (address, width)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(read, data, theme):
    reader = read(color_scheme=theme, bypass_csp=True)
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
    for address in views(data):
        reader.open(address)
        reader.tab.add_script_tag(path=AXE)
        found = reader.tab.evaluate("rules => axe.run(document, rules)", rules)["violations"]
        assert not [(f["id"], [n["html"][:120] for n in f["nodes"][:3]]) for f in found], address


def test_the_theme_is_chosen_and_kept(read):
    reader = read(color_scheme="light")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = reader.tab.evaluate(ground)
    reader.tab.click("#theme")
    assert reader.tab.get_attribute("#theme", "aria-label") == "Theme: dark"
    assert reader.tab.evaluate(ground) != light
    reader.tab.reload()
    assert reader.tab.evaluate(ground) != light


def test_print_shows_all_and_no_controls(read):
    reader = read("#/claim/hvt_ucb.02")
    reader.tab.emulate_media(media="print")
    reader.tab.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    assert not reader.tab.is_visible("nav") and not reader.tab.is_visible("#find")
    assert all(
        reader.tab.evaluate("() => [...document.querySelectorAll('details')].map((d) => d.open)")
    )


def test_without_pictures_thumbnails_stay(browser, tmp_path):
    reader = Reader(browser, shutil.copy(PAGE, tmp_path / "index.html"), "#/paper/bkb")
    reader.tab.locator("figure img").first.scroll_into_view_if_needed()
    reader.tab.wait_for_timeout(300)
    assert reader.tab.locator("figure img").first.get_attribute("src").startswith("data:image/webp")
    reader.context.close()


def test_nothing_foreign_runs_or_loads(browser):
    reader = Reader(browser)
    reader.tab.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.x = 1';"
        " document.body.append(s); const i = new Image(); i.src = 'https://example.org/a.png';"
        " document.body.append(i); }"
    )
    reader.tab.wait_for_timeout(200)
    assert reader.tab.evaluate("() => window.x") is None
    assert sum("Content Security Policy" in text for text in reader.said) == 2
    reader.context.close()


# Curves that cannot be unpacked.


def without_curves(browser, page, script=""):
    """Return the text of the view that needs curves, once it says that there are none."""
    context = browser.new_context()
    context.add_init_script(script)
    tab = context.new_page()
    tab.goto(page.as_uri() + "#/explore")
    tab.wait_for_function(
        "() => document.documentElement.dataset.ready === 'without curves'", timeout=10_000
    )
    text = tab.inner_text("main")
    context.close()
    assert "Unpacking" not in text
    return text


def test_a_browser_that_cannot_unpack_is_told_which_can(browser):
    text = without_curves(browser, PAGE, "delete window.DecompressionStream")
    assert "Firefox 113, Safari 16.4, Chrome 80" in text
    assert "The table below, claims, figures, methods and settings need no curves" in text
    assert "rank" in text


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text[:1000] + text[1000:1100][::-1] + text[1100:],
        lambda text: "no base64 !",
        lambda text: curves.pack([], 0)[2],
    ],
    ids=["half", "changed", "no base64", "of other cells"],
)
def test_damaged_curves_are_named(browser, tmp_path, change):
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(PACKED, text, re.S)
    damaged = tmp_path / "index.html"
    damaged.write_text(text[: found.start(1)] + change(found[1]) + text[found.end(1) :])
    assert "The curves in this file are damaged" in without_curves(browser, damaged)


# Where it comes from.


def test_the_committed_page_is_that_of_the_committed_tables(data):
    page, fresh = build.build(Plan(load_config()), ROOT)
    text = PAGE.read_text(encoding="utf-8")
    assert json.loads(json.dumps(fresh)) == data
    jsonschema.validate(data, json.loads(build._own("page.schema.json")))
    # Unlike the text, the bytes in it are the same on all machines.
    packed = [base64.b64decode(re.findall(PACKED, one, re.S)[0]) for one in (page, text)]
    assert gzip.decompress(packed[0]) == gzip.decompress(packed[1])
    plain = [re.sub(PACKED, "", one, flags=re.S) for one in (page, text)]
    assert plain[0] == plain[1], "figures/index.html is of other sources; run: make page"
    assert PAGE.stat().st_size < build.MOST_BYTES


def test_the_page_of_a_quick_run_is_no_result(read, quick):
    page = quick.root / "results/quick/figures/index.html"
    for address, width in product(("#/", "#/paper/glb_omd", "#/explore"), (360, 1280)):
        reader = read(address, page, viewport={"width": width, "height": 800})
        assert reader.tab.inner_text(".banner") == "Shortened run: nothing here is a result."
        scroll, inner = reader.tab.evaluate(SIZES)
        assert scroll <= inner
    index = (quick.root / "results/quick/figures/README.md").read_text()
    assert "**Shortened run: nothing here is a result.**" in index
