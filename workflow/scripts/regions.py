"""Sample confidence regions in the plane."""

from optimist.jobs import logged, one_blas_thread

one_blas_thread()
with logged(snakemake.log[0]):
    import pandas as pd

    from optimist.regions import area, confidence_region
    from optimist.trials import Cell

    spec = snakemake.params.regions
    regions = [
        confidence_region(Cell(**cell), spec["rounds"], spec["resolution"])
        for cell in spec["cells"]
    ]
    grid = pd.concat([pd.DataFrame(region) for region in regions], ignore_index=True)
    grid.to_parquet(snakemake.output.grid)
    areas = [("region_area", region["algorithm"][0], area(region)) for region in regions]
    pd.DataFrame(areas, columns=["name", "setting", "value"]).to_csv(
        snakemake.output.areas, index=False
    )
