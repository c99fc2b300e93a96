"""Assembly of the page: template, style, scripts, data and security policy in a single file."""

import base64
import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from optimist.core.errors import ResultError
from optimist.core.files import unified, write_text
from optimist.page import curves, index
from optimist.page.content import collect
from optimist.plan.plan import Plan

MOST_BYTES = 5_000_000
# Maximum numbers of trials per cell with curves on the page, tried in this order until the page has
# at most ``ROOMY_BYTES`` bytes.
TRIALS = (40, 20, 10, 8, 6, 5, 4, 3, 2, 0)
ROOMY_BYTES = 4_800_000
LIBRARIES = ("d3.min.js", "plot.umd.min.js")
PROGRAMS = ("state.js", "statistics.js", "charts.js", "views.js")
# The CSS class of Observable Plot's drawings, and the style that Plot adds to each drawing.
PLOT_CLASS = "plot"
_PLOT_STYLE = re.compile(
    r'append\("style"\)\.text\(`(:where\(\.\$\{\w+\}\) \{\\n  --plot-background[^`]*)`\)'
)


def write(plan: Plan, base: Path) -> dict[str, int]:
    """Write the page and the index of figures; return their sizes in bytes by path.

    Parameters
    ----------
    plan : Plan
    base : Path
        Folder to which paths are relative: a checkout, or Snakemake's working directory.

    Raises
    ------
    ResultError, ConfigError
        See `build`.
    """
    page, data = build(plan, base)
    texts = {plan.layout.page: page, plan.layout.index: index.figures(data)}
    for path, text in texts.items():
        write_text(text, base / path)
    return {path: len(text.encode()) for path, text in texts.items()}


def build(plan: Plan, base: Path) -> tuple[str, dict[str, Any]]:
    """Return the page and its content, which depend only on the committed files.

    For ``base``, see `write`.

    Raises
    ------
    ResultError
        If a committed file is missing or has changed, or if the page is too large.
    ConfigError
        If a sentence relies on a verdict that has changed.
    """
    content = collect(plan, base)
    for trials in TRIALS:
        cells, grids, packed = curves.pack(content["cells"], trials)
        data = {**content, "cells": cells, "grids": grids}
        page = render(data, packed)
        if len(page.encode()) <= ROOMY_BYTES:
            break
    size = len(page.encode())
    if size > MOST_BYTES:
        raise ResultError(f"the page has {size} bytes; allowed: at most {MOST_BYTES}")
    return page, data


def render(data: dict[str, Any], packed: str) -> str:
    """Return the page with the given content."""
    import jinja2

    Markup = jinja2.utils.markupsafe.Markup
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = environment.from_string(_own("template.html"))
    scripts = [*map(library, LIBRARIES), *(_own(f"js/{name}") for name in PROGRAMS)]
    style = _own("style.css")
    return template.render(
        policy=policy(scripts, [style, plot_style()]),
        style=Markup(style),
        scripts=map(Markup, scripts),
        data=Markup(as_script(data)),
        curves=packed,
        quick=data["quick"],
        papers=data["papers"],
        claims=data["claims"],
    )


def as_script(data: Any) -> str:
    """Return data as JSON for a script element, without text that could end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def policy(scripts: list[str], styles: list[str]) -> str:
    """Return a content security policy that allows only images and these scripts and styles."""
    allowed = {
        "default-src": ["'none'"],
        "script-src": [_hash(script) for script in scripts],
        "style-src": [_hash(style) for style in styles],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{key} {' '.join(values)}" for key, values in allowed.items())


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def plot_style() -> str:
    """Return the style that Observable Plot adds to its drawings."""
    styles = _PLOT_STYLE.findall(library("plot.umd.min.js"))
    if len(styles) != 1:
        raise ResultError(
            "plot.umd.min.js does not contain exactly one style of the expected form; "
            "allowed: version 0.6.17"
        )
    return re.sub(r"\$\{\w+\}", PLOT_CLASS, styles[0]).replace("\\n", "\n")


def library(name: str) -> str:
    """Return the text of a vendored library; raise ResultError if its file was changed."""
    text = _own(f"vendor/{name}")
    expected = json.loads(_own("vendor/vendor.json"))[name]["sha256"]
    digest = hashlib.sha256(text.encode()).hexdigest()
    if digest != expected:
        raise ResultError(
            f"src/optimist/page/vendor/{name} has SHA-256 {digest[:16]}..., not "
            f"{expected[:16]}...; restore it"
        )
    return text


def _own(name: str) -> str:
    # The hash of a script must not depend on the line endings of a checkout.
    return unified((files("optimist.page") / name).read_bytes()).decode("utf-8")
