#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Each figure of the page of `gardenhose serve` is the command line's, to the last digit.

    tests/serve/numbers_test.py PROGRAM [STATES]

Draws states of the page, asks the server, and runs the command that the page shows.
"""

import json
import random
import subprocess
import sys

from served import Served

CLUSTERS = ["sdp4bit_a100", "dgx_h100_x16", "dgx_h100_x128", "aws_p5en"]
SITES = ["two_sites_10g", "two_sites_100g_20ms", "four_sites_mixed"]


def state(draw):
    if draw.random() < 0.2:
        inputs = {"topology": draw.choice(SITES), "model": draw.choice(["gpt_125m", "llama_2_7b"]),
                  "scheme": draw.choice(["diloco", "sparseloco", "wan_sync_int4"]),
                  "baseline": "twin", "tp": str(draw.choice([1, 2, 4]))}
        return inputs
    inputs = {"topology": draw.choice(CLUSTERS),
              "model": draw.choice(["gpt_125m", "gpt_1.3b", "llama_2_7b", "qwen3_8b"]),
              "scheme": draw.choice(["sharded", "sdp4bit", "qwd", "tlq_hs", "loco", "fp8_gather"]),
              "baseline": draw.choice(["twin", "sharded"])}
    for key, values in (("tp", [1, 2, 4, 8]), ("pp", [1, 2]), ("micro-batch", [1, 2]),
                        ("accumulation", [1, 3, 8]), ("zero", [1, 2, 3]),
                        ("overlap", ["none", "all"]), ("attention", ["fused", "unfused"]),
                        ("network.nic_bandwidth", ["32 Gbps", "400 Gbps"]), ("nodes", [2, 5])):
        if draw.random() < 0.35:
            inputs[key] = str(draw.choice(values))
    return inputs


def main():
    program, states = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    draw = random.Random(20261130)
    refused = 0
    with Served(program) as served:
        for turn in range(states):
            inputs = state(draw)
            status, reply = served.ask({"as": "run", "inputs": inputs})
            flags = [f"--set={key}={json.dumps(value)}" if "." in key else f"--{key}={value}"
                     for key, value in inputs.items()]
            done = subprocess.run([program, "run", *flags, "--format", "json"], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if status == 422:
                refused += 1
                assert done.returncode == 2, inputs
                assert done.stderr.splitlines()[-1] == reply["problem"].splitlines()[-1], (
                    done.stderr, reply["problem"])
                continue
            assert (status, done.returncode) == (200, 0), (inputs, reply, done.stderr)
            assert json.loads(done.stdout) == reply["reports"], inputs
            shown = subprocess.run(["bash", "-c", reply["command"].replace("gardenhose", program, 1) +
                                    " --format json"], check=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True).stdout
            assert shown == done.stdout, (reply["command"], turn)
    assert refused < states / 2, f"{refused} of {states} states were refused"
    print(f"{states} states, {refused} refused by both: the same to the last digit")


if __name__ == "__main__":
    main()
