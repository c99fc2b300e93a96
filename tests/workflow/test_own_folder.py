"""docs/your-own-folder.md, followed command by command with the package from its wheel."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml
from installed import build

from optimist.cli.new import STARTS
from optimist.experiments import results

DOCUMENT = (Path(__file__).parents[2] / "docs" / "your-own-folder.md").read_text(encoding="utf-8")


def block(kind, number=0):
    return re.findall(rf"^```{kind}\n(.*?)^```", DOCUMENT, flags=re.M | re.S)[number]


def commands():
    """Return the commands of each section of the document, as lists of words."""
    blocks = re.findall(r"^```sh\n(.*?)^```", DOCUMENT, flags=re.M | re.S)
    return [[shlex.split(line) for line in text.splitlines()] for text in blocks]


class Shell:
    """A user who types commands, and changes folders."""

    def __init__(self, installed, folder):
        self.installed, self.folder = installed, folder

    def type(self, words):
        if words[0] == "cd":
            self.folder = self.folder / words[1]
            return None
        return self.installed.run(*words, cwd=self.folder)


@pytest.fixture(scope="module")
def shell(installed, tmp_path_factory):
    """Return a shell after all commands up to those of the module, with what each printed."""
    building, using, laying, running, reporting, _ = commands()
    assert building == [["python", "-m", "hatchling", "build"]]  # as `installed.build` does
    assert using.pop(0) == ["pip", "install", installed.wheel.name]
    shell = Shell(installed, tmp_path_factory.mktemp("empty"))
    lines = [*using, *laying, *running, *reporting]
    shell.printed = {shlex.join(words): shell.type(words) for words in lines}
    return shell


def test_every_command_works(shell):
    printed = {line: done.stdout for line, done in shell.printed.items() if done}
    assert "logistic_s3" in printed["optimist list glb_omd"]
    run = printed["optimist run glb_omd/logistic_s3/glb_omd --trials 0:2 --rounds 100"]
    assert run.count("status ok") == 2
    assert "0 failed" in printed["optimist check mine.py:Mine"]
    run = "--configfile config/quick.yaml -- glb_omd_with_mine"
    dry = printed[f"snakemake --cores 2 -n --quiet rules {run}"]
    assert re.search(r"^glb_omd_with_mine +1$", dry, flags=re.M)
    (made,) = (text for line, text in printed.items() if line.startswith("optimist provenance"))
    assert "commit unknown:" in made and "mine.py:Mine[gamma=0.3]: 2 trials" in made
    assert "without a record" not in made and "would make a different file" not in made


@pytest.mark.parametrize("family", [name for name in STARTS if name != "glb"])
def test_other_families_start_from_a_figure_of_their_paper(shell, tmp_path, family):
    laid = shell.installed.run("optimist", "init", "lab", "--family", family, cwd=tmp_path).stdout
    planning, _ = (line for line in laid.splitlines() if "snakemake" in line)
    dry = shell.installed.run(*shlex.split(planning), cwd=tmp_path / "lab").stdout
    assert re.search(r"^\w+_with_mine +1$", dry, flags=re.M)
    checked = shell.installed.run("optimist", "check", "mine.py:Mine", cwd=tmp_path / "lab")
    assert "0 failed" in checked.stdout


def test_a_setting_of_ones_own_is_played_by_overlay_and_by_name(shell, tmp_path):
    shell.installed.run("optimist", "init", "lab", cwd=tmp_path)
    lab = tmp_path / "lab"
    shell.installed.run("optimist", "new", "environment", "waves", "--family", "arms", cwd=lab)
    own = yaml.safe_load(block("yaml"))["additions"]["glb_omd"]
    overlay = yaml.safe_load((lab / "config/lab.yaml").read_text())
    added = overlay["additions"]["glb_omd"]
    added["settings"], added["runs"] = own["settings"], [*added["runs"], *own["runs"]]
    (lab / "config/lab.yaml").write_text(yaml.safe_dump(overlay))
    (line,) = re.findall(r"`(optimist compare glb_omd/waves [^`]*)`", DOCUMENT)
    words = [*shlex.split(line), "--trials", "2", "--rounds", "20"]
    assert "mine.py:Mine" in shell.installed.run(*words, cwd=lab).stdout
    only = ["--config", "only={settings: [waves]}"]
    quick = ["--configfile", "config/quick.yaml", *only, "--", "results"]
    dry = shell.installed.run("snakemake", "-n", "--cores", "1", *quick, cwd=lab).stdout
    assert "glb_omd/waves/gloc" in dry


def test_the_folder_shows_its_own_algorithm_and_reports_it(shell):
    figures = shell.folder / "results/quick/figures/glb_omd"
    assert "mine.py:Mine[gamma=0.3]" in (figures / "tables/with_mine.csv").read_text()
    assert "Mean regret: logistic bandit, S = 3." in (shell.folder / "report.html").read_text()
    assert "Every experiment of the papers" in (shell.folder / "report.html").read_text()


def test_results_are_those_of_the_checkout(shell, project):
    only = "only={settings: [logistic_s3], algorithms: [glb_omd]}"
    words = ["--cores", "1", "--configfile", "config/quick.yaml", "--config", only]
    project.run("snakemake", "results", *words)
    folder = "results/quick/run/glb_omd/logistic_s3/glb_omd"
    (own,), (theirs,) = ([*(root / folder).iterdir()] for root in (shell.folder, project.root))
    assert results.digest(results.read(own)) == results.digest(results.read(theirs))
    assert results.read_metadata(own)["trials"] == results.read_metadata(theirs)["trials"]


def test_an_edit_of_the_algorithm_reruns_its_cells_alone(shell):
    path = shell.folder / "mine.py"
    path.write_text(path.read_text() + "\nCHANGED = 1\n")
    words = commands()[3][1]
    planned = shell.type([*words[:1], "-n", *words[1:]]).stdout
    outputs = re.findall(r"^ +output: (\S+\.parquet)$", planned, flags=re.M)
    assert {Path(p).parent.name for p in outputs} == {"mine.py:Mine", "mine.py:Mine[gamma=0.3]"}


def test_an_error_of_the_algorithm_is_told_in_few_lines_and_the_figure_knows(shell, tmp_path):
    folder = tmp_path / "lab"
    shutil.copytree(shell.folder, folder)
    path = folder / "mine.py"
    path.write_text(path.read_text().replace("x = arms[index]", "x = arm[index]"))
    done = shell.installed.run(*commands()[3][1], cwd=folder, check=False)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert "Traceback" not in done.stderr and "CalledProcessError" not in done.stderr
    assert len(lines) < 30 and lines[-1].startswith("outputs that need failed jobs were not")
    for cell in ("Mine", "Mine[gamma=0.3]"):
        told = [line for line in lines if f"mine.py:{cell}, trial 0" in line]
        assert told and all(
            "NameError: name 'arm' is not defined (mine.py" in line for line in told
        )


# What is in the wheel.


def tracked(project, folder):
    """Return the files of a folder of the project, relative to it."""
    root = project.root / folder
    return {str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()}


def test_the_wheel_holds_every_file_that_commands_and_rules_read(installed, project):
    files = installed.files()
    for folder in ("config", "data", "profiles", "workflow"):
        place = f"project/{folder}/"
        found = {name.removeprefix(place) for name in files if name.startswith(place)}
        assert found | {"README.md"} == tracked(project, folder) | {"README.md"}, folder
    own = {name for name in files if not name.startswith("project/")}
    assert own == tracked(project, "src/optimist")
    assert files["project/Snakefile"] == (project.root / "Snakefile").read_bytes()
    assert b"retention of this notice" in files["project/data/README.md"]
    tables = ("claims.csv", "trials.parquet", "cells.csv", "studies.parquet", "records/fig2.json")
    assert {f"project/figures/bkb/{name}" for name in tables} <= {*files}
    drawn = ("project/figures/bkb/tables/", ".png", ".pdf", ".webp")
    assert not [name for name in files if name.startswith(drawn) or name.endswith(drawn)]


def test_the_wheel_names_no_folder_of_the_machine_that_built_it(installed, project):
    for root in (str(installed.python.parents[2]), str(Path(__file__).parents[2])):
        assert [name for name, text in installed.files().items() if root.encode() in text] == []


def test_the_wheel_of_the_source_distribution_is_the_same_in_every_byte(installed, tmp_path):
    shutil.unpack_archive(installed.sdist, tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    (wheel,) = build(source, "--target", "wheel").glob("*.whl")
    assert wheel.read_bytes() == installed.wheel.read_bytes()


def test_commands_write_below_the_current_folder_and_never_to_the_package(installed, tmp_path):
    before = installed.files()
    cell = "bkb/abalone/uniform"
    installed.run("optimist", "run", cell, "--rounds", "20", cwd=tmp_path)
    made = {str(p.relative_to(tmp_path)).split("/")[0] for p in tmp_path.rglob("*")}
    assert made == {"results"}
    assert [*tmp_path.glob("results/data/alone/*/abalone.csv")]
    installed.run("optimist", "new", "algorithm", "ours", "--family", "kernel", cwd=tmp_path)
    done = installed.run("optimist", "claims", cwd=tmp_path, check=False)
    command = ", in a folder that `optimist init DIR` made, with: snakemake --cores 2"
    expected = f"claims.csv does not exist; make it{command} (a quick run"
    assert done.returncode == 0 or expected in done.stderr
    done = installed.run("optimist", "page", cwd=tmp_path, check=False)
    assert done.returncode == 1 and f"does not exist; make it{command} " in done.stderr
    done = installed.run("optimist", "claims", "--readme", cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert installed.files() == before


# As a module of another workflow.


@pytest.fixture(scope="module")
def other(installed, tmp_path_factory):
    """Return a folder with the workflow of the document, which uses this one."""
    folder = tmp_path_factory.mktemp("other")
    (folder / "Snakefile").write_text(block("python"))
    # Another workflow's configuration may hold what ours may not, such as dates.
    (folder / "config.yaml").write_text(f"since: 2020-01-01\n{block('yaml', 1)}")
    return folder


def test_another_workflow_plans_every_target_under_its_own_names(installed, other):
    for target in ("optimist_all", "optimist_glb_omd_fig1"):
        text = installed.run("snakemake", target, "-n", "--quiet", "rules", cwd=other).stdout
        assert re.search(rf"^{target} +1$", text, flags=re.M)
    assert not (other / "out").exists()


def test_another_workflow_runs_a_target_and_a_rule_of_its_own(installed, other):
    (words,) = commands()[-1]
    installed.run(*words, cwd=other)
    assert int((other / "count.txt").read_text()) > 1
    (path,) = (other / "out/run/glb_omd/logistic_s3/gloc").iterdir()
    table = results.read(path)
    assert max(table["round"].to_pylist()) == 50
    # Data are from the package, with the time-out that the part does not name.
    data = "out/data/abalone.csv"
    installed.run("snakemake", "--cores", "1", data, cwd=other)
    record = json.loads((other / "out/data/raw/abalone.json").read_text())
    assert (record["source"], (other / data).is_file()) == ("mirror", True)


def test_a_module_without_a_config_has_the_settings_of_the_papers(installed, tmp_path):
    text = block("python").replace('config: config["optimist"]', "")
    (tmp_path / "Snakefile").write_text(text)
    (tmp_path / "config.yaml").write_text("{}")
    text = installed.run("snakemake", "-n", "optimist_results", cwd=tmp_path).stdout
    assert "results/run/glb_omd/logistic_s3/gloc/000-019." in text


def refused(installed, folder, *words):
    done = installed.run("snakemake", "-n", *words, cwd=folder, check=False)
    assert done.returncode != 0 and "Traceback" not in done.stderr
    (message,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return message


def test_the_prefix_of_a_module_is_refused_in_one_line(installed, tmp_path):
    text = block("python").replace("config[", '{}\n    prefix: "below"\n#')
    (tmp_path / "Snakefile").write_text(text)
    (tmp_path / "config.yaml").write_text("since: 2020-01-01\n")
    assert "the module has a prefix; allowed: no prefix" in refused(installed, tmp_path)


def test_rules_of_a_checkout_with_an_installed_package_are_refused(installed, project, tmp_path):
    message = refused(installed, tmp_path, "--snakefile", project.root / "Snakefile")
    assert str(project.root) in message and str(installed.package) in message


def test_a_checkout_lays_out_a_folder_that_runs_it_too(project):
    project.run("optimist", "init", "lab")
    words = ["--directory", "lab", "--snakefile", "lab/Snakefile", "-n", "--quiet", "rules"]
    text = project.run("snakemake", "glb_omd_with_mine", *words).stdout
    assert re.search(r"^glb_omd_with_mine +1$", text, flags=re.M)
