"""The plan: it shows exactly the requested cells and products, and each can be reached."""

import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from committed_tables import record_of, trials_of, write

from optimist.claims import pages, wording
from optimist.claims.metrics import table as metrics
from optimist.config import load as config
from optimist.core.errors import ConfigError
from optimist.core.layout import parse_result
from optimist.experiments import cell_records
from optimist.experiments.cell_records import STUDY, CellRecord
from optimist.figures import studies
from optimist.plan import costs, products
from optimist.plan.plan import Plan
from optimist.plan.trials import part_ends

GROUPS = ("paper", "variants")


@pytest.fixture(scope="module")
def plan():
    return planned()


def planned(**changes):
    return Plan(config.merge(config.load_config(), {"papers": config.paper_names(), **changes}))


def wildcards(**values):
    return SimpleNamespace(**values)


def shown(plan, paper, kind, name):
    """Return the setting/algorithm of each cell that a figure or table shows, by lane."""
    found = {"regret": set(), "timing": set()}
    for lane, setting, algorithm in plan.targets.product(paper, kind, name).keys:
        found[lane].add(f"{setting}/{algorithm}")
    return found


def wildcards_of(path):
    """Return the wildcards of a result file of the regret lane."""
    paper, setting, algorithm, name = Path(path).parts[-4:]
    trials, digest, _ = name.split(".")
    values = {"setting": setting, "algorithm": algorithm, "trials": trials, "digest": digest}
    return wildcards(paper=paper, **values)


# Trials and their parts.


def test_the_default_plan_is_what_is_committed(plan):
    planned = {(t.cell.paper, *t.key): t.stop for t in plan.trials}
    records = {
        (paper, *key): one for paper in plan.papers for key, one in plan.committed(paper).items()
    }
    assert planned == {key: one.trials for key, one in records.items() if one.lane != STUDY}


@pytest.mark.parametrize(
    ("number", "known", "seconds", "ends"),
    [
        (50, (), 1.0, [50]),
        (200, (50,), 1.0, [50, 100, 200]),
        (120, (50,), 1.0, [50, 100, 120]),
        (30, (50,), 1.0, [30]),
        (20, (5, 8), 300.0, [5, 8, 10, 12, 14, 16, 18, 20]),
        (400, (100,), 6.0, [100, 200, 300, 400]),
        (3, (), 10_000.0, [1, 2, 3]),
        (7, (), 0.0, [7]),
        (8, (4, 8), 300.0, [4, 8]),
    ],
)
def test_more_trials_add_files_and_rename_none(number, known, seconds, ends):
    assert part_ends(number, known, seconds) == ends
    # While they are played, whichever is there first.
    parts = [*zip([0, *ends], ends, strict=False)]
    for made in (parts[:1], parts[-1:], parts[1::2], parts):
        assert part_ends(number, known, seconds, made) == ends


@pytest.mark.parametrize(
    ("made", "ends"),
    [
        ([(0, 8)], [8]),
        ([(0, 2), (0, 8)], [8]),
        ([(2, 4)], [1, 2, 4, 5, 6, 7, 8]),
        ([(0, 3), (5, 6)], [3, 4, 5, 6, 7, 8]),
        ([(0, 9)], [1, 2, 3, 4, 5, 6, 7, 8]),
        ([(0, 8), (4, 8)], [8]),
        ([(0, 3), (0, 5), (2, 6), (3, 8)], [3, 8]),
        ([(0, 5), (2, 4)], [5, 6, 7, 8]),
    ],
)
def test_what_was_played_keeps_its_parts_when_costs_change(made, ends):
    assert part_ends(8, (), 10_000.0, made) == ends


def test_parts_of_a_cell_are_its_trials_once_each(plan):
    for trials in plan.trials:
        parts = plan.trials.parts(trials)
        assert [parts[0].first, *(p.stop for p in parts)][-1] == trials.stop
        assert all(one.stop == other.first for one, other in pairwise(parts))


def test_a_path_leads_back_to_its_trials(plan):
    for trials in (t for t in plan.trials if t.lane == "regret"):
        for part, path in zip(plan.trials.parts(trials), plan.trials.files(trials), strict=True):
            assert plan.trials.find(wildcards_of(path)) == part
            place = parse_result(path)
            assert (place.setting, place.algorithm) == trials.key[1:]
            assert "," not in path


def test_files_of_a_race_are_in_one_folder_which_is_what_the_job_makes(plan):
    for paper in plan.papers:
        for race in plan.trials.races(paper).values():
            (folder,) = {path for t in race.trials for path in plan.trials.outputs(t)}
            files = {path for t in race.trials for path in plan.trials.files(t)}
            assert {str(Path(path).parents[1]) for path in files} == {folder}
            assert len(files) == len(race.trials)
            asked = wildcards(paper=paper, race=race.number, digest=race.digest)
            assert plan.trials.race(asked) is race


def test_every_setting_and_every_displayed_algorithm_is_run(plan):
    for name, paper in plan.papers.items():
        asked = plan.trials.of_paper(name).values()
        watched = [c for one in studies.of_paper(paper) for c in one.cells(paper, ())]
        used = {c.setting.label for c in (*(trials.cell for trials in asked), *watched)}
        assert used <= set(paper.settings)
        assert {label for label in paper.settings if "[" in label} <= used
        assert {*paper.bases} == {label.name for label in used}
        assert {trials.cell.algorithm.name for trials in asked} == set(paper.names)


def test_every_cell_is_shown_or_behind_a_claim(plan):
    for paper in plan.papers:
        reached = set()
        for group in GROUPS:
            for kind, name in plan.targets.names(paper, group):
                reached |= set(plan.targets.product(paper, kind, name).keys)
        assert reached == set(plan.trials.keys(paper))


# What decides a result.


def digests(plan, lane="regret"):
    return {t.cell.name: plan.trials.digest(t) for t in plan.trials if t.lane == lane}


def test_the_number_of_trials_and_the_group_decide_no_number(plan):
    more = planned(changes={"trials": 300})
    assert digests(more) == digests(plan)
    name = "regret", "logistic_s3", "gloc"
    files = [p.trials.files(p.trials.of_paper("glb_omd")[name]) for p in (plan, more)]
    assert set(files[0]) < set(files[1])


def test_a_setting_decides_its_own_cells_alone(plan):
    longer = {"settings": {"glb_omd": {"logistic_s3": {"horizon": 3001}}}}
    before, after = digests(plan), digests(planned(changes=longer))
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {
        t.cell.name
        for t in plan.trials
        if t.cell.setting.label.name == "logistic_s3"
        and t.lane == "regret"
        and "horizon" not in t.cell.setting.label
    }


def test_a_data_set_decides_the_cells_on_it(plan):
    options = {"covertype": {"clusters": 61}}
    before, after = digests(plan), digests(planned(datasets=options))
    changed = {name for name in before if before[name] != after[name]}
    on_it = (t for t in plan.trials if t.cell.setting.dataset.startswith("covertype"))
    assert changed == {t.cell.name for t in on_it if t.lane == "regret"}


# Committed cells.


def record(plan, found, **changes):
    cell = found.lane, found.group, *found.key[1:]
    digest = plan.trials.digest(found)
    known = CellRecord(
        *cell, found.stop, (found.stop,), digest, "0" * 16, {}, 1.0, 100.0, commit="", made=""
    )
    return replace(known, **changes)


@pytest.mark.parametrize(
    ("committed", "change", "is_played"),
    [
        ("use", {}, False),
        ("ignore", {}, True),
        ("use", {"digest": "f" * 64}, True),
        ("use", {"trials": 3}, True),
        ("use", {"content": "0" * 16}, True),
        ("use", None, True),
    ],
    ids=["of today", "ignored", "of other code", "too few trials", "other rows", "lost table"],
)
def test_a_committed_cell_is_played_if_it_is_not_todays(
    plan, tmp_path, monkeypatch, committed, change, is_played
):
    monkeypatch.chdir(tmp_path)
    only = {"settings": ["logistic_s3"], "algorithms": ["gloc"]}
    again = planned(committed=committed, only=only, papers=["glb_omd"])
    asked = [one for one in again.trials if one.lane == "regret"]
    rows = [trials_of(*one.key[1:], [1.0] * one.stop, 60) for one in asked]
    digests = [again.trials.digest(one) for one in asked]
    pairs = zip(rows, digests, strict=True)
    known = [replace(record_of(*pair), **(change or {})) for pair in pairs]
    write(again.layout.figures, "glb_omd", zip(rows, known, strict=True))
    if change is None:
        Path(again.layout.trials("glb_omd")).unlink()
    again = planned(committed=committed, only=only, papers=["glb_omd"])
    assert bool(again.trials.needed("glb_omd", [one.key for one in asked])) is is_played


@pytest.mark.parametrize("digest", [{}, {"digest": "f" * 64}], ids=["of today", "of other code"])
def test_trials_of_the_table_count_though_fewer_are_asked_for(tmp_path, monkeypatch, digest):
    monkeypatch.chdir(tmp_path)
    only = {"settings": ["logistic_s3"], "algorithms": ["gloc"]}
    asked = planned(only=only, papers=["glb_omd"])
    key = next(t.key for t in asked.trials if t.lane == "regret")
    found = asked.trials.of_paper("glb_omd")[key]
    more = found.stop + 500
    path = Path(asked.layout.cells("glb_omd"))
    path.parent.mkdir(parents=True)
    path.with_name("trials.parquet").touch()
    cell_records.write([record(asked, found, trials=more, parts=(more,), **digest)], path)

    def stop(**changes):
        again = planned(only=only, papers=["glb_omd"], **changes)
        product = again.targets.product("glb_omd", "claims", "claims")
        ((number,),) = (c[3:] for c in product.cells if tuple(c[:3]) == key)
        assert again.trials.of_paper("glb_omd")[key].stop == number
        return number

    assert stop() == more
    # A run that is shortened gives no verdict.
    assert stop(caps={"trials": 2, "timing_trials": None, "rounds": None}) == 2


def test_a_table_of_cells_keeps_what_was_written_and_a_bad_one_is_named(plan, tmp_path):
    some = [record(plan, t, parts=(3, 20)) for t in list(plan.trials)[:5]]
    path = tmp_path / "cells.csv"
    cell_records.write(some, path)
    assert cell_records.read(path) == {one.key: one for one in some}
    text = path.read_text()
    path.write_text(text.replace(f",{some[0].trials},", ",many,", 1))
    with pytest.raises(Exception, match=r"cells.csv, line \d+ is not a record of a cell"):
        cell_records.read(path)
    path.write_text(text + text.splitlines()[-1] + "\n")
    with pytest.raises(Exception, match="again"):
        cell_records.read(path)


# Jobs.


def test_trials_are_handed_to_their_script_resolved(plan):
    race = next(iter(plan.trials.races("glb_omd").values()))
    asked = wildcards(paper="glb_omd", race=race.number, digest=race.digest)
    described = plan.jobs.params(asked)
    label = "ofulog_r[ball=false,radius=data,solver=slsqp]"
    key = "timing", "logistic_s3", label
    cell = plan.trials.of_paper("glb_omd")[key]
    (trials,) = (
        t for t in described if t["cell"]["algorithm"] == label and t["cell"]["setting"] == key[1]
    )
    assert trials == {**cell.describe(), "digest": plan.trials.digest(cell)}
    assert trials["probe"] == {"leader": "ofulog_r[ball=false,radius=data]", "every": 100}
    assert trials["cell"]["spec"]["problem"] == {"delta": 0.01, "kappa": "parameter"}


@pytest.mark.parametrize(
    ("timing", "given", "kept"),
    [
        ({}, 2, 2),
        ({}, 8, 8),
        ({}, 16, 8),
        ({"cores": 3}, 16, 3),
        ({"cores": None}, 16, 16),
        ({"exclusive": False}, 16, 1),
    ],
)
def test_a_race_keeps_so_many_cores(timing, given, kept):
    assert planned(papers=["glb_omd"], timing=timing).jobs.cores(given) == kept


@pytest.mark.parametrize(
    ("said", "is_exclusive", "words"),
    [
        (None, True, "--exclusive"),
        ("--nice=5", True, "--nice=5 --exclusive"),
        (lambda wildcards, **known: "--nice=7", True, "--nice=7 --exclusive"),
        ("--nice=5", False, "--nice=5"),
        (None, False, ""),
    ],
)
def test_the_words_of_a_laboratory_reach_a_race(said, is_exclusive, words):
    jobs = planned(papers=["glb_omd"], timing={"exclusive": is_exclusive}).jobs
    assert jobs.alone("slurm_extra", said)(wildcards()) == words


@pytest.mark.parametrize("link", ["logistic", "poisson"])
def test_times_are_comparable_over_norms(plan, link):
    settings = {f"{link}_s{norm}" for norm in (3, 5, 7, 9)}
    timed = [t for t in plan.trials if t.lane == "timing" and t.key[1] in settings]
    assert {t.key[1] for t in timed} == settings
    assert len({t.race for t in timed}) == 1


def test_every_cell_and_study_was_measured(plan):
    rows = costs.read(config.project_root() / "config/costs.csv")
    known = {(row.lane, row.paper, row.setting, row.algorithm) for row in rows}
    cells = ((trials.lane, trials.cell) for trials in plan.trials)
    assert {(lane, c.paper, *c.labels) for lane, c in cells} <= known
    asked = {(name, paper, "", "") for paper in plan.papers for name in plan.studies.names(paper)}
    assert asked <= known


def test_cells_on_data_depend_on_the_prepared_data(plan):
    key = "regret", "covertype", "gloc"
    path = plan.trials.files(plan.trials.of_paper("glb_omd")[key])[0]
    inputs = plan.jobs.data(wildcards_of(path))
    assert inputs == ["results/data/covertype.csv"]


# Products and targets.


def test_a_figure_of_relative_regret_is_made_from_its_base_too(plan):
    found = shown(plan, "bkb", "figures", "regret_relative")
    assert "gaussian_d1[factor=0.1]/uniform" in found["regret"]


def test_a_table_of_all_cells_is_of_its_group(plan):
    for group, ending in (("paper", ""), ("variants", "_variants")):
        product = plan.targets.product("glb_omd", "tables", f"final_regret{ending}")
        keys = (key for key in plan.trials.keys("glb_omd", group=group) if key[0] == "regret")
        assert set(product.keys) == set(keys)


def test_a_figure_of_regions_is_given_the_regions_and_the_facts(plan):
    product = plan.targets.product("glb_omd", "figures", "regions")
    assert product.studies == ["facts", "regions"]


def test_only_figures_of_the_papers_that_are_planned_are_made():
    only = {"figures": ["glb_omd/regions", "hvt_ucb/fig1"]}
    plan = planned(papers=["glb_omd"], only=only)
    assert plan.targets.names("glb_omd", "paper") == [("figures", "regions")]
    cells = planned(only={"settings": ["logistic_s3"], "algorithms": ["gloc"]})
    left = {"logistic_s3/gloc"}
    assert shown(cells, "glb_omd", "figures", "fig1") == {"regret": left, "timing": left}
    with pytest.raises(ConfigError, match="did you mean 'glb_omd/fig1'"):
        planned(papers=["glb_omd"], only={"figures": ["glb_omd/fig11"]})


def changed_digest(plan, other, *product):
    """Return whether a product has another digest in another plan, with the same rows."""
    digests = [one.targets.product(*product).digest({}, {}, {}) for one in (plan, other)]
    return digests[0] != digests[1]


def test_a_product_depends_on_the_settings_that_it_shows_and_on_a_shortened_run(plan):
    longer = planned(changes={"settings": {"glb_omd": {"logistic_s9": {"horizon": 3001}}}})
    assert not changed_digest(plan, longer, "glb_omd", "figures", "covertype_scale")
    assert changed_digest(plan, longer, "glb_omd", "tables", "final_regret")
    shorter = planned(caps={"trials": 2})
    assert changed_digest(plan, shorter, "glb_omd", "figures", "covertype_scale")


def test_rows_studies_and_best_known_values_decide_a_product(plan):
    product = plan.targets.product("glb_omd", "figures", "regions")
    some = dict.fromkeys(product.keys, "1")
    changes = ((some, {}, {}), (some, {"regions": "1"}, {}), (some, {}, {"instance": 1.0}))
    assert len({product.digest(*one) for one in changes}) == 3


@pytest.mark.parametrize(
    ("module", "name"), [(wording, "TABLE"), (metrics, "TABLE"), (pages, "PAGE")]
)
def test_a_changed_text_makes_claims_again(plan, monkeypatch, tmp_path, module, name):
    before = plan.targets.product("glb_omd", "claims", "claims")
    monkeypatch.setattr(module, name, tmp_path / "text")
    getattr(module, name).write_text("epsilon,another description\n")
    after = planned().targets.product("glb_omd", "claims", "claims")
    assert before != after and replace(before, code="") == replace(after, code="")


def test_a_product_is_stale_if_its_record_says_otherwise(plan, tmp_path):
    product = plan.targets.product("glb_omd", "tables", "table1")
    files = {ending: str(tmp_path / f"x.{ending}") for ending in product.files}
    product = replace(product, files=files, record=str(tmp_path / "x.json"))
    assert not products.is_stale(product, "a")  # nothing is there: it is made anyway
    for path in files.values():
        Path(path).write_text("")
    assert products.is_stale(product, "a")
    Path(product.record).write_text('{"digest": "a"}')
    assert not products.is_stale(product, "a")
    assert products.is_stale(product, "b")
    Path(product.record).write_text("[]")
    assert products.is_stale(product, "a")


def test_claims_and_tables_declare_their_rounds(plan):
    declared = plan.targets.declared("glb_omd")
    assert declared == {"regret/logistic_s3[horizon=30000]": {3000, 30000}}
    (table,) = (t for t in plan.papers["hvt_ucb"].tables.values() if t["kind"] == "speed")
    for setting in table["settings"]:
        assert set(table["rounds"]) <= plan.targets.declared("hvt_ucb")[f"timing/{setting}"]


def test_every_figure_and_table_is_a_target_with_a_sentence(plan):
    for paper in plan.papers:
        expected = {paper, f"{paper}_claims"}
        if plan.trials.keys(paper, group="variants"):
            expected |= {f"{paper}_variants"}
        expected |= {f"{paper}_{name}" for name in plan.papers[paper].parts}
        for kind in ("figures", "tables"):
            expected |= {f"{paper}_{name}" for name in plan.shown.names(paper, kind)}
        named = plan.targets.named(paper)
        assert set(named) == expected
        assert all(words.endswith(".") for words, _ in named.values())


def test_the_parts_of_go_ucb_are_all_its_results_once_each_and_its_unmixed_figures(plan):
    targets = plan.targets.named("go_ucb")
    synthetic, tuning = (
        set(targets[f"go_ucb_{part}"][1](None)) for part in ("synthetic", "tuning")
    )
    assert not synthetic & tuning
    wanted = set(plan.trials.needed("go_ucb", plan.trials.keys("go_ucb", group="paper")))
    assert wanted == {path for path in synthetic | tuning if path.startswith("results/")}
    assert {"figures/go_ucb/fig2.png", "figures/go_ucb/starts.png"} < synthetic
    assert {f"figures/go_ucb/fig{i}.pdf" for i in (3, 4, 5)} < tuning
    assert "figures/go_ucb/controls.png" not in synthetic | tuning  # shows settings of both


def test_where_the_maximum_is_unknown_a_figure_waits_for_the_methods_that_the_table_lacks(
    plan, tmp_path, monkeypatch
):
    """Regret is counted from the best that any method found, and a figure costs what it shows."""
    product = plan.targets.product("go_ucb", "figures", "fig3")
    own = {*plan.trials.needed("go_ucb", product.keys)}
    assert {*plan.targets.inputs(product)} == own
    rivals = {
        key
        for key in plan.trials.keys("go_ucb", group="paper")
        if key[0] == "regret" and key[1].partition("[")[0] in {cell[1] for cell in product.keys}
    }
    assert rivals > {*product.keys}
    first = planned(figures=str(tmp_path))
    product = first.targets.product("go_ucb", "figures", "fig3")
    waited = {*first.trials.needed("go_ucb", rivals)}
    assert waited > own
    assert {*first.targets.inputs(product)} == waited
    assert {*first.targets.planned_sources(product)["results"]} == waited
    every = first.trials.of_paper("go_ucb")
    other = {key: record(first, every[key], digest="f" * 64) for key in rivals}
    monkeypatch.setattr(first, "committed", lambda paper: other)
    assert {*first.targets.inputs(product)} == waited
    monkeypatch.setattr(first.trials, "is_there", lambda *_: True)
    assert {*first.targets.sources(product).results} == waited


def test_all_is_every_papers_products_its_marks_the_claims_and_the_page(plan):
    wanted = {"figures/claims.csv", "figures/claims.md", "figures/index.html", "figures/README.md"}
    for paper in config.paper_names():
        wanted |= {f"results/published/{paper}/paper", *plan.targets.files(paper, "paper")}
    assert wanted == set(plan.targets.all)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("tables", "fig2", "'fig2' names both a figure and a table"),
        ("figures", "claims", "'claims' is reserved and cannot name a figure or table"),
        ("tables", "publish", "'publish' is reserved and cannot name a figure or table"),
        ("parts", "fig2", "'fig2' is already used and cannot name a part"),
    ],
)
def test_names_that_would_share_a_target_are_refused(kind, name, words, monkeypatch):
    def with_name(paper, changes):
        loaded = config.load_paper(paper, changes)
        entries = getattr(loaded, kind)
        return replace(loaded, **{kind: {**entries, name: next(iter(entries.values()))}})

    monkeypatch.setattr("optimist.plan.plan.load_paper", with_name)
    with pytest.raises(ConfigError, match=words):
        planned(papers=["go_ucb"])


def test_planning_loads_no_part_of_scipy_and_no_pandas():
    heavy = ("scipy.special", "scipy.linalg", "scipy.optimize", "scipy.stats", "pandas", "sklearn")
    code = (
        "import sys\n"
        "from optimist.config.load import load_config\n"
        "from optimist.plan.plan import Plan\n"
        "Plan(load_config()).targets.all\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_what_no_cell_figure_or_study_has_is_refused_by_name(plan):
    absent = wildcards(
        paper="glb_omd", setting="logistic_s3", algorithm="gloc", trials="000-008", digest="0" * 12
    )
    with pytest.raises(ConfigError, match=r"gloc/000-008.*did you mean.*logistic_s3/gloc/000-0"):
        plan.trials.find(absent)
    with pytest.raises(ConfigError, match="unknown name among figures of bkb 'fig9'"):
        plan.targets.product("bkb", "figures", "fig9")
    with pytest.raises(ConfigError, match="unknown study of glb_omd 'accuracy'"):
        plan.studies.digest("glb_omd", "accuracy")
    with pytest.raises(ConfigError, match=r"glb_omd has no race 0\.000000000000; allowed: 0\."):
        plan.trials.race(wildcards(paper="glb_omd", race="0", digest="0" * 12))
