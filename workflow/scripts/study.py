"""Make the tables of one study of a paper."""

from optimist.jobs import logged, one_blas_thread

one_blas_thread()
with logged(snakemake.log[0]):
    from optimist.files import write_frame
    from optimist.panels.studies import STUDIES

    study = STUDIES[snakemake.params.study]
    tables = study.load().tabulate(snakemake.params.spec, snakemake.params.data_dir)
    for name, path in snakemake.output.items():
        write_frame(tables[name], path)
