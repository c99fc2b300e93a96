"""The plan: what is asked for is what is shown, and all that is asked for can be reached."""

import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from result_files import asked

from optimist.errors import ConfigError
from optimist.label import name_of
from optimist.layout import parse_result
from optimist.panels import studies
from optimist.plan import config, costs
from optimist.plan.costs import Costs, Row
from optimist.plan.plan import Plan
from optimist.runs.code_digest import own_modules
from optimist.source_files import closure

ROOT = Path(__file__).parents[2]
GROUPS = {"manifest": "paper", "manifest_variants": "variants"}
MANIFESTS = {group: manifest for manifest, group in GROUPS.items()}

LOGISTIC = [f"logistic_s{norm}" for norm in (3, 5, 7, 9)]


@pytest.fixture(scope="module")
def plan():
    return Plan(config.merge(config.load_config(), {"papers": config.paper_names()}))


def wildcards(**values):
    return SimpleNamespace(**values)


def items(plan, group):
    """Return (paper, kind, name) of every figure and table of a group."""
    return [
        (paper, kind, name)
        for paper in plan.papers
        for kind in ("figures", "tables")
        for name in plan.shown.names(paper, kind, group)
    ]


def result_files(plan, paper, kind, name):
    """Return the result files among the inputs of a figure or table."""
    inputs = plan.shown.inputs(kind)(wildcards(paper=paper, name=name))
    return {*inputs.get("regret", []), *inputs.get("timing", [])}


def cells(paths, lane):
    """Return the setting/algorithm of all files of one lane."""
    places = map(parse_result, paths)
    return {f"{place.setting}/{place.algorithm}" for place in places if place.lane == lane}


def rule_of(plan, lane):
    """Return the rule for any single result file of a lane."""
    return next(rule for rule in plan.jobs.rules if rule.name == f"{lane}_file")


def with_files(size):
    """Return a plan whose jobs make up to ``size`` files each."""
    chosen = {
        "papers": config.paper_names(),
        "job_files": size,
        "job_seconds": None,
        "timing": {"exclusive": False},
    }
    return Plan(config.merge(config.load_config(), chosen))


def kind_of(trials):
    """Return what trials that may share a process have in common."""
    return trials.cell.paper, trials.group, trials.cell.spec.get("dataset")


# Trials and jobs.


def test_files_of_a_cell_are_its_trials_once_each(plan):
    numbers = defaultdict(list)
    for t in plan.trials:
        numbers[t.lane, t.cell.name].extend(range(t.first, t.stop))
    for cell, found in numbers.items():
        assert sorted(found) == list(range(len(found))), cell


def test_every_setting_and_every_displayed_algorithm_is_run(plan):
    for name, paper in plan.papers.items():
        asked = plan.trials.of_paper(name).values()
        watched = [c.setting for one in studies.of_paper(paper) for c in one.cells(paper, ())]
        used = {trials.cell.setting for trials in asked} | set(watched)
        assert used <= set(paper["settings"])
        assert {label for label in paper["settings"] if "[" in label} <= used
        assert set(map(name_of, paper["settings"])) == set(map(name_of, used))
        assert {name_of(trials.cell.algorithm) for trials in asked} == set(paper["names"])


def test_every_result_is_reached_from_all_or_the_variants(plan):
    reached = set()
    for group in GROUPS.values():
        for item in items(plan, group):
            reached |= result_files(plan, *item)
    for paper in plan.papers:  # claims are decided on the tables of the group `paper`
        for lane in ("regret", "timing"):
            reached |= set(plan.group_paths(lane)(wildcards(paper=paper, group="paper")))
    assert reached == set(plan.trials.by_path)


def test_a_probe_depends_on_its_leader_too(plan):
    probed = next(trials for trials in plan.trials if trials.probe)
    leader = "optimist.algorithms.glb.gloc"
    assert leader in own_modules(probed.cell, {"leader": "gloc", "every": 5})
    assert leader not in own_modules(probed.cell)


def test_trials_are_handed_to_their_script_resolved(plan):
    label = "ofulog_r[solver=slsqp]"
    w = wildcards(paper="glb_omd", setting="logistic_s3", algorithm=label, trials="000-000")
    rules = [rule for rule in plan.jobs.rules if rule.lane == "timing"]
    (trials,) = (
        t
        for rule in rules
        for t in rule.trials
        if (t["cell"]["setting"], t["cell"]["algorithm"]) == (w.setting, w.algorithm)
    )
    assert trials["probe"] == {"leader": "ofulog_r", "every": 100}
    assert (trials["lane"], trials["first"], trials["stop"], trials["rounds"]) == (
        *("timing", 0, 5),
        None,
    )
    assert trials["cell"]["algorithm"] == label
    assert trials["cell"]["spec"] == {
        "environment": "glm",
        "parameters": {"link": "logistic", "norm": 3},
        "problem": {"delta": 0.01, "kappa": "parameter"},
        "horizon": 3000,
    }


@pytest.mark.parametrize("lane", ["regret", "timing"])
def test_jobs_hold_each_file_once(lane):
    plan = with_files(5)
    jobs = plan.jobs.of_lane(lane)
    rules = {rule.name: rule for rule in plan.jobs.rules if rule.lane == lane}
    outputs = [path for rule in rules.values() for path in rule.output]
    own = [path for path, trials in plan.trials.by_path.items() if trials.lane == lane]
    assert sorted(outputs) == sorted(own)
    assert rules.keys() == jobs.keys()
    for name, job in jobs.items():
        data = {trials.cell.spec.get("dataset") for trials in job.trials} - {None}
        assert rules[name].input == [f"results/data/{name}.csv" for name in sorted(data)]
        assert rules[name].trials == [trials.describe() for trials in job.trials]
        assert rules[name].output == [plan.layout.result(trials.path) for trials in job.trials]


def test_jobs_of_the_regret_lane_wait_for_the_same_data_and_are_full():
    jobs = with_files(5).jobs.of_lane("regret")
    assert {len(job.trials) for job in jobs.values()} <= {1, 2, 3, 4, 5}
    for job in jobs.values():
        assert len({kind_of(trials) for trials in job.trials}) == 1
    # Of files that may share a process, only what is left over is in a job that is not full.
    partial = [kind_of(job.trials[0]) for job in jobs.values() if len(job.trials) < 5]
    assert len(partial) == len(set(partial))


def test_files_that_are_jobs_of_their_own_have_one_rule_and_races_one_each(plan):
    names = [rule.name for rule in with_files(1).jobs.rules]
    assert names == ["regret_file", *plan.jobs.of_lane("timing")]


def test_a_job_that_takes_the_machine_is_a_race(plan):
    assert plan.jobs.keeps_cores("timing")
    jobs = plan.jobs.of_lane("timing").values()
    races = [{trials.race for trials in job.trials} for job in jobs]
    assert all(len(race) == 1 for race in races)
    assert len(set().union(*races)) == len(jobs)
    written = (config.load_paper(name)["timings"] for name in plan.papers)
    assert len(jobs) == sum(len({part["race"] for part in parts}) for parts in written)


@pytest.mark.parametrize(
    ("timing", "given", "kept"),
    [
        ({}, 2, 2),
        ({}, 8, 8),
        ({}, 16, 8),
        ({}, None, 1),
        ({"cores": 3}, 16, 3),
        ({"cores": None}, 16, 16),
        ({"exclusive": False}, 16, 1),
    ],
)
def test_a_timing_job_keeps_so_many_cores(timing, given, kept):
    workflow = SimpleNamespace(resource_settings=SimpleNamespace(cores=given))
    changed = config.merge(config.load_config(), {"timing": timing})
    jobs = Plan(changed).jobs
    assert (jobs.threads("timing", workflow), jobs.threads("regret", workflow)) == (kept, 1)


@pytest.mark.parametrize("link", ["logistic", "poisson"])
def test_times_are_comparable_over_norms(plan, link):
    settings = {f"{link}_s{norm}" for norm in (3, 5, 7, 9)}
    timed = [t for t in plan.trials if t.lane == "timing" and t.cell.setting in settings]
    assert {t.cell.setting for t in timed} == settings
    assert len({t.race for t in timed}) == 1


def test_the_longest_job_is_started_first_and_data_are_prepared_before(plan):
    seconds = {name: job.expected[0] for name, job in plan.jobs.of_lane("regret").items()}
    rules = {rule.name: rule.priority for rule in plan.jobs.rules if rule.lane == "regret"}
    assert sorted(rules, key=rules.get) == sorted(rules, key=lambda name: round(seconds[name]))
    assert len(set(rules.values())) > 5
    assert max(rules.values()) < costs.FIRST
    w = wildcards(paper="glb_omd", setting="logistic_s3", algorithm="gloc", trials="000-019")
    dear = wildcards(**{**vars(w), "algorithm": "ofuglb", "trials": "000-004"})
    of_file = rule_of(with_files(1), "regret").priority
    assert of_file(w) < of_file(dear)
    study = plan.studies.priority(studies.study_class("accuracy"))
    assert study(wildcards(paper="bkb")) == round(plan.costs.study("accuracy", "bkb")[0])


def test_jobs_end_where_their_time_does(plan):
    longest = plan.config["job_seconds"]
    most = plan.config["job_files"]
    jobs = list(plan.jobs.of_lane("regret").values())
    sums = [sum(map(plan.costs.seconds, job.trials)) for job in jobs]
    for job, total in zip(jobs, sums, strict=True):
        assert len(job.trials) == 1 or total <= longest
    # A job that is not full had no room for the next of the same paper, group and data.
    for (job, total), (after, _) in pairwise(zip(jobs, sums, strict=True)):
        if kind_of(job.trials[0]) == kind_of(after.trials[0]) and len(job.trials) < most:
            assert total + plan.costs.seconds(after.trials[0]) > longest


def test_every_cell_and_study_was_measured(plan):
    rows = costs.read(config.project_root() / "config/costs.csv")
    known = {(row.lane, row.paper, row.setting, row.algorithm) for row in rows}
    cells = ((trials.lane, trials.cell) for trials in plan.trials)
    assert {(lane, c.paper, c.setting, c.algorithm) for lane, c in cells} <= known
    asked = {
        (study.name, name, "", "")
        for name, paper in plan.papers.items()
        for study in studies.of_paper(paper)
    }
    assert asked <= known


def test_studies_ask_for_more_than_was_measured(plan):
    row = Row("accuracy", "bkb", "", "", 1, 600.0, 400)
    measured = replace(plan.studies, costs=Costs([row]))
    request = measured.request(studies.study_class("accuracy"))
    first, second = (asked(request, wildcards(paper="bkb"), attempt) for attempt in (1, 2))
    assert first["mem_mb"] > row.peak_mb
    assert 60 * first["runtime"] > 2 * row.cpu_seconds
    assert all(second[name] > first[name] for name in first)


def test_cells_on_data_depend_on_the_prepared_data(plan):
    w = wildcards(
        paper="glb_omd", setting="covertype[factor=0.1]", algorithm="gloc", trials="000-029"
    )
    assert rule_of(with_files(1), "regret").input(w) == ["results/data/covertype.csv"]


def test_caps_cut_rounds_and_trials(plan):
    quick = config.load_config(ROOT / "config" / "quick.yaml")
    quick = Plan(config.merge(quick, {"papers": config.paper_names()}))
    assert {t.cell.name for t in quick.trials} == {t.cell.name for t in plan.trials}
    full = {t.cell.name: t.cell.spec["horizon"] for t in plan.trials}
    for trials in quick.trials:
        assert trials.rounds in (150, 40)  # a race may have blocks that are shorter
        assert trials.cell.spec["horizon"] <= full[trials.cell.name]
        assert trials.stop <= (2 if trials.lane == "regret" else 1)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["ecolog[solver=pgd]"], {"ecolog[solver=pgd]"}),
        (
            ["glb_omd"],
            {f"glb_omd{options}" for options in ("", "[inverse=pinv]", "[regularisation=theory]")},
        ),
    ],
)
def test_only_takes_a_whole_label_or_a_name_with_its_variants(names, expected):
    base = config.load_config()
    restricted = Plan(config.merge(base, {"only": {"algorithms": names}}))
    assert {trials.cell.algorithm for trials in restricted.trials} == expected


# Figures, tables, manifests, targets.


def test_figure_1_is_made_from_the_cells_that_it_shows(plan):
    files = result_files(plan, "glb_omd", "figures", "fig1")
    seven = ["glb_omd", "glm_ucb", "gloc", "rs_glincb", "ofuglb", "ofulog_r", "ecolog"]
    curves = {f"logistic_s{S}/{name}" for S in (3, 5) for name in seven}
    timed = {f"logistic_s{S}/{name}" for S in (3, 5, 7) for name in [*seven, "ecolog[solver=pgd]"]}
    assert cells(files, "regret") == curves
    assert cells(files, "timing") == timed


def test_a_figure_of_relative_regret_is_made_from_its_base_too(plan):
    made = plan.shown.inputs("figures")(wildcards(paper="bkb", name="regret_relative"))
    (path,) = (p for p in made["regret"] if "/gaussian_d1[factor=0.1]/uniform/" in p)
    assert path.startswith("results/regret/bkb/")


@pytest.mark.parametrize(
    ["name", "lane", "made"],
    [
        ("final_regret", "regret", {"finals": "paper/finals"}),
        ("run_time", "timing", {"times": "paper/times"}),
        ("final_regret_variants", "regret", {"finals": "variants/finals"}),
    ],
)
def test_a_table_of_all_cells_reads_what_was_aggregated_and_names_its_group(plan, name, lane, made):
    inputs = plan.shown.inputs("tables")(wildcards(paper="glb_omd", name=name))
    folder = "results/tables/glb_omd"
    assert inputs == {key: f"{folder}/{path}.parquet" for key, path in made.items()}
    group = "variants" if name.endswith("variants") else "paper"
    sources = plan.targets.manifest_sources(wildcards(paper="glb_omd", manifest=MANIFESTS[group]))
    runs = {path for path in sources[name]["inputs"] if path.startswith(f"results/{lane}/")}
    assert runs == set(plan.trials.paths("glb_omd", lanes=[lane], group=group))


def test_a_figure_of_regions_is_given_the_regions_and_their_areas(plan):
    inputs = plan.shown.inputs("figures")(wildcards(paper="glb_omd", name="regions"))
    folder = "results/studies/glb_omd"
    assert inputs["regions"] == f"{folder}/regions.parquet"
    # The areas are facts; reading them needs the table of facts as well.
    assert inputs["region_areas"] == f"{folder}/region_areas.csv"
    assert inputs["facts"] == f"{folder}/facts.csv"


def test_a_restricted_figure_asks_for_what_is_left():
    base = config.load_config()
    only = {"only": {"settings": ["logistic_s3"], "algorithms": ["gloc"]}}
    files = result_files(Plan(config.merge(base, only)), "glb_omd", "figures", "fig1")
    assert cells(files, "regret") == cells(files, "timing") == {"logistic_s3/gloc"}


@pytest.mark.parametrize("manifest", GROUPS)
def test_a_manifest_describes_every_file_of_its_group(plan, manifest):
    for paper in plan.papers:
        w = wildcards(paper=paper, manifest=manifest)
        sources = plan.targets.manifest_sources(w)
        described = [path for item in sources.values() for path in item["files"]]
        inputs = [path for item in sources.values() for path in item["inputs"]]
        data = {path for path in inputs if path.startswith("results/data/")}
        assert sorted(plan.targets.manifest_inputs(w)) == sorted([*described, *data])
        assert len(set(described)) == len(described)
        for name in plan.shown.names(paper, "figures", GROUPS[manifest]):
            made = {f"figures/{paper}/{name}.png", f"figures/{paper}/{name}.pdf"}
            made |= {f"figures/{paper}/thumbnails/{name}.webp"}
            assert {*made, f"figures/{paper}/tables/{name}.csv"} == set(sources[name]["files"])
            found = set(sources[name]["inputs"])
            runs = result_files(plan, paper, "figures", name)
            assert found
            assert runs <= found
            best_known = f"results/tables/{paper}/{GROUPS[manifest]}/best_known.parquet"
            beside = found - runs - {best_known}
            if best_known in found:  # regret is counted from what any algorithm found
                everyone = set(plan.trials.best_known_paths(paper, GROUPS[manifest]))
                assert len({path.split("/")[4] for path in everyone}) > 4
                assert everyone <= found
                beside -= everyone
            assert all(p.startswith(("results/studies/", "results/data/")) for p in beside)
            environments = {plan.trials.by_path[path].cell.spec["environment"] for path in runs}
            assert (best_known in found) == ("hyperparameters" in environments)
            on_covertype = any("/covertype" in path for path in runs)
            assert ("results/data/covertype.csv" in found) == on_covertype


def test_the_tables_of_trials_are_made_from_all_results_of_their_group(plan):
    for manifest, group in GROUPS.items():
        sources = plan.targets.manifest_sources(wildcards(paper="glb_omd", manifest=manifest))
        ending = "_variants" if group == "variants" else ""
        item = sources[f"trials{ending}"]
        files = [f"figures/glb_omd/tables/trials{ending}.csv"]
        assert item["files"] == [*files, f"figures/glb_omd/curves{ending}.parquet"]
        assert set(plan.trials.paths("glb_omd", group=group)) <= set(item["inputs"])
        assert ("results/data/covertype.csv" in item["inputs"]) == (group == "paper")
    w = wildcards(paper="glb_omd")
    here = wildcards(paper="glb_omd", group="variants")
    assert asked(plan.aggregate_request("variants"), w) == asked(plan.aggregate_request(), here)
    assert asked(plan.aggregate_request("variants"), w) != asked(plan.aggregate_request("paper"), w)


def test_every_figure_and_table_is_a_target(plan):
    for paper in plan.papers:
        expected = {paper, f"{paper}_claims", f"{paper}_trials"}
        if plan.trials.paths(paper, group="variants"):
            expected |= {f"{paper}_variants", f"{paper}_trials_variants"}
        expected |= {f"{paper}_{name}" for name in plan.papers[paper].get("parts", {})}
        for group in GROUPS.values():
            expected |= {f"{p}_{name}" for p, _, name in items(plan, group) if p == paper}
        assert set(plan.targets.named(paper)) == expected


def test_the_parts_of_go_ucb_are_all_its_results_once_each_and_its_unmixed_figures(plan):
    targets = plan.targets.named("go_ucb")
    synthetic, tuning = (set(targets[f"go_ucb_{part}"](None)) for part in ("synthetic", "tuning"))
    assert not synthetic & tuning
    wanted = set(plan.trials.paths("go_ucb", group="paper"))
    assert wanted == {path for path in synthetic | tuning if path.startswith("results/")}
    assert {"figures/go_ucb/fig2.png", "figures/go_ucb/starts.png"} < synthetic
    assert {f"figures/go_ucb/fig{i}.pdf" for i in (3, 4, 5)} < tuning
    assert "figures/go_ucb/controls.png" not in synthetic | tuning  # shows settings of both


@pytest.mark.parametrize(
    ("settings", "whole"), [(LOGISTIC[:2], False), (LOGISTIC, True)], ids=["of two", "of all"]
)
def test_a_figure_with_times_of_other_settings_is_of_no_part(settings, whole, monkeypatch):
    """The curves of Figure 1 are of two settings, its times of four."""

    def with_part(paper, changes):
        return {**config.load_paper(paper, changes), "parts": {"small": settings}}

    monkeypatch.setattr("optimist.plan.plan.load_paper", with_part)
    plan = Plan(config.merge(config.load_config(), {"papers": ["glb_omd"]}))
    files = plan.targets.named("glb_omd")["glb_omd_small"](None)
    assert ("figures/glb_omd/fig1.png" in files) is whole


def test_a_group_whose_maxima_are_known_needs_no_best_known_value():
    variant = {"only": {"settings": ["breast_cancer_wdbc_rf"]}, "papers": ["go_ucb"]}
    left = Plan(config.merge(config.load_config(), variant))
    assert left.trials.best_known("go_ucb", "paper") == {}
    assert left.trials.best_known("go_ucb", "variants")


def test_aggregating_asks_for_more_with_more_rows(plan):
    w = wildcards(paper="bkb", group="paper")
    many = Plan(config.merge(config.load_config(), {"changes": {"trials": 1000}}))
    few, more = asked(plan.aggregate_request(), w), asked(many.aggregate_request(), w)
    assert more["mem_mb"] > 5 * few["mem_mb"]
    assert more["runtime"] > 10 * few["runtime"]


def test_an_edit_of_a_script_or_of_a_source_changes_the_digest(plan, monkeypatch, tmp_path):
    digests = []
    for script, source, style in (
        ("1", "1", "1"),
        ("2", "1", "1"),
        ("1", "2", "1"),
        ("1", "1", "2"),
    ):
        root = tmp_path / (script + source + style)
        (root / "workflow/scripts").mkdir(parents=True)
        (root / "workflow/scripts/study.py").write_text(f"x = {script}  # a study\n")
        (root / "one.py").write_text(f"x = {source}\n")
        (root / "style").write_text(style)
        monkeypatch.setattr("optimist.plan.sources.project_root", lambda root=root: root)
        digests += [
            plan.code("study.py", str(root / "one.py"), more=[str(root / "style")])(wildcards())
        ]
    assert len(set(digests)) == 4
    (root / "workflow/scripts/study.py").write_text(f"x = {script}  # in other words\n")
    again = plan.code("study.py", str(root / "one.py"), more=[str(root / "style")])(wildcards())
    assert again == digests[-1]


def test_the_code_behind_an_algorithm_is_that_of_its_module_and_not_of_others(plan):
    module = "optimist.algorithms.glb.gloc"
    names = {Path(path).name for path in closure(module)}
    assert {"gloc.py", "base.py", "links.py"} <= names
    assert not names & {"glb_omd.py", "ofuglb.py", "plan.py"}
    of_wildcards = plan.code("study.py", of=lambda w: [w.module])
    assert of_wildcards(wildcards(module=module)) == plan.code("study.py", module)(wildcards())
    assert plan.code("study.py")(wildcards()) != plan.code("study.py", module)(wildcards())


def test_all_is_every_papers_manifest_its_results_the_claims_and_the_page(plan):
    manifests = {f"figures/{paper}/manifest.json" for paper in config.paper_names()}
    wanted = {*manifests, "figures/claims.csv", "figures/claims.md"}
    wanted |= {"figures/index.html", "figures/README.md"}
    assert wanted == {path for path in plan.targets.all if path.startswith("figures/")}
    results = {path for path, t in plan.trials.by_path.items() if t.group == "paper"}
    assert results < set(plan.targets.all)


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("tables", "fig2", "'fig2' names a figure and a table"),
        ("figures", "claims", "'claims' names a figure or table"),
        ("tables", "trials", "'trials' names a figure or table"),
        ("parts", "fig2", "'fig2' names a part"),
    ],
)
def test_names_that_would_share_a_target_are_refused(kind, name, words, monkeypatch):
    def with_name(paper, changes):
        loaded = config.load_paper(paper, changes)
        return {**loaded, kind: {**loaded[kind], name: next(iter(loaded[kind].values()))}}

    monkeypatch.setattr("optimist.plan.plan.load_paper", with_name)
    with pytest.raises(ConfigError, match=words):
        Plan(config.merge(config.load_config(), {"papers": ["go_ucb"]}))


def test_a_figure_of_two_groups_with_unknown_maxima_is_refused(monkeypatch):
    """Each group has a best value of its own."""

    def mixed(paper, changes):
        loaded = config.load_paper(paper, changes)
        figure = {"kind": "regret", "title": "Mixed", "algorithms": ["go_ucb"]}
        panels = [{**figure, "setting": s} for s in ("breast_cancer_rf", "breast_cancer_wdbc_rf")]
        return {**loaded, "figures": {"mixed": {"title": "Mixed", "panels": panels}}}

    monkeypatch.setattr("optimist.plan.plan.load_paper", mixed)
    with pytest.raises(ConfigError, match="'mixed' of group paper shows breast_cancer_wdbc_rf/go_"):
        Plan(config.merge(config.load_config(), {"papers": ["go_ucb"]}))


def test_planning_loads_no_part_of_scipy_and_no_pandas():
    heavy = ("scipy.special", "scipy.linalg", "scipy.optimize", "scipy.stats", "pandas", "sklearn")
    code = (
        "import sys\n"
        "from optimist.plan.config import load_config\n"
        "from optimist.plan.plan import Plan\n"
        "Plan(load_config())\n"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_what_no_cell_figure_or_study_has_is_refused_by_name(plan):
    absent = wildcards(paper="glb_omd", setting="logistic_s3", algorithm="gloc", trials="000-008")
    with pytest.raises(ConfigError, match=r"gloc/000-008.*did you mean.*logistic_s3/gloc/000-0"):
        rule_of(with_files(1), "regret").trials(absent)
    with pytest.raises(ConfigError, match="unknown name among figures of bkb 'fig9'"):
        plan.shown.spec("figures")(wildcards(paper="bkb", name="fig9"))
    with pytest.raises(ConfigError, match="unknown study of glb_omd 'accuracy'"):
        plan.studies.inputs(studies.study_class("accuracy"))(wildcards(paper="glb_omd"))
