"""Fetch one data set, from UCI or the verified copy, and record which."""

import sys

from optimist.config.load import with_defaults
from optimist.core.job_logging import logged
from optimist.data.fetch import fetch
from optimist.data.tables import save

with logged(snakemake.log[0]):
    options = {**with_defaults(snakemake.config)["data"], "source": snakemake.params.source}
    frame, record = fetch(snakemake.wildcards.dataset, **options)
    print(f"{len(frame)} rows of {record['name']} from {record['source']}", file=sys.stderr)
    save(frame, record, snakemake.output.table, snakemake.output.record)
