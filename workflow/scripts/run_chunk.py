"""Run one chunk of trials in the regret or the timing lane."""

from optimist.jobs import logged, one_blas_thread

one_blas_thread()
with logged(snakemake.log[0]):
    from optimist.jobs import run_job

    run_job(snakemake.params.job, snakemake.output[0], snakemake.params.data_dir)
