#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README's table: for each operation our rate, the best peer's, and times faster.

    tests/peers/report.py traces/peers/nvidia_h100_80gb_hbm3.json
"""

import json
import math
import sys


def best_rows(result):
    """Of each operation and size the fastest peer's row, in the order of the file."""
    best = {}
    for row in result["rows"]:
        key = tuple(row[name] for name in ("codec", "to", "operation", "variant", "inputs",
                                           "elements"))
        if key not in best or row["bandwidth_Bps"] > best[key]["bandwidth_Bps"]:
            best[key] = row
    return list(best.values())


def name_of(row):
    name = row["operation"] + (f" ({row['variant']})" if row["variant"] else "")
    if row["inputs"] > 1:
        name += f" of {row['inputs']}"
    return row["codec"] + (f" -> {row['to']}" if row["to"] else ""), name


def summary(rows):
    """(least, geometric mean) of times faster."""
    ratios = [row["times_faster"] for row in rows]
    return min(ratios), math.exp(sum(map(math.log, ratios)) / len(ratios))


def skipped_text(result):
    lines = ["", "Not compared:", ""]
    for entry in result["skipped"]:
        rows = entry["rows"]
        shown = ", ".join(rows[:3]) + (f" and {len(rows) - 3} more" if len(rows) > 3 else "")
        lines.append(f"- {entry['peer']}: {entry['why']} ({shown})")
    return lines if result["skipped"] else []


def markdown(result):
    lines = [f"**{result['kind']}**", ""] if "kind" in result else []
    rows = best_rows(result)
    if not rows:
        return "\n".join([*lines, "No peer ran.", *skipped_text(result)]) + "\n"
    copy = result["copy_bandwidth_Bps"]
    lines += [f"{result['gpu']}, a copy moves {copy / 1e9:.0f} GB/s.", "",
              "| codec | operation | input | GB/s | of a copy | best peer | its GB/s"
              " | times faster |", "|---|---|--:|--:|--:|---|--:|--:|"]
    for row in rows:
        ours = row["times_faster"] * row["bandwidth_Bps"]
        codec, operation = name_of(row)
        size = 4 * row["elements"] * row["inputs"] / 2**20
        lines.append(f"| {codec} | {operation} | {size:.0f} MiB | {ours / 1e9:.0f}"
                     f" | {ours / copy:.0%} | {row['peer']} | {row['bandwidth_Bps'] / 1e9:.0f}"
                     f" | {row['times_faster']:.2f} |")
    least, mean = summary(rows)
    lines += ["", f"Against the best peer of each row: {least:.2f} times as fast at the least,"
              f" {mean:.2f} on average (geometric mean of {len(rows)} rows)."]
    if "published" in result:
        last = result["published"]["rows"][-1]
        lines += ["", f"Published, on another GPU ({result['published']['gpu']},"
                  f" {result['published']['source']}): SDP4Bit quantises {last['quantize']} GB/s"
                  f" and dequantises {last['dequantize']} GB/s."]
    return "\n".join(lines + skipped_text(result)) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as stream:
        sys.stdout.write(markdown(json.load(stream)))
