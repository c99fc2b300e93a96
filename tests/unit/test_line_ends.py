"""A checkout whose texts have line ends of Windows works, and is the same code and data."""

import subprocess
from pathlib import Path

import pytest
from toy_environments import ROOT

from optimist.config.checks import stand_in
from optimist.config.documents import read_yaml
from optimist.core import checksummed, root
from optimist.core.errors import DataError, ResultError
from optimist.core.files import read_text, sha256
from optimist.core.source_files import digest_of
from optimist.data.sources import load_sources
from optimist.data.verify import check_file

MARK = b"\xef\xbb\xbf"
# What tools and editors make of a text.
CHANGES = {
    "all": lambda text: text.replace(b"\n", b"\r\n"),
    "some": lambda text: text.replace(b"\n", b"\r\n", 1),
    "mark": lambda text: MARK + text,
    "both": lambda text: MARK + text.replace(b"\n", b"\r\n"),
}


@pytest.fixture(params=CHANGES)
def changed(request, tmp_path):
    """Return a function that copies a file with other line ends."""

    def copy(path):
        path = Path(path)
        (tmp_path / path.name).write_bytes(CHANGES[request.param](path.read_bytes()))
        return tmp_path / path.name

    return copy


def test_code_and_tables_have_one_digest(changed):
    code = ROOT / "src/optimist/experiments/loop.py"
    assert digest_of(str(changed(code))) == digest_of(str(code))
    table = ROOT / "figures/bkb/claims.csv"
    assert sha256(changed(table)) == sha256(table)


def test_committed_data_are_read(changed):
    table = stand_in() / "abalone.csv"
    assert checksummed.read_text(changed(table)) == checksummed.read_text(table)
    sources = ROOT / "data/sources.csv"
    assert load_sources(changed(sources)) == load_sources(sources)
    entry = load_sources()["abalone"]
    check_file(changed(ROOT / "data/mirror" / entry.mirror), entry.mirror_sha256)


def test_documents_are_read(changed):
    overlay = ROOT / "config/quick.yaml"
    assert read_yaml(changed(overlay)) == read_yaml(overlay)
    assert read_text(changed(overlay)) == read_text(overlay)


@pytest.mark.parametrize(
    ("is_tracked", "remedy"),
    [(True, "restore it: git checkout -- "), (False, "restore it from the source")],
)
def test_what_came_with_the_project_is_restored(tmp_path, monkeypatch, is_tracked, remedy):
    """To delete it would not help: no command makes it."""
    monkeypatch.setattr(root, "project_root", lambda: tmp_path)
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "abalone.csv"
    if is_tracked:
        path.write_text("whole")
        for words in (["init", "--quiet"], ["add", "."]):
            subprocess.run(["git", "-C", tmp_path, *words], check=True)
    for error, ask in (
        (ResultError, checksummed.read_text),
        (DataError, lambda p: check_file(p, "0")),
    ):
        for make in (lambda: path.unlink(missing_ok=True), lambda: path.write_text("cut")):
            make()
            with pytest.raises(error, match=f"; {remedy}") as caught:
                ask(path)
            assert "delete" not in str(caught.value)


def test_what_came_with_a_package_is_installed_again(monkeypatch):
    monkeypatch.setattr(root, "PACKAGED", root.project_root())
    assert root.how_to_restore("sources.csv") == "install optimist again"
