#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the runs of traces/published/training.csv with llm-analysis, as far as it can express them.

llm_analysis.py --llm-analysis CHECKOUT > llm_analysis_training.csv

CHECKOUT is a clone of github.com/cli99/llm-analysis, which imports fire (PyPI). Its files for A100 and
H100 are used as they are. Kernels run at an efficiency that its user has to say: here those that its
README gives for want of measurements, half of the peak FLOPs and 0.9 of the memory's bandwidth.
Data-parallel ranks that keep all weights count as replicas: otherwise it would charge the exchange of
weights that only ZeRO-3 has.

Columns: id, predicted (tokens per second and GPU), instead (what stands for parts of the set-up that
llm-analysis lacks). Runs that it cannot express are counted on stderr by reason.
"""
import argparse
import json
import tempfile
from pathlib import Path

from training_rows import Row, commit_of, flags_of, layout_of, model_of, print_predictions, run_python

GPUS = {  # llm-analysis' file for a cluster: same GPU, NVLink, and network of a node
    "mosaicml_a100": "a100-sxm-40gb", "mosaicml_a100_80gb": "a100-sxm-80gb", "dgx_superpod_a100": "a100-sxm-80gb",
    "dgx_h100_x128": "h100-sxm-80gb", "dgx_h100_x16": "h100-sxm-80gb"}
RECOMPUTE = {"none": 0, "selective": 1, "full": 4}
FLOPS_EFFICIENCY, MEMORY_EFFICIENCY = 0.5, 0.9


def model_file(model: dict) -> dict:
    return {"name": "model", "num_layers": model["layers"], "n_head": model["heads"], "hidden_dim": model["hidden"],
            "vocab_size": model["vocabulary"], "max_seq_len": model["sequence"],
            "num_key_value_heads": model["kv_heads"], "ffn_embed_dim": model["feed_forward"],
            "mlp_gated_linear_units": model["feed_forward_kind"] == "swiglu"}


def arguments(row: Row, model: dict) -> dict:
    """Of its function `train`."""
    flags, layout = flags_of(row), layout_of(row)
    zero = int(flags["--zero"])
    return {
        "gpu_name": GPUS[row["topology"]], "batch_size_per_gpu": layout["micro_batch"],
        "gradient_accumulation_steps": layout["batch"] // (layout["dp"] * layout["micro_batch"]),
        "seq_len": model["sequence"], "activation_recomputation": RECOMPUTE[flags["--recompute"]], "ds_zero": zero,
        "dp_size": int(flags.get("--hybrid-shard", layout["dp"])) if zero == 3 else 1, "tp_size": layout["tp"],
        "pp_size": layout["pp"], "sp_size": layout["tp"] if flags.get("--sequence-parallel") == "on" else 1,
        "total_num_gpus": int(row["gpus"]), "flash_attn": row["attention"] != "unfused",
        "softmax_dropout": bool(model["dropout"]), "flops_efficiency": FLOPS_EFFICIENCY,
        "hbm_memory_efficiency": MEMORY_EFFICIENCY}


def why_not(row: Row) -> str | None:
    """Why llm-analysis cannot express the run, if so."""
    if row["topology"] not in GPUS:
        return "no file of llm-analysis' describes the GPU and its network"
    if row["precision"] != "bf16":
        return f"{row['precision']} products"
    if flags_of(row)["--recompute"] not in RECOMPUTE:
        return "what is recomputed"
    return None


def instead(row: Row) -> str:
    flags = flags_of(row)
    parts = [(layout_of(row)["pp"] > 1, "no bubble"),
             ("tensor" in flags.get("--overlap", "") or flags.get("--overlap") == "all" and layout_of(row)["tp"] > 1,
              "tensor parallelism without overlap")]
    return "; ".join(text for lacks, text in parts if lacks)


def tokens_per_s_per_gpu(row: Row, checkout: Path) -> float:
    model = model_of(row)
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(model_file(model), file)
        file.flush()
        given = arguments(row, model) | {"model_name": file.name, "log_level": "ERROR"}
        printed = run_python(checkout, "-m", "llm_analysis.analysis", "train",
                             *(f"--{name}={value}" for name, value in given.items()))
    return layout_of(row)["batch"] * model["sequence"] / json.loads(printed)["latency_per_iter"] / int(row["gpus"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llm-analysis", type=Path, required=True, metavar="CHECKOUT")
    checkout = parser.parse_args().llm_analysis.resolve()
    print_predictions(
        f"""Tokens per second and GPU of runs of training.csv as llm-analysis (github.com/cli99/llm-analysis
@{commit_of(checkout)}) predicts them, at half of the FLOPs and 0.9 of the memory's bandwidth, which its README
gives for want of measurements. `instead` names what stands for parts of a set-up that it lacks;
besides, it counts no exchange of gradients. Made by llm_analysis.py, which says how set-ups are
translated: after the measured values had been seen, in llm-analysis' favour.""",
        why_not, lambda row: tokens_per_s_per_gpu(row, checkout), instead)


if __name__ == "__main__":
    main()
