"""Report the extreme cluster means over several K-means seeds."""

from optimist import covertype, datasets
from optimist.jobs import logged

with logged(snakemake.log[0]):
    options = dict(snakemake.params.items())
    known = {options.pop("seed"): covertype.read_arms(snakemake.input.arms)}
    seeds = options.pop("spread_seeds")
    frame = datasets.read(snakemake.input.table)
    table = covertype.extremes(frame, seeds, known=known, **options)
    table.to_csv(snakemake.output.extremes, index=False)
