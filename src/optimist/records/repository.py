"""The commit of a git repository, read from its files where no git answers.

A git refuses a repository of another owner, as its configuration may name programs to run; these
files are only read.
"""

import re
from pathlib import Path

from optimist.errors import ResultError

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NAME = re.compile(r"refs/[^\0]+")
MOST_NAMES = 5  # references from one name to the next


def top_of(path: Path) -> Path | None:
    """Return the folder of the innermost repository around a path, None if there is none."""
    return next((folder for folder in path.parents if (folder / ".git").exists()), None)


def commit_of(top: Path) -> str:
    """Return the commit that is checked out in a folder, as hexadecimal text.

    Parameters
    ----------
    top : Path
        The folder of a repository, a worktree or a submodule.

    Raises
    ------
    ResultError
        If its files do not say it; the message is the reason.
    """
    try:
        return _commit(_folder(top / ".git"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no text"
        place = getattr(error, "filename", None) or top / ".git"
        raise ResultError(f"{place} cannot be read: {reason}") from None


def _folder(place: Path) -> Path:
    """Return the folder that ``.git`` is, or that it names in a worktree or a submodule."""
    if place.is_dir():
        return place
    found = place.parent / _text(place).removeprefix("gitdir:").strip()
    if not found.is_dir():
        raise ResultError(f"{place} names {found}, which is not here")
    return found


def _commit(folder: Path) -> str:
    common = folder / "commondir"  # in a worktree: where the branches of all are
    folders = [folder, folder / _text(common)] if common.is_file() else [folder]
    found = _text(folder / "HEAD")
    for _ in range(MOST_NAMES):
        if not found.startswith("ref:"):
            break
        found = _named(found.removeprefix("ref:").strip(), folders)
    if not _COMMIT.fullmatch(found):
        raise ResultError(f"{folder / 'HEAD'} leads to no commit")
    return found


def _named(name: str, folders: list[Path]) -> str:
    """Return the commit of a branch or of another name."""
    if name == "refs/heads/.invalid":
        raise ResultError(f"{folders[-1]} keeps its branches in a table that only git reads")
    if not _NAME.fullmatch(name) or ".." in name:
        raise ResultError(f"{folders[0] / 'HEAD'} names no branch")
    for folder in folders:
        if (folder / name).is_file():
            return _text(folder / name)
    packed = folders[-1] / "packed-refs"
    lines = _text(packed).splitlines() if packed.is_file() else []
    for line in lines:
        commit, _, packed_name = line.partition(" ")
        if packed_name == name:
            return commit
    raise ResultError(f"{name} has no commit")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()
