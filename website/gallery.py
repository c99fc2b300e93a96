"""Pages of the gallery: each script of examples/, run, with its output and pictures."""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from notebook import fenced, shown

# In the order of the navigation.
NAMES = ("new_algorithm", "new_setting", "radius_sweep", "read_results", "cluster_plan")
# Further files that a script needs.
BESIDE = {"new_algorithm": ["ridge_sampling.py"], "new_setting": ["ring.py"]}


@dataclass
class Shown:
    """A script that ran.

    Attributes
    ----------
    title, text : str
        The first line of its docstring, and the rest.
    code : str
        The script and the files that it needs, as Markdown.
    printed : str
    pictures : dict
        Bytes by name.
    """

    title: str
    text: str
    code: str
    printed: str
    pictures: dict[str, bytes]

    def first_words(self) -> str:
        """Return the first paragraph in one line."""
        return " ".join(self.text.partition("\n\n")[0].split())

    def page(self) -> str:
        """Return Markdown."""
        pictures = [f"![what the script drew]({name})" for name in self.pictures]
        parts = [f"# {self.title}", self.text, "## What it shows", *pictures, shown(self.printed)]
        return "\n\n".join([*parts, "## The script", self.code]) + "\n"


def run(name: str, folder: Path) -> Shown:
    """Run one script of ``folder`` in a copy, and return its output.

    Raises
    ------
    RuntimeError
        If it fails, with its output.
    """
    files = [f"{name}.py", *BESIDE.get(name, [])]
    source = (folder / files[0]).read_text(encoding="utf-8")
    title, _, text = (ast.get_docstring(ast.parse(source)) or "").partition("\n")
    with tempfile.TemporaryDirectory(prefix="optimist-example-") as place:
        for file in files:
            shutil.copy2(folder / file, place)
        done = subprocess.run(
            [sys.executable, files[0]],
            cwd=place,
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
        )
        if done.returncode:
            raise RuntimeError(f"examples/{files[0]} failed\n{done.stdout}\n{done.stderr}")
        pictures = {path.name: path.read_bytes() for path in sorted(Path(place).glob("*.png"))}
    code = "\n\n".join(_listing(folder / file) for file in files)
    return Shown(title.rstrip("."), text.strip(), code, done.stdout, pictures)


def _listing(path: Path) -> str:
    text = path.read_text(encoding="utf-8").rstrip()
    return f"`examples/{path.name}`:\n\n{fenced(text, 'python')}"
