"""The README and the pages of findings say what the committed results say."""

import pytest

from optimist.claims import pages
from optimist.claims.table import read_frame
from optimist.config.load import claims_path, load_claims, paper_names
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


@pytest.mark.parametrize("paper", paper_names())
def test_pages_of_claims_are_made_from_the_committed_tables(paper):
    folder = project_root() / "figures" / paper
    notes = {claim.id: claim.note for claim in load_claims(claims_path(paper)).claims}
    page = pages.to_markdown(read_frame(folder / "claims.csv"), notes)
    assert page == (folder / "claims.md").read_text(), f"run: optimist decide {paper}"


def test_the_readme_counts_the_claims_that_are_committed():
    frame = read_frame(project_root() / "figures" / "claims.csv").drop_duplicates("claim")
    empirical, guarantees, facts = (
        (frame["kind"] == kind).sum() for kind in ("empirical", "guarantee", "fact")
    )
    readme = (project_root() / "README.md").read_text()
    for told in (f"\n{empirical} claims: ", f" {guarantees} guarantees: ", f" {facts} facts: "):
        assert readme.count(told) == 1
