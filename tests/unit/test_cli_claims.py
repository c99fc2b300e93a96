"""The command ``optimist claims``: verdicts from the committed tables alone, and the README."""

import pandas as pd
import pytest

from optimist import claims, cli
from optimist.plan import config

README = "# Title\n\n<!-- claims -->\n<!-- /claims -->\n"


@pytest.fixture
def figures(tmp_path):
    """A folder with the verdicts on two claims, and one of them alone for the paper glb_omd."""
    checks = [
        {"metric": "fact", "arguments": {"name": name, "setting": "here"}, "relation": "below"}
        for name in ("low", "high")
    ]
    document = {
        "level": 0.95,
        "claims": [
            {
                "id": f"{paper}.01",
                "place": "Figure 1",
                "statement": f"About {paper}.",
                "checks": [{**check, "bound": 1}],
            }
            for paper, check in zip(("glb_omd", "other"), checks, strict=True)
        ],
    }
    facts = [("low", "here", 0.5), ("high", "here", 2.0)]
    table = pd.DataFrame(facts, columns=["name", "setting", "value"])
    frame = claims.to_frame(claims.evaluate(document, {"facts": table}))
    folder = tmp_path / "figures"
    (folder / "glb_omd").mkdir(parents=True)
    frame.to_csv(folder / "claims.csv", index=False)
    frame[:1].to_csv(folder / "glb_omd" / "claims.csv", index=False)
    return folder


@pytest.fixture
def optimist(capsys):
    """Run a command; return its status and what it prints to stdout and stderr."""

    def run(*arguments):
        status = cli.main([str(a) for a in arguments])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def readme(tmp_path, monkeypatch):
    """A README in a project root of its own."""
    names = config.paper_names()
    monkeypatch.setattr(config, "project_root", lambda: tmp_path)
    monkeypatch.setattr(config, "paper_names", lambda: names)
    path = tmp_path / "README.md"
    path.write_text(README)
    return path


def test_all_verdicts_are_printed(optimist, figures):
    status, out, err = optimist("claims", "--figures", figures)
    assert (status, err) == (0, "")
    assert out.splitlines() == [
        "glb_omd.01  reproduced      About glb_omd.",
        "other.01    not reproduced  About other.",
        "                            -> 0 of 1 hold, not: high, here (fails)",
        "",
        "2 claims: 1 reproduced, 1 not reproduced.",
    ]


def test_one_paper_needs_its_own_file_only(optimist, figures):
    (figures / "claims.csv").unlink()
    status, out, _ = optimist("claims", "glb_omd", "--figures", figures)
    assert status == 0
    assert out.endswith("\n1 claim: 1 reproduced.\n")


def test_details_show_the_checks(optimist, figures):
    _, out, _ = optimist("claims", "--details", "--figures", figures)
    assert "    fails     high, here: 2, wanted below 1\n" in out


@pytest.mark.parametrize(
    ("paper", "command"),
    [([], "make reproduce"), (["glb_omd"], "snakemake --cores 2 glb_omd")],
)
def test_a_missing_file_is_named_with_the_command_that_makes_it(optimist, tmp_path, paper, command):
    status, out, err = optimist("claims", *paper, "--figures", tmp_path / "none")
    assert (status, out) == (1, "")
    assert "claims.csv does not exist" in err
    assert f"make it with: {command} " in err


def test_an_unknown_paper_is_refused_with_the_nearest(optimist):
    status, _, err = optimist("claims", "glb_omt")
    assert status == 1
    assert "did you mean 'glb_omd'" in err


def test_the_readme_gets_the_verdicts(optimist, figures, readme):
    status, out, _ = optimist("claims", "--readme", "--figures", figures)
    assert (status, out) == (0, "2 claims: 1 reproduced, 1 not reproduced.\n")
    text = readme.read_text()
    assert "| other.01 | Figure 1 | About other. | **not reproduced** |" in text
    assert claims.readme_is_current(text, claims.read_frame(figures / "claims.csv"))
    assert not claims.readme_is_current(text, claims.read_frame(figures / "glb_omd" / "claims.csv"))


def test_a_readme_without_markers_is_refused_and_kept(optimist, figures, readme):
    readme.write_text("# Title\n")
    status, _, err = optimist("claims", "--readme", "--figures", figures)
    assert status == 1
    assert "<!-- claims -->" in err
    assert readme.read_text() == "# Title\n"


def test_an_absent_readme_is_refused(optimist, figures, readme):
    readme.unlink()
    status, _, err = optimist("claims", "--readme", "--figures", figures)
    assert status == 1
    assert "README.md does not exist" in err


def test_the_readme_is_not_filled_with_one_paper_only(optimist, figures, readme):
    status, _, err = optimist("claims", "glb_omd", "--readme", "--figures", figures)
    assert status == 1
    assert "leave out 'glb_omd'" in err
    assert readme.read_text() == README
