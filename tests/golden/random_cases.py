# SPDX-License-Identifier: Apache-2.0
"""Random configurations that a cluster or sites can run, the same ones each time."""

import concurrent.futures
import json
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

SEED = 18
SITES_SHARE = 0.2
FABRICS = ("rail_optimized", "fat_tree_2level", "fat_tree_3level")
OVERLAPS = ("none", "gradients", "weights", "tensor", "pipeline", "gradients,weights", "all")
PLACEMENTS = ("tp-dp-pp", "tp-pp-dp", "dp-tp-pp", "pp-tp-dp")


def rows(program: Path, section: str) -> dict[str, list[dict]]:
    listed = subprocess.run([program, "list", section, "--format", "json"], check=True,
                            capture_output=True, text=True).stdout
    return {key: part["rows"] for key, part in json.loads(listed).items()}


def sometimes(draw: random.Random, chance: float, *arguments: str) -> list[str]:
    return list(arguments) if draw.random() < chance else []


def model_of(draw: random.Random) -> list[str]:
    name = draw.choice(("gpt_125m", "gpt_1.3b", "llama_3_8b", "llama_2_7b"))
    return ["--model", name, "--set", f"model.layers={draw.choice((3, 4, 8, 8))}"]


def parallelism_of(draw: random.Random) -> list[str]:
    pp = draw.choice((1, 1, 1, 2, 4))
    return [
        "--tp", str(draw.choice((1, 1, 2, 4))), "--pp", str(pp),
        *sometimes(draw, 0.3 if pp > 1 else 0, "--virtual-stages", "2"),
        *sometimes(draw, 0.3, "--placement", draw.choice(PLACEMENTS)),
        *sometimes(draw, 0.5, "--accumulation", str(draw.choice((2, 4, 8)))),
        *sometimes(draw, 0.3, "--micro-batch", "2"),
        *sometimes(draw, 0.3, "--sequence-parallel", "on")]


def sharding_of(draw: random.Random, stage: str) -> list[str]:
    gathers_units = 1 if stage == "3" else 0
    return [
        "--zero", stage,
        *sometimes(draw, 0.3 * gathers_units, "--hybrid-shard", str(draw.choice((2, 4, 8)))),
        *sometimes(draw, 0.2 * gathers_units, "--reshard", "off"),
        *sometimes(draw, 0.2 * gathers_units, "--unit-layers", "2"),
        *sometimes(draw, 0.2 * gathers_units, "--prefetch", "2"),
        *sometimes(draw, 0.2 * gathers_units, "--backward-prefetch", "post")]


def memory_of(draw: random.Random) -> list[str]:
    return [
        *sometimes(draw, 0.3, "--recompute", draw.choice(("none", "full"))),
        *sometimes(draw, 0.2, "--optimizer", draw.choice(("adamw-foreach", "muon"))),
        *sometimes(draw, 0.4, "--gradient-precision", "bf16"),
        *sometimes(draw, 0.3, "--bucket-size", draw.choice(("25 MiB", "40 MiB", "1 GiB")))]


def fabric_of(draw: random.Random) -> list[str]:
    """Another fabric than the file's, or another bandwidth."""
    changes = []
    if draw.random() < 0.4:
        fabric = draw.choice(FABRICS)
        changes += [f"network.fabric={fabric}", "network.nodes_per_leaf=2",
                    f"network.oversubscription={draw.choice((1, 2, 3))}",
                    "network.switch_latency=300 ns"]
        if fabric == "fat_tree_3level":
            changes += ["network.leaves_per_pod=2", "network.pod_oversubscription=2"]
    if draw.random() < 0.5:
        changes.append(f"network.nic_bandwidth={draw.choice((10, 50, 200))} Gbps")
    return [word for change in changes for word in ("--set", change)]


def cluster_case(draw: random.Random, known: dict[str, list[dict]]) -> list[str]:
    scheme = draw.choice(known["schemes"])
    topology = draw.choice(known["topologies"])["name"]
    nodes = 1 if topology == "dgx_b200" else draw.choice((1, 2, 2, 3, 4, 5, 8))
    return [
        "run", "--topology", topology, "--nodes", str(nodes), "--scheme", scheme["name"],
        *sometimes(draw, 0.2, "--gpus-per-node", str(draw.choice((2, 4)))),
        *sometimes(draw, 0.6, "--overlap", draw.choice(OVERLAPS)),
        *sometimes(draw, 0.1, "--step-by-step"), *sometimes(draw, 0.1, "--each-kernel"),
        *sometimes(draw, 0.2, "--attention", "fused"), *sometimes(draw, 0.2, "--loss", "fused"),
        *sometimes(draw, 0.3, "--baseline", "twin"),
        *sharding_of(draw, draw.choice(scheme["zero"].split(","))),
        *model_of(draw), *parallelism_of(draw), *memory_of(draw), *fabric_of(draw)]


def sites_case(draw: random.Random, known: dict[str, list[dict]]) -> list[str]:
    return [
        "run", "--topology", draw.choice(known["sites"])["name"], "--scheme",
        draw.choice(known["schemes_between_sites"])["name"], *model_of(draw),
        *sometimes(draw, 0.6, "--set", f"scheme.inner_steps={draw.choice((1, 3, 20))}"),
        *sometimes(draw, 0.4, "--inner-scheme", draw.choice(("sharded", "sdp4bit", "tlq"))),
        *sometimes(draw, 0.4, "--tp", str(draw.choice((2, 4, 8)))),
        *sometimes(draw, 0.3, "--accumulation", str(draw.choice((2, 4)))),
        *sometimes(draw, 0.3, "--overlap", "all"), *sometimes(draw, 0.2, "--deadline", "30 s")]


def random_outputs(program: Path, wanted: int, output_of: Callable[[list[str]], dict]
                   ) -> list[tuple[list[str], dict]]:
    """Arguments with their outputs, until `wanted` of them ran. Those refused on the way stay."""
    draw = random.Random(SEED)
    known = {key: part for section in ("topologies", "sites", "schemes")
             for key, part in rows(program, section).items()}
    outputs: list[tuple[list[str], dict]] = []
    ran = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        while ran < wanted:
            drawn = [[*(sites_case if draw.random() < SITES_SHARE else cluster_case)(draw, known),
                      "--format", "json"] for _ in range(min(50, 2 * (wanted - ran)))]
            for arguments, output in zip(drawn, pool.map(output_of, drawn)):
                if ran < wanted:
                    outputs.append((arguments, output))
                    ran += output["exit"] == 0
    return outputs
