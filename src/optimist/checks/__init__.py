"""Promises of algorithms and environments, as functions that raise where one is broken.

``optimist check mine.py:Mine`` calls them for a class from anywhere, in another process
(`optimist.checks.command`). ``tests/contract`` runs them with pytest on every entry of the
registries. A test is a function of a case (`optimist.checks.cases`), which its argument names.
"""
