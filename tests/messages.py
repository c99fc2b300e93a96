"""The one line with which the package refuses something."""

import pytest

from optimist.core.errors import ConfigError


def message(call, *arguments, **keywords):
    """Return the message of the ConfigError that a call raises: one line, as users see it."""
    with pytest.raises(ConfigError) as error:
        call(*arguments, **keywords)
    assert "\n" not in str(error.value)
    return str(error.value)
