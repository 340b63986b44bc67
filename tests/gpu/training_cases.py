# SPDX-License-Identifier: Apache-2.0
"""The training steps that training_steps.py measures and predicts, the most telling ones first."""
import json
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Fits a CPU in seconds: every kind of layer at the smallest size.
TINY = {"layers": 2, "hidden": 64, "heads": 4, "head_width": 16, "feed_forward": 96,
        "vocabulary": 256, "position_table": 32}


@dataclass(frozen=True)
class Case:
    """A step on one GPU. `changes` replace keys of the model's file, as --set does."""

    model: str
    stack: str
    sequence: int
    micro_batch: int
    recompute: str = "none"
    accumulation: int = 1
    fsdp: bool = False
    changes: dict = field(default_factory=dict)
    traced: bool = False

    @property
    def name(self):
        kind = ("fsdp" if self.fsdp else "plain") + "-" + self.stack.removeprefix("torch-")
        changes = "".join(f"-{key}={value}" for key, value in self.changes.items())
        return (f"{self.model}{changes}/{kind}/{self.sequence}x{self.micro_batch}"
                f"x{self.accumulation}/{self.recompute}")

    @property
    def tokens(self):
        return self.sequence * self.micro_batch * self.accumulation

    @property
    def flags(self):
        """Flags of `gardenhose run`. ZeRO-1 on one GPU is BF16 weights below FP32 masters."""
        changed = "".join(f" --set model.{key}={value}" for key, value in self.changes.items())
        return (f"--model {self.model}{changed} --stack {self.stack} --zero {3 if self.fsdp else 1}"
                f" --sequence {self.sequence} --micro-batch {self.micro_batch}"
                f" --accumulation {self.accumulation} --recompute {self.recompute}")

    def shape(self, tiny=False):
        """The keys of the model's file under [model]."""
        shape = {}
        for line in (ROOT / f"traces/models/{self.model}.toml").read_text().splitlines():
            key, equals, value = line.partition(" = ")
            if equals and not line.startswith("#"):
                shape[key] = json.loads(value)
        shape.update({key: json.loads(str(value)) for key, value in self.changes.items()})
        if shape["biases"] not in ("all", "none") or shape["query_key_norm"]:
            raise ValueError(f"{self.model}: its biases or norms are not written down here")
        if tiny:
            shape["kv_heads"] = 4 if shape["kv_heads"] == shape["heads"] else 2
            shape.update(TINY)
        return shape


EAGER, COMPILE = "torch-eager", "torch-compile"
LLAMA_2 = {"layers": 8}
LLAMA_3 = {"layers": 4}
LLAMA_70B = {"layers": 2, "vocabulary": 32768}

CASES = [
    Case("gpt_125m", EAGER, 512, 1, traced=True),
    Case("gpt_1.3b", EAGER, 2048, 4),
    Case("llama_2_7b", EAGER, 4096, 1, changes=LLAMA_2, traced=True),
    Case("gpt_125m", COMPILE, 512, 1),
    Case("gpt_350m", EAGER, 2048, 8),
    Case("llama_3_8b", EAGER, 4096, 1, changes=LLAMA_3),
    Case("gpt_2.7b", EAGER, 2048, 4, "full"),
    Case("llama_2_7b", COMPILE, 4096, 2, changes=LLAMA_2),
    Case("gpt_350m", EAGER, 512, 1),
    Case("gpt_1.3b", COMPILE, 2048, 4),
    Case("gpt_1.3b", EAGER, 2048, 1),
    Case("llama_3_70b", EAGER, 4096, 1, changes=LLAMA_70B),
    Case("gpt_125m", EAGER, 2048, 16),
    Case("gpt_1.3b", EAGER, 2048, 8, "full"),
    Case("gpt_1.3b", EAGER, 2048, 4, accumulation=4),
    Case("llama_3_8b", EAGER, 8192, 1, "full", changes=LLAMA_3),
    Case("gpt_125m", EAGER, 128, 1),
    Case("gpt_350m", EAGER, 1024, 2, "full"),
    Case("gpt_350m", EAGER, 512, 1, fsdp=True),
    Case("llama_2_7b", EAGER, 4096, 1, fsdp=True, changes=LLAMA_2),
    Case("gpt_1.3b", EAGER, 2048, 4, changes={"dropout": "false"}),
    Case("llama_3_8b", COMPILE, 4096, 1, changes=LLAMA_3),
    Case("llama_2_7b", EAGER, 4096, 4, "full", changes=LLAMA_2),
    Case("gpt_2.7b", EAGER, 2048, 1),
    Case("gpt_350m", COMPILE, 512, 1),
    Case("llama_3_70b", EAGER, 8192, 1, "full", changes=LLAMA_70B),
    Case("llama_2_7b", COMPILE, 4096, 2, "full", changes=LLAMA_2),
    Case("gpt_350m", EAGER, 128, 1, accumulation=4),
]
