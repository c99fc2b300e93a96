"""Fetching data: whatever UCI does, the result is the registered content or a DataError."""

import csv
import hashlib
import json
import logging
import socket
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from uci_server import UciServer

from optimist.core.errors import ConfigError, DataError
from optimist.data import download, fetch
from optimist.data.sources import load_sources
from optimist.data.tables import read, save
from optimist.data.verify import canonical_digest

TABLE = pd.DataFrame(
    {"length": [12, 15, 9, 300], "weight": [0.455, 0.1, 2.25, 3.0], "rings": [1, 0, 1, 1]}
)
# SHA-256 of the canonical text of TABLE, written out by hand.
TABLE_TEXT = (
    '4 rows\n"length"\n12\n15\n9\n300\n"weight"\n0.455\n0.1\n2.25\n3\n"rings"\n1\n0\n1\n1\n'
)
TABLE_DIGEST = hashlib.sha256(TABLE_TEXT.encode()).hexdigest()
CSV = b"length,weight,rings\n12,0.455,1\n15,0.1,0\n9,2.25,1\n300,3,1\n"
# UCI's file has a column that we do not keep.
UCI_CSV = b"length,colour,weight,rings\n12,r,0.455,1\n15,g,0.1,0\n9,g,2.25,1\n300,b,3,1\n"


def write_registry(folder, **changes):
    row = {
        "name": "shells",
        "uci_id": "5",
        "version": "1",
        "rows": "4",
        "columns": "length;weight;rings",
        "mirror": "shells.csv",
        "mirror_sha256": hashlib.sha256(CSV).hexdigest(),
        "content_sha256": TABLE_DIGEST,
        "licence": "none",
        "doi": "",
        "note": "made up",
    } | changes
    with (folder / "sources.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [key for key, value in row.items() if value is not None])
        writer.writeheader()
        writer.writerow({key: value for key, value in row.items() if value is not None})


@pytest.fixture
def registry(tmp_path):
    """A data folder with one small data set, ``shells``."""
    write_registry(tmp_path)
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "shells.csv").write_bytes(CSV)
    return tmp_path


@pytest.fixture
def point_at(monkeypatch):
    """Return a function that makes a URL (or a server) the address of UCI."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return lambda url: monkeypatch.setenv("OPTIMIST_UCI_URL", getattr(url, "url", url))


@pytest.fixture(scope="session")
def patience():
    """Seconds in which a child process surely asks the server, on this machine, now."""
    start = time.monotonic()
    subprocess.run(
        [sys.executable, "-c", "import ucimlrepo.fetch, pyarrow.parquet, optimist.data.download"],
        check=True,
    )
    return 2.0 + 4 * (time.monotonic() - start)


@pytest.fixture
def closed_port():
    """URL of a loopback port where nobody listens."""
    with socket.socket() as bound:  # bound but not listening: refused, and no one else gets it
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/api/dataset"


def assert_is_table(frame):
    pd.testing.assert_frame_equal(frame, TABLE, check_dtype=False)


def errors(record):
    return [(attempt["source"], attempt["error"]) for attempt in record["attempts"]]


# --- UCI answers -------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["auto", "uci"])
def test_good_answer_is_used(registry, point_at, caplog, source):
    caplog.set_level(logging.INFO)
    (registry / "mirror" / "shells.csv").unlink()
    with UciServer(UCI_CSV) as server:
        point_at(server)
        frame, record = fetch.fetch("shells", source=source, data_dir=registry)
    assert_is_table(frame)
    assert server.asked == ["5"]
    assert record["source"] == "uci"
    assert errors(record) == [("uci", None)]
    assert (record["rows"], record["digest"]) == (4, TABLE_DIGEST)
    assert [r.getMessage() for r in caplog.records] == ["shells: 4 rows from uci:5, verified"]


BAD_ANSWERS = {
    "truncated": (UCI_CSV, "truncated", "IncompleteRead"),
    "short file that parses": (UCI_CSV.rpartition(b"300")[0], "good", "3 rows, expected 4"),
    "one value changed": (UCI_CSV.replace(b"0.455", b"0.456"), "good", "wrong content"),
    "other columns": (UCI_CSV.replace(b"weight", b"mass"), "good", "no column weight"),
    "bad gateway": (UCI_CSV, "bad_gateway", "502"),
    "not JSON": (UCI_CSV, "not_json", "JSONDecodeError"),
    "not a table": (b"\x00\xff<html>", "good", ""),
}


@pytest.mark.parametrize("fault", BAD_ANSWERS)
def test_bad_answer_is_rejected(registry, point_at, caplog, fault):
    table, behaviour, message = BAD_ANSWERS[fault]
    with UciServer(table, behaviour) as server:
        point_at(server)
        frame, record = fetch.fetch("shells", data_dir=registry)
        with pytest.raises(DataError, match=f"shells: not available from UCI: .*{message}"):
            fetch.fetch("shells", source="uci", data_dir=registry)
    assert server.asked == ["5", "5"]
    assert_is_table(frame)
    (first, reason), last = errors(record)
    assert (first, last, record["source"]) == ("uci", ("mirror", None), "mirror")
    assert message in reason
    assert message in caplog.text


# --- UCI is silent or absent -------------------------------------------------------------------


@pytest.mark.parametrize("behaviour", ["hang", "hang_in_table"])
def test_silent_server_costs_the_timeout_and_no_more(registry, point_at, behaviour, patience):
    with UciServer(UCI_CSV, behaviour) as server:
        point_at(server)
        start = time.monotonic()
        frame, record = fetch.fetch("shells", timeout=patience, data_dir=registry)
        elapsed = time.monotonic() - start
        assert server.client_left.wait(5), "the child process is still connected"
    assert_is_table(frame)
    assert len(server.asked) == 1
    assert elapsed < patience + 1.5
    assert [source for source, _ in errors(record)] == ["uci", "mirror"]
    assert f"no complete answer within {patience:.3g} s" in record["attempts"][0]["error"]


def test_no_network(registry, point_at, closed_port):
    point_at(closed_port)
    frame, record = fetch.fetch("shells", data_dir=registry)
    assert_is_table(frame)
    assert record["source"] == "mirror"
    assert "refused" in record["attempts"][0]["error"]
    with pytest.raises(DataError, match=r"not available from UCI: .*refused"):
        fetch.fetch("shells", source="uci", data_dir=registry)


def test_data_set_that_uci_does_not_have(registry, monkeypatch):
    monkeypatch.setattr(download, "call", lambda *a, **k: pytest.fail("UCI was asked"))
    write_registry(registry, uci_id="")
    frame, _ = fetch.fetch("shells", data_dir=registry)
    assert_is_table(frame)
    with pytest.raises(DataError, match="not on UCI"):
        fetch.fetch("shells", source="uci", data_dir=registry)


# --- the mirror --------------------------------------------------------------------------------


def test_damaged_or_missing_mirror(registry):
    mirror = registry / "mirror" / "shells.csv"
    damaged = CSV.replace(b"0.455", b"0.456")
    mirror.write_bytes(damaged)
    found, expected = (hashlib.sha256(content).hexdigest() for content in (damaged, CSV))
    with pytest.raises(DataError, match=f"shells.csv is damaged: .*{expected}, found {found}"):
        fetch.fetch("shells", source="mirror", data_dir=registry)
    mirror.unlink()
    with pytest.raises(DataError, match=r"shells\.csv is missing"):
        fetch.fetch("shells", source="mirror", data_dir=registry)


def test_mirror_that_is_not_what_was_registered(registry):
    write_registry(registry, content_sha256="0" * 64)
    with pytest.raises(DataError, match=f"expected digest 0{{64}}, found {TABLE_DIGEST}"):
        fetch.fetch("shells", source="mirror", data_dir=registry)


# --- arguments and the registry ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "shell"}, "unknown data set 'shell' .did you mean 'shells'"),
        ({"source": "mirorr"}, "did you mean 'mirror'.*auto, mirror, uci"),
        ({"timeout": 0.0}, "timeout is 0.0"),
        ({"timeout": float("nan")}, "timeout is nan"),
    ],
)
def test_bad_argument(registry, arguments, message):
    arguments = {"name": "shells", "source": "mirror", "data_dir": registry} | arguments
    with pytest.raises(ConfigError, match=message):
        fetch.fetch(**arguments)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"rows": "many"}, "many"), ({"doi": None}, "'shells' has no doi"), ({"uci_id": "x"}, "'x'")],
)
def test_bad_registry(registry, changes, message):
    write_registry(registry, **changes)
    with pytest.raises(DataError, match=message):
        load_sources(registry / "sources.csv")


def test_registry_that_repeats_a_name_or_is_missing(registry):
    path = registry / "sources.csv"
    with path.open("a") as file:
        file.write(path.read_text().splitlines()[1] + "\n")
    with pytest.raises(DataError, match="listed twice"):
        load_sources(path)
    with pytest.raises(DataError, match="does not exist"):
        load_sources(registry / "none.csv")


# --- the digest --------------------------------------------------------------------------------


def test_digest_of_a_text_written_by_hand():
    assert canonical_digest(TABLE) == TABLE_DIGEST
    frame = pd.DataFrame({"sex": ["M", None, 'a"b'], "x": [np.nan, -0.0, -1.5e-7]})
    text = '3 rows\n"sex"\n"M"\n\n"a\\"b"\n"x"\n\n0\n-1.5e-07\n'
    assert canonical_digest(frame) == hashlib.sha256(text.encode()).hexdigest()


def test_digest_depends_on_neither_types_nor_formats_nor_last_bits(tmp_path):
    TABLE.to_parquet(tmp_path / "a.parquet", compression="gzip")
    TABLE[::-1].to_csv(tmp_path / "a.csv", index=False)
    equal = [
        *(TABLE.astype({"length": dtype}) for dtype in ("int16", "uint16", "float64", "Int32")),
        read(tmp_path / "a.parquet"),
        read(tmp_path / "a.csv")[::-1],
        TABLE.assign(weight=np.nextafter(TABLE["weight"], 9)),
    ]
    assert {canonical_digest(frame) for frame in equal} == {TABLE_DIGEST}


def test_digest_tells_contents_apart():
    others = [
        TABLE.rename(columns={"rings": "ring"}),
        TABLE[["weight", "length", "rings"]],
        TABLE.iloc[[1, 0, 2, 3]],
        TABLE.iloc[:3],
        TABLE.assign(weight=TABLE["weight"] + 1e-9),
        TABLE.assign(rings=["1", "0", "1", "1"]),
        TABLE.assign(weight=[0.455, 0.1, np.nan, 3.0]),
        TABLE.assign(length=[1, 215, 9, 300]),
    ]
    digests = {canonical_digest(frame) for frame in [TABLE, *others]}
    assert len(digests) == 1 + len(others)


# --- files and imports -------------------------------------------------------------------------


def test_save_and_read_back(tmp_path):
    table, record = tmp_path / "new" / "t.parquet", tmp_path / "new" / "t.json"
    save(TABLE, {"source": "mirror"}, table, record)
    pd.testing.assert_frame_equal(read(table), TABLE)
    assert json.loads(record.read_text()) == {"source": "mirror"}
    assert sorted(path.name for path in table.parent.iterdir()) == ["t.json", "t.parquet"]


@pytest.mark.parametrize("name", ["none.parquet", "none.csv", "text.parquet"])
def test_unreadable_table(tmp_path, name):
    (tmp_path / "text.parquet").write_text("this is no Parquet")
    with pytest.raises(DataError, match=name):
        read(tmp_path / name)


def test_import_is_light():
    code = (
        "import sys, optimist.data.fetch, optimist.data.prepare.covertype;"
        "print([m for m in ('pandas', 'pyarrow', 'sklearn', 'ucimlrepo') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


# --- the real data -----------------------------------------------------------------------------


# Number at UCI, rows and missing values, by name.
COPIES = {
    "covertype": (31, 581_012, 0),
    "abalone": (1, 4177, 0),
    "california_housing": (None, 20_640, 0),
    "australian": (143, 690, 0),
    "breast_cancer_original": (15, 699, 16),
    "breast_cancer_wdbc": (17, 569, 0),
    "diabetes": (None, 768, 0),
}


@pytest.mark.parametrize("name", COPIES)
def test_the_copies_are_the_registered_content(name):
    frame, record = fetch.fetch(name, source="mirror")
    assert len(frame) == record["rows"]
    number = load_sources()[name].uci_id
    assert (number, len(frame), frame.isna().sum().sum()) == COPIES[name]


def test_a_table_with_missing_values_in_the_layout_of_uci(point_at):
    kept, _ = fetch.fetch("breast_cancer_original", source="mirror")
    answer = kept[kept.columns[::-1]].assign(Sample_code_number=range(len(kept)))
    with UciServer(answer.to_csv(index=False).encode()) as server:
        point_at(server)
        fetched, _ = fetch.fetch("breast_cancer_original", source="uci", timeout=60.0)
    assert server.asked == ["15"]
    pd.testing.assert_frame_equal(fetched, kept)


def test_diabetes_is_not_asked_of_uci(monkeypatch):
    monkeypatch.setattr(download, "call", lambda *a, **k: pytest.fail("UCI was asked"))
    frame, record = fetch.fetch("diabetes")
    assert record["source"] == "mirror"
    # What cannot be stands for what is missing, as in the original file.
    zeros = {name: int((frame[name] == 0).sum()) for name in frame.columns[1:6]}
    assert zeros == {
        "Glucose": 5,
        "BloodPressure": 35,
        "SkinThickness": 227,
        "Insulin": 374,
        "BMI": 11,
    }


def test_australian_has_its_decimal_points():
    frame, _ = fetch.fetch("australian", source="mirror")
    assert frame.loc[0, ["A2", "A3", "A7"]].tolist() == [22.08, 11.46, 1.585]
