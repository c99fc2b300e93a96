"""Promises of algorithms and environments, as tests of pytest that anybody can run.

``optimist check mine.py:Mine`` runs them on a class from anywhere, each in another process
(`optimist.checks.command`), and ``tests/contract`` on every entry of the registries. A test is a
function of a case (`optimist.checks.cases`), which its argument names.
"""
