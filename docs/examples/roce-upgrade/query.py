# SPDX-License-Identifier: Apache-2.0
import sqlite3

points = sqlite3.connect("upgrades.sqlite").execute("""
    select in_network_oversubscription, in_network_nic_bandwidth, scheme, round(tokens_per_s / 1e6, 3)
    from all_points order by 3, 1 desc, 2""")
for oversubscription, nic, scheme, tokens in points:
    print(f"{scheme:14} {nic}, {oversubscription}:1  {tokens} million tokens/s")
