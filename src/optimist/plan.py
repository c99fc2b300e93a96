"""What the workflow runs: jobs, files and targets, computed from a checked configuration.

The rules hold paths and names of the methods here. At parse time nothing is read but YAML and the
imports of our own modules. Methods that take ``wildcards`` are input or params functions.
"""

import os
from contextlib import suppress
from dataclasses import asdict
from functools import cached_property, lru_cache, partial
from itertools import product
from pathlib import Path

from optimist import claims, costs, experiment, figures, preparation, studies
from optimist.algorithms import algorithm_module, parse_label
from optimist.batches import Batch, pack
from optimist.config import check_config, claims_path, load_paper, project_root
from optimist.environments import environment_class, environment_module
from optimist.errors import ConfigError, nearest, unknown_name
from optimist.files import identity
from optimist.simulate import CURVE_POINTS
from optimist.trials import Cell

# Target suffix and manifest name of each group of cells.
GROUPS = {"paper": ("", "manifest"), "variants": ("_variants", "manifest_variants")}
TABLES = ("finals", "regrets", "times")
# What tables of a whole group are made from, by lane.
AGGREGATED = {"regret": "finals", "timing": "times"}
# What is made beside figures and tables and has a target of the same form.
RESERVED = frozenset(("claims", "variants"))


@lru_cache
def relative(path):
    """Return a source file's path below the project root, as Snakemake should see it."""
    return str(Path(path).relative_to(project_root()))


def sources(*modules):
    """Return the source files of modules of this package and of all they import."""
    files = set().union(*(experiment.module_closure(name) for name in modules))
    return sorted(relative(f) for f in files)


def item_cells(spec, lane):
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


def item_needs(spec):
    """Return the lanes and extra tables that a figure or table is made from."""
    kinds = {part["kind"] for part in spec.get("panels", [spec])}
    return sorted({need for kind in kinds for need in figures.NEEDS[kind]})


class Plan:
    """Jobs, files and targets of one configuration.

    Parameters
    ----------
    config : dict
        config/config.yaml with overlays, as Snakemake merged them.
    """

    def __init__(self, config):
        self.config = check_config(config)
        self.results = self.config["results"]
        self.figures = self.config["figures"]
        self.costs = costs.Costs(
            costs.read(project_root() / "config" / "costs.csv"),
            memory_factor=self.config["memory_factor"],
            time_factor=self.config["time_factor"],
        )
        changes = self.config["changes"]
        self.papers = {name: load_paper(name, changes) for name in self.config["papers"]}
        for paper in self.papers.values():
            figures.check(paper)
            self._check_claims(paper)
        self._check_names()
        self._check_selection()
        self._check_floors()

    @staticmethod
    def _check_claims(paper):
        """Refuse claims about settings or algorithms that the paper does not run."""
        cells = [job.cell for job in experiment.jobs(paper)]
        known = {cell.setting for cell in cells} | {cell.algorithm for cell in cells}
        for study in studies.of_paper(paper):
            known |= study.load().names(paper)
        claims.check_names(claims.load_claims(claims_path(paper["paper"])), known)

    def _check_names(self):
        """Refuse names of figures and tables that would share a file or a target."""
        figures_named, tables_named = (
            {name for paper in self.papers for name in self.names(paper, kind)}
            for kind in ("figures", "tables")
        )
        for name in figures_named & tables_named:
            raise ConfigError(f"{name!r} names a figure and a table; allowed: one of them")
        for name in RESERVED & (figures_named | tables_named):
            raise ConfigError(f"{name!r} names a figure or table; allowed: any other name")
        for paper in self.papers.values():
            for name, settings in paper.get("parts", {}).items():
                if name in RESERVED | figures_named | tables_named:
                    raise ConfigError(f"{name!r} names a part; allowed: a name of nothing else")
                for setting in settings:
                    if setting not in paper["settings"]:
                        raise unknown_name(f"setting of part {name!r}", setting, paper["settings"])

    def _check_selection(self):
        """Refuse a restriction of which some name matches no cell."""
        cells = [job.cell for paper in self.papers.values() for job in experiment.jobs(paper)]
        labels = {cell.algorithm for cell in cells}
        known = {
            "settings": {cell.setting for cell in cells},
            "algorithms": labels | {parse_label(label)[0] for label in labels},
        }
        for key, allowed in known.items():
            for name in self.config["only"][key]:
                if name not in allowed:
                    raise unknown_name(f"name in only.{key}", name, allowed)
        if not self.jobs:
            raise ConfigError(f"only is {self.config['only']!r}; allowed: names that share a cell")

    def _check_floors(self):
        """Refuse figures and tables that count regret from the floors of another group."""
        groups = {
            (job.cell.paper, job.cell.setting, job.cell.algorithm): job.group
            for job in self.jobs.values()
            if job.lane == "regret"
        }
        for paper, kind in product(self.papers, ("figures", "tables")):
            for name in self.names(paper, kind):
                spec = self.papers[paper][kind][name]
                own = spec.get("group", "paper")
                for cell in (item_cells(spec, "regret") or set()) & self._in_hindsight[paper]:
                    if groups.get((paper, *cell), own) != own:
                        raise ConfigError(
                            f"{name!r} of group {own} shows {'/'.join(cell)} of another, where "
                            f"regret is counted from the best of its group; allowed: group {own}"
                        )

    # Jobs and their result files.

    @cached_property
    def jobs(self):
        """All jobs by their path below the results folder."""
        limits, only = self.config["limits"], self.config["only"]
        return {
            job.path: job
            for paper in self.papers.values()
            for job in experiment.jobs(paper, limits=limits, only=only)
        }

    def _job(self, lane, w):
        path = f"{lane}/{w.paper}/{w.setting}/{w.algorithm}/{w.chunk}.parquet"
        if path not in self.jobs:
            raise ConfigError(
                f"no cell of this configuration has the result file {path!r}"
                f"{nearest(path, self.jobs)}; allowed: those of `snakemake -n`, less the folder"
            )
        return self.jobs[path]

    def _decides(self, job):
        """Return the source files and the data set that decide a job's result."""
        files = [relative(f) for f in experiment.source_files(job.cell, job.probe)]
        if "dataset" in job.cell.spec:
            files.append(self.dataset(job.cell.spec["dataset"]))
        return files

    def _batch_of_one(self, lane, wildcards):
        """Return a result file that has a process of its own."""
        job = self._job(lane, wildcards)
        return Batch("", [], [job], self.results, self.costs)

    def job_inputs(self, lane):
        """Return an input function: source files and data set that decide a result."""
        return lambda wildcards: self._decides(self._job(lane, wildcards))

    def job_specs(self, lane):
        """Return a params function: the resolved job as a plain dict, in a list."""
        return lambda wildcards: self._batch_of_one(lane, wildcards).specs

    def job_request(self, lane):
        """Return what a job asks a scheduler for, see `optimist.costs.Costs.request`."""
        return self.costs.request(lambda wildcards: self._batch_of_one(lane, wildcards).expected)

    def limits(self, lane):
        """Return a params function: what ends the trials of a job early, None if nothing does."""
        return lambda wildcards, resources: self.batch_limits(self._batch_of_one(lane, wildcards))(
            wildcards, resources
        )

    def batch_limits(self, batch):
        """Return a params function: what ends the trials of a batch early, None if nothing does.

        It is a function of resources in both cases, so that Snakemake makes no result again where
        only limits changed.
        """

        def limits(wildcards, resources):
            return batch.limits(wildcards, resources) if self.config["guard"] else None

        return limits

    def identities(self, paths):
        """Return the identity that each of some files should have, for those that are results."""
        start = len(self.results) + 1
        return {path: self._identities[path[start:]] for path in paths if path[start:] in self.jobs}

    @cached_property
    def _identities(self):
        return {path: identity(job.describe()) for path, job in self.jobs.items()}

    def batches(self, lane):
        """Return the batches of a lane by name: result files that one process makes.

        A batch holds at most ``batch_files`` files of at most ``batch_seconds`` together, unless
        one takes longer, that wait for the same data. An edit of one algorithm runs the others of
        a batch again, but these results are kept (`optimist.jobs.run_jobs`). Files that are alone
        are left to the rules with wildcards, and so is what is timed alone on the machine.
        """
        if lane == "timing" and self.config["timing"]["exclusive"]:
            return {}
        files, seconds = self.config["batch_files"], self.config["batch_seconds"]
        alike = {}
        for job in self.jobs.values():
            if job.lane == lane:
                key = (job.cell.paper, job.group, job.cell.spec.get("dataset"))
                alike.setdefault(key, []).append(job)
        found = {}
        for (paper, *_), jobs in alike.items():
            for batch in pack(jobs, self.costs, files=files, seconds=seconds):
                if len(batch) > 1:
                    name = f"{lane}_{paper}_{len(found):03d}"
                    inputs = dict.fromkeys(path for job in batch for path in self._decides(job))
                    found[name] = Batch(name, list(inputs), batch, self.results, self.costs)
        return found

    def paths(self, paper, *, lanes=experiment.LANES, group=None, cells=None):
        """Return result files of a paper, of some lanes, one group or some (setting, label)s."""
        return [
            f"{self.results}/{path}"
            for path, job in self.jobs.items()
            if job.cell.paper == paper
            and job.lane in lanes
            and group in (None, job.group)
            and (cells is None or (job.cell.setting, job.cell.algorithm) in cells)
        ]

    def group_paths(self, lane):
        """Return an input function: all result files of a paper's group in one lane."""
        return lambda w: self.paths(w.paper, lanes=[lane], group=w.group)

    def floor_paths(self, wildcards):
        """Return the results of a paper's group whose regret is counted in hindsight."""
        return self._floor_paths(wildcards.paper, wildcards.group)

    def _floor_paths(self, paper, group):
        cells = self._in_hindsight[paper]
        return self.paths(paper, lanes=["regret"], group=group, cells=cells)

    def _group_rows(self, wildcards):
        """Return about how many rows the results of a paper's group have."""
        own = (wildcards.paper, wildcards.group)
        jobs = (job for job in self.jobs.values() if (job.cell.paper, job.group) == own)
        points = ((j.stop - j.first, min(CURVE_POINTS, j.cell.spec["horizon"])) for j in jobs)
        return sum(trials * recorded for trials, recorded in points)

    @property
    def aggregate_request(self):
        """What aggregating a group asks a scheduler for."""
        return self.costs.request(lambda w: self.costs.aggregation(self._group_rows(w)))

    def group_identities(self, wildcards):
        """Return the identities of all result files of a paper's group, for its tables."""
        return self.identities(self.paths(wildcards.paper, group=wildcards.group))

    def floor_identities(self, wildcards):
        """Return the identities of the results that floors are found from."""
        return self.identities(self.floor_paths(wildcards))

    def floors(self, wildcards):
        """Return the table of floors of a paper's group as an input, if it has such cells."""
        return self._floors(wildcards.paper, wildcards.group, None)

    def _floors(self, paper, group, cells):
        """Return the table of floors as an input, if some of ``cells`` (None: all) need it."""
        known = self._in_hindsight[paper]
        if cells is not None and known.isdisjoint(cells):
            return {}
        if not self._floor_paths(paper, group):
            return {}
        return {"floors": f"{self.results}/tables/{paper}/{group}/floors.parquet"}

    @cached_property
    def _in_hindsight(self):
        """The (setting, label)s of each paper whose regret is counted in hindsight."""
        found = {paper: set() for paper in self.papers}
        for cell in (job.cell for job in self.jobs.values()):
            if environment_class(cell.spec["environment"]).hindsight:
                found[cell.paper].add((cell.setting, cell.algorithm))
        return found

    def timing_threads(self, workflow):
        """Return the cores that a timing job occupies: all that Snakemake was given, or one."""
        if not self.config["timing"]["exclusive"]:
            return 1
        return getattr(workflow.resource_settings, "cores", None) or 1

    def node_alone(self, words):
        """Return the words that ask a scheduler for a node of one's own, if timing needs one."""
        return words if self.config["timing"]["exclusive"] else ""

    # Data.

    @property
    def datasets(self):
        """Names of the data sets that can be prepared, and of the raw tables they are made from."""
        raw = (how.raw for how in preparation.PREPARATIONS.values())
        return list(dict.fromkeys([*preparation.PREPARATIONS, *raw]))

    @property
    def studies(self):
        """The studies that some paper asks for."""
        asked = {s.name for paper in self.papers.values() for s in studies.of_paper(paper)}
        return [study for study in studies.STUDIES.values() if study.name in asked]

    def dataset(self, name):
        """Return the path of a prepared data set."""
        return f"{self.results}/data/{name}.csv"

    def dataset_inputs(self, *modules):
        """Return an input function: the sources that prepare a data set, and of ``modules``."""
        return lambda w: sources(preparation.preparation(w.dataset).module, *modules)

    @property
    def dataset_request(self):
        """What preparing a data set asks a scheduler for: as much as an unknown study."""
        return self.costs.request(lambda w: costs.UNKNOWN_STUDY)

    def raw_table(self, wildcards):
        """Return the path of the raw table that a prepared data set is made from."""
        return f"{self.results}/data/raw/{preparation.preparation(wildcards.dataset).raw}.parquet"

    def dataset_options(self, function):
        """Return a params function: the configured options that ``write`` or ``facts`` names."""

        def options(wildcards):
            how = preparation.preparation(wildcards.dataset)
            return how.select_options(function, self.config["datasets"].get(how.raw, {}))

        return options

    # Studies of one paper.

    def study_tables(self, study):
        """Return the paths of a study's tables by name, for any ``{paper}``."""
        return {name: self.table("{paper}", name) for name in study.tables}

    def table(self, paper, name):
        """Return the path of a table that a study of a paper makes."""
        return f"{self.results}/studies/{paper}/{name}.{studies.TABLES[name]}"

    def tables_beside(self, paper):
        """Return the tables beside its runs that a paper has, by name."""
        return {
            name: self.table(paper, name)
            for study in studies.of_paper(self.papers[paper])
            for name in study.tables
        }

    def _study_cells(self, paper, study):
        """Return the cells of a study: of facts, every setting that the paper's jobs use."""
        known = [asked.name for asked in studies.of_paper(self.papers[paper])]
        if study.name not in known:
            raise unknown_name(f"study of {paper}", study.name, known)
        if study.name == "facts":
            jobs = (job for job in self.jobs.values() if job.cell.paper == paper)
            specs = {job.cell.setting: job.cell.spec for job in jobs}
            return [Cell(paper, setting, "", spec) for setting, spec in specs.items()]
        section = self.papers[paper][study.name]
        settings, labels = (
            section.get(f"{key}s") or [section[key] for key in (key,) if key in section]
            for key in ("setting", "algorithm")
        )
        make = partial(experiment.make_cell, self.papers[paper])
        return [make(setting, label) for setting in settings for label in labels]

    def study_spec(self, study):
        """Return a params function: what a study is about, as plain data."""

        def spec(wildcards):
            cells = self._study_cells(wildcards.paper, study)
            return {
                **self.papers[wildcards.paper].get(study.name, {}),
                "cells": [asdict(cell) for cell in cells],
                "limits": self.config["limits"],
            }

        return spec

    def study_request(self, study):
        """Return what a study asks a scheduler for."""
        return self.costs.request(lambda w: self.costs.study(study.name, w.paper))

    def study_benchmark(self, study, paper="{paper}"):
        """Return where Snakemake records what a study took."""
        return f"{self.results}/benchmarks/{study.name}/{paper}.tsv"

    def study_inputs(self, study):
        """Return an input function: the source files behind a study, and its data sets."""

        def inputs(wildcards):
            cells = self._study_cells(wildcards.paper, study)
            datasets = sorted({c.spec["dataset"] for c in cells if "dataset" in c.spec})
            about = [f"{self.results}/data/{name}_facts.csv" for name in datasets]
            modules = {environment_module(cell.spec["environment"]) for cell in cells}
            modules |= {
                algorithm_module(parse_label(c.algorithm)[0], c.domain)
                for c in cells
                if c.algorithm
            }
            code = sources(study.module, *modules)
            return [*code, *map(self.dataset, datasets), *about]

        return inputs

    # Figures and tables.

    def names(self, paper, kind, group=None):
        """Return the names of a paper's ``figures`` or ``tables`` (of one group)."""
        items = self.papers[paper].get(kind, {})
        return [n for n, spec in items.items() if group in (None, spec.get("group", "paper"))]

    def name_pattern(self, kind):
        """Return a wildcard constraint that matches the names of one kind and nothing else."""
        return "|".join(name for paper in self.papers for name in self.names(paper, kind)) or "-"

    def item(self, kind):
        """Return a params function: the configuration of a figure or table."""

        def spec(wildcards):
            known = self.names(wildcards.paper, kind)
            if wildcards.name not in known:
                raise unknown_name(f"name among {kind} of {wildcards.paper}", wildcards.name, known)
            return self.papers[wildcards.paper][kind][wildcards.name]

        return spec

    def caption(self, kind):
        """Return a params function: title and caption of a figure or table."""

        def text(wildcards):
            spec = self.item(kind)(wildcards)
            return f"{spec['title']}. {spec.get('caption', '')}".strip()

        return text

    def paper_summary(self, wildcards):
        """Return what drawing needs to know of a paper: all but its items and targets."""
        paper, others = self.papers[wildcards.paper], ("figures", "tables", "parts")
        return {key: value for key, value in paper.items() if key not in others}

    def figure_inputs(self, kind):
        """Return an input function: the result files and tables that an item is drawn from."""

        def inputs(wildcards):
            paper, spec = wildcards.paper, self.item(kind)(wildcards)
            folder = f"{self.results}/tables/{paper}/{spec.get('group', 'paper')}"
            found = {"source": self.drawing_sources()}
            for need in item_needs(spec):
                # Of a whole group there are tables already: not all its results are read again.
                if need in experiment.LANES and item_cells(spec, need) is None:
                    found[AGGREGATED[need]] = f"{folder}/{AGGREGATED[need]}.parquet"
                else:
                    found |= self._shown(paper, spec, need)
            return found

        return inputs

    def _shown(self, paper, spec, need):
        """Return the result files of a lane, or the table, that an item needs; by name."""
        if need not in experiment.LANES:
            return {need: self.table(paper, need)}
        cells, group = item_cells(spec, need), spec.get("group", "paper")
        only = group if cells is None else None
        found = {need: self.paths(paper, lanes=[need], group=only, cells=cells)}
        return found | (self._floors(paper, group, cells) if need == "regret" else {})

    def figure_identities(self, kind):
        """Return a params function: the identities of the result files behind an item."""

        def expected(wildcards):
            inputs = self.figure_inputs(kind)(wildcards)
            lanes = (inputs.get(lane, []) for lane in experiment.LANES)
            return self.identities([path for paths in lanes for path in paths])

        return expected

    @staticmethod
    def drawing_sources():
        """Return the source files that decide how a figure or table looks, whatever its data."""
        modules = ("optimist.aggregate", "optimist.figures", "optimist.plotting")
        return [*sources(*modules), "src/optimist/optimist.mplstyle"]

    def code(self, script, inputs=()):
        """Return a params function: the digest of a script and of the source files of its inputs.

        Snakemake sees an edit of a script or an input by its time, which a clock that was ahead
        hides and a copy changes; parameters it compares by value.

        Parameters
        ----------
        script : str
            Name of a file in workflow/scripts.
        inputs : list of str, or callable
            Or an input function.
        """

        def digest(wildcards):
            files = inputs(wildcards) if callable(inputs) else inputs
            own = (f for f in files if not f.startswith(f"{self.results}/"))
            paths = (f"workflow/scripts/{script}", *own)
            return experiment.digest(tuple(str(project_root() / path) for path in paths))

        return digest

    @staticmethod
    def sources(*modules):
        """Return the source files of modules and of all they import."""
        return sources(*modules)

    def figure_files(self, paper, group):
        """Return all files of a paper's figures and tables of one group, by figure or table."""
        folder = f"{self.figures}/{paper}"
        files = {}
        for name in self.names(paper, "figures", group):
            stems = (f"{name}.png", f"{name}.pdf", f"tables/{name}.csv")
            files[name] = [f"{folder}/{stem}" for stem in stems]
        for name in self.names(paper, "tables", group):
            files[name] = [f"{folder}/tables/{name}.{suffix}" for suffix in ("csv", "md")]
        if group == "paper":
            files["claims"] = [f"{folder}/claims.csv", f"{folder}/claims.md"]
        return files

    def outdate_foreign_figures(self):
        """Make the figures of papers without any result here look old, so that they are made.

        They came with the checkout. Snakemake goes by the time of files alone where it has no
        record, and does not miss the results behind a figure that looks newer than our sources.
        """
        for paper in self.papers:
            kinds = (*experiment.LANES, "studies")  # one of them is behind every figure
            folders = (Path(self.results, kind, paper) for kind in kinds)
            if not any(folder.exists() for folder in folders):
                for path in Path(self.figures, paper).rglob("*.*"):
                    with suppress(OSError):  # a folder that is read-only
                        os.utime(path, (1.0, 1.0))

    # Claims.

    def claims_tables(self, paper):
        """Return the aggregated tables that claims are decided on, by name."""
        folder = f"{self.results}/tables/{paper}/paper"
        return {
            **{name: f"{folder}/{name}.parquet" for name in TABLES},
            **self.tables_beside(paper),
        }

    def claims_sources(self, wildcards):
        """Return the claims of a paper and the source files of the verdicts."""
        claimed = f"config/claims/{wildcards.paper}.yaml"
        return [claimed, *sources("optimist.claims", "optimist.aggregate")]

    def claims_inputs(self, wildcards):
        """Return the claims of a paper, its tables and the sources of the verdicts."""
        claimed, *source = self.claims_sources(wildcards)
        return {
            "claims": claimed,
            "source": source,
            **self.claims_tables(wildcards.paper),
        }

    # Manifests and targets.

    def _manifest_group(self, wildcards):
        return next(g for g, (_, name) in GROUPS.items() if name == wildcards.manifest)

    def manifest_inputs(self, wildcards):
        """Return all files that a manifest describes, and the data sets behind them."""
        described = self.manifest_sources(wildcards).values()
        data = {path for item in described for path in item["inputs"] if self._is_data(path)}
        return [*(path for item in described for path in item["files"]), *sorted(data)]

    def _is_data(self, path):
        return path.startswith(f"{self.results}/data/")

    def manifest_sources(self, wildcards):
        """Return for each figure, table and the claims: its files and what they were made from."""
        paper, group = wildcards.paper, self._manifest_group(wildcards)
        described = {}
        for name, files in self.figure_files(paper, group).items():
            described[name] = {"files": files, "inputs": self._made_from(paper, group, name)}
        return described

    def _made_from(self, paper, group, name):
        """Return the result files, tables and data sets behind a figure, table or the claims."""
        if name == "claims":
            found = [*self.paths(paper, group=group), *self.tables_beside(paper).values()]
        else:
            kind = "figures" if name in self.names(paper, "figures") else "tables"
            spec, inputs = self.papers[paper][kind][name], {}
            for need in item_needs(spec):
                inputs |= self._shown(paper, spec, need)
            if "floors" in inputs:
                inputs["counted from"] = self._floor_paths(paper, group)
            lists = [v if isinstance(v, list) else [v] for v in inputs.values()]
            found = list(dict.fromkeys(path for paths in lists for path in paths))
        used = {f"{self.results}/{path}": job.cell.spec for path, job in self.jobs.items()}
        datasets = {used[path]["dataset"] for path in found if "dataset" in used.get(path, {})}
        tables = {preparation.preparation(name).raw for name in datasets}
        records = [f"{self.results}/data/raw/{name}.json" for name in sorted(tables)]
        return [*found, *map(self.dataset, sorted(datasets)), *records]

    def _part_files(self, paper, settings):
        """Return all results of some settings of a paper, and the figures of nothing else."""
        cells = set(product(settings, {job.cell.algorithm for job in self.jobs.values()}))
        files = self.paths(paper, group="paper", cells=cells)
        for name in self.names(paper, "figures", "paper"):
            shown = set(self.figure_inputs("figures")(_Wildcards(paper, name)).get("regret", []))
            if shown and shown <= set(files):
                files += self.figure_files(paper, "paper")[name]
        return files

    def named_targets(self, paper):
        """Return the files behind each named target of a paper."""
        parts = self.papers[paper].get("parts", {})
        targets = {
            f"{paper}_{name}": self._part_files(paper, settings) for name, settings in parts.items()
        }
        for group, (suffix, manifest) in GROUPS.items():
            if self.paths(paper, group=group):
                targets[paper + suffix] = [f"{self.figures}/{paper}/{manifest}.json"]
            for name, files in self.figure_files(paper, group).items():
                targets[f"{paper}_{name}"] = files
        return targets

    def targets(self):
        """Return the files behind the target ``all``: every paper, and the page of claims."""
        manifests = [f"{self.figures}/{paper}/manifest.json" for paper in self.papers]
        return [*manifests, f"{self.figures}/claims.csv", f"{self.figures}/claims.md"]


class _Wildcards:
    """Stands in for the wildcards of a figure's rule."""

    def __init__(self, paper, name):
        self.paper = paper
        self.name = name
