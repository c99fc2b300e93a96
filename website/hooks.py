"""Hooks of MkDocs: pages made from sources other than docs/, links, formulas and references."""

import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gallery
import links
import notebook
import reference
from formulas import Formulas
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

HERE = Path(__file__).parent
ROOT = HERE.parent
PARTS = HERE / "pages"
# In the README: before this the home page has a part of its own, and there it ends, as what to type
# first has been said.
FINDINGS = "\n## What the papers say, and what we measure"
END_OF_HOME = "\nEach makes a virtual environment"
PLACE = "\n<!-- findings -->\n"  # in home.md
# At once: some wait for others more than they compute.
PROCESSES = 4
HOME_PICTURE = "figures/glb_omd/fig1.png"
# What the README shows and links to: its picture, and the page of results.
SERVED = ("figures/hvt_ucb/fig1.png", "figures/index.html")


@event_priority(100)  # before mkdocstrings takes the list of extensions
def on_config(config: MkDocsConfig) -> None:
    """Add formulas, to the text of pages and of docstrings."""
    config.markdown_extensions.append(Formulas())


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add what docs/ does not have."""

    def add(name: str, content: str | bytes) -> None:
        files.append(File.generated(config, name, content=content))

    for folder in ("assets", "vendor"):
        for path in sorted((HERE / folder).rglob("*")):
            if path.is_file() and path.suffix != ".md":
                add(path.relative_to(HERE).as_posix(), path.read_bytes())
    add("index.md", _home())
    add("picture.png", (ROOT / HOME_PICTURE).read_bytes())
    for name in SERVED:
        add(name, (ROOT / name).read_bytes())
    for page in ("configuration.md", "data.md"):
        add(page, (ROOT / links.source_of(page)).read_text(encoding="utf-8"))
    for name, text in reference.pages(ROOT / "src" / "optimist", PARTS).items():
        add(name, text)
    with ThreadPoolExecutor(PROCESSES) as pool, tempfile.TemporaryDirectory() as folder:
        tutorial = pool.submit(notebook.executed, ROOT / "docs" / "tutorial.ipynb", Path(folder))
        examples = {
            name: pool.submit(gallery.run, name, ROOT / "examples") for name in gallery.NAMES
        }
        rows = [(PARTS / "gallery.md").read_text(encoding="utf-8").rstrip(), ""]
        for name, submitted in examples.items():
            example = submitted.result()
            add(f"gallery/{name}.md", example.page())
            for picture, content in example.pictures.items():
                add(f"gallery/{picture}", content)
            rows.append(f"- [{example.title}]({name}.md): {example.first_words()}")
        add("gallery/index.md", "\n".join(rows) + "\n")
        written = notebook.written(tutorial.result(), "tutorial")
    add("tutorial.md", f"{written.text}\n[The notebook, without its outputs](tutorial.ipynb)\n")
    for picture, content in written.files.items():
        add(picture, content)


def _home() -> str:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown, _ = _parts(readme, END_OF_HOME, "README.md")
    opening, findings = _parts(links.rewritten(shown, "index.md", SERVED), FINDINGS, "README.md")
    own, read_on = _parts((PARTS / "home.md").read_text(encoding="utf-8"), PLACE, "home.md")
    return f"{opening}\n{own}{FINDINGS}{findings}\n{read_on}"


def _parts(text: str, mark: str, name: str) -> tuple[str, str]:
    """Return the text before a mark, and the text after it."""
    before, found, after = text.partition(mark)
    if not found:
        raise ValueError(f"{name} has no line {mark.strip()!r} where the home page needs it")
    return before, after


def on_page_markdown(markdown: str, page: Page, **kwargs: object) -> str | None:
    """Rewrite the links of a document as links of the site."""
    name = page.file.src_uri
    is_document = (ROOT / links.source_of(name)).is_file() and name != "index.md"
    return links.rewritten(markdown, name) if is_document else None


def on_page_content(html: str, **kwargs: object) -> str:
    """Let names of the package in code lead to the reference, where it has them.

    A parameter without a description loses the dash before it.
    """
    html = re.sub(r'–\s*<div class="doc-md-description">\s*</div>', "", html)
    return re.sub(
        r"(?<!>)<code>(optimist(?:\.\w+)+)</code>(?!</a>)",
        r'<autoref identifier="\1" optional><code>\1</code></autoref>',
        html,
    )
