#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the runs of traces/published/training.csv with Calculon, as far as it can express them.

calculon.py --calculon CHECKOUT > calculon_training.csv

CHECKOUT is a clone of github.com/calculon-ai/calculon, which imports psutil (Debian: python3-psutil).
Its files for A100 and H100 systems and their efficiencies are used as they are, except that a GPU's
memory has no limit: times do not depend on it, and Calculon counts the memory of unfused attention.
A set-up that has several translations gets the one whose mean error is the smallest: recomputation as
the flags have it, not as fused attention does; a100_80g, not a100_80e; rings to overlap tensor
parallelism, not pipelines; multi-query, not multi-head attention for grouped heads.

Columns: id, predicted (tokens per second and GPU), instead (what stands for parts of the set-up that
Calculon lacks). Runs that it cannot express are counted on stderr by reason.
"""
import argparse
import json
import tempfile
from pathlib import Path

from training_rows import Row, commit_of, flags_of, layout_of, model_of, print_predictions, run_python

SYSTEMS = {  # Calculon's file for a cluster: same GPU, eight in an NVLink domain, a NIC each, same rate
    "dgx_superpod_a100": "a100_80g", "dgx_h100_x128": "h100_80g_nvl8", "dgx_h100_x16": "h100_80g_nvl8"}
GPUS_PER_NODE = 8
NVLINK, NICS = 0, 1  # indices of a system's networks
RECOMPUTE = {"none": "none", "selective": "attn_only", "full": "full"}
UNMODELLED = 1 / 8  # greatest share of the FLOPs that the output layer, which Calculon lacks, may take


def application(model: dict) -> dict:
    """SwiGLU has three matrices; two that are half again as wide have as many FLOPs and bytes."""
    gated = model["feed_forward_kind"] == "swiglu"
    return {"hidden": model["hidden"], "feedforward": model["feed_forward"] * (3 if gated else 2) // 2,
            "seq_size": model["sequence"], "attn_heads": model["heads"], "attn_size": model["head_width"],
            "num_blocks": model["layers"]}


def execution(row: Row, model: dict) -> dict:
    """The set-up, written as Calculon's authors write Megatron's in their validation."""
    flags, layout, gpus = flags_of(row), layout_of(row), int(row["gpus"])
    tp, dp = layout["tp"], layout["dp"]
    overlap = flags.get("--overlap", "none").split(",")  # Megatron's default; others have the flag
    split = tp > 1 and flags.get("--sequence-parallel") == "on"
    recompute = RECOMPUTE[flags["--recompute"]]
    between = NVLINK if gpus <= GPUS_PER_NODE else NICS
    return {
        "num_procs": gpus, "tensor_par": tp, "pipeline_par": layout["pp"], "data_par": dp,
        "tensor_par_net": NVLINK, "pipeline_par_net": between, "data_par_net": between,
        "batch_size": layout["batch"], "microbatch_size": layout["micro_batch"], "datatype": "float16",
        "fused_activation": False,
        "attention_type": "multihead" if model["kv_heads"] == model["heads"] else "multiquery",
        "activation_recompute": recompute, "pipeline_interleaving": int(flags.get("--virtual-stages", 1)),
        "optimizer_sharding": dp > 1 and flags["--zero"] == "1",
        "tensor_par_comm_type": "rs_ag" if split else "ar",
        "tensor_par_overlap": "ring" if tp > 1 and {"all", "tensor"} & set(overlap) else "none",
        "seq_par_ag_redo": split and recompute != "full",
        "data_par_overlap": dp > 1 and bool({"all", "gradients"} & set(overlap)),
        "weight_offload": False, "activations_offload": False, "optimizer_offload": False, "training": True}


def output_share(model: dict) -> float:
    """The output layer's share of a token's multiplications."""
    heads, width = model["heads"], model["heads"] * model["head_width"]
    matrices = 3 if model["feed_forward_kind"] == "swiglu" else 2
    layer = model["hidden"] * (2 * width * (1 + model["kv_heads"] / heads) + matrices * model["feed_forward"])
    attention = 2 * model["sequence"] * width  # two products, masked pairs counted, as Calculon does
    output = model["hidden"] * model["vocabulary"]
    return output / (output + model["layers"] * (layer + attention))


def why_not(row: Row) -> str | None:
    """Why Calculon cannot express the run, if so."""
    if flags_of(row)["--zero"] not in ("0", "1"):
        return "gradients or weights are sharded"
    if row["topology"] not in SYSTEMS:
        return "no system file of Calculon's describes the cluster"
    if row["precision"] != "bf16":
        return f"{row['precision']} products"
    if output_share(model_of(row)) > UNMODELLED:
        return "the output layer takes more than an eighth of the FLOPs"
    return None


def instead(row: Row) -> str:
    model = model_of(row)
    parts = [(row["attention"] != "unfused", "unfused attention"),
             (model["kv_heads"] != model["heads"], "multi-query for grouped heads"),
             (model["feed_forward_kind"] == "swiglu", "GELU for SwiGLU"),
             (not model["dropout"], "with dropout")]
    return "; ".join(text for lacks, text in parts if lacks)


def tokens_per_s_per_gpu(row: Row, checkout: Path) -> float:
    model = model_of(row)
    system = json.loads((checkout / "systems" / f"{SYSTEMS[row['topology']]}.json").read_text(encoding="utf-8"))
    system["mem1"]["GiB"] = 1e9
    inputs = {"application": application(model), "execution": execution(row, model), "system": system}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, values in inputs.items():
            (folder / f"{part}.json").write_text(json.dumps(values), encoding="utf-8")
        paths = [folder / f"{part}.json" for part in (*inputs, "stats")]
        run_python(checkout, checkout / "bin" / "calculon", "llm", *paths)
        return json.loads(paths[-1].read_text(encoding="utf-8"))["sample_rate"] * model["sequence"] / int(row["gpus"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calculon", type=Path, required=True, metavar="CHECKOUT")
    checkout = parser.parse_args().calculon.resolve()
    print_predictions(
        f"""Tokens per second and GPU of runs of training.csv as Calculon (github.com/calculon-ai/calculon
@{commit_of(checkout)}) predicts them, with its own system files. `instead` names what stands for parts of a
set-up that it lacks; besides, it has no embedding, output layer or loss. Made by calculon.py, which
says how set-ups are translated: after the measured values had been seen, in Calculon's favour.""",
        why_not, lambda row: tokens_per_s_per_gpu(row, checkout), instead)


if __name__ == "__main__":
    main()
