"""The job that computes a study's tables and records how they were made."""

import sys
from collections.abc import Mapping
from typing import Any

from optimist.core import provenance
from optimist.core.observation import Observer
from optimist.core.source_files import closure, dotted, is_own
from optimist.experiments.cell import Cell
from optimist.experiments.limits import Meter
from optimist.figures.studies import study_class, tables
from optimist.plan.studies import modules_of


def make(spec: Mapping[str, Any], output: str, data_dir: str) -> None:
    """Compute a study and write its tables to a file.

    The file also contains a mapping ``observed``, which lists the modules and files used by the
    study but not covered by its digest. It may be empty.

    Parameters
    ----------
    spec : mapping
        Parameters of the study from `optimist.plan.studies.PlannedStudies.params`.
    output : str
        Path of the file to write.
    data_dir : str
        Folder of the prepared data sets. They are not observed, because they have checksums.
    """
    study = study_class(spec["study"])(spec["section"], spec["caps"], data_dir)
    cells = [*map(Cell.restore, spec["cells"])]
    is_foreign = any(cell.is_foreign for cell in cells)
    # Snakemake copies a job's script to a temporary file, which is not an input of the study.
    observer = Observer(ignored=(output, data_dir, sys.argv[0]), is_foreign=is_foreign)
    with observer, Meter() as meter:
        made = study.tabulate(cells)
    observed = observer.record()
    files = frozenset().union(*map(closure, modules_of(study, cells)))
    names = [f"{name}." for name in map(dotted, filter(is_own, files))]
    observed["modules"] = {  # without modules that the digest covers, and without their packages
        module: digest
        for module, digest in observed["modules"].items()
        if not any(name.startswith(f"{module}.") for name in names)
    }
    about = {"digest": spec["digest"], "use": meter.use, "provenance": provenance.collect()}
    about["observed"] = observed if any(observed.values()) else {}
    tables.write(made, output, about)
