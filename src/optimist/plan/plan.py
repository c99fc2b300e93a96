"""What the workflow runs: jobs, files and targets, computed from a checked configuration.

The rules hold paths and names of the methods here. At parse time nothing is read but YAML, the
table of costs and the imports of our own modules. Methods that take ``wildcards`` are input or
params functions.
"""

from functools import cached_property

from optimist import claims
from optimist.algorithms import parse_label
from optimist.environments import environment_class
from optimist.errors import ConfigError, nearest, unknown_name
from optimist.files import identity
from optimist.panels import figures, studies
from optimist.plan import costs
from optimist.plan.code import relative, sources
from optimist.plan.config import check_config, claims_path, load_paper, project_root
from optimist.plan.data import PlannedData
from optimist.plan.items import PlannedItems
from optimist.plan.jobs import Batch, pack
from optimist.plan.studies import PlannedStudies
from optimist.plan.targets import PlannedTargets
from optimist.runs import trials as experiment
from optimist.runs.loop import CURVE_POINTS


class Plan:
    """Jobs, files and targets of one configuration.

    Parameters
    ----------
    config : dict
        config/config.yaml with overlays, as Snakemake merged them.

    Attributes
    ----------
    config, papers : dict
        The checked configuration, and those of its papers by name.
    results, figures : str
        The two folders that are written to.
    costs : Costs
    data : PlannedData
    studies : PlannedStudies
    items : PlannedItems
    targets : PlannedTargets
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
        self._check_selection()
        self.data = PlannedData(self.config, self.costs)
        self.studies = PlannedStudies(
            papers=self.papers,
            run={
                name: [job.cell for job in self.jobs.values() if job.cell.paper == name]
                for name in self.papers
            },
            results=self.results,
            caps={key: self.config["limits"][key] for key in ("trials", "rounds")},
            data=self.data,
            costs=self.costs,
        )
        self.items = PlannedItems(self)
        self.targets = PlannedTargets(self)

    @staticmethod
    def _check_claims(paper):
        """Refuse claims about settings or algorithms that the paper does not run."""
        cells = [job.cell for job in experiment.jobs(paper)]
        known = {cell.setting for cell in cells} | {cell.algorithm for cell in cells}
        for study in studies.of_paper(paper):
            known |= study.about()
        claims.check_names(claims.load_claims(claims_path(paper["paper"])), known)

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
            files.append(self.data.path(job.cell.spec["dataset"]))
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
        """Return what a job asks a scheduler for, see `optimist.plan.costs.Costs.request`."""
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

    def floor_paths(self, paper, group):
        """Return the results of a paper's group whose regret is counted in hindsight."""
        cells = self.in_hindsight[paper]
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
        return self.identities(self.floor_paths(wildcards.paper, wildcards.group))

    def floors(self, paper, group, cells=None):
        """Return the table of floors of a group as an input, if some of ``cells`` need it."""
        if cells is not None and self.in_hindsight[paper].isdisjoint(cells):
            return {}
        if not self.floor_paths(paper, group):
            return {}
        return {"floors": f"{self.results}/tables/{paper}/{group}/floors.parquet"}

    @cached_property
    def in_hindsight(self):
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

    # Source files.

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
