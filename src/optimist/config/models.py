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
    #: Minimum number of trials per cell in the regret lane; null keeps the papers' own numbers.
    trials: Trials | None
    #: Keys to merge over the matching settings, by paper and pattern. A pattern without [ is
    #: compared with names, so that it selects a setting with any options; a pattern with [ is
    #: compared with whole labels. * matches any text, ? a single character.
    settings: dict[str, dict[str, dict[str, Any]]]


class Additions(Keys, total=False):
    #: Settings by name, as in settings.yaml; the environment may be a class in a file.
    settings: dict[str, Any]
    runs: list[dict[str, Any]]  #: Blocks, as under runs in runs.yaml.
    figures: dict[str, Any]  #: Figures by name, as in figures.yaml.


class Only(Keys):
    settings: list[str]  #: Names of settings (with all options) or whole labels.
    algorithms: list[str]  #: Names of algorithms (with all options) or whole labels.
    #: Figures and tables as PAPER/NAME, and claims as PAPER/claims: only these are made, and only
    #: from the cells that they show.
    figures: list[str]


class Timing(Keys):
    #: Whether a race reserves more cores than the one that it uses, and a whole node on a cluster.
    #: Otherwise the measured times are meaningless.
    exclusive: bool
    #: Largest number of the machine's cores that a timing job reserves; it uses one. null means
    #: all.
    cores: Annotated[int, Ge(1), Le(100_000)] | None


class Data(Keys):
    #: `auto` downloads from UCI and falls back to the verified copy in data/mirror; `uci` and
    #: `mirror` use only that source.
    source: Literal["auto", "uci", "mirror"]
    timeout: Annotated[float, Gt(0), Le(86_400)]  #: Timeout of the download from UCI in seconds.


class Covertype(Keys):
    #: Number of K-means clusters, which become the arms.
    clusters: Annotated[int, Ge(1), Le(100_000)]
    seed: Seed  #: K-means seed. Seed 7 gives the extreme means that the paper reports.
    n_init: Annotated[int, Ge(1), Le(1000)]  #: K-means restarts.
    #: Seeds for which the extreme cluster means are reported.
    spread_seeds: Annotated[list[Seed], MinLen(1)]


class Datasets(Keys):
    #: Covertype as arms of a bandit; [data/README.md](../data/README.md) has the steps.
    covertype: Covertype


class Config(Keys):
    #: Papers to run, given by the names of their folders in config/papers.
    papers: Annotated[list[str], MinLen(1), Once]
    results: str  #: Folder for all generated files except figures, relative to the project.
    figures: str  #: Folder for figures, tables, claims and their records.
    caps: Caps  #: Caps on the papers' plans; null means no cap.
    changes: Changes  #: Changes to the papers' plans: more trials, longer or larger settings.
    #: Your own algorithms, by their names in runs and figures: each is a class in a file,
    #: path.py:Class, where the path is relative to the folder in which Snakemake runs.
    algorithm_files: dict[Name, ClassInFile]
    #: Further settings, blocks of runs and figures, by paper, in the form of the paper's files.
    additions: dict[str, Additions]
    only: Only  #: Restrictions on the cells and their products; an empty list means all.
    #: Minimum number of trials or turns for the cells of a claim, by claim; `optimist claims
    #: --open` shows the number that would decide an open claim.
    decide: dict[str, Trials]
    #: Which cells are played: every cell (`ignore`), or only cells that the committed tables lack
    #: or have from different code (`use`).
    committed: Literal["ignore", "use"]
    #: Whether trials that exceed the resources of their job end with a status. Otherwise the
    #: scheduler ends the whole job.
    resource_limits: bool
    memory_factor: Factor  #: Factor on the memory that jobs request.
    #: Factor on the time that jobs request, which is also their limit under resource_limits.
    time_factor: Factor
    timing: Timing  #: The timing lane.
    data: Data  #: How data sets are obtained.
    datasets: Datasets  #: How data sets are prepared.


class Number(Keys):
    claim: str  #: Id of the claim.
    check: str  #: Label of the check whose numbers the sentence quotes.
    reading: NotRequired[str]  #: Name of the reading, if several readings have that check.


class Said(Keys):
    claimed: str  #: The claims of the paper.
    found: str  #: The findings.
    paper: str  #: The paper with its authors and a link, for the README's table.
    #: The findings in one sentence, for the README; `{NAME[value]}`, and likewise `low`, `high` and
    #: `n`, are filled in from `numbers`.
    headline: str
    says: str  #: The statement of the paper, for the README's table.
    measured: str  #: Our measurement for this statement, with numbers as in `headline`.
    #: Checks whose numbers these sentences quote, each under a name of your choice.
    numbers: dict[str, Number]
    expects: dict[str, str]  #: Verdicts on which the sentences rest, by claim.


class Finding(Number):
    expects: str  #: The verdict on which the sentence rests.
    #: The sentence; `{value}`, `{low}`, `{high}` and `{n}` are filled in, `{value:.2g}` with two
    #: digits.
    text: str


class Findings(Keys):
    papers: dict[str, Said]  #: Claims and findings of each paper.
    findings: list[Finding]  #: Sentences at the top of the page.
