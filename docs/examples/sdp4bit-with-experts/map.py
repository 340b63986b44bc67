# SPDX-License-Identifier: Apache-2.0
"""Tables of the sweep's store: each scheme's speed-up over its uncompressed twin, and the fastest scheme."""
import sqlite3

FABRICS = {("dgx_h100_x16", "400 Gbps"): "400 Gb/s", ("dgx_h100_x16", "100 Gbps"): "100 Gb/s",
           ("gb200_nvl72", "400 Gbps"): "rack"}
SCHEMES = ["sdp4bit", "zeropp", "loco", "qsdp", "fp8_gather"]
DEGREES = [1, 2, 4, 8, 16, 32, 64]
MARKS = {"win": "+", "loss": "-"}

rows = sqlite3.connect("experts.sqlite").execute(
    "select in_topology, in_network_nic_bandwidth, in_scheme, in_ep, speedup, verdict, tokens_per_s "
    "from all_points where state = 'done'")
points = {(FABRICS[row[:2]], row[2], int(row[3])): row[4:] for row in rows}

print(f"{'ep':20}" + "".join(f"{ep:>8}" for ep in DEGREES))
for fabric in FABRICS.values():
    for scheme in SCHEMES:
        cells = [points.get((fabric, scheme, ep)) for ep in DEGREES]
        texts = [f"{cell[0]:7.2f}{MARKS.get(cell[1], ' ')}" if cell else "      . " for cell in cells]
        print(f"{fabric:9}{scheme:11}{''.join(texts)}".rstrip())
print()
for fabric in FABRICS.values():
    for ep in DEGREES:
        speeds = {scheme: point[2] for (where, scheme, degree), point in points.items()
                  if (where, degree) == (fabric, ep)}
        best = max(speeds, key=speeds.get)
        plain = f"{speeds['sharded']:9.0f}" if "sharded" in speeds else "        ."
        print(f"{fabric:9}ep {ep:<4}sharded{plain}   fastest{speeds[best]:9.0f}  {best}")
