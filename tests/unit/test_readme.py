"""The README and the pages of findings say what the committed results say."""

import pytest

from optimist.claims import pages
from optimist.claims.table import read_frame
from optimist.config.load import paper_names
from optimist.core.root import project_root
from optimist.page import index


@pytest.mark.parametrize("name", ["README.md", *(f"docs/findings/{p}.md" for p in paper_names())])
def test_documents_show_the_committed_verdicts(name):
    path = project_root() / "figures" / "claims.csv"
    if not path.exists():
        pytest.skip("no full run has been committed yet")
    shown = index.documents(read_frame(path))[name]
    text = (project_root() / name).read_text()
    assert pages.with_summary(text, shown, name) == text, (
        f"{name} shows other verdicts than figures/claims.csv; run: make readme"
    )


def test_the_readme_counts_the_claims_that_are_committed():
    frame = read_frame(project_root() / "figures" / "claims.csv").drop_duplicates("claim")
    empirical, guarantees, facts = (
        (frame["kind"] == kind).sum() for kind in ("empirical", "guarantee", "fact")
    )
    readme = (project_root() / "README.md").read_text()
    for told in (f"\n{empirical} claims: ", f" {guarantees} guarantees: ", f" {facts} facts: "):
        assert readme.count(told) == 1
