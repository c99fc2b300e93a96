"""Run one chunk of trials, or a batch of them, in the regret or the timing lane."""

from optimist.jobs import logged, one_blas_thread

one_blas_thread()
with logged(snakemake.log[0]):
    from optimist.jobs import run_jobs

    run_jobs(
        snakemake.params.jobs,
        snakemake.output,
        results=snakemake.config["results"],
        limits=snakemake.params.limits,
    )
