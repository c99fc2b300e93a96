"""What the workflow makes beside result files: data sets, studies, figures, tables and manifests.

Each module has one part of `optimist.plan.Plan`; the rules call their methods. Those that take
``wildcards``, or return a function of them, are input, params or resources functions of Snakemake.
"""
