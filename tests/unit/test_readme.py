"""The README says what the committed results say."""

import pytest

from optimist import claims
from optimist.plan.config import project_root


def test_readme_shows_the_committed_verdicts():
    path = project_root() / "figures" / "claims.csv"
    if not path.exists():
        pytest.skip("no full run has been committed yet")
    readme = (project_root() / "README.md").read_text()
    current = claims.readme_is_current(readme, claims.read_frame(path))
    assert current, "README.md shows other verdicts than figures/claims.csv; run: make readme"
