"""Studies of one paper, whose tables stand beside those of its runs."""

from dataclasses import asdict
from functools import partial

from optimist.algorithms import algorithm_module, parse_label
from optimist.environments import environment_module
from optimist.errors import unknown_name
from optimist.panels import studies
from optimist.runs.cell import Cell, make_cell


class PlannedStudies:
    """Studies of one configuration.

    Parameters
    ----------
    plan : Plan
    """

    def __init__(self, plan):
        self._plan = plan

    @property
    def asked(self):
        """The studies that some paper asks for."""
        papers = self._plan.papers.values()
        names = {study.name for paper in papers for study in studies.of_paper(paper)}
        return [study for study in studies.STUDIES.values() if study.name in names]

    def table(self, paper, name):
        """Return the path of a table that a study of a paper makes."""
        return self._plan.layout.study(paper, name, studies.TABLES[name])

    def outputs(self, study):
        """Return the paths of a study's tables by name, for any ``{paper}``."""
        return {name: self.table("{paper}", name) for name in study.tables}

    def tables(self, paper):
        """Return the paths of all tables of a paper's studies, by name."""
        return {
            name: self.table(paper, name)
            for study in studies.of_paper(self._plan.papers[paper])
            for name in study.tables
        }

    def benchmark(self, study, paper="{paper}"):
        """Return where Snakemake records what a study took."""
        return self._plan.layout.benchmark(study.name, paper)

    def request(self, study):
        """Return what a study asks a scheduler for."""
        expected = self._plan.costs.study
        return self._plan.costs.request(lambda w: expected(study.name, w.paper))

    def spec(self, study):
        """Return a params function: what a study is about, as plain data."""

        def spec(wildcards):
            cells = self._cells(wildcards.paper, study)
            return {
                **self._plan.papers[wildcards.paper].get(study.name, {}),
                "cells": [asdict(cell) for cell in cells],
                "limits": self._plan.config["caps"],
            }

        return spec

    def inputs(self, study):
        """Return an input function: the data sets behind a study, and their facts."""

        def inputs(wildcards):
            cells, layout = self._cells(wildcards.paper, study), self._plan.layout
            datasets = sorted({c.spec["dataset"] for c in cells if "dataset" in c.spec})
            return [*map(layout.data, datasets), *map(layout.data_facts, datasets)]

        return inputs

    def modules(self, study):
        """Return a function of wildcards: the modules behind a study."""

        def modules(wildcards):
            cells = self._cells(wildcards.paper, study)
            found = {environment_module(cell.spec["environment"]) for cell in cells}
            played = (c for c in cells if c.algorithm)
            found |= {algorithm_module(parse_label(c.algorithm)[0], c.domain) for c in played}
            return [study.module, *sorted(found)]

        return modules

    def _cells(self, paper, study):
        """Return the cells of a study: of facts, every setting that the paper's jobs use."""
        known = [asked.name for asked in studies.of_paper(self._plan.papers[paper])]
        if study.name not in known:
            raise unknown_name(f"study of {paper}", study.name, known)
        if study.name == "facts":
            jobs = self._plan.trials.of_paper(paper).values()
            specs = {job.cell.setting: job.cell.spec for job in jobs}
            return [Cell(paper, setting, "", spec) for setting, spec in specs.items()]
        section = self._plan.papers[paper][study.name]
        settings, labels = (
            section.get(f"{key}s") or [section[key] for key in (key,) if key in section]
            for key in ("setting", "algorithm")
        )
        make = partial(make_cell, self._plan.papers[paper])
        return [make(setting, label) for setting in settings for label in labels]
