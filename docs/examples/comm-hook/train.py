# SPDX-License-Identifier: Apache-2.0
"""Trains the model of tiny.toml in several processes, with gradients in the wires of a codec.

    python3 train.py [CODEC [STEPS [BACKEND]]]      default: int4_g2048_sr 200 gloo

CODEC none: as DDP does it. BACKEND gloo: two processes on CPUs; nccl: one on each GPU.
"""
import os
import sys
import tempfile
from pathlib import Path

import hook
import torch
import torch.distributed as dist
from torch import nn

HIDDEN, LAYERS, HEADS, VOCABULARY, SEQUENCE = 64, 4, 4, 256, 32


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
        causal = torch.full((SEQUENCE, SEQUENCE), -torch.inf, device=tokens.device).triu(1)
        x = self.tokens(tokens) + self.positions
        for block in self.blocks:
            x = block(x, causal)
        return self.norm(x) @ self.tokens.weight.T


def batch(text, generator):
    starts = torch.randint(len(text) - SEQUENCE, (16,), generator=generator)
    both = torch.stack([text[start:start + SEQUENCE + 1] for start in starts])
    return both[:, :-1], both[:, 1:]


def train(rank, ranks, backend, store, codec, steps):
    device = torch.device("cuda", rank) if backend == "nccl" else torch.device("cpu")
    if backend == "nccl":
        torch.cuda.set_device(device)
    dist.init_process_group(backend, init_method=f"file://{store}", rank=rank, world_size=ranks)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.parallel.DistributedDataParallel(Model().to(device))
    state = hook.State(codec)
    if codec != "none":
        model.register_comm_hook(state, hook.compress)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    text = torch.tensor(list(Path(__file__).read_bytes() + Path(hook.__file__).read_bytes()))
    generator = torch.Generator().manual_seed(rank)
    for step in range(steps):
        inputs, targets = (tokens.to(device) for tokens in batch(text, generator))
        loss = nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and (step % 50 == 0 or step == steps - 1):
            print(f"step {step:3}: loss {loss.item():.2f}")
    if rank == 0 and codec != "none":
        print(f"each rank sends {state.bytes_sent // steps} bytes a step")
    dist.barrier()
    # The group's end waits for its threads and keeps the interpreter, which these may still need to let go
    # of tensors. So the process ends as it is.
    sys.stdout.flush()
    os._exit(0)


def main():
    codec = sys.argv[1] if len(sys.argv) > 1 else "int4_g2048_sr"
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    backend = sys.argv[3] if len(sys.argv) > 3 else "gloo"
    ranks = torch.cuda.device_count() if backend == "nccl" else 2
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        torch.multiprocessing.spawn(train, (ranks, backend, store, codec, steps), ranks)


if __name__ == "__main__":
    main()
