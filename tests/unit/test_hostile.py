"""Hostile values: each gets one line that begins with `error:`, and nothing is run or written."""

import os
import subprocess
import sys

import pytest
from claim_tables import facts, judge
from own_class import MINE
from toy_environments import ROOT

from optimist.claims.table import to_frame
from optimist.cli import main
from optimist.config.documents import read_yaml
from optimist.config.load import load_config, read_overlay
from optimist.core.errors import OptimistError
from optimist.plan.plan import Plan

S3 = "changes={settings: {glb_omd: {logistic_s3: {%s}}}}"


def each(form, words, *texts):
    """Return pairs of a text in its form, and words of the answer."""
    return [(form % text, words) for text in texts]


# Values for `--config`, with words of the answer.
VALUES = [
    *each("memory_factor=%s", "memory_factor", ".nan", "1.0e+300", "1_000"),
    *each("time_factor=%s", "time_factor", "0", "-1", "[2]", "null", "yes"),
    *each("data={timeout: %s}", "timeout", ".inf", "0", "s"),
    *each("data={source: %s}", "source", "ftp", "[uci]"),
    *each("caps={rounds: %s}", "rounds", "0", "1.5", "true", "ten"),
    *each("caps={trials: %s}", "trials", "10000000000", "{a: 1}"),
    ("caps={1: 2}", "key 1 is not text; allowed: text"),
    ("caps={rounds: 5, rounds: 6}", "key 'rounds' is also on line 1; allowed: each key once"),
    ("caps={round: 5}", "unknown key 'round' in caps (did you mean 'rounds'?)"),
    ("caps=", "caps is None; allowed: keys with values"),
    ("caps=[1", "caps=[1 is not valid YAML"),
    *each("results=%s", "results is", "", "~/r", "5", "[a]"),
    ("figures=2026-01-01", "figures=2026-01-01 is '2026-01-01'; allowed: text in quotes"),
    *each("results=%s", "two different folders", "figures", "config/../figures"),
    *each("figures=%s", "holds sources", ".", "/"),
    *each("figures=%s", "holds sources", "src", "docs/"),
    (f"results={ROOT}/docs/new", "holds sources"),
    (f"results={ROOT}/README.md/x", "README.md is a file"),
    ("results='{paper}'", "no { or }"),
    (f"results={'x' * 300}", "allowed: names of at most"),
    ("caps={rounds: !own 5}", "constructor for the tag '!own'"),
    *each("timing={exclusive: %s}", "true or false", "yes", "off"),
    ("papers=[]", "at least 1 entries"),
    ("papers=glb_omd", "papers is 'glb_omd'; allowed: a list"),
    *each("papers=['%s']", "unknown paper", "nope", "../glb_omd"),
    ("papers=[glb_omd, glb_omd]", "each entry once"),
    ("only={settings: [nope]}", "unknown name in only.settings 'nope'"),
    ("only={algorithms: [glb_omdd]}", "did you mean 'glb_omd'"),
    (
        "only={algorithms: [glb_omd], settings: [student_t]}",
        "allowed: names that together select a cell",
    ),
    ("resource_limits=maybe", "resource_limits is 'maybe'; allowed: true or false"),
    ("timing={cores: 0}", "timing.cores is 0; allowed: at least 1"),
    ("unknown=1", "unknown key 'unknown'"),
    ("papers", "'papers' has no equals sign; allowed: key=value"),
    *each("datasets={covertype: {%s}}", "covertype", "clusters: 0", "seed: -1", "n_int: 3"),
    *each("datasets={covertype: {spread_seeds: %s}}", "spread_seeds", "[]", "[a]"),
    ("changes={trials: 100000000}", "at most 1000000"),
    ("changes={settings: {nope: {}}}", "unknown paper 'nope'"),
    ("changes={settings: {glb_omd: {'nope*': {}}}}", "allowed: patterns that match"),
    *(
        (S3 % text, words)
        for text, words in (
            ("horizon: 1000000000000000000000", "horizon"),
            (
                "parameters: {dimension: 100000000}",
                "dimension is 100000000; allowed: a whole number from 1 to 5000",
            ),
            ("parameters: {arms: 1000000000}", "arms is 1000000000; allowed: "),
            ("parameters: {dimension: .nan}", "dimension is nan"),
            ("parameters: {link: [logistic]}", "link is ['logistic']"),
            ("parameters: {instance: 3}", "instance is '3'"),
            ("parameters: {seed: -1}", "seed is -1"),
            (
                "parameters: {seed: 9.223372036854775808e+18}",
                "seed is 9223372036854775808; allowed: a whole number from 0 to 1000000000",
            ),
            ("parameters: {nope: 3}", "unknown key 'nope'"),
            ("parameters: 3", "parameters is 3"),
            ("problem: {delta: 2}", "delta is 2"),
            ("problem: {delta: low}", "delta is 'low'"),
            ("dataset: ../../x", "dataset"),
            ("environment: nope", "unknown environment 'nope'"),
            ("title: [a]", "title is ['a']; allowed: text"),
        )
    ),
]
FILES = {
    "twice": (b"caps: {rounds: 5}\ncaps: {rounds: 6}\n", "line 2: key 'caps' is also on line 1"),
    "binary": (b"\xff\xfe\x00caps", "is not UTF-8 text"),
    "tab": (b"caps:\n\trounds: 5\n", "is not valid YAML"),
    "list": (b"- caps\n", "allowed: keys with values"),
    "date": (b"caps:\n  rounds: 2026-12-05\n", "line 2: caps.rounds is '2026-12-05'; allowed"),
    "no date": (b"caps:\n  rounds: 2026-13-45\n", "is not valid YAML: month must be in 1..12"),
    "date as a key": (b"2026-01-01: 3\n", "line 1: key 2026-01-01 is not text"),
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
        ("data={source: mirror}", ("data", "source"), "mirror"),
        ("only={settings: [logistic_s3]}", ("only", "settings"), ["logistic_s3"]),
        ("caps={rounds: 0x10}", ("caps", "rounds"), 16),
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


@pytest.mark.parametrize("bad", [".nan", "2026-01-01", "{1: 2}"])
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
        ("caps: {rounds: 010}", "line 1: caps.rounds is 010, which YAML 1.1 reads as 8; allowed"),
        ("caps: {rounds: 1:30}", "caps.rounds is 1:30, which YAML 1.1 reads as 90; allowed"),
        ("caps: {rounds: 0o17}", "caps.rounds is 0o17, which YAML 1.1 reads as '0o17'"),
        ("caps: {rounds: !!timestamp x}", "overlay.yaml is not valid YAML"),
        ("caps: {rounds: 1_000}", "caps.rounds is 1_000, which YAML 1.1 reads as 1000"),
        ("timing: {exclusive: no}", "timing.exclusive is no, which YAML 1.1 reads as False"),
        ("only: {settings: [logistic_s3, on]}", "only.settings.1 is on, which YAML 1.1 reads"),
        ("additions: {glb_omd: {settings: {no: {}}}}", "key no is not text"),
    ],
)
def test_spellings_that_yaml_reads_in_two_ways_are_refused(text, words, tmp_path):
    path = tmp_path / "overlay.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptimistError) as caught:
        read_overlay(path)
    assert words in str(caught.value) and "overlay.yaml" in str(caught.value)


def test_other_spellings_of_numbers_and_quoted_texts_are_taken(tmp_path):
    path = tmp_path / "overlay.yaml"
    path.write_text("time_factor: 1e3\ncaps: {rounds: 0x10, trials: 5}\nresults: '010'\n")
    overlay = read_overlay(path)
    assert overlay["caps"] == {"rounds": 16, "trials": 5} and overlay["results"] == "010"
    assert overlay["time_factor"] == 1000.0


FIGURE = (
    "additions={glb_omd: {figures: {%s: {title: t, caption: c, panels: [{kind: regret, "
    "setting: logistic_s3, title: %s, algorithms: [gloc]}]}}}}"
)


def test_the_name_of_a_figure_is_short():
    words = r"\(101 characters\) names a figure.*up to 100 characters"
    with pytest.raises(OptimistError, match=words):
        Plan(load_config(values=[FIGURE % ("f" * 101, "t")]))
    Plan(load_config(values=[FIGURE % ("f" * 100, "t")]))


S3_PLACE = "glb_omd/logistic_s3"
CELL = f"{S3_PLACE}/gloc"
COMMANDS = [
    *(
        (["run", CELL, "--trials", trials], "--trials is")
        for trials in ("3:1", "a:b", "0", "0:1:2", "", "0:1e3")
    ),
    (["run", CELL, "--rounds", "0"], "--rounds is"),
    *(
        (["run", cell], words)
        for cell, words in (
            ("", "cell is ''; allowed: PAPER/SETTING/ALGORITHM"),
            ("nope/logistic_s3/gloc", "unknown paper 'nope'"),
            ("glb_omd/nope/gloc", "unknown setting of glb_omd 'nope'"),
            (f"{S3_PLACE}/nope", "unknown algorithm 'nope'"),
            (f"{S3_PLACE}/gloc[", "malformed"),
            (f"{S3_PLACE}/gloc[variant]", "option 'variant' is not of the form key=value"),
            (f"{S3_PLACE}/gloc[variant=nope]", "variant is 'nope'"),
            (f"{S3_PLACE}/gloc[nope=1]", "unknown option 'nope'"),
            (f"{S3_PLACE}/gloc[variant=paper,variant=paper]", "twice"),
            (f"{S3_PLACE}[norm=nan]/gloc", "norm is 'nan'; allowed: a finite number"),
            (f"{S3_PLACE}[link=probit]/gloc", "unknown link 'probit'"),
            (f"{S3_PLACE}[delta=0]/gloc", "delta is 0"),
            (f"{S3_PLACE}/gp_ucb", "'gp_ucb' is not defined for a GLBProblem"),
            ("hvt_ucb/student_t[epsilon=3]/hvt_ucb", "epsilon is 3"),
            (f"{S3_PLACE}/ofuglb[prune=tru]", "(did you mean 'true'?); allowed: false"),
            (f"{S3_PLACE}/gloc[variant=a\x1bc]", "not printable"),
            (f"{S3_PLACE}/gloc[variant={'x' * 189}]", "240 bytes; allowed: at most 239"),
        )
    ),
    (["compare", S3_PLACE, "-a", f"gloc[variant={'é' * 95}]"], "241 bytes"),
    *((["list", name], "unknown") for name in ("nope", "glb_omd/nope")),
    (["claims", "nope"], "unknown paper"),
    (["claims", "--figures", "nowhere"], "does not exist"),
    (["claims", "glb_omd", "--readme"], "leave out"),
    (["provenance", "nowhere.png"], "is not a file"),
    (["provenance", "."], "is not a file"),
]


@pytest.mark.parametrize(("arguments", "words"), COMMANDS, ids=range(len(COMMANDS)))
def test_commands(arguments, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert words in errors_of(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


def test_commands_in_the_words_of_a_class_do_not_reach_the_terminal(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(MINE.replace("pass", r"raise TypeError('\x1bc\u202eabc')"))
    said = errors_of(capsys, "run", f"{S3_PLACE}/mine.py:Mine", "--rounds", "3")
    assert r"\x1bc" in said and said.rstrip("\n").isprintable()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (",0.95,", ",\x00,", "is not a table of claims"),
        (",reproduced,", ",maybe,", "verdict is 'maybe'; allowed: reproduced, supported"),
        ("claim,kind", "claims,kind", "lacks the columns claim"),
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
    text = to_frame([judge(check, facts=facts(x=0.5))]).to_csv(index=False)
    assert old in text
    (tmp_path / "claims.csv").write_text(text.replace(old, new, 1), encoding="utf-8")
    said = errors_of(capsys, "claims", "--figures", str(tmp_path))
    assert words in said and "claims.csv" in said


@pytest.mark.parametrize("arguments", [["list", "nope"], ["claims"]])
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
