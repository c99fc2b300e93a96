"""Time the algorithms of a paper, and its fast solvers against slow ones.

Run as ``python benchmarks/speed.py [PAPER ...]`` on a quiet machine; it takes some minutes. Each
row is the median over a few trials or turns of select and update at the paper's horizon on one
thread; ratios are between turns of this run. Slow solvers are asked in every sixtieth round only,
and their time is scaled up.
"""

from optimist.core import blas_kernels

blas_kernels.fix()

import statistics  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import tracemalloc  # noqa: E402
from contextlib import ExitStack  # noqa: E402
from unittest import mock  # noqa: E402

import numpy as np  # noqa: E402

from optimist.algorithms import make_algorithm  # noqa: E402
from optimist.config.load import load_paper  # noqa: E402
from optimist.core.label import Label  # noqa: E402
from optimist.core.provenance import cpu_name  # noqa: E402
from optimist.experiments.cell import Cell, Probe  # noqa: E402
from optimist.experiments.loop import rounds_of  # noqa: E402
from optimist.experiments.play_trial import build  # noqa: E402
from optimist.experiments.setting import Setting  # noqa: E402
from optimist.experiments.trials import Trials, run  # noqa: E402
from optimist.numerics import gp_regression, nystrom  # noqa: E402

CHEAP = [
    ("glb_omd", 5),
    ("gloc", 3),
    ("ecolog[diameter=norm]", 3),
    ("ecolog[diameter=norm,solver=pgd]", 1),
    ("glm_ucb[projection=false,radius=logdet]", 3),
    ("rs_glincb[constants=practical]", 3),
]
SOLVERS = ["ofuglb", "ofulog_r[ball=false,radius=data]"]
NEWTON = ["crtm[estimator=ons]", "crmm[estimator=ons]"]
HEAVY_TAILED = ["hvt_ucb[projection=always]", "oful", *NEWTON, "heavy_oful"]
EVERY = 60
TURNS = 3

# Exact GP-UCB: from the prior, and from the last time an arm was played.
EXACT = ("gp_ucb", "gp_ucb[solver=recall]")
SKETCHED = "bkb[q_bar=2,radius=practical]"


def seconds(setting, label, trials=1, probe=None, paper="glb_omd"):
    """Return median seconds of select and update over some trials of a cell."""
    cell = load_paper(paper).cell(setting, label)
    trajectories = run(Trials("timing", cell, 0, trials, probe=probe))
    return statistics.median(t.columns["seconds"][-1] for t in trajectories.values())


def main(papers):
    print(cpu_name())
    for paper in papers or TABLES:
        TABLES[paper]()


def glb_omd():
    """Time the GLB algorithms, and the exact solver of OFUGLB and OFULog-r against SLSQP."""
    for norm in (3, 9):
        setting = f"logistic_s{norm}"
        for label, trials in CHEAP:
            print(f"{setting:24} {label:28} {seconds(setting, label, trials):8.3f} s")
        for label in SOLVERS:
            compare(setting, label)
    for setting in ("pool_logistic_s3", "pool_poisson_s3"):
        compare(setting, "ofuglb")
        exact = seconds(setting, "ofuglb[history=aggregated]")
        print(f"{setting:24} {'ofuglb[history=aggregated]':28} {exact:8.3f} s")


def hvt_ucb():
    """Time the algorithms for heavy tails, and the solvers of HEAVY-OFUL."""
    for setting in (
        "student_t[factor=0.3,radius=matched]",
        "student_t[factor=0.001,radius=shrunk]",
    ):
        own = seconds(setting, "hvt_ucb", TURNS, paper="hvt_ucb")
        print(f"{setting:24} {'hvt_ucb':28} {own:8.3f} s")
        for label in HEAVY_TAILED:
            found = seconds(setting, label, TURNS, paper="hvt_ucb")
            print(f"{setting:24} {label:28} {found:8.3f} s  ratio {found / own:.1f}")
        for solver in ("gd_warm", "gd_cold", "irls"):
            label = f"heavy_oful[solver={solver}]"
            # From the last estimate, it must be asked in every round.
            every = 1 if solver == "gd_warm" else EVERY
            probe = Probe(Label("heavy_oful"), every)
            found = seconds(setting, label, probe=probe, paper="hvt_ucb")
            print(f"{setting:24} {label:28} {found:8.3f} s  ratio {found / own:.1f}")


def bkb():
    """Time the forms of exact GP-UCB, and BKB against it.

    Then the share of BLAS in BKB's time, and its memory.
    """
    found = {label: [] for label in (*EXACT, "gp_ucb[solver=naive]")}
    for _ in range(TURNS):
        for label, times in found.items():
            trial = kernel_trial(label, arms=3000, lengthscale=0.2, rounds=300)
            times.append(1e3 * np.mean(np.diff(trial["seconds"])[-20:]))
    for base in EXACT:
        rows = [(label, times, found[base]) for label, times in found.items()]
        report("A = 3000, t = 300", rows, f"ms a round, against {base}")
    for factor in (0.1, 1):
        compare_with_exact(factor)
    for label in (f"bkb[q_bar={q_bar},radius=practical]" for q_bar in (2, 5, 10)):
        share, trial = blas_share(label, arms=5000, lengthscale=0.2, rounds=1000, factor=1)
        sizes = f"m = {trial['inducing'][-1]}, r = {trial['rank'][-1]}"
        print(f"{label}, A = 5000: {share:.0%} of the time in BLAS and LAPACK ({sizes})")
    for cache in ("true", "false"):
        peak, trial = peak_memory(
            f"bkb[q_bar=2,radius=practical,cache={cache}]", arms=20_000, rounds=500
        )
        sizes = f"m = {trial['inducing'][-1]}, u = {trial['distinct'][-1]}"
        print(f"BKB, A = 20000, cache {cache}: {peak / 2**20:.0f} MB at most ({sizes})")


def compare_with_exact(factor):
    """Time BKB against exact GP-UCB in turns, with 5000 arms."""
    found = {label: [] for label in (SKETCHED, *EXACT)}
    environment = {"arms": 5000, "lengthscale": 0.5, "rounds": 3000, "factor": factor}
    for _ in range(TURNS):
        for label, times in found.items():
            times.append(kernel_trial(label, **environment)["seconds"][-1])
    rows = [(label, times, found[SKETCHED]) for label, times in found.items()]
    report(f"A = 5000, radii x {factor}", rows, "s")


def report(setting, rows, unit):
    """Print medians of turns, and ratios of one label's turns to another's."""
    for label, found, base in rows:
        ratio = statistics.median(a / b for a, b in zip(found, base, strict=True))
        print(f"{setting:24} {label:28} {statistics.median(found):8.3g} {unit}  ratio {ratio:.1f}")


def kernel_environment(label, *, arms, lengthscale, rounds, factor=0.1):
    """Return environment and algorithm of a trial in the plane, and its rounds."""
    parameters = {"kernel": "gaussian", "lengthscale": lengthscale, "arms": arms}
    known = {"factor": factor}
    setting = Setting("bkb", Label("benchmark"), "kernel", rounds, parameters, known)
    cell = Cell(setting, Label.parse(label))
    environment, problem = build(cell, 0)
    return environment, make_algorithm(label, problem, cell.stream(0, label)), range(1, rounds + 1)


def kernel_trial(label, **environment):
    """Return the columns of a trial in the plane, recorded in every round."""
    playing, algorithm, marks = kernel_environment(label, **environment)
    return rounds_of(playing, algorithm).run(marks).columns


def blas_share(label, **trial):
    """Return which part of BKB's time is in BLAS and LAPACK calls of its posterior, and the trial.

    Products with numpy's own operator are not counted.
    """
    inside = 0.0

    def timed(function):
        def call(*arguments, **options):
            nonlocal inside
            start = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                inside += time.perf_counter() - start

        return call

    with ExitStack() as stack:
        for name in ("dtrmm", "dsyrk", "dtrtri", "dpotrf", "dpotri", "dpotrs", "dpstrf"):
            function = timed(getattr(nystrom, name))
            stack.enter_context(mock.patch.object(nystrom, name, function))
        columns = kernel_trial(label, **trial)
    return inside / columns["seconds"][-1], columns


def peak_memory(label, *, arms, rounds):
    """Return the most bytes that a trial held at once beyond the environment, and the trial."""
    environment, algorithm, marks = kernel_environment(
        label, arms=arms, lengthscale=0.5, rounds=rounds, factor=1
    )
    tracemalloc.start()
    try:
        columns = rounds_of(environment, algorithm).run(marks).columns
        return tracemalloc.get_traced_memory()[1], columns
    finally:
        tracemalloc.stop()


def compare(setting, label):
    """Print the exact solver's time, the generic one's on the same history, and their ratio.

    The two take turns, so that both meet the same drift of the machine's speed.
    """
    probe = Probe(Label.parse(label), EVERY)
    generic_label = f"{label}[solver=slsqp]"
    exact, generic = [], []
    for _ in range(TURNS):
        exact.append(seconds(setting, label))
        generic.append(seconds(setting, generic_label, probe=probe))
    ratios = [slow / fast for slow, fast in zip(generic, exact, strict=True)]
    print(f"{setting:24} {label:28} {statistics.median(exact):8.3f} s")
    print(
        f"{setting:24} {label + '[solver=slsqp]':28} {statistics.median(generic):8.1f} s"
        f"  ratio {statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
    )


def go_ucb():
    """Time whole trials of GO-UCB, and rounds and fits of its rivals at 70 points."""
    found = seconds("f2", "go_ucb", TURNS, paper="go_ucb")
    print(f"{'f2':24} {'go_ucb':28} {found:8.3f} s")
    labels = ("gp_ei", "gp_pi", "gp_ucb", "gp_ei[configuration=raw]", "turbo")
    for label in (*labels, "gp_ei[configuration=modern]", "gp_ei[configuration=skopt]"):
        last, fits = [], []
        for trial in range(TURNS):
            columns, fit = black_box_trial(label, trial)
            last.append(np.mean(np.diff(columns["seconds"])[-4:]))
            fits.append(fit)
        times = f"{statistics.median(last):8.3f} s a round, fit {statistics.median(fits):.3f} s"
        print(f"{'f2, 70 points':24} {label:28} {times}")


def black_box_trial(label, trial):
    """Return the columns of a trial on f2, and seconds of a fit in its last four rounds."""
    cell = load_paper("go_ucb").cell("f2", label)
    spent, plain = [], gp_regression.fit

    def timed(*arguments):
        start = time.perf_counter()
        found = plain(*arguments)
        spent.append(time.perf_counter() - start)
        return found

    with mock.patch.object(gp_regression, "fit", timed):
        columns = run(Trials("timing", cell, trial, trial + 1))[trial].columns
    return columns, float(np.mean(spent[-4:]))


TABLES = {"glb_omd": glb_omd, "hvt_ucb": hvt_ucb, "bkb": bkb, "go_ucb": go_ucb}

if __name__ == "__main__":
    main(sys.argv[1:])
