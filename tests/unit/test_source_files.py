"""Digests of source files, whatever Python, editor or checkout, and the imports behind a module."""

import ast
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from toy_environments import ROOT

from optimist.core import source_files, user_errors, user_inputs
from optimist.core.errors import UnreadableError
from optimist.core.source_files import closure, digest_of, is_of_user
from optimist.experiments import code_digest

MODULES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "src/optimist").rglob("*.py"))
]
# What versions of Python read in different ways: parts of f-strings, empty fields, large numbers.
SAMPLE = """
import a.b, c as d
from . import e
from .f import *

@decorated
class One(Base, metaclass=Meta):
    field: int = 1

    def method(self, a, /, b=1.5e300, *c, d: "text" = -2j, **e) -> None:
        async with x as y, z:
            return await f"{a!r:>{b}}{{c}}" "d" f"{d = }{e:}" u"f", rb"\\xff"

def generate(*, x=...):
    global y
    match x:
        case {"a": [1, *rest], **more} | One(field=None) if x:
            yield from (i for i in {**x, "k": [*x]} if i)
    try:
        del x[1:2, ::3], x.y
    except* (ValueError, TypeError) as error:
        raise One(f"{x:{y}{z}} and {x!s:%H}") from error
    lambda z=0x"""
SAMPLE += "f" * 5000 + ': (y := "\\N{EM DASH} \\ud800 é 😀\\n")\n'
KNOWN = "1b9d5f32a92bb69f3007050c304e26b52d41312c5ac9fe7940dc63b7d6071b23"


def digest(folder, content, name="a.py"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return digest_of(str(path))


PLAIN = "import logging, warnings\nlogger = logging.getLogger()\ndef f(x, t={}):\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("    return x", "    # why\n\n    return (x)  # how"),
        ("    'one'\n    return x", "    '''other\n    words'''\n    return x"),
        (
            "    return x\nclass A:\n    'one'\n    y = 1",
            "    return x\nclass A:\n    y = 1\n    'y'",
        ),
        ("    return 'a' \"b\" + u'c'", '    return """ab""" + \'c\''),
        ("    return 1000 + 0x10", "    return 1_000 + 16"),
        ("    raise E('one', x)", "    raise E(f'other {x!r}', x)"),
        ("    raise E('one' if x else 'two')", "    raise E('two' if x else 'one')"),
        ("    raise E('one %s' % x) from x", "    raise E('other %s' % x) from x"),
        ("    assert x, 'one'", "    assert x, f'other {x}'"),
        ("    logger.info('one %s', x)", "    logger.info('other: %s', x)"),
        ("    logger.info(f'one {x}')", "    logger.info(f'{x} other')"),
        ("    logging.warning('one')", "    logging.warning('other')"),
        ("    warnings.warn('one', stacklevel=2)", "    warnings.warn('other', stacklevel=2)"),
    ],
)
def test_words_and_style_do_not_count(tmp_path, one, other):
    first = digest(tmp_path, f"'''One.'''\n{PLAIN}{one}\n")
    assert digest(tmp_path, f"# -*- coding: utf-8 -*-\n'''Two.'''\n{PLAIN}{other}\n") == first
    windows = f"{PLAIN}{other}\n".replace("\n", "\r\n").encode()
    assert digest(tmp_path, b"\xef\xbb\xbf" + windows) == first


DISTINCT = [
    *(
        "1",
        "1.0",
        "True",
        "'1'",
        "b'1'",
        "-1",
        "x",
        "None",
        "...",
        "[1, 2]",
        "[[1], 2]",
        "[[1, 2]]",
    ),
    *("(1, 2)", "f(1, 2)", "f((1, 2))", "f(*x)", "f(x=1)", "f(**x)", "{**x, 1: 2}", "{1: 2, **x}"),
    *("f'{x}a'", "f'a{x}'", "f'{x!r}a'", "f'{x:2}a'", "'{x}a'", "f'{x}' 'b'", "1 if x else 2"),
    *("2 if x else 1", "x < 1", "x <= 1", "x.y", "x['y']", "lambda: 1", "lambda x: 1", "x and 1"),
    *("t['raise']", "f('logger')", "print('a')", "print('b')", "log.info('a')", "log.info('b')"),
]


def test_what_python_does_counts(tmp_path):
    sources = [f"{PLAIN}    return {text}\n" for text in DISTINCT]
    sources += [
        f"{PLAIN}    {text}\n"
        for text in (
            *("raise E('a')", "raise F('a')", "raise E('a', x)", "raise t['a']", "raise t['b']"),
            *("assert x", "assert not x", "logger.info('a', x)", "logger.info('a', f(x))"),
            *("logger.info(f'{x.pop()}')", "logger.error('a', x)", "pass", "x = 1", "x: int = 1"),
            *("yield x", "await x", "return", "import a", "import b", "from a import b"),
            *("from .a import b", "from ..a import b", "from .a import b as c"),
        )
    ]
    found = {digest(tmp_path, source): source for source in sources}
    assert sorted(found.values()) == sorted(sources)


def test_a_source_in_another_encoding_is_the_same_source(tmp_path):
    text = "x = 'öffentlich'\n"
    latin = digest(tmp_path, b"# coding: latin-1\n" + text.encode("latin-1"))
    assert latin == digest(tmp_path, text)
    assert latin != digest(tmp_path, text.encode("latin-1"))  # which Python does not read


@pytest.mark.parametrize(
    "broken",
    [
        b"x = '\0'\n",
        b"x = '\xf6'\n",
        "x = 1\n".encode("utf-16"),
    ],
)
def test_a_source_that_python_cannot_read_counts_by_its_bytes(tmp_path, broken):
    first = digest(tmp_path, broken)
    assert digest(tmp_path, broken.replace(b"\n", b"\r\n")) == first
    assert digest(tmp_path, broken + b"# one more") != first
    assert closure(str(tmp_path / "a.py")) == {str(tmp_path / "a.py")}


def test_files_that_are_no_source_count_by_all_bytes(tmp_path):
    names = ("a.csv", "a.so", "b")
    found = {digest(tmp_path, text, name) for name in names for text in (b"1\n", b"1\r\n", b"")}
    assert len(found) == 3


def test_links_are_followed_and_what_cannot_be_read_is_named(tmp_path):
    first = digest(tmp_path, "x = 1\n")
    (tmp_path / "link.py").symlink_to("a.py")
    assert digest_of(str(tmp_path / "link.py")) == first
    digest(tmp_path, "x = 2\n")
    assert digest_of(str(tmp_path / "link.py")) != first
    (tmp_path / "a.py").unlink()
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "folder.py").mkdir()
    for name in ("a.py", "link.py", "loop.py", "folder.py"):
        with pytest.raises(UnreadableError, match=f"{name} cannot be read: "):
            digest_of(str(tmp_path / name))


def test_an_edit_is_seen_in_this_process_even_with_the_time_of_before(tmp_path, monkeypatch):
    first = digest(tmp_path, "x = 1\n")
    assert digest(tmp_path, "x = 2\n") != first  # at once
    monkeypatch.setattr(source_files, "_SETTLED", -1.0)
    path = tmp_path / "a.py"
    before = digest_of(str(path)), path.stat().st_mtime_ns
    time.sleep(0.05)
    path.write_text("x = 3\n")
    os.utime(path, ns=(before[1], before[1]))
    assert digest_of(str(path)) != before[0]


# Versions of Python.


def digests_by(python, *paths):
    code = "import sys, json; from optimist.core.source_files import digest_of\n"
    code += "print(json.dumps([digest_of(path) for path in sys.argv[1:]]))"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [python, "-c", code, *paths], env=env, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_this_python_gives_the_known_digest(tmp_path):
    ast.parse(SAMPLE)
    assert digest(tmp_path, SAMPLE) == KNOWN


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_all_pythons_agree(tmp_path, version):
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [*map(str, pyenv.glob(f"{version}.*/bin/python")), shutil.which(f"python{version}")]
    python = next(filter(None, found), None)
    if python is None:
        pytest.skip(f"Python {version} is not here")
    (tmp_path / "sample.py").write_text(SAMPLE, encoding="utf-8")
    paths = [str(tmp_path / "sample.py"), *map(source_files.own_file, MODULES)]
    assert digests_by(python, *paths) == [KNOWN, *map(digest_of, paths[1:])]


def test_sources_of_the_package_are_parsed_once(tmp_path):
    code = """
import ast, sys
from optimist.core import source_files, user_errors, user_inputs
if sys.argv[1:]:
    ast.parse = None
print(source_files.digest_of(source_files.own_file("optimist.core.label")))
print(len(source_files.closure("optimist.core.label")))
"""
    env = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}

    def found(*words):
        done = subprocess.run(
            [sys.executable, "-c", code, *words], env=env, capture_output=True, text=True
        )
        assert not done.returncode, done.stderr
        return done.stdout

    first = found()
    assert found("none") == first
    (kept,) = tmp_path.rglob("digests.json")
    for damaged in ("", "{", "[1, 2]", "null"):
        kept.write_text(damaged)
        assert found() == first
    assert json.loads(kept.read_text())


# Imports.


def imports(path):
    """Return the files of this package that a source file imports, by its syntax tree."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    places = (ROOT / "src" / name.replace(".", "/") for name in names if "optimist." in name)
    candidates = (p for place in places for p in (place.with_suffix(".py"), place / "__init__.py"))
    return {path for path in candidates if path.exists()}


def test_a_closure_has_the_module_and_all_that_is_imported_and_no_more():
    behind = {path: imports(path) for path in (ROOT / "src/optimist").rglob("*.py")}
    for module in MODULES[1:]:
        files = {Path(path) for path in closure(module)}
        assert Path(source_files.own_file(module)) in files
        reached = set().union(*map(behind.__getitem__, files))
        assert reached <= files, module
        assert len(files - reached) <= 1, module


def test_imports_in_a_circle_and_above_the_root_end(tmp_path):
    for one, other in ("ab", "bc", "ca"):
        (tmp_path / f"{one}.py").write_text(f"import {other}, {one}\nfrom .......... import x\n")
    assert closure(str(tmp_path / "a.py")) == {str(tmp_path / f"{name}.py") for name in "abc"}


def test_a_helper_imports_from_the_folder_of_the_file_and_from_its_own(tmp_path):
    (tmp_path / "lib").mkdir()
    texts = {
        "mine.py": "def f():\n    import lib.step",
        "lib/step.py": "from lib.width import W; import beside",
        "lib/width.py": "from .deep import D",
        **dict.fromkeys(("lib/beside.py", "lib/deep.py", "lib/unused.py"), ""),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    expected = {str(tmp_path / name) for name in texts if "unused" not in name}
    assert closure(str(tmp_path / "mine.py")) == expected


# The digest of code.


def write_package(folder, width="1.0"):
    (folder / "lib").mkdir(parents=True)
    (folder / "mine.py").write_text("from lib.width import WIDTH\n")
    (folder / "lib/width.py").write_text(f"WIDTH = {width}\n")
    return str(folder / "mine.py")


def test_a_folder_that_is_moved_keeps_its_digest_and_an_edit_changes_it(tmp_path):
    one, two, three = (
        write_package(tmp_path / name, width)
        for name, width in (("a", "1"), ("b/c", "1"), ("d", "2"))
    )
    found = [code_digest.of_modules(path) for path in (one, two, three)]
    assert found[0] == found[1] != found[2]


def test_contents_that_change_places_change_the_digest(tmp_path):
    (tmp_path / "a.py").write_text("import b, c")
    found = []
    for one, other in (("1", "2"), ("2", "1")):
        (tmp_path / "b.py").write_text(f"x = {one}\n")
        (tmp_path / "c.py").write_text(f"x = {other}\n")
        found.append(code_digest.of_modules(str(tmp_path / "a.py")))
    assert found[0] != found[1]


def test_modules_of_the_package_count_by_name_wherever_it_lies(tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(
        ROOT / "src/optimist", copy / "optimist", ignore=shutil.ignore_patterns("*.pyc")
    )
    code = "from optimist.experiments.code_digest import of_modules as of\n"
    code += "print(of('optimist.experiments.loop'))"
    env = {**os.environ, "PYTHONPATH": str(copy)}
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == code_digest.of_modules("optimist.experiments.loop")
    with (copy / "optimist/experiments/loop.py").open("a") as file:
        file.write("EDITED = 1\n")
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() != code_digest.of_modules("optimist.experiments.loop")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/me/mine.py", True),
        ("mine.py", True),
        ("/dev/shm/mine.py", True),
        ("/opt/other/lib/python3/dist-packages/x.py", False),
        (".snakemake/scripts/tmp1.run.py", False),
        ("<frozen importlib._bootstrap>", False),
        (json.__file__, False),
        (pytest.__file__, False),
        (source_files.__file__, False),
    ],
)
def test_one_function_decides_which_code_is_a_users(path, expected):
    assert is_of_user(path) == expected
    assert user_errors.is_of_user is user_inputs.is_of_user is is_of_user
