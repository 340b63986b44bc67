# SPDX-License-Identifier: Apache-2.0
"""Random files of sites, and the same with one figure of their lines better."""

import copy
import random

CLUSTERS = ("dgx_h100_x16", "dgx_a100_x16", "aws_p4d", "roce_a100_2to1", "dgx_superpod_b200")
GBPS = (0.5, 1, 5, 10, 40, 100, 400)
MS = (0, 1, 10, 30, 80)
LOSS = (0, 0, 1e-6, 1e-4)

# Tables of a file by name; of each, numbers with their unit, numbers, and words by key.
Tables = dict[str, dict[str, object]]


def random_sites(draw: random.Random) -> Tables:
    transport = draw.choice(("tcp", "rdma"))
    tables: Tables = {"wan": {"transport": transport, "sender": draw.choice(("site", "node", "gpu"))}}
    if transport == "tcp":
        tables["tcp"] = {"streams": draw.choice((1, 4, 16)), "window": (draw.choice((1, 6, 64)), "MiB"),
                         "segment": (1448, "B"), "congestion_control": draw.choice(("cubic", "reno", "bbr"))}
    else:
        tables["rdma"] = {"buffer": (4, "MiB"), "channels": draw.choice((2, 16))}
    cluster = draw.choice(CLUSTERS)
    for name in "abc"[:draw.randint(1, 3)]:
        gbps = draw.choice(GBPS)
        tables[f"sites.{name}"] = {
            "cluster": cluster if draw.random() < 0.7 else draw.choice(CLUSTERS),
            "count": draw.randint(1 if len(tables) > 2 else 2, 3), "nodes": draw.choice((1, 2, 4)),
            "uplink": (gbps, "Gbps"), "downlink": (gbps * draw.choice((1, 1, 2)), "Gbps"),
            "egress": (0, "USD/GB")}
    tables["backbone"] = {"latency": (draw.choice(MS), "ms"), "loss": draw.choice(LOSS)}
    if draw.random() < 0.3:
        tables["backbone"]["bandwidth"] = (draw.choice(GBPS), "Gbps")
    if "sites.b" in tables and draw.random() < 0.4:
        tables["links.ab"] = {"between": ["a", "b"], "bandwidth": (draw.choice(GBPS), "Gbps"),
                              "latency": (draw.choice(MS), "ms"), "loss": draw.choice(LOSS)}
    return tables


def text_of(value: object) -> str:
    if isinstance(value, tuple):
        return f'"{value[0]:g} {value[1]}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(text_of, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"


def file_of(tables: Tables) -> str:
    lines = ['summary = "drawn"']
    for name, keys in tables.items():
        lines += [f"[{name}]", *(f"{key} = {text_of(value)}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"


def better_sites(draw: random.Random, tables: Tables) -> tuple[str, Tables]:
    """What is better, by a factor of two to four, and the tables with it."""
    table = draw.choice([name for name in tables if name.startswith(("sites", "links", "backbone"))])
    keys = [key for key, value in tables[table].items()
            if key in ("uplink", "downlink", "bandwidth") or key in ("latency", "loss") and value not in (0, (0, "ms"))]
    key = draw.choice(keys) if keys else None
    if key is None:
        return better_sites(draw, tables)
    factor = draw.choice((2, 4))
    changed = copy.deepcopy(tables)
    value = changed[table][key]
    if key in ("latency", "loss"):
        factor = 1 / factor
    changed[table][key] = (value[0] * factor, value[1]) if isinstance(value, tuple) else value * factor
    return f"{table}.{key} x {factor:g}", changed
