# SPDX-License-Identifier: Apache-2.0
"""What of a model's gradients is there when, and which of them travel together."""
import tomllib


def places(model_file, report):
    """Layers in the order of the forward pass, with the embedding beside the first and the head beside
    the last: elements, and the share of a pass that computing takes, in proportion to FLOPs. The
    embedding multiplies nothing."""
    with open(model_file, "rb") as file:
        model = tomllib.load(file)["model"]
    count, words = model["layers"], model["vocabulary"] * model["hidden"]
    in_layers = report["attention_parameters"] + report["feed_forward_parameters"] + report["norm_parameters"]
    before = words + model["position_table"] * model["hidden"]
    head = 2 * words / (report["flop_per_token"] / 3)  # of the FLOPs of a forward pass
    all_places = [{"elements": in_layers // count, "share": (1 - head) / count} for _ in range(count)]
    all_places[0]["elements"] += before
    all_places[-1]["elements"] += report["embedding_parameters"] - before
    all_places[-1]["share"] += head
    return all_places


def buckets(all_places, capacity):
    """As the simulator cuts them (sim/program/lay_out.cpp): filled in the order of the forward pass up to
    a capacity in elements, or with everything. A bucket's gradients are there when the backward pass
    of its first place ends."""
    cut = []
    end = 0
    for place, one in enumerate(all_places):
        if not cut or (capacity and end + one["elements"] - cut[-1]["begin"] > capacity):
            cut.append({"first_place": place, "begin": end})
        end += one["elements"]
        cut[-1]["end"] = end
    return cut
