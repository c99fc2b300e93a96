"""A paper's claims: the measurements each one requires, and the verdict computed from them.

A reading is one way to understand a claim. The paper either states a reading or leaves several
open; our own readings are shown but not counted. A reading is divided into parts (by default one
per setting). Each part has checks, each of which compares a measured value with a bound. A reading
holds if all its checks hold. docs/verdicts.md explains how the words of a verdict follow from the
measured values.

`claim` holds claims as data, which `optimist.config.claims` reads from YAML (`models` describes its
keys), and `planned` compares them with the plan. `metrics` takes the measurements; `evidence` and
`inference` run the tests, with the help of `tails`; `first` and `gates` correct a check's p-values,
`measurement` combines them, and `results` stores them. `rule` and `guarantees` turn the p-values
into words, and `verdicts` joins these words. `vague` computes the bounds that would change a word,
and `next_look` the trials that would decide an open claim. `effects`, `table` and `pages` present
the verdicts.
"""
