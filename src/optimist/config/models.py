"""The keys of config.yaml and of findings.yaml."""

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Gt, Le, MinLen

from optimist.core.keys import Keys, Name, Once, matching

Cap = Annotated[int, Ge(1), Le(1_000_000_000)]
Trials = Annotated[int, Ge(1), Le(1_000_000)]
Factor = Annotated[float, Gt(0), Le(1000)]
Seed = Annotated[int, Ge(0), Le(4_294_967_295)]
ClassInFile = Annotated[str, matching("^[^:]+[.]py:[A-Za-z_][A-Za-z0-9_]*$")]


class Caps(Keys):
    #: Rounds per trial. A truncated trial equals the start of the full one; algorithms still get
    #: the full horizon.
    rounds: Cap | None
    trials: Cap | None  #: Trials per cell in the regret lane.
    timing_trials: Cap | None  #: Trials per cell in the timing lane.


class Changes(Keys):
    #: Least number of trials per cell in the regret lane; null for the papers' own.
    trials: Trials | None
    #: By paper and pattern: keys merged over the settings that match. A pattern without [ is
    #: compared with names, so that it selects a setting with any options, and one with [ with whole
    #: labels; * matches any text, ? one letter.
    settings: dict[str, dict[str, dict[str, Any]]]


class Additions(Keys, total=False):
    #: Settings by name, as in settings.yaml; the environment may be a class in a file.
    settings: dict[str, Any]
    runs: list[dict[str, Any]]  #: Blocks, as in runs of runs.yaml.
    figures: dict[str, Any]  #: Figures by name, as in figures.yaml.


class Only(Keys):
    settings: list[str]  #: Names of settings (with all options) or whole labels.
    algorithms: list[str]  #: Names of algorithms (with all options) or whole labels.
    #: Figures and tables as PAPER/NAME, and claims as PAPER/claims: only these are made, from the
    #: cells that they show.
    figures: list[str]


class Timing(Keys):
    #: Whether a race reserves more cores than its one, and on a cluster a node; without, times mean
    #: nothing.
    exclusive: bool
    #: Largest number of the machine's cores that a timing job reserves; it uses one. null means
    #: all.
    cores: Annotated[int, Ge(1), Le(100_000)] | None


class Data(Keys):
    #: auto asks UCI and falls back to the verified copy in data/mirror. `uci` and `mirror` use that
    #: one only.
    source: Literal["auto", "uci", "mirror"]
    timeout: Annotated[float, Gt(0), Le(86_400)]  #: Seconds for the download from UCI.


class Covertype(Keys):
    #: Number of K-means clusters, which become the arms.
    clusters: Annotated[int, Ge(1), Le(100_000)]
    seed: Seed  #: K-means seed. Seed 7 gives the extreme means that the paper reports.
    n_init: Annotated[int, Ge(1), Le(1000)]  #: K-means restarts.
    #: Seeds over which the extreme cluster means are reported.
    spread_seeds: Annotated[list[Seed], MinLen(1)]


class Datasets(Keys):
    #: Covertype as arms of a bandit; [data/README.md](../data/README.md) has the steps.
    covertype: Covertype


class Config(Keys):
    #: Papers to run, by the name of their folder in config/papers.
    papers: Annotated[list[str], MinLen(1), Once]
    results: str  #: Folder of all generated files but the figures. Relative to the project.
    figures: str  #: Folder of figures, tables, claims and their records.
    caps: Caps  #: Caps on the papers' plans; null means no cap.
    changes: Changes  #: Changes to the papers' plans: more trials, longer or larger settings.
    #: Algorithms of your own: by the name that they have in runs and figures, a class in a file,
    #: path.py:Class, from the folder that Snakemake runs in.
    algorithm_files: dict[Name, ClassInFile]
    #: By paper: more settings, blocks of runs, and figures, in the form of its files.
    additions: dict[str, Additions]
    only: Only  #: Restrict the cells and their products; an empty list means all.
    #: Least number of trials, or turns, of the cells of a claim, by claim: the number that decides
    #: an open one (`optimist claims --open`).
    decide: dict[str, Trials]
    #: Which cells are played: with `ignore` every cell, with `use` only cells that the committed
    #: tables lack or have of other code.
    committed: Literal["ignore", "use"]
    #: Whether trials that exceed the resources of their job end with a status. Otherwise the
    #: scheduler ends the whole job.
    resource_limits: bool
    memory_factor: Factor  #: Factor on the memory that jobs ask a scheduler for.
    #: Factor on the time that jobs ask a scheduler for, and that resource_limits lets them use.
    time_factor: Factor
    timing: Timing  #: The timing lane.
    data: Data  #: How data sets are obtained.
    datasets: Datasets  #: How data sets are prepared.


class Number(Keys):
    claim: str  #: Id of the claim.
    check: str  #: Label of the check whose numbers the sentence has.
    reading: NotRequired[str]  #: Name of its reading, if several have that check.


class Said(Keys):
    claimed: str  #: The claims of the paper.
    found: str  #: The findings.
    paper: str  #: The paper with its authors and a link, for the README's table.
    #: The findings in a sentence, for the README; `{NAME[value]}`, and likewise `low`, `high` and
    #: `n`, come from `numbers`.
    headline: str
    says: str  #: The statement of the paper, for the README's table.
    measured: str  #: Our measurement next to it; with numbers as in `headline`.
    numbers: dict[str, Number]  #: Checks whose numbers these sentences have, by a name of your own.
    expects: dict[str, str]  #: Verdicts that the sentences rest on, by claim.


class Finding(Number):
    expects: str  #: The verdict that the sentence rests on.
    #: The sentence; `{value}`, `{low}`, `{high}` and `{n}` are filled in, `{value:.2g}` with two
    #: digits.
    text: str


class Findings(Keys):
    papers: dict[str, Said]  #: Claims and findings of each paper.
    findings: list[Finding]  #: Sentences that open the page.
