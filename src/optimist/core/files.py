"""Read files, write them atomically, and compute checksums."""

import hashlib
import json
import os
import re
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from optimist.core.errors import UnreadableError

if TYPE_CHECKING:
    import pandas as pd

# Extensions of binary files.
BINARY = frozenset((".parquet", ".pdf", ".png", ".webp", ".woff2"))
_MARK = b"\xef\xbb\xbf"  # byte order mark, which some editors write at the start of UTF-8 text
# Pattern for names of unfinished files, and the age in seconds at which they count as abandoned.
_TEMPORARY = re.compile(r"\..+\.[0-9a-f]{32}\.tmp")
ABANDONED = 6 * 3600.0


def read_text(path: str | Path) -> str:
    """Read a text file as UTF-8, regardless of the machine's default encoding.

    A byte order mark at the start of the file is dropped.

    Raises
    ------
    UnreadableError
        If the file does not exist, cannot be read, or is not UTF-8 text.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UnreadableError(f"{path} does not exist") from None
    except OSError as error:
        raise UnreadableError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path} is not UTF-8 text: {error}") from None


def unified(text: bytes) -> bytes:
    """Return a text with Unix line endings and without a byte order mark.

    Checkouts and editors may change line endings or add such a mark without changing the content.
    """
    return text.removeprefix(_MARK).replace(b"\r\n", b"\n")


def sha256(path: str | Path) -> str:
    """Return a file's hexadecimal SHA-256 digest; text files are `unified` first."""
    content = Path(path).read_bytes()
    is_text = Path(path).suffix not in BINARY
    return hashlib.sha256(unified(content) if is_text else content).hexdigest()


def fingerprint(description: Mapping[str, object]) -> str:
    """Return a digest of plain data that determine results; equal digests mean equal results."""
    text = json.dumps(description, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_atomically(path: str | Path, write: Callable[[Path], object]) -> None:
    """Call ``write`` with a temporary path in the same folder, then rename the file to ``path``.

    Raises
    ------
    OSError
        If writing fails. The error names ``path``, not the temporary file.
    """
    path = Path(path)
    # A process ID would not be unique, since several machines may share a folder.
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        write(temporary)
        os.replace(temporary, path)
    except OSError as error:
        if error.errno is not None:
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@cache
def _sweep(folder: Path) -> None:
    """Delete the unfinished files that killed processes left in a folder, once per process."""
    before = time.time() - ABANDONED
    with suppress(OSError):
        for entry in os.scandir(folder):
            if _TEMPORARY.fullmatch(entry.name):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < before:
                        os.unlink(entry.path)


@contextmanager
def locked(folder: str | Path) -> Iterator[None]:
    """Lock a folder within a block; do nothing on systems without file locks."""
    with ExitStack() as stack:
        with suppress(ImportError, OSError):
            import fcntl

            place = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, place)
            fcntl.flock(place, fcntl.LOCK_EX)
        yield


def write_text(text: str, path: str | Path) -> None:
    """Write a text file in UTF-8."""
    write_atomically(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_frame(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write a DataFrame as CSV, with six significant digits for floating-point numbers."""

    def write(temporary: Path) -> None:
        frame.to_csv(temporary, index=False, float_format="%.6g", lineterminator="\n")

    write_atomically(path, write)
