"""What the page of results takes in a browser: until it shows, until curves are there, a redraw.

``python benchmarks/page.py`` opens figures/index.html in headless Chromium, each time with nothing
kept from before, and prints medians in milliseconds with the least and the most, and the page's
size. Targets: shown within 1000 ms, a redraw of seven methods within 100 ms, at most 5 MB.
"""

import gzip
import shutil
import statistics
import sys
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import sync_playwright

PAGE = Path(__file__).parents[1] / "figures" / "index.html"
LOADS = 5
REDRAWS = 9
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SEVEN = "#/explore?paper=glb_omd&setting=logistic_s3&algs=" + "%3B".join(
    quote(label)
    for label in (
        *("glb_omd", "glm_ucb[projection=false,radius=logdet]", "gloc", "ofuglb"),
        *("rs_glincb[constants=practical]", "ofulog_r[ball=false,radius=data]"),
        "ecolog[diameter=norm]",
    )
)
REDRAW = """() => {
  const start = performance.now();
  optimist.show();
  document.querySelector('#chart svg').getBoundingClientRect();
  return performance.now() - start;
}"""
MARKS = "() => performance.getEntriesByType('mark').map((m) => [m.name, m.startTime])"


def opened(browser, address):
    """Open the page in a tab without any memory; return tab and milliseconds of its marks."""
    tab = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    tab.goto(PAGE.as_uri() + address)
    marks = {}
    while "unpacked" not in marks:
        tab.wait_for_timeout(50)
        marks = dict(tab.evaluate(MARKS))
    return tab, marks


def show(what, numbers):
    """Print the median of some milliseconds with their range."""
    middle = statistics.median(numbers)
    print(f"{what}: {middle:.0f} ms ({min(numbers):.0f} to {max(numbers):.0f})")


def main():
    """Measure and print."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None or not PAGE.is_file():
        sys.exit("needs chromium and figures/index.html (make page)")
    size = PAGE.stat().st_size
    packed = len(gzip.compress(PAGE.read_bytes()))
    print(f"size {size / 1e6:.2f} MB, compressed {packed / 1e6:.2f} MB")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        loads = [opened(browser, "#/")[1] for _ in range(LOADS)]
        show("shown", [marks["shown"] for marks in loads])
        show("curves unpacked", [marks["unpacked"] for marks in loads])
        tab, _ = opened(browser, SEVEN)
        show("redraw of seven methods", [tab.evaluate(REDRAW) for _ in range(REDRAWS)][1:])
        most = max(
            (path for path in tab.evaluate("() => Object.entries(optimist.data.claims)")),
            key=lambda item: len(item[1]["checks"]),
        )
        tab, _ = opened(browser, f"#/claim/{most[0]}")
        checks = len(most[1]["checks"])
        timed = REDRAW.replace("#chart svg", "main")
        show(f"claim with {checks} checks", [tab.evaluate(timed) for _ in range(REDRAWS)][1:])
        browser.close()


if __name__ == "__main__":
    main()
