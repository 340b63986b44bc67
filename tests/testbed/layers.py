# SPDX-License-Identifier: Apache-2.0
"""What of a model's gradients is there when, and which of them travel together."""
import re
import tomllib

import simulated


def places(build, flags):
    """Layers in the order of the forward pass, with the embedding beside the first and the head beside the
    last: elements, and the seconds that the simulator says each pass computes there."""
    report = simulated.report(build, flags)
    model_file = flags[flags.index("--model") + 1]
    with open(simulated.INPUTS / model_file, "rb") as file:
        model = tomllib.load(file)["model"]
    count = model["layers"]
    in_layers = report["attention_parameters"] + report["feed_forward_parameters"] + report["norm_parameters"]
    before = (model["vocabulary"] + model["position_table"]) * model["hidden"]
    all_places = [{"elements": in_layers // count, "forward_s": 0, "backward_s": 0} for _ in range(count)]
    all_places[0]["elements"] += before
    all_places[-1]["elements"] += report["embedding_parameters"] - before
    for place, seconds, direction in _computing(simulated.timeline(build, flags), count):
        all_places[place][direction] += seconds
    return all_places


def _computing(kernels, count):
    """The forward pass ends with the first kernel of the head."""
    direction = "forward_s"
    for name, seconds in kernels:
        layer = re.match(r"layer (\d+)", name)
        if layer or name in ("embedding", "head"):
            place = int(layer[1]) if layer else 0 if name == "embedding" else count - 1
            yield place, seconds, direction
        if name == "head":
            direction = "backward_s"


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
