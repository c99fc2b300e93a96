"""Items: figures and tables, what they are drawn from, and their files."""

from itertools import product

from optimist.errors import ConfigError, unknown_name
from optimist.layout import LANES
from optimist.panels import figures
from optimist.plan.sources import code

# What tables of a whole group are made from, by lane.
AGGREGATED = {"regret": "finals", "timing": "times"}
# What is made beside figures and tables and has a target of the same form.
RESERVED = frozenset(("claims", "variants"))
KINDS = ("figures", "tables")
# Modules that decide how a figure or table looks, whatever its data.
DRAWING = ("optimist.runs.aggregate", "optimist.panels.figures", "optimist.panels.plotting")


def cells_of(spec, lane):
    """Return the (setting, label)s that an item shows from a lane, None for its whole group."""
    if spec.get("kind") in ("final_regret", "run_time"):
        return None
    cells = set()
    for part in spec.get("panels", [spec]):
        if lane in figures.NEEDS[part["kind"]]:
            rows = [row["algorithm"] for row in part.get("rows", []) if "algorithm" in row]
            settings = part.get("settings") or [part.get("setting")]
            base = [part["base"]] if "base" in part else []
            cells |= set(product(settings, [*part.get("algorithms", rows), *base]))
    return cells


def needs_of(spec):
    """Return the lanes and extra tables that an item is made from."""
    kinds = {part["kind"] for part in spec.get("panels", [spec])}
    return sorted({need for kind in kinds for need in figures.NEEDS[kind]})


def group_of(spec):
    """Return the group of targets that an item is of."""
    return spec.get("group", "paper")


class PlannedItems:
    """Figures and tables of one configuration.

    Parameters
    ----------
    plan : Plan

    Raises
    ------
    ConfigError
        Where names share a file or a target, or an item counts regret from the best known values of
        two groups.
    """

    def __init__(self, plan):
        self._plan = plan
        self._check_names()
        self._check_best_known()

    def _check_names(self):
        of_figures, of_tables = (
            {name for paper in self._plan.papers for name in self.names(paper, kind)}
            for kind in KINDS
        )
        for name in of_figures & of_tables:
            raise ConfigError(f"{name!r} names a figure and a table; allowed: one of them")
        for name in RESERVED & (of_figures | of_tables):
            raise ConfigError(f"{name!r} names a figure or table; allowed: any other name")
        for paper in self._plan.papers.values():
            for name, settings in paper.get("parts", {}).items():
                if name in RESERVED | of_figures | of_tables:
                    raise ConfigError(f"{name!r} names a part; allowed: a name of nothing else")
                for setting in settings:
                    if setting not in paper["settings"]:
                        raise unknown_name(f"setting of part {name!r}", setting, paper["settings"])

    def _check_best_known(self):
        groups = {
            (job.cell.paper, job.cell.setting, job.cell.algorithm): job.group
            for job in self._plan.trials
            if job.lane == "regret"
        }
        for paper, kind in product(self._plan.papers, KINDS):
            for name in self.names(paper, kind):
                spec = self.spec(paper, kind, name)
                own, cells = group_of(spec), cells_of(spec, "regret") or set()
                for cell in cells & self._plan.trials.of_unknown_maximum(paper):
                    if groups.get((paper, *cell), own) != own:
                        raise ConfigError(
                            f"{name!r} of group {own} shows {'/'.join(cell)} of another, where "
                            f"regret is counted from the best of its group; allowed: group {own}"
                        )

    def names(self, paper, kind, group=None):
        """Return the names of a paper's ``figures`` or ``tables`` (of one group)."""
        items = self._plan.papers[paper].get(kind, {})
        return [name for name, spec in items.items() if group in (None, group_of(spec))]

    def name_pattern(self, kind):
        """Return a wildcard constraint that matches the names of one kind and nothing else."""
        papers = self._plan.papers
        return "|".join(name for paper in papers for name in self.names(paper, kind)) or "-"

    def spec(self, paper, kind, name):
        """Return the configuration of a figure or table; ConfigError if there is none."""
        known = self._plan.papers[paper].get(kind, {})
        if name not in known:
            raise unknown_name(f"name among {kind} of {paper}", name, known)
        return known[name]

    def described(self, kind):
        """Return a params function: the configuration of a figure or table."""
        return lambda wildcards: self.spec(wildcards.paper, kind, wildcards.name)

    def caption(self, kind):
        """Return a params function: title and caption of a figure or table."""

        def text(wildcards):
            spec = self.spec(wildcards.paper, kind, wildcards.name)
            return f"{spec['title']}. {spec.get('caption', '')}".strip()

        return text

    def paper_summary(self, wildcards):
        """Return what drawing needs to know of a paper: all but its items and targets."""
        paper, others = self._plan.papers[wildcards.paper], (*KINDS, "parts")
        return {key: value for key, value in paper.items() if key not in others}

    def inputs(self, kind):
        """Return an input function: the result files and tables that an item is drawn from."""
        return lambda wildcards: self.drawn_from(wildcards.paper, kind, wildcards.name)

    def drawn_from(self, paper, kind, name):
        """Return the files that an item is drawn from, by what they are."""
        spec = self.spec(paper, kind, name)
        aggregated = self._plan.layout.aggregated(paper, group_of(spec))
        found = {}
        for need in needs_of(spec):
            # Of a whole group there are tables already: not all its results are read again.
            if need in LANES and cells_of(spec, need) is None:
                found[AGGREGATED[need]] = aggregated[AGGREGATED[need]]
            else:
                found |= self._shown(paper, spec, need)
        return found

    def made_from(self, paper, kind, name):
        """Return the result files and tables of studies behind an item."""
        spec, found = self.spec(paper, kind, name), {}
        for need in needs_of(spec):
            found |= self._shown(paper, spec, need)
        if "best_known" in found:
            found["counted from"] = self._plan.trials.best_known_paths(paper, group_of(spec))
        lists = [files if isinstance(files, list) else [files] for files in found.values()]
        return list(dict.fromkeys(path for paths in lists for path in paths))

    def _shown(self, paper, spec, need):
        """Return the result files of a lane, or the table, that an item needs; by name."""
        if need not in LANES:
            return {need: self._plan.studies.table(paper, need)}
        cells, group = cells_of(spec, need), group_of(spec)
        only = group if cells is None else None
        found = {need: self._plan.trials.paths(paper, lanes=[need], group=only, cells=cells)}
        return found | (
            self._plan.trials.best_known(paper, group, cells) if need == "regret" else {}
        )

    @staticmethod
    def drawing_code(script):
        """Return a params function: the digest of what decides how figures and tables look."""
        return code(script, *DRAWING, more="src/optimist/panels/optimist.mplstyle")

    def fingerprints(self, kind):
        """Return a params function: the fingerprints of the result files behind an item."""

        def expected(wildcards):
            inputs = self.inputs(kind)(wildcards)
            lanes = (inputs.get(lane, []) for lane in LANES)
            return self._plan.trials.fingerprints([path for paths in lanes for path in paths])

        return expected

    def files(self, paper, group):
        """Return all files of a paper's figures and tables of one group, by figure or table."""
        places = {"figures": self._plan.layout.figure, "tables": self._plan.layout.table}
        return {
            name: [*place(paper, name).values()]
            for kind, place in places.items()
            for name in self.names(paper, kind, group)
        }
