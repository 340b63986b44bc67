# SPDX-License-Identifier: Apache-2.0
"""What a scheme's file says that the processes exchange."""
import tomllib
from pathlib import Path

import simulated

SUMS = ("ring", "all_to_all", "all_gather")  # of exchange.COLLECTIVES


def rules(build, scheme):
    """Of a job: its kind, and what it exchanges."""
    described = tomllib.loads(_file(build, scheme))
    if "between_sites" in described:
        raise simulated.InputError(f"--schemes: {scheme}: the testbed is one cluster; choose a scheme within it")
    if min(described["zero"]) > 0:
        raise simulated.InputError(f"--schemes: {scheme}: the testbed knows ZeRO stage 0; choose another scheme")
    return {"kind": "step", "rule": _gradients(scheme, described)}


def _gradients(scheme, described):
    gradients = described.get("gradients", {})
    _refuse_others(scheme, described, ("summary", "source", "twin", "zero", "gradients"))
    _refuse_others(scheme, gradients, ("collective", "codec", "residual"))
    collective = gradients.get("collective", "ring")
    if collective not in SUMS:
        raise simulated.InputError(f"--schemes: {scheme}: the testbed exchanges gradients by "
                                   f"{' or '.join(SUMS)}, not by {collective}; choose such a scheme")
    return {"collective": collective, "codec": gradients.get("codec", "fp32"),
            "feedback": gradients.get("residual", "none") != "none"}


def _refuse_others(scheme, table, known):
    if others := [key for key in table if key not in known]:
        raise simulated.InputError(f"--schemes: {scheme}: the testbed does not have its {others[0]}; "
                                   "choose another scheme")


def _file(build, scheme):
    if not scheme.endswith(".toml"):
        return simulated.gardenhose(build, "list", "scheme", scheme)
    try:
        return Path(scheme).read_text()
    except OSError as error:
        raise simulated.InputError(f"--schemes: {scheme}: {error.strerror}") from None
