"""Find from where regret is counted in settings whose best value is not known."""

from optimist.files import write_frame
from optimist.jobs import logged
from optimist.runs import aggregate, results

with logged(snakemake.log[0]):
    results.verify(snakemake.params.expected, f"{snakemake.config['results']}/data")
    needed = ["algorithm", "instance", "simple_regret"]
    runs = aggregate.load(snakemake.input.regret, columns=needed)
    write_frame(aggregate.find_floors(runs), snakemake.output[0])
