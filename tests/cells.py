"""Cells of papers that need not exist."""

from optimist.core.label import Label
from optimist.experiments.cell import Cell
from optimist.experiments.paper import Block, Paper
from optimist.experiments.setting import Setting


def made(paper, setting, algorithm, document):
    """Return the cell of a paper's id, two labels, and a setting as settings.yaml writes it."""
    words = {"paper": paper, "setting": setting, "algorithm": algorithm, "spec": document}
    return Cell.restore(words)


def places_of(environment):
    """Return the place of each option of an environment."""
    return Setting("toy", Label("one"), environment, 1).places


def paper_of(id, settings, runs=(), timings=(), **more):
    """Return a paper with settings as settings.yaml writes them, and blocks of their labels."""
    found = {name: Setting.restore(id, name, document) for name, document in settings.items()}
    paper = Paper(id, id, "nobody", 0.95, {}, found, **more)

    def block(written):
        labels = [*map(Label.parse, written["algorithms"])]
        named = [paper.setting(one) for one in written["settings"]]
        return Block(**{**written, "settings": named, "algorithms": labels})

    return Paper(
        *(id, id, "nobody", 0.95, {}, found),
        **{"runs": [*map(block, runs)], "timings": [*map(block, timings)], **more},
    )
