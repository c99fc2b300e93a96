"""Links of the documents, which work on a forge, turned into links of the site.

A link to a file of the package leads to its docstrings in the reference; one to another file that
has no page here becomes the file's name as code, after its words.
"""

import posixpath
import re
from collections.abc import Callable, Collection

import reference

# Pages made of documents outside docs/.
ELSEWHERE = {
    "configuration.md": "config/README.md",
    "data.md": "data/README.md",
    "index.md": "README.md",
}
_CODE = re.compile(r"^(?P<fence>```+|~~~+).*?^(?P=fence)[^\S\n]*$|`[^`\n]+`", flags=re.M | re.S)
_LINK = re.compile(r"(?P<mark>!?)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)\)")


def source_of(page: str) -> str:
    """Return the path in the repository of the document behind a page, given by its name."""
    return ELSEWHERE.get(page, f"docs/{page}")


def page_of(path: str) -> str | None:
    """Return the name of the page of a document, None if it has none."""
    for page, source in ELSEWHERE.items():
        if source == path:
            return page
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def rewritten(text: str, page: str, served: Collection[str] = ()) -> str:
    """Return the Markdown of a page with the links that hold in the site.

    ``served`` are paths of files that the site has where the repository has them.
    """

    def link(found: re.Match[str]) -> str:
        target, hash_sign, anchor = found["target"].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source_of(page)), target))
        known = path if path in served else page_of(path)
        if known is None:
            known, _, anchor = (reference.page_of(path) or "").partition("#")
            hash_sign = "#" if known else ""
        if not known:
            words = found["words"].strip("`")
            return f"`{path}`" if path.endswith(words) else f"{found['words']} (`{path}`)"
        relative = posixpath.relpath(known, posixpath.dirname(page) or ".")
        return f"{found['mark']}[{found['words']}]({relative}{hash_sign}{anchor})"

    return _outside_code(text, lambda piece: _LINK.sub(link, piece))


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Return a text with a function applied to everything except code, which keeps its place."""
    codes: list[str] = []

    def put_away(found: re.Match[str]) -> str:
        codes.append(found[0])
        return f"\0{len(codes) - 1}\0"

    changed = change(_CODE.sub(put_away, text))
    return re.sub(r"\0(\d+)\0", lambda found: codes[int(found[1])], changed)
