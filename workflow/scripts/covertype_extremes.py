"""Report the extreme cluster means over several K-means seeds."""

from optimist import covertype, datasets
from optimist.jobs import logged

with logged(snakemake.log[0]):
    options = dict(snakemake.params.items())
    seeds = options.pop("spread_seeds")
    table = covertype.extremes(datasets.read(snakemake.input.table), seeds, **options)
    table.to_csv(snakemake.output.extremes, index=False)
