"""Formulas in Markdown, as forges read them: ``$...$`` within text, ``$$...$$`` displayed."""

from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.util import AtomicString

# Our docstrings have displayed formulas within a paragraph, which other extensions do not accept.
DISPLAYED = r"\$\$(.+?)\$\$"
# No blank inside next to the signs, and no digit after them: sums of money are text.
INLINE = r"(?<![\\$\w])\$(?![\s$])([^$]+?)(?<![\s\\])\$(?![\w$])"
# After code (190), before backslashes (180) and emphasis.
PRIORITY = 186


class _Formula(InlineProcessor):
    """Marks a formula for `assets/formulas.js`, and keeps everything else away from it."""

    def __init__(self, pattern: str, md: Markdown, classes: str) -> None:
        super().__init__(pattern, md)
        self._classes = classes

    def handleMatch(self, m, data):
        found = Element("span", {"class": self._classes})
        found.text = AtomicString(m[1].strip())
        return found, m.start(0), m.end(0)


class Formulas(Extension):
    """Both kinds of formulas."""

    def extendMarkdown(self, md: Markdown) -> None:
        displayed = _Formula(DISPLAYED, md, "formula displayed")
        md.inlinePatterns.register(displayed, "displayed formula", PRIORITY + 1)
        md.inlinePatterns.register(_Formula(INLINE, md, "formula"), "formula", PRIORITY)
