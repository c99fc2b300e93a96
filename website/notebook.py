"""The tutorial: a notebook that is stored without outputs, executed, and written as Markdown."""

import base64
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

SECONDS = 120  # that a cell may take
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Written:
    """Markdown, and its further files by name."""

    text: str
    files: dict[str, bytes] = field(default_factory=dict)


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs of its cells, executed in a folder.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        If a cell raises.
    """
    notebook = nbformat.read(path, as_version=4)
    # A socket of the file system: nobody else can listen.
    kernel = AsyncKernelManager(transport="ipc", ip=str(folder / "socket"))
    client = NotebookClient(notebook, km=kernel, timeout=SECONDS)
    # Without this folder, the kernel writes to the user's history of commands.
    environment = {**os.environ, "IPYTHONDIR": str(folder), "MPLBACKEND": "agg"}
    return client.execute(cwd=str(folder), env=environment)


def written(notebook: nbformat.NotebookNode, name: str) -> Written:
    """Return an executed notebook as Markdown, with pictures called ``name``_1.png and so on."""
    pieces: list[str] = []
    found = Written("")
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            pieces.append(cell.source)
            continue
        pieces.append(fenced(cell.source, "python"))
        pieces += [_output(output, name, found.files) for output in cell.outputs]
    found.text = "\n\n".join(pieces) + "\n"
    return found


def _output(output: nbformat.NotebookNode, name: str, files: dict[str, bytes]) -> str:
    if output.output_type == "stream":
        return shown(output.text)
    data = output.data
    if "image/png" in data:
        picture = f"{name}_{len(files) + 1}.png"
        files[picture] = base64.b64decode(data["image/png"])
        return f"![output of the cell above]({picture})"
    if "text/html" in data:
        # The frame's own style suits a notebook; blank lines would end the block of HTML.
        table = re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.S)
        return '<div class="output">\n' + re.sub(r"\n\s*\n", "\n", table) + "\n</div>"
    return shown(data["text/plain"])


def shown(text: str) -> str:
    """Return the output of a program as Markdown."""
    return fenced(_COLOURS.sub("", text).rstrip(), "text")


def fenced(text: str, language: str) -> str:
    """Return a block of code, whose fence is longer than any within."""
    longest = max(map(len, re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
