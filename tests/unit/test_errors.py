"""Messages on folders that take no files, and on unknown names."""

import pytest

from optimist.core.errors import ConfigError, UnwritableError, check_writable, known_name


def test_a_folder_that_is_not_there_is_made(tmp_path):
    check_writable(str(tmp_path / "a/b"))
    check_writable(str(tmp_path / "a/b"))
    assert (tmp_path / "a/b").is_dir()


@pytest.mark.parametrize("make", [lambda p: p.touch(), lambda p: p.symlink_to(p.parent / "gone")])
def test_what_is_no_folder_is_named(tmp_path, make):
    """A file, and a link to a folder that was removed, say of scratch space."""
    place = tmp_path / "results"
    make(place)
    with pytest.raises(UnwritableError, match=f"{place}: File exists; fix that"):
        check_writable(str(place))


def test_an_unknown_name_has_the_nearest_and_all_that_are_allowed():
    assert known_name("fruit", "pear", {"pear": 1, "fig": 2}) == "pear"
    words = r"unknown fruit 'paer' \(did you mean 'pear'\?\); allowed: fig, pear$"
    with pytest.raises(ConfigError, match=words):
        known_name("fruit", "paer", {"pear": 1, "fig": 2})
