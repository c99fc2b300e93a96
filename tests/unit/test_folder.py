"""`optimist init`: all of a folder, or nothing of it, and never over a file that is there."""

import json

import pytest

from optimist.cli import folder, main
from optimist.comparison import earlier_trials
from optimist.core import root
from optimist.core.errors import ConfigError


def written(path):
    return {str(p.relative_to(path)): p.read_text() for p in path.rglob("*") if p.is_file()}


def test_a_folder_is_laid_out_with_overlays_and_profiles_of_the_package(tmp_path, capsys):
    assert main.main(["init", str(tmp_path / "new/lab"), "--json"]) == 0
    found = written(tmp_path / "new/lab")
    names = {f"{tmp_path / 'new/lab'}/{name}" for name in found}
    assert set(json.loads(capsys.readouterr().out)["files"]) == names
    assert {"Snakefile", "config/lab.yaml", "mine.py", ".gitignore"} <= set(found)
    for name in folder.COPIED:
        assert found[name] == (root.project_root() / name).read_text()


def test_the_next_commands_are_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main.main(["init", "our lab"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "wrote our lab/Snakefile" in lines and "  cd 'our lab'" in lines


def test_other_files_stay(tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/notes.txt").write_text("ours")
    folder.lay_out(str(tmp_path))
    assert (tmp_path / "config/notes.txt").read_text() == "ours"
    assert (tmp_path / "Snakefile").is_file()


@pytest.mark.parametrize("name", ["Snakefile", "mine.py", "profiles/lsf/config.yaml"])
def test_a_file_that_is_there_is_named_in_one_line_and_nothing_is_written(name, tmp_path, capsys):
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("ours")
    assert main.main(["init", str(tmp_path)]) == 1
    message = f"error: {tmp_path / name} already exists; allowed: a folder with"
    error = capsys.readouterr().err
    assert error.startswith(message) and error.count("\n") == 1
    assert written(tmp_path) == {name: "ours"}


@pytest.mark.parametrize(("taken", "place"), [("lab", "lab"), ("lab/config", "lab")])
def test_a_file_where_a_folder_is_needed_is_refused(tmp_path, taken, place):
    (tmp_path / taken).parent.mkdir(exist_ok=True)
    (tmp_path / taken).write_text("ours")
    with pytest.raises(ConfigError, match=f"{tmp_path / taken} is not a folder; allowed"):
        folder.lay_out(str(tmp_path / place))
    assert written(tmp_path) == {taken: "ours"}


# Where the project's own files are.


@pytest.fixture
def places(tmp_path, monkeypatch):
    """Return a function that puts the package into a folder, with files of the project beside."""

    def put(*folders):
        for name in folders:
            (tmp_path / name / "config").mkdir(parents=True)
            (tmp_path / name / "config/config.yaml").write_text("")
        package = tmp_path / "vendor/optimist"
        monkeypatch.setattr(root, "PACKAGE", package)
        monkeypatch.setattr(root, "PACKAGED", package / "project")
        root.project_root.cache_clear()

    yield put
    root.project_root.cache_clear()


def test_files_of_the_package_come_before_a_project_that_it_is_vendored_in(places, tmp_path):
    places(".", "vendor/optimist/project")
    assert root.project_root() == tmp_path / "vendor/optimist/project"


def test_an_installed_package_writes_to_the_current_folder(places, tmp_path, monkeypatch):
    places("vendor/optimist/project")
    monkeypatch.chdir(tmp_path)
    assert root.workspace() == tmp_path
    assert root.project_file("data/x") == str(tmp_path / "vendor/optimist/project/data/x")
    assert root.made_before("figures") == tmp_path / "figures"
    packaged = tmp_path / "vendor/optimist/project/figures"
    packaged.mkdir()
    assert root.made_before("figures") == packaged
    (tmp_path / "figures").mkdir()
    assert root.made_before("figures") == tmp_path / "figures"


def test_tables_of_a_full_run_are_those_of_the_folder_once_it_has_made_them(
    places, tmp_path, monkeypatch
):
    places("vendor/optimist/project")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(earlier_trials, "load_config", lambda: {"figures": "figures"})
    packaged = tmp_path / "vendor/optimist/project/figures"
    own = tmp_path / "figures/bkb"
    (packaged / "bkb").mkdir(parents=True)
    (packaged / "bkb/trials.parquet").write_bytes(b"")
    own.mkdir(parents=True)
    (own / "regret.png").write_bytes(b"")  # a figure, made alone
    assert earlier_trials.figures_folder("bkb") == packaged
    (own / "trials.parquet").write_bytes(b"")
    assert earlier_trials.figures_folder("bkb") == tmp_path / "figures"


def test_a_checkout_is_written_to_and_named_by_relative_paths(places, tmp_path, monkeypatch):
    places(".")
    assert root.workspace() == root.project_root() == tmp_path
    assert root.project_file("data/x") == str(tmp_path / "data/x")
    monkeypatch.chdir(tmp_path)
    assert root.project_file("data/x") == "data/x"


def test_a_package_without_its_files_says_so(places):
    places()
    with pytest.raises(ConfigError, match="install optimist from a wheel, or install a checkout"):
        root.project_root()
