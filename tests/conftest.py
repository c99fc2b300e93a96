"""Hooks and fixtures of all tests: one BLAS thread, copies of the project, groups of tests."""

import os

import pytest

from optimist.core import blas_kernels


def pytest_configure():
    """Fix the number of threads and the kernels before any test module imports numpy."""
    os.environ.update(blas_kernels.variables())


@pytest.hookimpl(tryfirst=True)  # before test modules load papers
def pytest_collection():
    """Read the project's own papers and claims once: they take most of the time of a plan."""
    from optimist.config import load
    from optimist.core.root import project_root
    from optimist.plan import claims

    own = project_root()

    def once(read):
        known = {}

        def kept(path, *changes):
            if own not in path.parents:
                return read(path, *changes)
            key = path, repr(changes)
            if key not in known:
                known[key] = read(path, *changes)
            return known[key]

        return kept

    load._checked, claims.load_claims = once(load._checked), once(claims.load_claims)


@pytest.hookimpl(tryfirst=True)  # before groups are looked at
def pytest_collection_modifyitems(items):
    """Run tests in one process if they are in one module or share a slow fixture.

    These fixtures are a quick run, a Slurm cluster and an installation from a wheel.
    """
    for item in items:
        group = "installed" if "installed" in item.fixturenames else item.path.name
        together = "quick" in item.fixturenames or item.path.parent.name == "cluster"
        item.add_marker(pytest.mark.xdist_group("quick" if together else group))


@pytest.fixture(autouse=True)
def nobody_looks(monkeypatch):
    """Remove the width of a terminal, which pytest-xdist sets; tables would be folded to it."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def texts(monkeypatch):
    """Return a list that collects every text of drawn figures.

    The pictures have few dots, and the PDF files are empty.
    """
    return _collected(monkeypatch, dpi=40)


@pytest.fixture
def texts_in_full(monkeypatch):
    """Return the same list for pictures of full size."""
    return _collected(monkeypatch)


def _collected(monkeypatch, **changes):
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    found = []
    save = Figure.savefig

    def collect(page, path, format, **kwargs):
        found.extend(text.get_text().replace("\n", " ") for text in page.findobj(Text))
        if format == "png":
            save(page, path, format=format, **kwargs, **changes)
        else:
            path.touch()

    monkeypatch.setattr(Figure, "savefig", collect)
    return found


@pytest.fixture
def in_this_process(monkeypatch):
    """Let `optimist check` call functions here, for classes that end no process."""
    from optimist.core import executor, worker

    def calls(waiting, is_quiet):
        while waiting:
            _, call = waiting.popitem()
            try:
                yield "", "done", worker.called(call.function, lambda words: None, call.arguments)
            except Exception as error:
                yield "", "error", error

    monkeypatch.setattr(executor, "calls", calls)


@pytest.fixture
def project(tmp_path):
    """Return a fresh `projects.Project`, in a folder that is removed unless the test fails."""
    from projects import new_project

    return new_project(tmp_path / "project")


@pytest.fixture(scope="session")
def finished_tiny(tmp_path_factory):
    """Return a project after a tiny run, to be copied: results of both lanes and a figure."""
    from projects import TARGET, new_project

    project = new_project(tmp_path_factory.mktemp("tiny") / "project")
    project.run(*project.overlay(), TARGET)
    return project


@pytest.fixture
def tiny(finished_tiny, tmp_path):
    """Return a copy of a project after a tiny run."""
    return finished_tiny.copied(tmp_path / "project")


@pytest.fixture(scope="session")
def quick(tmp_path_factory):
    """Return a project after the workflow of ``make quick``, whose figures it must not touch."""
    from projects import new_project

    project = new_project(tmp_path_factory.mktemp("quick") / "project")
    committed = _snapshot(project.root / "figures")
    project.run("snakemake", *project.quick)
    assert _snapshot(project.root / "figures") == committed
    return project


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """Return the `installed.Installed` of a wheel that was built from a copy of the project."""
    from installed import install

    return install(tmp_path_factory.mktemp("installed"))


def _snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
