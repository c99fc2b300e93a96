"""Conversion of docstrings to HTML: paragraphs, tables, lists, code, and formulas as MathML."""

import re
from html import escape
from xml.etree.ElementTree import tostring

_MATH = re.compile(r"\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$]+)\$", re.DOTALL)
_REFERENCE = re.compile(r"&amp;(#x[0-9A-Fa-f]+;)")
# Commands that would let a formula link to other pages or change its style or position.
_ATTRIBUTE = re.compile(r"\\(href|url|style|class|id|cssId|data)\b")
# Commands that the converter cannot handle, and simpler commands that replace them.
_SIMPLER = (
    (re.compile(r"\\arg\\(max|min)"), r"\\text{arg \1}"),
    (re.compile(r"\\[Bb]igg?(?=[\\()\[\]|])"), ""),
)


def to_mathml(formula: str, *, block: bool = False) -> str:
    """Convert a LaTeX formula to MathML.

    Raises
    ------
    ValueError
        If the formula contains an unknown command or one that sets attributes.
    """
    from latex2mathml.converter import convert_to_element

    for pattern, simpler in _SIMPLER:
        formula = pattern.sub(simpler, formula)
    if _ATTRIBUTE.search(formula):
        raise ValueError(f"no MathML for {formula!r}, which sets attributes")
    tree = convert_to_element(" ".join(formula.split()), display="block" if block else "inline")
    # The converter writes letters as character references, whose & must not be escaped.
    markup = _REFERENCE.sub(r"&\1", tostring(tree, encoding="unicode"))
    if "\\" in markup:
        raise ValueError(f"no MathML for {formula!r}")
    return markup


def to_html(text: str) -> str:
    """Convert the paragraphs, tables and lists of a docstring to HTML."""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    return "".join(map(_paragraph, paragraphs))


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if all(line.startswith("|") for line in lines) and len(lines) > 2:
        rows = [_cells(line) for line in lines]
        head, body = _row(rows[0], "th"), "".join(_row(row, "td") for row in rows[2:])
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
    if text.startswith("- "):
        items = re.split(r"\n- ", text[2:])
        return f"<ul>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</ul>"
    return f"<p>{_inline(text)}</p>"


def _cells(line: str) -> list[str]:
    """Return the cells of a table row; bars inside formulas and code do not end a cell."""
    pieces = re.split(r"(\$[^$]*\$|`[^`]*`)", line.strip().strip("|"))
    marked = [piece if i % 2 else piece.replace(" | ", "\0") for i, piece in enumerate(pieces)]
    return "".join(marked).split("\0")


def _row(cells: list[str], tag: str) -> str:
    scope = ' scope="col"' if tag == "th" else ""
    return f"<tr>{''.join(f'<{tag}{scope}>{_inline(cell.strip())}</{tag}>' for cell in cells)}</tr>"


def _inline(text: str) -> str:
    found, end = [], 0
    for match in _MATH.finditer(text):
        found.append(_words(text[end : match.start()]))
        found.append(_formula(match))
        end = match.end()
    return "".join([*found, _words(text[end:])])


def _formula(match: re.Match[str]) -> str:
    """Return a formula as MathML, or as its source if it cannot be converted."""
    block = match["block"]
    try:
        return to_mathml(block or match["inline"], block=block is not None)
    except Exception:  # the converter may raise any error
        return f"<code>{escape(match[0])}</code>"


def _words(text: str) -> str:
    return re.sub(r"``(.+?)``|`(.+?)`", lambda m: f"<code>{m[1] or m[2]}</code>", escape(text))


def first_sentence(text: str) -> str:
    """Return the first paragraph of a docstring as one line."""
    return " ".join(text.strip().split("\n\n")[0].split())
