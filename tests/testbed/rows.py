# SPDX-License-Identifier: Apache-2.0
"""What was measured beside what the simulator says. Bytes are those that a rank sends in a step or a round, in
the mean over the ranks; times are medians over the steps of the slowest rank."""
import csv
import math
import statistics
import sys

import lines


def compared(options, kind, charged, ranks):
    """A row of processes of this machine, whose lines the kernel counts."""
    sent, packets, again = (_per_step(options, counts) for counts in (
        [rank["sent"]["bytes"] for rank in ranks], [rank["sent"]["packets"] for rank in ranks],
        [rank["retransmitted"] for rank in ranks]))
    headers = packets * lines.HEADERS
    charged_bytes = _charged_bytes(kind, charged)
    return {**_job(options, kind, charged), "charged_bytes": round(charged_bytes), "sent_bytes": round(sent),
            "header_bytes": round(headers), "retransmitted_bytes": round(again),
            "ratio": round((sent - again) / (charged_bytes + headers), 5),
            "packets": round(packets), "least_packets": math.ceil(charged_bytes / lines.SEGMENT),
            **_errors_and_times(kind, charged, ranks)}


def of_machines(options, kind, charged, ranks):
    """The same of machines, where TCP counts its payload."""
    payload = _per_step(options, [rank["payload"] - rank["retransmitted"] for rank in ranks])
    charged_bytes = _charged_bytes(kind, charged)
    return {**_job(options, kind, charged), "charged_bytes": round(charged_bytes), "sent_bytes": round(payload),
            "ratio": round(payload / charged_bytes, 5), **_errors_and_times(kind, charged, ranks)}


def _job(options, kind, charged):
    return {"kind": kind, "scheme": charged["scheme"], "ranks": options.ranks, "rate_bps": options.rate,
            "delay_ms": options.delay_ms, "bucket_mib": None if kind == "round" else options.bucket_mib,
            "inner_steps": options.inner_steps if kind == "round" else None}


def _per_step(options, counts):
    return sum(counts) / (options.steps * options.ranks)


def _charged_bytes(kind, charged):
    return charged["wire_bytes_wan" if kind == "round" else "wire_bytes_inter_node"]


def _errors_and_times(kind, charged, ranks):
    if len({rank["weights"] for rank in ranks}) != 1:
        sys.exit("testbed: the weights of the ranks differ")

    def seconds(of):
        return round(of_slowest(ranks, of), 4)

    return {"error": _relative_error(rank["error"] for rank in ranks),
            "charged_error": (charged["codec_error"] or {}).get("normal"),
            "round_trip_s": min(rank["round_trip_s"] for rank in ranks),
            "simulated_step_s": round(charged["round_time_s" if kind == "round" else "step_time_s"], 4),
            "step_s": seconds("step_s"),
            "simulated_exposed_comm_s": round(charged["exposed_comm_s"], 4),
            "simulated_codec_s": round(charged["codec_s"], 4),
            "exposed_s": seconds("exposed_s"), "codec_s": seconds("codec_s")}


def of_slowest(ranks, of):
    """Median over the steps of what the slowest rank took."""
    return statistics.median(max(one[of] for one in step) for step in zip(*(rank["steps"] for rank in ranks)))


def print_each(all_rows):
    """As they come, below a heading."""
    table = None
    for row in all_rows:
        if table is None:
            table = csv.DictWriter(sys.stdout, row, lineterminator="\n")
            table.writeheader()
        table.writerow(row)
        sys.stdout.flush()


def _relative_error(errors):
    """L2, from the squared error of each rank and what it is relative to."""
    squared, of = (sum(one) for one in zip(*errors))
    return float(f"{math.sqrt(squared / of):.4g}")
