"""The keys of config.yaml and of findings.yaml."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

from annotated_types import Ge, Gt, Le, MinLen

from optimist.config.documents import Document, Source
from optimist.core.keys import Keys, Name, Once, matching

Cap = Annotated[int, Ge(1), Le(1_000_000_000)]
Trials = Annotated[int, Ge(1), Le(1_000_000)]
Factor = Annotated[float, Gt(0), Le(1000)]
Seed = Annotated[int, Ge(0), Le(4_294_967_295)]
ClassInFile = Annotated[str, matching("^[^:]+[.]py:[A-Za-z_][A-Za-z0-9_]*$")]


class Caps(Keys):
    #: Maximum number of rounds per trial. Algorithms still receive the full horizon, so a truncated
    #: trial is identical to the start of the full trial.
    rounds: Cap | None
    trials: Cap | None  #: Maximum number of trials per cell in the regret lane.
    #: Maximum number of trials per cell in the timing lane.
    timing_trials: Cap | None


class Changes(Keys):
    #: Minimum number of trials per cell in the regret lane; null keeps the papers' own numbers.
    trials: Trials | None
    #: Keys to merge over the matching settings, by paper and then by pattern. A pattern without [
    #: is compared with names and selects a setting with any options. A pattern with [ is compared
    #: with whole labels. * matches any text, and ? matches a single character.
    settings: dict[str, dict[str, dict[str, Any]]]


class Additions(Keys, total=False):
    #: Settings by name, written as in settings.yaml; the environment may also be a class in a file.
    settings: dict[str, Any]
    runs: list[dict[str, Any]]  #: Blocks, written as under runs in runs.yaml.
    figures: dict[str, Any]  #: Figures by name, written as in figures.yaml.


class PaperChanges(NamedTuple):
    """The parts of a configuration that change papers; `Config` describes them."""

    trials: int = 0
    settings: Mapping[str, Mapping[str, Document]] = MappingProxyType({})
    algorithm_files: Mapping[str, str] = MappingProxyType({})
    additions: Mapping[str, Additions] = MappingProxyType({})


class Sources(NamedTuple):
    """The files of a paper's documents."""

    settings: Source
    runs: Source
    figures: Source


class Only(Keys):
    #: Labels of settings; a name without options selects all its variants.
    settings: list[str]
    #: Labels of algorithms; a name without options selects all its variants.
    algorithms: list[str]
    #: Figures and tables as PAPER/NAME, and claims as PAPER/claims. Only these products are made,
    #: and only from the cells that they show.
    figures: list[str]


class Timing(Keys):
    #: Whether a race reserves more cores than the one it uses and, on a cluster, a whole node.
    #: Otherwise, other jobs disturb the race and make its times meaningless.
    exclusive: bool
    #: Maximum number of cores that a timing job reserves, although it uses only one; null means all
    #: cores of the machine.
    cores: Annotated[int, Ge(1), Le(100_000)] | None


class Data(Keys):
    #: `auto` downloads from UCI and falls back to the verified copy in data/mirror; `uci` and
    #: `mirror` use only that source.
    source: Literal["auto", "uci", "mirror"]
    timeout: Annotated[float, Gt(0), Le(86_400)]  #: Timeout in seconds for downloads from UCI.


class Covertype(Keys):
    #: Number of K-means clusters, which become the arms.
    clusters: Annotated[int, Ge(1), Le(100_000)]
    seed: Seed  #: Seed of K-means; 7 gives the extreme means reported in the paper.
    n_init: Annotated[int, Ge(1), Le(1000)]  #: Number of K-means restarts.
    #: Seeds for which the extreme cluster means are reported.
    spread_seeds: Annotated[list[Seed], MinLen(1)]


class Datasets(Keys):
    #: Covertype, made into the arms of a bandit; [data/README.md](../data/README.md) describes the
    #: steps.
    covertype: Covertype


class Config(Keys):
    #: Papers to run, given as the names of folders in config/papers.
    papers: Annotated[list[str], MinLen(1), Once]
    results: str  #: Folder for all generated files except figures, relative to the project.
    figures: str  #: Folder for figures, tables, claims and their records.
    caps: Caps  #: Caps on the papers' plans; null means no cap.
    changes: Changes  #: Changes to the papers' plans, such as more trials or longer horizons.
    #: Your own algorithms, by the names used in runs and figures. Each is a class in a
    #: file, given as path.py:Class. The path is relative to the folder in which Snakemake runs.
    algorithm_files: dict[Name, ClassInFile]
    #: Additional settings, blocks of runs, and figures, by paper, written as in the paper's files.
    additions: dict[str, Additions]
    only: Only  #: Selection of cells and products; an empty list selects all.
    #: Minimum number of trials or turns for the cells of a claim, by claim id. `optimist claims
    #: --open` prints the number of an open claim's next look.
    decide: dict[str, Trials]
    #: Which trials are played. `ignore` plays all of them; `use` plays only trials that the
    #: committed tables lack or that different code produced.
    committed: Literal["ignore", "use"]
    #: Whether a trial that exceeds its job's resources ends with a status. If false, the
    #: scheduler ends the whole job.
    resource_limits: bool
    memory_factor: Factor  #: Factor by which to multiply the memory that jobs request.
    #: Factor by which to multiply the time that jobs request. If resource_limits is true, the
    #: product is also the time limit of the jobs.
    time_factor: Factor
    timing: Timing  #: The timing lane.
    data: Data  #: How data sets are obtained.
    datasets: Datasets  #: How data sets are prepared.


class Number(Keys):
    claim: str  #: Id of the claim.
    #: Label of the check whose numbers the sentence quotes, or a list of labels, whose range it
    #: quotes.
    check: str | list[str]
    reading: NotRequired[str]  #: Name of the reading; required if several readings have the check.


class Said(Keys):
    claimed: str  #: The paper's claim.
    found: str  #: Our finding, with numbers written as in `headline`.
    paper: str  #: The paper with its authors and a link, for the README's table.
    #: The findings in one sentence, for the README. Numbers are written as `{NAME[value]}`,
    #: `{NAME[low]}`, `{NAME[high]}` or `{NAME[n]}`, where NAME is a key of `numbers`; over several
    #: checks as `{NAME[range]}`, or `{NAME[inverse]}` for the range of 1 / value.
    headline: str
    says: str  #: The paper's statement, for the README's table.
    measured: str  #: Our measurements, with numbers written as in `headline`.
    #: Checks whose numbers these sentences quote, each under a name of your choice.
    numbers: dict[str, Number]
    expects: dict[str, str]  #: Verdicts that the sentences assume, by claim.


class Finding(Number):
    expects: str  #: The verdict that the sentence assumes.
    #: The sentence, in which `{value}`, `{low}`, `{high}` and `{n}` are replaced by numbers.
    #: `{value:.2g}` gives two significant digits.
    text: str


class Findings(Keys):
    papers: dict[str, Said]  #: Claims and findings of each paper.
    findings: list[Finding]  #: Sentences at the top of the page.
