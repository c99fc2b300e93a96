"""Find the best known values, from which regret is counted where the maximum is unknown."""

from optimist import arithmetic
from optimist.jobs import logged

arithmetic.fix()
with logged(snakemake.log[0]):
    arithmetic.verify()
    from optimist.runs import aggregate, results
    from optimist.sealed import write_frame

    results.verify(snakemake.params.expected, snakemake.params.data_dir)
    needed = ["algorithm", "instance", "simple_regret"]
    runs = aggregate.load(snakemake.input.regret, columns=needed)
    write_frame(aggregate.find_best_known(runs), snakemake.output[0])
