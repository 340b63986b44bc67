# SPDX-License-Identifier: Apache-2.0
"""Trains the model of tiny.toml in two processes, with gradients in the wires of a codec.

    python3 train.py [CODEC [STEPS]]      default: int4_g2048_sr 200; CODEC none: as DDP does it
"""
import os
import sys
import tempfile
from pathlib import Path

import hook
import torch
import torch.distributed as dist
from torch import nn

RANKS, HIDDEN, LAYERS, HEADS, VOCABULARY, SEQUENCE = 2, 64, 4, 4, 256, 32


class Model(nn.Module):
    """Predicts the next byte. 218 496 parameters, which DDP puts into one bucket."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, HIDDEN)
        self.positions = nn.Parameter(torch.randn(SEQUENCE, HIDDEN) / 50)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(HIDDEN, HEADS, 4 * HIDDEN, dropout=0, activation="gelu",
                                       batch_first=True, norm_first=True) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(HIDDEN)
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, tokens):
        causal = torch.full((SEQUENCE, SEQUENCE), -torch.inf).triu(1)
        x = self.tokens(tokens) + self.positions
        for block in self.blocks:
            x = block(x, causal)
        return self.norm(x) @ self.tokens.weight.T


def batch(text, generator):
    starts = torch.randint(len(text) - SEQUENCE, (16,), generator=generator)
    both = torch.stack([text[start:start + SEQUENCE + 1] for start in starts])
    return both[:, :-1], both[:, 1:]


def train(rank, store, codec, steps):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=RANKS)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.parallel.DistributedDataParallel(Model())
    state = hook.State(codec)
    if codec != "none":
        model.register_comm_hook(state, hook.compress)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    text = torch.tensor(list(Path(__file__).read_bytes() + Path(hook.__file__).read_bytes()))
    generator = torch.Generator().manual_seed(rank)
    for step in range(steps):
        inputs, targets = batch(text, generator)
        loss = nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and (step % 50 == 0 or step == steps - 1):
            print(f"step {step:3}: loss {loss.item():.2f}")
    if rank == 0 and codec != "none":
        print(f"each rank sends {state.bytes_sent // steps} bytes a step")


def main():
    codec = sys.argv[1] if len(sys.argv) > 1 else "int4_g2048_sr"
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(train, (os.path.join(folder, "store"), codec, steps), RANKS)


if __name__ == "__main__":
    main()
