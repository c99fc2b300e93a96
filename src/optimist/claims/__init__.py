"""Claims of a paper: the measurements that each requires, and a computed verdict on it.

A claim has readings: either the paper states one, or it leaves several open. Our own readings are
shown but not counted. A reading has parts (by default one per setting), and a part has checks, each
of which compares a measured value with a bound. A reading holds if all its checks hold.
docs/verdicts.md explains how numbers determine the words.

`checks` holds claims as data; `metrics` takes the measurements; `evidence` and `inference` run the
tests, with `tails` and `units`; `first` and `gates` correct the p-values of a check (`results`);
`rule` and `guarantees` turn them into words; `verdicts` combines these modules; `vague` and
`sample_size` compute the bounds and the numbers of trials that would change a word; `table` and
`pages` present the verdicts.
"""
