# SPDX-License-Identifier: Apache-2.0
"""The rate of lines at which a scheme is as fast as the uncompressed one, by bisection of real steps."""
import math

import jobs
import rows
import scheme_rules

LOWEST, HIGHEST = 50e6, 10e9  # bits per second
CLOSE = 1.06  # between ends that are close enough


def measured(build, cell):
    """Rows of both ends: the highest rate at which the scheme gained, and the lowest at which it lost. Both
    are empty if it gained everywhere, or nowhere."""
    plain = scheme_rules.rules(build, cell.twin_scheme)

    def gains(rate):
        options = cell.options._replace(rate=round(rate))
        return step_s(build, options, cell.rules) < step_s(build, options, plain)

    low, high = LOWEST, HIGHEST
    if not gains(low) or gains(high):
        low = high = None
    while low and high / low > CLOSE:
        middle = math.sqrt(low * high)
        if gains(middle):
            low = middle
        else:
            high = middle
    for repetition, rate in (("low", low), ("high", high)):
        yield {"repetition": repetition, "break_even_bps": round(rate) if rate else ""}


def step_s(build, options, rules):
    return rows.of_slowest(jobs.run(build, jobs.job_of(options, rules)), "step_s")
