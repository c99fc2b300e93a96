"""Promises of algorithms and environments, as tests of pytest that anybody can run.

``optimist check mine.py:Mine`` runs them on a class from anywhere, each in another process, and
``tests/contract`` on every entry of the registries. A test is a function of a case
(`optimist.contracts.cases`), which its argument names; it raises
`optimist.contracts.base.BrokenError` with the observation and the rule for it.
"""
