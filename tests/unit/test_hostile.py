"""Hostile values: each gets one line that begins with `error:`, and nothing is run or written."""

import os
import subprocess
import sys

import pytest
from claim_tables import facts, judge
from toy_environments import ROOT

from optimist import claims
from optimist.cli import main
from optimist.config.documents import read_yaml
from optimist.config.load import check_read_alike, load_config
from optimist.core.errors import OptimistError
from optimist.plan.plan import Plan

S3 = "changes={settings: {glb_omd: {logistic_s3: {%s}}}}"


def each(form, words, *texts):
    """Return pairs of a text in its form, and words of the answer."""
    return [(form % text, words) for text in texts]


# Values for `--config`, with words of the answer.
VALUES = [
    *each("memory_factor=%s", "memory_factor", "nan", ".nan", ".inf", "1.0e+300"),
    *each("time_factor=%s", "time_factor", "0", "-1", "'2'x", "[2]", "null", "yes"),
    *each("data={timeout: %s}", "timeout", ".nan", ".inf", "1.0e+300", "0", "s"),
    *each("data={retries: %s}", "retries", "-1", "1.5", "1000", "null"),
    *each("data={source: %s}", "source", "ftp", "5", "[uci]", "null"),
    *each("caps={rounds: %s}", "rounds", "0", "-5", "1.5", "true", "ten", "1.0e+21"),
    *each("caps={trials: %s}", "trials", "0", "10000000000", "[1]", "{a: 1}"),
    *each("caps={timing_trials: %s}", "timing_trials", "0", ".nan"),
    ("caps={1: 2}", "key 1 is no text; allowed: text"),
    ("caps={rounds: 5, rounds: 6}", "key 'rounds' stands in line 1 already"),
    ("caps={round: 5}", "unknown key 'round' in caps (did you mean 'rounds'?)"),
    ("caps=", "caps is None; allowed: keys with values"),
    ("caps=[1", "caps=[1 is not valid YAML"),
    ("caps={a: &x [*x]}", "nested too deeply, or holds itself"),
    ("caps=!!python/object/apply:os.system [touch planted]", "tag"),
    *each("results=%s", "results is", "", "~/r", "'  '", "5", "[a]", "{a: b}"),
    ("figures=2026-01-01", "figures=2026-01-01 is '2026-01-01', which may be a date"),
    *each("results=%s", "two folders", "figures", "./figures/", "config/../figures"),
    *each("figures=%s", "holds the sources", ".", "..", "/"),
    *each("figures=%s", "a folder of sources", "src", "config", "docs/"),
    (f"results={ROOT}/data", "a folder of sources"),
    (f"results={ROOT}/docs/new", "a folder of sources"),
    (f"results={ROOT}", "holds the sources"),
    (f"results={ROOT}/README.md/x", "README.md is a file"),
    ("results='{paper}'", "without { and }"),
    (f"results={'x' * 300}", "allowed: names of at most"),
    *each('results="a%sb"', "has the letter", r"\e", r"\0", r"\x9b", r"\u202e", r"\u200b"),
    ('only={settings: ["a\\u2066"]}', "line 1: settings.0 has the letter"),
    ("memory_factor=0b1", "memory_factor is '0b1'"),
    *each("memory_factor=%s", "memory_factor is", "1_000", "1:30", "0o8", "0x"),
    (f"memory_factor={'9' * 5000}", "memory_factor is inf; allowed: finite numbers"),
    (f"memory_factor=0x{'f' * 5000}", "(5002 letters); allowed: a number"),
    *each("memory_factor=!!int %s", "allowed after its tag: a whole number", "abc", "1.5", "''"),
    *each("results=!!bool %s", "allowed after its tag: true or false", "abc", "yes", "1"),
    ("caps={rounds: !own 5}", "line 1: rounds has the tag '!own'; allowed: no tag"),
    *each("timing={exclusive: %s}", "allowed: true or false", "yes", "no", "on", "off", "y"),
    ("papers=[]", "at least 1 entries"),
    ("papers=glb_omd", "papers is 'glb_omd'; allowed: a list"),
    ("papers=[nope]", "unknown paper 'nope'"),
    ("papers=['../glb_omd']", "unknown paper '../glb_omd'"),
    ("papers=[glb_omd, glb_omd]", "each entry once"),
    ("papers=!!binary aGVsbG8=", "has the tag"),
    ("only={settings: [nope]}", "unknown name in only.settings 'nope'"),
    ("only={algorithms: [glb_omdd]}", "did you mean 'glb_omd'"),
    ("only={algorithms: [glb_omd], settings: [student_t]}", "allowed: names that share a cell"),
    ("job_files=5", "unknown key 'job_files'"),
    ("resource_limits=maybe", "resource_limits is 'maybe'; allowed: true or false"),
    ("timing={cores: 0}", "timing.cores is 0; allowed: at least 1"),
    ("unknown=1", "unknown key 'unknown'"),
    ("=", "unknown key ''"),
    ("papers", "'papers' sets nothing; allowed: key=value"),
    *each("datasets={covertype: {clusters: %s}}", "clusters", "1000000000", "0"),
    *each("datasets={covertype: {seed: %s}}", "seed", "-1", "99999999999"),
    *each("datasets={covertype: {spread_seeds: %s}}", "spread_seeds", "[]", "[a]"),
    ("datasets={covertype: {n_int: 3}}", "n_int"),
    ("changes={trials: 100000000}", "at most 1000000"),
    ("changes={settings: {nope: {}}}", "unknown paper 'nope'"),
    ("changes={settings: {glb_omd: {'nope*': {}}}}", "allowed: patterns that match"),
    *(
        (S3 % text, words)
        for text, words in (
            ("horizon: 1000000000000000000000", "horizon"),
            ("parameters: {dimension: 100000000}", "dimension is 100000000; allowed: at most"),
            ("parameters: {arms: 1000000000}", "arms is 1000000000; allowed: at most"),
            ("parameters: {dimension: .nan}", "dimension is nan"),
            ("parameters: {link: [logistic]}", "link is ['logistic']"),
            ("parameters: {link: {a: b}}", "link is {'a': 'b'}"),
            ("parameters: {instance: 3}", "instance is 3"),
            ("parameters: {seed: -1}", "seed is -1"),
            ("parameters: {nope: 3}", "unknown key 'nope'"),
            ("parameters: 3", "parameters is 3"),
            ("problem: {delta: 2}", "delta is 2"),
            ("problem: {delta: low}", "delta is 'low'"),
            ("dataset: ../../x", "dataset"),
            ("environment: nope", "unknown environment 'nope'"),
            ("environment: ../x", "unknown environment '../x'"),
            ("title: [a]", "title is ['a']; allowed: text"),
        )
    ),
]
FILES = {
    "twice": (b"caps: {rounds: 5}\ncaps: {rounds: 6}\n", "line 2: key 'caps' stands in line 1"),
    "itself": (b"caps: &a\n  rounds: *a\n", "nested too deeply, or holds itself"),
    "binary": (b"\xff\xfe\x00caps", "is not text in UTF-8"),
    "tab": (b"caps:\n\trounds: 5\n", "is not valid YAML"),
    "list": (b"- caps\n", "allowed: keys with values"),
    "date": (b"caps:\n  rounds: 2026-13-45\n", "line 2: caps.rounds is '2026-13-45', which may be"),
    "date as a key": (b"2026-01-01: 3\n", "line 1: key 2026-01-01 is no text"),
    "bell": (b'results: "a\\a"\n', "has the letter '\\x07'; allowed: printable letters"),
}


def errors_of(capsys, *arguments):
    """Return the one line of a command that is refused."""
    assert main.main(list(arguments)) == 1
    said = capsys.readouterr()
    assert said.err.startswith("error: ") and said.err.count("\n") == 1, said.err
    return said.err


@pytest.mark.parametrize(("value", "words"), VALUES, ids=range(len(VALUES)))
def test_values_on_the_command_line(value, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in errors_of(capsys, "results", "--config", value)
    assert list(tmp_path.iterdir()) == []


def as_snakemake_hands_over(value):
    """Return a configuration whose nested values are text, as Snakemake's --config makes them."""
    key, _, text = value.partition("=")
    import yaml

    return {key: yaml.load(text, yaml.BaseLoader)}


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ("caps={rounds: 500, trials: 2}", ("caps", "rounds"), 500),
        ("timing={exclusive: false}", ("timing", "exclusive"), False),
        ("timing={cores: null}", ("timing", "cores"), None),
        ("changes={trials: 3}", ("changes", "trials"), 3),
        ("data={timeout: 2.5}", ("data", "timeout"), 2.5),
        ("data={source: mirror}", ("data", "source"), "mirror"),
        ("only={settings: [logistic_s3]}", ("only", "settings"), ["logistic_s3"]),
        ("caps={rounds: 010}", ("caps", "rounds"), 10),
        ("caps={rounds: 0x10, trials: 0o17}", ("caps", "rounds"), 16),
        ("data={timeout: 1e3}", ("data", "timeout"), 1000.0),
    ],
)
def test_values_that_arrive_as_text_mean_what_they_say(value, path, expected):
    from optimist.config.documents import merge
    from optimist.config.load import check_config

    config = check_config(merge(load_config(), as_snakemake_hands_over(value)))
    for key in path:
        config = config[key]
    assert config == expected
    assert load_config(values=[value]) == check_config(
        merge(load_config(), as_snakemake_hands_over(value))
    )


@pytest.mark.parametrize("name", FILES)
def test_overlays(name, capsys, tmp_path):
    content, words = FILES[name]
    path = tmp_path / "overlay.yaml"
    path.write_bytes(content)
    said = errors_of(capsys, "results", "--configfile", str(path))
    assert words in said and "overlay.yaml" in said


@pytest.mark.parametrize("bad", [".nan", "-.inf", "2026-01-01", "!!binary aGk=", "{1: 2}"])
def test_a_paper_holds_plain_data(bad, tmp_path):
    path = tmp_path / "paper.yaml"
    path.write_text(f"settings: {{one: {{parameters: {{norm: {bad}}}}}}}\n")
    with pytest.raises(OptimistError, match=r"paper\.yaml"):
        read_yaml(path)


def test_overlays_that_are_no_files(capsys, tmp_path):
    assert "does not exist" in errors_of(capsys, "results", "--configfile", str(tmp_path / "no"))
    assert "cannot be read" in errors_of(capsys, "results", "--configfile", str(tmp_path))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("caps: {rounds: 010}", "caps.rounds is 10, which Snakemake reads as 8"),
        ("caps: {rounds: 1:30}", "caps.rounds is '1:30', which Snakemake reads as 90"),
        ("time_factor: 1_000", "time_factor is '1_000', which Snakemake reads as 1000"),
        ("time_factor: 0b11", "time_factor is '0b11', which Snakemake reads as 3"),
        ("timing: {exclusive: no}", "timing.exclusive is 'no', which Snakemake reads as False"),
        ("only: {settings: [logistic_s3, on]}", "only.settings.1 is 'on', which Snakemake reads"),
        ("additions: {glb_omd: {settings: {no: {}}}}", "which Snakemake reads as {False: {}}"),
    ],
)
def test_what_snakemake_reads_otherwise_is_refused(text, words, tmp_path):
    from snakemake.common.configfile import load_configfile

    path = tmp_path / "overlay.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptimistError) as caught:
        check_read_alike(path, load_configfile(path))
    assert words in str(caught.value) and "overlay.yaml" in str(caught.value)


OTHERS = ("findings", "style", "words")


def test_what_snakemake_reads_alike_is_taken(tmp_path):
    from snakemake.common.configfile import load_configfile

    path = tmp_path / "overlay.yaml"
    path.write_text("time_factor: 1e3\ncaps: {rounds: 0x10, trials: 5}\nresults: '010'\n")
    check_read_alike(path, load_configfile(path))
    for path in {*(ROOT / "config").glob("*.yaml")} - {ROOT / f"config/{n}.yaml" for n in OTHERS}:
        check_read_alike(path, load_configfile(path))


FIGURE = (
    "additions={glb_omd: {figures: {%s: {title: t, caption: c, panels: [{kind: regret, "
    "setting: logistic_s3, title: %s, algorithms: [gloc]}]}}}}"
)


def test_the_name_of_a_figure_is_short():
    with pytest.raises(OptimistError, match=r"\(101 letters\) names a figure.*up to 100 letters"):
        Plan(load_config(values=[FIGURE % ("f" * 101, "t")]))
    Plan(load_config(values=[FIGURE % ("f" * 100, "t")]))


S3_PLACE = "glb_omd/logistic_s3"
CELL = f"{S3_PLACE}/gloc"
COMMANDS = [
    *(
        (["run", CELL, "--trials", trials], "--trials is")
        for trials in ("²:³", "3:1", "a:b", "0", "0:1:2", "", "0:1e3", "0:" + "9" * 5000)
    ),
    *((["run", CELL, "--rounds", rounds], "--rounds is") for rounds in ("0", "-3")),
    *(
        (["run", cell], "")
        for cell in (
            "",
            "//",
            "glb_omd",
            "nope/logistic_s3/gloc",
            "../x/y/z",
            "glb_omd/nope/gloc",
            "glb_omd/logistic_s3/nope",
            "glb_omd/logistic_s3/gloc[",
            "glb_omd/logistic_s3/gloc[variant]",
            "glb_omd/logistic_s3/gloc[variant=nope]",
            "glb_omd/logistic_s3/gloc[nope=1]",
            "glb_omd/logistic_s3/gloc[variant=paper,variant=paper]",
            "glb_omd/logistic_s3[norm=nan]/gloc",
            "glb_omd/logistic_s3[horizon=1e99]/gloc",
            "glb_omd/logistic_s3[link=probit]/gloc",
            "glb_omd/logistic_s3[delta=0]/gloc",
            "glb_omd/logistic_s3/\x00",
            "glb_omd/ /gloc",
            "glb_omd/logistic_s3/gp_ucb",
            "hvt_ucb/student_t[epsilon=3]/hvt_ucb",
            "go_ucb/f1/nope",
        )
    ),
    *(
        (["run", cell], words)
        for cell, words in (
            (f"glb_omd/logistic_s3[horizon={'9' * 5000}]/glb_omd", "allowed: a finite number"),
            (f"glb_omd/logistic_s3/glb_omd[radius={'9' * 400}]", "allowed: a finite number"),
            ("glb_omd/logistic_s3/ofuglb[prune=yes]", "prune is 'yes'; allowed: false, true"),
            ("glb_omd/logistic_s3/ofuglb[prune=tru]", "(did you mean 'true'?); allowed: false"),
            *each(f"{S3_PLACE}/gloc[variant=a%sc]", "not printable", "\x1b", "\0", "\u202e"),
            ("glb_omd/logistic_s3/mi\x1bne.py:Mine", "not printable"),
            (f"glb_omd/logistic_s3/gloc[variant={'x' * 189}]", "240 bytes; allowed: at most 239"),
        )
    ),
    (["compare", "glb_omd/logistic_s3", "-a", f"gloc[variant={'é' * 95}]"], "241 bytes"),
    *((["list", what], "") for what in ("", "nope", "glb_omd/nope", "../x", "a/b/c", "\x00")),
    (["claims", "nope"], "unknown paper"),
    (["claims", "--figures", "nowhere"], "does not exist"),
    (["claims", "glb_omd", "--readme"], "leave out"),
    (["claims", "--open", "--figures", "nowhere"], "does not exist"),
    (["provenance", "nowhere.png"], "is not a file"),
    (["provenance", "."], "is not a file"),
]


@pytest.mark.parametrize(("arguments", "words"), COMMANDS, ids=range(len(COMMANDS)))
def test_commands(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in errors_of(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


NOTED = """
from optimist.algorithms.uniform import Uniform


class Noted(Uniform):
    reference = "none"

    def __init__(self, problem, *, rng, note=""):
        super().__init__(problem, rng=rng)
        self.note = note

    def update(self, *given):
        if self.note == "raise":
            raise ValueError("\\x1bcRESET \\x1b]0;owned\\x07 \\x9b2J \\u202eabc")
"""


def written(folder, text, name="noted.py"):
    (folder / name).write_text(text, encoding="utf-8")


def overlay(folder, note, trials=2):
    """Return an overlay with one more block of runs, of a class in a file with an option."""
    text = f"""algorithm_files: {{noted: "noted.py:Noted"}}
additions:
  glb_omd:
    runs:
      - {{settings: logistic_s3, algorithms: ["noted[note={note}]"], trials: {trials}}}
"""
    (folder / "overlay.yaml").write_text(text, encoding="utf-8")
    return "overlay.yaml"


def test_labels_that_names_of_files_have_no_room_for_are_not_planned(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, NOTED)
    # glb_omd, logistic_s3, noted.py:Noted[note=] and 000-001 have 46 bytes, and a digest has 12.
    Plan(load_config(overlay(tmp_path, "x" * 181)))
    with pytest.raises(OptimistError, match="they have 240 bytes; allowed: at most 239"):
        Plan(load_config(overlay(tmp_path, "x" * 182)))
    with pytest.raises(OptimistError, match="they have 242 bytes"):
        Plan(load_config(overlay(tmp_path, "é" * 92)))
    with pytest.raises(OptimistError, match="with trials 000-1999 they have 240 bytes"):
        Plan(load_config(overlay(tmp_path, "x" * 181, trials=2000)))


def test_commands_in_the_words_of_others_do_not_reach_the_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, NOTED)
    said = errors_of(capsys, "run", f"{S3_PLACE}/noted.py:Noted[note=raise]", "--rounds", "3")
    assert r"\x1bcRESET \x1b]0;owned\x07 \x9b2J \u202eabc" in said
    assert said.rstrip("\n").isprintable()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (",reproduced,", ",maybe,", "verdict is 'maybe'; allowed: reproduced, supported"),
        (",stated,holds,", ",stated,held,", "outcome is 'held'; allowed: holds, fails, open"),
        (",0.95,", ",\x00,", "is not a table of claims"),
        (",0.95,", ",1e999e,", "is not a table of claims"),
        ("claim,kind", "claims,kind", "lacks claim"),
    ],
)
def test_tables_of_claims(old, new, words, capsys, tmp_path):
    arguments = {"name": "x", "setting": "here"}
    check = {
        "quantity": "fact",
        "statistic": "value",
        "arguments": arguments,
        "relation": "below",
        "bound": 1,
    }
    text = claims.to_frame([judge(check, facts=facts(x=0.5))]).to_csv(index=False)
    assert old in text
    (tmp_path / "claims.csv").write_text(text.replace(old, new, 1), encoding="utf-8")
    said = errors_of(capsys, "claims", "--figures", str(tmp_path))
    assert words in said and "claims.csv" in said


@pytest.mark.parametrize(
    "arguments", [["list"], ["list", "glb_omd"], ["claims"], ["list", "nope"], ["results"]]
)
def test_a_locale_without_letters_beyond_ascii(arguments):
    # -X utf8=0 and the C locale, without the coercion that Python does by itself.
    environment = os.environ | {
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "PYTHONIOENCODING": "ascii",
        "PYTHONPATH": str(ROOT / "src"),
    }
    command = [sys.executable, "-m", "optimist", *arguments]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, env=environment)
    assert b"Traceback" not in done.stderr
    absent = arguments == ["claims"] and not (ROOT / "figures/claims.csv").exists()
    assert done.returncode == (1 if "nope" in arguments or absent else 0), done.stderr
