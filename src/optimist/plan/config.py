"""Loading and checking configuration, with messages that say what to type instead."""

import fnmatch
import json
from copy import deepcopy
from functools import lru_cache
from pathlib import Path

import yaml

from optimist.algorithms import REGISTRIES, make_algorithm, parse_label
from optimist.errors import ConfigError, OptimistError, unknown_name
from optimist.panels.studies import check_studies
from optimist.runs import cell as trials
from optimist.runs.trials import expand
from optimist.schemas import check_document

# The safe loader, in C where PyYAML was built with it: ten times faster.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@lru_cache
def project_root():
    """Return the folder that holds ``config`` and ``workflow``.

    It is the checkout this package was installed from (editable), else the nearest folder at or
    above the current one.
    """
    here = Path.cwd()
    for folder in (Path(__file__).parents[3], here, *here.parents):
        if (folder / "config" / "config.yaml").is_file():
            return folder
    raise ConfigError("no config/config.yaml here or above; run from a checkout of the project")


def schema_path(name):
    """Return the path of the JSON schema called ``name`` (config, paper, claims)."""
    return project_root() / "workflow" / "schemas" / f"{name}.schema.json"


def read_yaml(path):
    """Return the document of a YAML file; raise ConfigError naming the file and line else."""
    try:
        return yaml.load(Path(path).read_text(), Loader=LOADER)
    except FileNotFoundError:
        raise ConfigError(f"file {path} does not exist") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"file {path} is not valid YAML: {error}") from None


def validate(document, schema, source):
    """Check ``document`` against the JSON schema at path ``schema``, see `check_document`."""
    path = Path(schema)
    check_document(document, json.loads(path.read_text()), source, path.parent)


def merge(base, overlay):
    """Return ``base`` with the nested keys of ``overlay`` put over it; neither is changed."""
    merged = deepcopy(base)
    for key, value in overlay.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if both else deepcopy(value)
    return merged


def load_config(*overlays, values=()):
    """Return config/config.yaml with the YAML files ``overlays`` merged over it, checked.

    Last come ``values``, texts ``key=value`` as Snakemake's ``--config`` takes them.
    """
    config = read_yaml(project_root() / "config" / "config.yaml")
    for overlay in overlays:
        changes = read_yaml(overlay) or {}
        if not isinstance(changes, dict):
            raise ConfigError(f"{overlay} holds {changes!r}; allowed: keys with values")
        config = merge(config, changes)
    for text in values:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"{text!r} sets nothing; allowed: key=value")
        config = merge(config, {key: yaml.safe_load(value)})
    return check_config(config)


def check_config(config):
    """Return ``config`` if it is valid; raise ConfigError else."""
    validate(config, schema_path("config"), "config")
    for paper in (*config["papers"], *config["changes"]["settings"]):
        if paper not in paper_names():
            raise unknown_name("paper", paper, paper_names())
    known = set().union(*REGISTRIES.values())
    for name in config["changes"]["chunk"]:
        if name not in known:
            raise unknown_name("algorithm in changes.chunk", name, known)
    return config


def paper_names():
    """Return the ids of all papers in config/papers."""
    return sorted(path.stem for path in (project_root() / "config" / "papers").glob("*.yaml"))


def claims_path(name):
    """Return the path of the claims of a paper."""
    return project_root() / "config" / "claims" / f"{name}.yaml"


def load_paper(name, changes=None):
    """Return the configuration of a paper, checked by schema and by building its every cell.

    Parameters
    ----------
    name : str
    changes : dict or None
        The section ``changes`` of the configuration.
    """
    if name not in paper_names():
        raise unknown_name("paper", name, paper_names())
    source = f"config/papers/{name}.yaml"
    paper = read_yaml(project_root() / source)
    validate(paper, schema_path("paper"), source)
    if changes:
        paper = changed(paper, changes)
        if name in changes["settings"]:
            source += f" with changes.settings.{name}"
        validate(paper, schema_path("paper"), source)
    if paper["paper"] != name:
        raise ConfigError(f"{source}: paper is {paper['paper']!r}; allowed: {name!r}")
    for block in _lists_of_cells(paper):
        for key in {"settings", "algorithms"} & set(block):
            block[key] = flatten(block[key])
    try:
        check_cells(paper)
        check_studies(paper)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from None
    return paper


def changed(paper, changes):
    """Return a paper with more trials, in files of other sizes, and with other settings."""
    paper = deepcopy(paper)
    for block in paper["runs"]:
        block["trials"] = max(block["trials"], changes["trials"] or 0)
        names = {parse_label(label)[0] for label in flatten(block["algorithms"])}
        sizes = {name: size for name, size in changes["chunk"].items() if name in names}
        if sizes:
            block["chunk"] = block.get("chunk", {}) | sizes
    settings = changes["settings"].get(paper["paper"], {})
    for pattern, keys in settings.items():
        names = fnmatch.filter(paper["settings"], pattern)
        if not names:
            known = ", ".join(paper["settings"])
            raise ConfigError(
                f"changes.settings.{paper['paper']} has {pattern!r}; allowed: patterns that match "
                f"some of {known}"
            )
        for name in names:
            paper["settings"][name] = merge(paper["settings"][name], keys)
    return paper


def _lists_of_cells(paper):
    panels = [p for figure in paper.get("figures", {}).values() for p in figure.get("panels", [])]
    return [*paper["runs"], *paper["timings"], *panels, *paper.get("tables", {}).values()]


def flatten(items):
    """Return ``items`` with lists within it spliced in, which is how YAML joins named lists."""
    flat = []
    for item in items:
        flat.extend(flatten(item) if isinstance(item, list) else [item])
    return flat


def check_cells(paper):
    """Build the world of each setting, two rounds long, and each of its algorithms."""
    problems = {}
    for job in expand(paper):
        cell = job.cell
        if cell.setting not in problems:
            short = trials.Cell(
                cell.paper, cell.setting, cell.algorithm, {**cell.spec, "horizon": 2}
            )
            try:
                stand_in = project_root() / "data" / "stand_in"
                problems[cell.setting] = trials.build(short, 0, stand_in)[1]
            except OptimistError as error:
                raise ConfigError(f"setting {cell.setting!r}: {error}") from None
        make_algorithm(cell.algorithm, problems[cell.setting])
        if job.probe:
            make_algorithm(job.probe["leader"], problems[cell.setting])
