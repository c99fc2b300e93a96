"""Measurement of a check: its value, with p-values that are corrected for doubling and gated."""

import math
from dataclasses import replace

from optimist.claims.cells import Missing
from optimist.claims.claim import Check, Claim, Gate, Reading
from optimist.claims.evidence import for_typical_trial
from optimist.claims.first import UNITS
from optimist.claims.gates import Gates, counted
from optimist.claims.results import Result


def measure(
    claim: Claim,
    reading: Reading,
    check: Check,
    gates: Gates,
    *,
    is_typical: bool = False,
    gate: Gate | None = None,
) -> Result:
    """Return a check's measured value with its p-values, or the reason why it is missing.

    If ``is_typical``, ratios of means become ratios in the typical trial, from 10 trials on. A
    ``gate`` that is given is not computed.
    """
    # Values without sampling error are not tested, so no minimum number of units applies.
    row = None if check.metric.is_exact else gates.first.get((claim.id, check.label))
    if row is not None and is_typical:
        row = replace(row, n0=UNITS[row.unit])
    evidence, lack = None, ""
    cells, k = counted(gates.groups, row, check.cells)
    cells.check_rounds(check.settings, check.algorithms, check.rounds)
    try:
        evidence = check.metric(cells, **check.arguments)
        if cells.studied and row is not None:
            cells, k = counted(gates.groups, row, (), cells.studied)
            evidence = check.metric(cells, **check.arguments)
    except Missing as missing:
        evidence, lack = None, f"no {missing}"
    if evidence is not None and check.relation is not None and claim.kind != "empirical":
        lack = f"no value of {check.label}" if math.isnan(evidence.value) else ""
    few = f"fewer than {row.n0} {row.unit}" if row and k < 0 and evidence is not None else ""
    remark = "; ".join(filter(None, [lack, *dict.fromkeys(cells.notes), few]))
    if evidence is not None and is_typical:
        evidence = for_typical_trial(evidence)
    rounds = min(cells.rounds, default=None)
    controls = tuple(measure(claim, reading, control, gates) for control in check.controls)
    result = Result(check, reading, evidence, rounds, remark, row, k, cells.spare, controls)
    if lack or check.relation is None:
        return replace(result, outcome="missing" if lack else "reported")
    if claim.kind == "empirical" and gate is None:
        gate = gates.of(claim.id, check, is_typical=is_typical)
    return result.remarked(gate.remark if gate else "", gate=gate).compared()
