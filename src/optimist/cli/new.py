"""Starter files: a working algorithm or environment that users can change."""

import importlib.util
import keyword
import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from optimist.algorithms import REGISTRIES
from optimist.core.errors import ConfigError, one_of
from optimist.core.registry import Registry, canonical_name, names_file
from optimist.core.source_files import is_of_user
from optimist.environments import ENVIRONMENTS


@dataclass(frozen=True)
class Start:
    """Settings in which to try a new algorithm of a family, and algorithms to compare it with.

    Attributes
    ----------
    setting : str
        ``paper/setting`` of the first trials.
    title : str
        Title of that setting.
    pattern : str
        Pattern that selects the settings of the comparison.
    rivals : tuple of str
        Labels of the paper's method and of another published method.
    trials : int
        Number of trials in the comparison.
    rounds : int or None
        Number of rounds in each trial; None for the whole horizon.
    """

    setting: str
    title: str
    pattern: str
    rivals: tuple[str, ...]
    trials: int
    rounds: int | None = None

    @property
    def paper(self) -> str:
        """Id of the paper to which these settings belong."""
        return self.setting.partition("/")[0]


# These settings shrink confidence radii, because few methods learn with their theoretical radii.
STARTS = {
    "glb": Start(
        "glb_omd/logistic_s3",
        "logistic bandit, S = 3",
        "glb_omd/logistic_s?[factor=0.3]",
        ("glb_omd", "ecolog"),
        trials=20,
    ),
    "heavy_tailed": Start(
        "hvt_ucb/student_t[factor=0.3,radius=matched]",
        "Student's t noise, matched radii times 0.3",
        "hvt_ucb/varying_nu_*[factor=0.3,radius=matched]",
        ("hvt_ucb", "oful"),
        trials=20,
    ),
    "kernel": Start(
        "bkb/gaussian_d1",
        "Gaussian kernel, d = 1",
        "bkb/gaussian_d?[factor=0.1]",
        ("bkb", "gp_ucb"),
        trials=10,
        rounds=200,
    ),
    # f1 is not used, because most methods reach its maximum after the initial points.
    "box": Start(
        "go_ucb/f3",
        "f3, the Rastrigin function",
        "go_ucb/f?",
        ("go_ucb", "gp_ei"),
        trials=10,
    ),
}
# For each family of environments, the setting's options and the algorithms to use in a first
# comparison.
WORLDS = {
    "arms": ("", ("glb_omd", "ecolog")),
    "heavy_tailed": ("[factor=0.3,radius=matched]", ("hvt_ucb", "oful")),
    "kernel": ("", ("bkb", "gp_ucb")),
    "box": ("[horizon=40]", ("gp_ei", "uniform")),
}
# The families for which there are templates.
FAMILIES = {"algorithm": (*STARTS,), "environment": (*WORLDS,)}
_NAME = re.compile("[a-z][a-z0-9_]*")
# These characters have a special meaning in labels.
_IN_LABELS = re.compile(r"[\[\]=,:\s]")


def write(what: str, name: str, family: str | None, file: str | None = None) -> tuple[str, str]:
    """Write a starter file.

    Parameters
    ----------
    what : {"algorithm", "environment"}
    name : str
        Name in lower case, such as ``epsilon_greedy``; the class is then called EpsilonGreedy.
    family : {"glb", "heavy_tailed", "kernel", "box"} or {"arms", "heavy_tailed", "kernel", "box"}
        The interface of the algorithm, or the kind of environment.
    file : str or None
        Path of the file; None for ``NAME.py`` in the current folder.

    Returns
    -------
    path, text : str
        The path of the written file, and a report that suggests the next commands.

    Raises
    ------
    ConfigError
        Raised when the name is invalid or in use, or when the file exists.
    """
    one_of("WHAT", what, FAMILIES)
    if family is None:
        raise ConfigError(f"--family is missing; allowed: {', '.join(FAMILIES[what])}")
    one_of(f"--family of an {what}", family, FAMILIES[what])
    _check_name(what, name)
    path = f"{name}.py" if file is None else file
    _check_path(path)
    with open(path, "x", encoding="utf-8") as written:
        written.write(template(what, family, name))
    label = canonical_name(f"{path}:{_class_name(name)}")
    return path, _next(what, family, path, label)


def _check_name(what: str, name: str) -> None:
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        allowed = "small letters, digits and _, as in epsilon_greedy, but not a Python keyword"
        raise ConfigError(f"NAME is {name!r}; allowed: {allowed}")
    registries: Iterable[Registry] = REGISTRIES.values() if what == "algorithm" else [ENVIRONMENTS]
    if any(name in registry for registry in registries):
        raise ConfigError(
            f"NAME is {name!r}, which is the name of a known {what}; allowed: another name"
        )


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def template(what: str, family: str, name: str) -> str:
    """Return the text of a starter file with the name filled in; see `write`."""
    file = f"{what}_{family}.py.txt"
    text = (files("optimist.cli") / "templates" / file).read_text(encoding="utf-8")
    title = name.replace("_", " ").capitalize()
    words = {"@CLASS@": _class_name(name), "@NAME@": name, "@TITLE@": title}
    return filled(text, words)


def filled(text: str, words: Mapping[str, str]) -> str:
    """Return a template with each placeholder, such as ``@NAME@``, replaced by its value."""
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _check_path(path: str) -> None:
    place = Path(path)
    if not names_file(f"{path}:C") or _IN_LABELS.search(path):
        raise ConfigError(
            f"--file is {path!r}; allowed: a path that ends with .py and has no spaces or []=,:"
        )
    if os.path.lexists(path):
        raise ConfigError(f"{path} already exists; allowed: another name, or --file PATH")
    if not place.parent.is_dir():
        raise ConfigError(f"--file is {path!r}, but there is no folder {str(place.parent)!r}")
    module = place.stem.partition(".")[0]
    found = importlib.util.find_spec(module)
    is_installed = found is not None and not is_of_user(found.origin or "/")
    if is_installed or module in sys.stdlib_module_names:
        raise ConfigError(
            f"{path} would hide the module {module!r} from Python files in its folder; allowed: "
            "another NAME, or --file PATH"
        )


def _next(what: str, family: str, path: str, label: str) -> str:
    lines = [f"wrote {path}", "next, and after each change:"]
    lines.append(f"  optimist check {shlex.quote(label)}")
    if what == "algorithm":
        start = STARTS[family]
        words = [start.pattern, "-a", label, *start.rivals, "--trials", f"{start.trials}"]
        words += [] if start.rounds is None else ["--rounds", f"{start.rounds}"]
        lines.append(
            f"  optimist compare {shlex.join([*words, '--cores', '2', '--plot', 'curves.png'])}"
        )
    else:
        options, players = WORLDS[family]
        lines.append(f"  optimist compare {shlex.join([label + options, '-a', *players])}")
        lines.append(f"in a setting of config/papers/PAPER/settings.yaml: environment: {label}")
    return "\n".join(lines)
