"""Join the claims of all papers into one table and one page, with a manifest of their own."""

from pathlib import Path

import pandas as pd

from optimist import claims, manifest
from optimist.jobs import logged

with logged(snakemake.log[0]):
    tables = [claims.read_frame(path) for path in snakemake.input.csv]
    joined = pd.concat(tables, ignore_index=True)
    joined.to_csv(snakemake.output.csv, index=False)
    Path(snakemake.output.html).write_text(claims.to_html(joined))
    pages = [Path(path).read_text() for path in snakemake.input.md]
    Path(snakemake.output.md).write_text("\n\n".join(pages))
    files = {"files": [snakemake.output.csv, snakemake.output.md], "inputs": snakemake.input.csv}
    manifest.write(manifest.build({"claims": files}), snakemake.output.manifest)
