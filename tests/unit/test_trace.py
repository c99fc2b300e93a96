"""The command ``optimist provenance``: what is behind a figure, a table, a result."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from result_files import make, rewrite, toy_trials
from toy_environments import ROOT

from optimist import cli
from optimist.errors import ResultError
from optimist.files import sha256
from optimist.records import manifest, trace
from optimist.runs import results


@pytest.fixture
def figure(tmp_path, monkeypatch):
    """A figure with its table and manifest, of three result files from two machines, and data."""
    monkeypatch.chdir(tmp_path)
    jobs = [
        toy_trials(),
        toy_trials(first=2, stop=4),
        toy_trials("timing", setting="here[horizon=12]", stop=1),
    ]
    paths = [str(path.relative_to(tmp_path)) for path in make(tmp_path / "results", *jobs)]

    def elsewhere(metadata):
        metadata["provenance"]["machine"]["cpu"] = "A Slower One"
        metadata["provenance"]["commit"] = "feedbeef"

    rewrite(Path(paths[2]), elsewhere)
    data = Path("results/data/covertype.csv")
    data.parent.mkdir()
    data.write_text("a\n1\n")
    files = [Path("figures/toy/fig1.png"), Path("figures/toy/tables/fig1.csv")]
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes([number]))
    source = {"files": list(map(str, files)), "inputs": [*paths, str(data)]}
    manifest.write(manifest.build({"fig1": source}), "figures/toy/manifest.json")
    return files[0]


def test_a_figure_is_traced_to_settings_streams_data_and_machines(figure):
    found = trace.trace(figure)
    assert found["manifest"] == "figures/toy/manifest.json"
    assert found["settings"].keys() == {"toy/here", "toy/here[horizon=12]"}
    assert found["settings"]["toy/here"] == toy_trials().cell.spec
    assert found["streams"] == {"toy/here": [0, 1, 2, 3]}  # options share them
    assert [m["machine"]["cpu"] == "A Slower One" for m in found["made"]] == [False, True]
    assert [m["commit"] == "feedbeef" for m in found["made"]] == [False, True]
    (digest,) = found["data"].values()
    assert digest == sha256("results/data/covertype.csv")
    assert len(found["inputs"]) == 4


def test_a_figure_says_what_has_become_of_its_inputs(figure, monkeypatch, capsys):
    found = trace.trace(figure)
    assert (found["not_here"], found["changed"]) == ([], [])
    assert found["cut"] == {}
    first, second = (p for p in found["inputs"] if "/regret/" in p)
    Path(first).unlink()
    make(Path("results"), replace(toy_trials(first=2, stop=4), rounds=5))
    found = trace.trace(figure)
    assert (found["not_here"], found["changed"]) == ([first], [second])
    assert cli.main(["provenance", str(figure)]) == 0
    text = capsys.readouterr().out
    assert "after a failed run: 1\n" in text and "others now: 1\n" in text
    shutil.copytree("figures", "copies")
    monkeypatch.chdir(figure.parent)
    elsewhere = trace.trace(figure.name)
    assert [elsewhere[key] for key in ("not_here", "changed")] == [[first], [second]]
    copy = trace.trace("../../copies/toy/fig1.png")
    assert [*copy["inputs"]] == copy["not_here"] == [*found["inputs"]]


def test_a_figure_of_trials_that_were_cut_short_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    whole = toy_trials(first=2, stop=4)
    path, other = make(tmp_path / "results", replace(toy_trials(), rounds=5), whole)
    figure = Path("figures/toy/fig1.png")
    figure.parent.mkdir(parents=True)
    figure.write_bytes(b"1")
    inputs = [str(one.relative_to(tmp_path)) for one in (path, other)]
    source = {"files": [str(figure)], "inputs": inputs}
    manifest.write(manifest.build({"fig1": source}), "figures/toy/manifest.json")
    assert trace.trace(figure)["cut"] == {inputs[0]: 5}
    assert cli.main(["provenance", str(figure)]) == 0
    assert "results that were cut short: 1, after 5 rounds\n" in capsys.readouterr().out


def test_the_words_name_what_the_issue_of_a_number_is_asked_for(figure, capsys):
    assert cli.main(["provenance", str(figure.parent / "tables" / "fig1.csv")]) == 0
    text = capsys.readouterr().out
    for words in ("commit feedbeef", "A Slower One", "numpy", "toy/here: 0 to 3", "covertype.csv"):
        assert words in text
    assert cli.main(["provenance", "--json", str(figure)]) == 0
    assert json.loads(capsys.readouterr().out)["item"] == "fig1"


def test_a_manifest_of_an_older_form_says_how_to_make_it_again(figure):
    place = Path("figures/toy/manifest.json")
    old = json.loads(place.read_text())
    del old["made"], old["settings"]
    place.write_text(json.dumps(old))
    with pytest.raises(
        ResultError, match=r"again: snakemake --cores 2 --force figures/toy/manifest\.json"
    ):
        trace.trace(figure)


def test_a_changed_file_is_refused(figure):
    figure.write_bytes(b"something else")
    with pytest.raises(ResultError, match=r"fig1\.png is not the file that .*manifest\.json"):
        trace.trace(figure)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("figures/toy/none.png", "is not a file; allowed"),
        ("figures/toy/other.png", "no manifest beside or above"),
    ],
)
def test_what_nobody_knows_is_said_to_be_so(figure, name, words):
    Path("figures/toy/other.png").write_bytes(b"")
    with pytest.raises(ResultError, match=words):
        trace.trace(name)


def test_a_result_file_speaks_for_itself(figure):
    path = Path("results") / toy_trials(first=2, stop=4).path
    found = trace.trace(path)
    assert found["streams"] == {"toy/here": [2, 3]}
    assert found["made"] == [results.read_metadata(path)["provenance"]]
    assert found["resolved"]["options"] == {"inverse": "rank_one", "variant": "paper"}
    assert "toy/here: 2 to 3" in trace.to_text(found)
    assert "regret lane, gloc, 12 rounds" in trace.to_text(found)


def test_a_shortened_result_says_how_far_it_went(tmp_path):
    (path,) = make(tmp_path, replace(toy_trials("timing", horizon=3000), rounds=5))
    assert "timing lane, gloc, 5 rounds" in trace.to_text(trace.trace(path))


def test_the_manifest_that_fits_is_found_among_several(figure):
    old = json.loads(Path("figures/toy/manifest.json").read_text())
    figure.write_bytes(b"drawn anew")
    digest = old["items"]["fig1"]["files"]
    digest[next(file for file in digest if file.endswith("png"))] = sha256(figure)
    manifest.write(old, "figures/toy/manifest_of_fig1.json")
    assert trace.trace(figure)["manifest"] == "figures/toy/manifest_of_fig1.json"
    table = figure.parent / "tables" / "fig1.csv"
    assert trace.trace(table)["manifest"] == "figures/toy/manifest.json"


def test_a_damaged_result_file_is_refused(figure):
    path = Path("results") / toy_trials("timing", setting="here[horizon=12]", stop=1).path
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ResultError, match="damaged"):
        trace.trace(path)


def test_trials_with_gaps_are_told_apart():
    found = {"file": "x", "made": [], "settings": {}, "data": {}}
    found["streams"] = {"toy/here": [0, 1, 4, 7, 8, 9]}
    assert "toy/here: 0 to 1, 4 to 4, 7 to 9" in trace.to_text(found)


def test_joined_claims_are_traced_to_the_results_of_all_papers(figure):
    own = json.loads(Path("figures/toy/manifest.json").read_text())
    claims = Path("figures/toy/claims.csv")
    claims.write_text("claim\n")
    source = {"files": [str(claims)], "inputs": manifest.inputs_of(own, "fig1")}
    manifest.write(manifest.build({"claims": source}), "figures/toy/manifest.json")
    joined = Path("figures/claims.csv")
    joined.write_text("claim\n")
    source = {"files": [str(joined)], "inputs": [str(claims)]}
    manifest.write(manifest.build({"claims": source}), "figures/manifest.json")

    one, all_of_them = trace.trace(claims), trace.trace(joined)
    for key in ("made", "settings", "streams", "data"):
        assert all_of_them[key] == one[key] and one[key]
    claims.write_text("another claim\n")
    with pytest.raises(ResultError, match=r"is not what the joined claims were made from"):
        trace.trace(joined)


def test_where_results_are_does_not_decide_what_is_a_result(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "data" / "tables" / "studies"
    (path,) = make(folder, toy_trials())
    beside = folder / "studies" / "toy" / "facts.csv"
    beside.parent.mkdir(parents=True)
    beside.write_text("name\n")
    file = Path("figures/toy/fig1.png")
    file.parent.mkdir(parents=True)
    file.write_bytes(b"1")
    source = {"files": [str(file)], "inputs": [str(path), str(beside)]}
    manifest.write(manifest.build({"fig1": source}), "figures/toy/manifest.json")
    found = trace.trace(file)
    assert found["made"] and found["settings"] and not found["data"]


def test_inputs_that_are_all_below_a_folder_are_named_by_it(figure):
    place = Path("figures/toy/manifest.json")
    whole = json.loads(place.read_text())
    assert whole["items"]["fig1"]["inputs"] == ["results/"]
    paths = sorted(whole["inputs"])
    regret = [path for path in paths if "/regret/" in path]
    other = [path for path in paths if "/timing/" in path]
    assert len(regret) == 2 and len(other) == 1
    sources = {
        "all": {"files": [str(figure)], "inputs": paths},
        "most": {"files": [str(figure)], "inputs": [*other, *regret]},
        "some": {"files": [str(figure)], "inputs": [regret[1], *other]},
        "none": {"files": [str(figure)], "inputs": []},
    }
    manifest.write(manifest.build(sources), place)
    found = json.loads(place.read_text())
    named = {name: item["inputs"] for name, item in found["items"].items()}
    assert named["all"] == ["results/"] and named["none"] == []
    assert named["most"] == ["results/regret/", "results/timing/"]
    assert named["some"] == [regret[1], "results/timing/"]
    for name, source in sources.items():
        assert sorted(manifest.inputs_of(found, name)) == sorted(source["inputs"])


def test_a_manifest_whose_item_names_unknown_inputs_is_refused(figure):
    place = Path("figures/toy/manifest.json")
    for unknown in ("results/regret/toy/there/gloc/000-001.parquet", "results/there/"):
        wrong = json.loads(place.read_text())
        wrong["items"]["fig1"]["inputs"] = [unknown]
        manifest.write(wrong, place)
        with pytest.raises(ResultError, match=f"does not say what made {unknown}"):
            trace.trace(figure)


def test_a_manifest_has_a_line_for_each_file_and_is_the_same_for_the_same_content(figure):
    place = Path("figures/toy/manifest.json")
    text = place.read_text()
    content = json.loads(text)
    for name in (*content["inputs"], *content["items"]):
        assert sum(line.startswith(f'"{name}":{{') for line in text.splitlines()) == 1
    manifest.write(dict(reversed(content.items())), place)
    assert place.read_text() == text


def test_what_a_manifest_says_holds_in_a_copy_of_the_folder(figure, tmp_path, monkeypatch):
    shutil.copytree("figures", tmp_path / "elsewhere" / "figures")
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = trace.trace(figure)
    assert found["manifest"] == "figures/toy/manifest.json" and found["made"]


# What is committed.

COMMITTED = sorted(ROOT.glob("figures/**/manifest*.json"))


@pytest.mark.parametrize("place", COMMITTED, ids=lambda place: str(place.relative_to(ROOT)))
def test_what_is_committed_is_what_its_manifest_says(place, monkeypatch):
    monkeypatch.chdir(ROOT)
    items = json.loads(place.read_text())["items"]
    for item in items.values():
        for path, digest in item["files"].items():
            assert sha256(path) == digest, path
    item = items.get("claims") or max(items.values(), key=lambda item: len(item["inputs"]))
    found = trace.trace(next(iter(item["files"])))
    assert found["made"] and found["settings"] and found["streams"]
    assert not any(made["dirty"] for made in (found["drawn"], *found["made"]))


def test_every_committed_figure_is_in_a_manifest():
    known = {
        path
        for place in COMMITTED
        for item in json.loads(place.read_text())["items"].values()
        for path in item["files"]
    }
    listing = ["git", "ls-files", "figures"]
    done = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True)
    names = {name for name in done.stdout.splitlines() if "/manifest" not in name}
    # The page of results and the list of figures are made from all of them.
    assert known and names - known == {"figures/index.html", "figures/README.md"}
    assert known <= names
