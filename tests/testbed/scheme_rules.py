# SPDX-License-Identifier: Apache-2.0
"""What a scheme's file says that the processes exchange."""
import tomllib
from pathlib import Path

import simulated

SUMS = ("ring", "all_to_all", "all_gather")  # of exchange.COLLECTIVES
REDUCTIONS = ("ring", "all_to_all")
BETWEEN_SITES = {"ring": "ring", "quantized_ring": "coded_ring", "all_to_all": "all_to_all",
                 "all_gather": "all_gather"}


def rules(build, scheme):
    """Of a job: its kind, and what it exchanges."""
    described = tomllib.loads(_file(build, scheme))
    if "between_sites" in described:
        return _round(scheme, described["between_sites"])
    stage = min(described["zero"])
    rule = _gradients(scheme, described, SUMS if stage == 0 else REDUCTIONS)
    if stage == 0:
        return {"kind": "step", "rule": rule}
    if stage == 3:
        raise simulated.InputError(f"--schemes: {scheme}: the testbed knows ZeRO stages 0 to 2; choose "
                                   "another scheme")
    return {"kind": "sharded_step", "stage": stage, "rule": rule,
            "weights": _weights(scheme, described.get("weights", {}))}


def _gradients(scheme, described, collectives):
    gradients = described.get("gradients", {})
    _refuse_others(scheme, described, ("summary", "source", "twin", "zero", "weights", "gradients"))
    _refuse_others(scheme, gradients, ("collective", "codec", "residual"))
    collective = gradients.get("collective", "ring")
    if collective not in collectives:
        raise simulated.InputError(f"--schemes: {scheme}: at its stage, the testbed exchanges gradients by "
                                   f"{' or '.join(collectives)}, not by {collective}; choose such a scheme")
    return {"collective": collective, "codec": gradients.get("codec", "fp32"),
            "feedback": gradients.get("residual", "none") != "none"}


def _weights(scheme, weights):
    _refuse_others(scheme, weights, ("codec", "difference"))
    return {"codec": weights.get("codec", "bf16"), "difference": weights.get("difference", False)}


def _round(scheme, between):
    _refuse_others(scheme, between, ("exchange", "codec", "feedback", "inner_steps", "ring_order",
                                     "fragments", "overlap_steps", "optimizer", "state_bytes",
                                     "update_bytes"))
    if between["exchange"] not in BETWEEN_SITES:
        raise simulated.InputError(f"--schemes: {scheme}: between sites, the testbed exchanges by "
                                   f"{', '.join(BETWEEN_SITES)}; choose such a scheme")
    codec, feedback = between.get("codec", "fp32"), between.get("feedback", False)
    collective = BETWEEN_SITES[between["exchange"]]
    if collective == "ring" and codec != "fp32":
        collective = "coded_ring"
    # Of an FP32 value each, the outer weights and the residual; what is left is the momentum.
    momentum = between.get("state_bytes", 0) - (8 if feedback else 4) >= 4
    return {"kind": "round", "momentum": momentum, "fragments": between.get("fragments", 1),
            "overlap_steps": between.get("overlap_steps", 0),
            "rule": {"collective": collective, "codec": codec, "feedback": feedback}}


def _refuse_others(scheme, table, known):
    if others := [key for key in table if key not in known]:
        raise simulated.InputError(f"--schemes: {scheme}: the testbed does not have its {others[0]}; "
                                   "choose another scheme")


def _file(build, scheme):
    if not scheme.endswith(".toml"):
        return simulated.gardenhose(build, "list", "scheme", scheme)
    try:
        return (simulated.INPUTS / scheme).read_text()
    except OSError as error:
        raise simulated.InputError(f"--schemes: {scheme}: {error.strerror}") from None
