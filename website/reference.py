"""Pages of the API reference: the docstrings on each page."""

from collections.abc import Iterable
from pathlib import Path

# One page for each: a folder of src/optimist/algorithms, and the heading above its files.
FAMILIES = {
    "glb": "Algorithms for generalized linear bandits",
    "heavy_tailed": "Algorithms for heavy-tailed linear bandits",
    "kernel": "Algorithms for kernelized bandits",
    "black_box": "Algorithms for functions on a box",
}
CONTRACTS = (
    "optimist.algorithms.base",
    *(f"optimist.algorithms.{family}.base" for family in ("glb", "black_box")),
    "optimist.environments.base",
    *(
        f"optimist.environments.problems.{kind}"
        for kind in ("glb", "heavy_tailed", "kernel", "box")
    ),
)
INTERFACE = (
    *("settings", "setting", "Setting", "play", "Progress", "rank", "plot", "register"),
    *("ConfigError", "OptimistError"),
)


def page_of(path: str) -> str | None:
    """Return the page and anchor of a file of src/optimist, None if the reference lacks it."""
    module = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    if not path.endswith(".py"):
        return None
    if module in CONTRACTS:
        return f"api/contracts.md#{module}"
    place, _, _ = module.rpartition(".")
    for family in FAMILIES:
        if place == f"optimist.algorithms.{family}":
            return f"api/{family}.md#{module}"
    if place == "optimist.numerics" or module == "optimist.core.errors":
        return f"api/helpers.md#{module}"
    return None


def pages(package: Path, parts: Path) -> dict[str, str]:
    """Return the Markdown of the pages by name.

    Parameters
    ----------
    package : Path
        The folder src/optimist.
    parts : Path
        The folder of texts that begin pages.
    """
    found = {
        "api/index.md": _with(parts / "api.md", [f"optimist.{name}" for name in INTERFACE]),
        "api/contracts.md": _with(parts / "contracts.md", CONTRACTS),
        "api/metrics.md": _with(
            parts / "metrics.md",
            _modules(package / "claims" / "metrics", "optimist.claims.metrics"),
        ),
        "api/helpers.md": _with(
            parts / "helpers.md",
            ["optimist.core.errors", *_modules(package / "numerics", "optimist.numerics")],
        ),
    }
    for family, title in FAMILIES.items():
        folder = package / "algorithms" / family
        first = ["optimist.algorithms.uniform"] if family == "glb" else []
        modules = [*_modules(folder, f"optimist.algorithms.{family}"), *first]
        lines = [f"# {title}", (parts / "family.md").read_text(encoding="utf-8")]
        found[f"api/{family}.md"] = "\n\n".join([*lines, *map(_entry, modules)]) + "\n"
    return found


def _with(path: Path, names: Iterable[str]) -> str:
    text = path.read_text(encoding="utf-8")
    return "\n\n".join([text.rstrip(), *map(_entry, names)]) + "\n"


def _entry(name: str) -> str:
    # Several are called `base`.
    short = ".".join(name.split(".")[-2:]) if name in CONTRACTS else name.rpartition(".")[2]
    return f"::: {name}\n    options:\n      toc_label: {short}"


def _modules(folder: Path, package: str) -> list[str]:
    """Return the modules of a folder, the contract of its family on another page."""
    names = sorted(path.stem for path in folder.glob("*.py"))
    return [
        f"{package}.{name}"
        for name in names
        if name != "__init__" and f"{package}.{name}" not in CONTRACTS
    ]
