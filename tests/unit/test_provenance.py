"""Which commit is recorded: that of the package, and never that of a repository around it."""

import subprocess

import pytest

from optimist.records import provenance


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Return a function that commits files of a repository in which the package was installed."""
    package = tmp_path / "vendor" / "optimist"
    package.mkdir(parents=True)
    for name in ("vendor/optimist/provenance.py", "theirs.txt"):
        (tmp_path / name).write_text("1")
    monkeypatch.setattr(provenance, "__file__", str(package / "provenance.py"))
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run([*git, "init", "--quiet"], check=True)

    def commit(*names):
        subprocess.run([*git, "add", *names], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", "x"], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
        return head.stdout.strip()

    _forget()
    yield commit
    _forget()


def _forget():
    provenance._git.cache_clear()
    provenance._is_tracked.cache_clear()


def test_a_repository_that_holds_the_package_by_accident_is_not_recorded(repository, tmp_path):
    repository("theirs.txt")
    (tmp_path / "theirs.txt").write_text("2")
    made = provenance.collect()
    assert (made["commit"], made["dirty"]) == (None, None)
    version = made["packages"]["optimist"]
    assert provenance.code_of(made) == f"no commit, version {version}"


def test_a_repository_that_tracks_the_package_is_recorded(repository, tmp_path):
    head = repository("theirs.txt", "vendor")
    made = provenance.collect()
    assert (made["commit"], made["dirty"]) == (head, False)
    assert provenance.code_of(made) == f"commit {head}"
    _forget()
    (tmp_path / "theirs.txt").write_text("2")
    assert provenance.collect()["dirty"] is True
