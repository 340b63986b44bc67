# SPDX-License-Identifier: Apache-2.0
"""Tables of published numbers next to predictions, of `gardenhose validate STUDY --format json`."""

import concurrent.futures
import csv
from collections.abc import Callable
from statistics import mean

import validation_scale
from pages import ROOT, table

PREDICTIONS = {"fitted": "fitted", "default": "default", "blind": "blind",
               "null_model": "null model", "null_refit": "null, refitted"}
ERRORS = {  # of each study, as its JSON names them
    "sdp4bit": {"throughput": "table 2, throughput, rows without *",
                "speedup": "table 2, speed-up",
                "speedup_of_models_not_fitted": "table 2, speed-up, models without *",
                "gradient_exchange": "table 4, gradient exchange",
                "throughput_one_model_left_out":
                    "table 2, throughput, each model left out of its fit"},
    "fsdp": {"both": "both tables, rows without * and -", "fsdp_a100": "MPT on A100",
             "fsdp_h100_torchtitan": "Llama 3 8B on H100"},
    "zeropp": {"throughput": "throughput, rows without *", "speed_up": "speed-up"}}
RANKING = {"best": "correctly predicted: fastest scheme of a model",
           "pairs": "correctly predicted: faster of two schemes"}
COUNTS = {"best": "groups", "pairs": "pairs"}


def given(value: float | None) -> str:
    """A published number, as published."""
    return "" if value is None else f"{value:.10g}"


def digits(value: float) -> str:
    """A predicted number: three significant digits, whole numbers as they are."""
    return f"{value:.{0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2}f}"


def off(predicted: float, published: float) -> str:
    text = f"{100 * (predicted / published - 1):+.0f} %"
    return "0 %" if text in ("+0 %", "-0 %") else text


def short(row: str) -> str:
    """a100/gpt_1.3b of sdp4bit_throughput/a100/gpt_1.3b/sharded"""
    return row.split("/", 1)[1].rsplit("/", 1)[0]


def errors_table(answer: dict) -> str:
    names = ERRORS[answer["study"]]
    kinds = [kind for kind in PREDICTIONS
             if any(answer["errors"][name].get(kind, {}).get("count") for name in names
                    if "mean" not in answer["errors"][name])]
    rows = []
    for name, title in names.items():
        errors = answer["errors"][name]
        errors = {"fitted": errors} if "mean" in errors else errors
        cells = [errors.get(kind) for kind in kinds]
        rows.append([title] + [f"{100 * cell['mean']:.1f} / {100 * cell['worst']:.1f} %"
                               if cell and cell["count"] else "" for cell in cells])
    for what, title in RANKING.items():
        if "ranking" in answer:
            cells = [answer["ranking"][kind] for kind in kinds]
            rows.append([title] + [f"{cell[f'{what}_right']} of {cell[COUNTS[what]]}"
                                   for cell in cells])
    return table(["error, mean / worst", *(PREDICTIONS[kind] for kind in kinds)], rows)


def sdp4bit(answer: dict) -> dict[str, str]:
    speedups = {row["row"]: row for row in answer["speedups"]}
    rows = []
    for row in answer["rows"]:
        if not row["row"].startswith("sdp4bit_throughput/"):
            continue
        predicted, speedup = row["predicted"], speedups.get(row["row"])
        rows.append([
            short(row["row"]), row["row"].rsplit("/")[-1] + (" *" if row["used_in_fit"] else ""),
            given(row["published"]), digits(predicted["fitted"]),
            off(predicted["fitted"], row["published"]),
            *(digits(predicted[kind]) for kind in list(PREDICTIONS)[1:]),
            *([f"{speedup['published']:.2f}x", f"{speedup['predicted']['fitted']:.2f}x"]
              if speedup else ["", ""])])
    return {"sdp4bit": table(["cluster/model", "scheme", "published", "fitted", "off by",
                              *list(PREDICTIONS.values())[1:], "speed-up, published", "fitted"],
                             rows),
            "sdp4bit-parts": sdp4bit_parts(answer), "sdp4bit-errors": errors_table(answer)}


def sdp4bit_parts(answer: dict) -> str:
    """Table 4: both figures of a scheme in one row."""
    schemes: dict[str, dict[str, dict]] = {}
    for row in answer["rows"]:
        if row["row"].startswith("sdp4bit_gradient_comm/"):
            schemes.setdefault(row["row"].rsplit("/")[-1], {})[row["what"]] = row
    rows = []
    for scheme, figures in schemes.items():
        fitted_on = any(row["used_in_fit"] for row in figures.values())
        cells = [f"`{scheme}`" + (" *" if fitted_on else "")]
        for what in ("gradient_exchange_ms", "tflops_per_gpu"):
            row = figures[what]
            cells += [given(row["published"]), digits(row["predicted"]["fitted"]),
                      off(row["predicted"]["fitted"], row["published"])]
        rows.append(cells)
    return table(["scheme", "gradient exchange in ms, published", "fitted", "off by",
                  "TFLOPs per GPU, published", "fitted", "off by"], rows)


def fsdp(answer: dict) -> dict[str, str]:
    rows = []
    for row in answer["rows"]:
        mark = " *" if row["used_in_fit"] else " -" if row["left_out"] else ""
        figures = {kind: row[f"{kind}_tokens_per_s_per_gpu"]
                   for kind in ("published", "fitted", "default", "blind", "null_model")}
        rows.append([f"{row['row'].split('/', 1)[1]}{mark}", given(figures["published"]),
                     f"{100 * row['published_mfu']:.1f} %", digits(figures["fitted"]),
                     off(figures["fitted"], figures["published"]),
                     f"{100 * row['fitted_mfu']:.1f} %",
                     *(digits(figures[kind]) for kind in ("default", "blind", "null_model")),
                     f"{row['memory_bytes'] / 1e9:.1f} GB",
                     f"{row['published_memory_bytes'] / 1e9:.1f} GB"
                     if row["published_memory_bytes"] else ""])
    nodes = [[row["series"], row["unit"], *(f"{row[kind]:+.1f}" for kind in
              ("published", "fitted", "default", "blind", "null_model"))]
             for row in answer["from_8_to_128_gpus"]]
    kinds = ["published", "fitted", "default", "blind", "null model"]
    return {"fsdp": table(["run/GPUs", "published", "MFU", "fitted", "off by", "MFU", "default",
                           "blind", "null model", "memory", "published"], rows),
            "fsdp-nodes": table(["series", "unit", *kinds], nodes),
            "fsdp-errors": errors_table(answer)}


def zeropp(answer: dict) -> dict[str, str]:
    speedups = {row["row"]: row for row in answer["speed_ups"]}
    rows = []
    for row in answer["rows"]:
        speedup = speedups.get(row["row"])
        rows.append([
            short(row["row"]), row["row"].rsplit("/")[-1] + (" *" if row["used_in_fit"] else ""),
            given(row["published_tflops"]), digits(row["fitted_tflops"]),
            off(row["fitted_tflops"], row["published_tflops"]),
            *(digits(row[f"{kind}_tflops"]) for kind in ("default", "blind", "null_model")),
            *([f"{speedup['published']:.2f}x", f"{speedup['fitted']:.2f}x"]
              if speedup else ["", ""])])
    return {"zeropp": table(["network, tokens per GPU", "scheme", "published", "fitted", "off by",
                             "default", "blind", "null model", "speed-up, published", "fitted"],
                            rows),
            "zeropp-errors": errors_table(answer)}


def streaming_diloco(answer: list) -> dict[str, str]:
    shares = sorted({row["compute_utilisation"] for row in answer})
    lines: dict[tuple[str, str], list[str]] = {}
    for row in sorted(answer, key=lambda row: row["compute_utilisation"]):
        lines.setdefault((row["model"], row["method"]), []).append(
            f"{row['published_Gbps']:.1f} / {row['simulated_Gbps']:.1f}")
    order = list(dict.fromkeys((row["model"], row["method"]) for row in answer))
    rows = [[model, f"`{method}`", *lines[model, method]] for model, method in order]
    near = sum(abs(row["grid_points_off"]) <= 1 for row in answer)
    columns = ["model", "method", *(f"{share:.0%}" for share in shares)]
    return {"streaming-diloco": table(columns, rows),
            "streaming-diloco-errors":
                f"{near} of {len(answer)} predictions are the published bandwidth or the next one "
                "on the grid, 21 % higher or lower."}


def sparseloco(answer: list) -> dict[str, str]:
    rows = [[row["figure"], given(row["published"]), f"{row['computed']:.5g}", row["unit"],
             row["from"]] for row in answer]
    return {"sparseloco": table(["figure", "published", "here", "unit", "from"], rows)}


NCCL_BANDS = {"below_1_MiB": "below 1 MiB", "1_to_64_MiB": "1 to 64 MiB",
              "from_64_MiB": "64 MiB and more"}


def nccl_row(title: str, name: str, kinds: dict) -> list[list[str]]:
    """No row of no measurements."""
    cells = [f"{100 * one['mean']:.0f} / {100 * one['median']:.0f} %, "
             f"{100 * one['within_20_percent']:.0f} %, {off(1 + one['bias'], 1)}"
             if one["count"] else "" for one in kinds.values()]
    return [[title, name, str(kinds["simulated"]["count"]), *cells]] if kinds["simulated"]["count"] else []


def nccl(answer: dict) -> dict[str, str]:
    counted, held_out, racks = [], [], []
    for band, title in NCCL_BANDS.items():
        errors = answer["errors"][band]
        for name, kinds in [*errors["by_constants"].items(), ("all", errors["counted"])]:
            counted += nccl_row(title, name, kinds)
        for name, kinds in [*errors["held_out_by_constants"].items(), ("all", errors["held_out"])]:
            held_out += nccl_row(title, name, kinds)
        racks += nccl_row(title, "several racks", errors["held_out_over_racks"])
    racks += nccl_row("all sizes", "several racks", answer["errors"]["all_sizes"]["held_out_over_racks"])
    columns = ["size", "constants", "rows", "simulated", "as NCCL", "alpha-beta"]
    return {"nccl": table(columns, counted), "nccl-held-out": table(columns, held_out + racks)}


def dispatch(answer: dict) -> dict[str, str]:
    def cells(errors: dict | None) -> list[str]:
        if not errors:
            return ["", ""]
        return [f"{100 * errors['mean']:.1f} / {100 * errors['rms']:.1f} %", off(1 + errors["bias"], 1)]

    marks = {"fit": " *", "shown": " -"}
    times = [[f"`{one['table']}`{marks.get(one['role'], '')}", str(one["gpus"]), one["operation"],
              str(one["simulated"]["count"]), *cells(one["simulated"]),
              *cells(one["latency_and_bytes"])] for one in answer["errors"]]
    pairs_of = [[f"`{one['table']}`" if one["table"] != "libraries" else "all but `rack`",
                 str(one["simulated"]["count"]), cells(one["simulated"])[0], cells(one["bytes"])[0],
                 f"{one['faster']}", f"{one['measured_faster']}"] for one in answer["pairs"]]
    return {"dispatch": table(["table", "GPUs", "operation", "rows", "simulated", "signed",
                               "latency and bytes", "signed"], times),
            "dispatch-pairs": table(["table", "pairs", "simulated", "bytes", "faster",
                                     "measured faster"], pairs_of)}


def blind_rows(answer: dict) -> dict[str, list[str]]:
    """By fold, then of all and of those that are not apart."""
    def cells(errors: dict) -> list[str]:
        beaten = "" if errors["mean"] < errors["serial"] else " !"
        return [f"{100 * errors['mean']:.1f} %", f"{100 * errors['coverage']:.0f} %",
                f"{100 * errors['serial']:.1f} %{beaten}"]

    errors = answer["errors"]
    rows = {fold + (" +" if one["apart"] else ""): [str(one["rows"]), *cells(one)]
            for fold, one in errors["by_fold"].items()}
    for title, name in (("mean of all folds", "all"), ("mean of folds without +", "not_apart")):
        rows[title] = [str(errors[name]["rows"]), *cells(errors[name])]
    return rows


def by_group(answer: dict, gpu: str) -> list[list[str]]:
    """Errors of the rows on GPUs of a generation, by group and precision, scored or not."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for row in answer["rows"]:
        if row["gpu"] == gpu:
            groups.setdefault((row["id"].split("/")[0], row["precision"]), []).append(row)
    lines = []
    for (group, precision), rows in groups.items():
        errors = [row["predicted"] / row["published"] - 1 for row in rows]
        inside = mean(row["low"] <= row["published"] <= row["high"] for row in rows)
        lines.append([f"`{group}`" + ("" if rows[0]["scored"] else " -"), precision, str(len(rows)),
                      f"{100 * mean(map(abs, errors)):.1f} %", f"{100 * mean(errors):+.1f} %",
                      f"{100 * inside:.0f} %"])
    return lines


def blind(answer: dict) -> dict[str, str]:
    """Errors with the fold left out, and with the generation left out besides."""
    folds, generations = answer["answers"]
    by_generation = blind_rows(generations)
    rows = [[name, *cells, *by_generation[name][1:]] for name, cells in blind_rows(folds).items()]
    return {"blind": table(["fold", "rows", "off by", "in range", "serial sum",
                            "generation left out: off by", "in range", "serial sum"], rows),
            "blind-scale": table(["runs", "model", "GPUs", "published", "predicted"],
                                 validation_scale.lines_of(folds)),
            "blind-ranges": table(RANGE_COLUMNS, [
                range_cells(title, one["errors"]["all"] | one["errors"]["intervals"])
                for (title, _), one in zip(LEFT_OUT, answer["answers"])]),
            "blind-blackwell": table(["group", "products", "rows", "off by", "bias", "in range"],
                                     by_group(folds, "blackwell"))}


PEERS = {"Calculon": "calculon", "llm-analysis": "llm_analysis", "SimuMax": "simumax"}


def peers(answer: dict) -> dict[str, str]:
    """Other simulators beside the predictions with the fold left out, on the rows that both predict."""
    def mean_error(errors: tuple[float, ...]) -> float:
        return mean(map(abs, errors))

    ours = {row["id"]: row for row in answer["answers"][0]["rows"] if row["scored"]}
    rows = []
    for peer, name in PEERS.items():
        lines = (ROOT / "traces" / "peers" / f"{name}_training.csv").read_text("utf-8").splitlines()
        folds: dict[str, list[tuple[float, float]]] = {}  # errors of the peer and of Gardenhose
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            if one := ours.get(row["id"]):
                folds.setdefault(one["fold"], []).append(
                    (float(row["predicted"]) / one["published"] - 1, one["predicted"] / one["published"] - 1))
        for fold, errors in folds.items():
            nearer = sum(abs(theirs) < abs(here) for theirs, here in errors)
            rows.append([peer, fold, f"{nearer} of {len(errors)}"] + [
                cell for one in zip(*errors) for cell in (
                    f"{100 * mean_error(one):.1f} %", f"{100 * mean(one):+.1f} %",
                    f"{100 * max(map(abs, one)):.1f} %")])
        if len(folds) > 1:
            means = zip(*([mean_error(one) for one in zip(*errors)] for errors in folds.values()))
            rows.append([peer, "mean of these folds", ""] + [
                cell for one in means for cell in (f"{100 * mean(one):.1f} %", "", "")])
    return {"peers": table(["peer", "fold", "rows on which it is nearer", "its error: mean", "bias",
                            "worst", "Gardenhose, blind: mean", "bias", "worst"], rows)}


def pairs(answer: dict) -> dict[str, str]:
    rows = []
    for row in answer["rows"]:
        published, predicted = row["published_ratio"], row["predicted_ratio"]
        if predicted is None:
            rows.append([row["id"], f"{published:.2f}", "", "not modelled"])
            continue
        sign = ("within noise" if not row["has_sign"] else
                "right" if (published < 1) == (predicted < 1) else "wrong")
        rows.append([row["id"], f"{published:.2f}", f"{predicted:.2f}",
                     f"{off(predicted, published)}, {sign}"])
    errors = [[name, str(one["pairs"]), f"{100 * one['mean']:.1f} %", f"{100 * one['worst']:.1f} %",
               f"{one['right']} of {one['signs']}"]
              for name, one in [*answer["errors"]["by_fold"].items(),
                                ("mean over sources", answer["errors"]["all"])]]
    return {"pairs": table(["pair", "published", "predicted", "off by, sign"], rows),
            "pairs-errors": table(["source", "pairs", "mean", "worst", "sign right"], errors)}


SPEED_UP_RANGES = [("speed-ups, nothing fitted", "nothing_fitted"),
                   ("SDP4Bit's on A100, one collective measured", "one_collective")]


def ranges(answer: dict) -> dict[str, str]:
    """Of speed-ups whose clusters nobody fitted."""
    return {"ranges": table(RANGE_COLUMNS, [range_cells(title, answer["errors"][name])
                                            for title, name in SPEED_UP_RANGES])}


def range_cells(title: str, errors: dict) -> list[str]:
    return [title, str(errors["rows"]), mean_and_worst(errors | {"count": errors["rows"]}),
            f"{100 * errors['coverage']:.0f} %", f"{errors['interval_score']:.2f}",
            f"{errors['constant_interval_score']:.2f}"]


RANGE_COLUMNS = ["what", "rows", "off by: mean / worst", "in range", "interval score", "of one width"]


STUDIES: dict[str, Callable] = {"sdp4bit": sdp4bit, "fsdp": fsdp, "zeropp": zeropp,
                                "streaming-diloco": streaming_diloco, "sparseloco": sparseloco,
                                "nccl": nccl, "pairs": pairs, "ranges": ranges,
                                "dispatch": dispatch}


SUMMARY = [("SDP4Bit, throughput", "sdp4bit", "throughput"),
           ("SDP4Bit, speed-up", "sdp4bit", "speedup"),
           ("FSDP, throughput", "fsdp", "both"), ("ZeRO++, throughput", "zeropp", "throughput"),
           ("ZeRO++, speed-up", "zeropp", "speed_up")]


def mean_and_worst(errors: dict | None) -> str:
    if not errors or not errors["count"]:
        return ""
    return f"{100 * errors['mean']:.1f} / {100 * errors['worst']:.1f} %"


def summary(answers: dict[str, dict]) -> str:
    """Mean and worst error of each study and kind of prediction."""
    rows = []
    for title, study, name in SUMMARY:
        errors = answers[study]["errors"][name]
        rows.append([title, str(errors["fitted"]["count"]),
                     *(mean_and_worst(errors.get(kind)) for kind in PREDICTIONS)])
    return table(["error, mean / worst", "rows", *PREDICTIONS.values()], rows)


LEFT_OUT = [("throughput, each source predicted from the others", 0),
            ("the same, without any run on the GPU's generation", 1)]


def accuracy(answers: dict[str, dict]) -> str:
    """The errors that hold for each question that a reader may have, beside those of arithmetic alone."""
    rows = []
    for title, study, name in SUMMARY:
        errors = answers[study]["errors"][name]
        arithmetic = errors.get("null_refit") or errors["null_model"]
        rows.append(["included, fitted", title, str(errors["fitted"]["count"]),
                     mean_and_worst(errors["fitted"]), mean_and_worst(arithmetic)])
    for title, place in LEFT_OUT:
        errors = answers["blind"]["answers"][place]["errors"]["all"]
        rows.append(["your own, network as bought", title, str(errors["rows"]),
                     mean_and_worst(errors | {"count": errors["rows"]}),
                     f"{100 * errors['serial']:.1f} %"])
    one = answers["ranges"]["errors"]["one_collective"]
    rows.append(["your own, one collective measured", "SDP4Bit on A100, speed-up", str(one["rows"]),
                 mean_and_worst(one | {"count": one["rows"]}), ""])
    for title, study, name in SUMMARY:
        errors = answers[study]["errors"][name]
        if study == "sdp4bit":
            rows.append(["your own, network slower than bought", title,
                         str(errors["default"]["count"]), mean_and_worst(errors["default"]), ""])
    return table(["cluster", "figure", "rows", "error, mean / worst", "arithmetic alone"], rows)


def validation_parts(program, known: dict[str, dict]) -> dict[str, str]:
    """Every part by its name. Runs the studies whose answers are not `known`, two at a time."""
    commands = {study: (study,) for study in STUDIES} | {
        "blind": ("blind", "--by", "fold,generation")}
    asked = [study for study in commands if study not in known]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = known | dict(zip(asked, pool.map(
            lambda study: program.json("validate", *commands[study], "--format", "json"), asked)))
    parts = {"summary": summary(answers), "accuracy": accuracy(answers)} | blind(answers["blind"]) | peers(answers["blind"])
    for study, parts_of in STUDIES.items():
        parts |= parts_of(answers[study])
    return parts
