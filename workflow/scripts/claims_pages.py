"""Join the claims of all papers into one table and one page, with a manifest of their own."""

from pathlib import Path

import pandas as pd

from optimist import claims
from optimist.files import read_text, write_frame, write_text
from optimist.jobs import logged
from optimist.records import manifest

with logged(snakemake.log[0]):
    tables = [claims.read_frame(path) for path in snakemake.input.csv]
    joined = pd.concat(tables, ignore_index=True)
    write_frame(claims.compacted(joined), snakemake.output.csv)
    pages = {Path(path).parent.name: read_text(path) for path in snakemake.input.md}
    write_text(claims.joined(pages), snakemake.output.md)
    files = {"files": [snakemake.output.csv, snakemake.output.md], "inputs": snakemake.input.csv}
    manifest.write(manifest.build({"claims": files}), snakemake.output.manifest)
