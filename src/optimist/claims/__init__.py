"""Claims of a paper: the measurements that each claim requires, and a computed verdict on it.

A reading is one way to understand a claim. The paper either states a reading or leaves several
open; our own readings are shown but not counted. A reading is divided into parts (by default one
per setting). Each part has checks, each of which compares a measured value with a bound. A reading
holds if all its checks hold. docs/verdicts.md explains how the measured values lead to the words of
a verdict.

`checks` holds claims as data; `metrics` takes the measurements; `evidence` and `inference` run the
tests, with the help of `tails` and `units`; `first` and `gates` correct the p-values of a check,
which `results` stores; `rule` and `guarantees` turn the p-values into words; `verdicts` combines
these modules. `vague` computes the bounds, and `sample_size` the numbers of trials, that would
change a word. `table` and `pages` present the verdicts.
"""
