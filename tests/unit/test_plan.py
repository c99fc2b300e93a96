"""The plan: what is asked for is what is shown, and all that is asked for can be reached."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from result_files import asked

from optimist.errors import ConfigError
from optimist.panels import studies
from optimist.plan import config, costs
from optimist.plan.costs import Costs, Row
from optimist.plan.plan import Plan
from optimist.runs.trials import source_files

ROOT = Path(__file__).parents[2]
GROUPS = {"manifest": "paper", "manifest_variants": "variants"}
MANIFESTS = {group: manifest for manifest, group in GROUPS.items()}


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
        for name in plan.items.names(paper, kind, group)
    ]


def result_files(plan, paper, kind, name):
    """Return the result files among the inputs of a figure or table."""
    inputs = plan.items.inputs(kind)(wildcards(paper=paper, name=name))
    return {*inputs.get("regret", []), *inputs.get("timing", [])}


def cells(paths, lane):
    """Return the setting/algorithm of all files of one lane."""
    parts = [Path(path).parts for path in paths]
    return {f"{part[3]}/{part[4]}" for part in parts if part[1] == lane}


def of_job(job):
    """Return the wildcards of a job's result file."""
    cell = job.cell
    return wildcards(
        paper=cell.paper, setting=cell.setting, algorithm=cell.algorithm, chunk=job.chunk
    )


def batched(size):
    """Return a plan whose jobs make up to ``size`` files each."""
    chosen = {
        "papers": config.paper_names(),
        "batch_files": size,
        "batch_seconds": None,
        "timing": {"exclusive": False},
    }
    return Plan(config.merge(config.load_config(), chosen))


def kind_of(job):
    """Return what jobs that may share a process have in common."""
    return job.cell.paper, job.group, job.cell.spec.get("dataset")


# Jobs.


def test_chunks_of_a_cell_are_its_trials_once_each(plan):
    trials = defaultdict(list)
    for job in plan.jobs.values():
        trials[job.lane, job.cell.name].extend(range(job.first, job.stop))
    for cell, found in trials.items():
        assert sorted(found) == list(range(len(found))), cell


def test_every_setting_and_every_displayed_algorithm_is_run(plan):
    for name, paper in plan.papers.items():
        jobs = [job for job in plan.jobs.values() if job.cell.paper == name]
        watched = [
            s for key in ("lemmas", "accuracy") for s in paper.get(key, {}).get("settings", [])
        ]
        assert {job.cell.setting for job in jobs} | set(watched) == set(paper["settings"])
        assert {job.cell.algorithm.partition("[")[0] for job in jobs} == set(paper["names"])


def test_every_job_is_reached_from_all_or_the_variants(plan):
    reached = set()
    for group in GROUPS.values():
        for item in items(plan, group):
            reached |= result_files(plan, *item)
    for paper in plan.papers:  # claims are decided on the tables of the group `paper`
        for lane in ("regret", "timing"):
            reached |= set(plan.group_paths(lane)(wildcards(paper=paper, group="paper")))
    assert reached == {f"results/{path}" for path in plan.jobs}


def test_a_jobs_inputs_are_the_sources_of_its_own_algorithm_and_environment(plan):
    w = wildcards(paper="glb_omd", setting="logistic_s3", algorithm="gloc", chunk="000-019")
    inputs = plan.job_inputs("regret")(w)
    assert {
        "src/optimist/algorithms/glb/gloc.py",
        "src/optimist/algorithms/base.py",
        "src/optimist/environments/glm.py",
        "src/optimist/numerics/links.py",
        "src/optimist/runs/loop.py",
        "src/optimist/runs/seeding.py",
    } <= set(inputs)
    others = {"glb_omd.py", "glm_ucb.py", "ofuglb.py", "covertype.py", "plan.py", "plotting.py"}
    assert not others & {Path(path).name for path in inputs}
    # The registry is not among them: a new entry must not run old cells again.
    assert "src/optimist/algorithms/__init__.py" not in inputs


def test_a_probe_depends_on_its_leader_too(plan):
    job = next(job for job in plan.jobs.values() if job.probe)
    leader = str(ROOT / "src/optimist/algorithms/glb/gloc.py")
    assert leader in source_files(job.cell, {"leader": "gloc", "every": 5})
    assert leader not in source_files(job.cell)


def test_a_job_is_handed_to_its_script_resolved(plan):
    label = "ofulog_r[solver=slsqp]"
    w = wildcards(paper="glb_omd", setting="logistic_s3", algorithm=label, chunk="000-000")
    (job,) = plan.job_specs("timing")(w)
    assert job["probe"] == {"leader": "ofulog_r", "every": 50}
    assert (job["lane"], job["first"], job["stop"], job["rounds"]) == ("timing", 0, 1, None)
    assert job["cell"]["algorithm"] == label
    assert job["cell"]["spec"] == plan.papers["glb_omd"]["settings"]["logistic_s3"]


@pytest.mark.parametrize("lane", ["regret", "timing"])
def test_batches_hold_files_that_wait_for_the_same_data_once_each(lane):
    plan = batched(5)
    batches = plan.batches(lane).values()
    outputs = [path for batch in batches for path in batch.outputs]
    assert outputs and len(outputs) == len(set(outputs))
    assert {len(batch.jobs) for batch in batches} <= {2, 3, 4, 5}
    for batch in batches:
        assert len({kind_of(job) for job in batch.jobs}) == 1
        inputs = [path for job in batch.jobs for path in plan.job_inputs(lane)(of_job(job))]
        assert set(batch.inputs) == set(inputs) and len(batch.inputs) == len(set(inputs))
        assert batch.specs == [plan.job_specs(lane)(of_job(job))[0] for job in batch.jobs]
    # A file that is left has no other to share a process with.
    left = [
        kind_of(job)
        for path, job in plan.jobs.items()
        if job.lane == lane and f"results/{path}" not in outputs
    ]
    assert len(left) == len(set(left))


@pytest.mark.parametrize("lane", ["regret", "timing"])
def test_a_batch_of_one_file_is_none(lane):
    assert batched(1).batches(lane) == {}


def test_what_is_timed_alone_is_in_no_batch(plan):
    assert plan.config["timing"]["exclusive"] is True
    assert plan.batches("timing") == {}


def test_batches_end_where_their_time_does(plan):
    longest = plan.config["batch_seconds"]
    batches = plan.batches("regret").values()
    assert batches
    for batch in batches:
        assert sum(plan.costs.seconds(job) for job in batch.jobs) <= longest
    # What stays alone had no room for the next of the same paper, group and data.
    inside = {job for batch in batches for job in map(id, batch.jobs)}
    alike = defaultdict(list)
    for job in plan.jobs.values():
        if job.lane == "regret":
            alike[job.cell.paper, job.group, job.cell.spec.get("dataset")].append(job)
    pairs = [pair for jobs in alike.values() for pair in pairwise(jobs)]
    alone = [pair for pair in pairs if id(pair[0]) not in inside]
    assert alone
    assert all(sum(map(plan.costs.seconds, pair)) > longest for pair in alone)


def test_every_cell_and_study_was_measured(plan):
    rows = costs.read(config.project_root() / "config/costs.csv")
    known = {(row.lane, row.paper, row.setting, row.algorithm) for row in rows}
    cells = ((job.lane, job.cell) for job in plan.jobs.values())
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
    assert 60 * first["runtime"] > 2 * row.seconds
    assert all(second[name] > first[name] for name in first)


def test_cells_on_data_depend_on_the_prepared_data(plan):
    w = wildcards(paper="glb_omd", setting="covertype", algorithm="gloc", chunk="000-019")
    assert "results/data/covertype.csv" in plan.job_inputs("regret")(w)


def test_source_inputs_exist(plan):
    for job in plan.jobs.values():
        inputs = plan.job_inputs(job.lane)(of_job(job))
        sources = [p for p in inputs if not p.startswith("results/")]
        assert all((ROOT / path).is_file() for path in sources), job.path


def test_limits_cut_rounds_and_trials(plan):
    quick = config.load_config(ROOT / "config" / "quick.yaml")
    quick = Plan(config.merge(quick, {"papers": config.paper_names()}))
    assert {job.cell.name for job in quick.jobs.values()} == {
        job.cell.name for job in plan.jobs.values()
    }
    full = {job.cell.name: job.cell.spec["horizon"] for job in plan.jobs.values()}
    for job in quick.jobs.values():
        assert job.rounds == 150
        assert job.cell.spec["horizon"] <= full[job.cell.name]
        assert job.stop <= (2 if job.lane == "regret" else 1)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["ecolog[solver=pgd]"], {"ecolog[solver=pgd]"}),
        (["glb_omd"], {"glb_omd", "glb_omd[regularisation=theory]"}),
    ],
)
def test_only_takes_a_whole_label_or_a_name_with_its_variants(names, expected):
    base = config.load_config()
    restricted = Plan(config.merge(base, {"only": {"algorithms": names}}))
    assert {job.cell.algorithm for job in restricted.jobs.values()} == expected


# Figures, tables, manifests, targets.


def test_figure_1_is_made_from_the_cells_that_it_shows(plan):
    files = result_files(plan, "glb_omd", "figures", "fig1")
    seven = ["glb_omd", "glm_ucb", "gloc", "rs_glincb", "ofuglb", "ofulog_r", "ecolog"]
    curves = {f"logistic_s{S}/{name}" for S in (3, 5) for name in seven}
    timed = {
        f"logistic_s{S}/{name}" for S in (3, 5, 7, 9) for name in [*seven, "ecolog[solver=pgd]"]
    }
    assert cells(files, "regret") == curves
    assert cells(files, "timing") == timed


def test_a_figure_of_relative_regret_is_made_from_its_base_too(plan):
    made = plan.items.inputs("figures")(wildcards(paper="bkb", name="regret_relative"))
    (path,) = (p for p in made["regret"] if "/gaussian_d1_c0.1/uniform/" in p)
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
    inputs = plan.items.inputs("tables")(wildcards(paper="glb_omd", name=name))
    inputs.pop("source")
    folder = "results/tables/glb_omd"
    assert inputs == {key: f"{folder}/{path}.parquet" for key, path in made.items()}
    group = "variants" if name.endswith("variants") else "paper"
    sources = plan.targets.manifest_sources(wildcards(paper="glb_omd", manifest=MANIFESTS[group]))
    runs = {path for path in sources[name]["inputs"] if path.startswith(f"results/{lane}/")}
    assert runs == set(plan.paths("glb_omd", lanes=[lane], group=group))


def test_a_figure_of_regions_is_given_the_regions_and_their_areas(plan):
    inputs = plan.items.inputs("figures")(wildcards(paper="glb_omd", name="regions"))
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
        for name in plan.items.names(paper, "figures", GROUPS[manifest]):
            made = {f"figures/{paper}/{name}.png", f"figures/{paper}/{name}.pdf"}
            assert {*made, f"figures/{paper}/tables/{name}.csv"} == set(sources[name]["files"])
            found = set(sources[name]["inputs"])
            runs = result_files(plan, paper, "figures", name)
            assert found
            assert runs <= found
            floors = f"results/tables/{paper}/{GROUPS[manifest]}/floors.parquet"
            beside = found - runs - {floors}
            if floors in found:  # regret is counted from what any algorithm found
                everyone = set(plan.floor_paths(paper, GROUPS[manifest]))
                assert len({path.split("/")[4] for path in everyone}) > 4
                assert everyone <= found
                beside -= everyone
            assert all(p.startswith(("results/studies/", "results/data/")) for p in beside)
            worlds = {
                plan.jobs[path.removeprefix("results/")].cell.spec["environment"] for path in runs
            }
            assert (floors in found) == ("hyperparameters" in worlds)
            on_covertype = any("/covertype" in path for path in runs)
            assert ("results/data/covertype.csv" in found) == on_covertype


def test_every_figure_and_table_is_a_target(plan):
    for paper in plan.papers:
        expected = {paper, f"{paper}_claims"}
        expected |= {f"{paper}_variants"} if plan.paths(paper, group="variants") else set()
        expected |= {f"{paper}_{name}" for name in plan.papers[paper].get("parts", {})}
        for group in GROUPS.values():
            expected |= {f"{p}_{name}" for p, _, name in items(plan, group) if p == paper}
        assert set(plan.targets.named(paper)) == expected


def test_the_parts_of_go_ucb_are_all_its_results_once_each_and_its_unmixed_figures(plan):
    targets = plan.targets.named("go_ucb")
    synthetic, tuning = (set(targets[f"go_ucb_{part}"]) for part in ("synthetic", "tuning"))
    assert not synthetic & tuning
    wanted = set(plan.paths("go_ucb", group="paper"))
    assert wanted == {path for path in synthetic | tuning if path.startswith("results/")}
    assert {"figures/go_ucb/fig2.png", "figures/go_ucb/starts.png"} < synthetic
    assert {f"figures/go_ucb/fig{i}.pdf" for i in (3, 4, 5)} < tuning
    assert "figures/go_ucb/controls.png" not in synthetic | tuning  # shows settings of both


@pytest.mark.parametrize("kind", ["regret", "timing", "studies"])
def test_figures_that_were_made_here_keep_their_time(kind, tmp_path):
    folders = {name: str(tmp_path / name) for name in ("results", "figures")}
    here = Plan(config.merge(config.load_config(), folders))
    own, foreign = (tmp_path / "figures" / paper / "a.png" for paper in ("bkb", "go_ucb"))
    for path in (own, foreign):
        path.parent.mkdir(parents=True)
        path.write_bytes(b"1")
    (tmp_path / "results" / kind / "bkb").mkdir(parents=True)
    here.targets.outdate_foreign_figures()
    assert own.stat().st_mtime > 1e9 > foreign.stat().st_mtime


def test_a_group_without_cells_in_hindsight_has_no_floors():
    variant = {"only": {"settings": ["breast_cancer_wdbc_rf"]}, "papers": ["go_ucb"]}
    left = Plan(config.merge(config.load_config(), variant))
    assert left.floors("go_ucb", "paper") == {}
    assert left.floors("go_ucb", "variants")


def test_aggregating_asks_for_more_with_more_rows(plan):
    w = wildcards(paper="bkb", group="paper")
    many = Plan(config.merge(config.load_config(), {"changes": {"trials": 1000}}))
    few, more = asked(plan.aggregate_request, w), asked(many.aggregate_request, w)
    assert more["mem_mb"] > 5 * few["mem_mb"]
    assert more["runtime"] > 10 * few["runtime"]


def test_an_edit_of_a_script_or_of_a_source_changes_the_digest(plan, monkeypatch, tmp_path):
    digests = []
    for script, source in (("1", "1"), ("2", "1"), ("1", "2")):
        root = tmp_path / (script + source)
        (root / "workflow/scripts").mkdir(parents=True)
        (root / "workflow/scripts/study.py").write_text(script)
        (root / "one.py").write_text(source)
        monkeypatch.setattr("optimist.plan.plan.project_root", lambda root=root: root)
        code = plan.code("study.py", ["one.py", "results/two.csv"])
        digests.append(code(wildcards()))
    assert len(set(digests)) == 3


def test_all_is_every_papers_manifest_and_the_page_of_claims(plan):
    manifests = {f"figures/{paper}/manifest.json" for paper in config.paper_names()}
    assert set(plan.targets.all) == {*manifests, "figures/claims.csv", "figures/claims.md"}


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("tables", "fig2", "'fig2' names a figure and a table"),
        ("figures", "claims", "'claims' names a figure or table"),
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


def test_a_figure_of_two_groups_with_regret_in_hindsight_is_refused(monkeypatch):
    """Each group has a best value of its own."""

    def mixed(paper, changes):
        loaded = config.load_paper(paper, changes)
        figure = {"kind": "regret", "title": "Mixed", "algorithms": ["go_ucb"]}
        panels = [{**figure, "setting": s} for s in ("breast_cancer_rf", "breast_cancer_wdbc_rf")]
        return {**loaded, "figures": {"mixed": {"title": "Mixed", "panels": panels}}}

    monkeypatch.setattr("optimist.plan.plan.load_paper", mixed)
    with pytest.raises(ConfigError, match="'mixed' of group paper shows breast_cancer_wdbc_rf/go_"):
        Plan(config.merge(config.load_config(), {"papers": ["go_ucb"]}))


def test_what_no_cell_figure_or_study_has_is_refused_by_name(plan):
    absent = wildcards(paper="glb_omd", setting="logistic_s3", algorithm="gloc", chunk="000-008")
    with pytest.raises(ConfigError, match=r"gloc/000-008.*did you mean.*logistic_s3/gloc/000-0"):
        plan.job_specs("regret")(absent)
    with pytest.raises(ConfigError, match="unknown name among figures of bkb 'fig9'"):
        plan.items.described("figures")(wildcards(paper="bkb", name="fig9"))
    with pytest.raises(ConfigError, match="unknown study of glb_omd 'accuracy'"):
        plan.studies.inputs(studies.study_class("accuracy"))(wildcards(paper="glb_omd"))
