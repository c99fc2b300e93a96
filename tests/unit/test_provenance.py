"""Which commit is recorded: that of the package, and never that of a repository around it."""

import os
import subprocess

import pytest

from optimist.core import provenance

PATH = os.environ["PATH"]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """Return the top of a repository of git that holds this package and has one commit."""
    top = tmp_path / "checkout"
    (top / "src/optimist").mkdir(parents=True)
    for name in ("src/optimist/__init__.py", "theirs.txt"):
        (top / name).write_text("1")
    git(top, "init", "--quiet", "--initial-branch", "main")
    git(top, "add", ".")
    git(top, "commit", "--quiet", "--message", "x")
    monkeypatch.setattr(provenance, "PACKAGE", top / "src/optimist")
    provenance._code.cache_clear()
    yield top
    provenance._code.cache_clear()


@pytest.fixture
def installed(monkeypatch):
    """Let the package be one that was installed, not a checkout."""
    monkeypatch.setattr(provenance, "_is_installed", lambda: True)


@pytest.fixture(params=["absent", "old"])
def no_answer(request, monkeypatch, tmp_path):
    """Let git be absent, or fail; return the reason."""
    (tmp_path / "bin").mkdir()
    if request.param == "old":
        (tmp_path / "bin/git").write_text(
            "#!/bin/sh\necho 'fatal: unknown extension' >&2\nexit 128"
        )
        (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return "git: unknown extension" if request.param == "old" else "git is not installed"


def git(folder, *words):
    """Return what a git answers that knows a name, and accepts all owners."""
    about = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    env = {"PATH": PATH, "HOME": os.environ.get("HOME", "/"), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-C", folder, *about, *words], check=True, capture_output=True, text=True, env=env
    )
    return done.stdout.strip()


def head(folder):
    return git(folder, "rev-parse", "HEAD")


def recorded():
    """Return the commit that is recorded now, whether files differ, and why it is unknown."""
    provenance._code.cache_clear()
    made = provenance.collect()
    return made["commit"], made["dirty"], made.get("unknown")


def test_a_repository_that_holds_the_package_by_accident_is_not_recorded(checkout, installed):
    git(checkout, "rm", "--quiet", "--cached", "-r", "src")
    assert recorded() == (None, None, None)


def test_a_copy_in_a_repository_of_somebody_else_is_named(checkout):
    git(checkout, "rm", "--quiet", "--cached", "-r", "src")
    assert recorded() == (
        None,
        None,
        "the surrounding repository belongs to another project",
    )


def test_a_repository_that_tracks_the_package_is_recorded(checkout):
    commit = head(checkout)
    assert recorded() == (commit, False, None)
    (checkout / "theirs.txt").write_text("2")
    assert recorded() == (commit, True, None)


def test_a_hook_of_another_repository_changes_nothing(checkout, tmp_path, monkeypatch):
    git(tmp_path, "init", "--quiet", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    assert recorded()[:2] == (head(checkout), False)


def test_a_checkout_of_another_owner_is_recorded(checkout, monkeypatch):
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert recorded()[:2] == (head(checkout), False)


def test_without_an_answer_of_git_the_commit_is_unknown_with_the_reason(
    checkout, no_answer, caplog
):
    assert recorded() == (None, None, no_answer)
    provenance.collect()
    assert caplog.messages == [f"the commit is unknown: {no_answer}"]


def test_an_installed_package_needs_no_git(checkout, installed, no_answer, caplog):
    assert recorded() == (None, None, None)
    assert not caplog.messages


def test_code_without_a_repository_is_no_installed_package(checkout):
    (checkout / ".git").rename(checkout / "git")
    assert recorded()[2].startswith("git: not a git repository")
