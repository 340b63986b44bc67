# SPDX-License-Identifier: Apache-2.0
"""Decoder-only transformers of the shapes of traces/models, and their optimizer steps, in PyTorch.

Written as the stacks torch-eager and torch-compile have them (`gardenhose list stacks`): RMSNorm
and rotary positions kernel by kernel as in Llama's reference code, copied keys and values for
grouped queries, the loss over FP32 logits, fused AdamW behind a clipped gradient norm.
"""
import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

DROPOUT = 0.1
ALIGNMENT = 64  # elements; products want their operands aligned
LARGEST = 1 << 30  # elements of a tensor that the optimizer gets: 32-bit indices suffice


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(width))

    def forward(self, x):
        wide = x.float()
        root = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return (wide * root).type_as(x) * self.weight


def rotate_complex(x, turns):
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * torch.view_as_complex(turns)).flatten(-2).type_as(x)


def rotate_real(x, turns):
    """The same in real numbers: the compiler does not fuse complex ones."""
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    cosine, sine = turns.unbind(-1)
    return torch.stack((a * cosine - b * sine, a * sine + b * cosine), -1).flatten(-2).type_as(x)


def turns_of(shape, sequence, device):
    frequencies = 10000 ** -(torch.arange(0, shape["head_width"], 2, device=device).float()
                             / shape["head_width"])
    angles = torch.outer(torch.arange(sequence, device=device).float(), frequencies)
    return torch.stack((angles.cos(), angles.sin()), -1).unsqueeze(1)  # for all heads


class Attention(nn.Module):
    """GPT has one projection for queries, keys and values, Llama three."""

    def __init__(self, shape, rotate):
        super().__init__()
        self.head_width, self.rotate = shape["head_width"], rotate
        self.groups = shape["heads"] // shape["kv_heads"]
        self.widths = [n * self.head_width for n in
                       (shape["heads"], shape["kv_heads"], shape["kv_heads"])]
        bias = shape["biases"] == "all"
        projected = [sum(self.widths)] if bias else self.widths
        self.projections = nn.ModuleList(nn.Linear(shape["hidden"], n, bias) for n in projected)
        self.output = nn.Linear(self.widths[0], shape["hidden"], bias)
        self.dropout = DROPOUT if shape["dropout"] else 0.0

    def forward(self, x, turns):
        parts = [project(x) for project in self.projections]
        parts = parts[0].split(self.widths, -1) if len(parts) == 1 else parts
        q, k, v = (part.unflatten(-1, (-1, self.head_width)) for part in parts)
        if turns is not None:
            q, k = self.rotate(q, turns), self.rotate(k, turns)
        if self.groups > 1:
            k, v = (t.unsqueeze(3).expand(-1, -1, -1, self.groups, -1).flatten(2, 3)
                    for t in (k, v))
        mixed = functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True,
            dropout_p=self.dropout)
        return self.output(mixed.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, shape):
        super().__init__()
        bias = shape["biases"] == "all"
        gated = shape["feed_forward_kind"] == "swiglu"
        self.gate = nn.Linear(shape["hidden"], shape["feed_forward"], bias) if gated else None
        self.up = nn.Linear(shape["hidden"], shape["feed_forward"], bias)
        self.down = nn.Linear(shape["feed_forward"], shape["hidden"], bias)

    def forward(self, x):
        if self.gate is None:
            return self.down(functional.gelu(self.up(x), approximate="tanh"))
        return self.down(functional.silu(self.gate(x)) * self.up(x))


def norm_of(shape):
    return RmsNorm(shape["hidden"]) if shape["norm"] == "rms_norm" else nn.LayerNorm(
        shape["hidden"])


class Block(nn.Module):
    def __init__(self, shape, rotate):
        super().__init__()
        self.attention_norm, self.attention = norm_of(shape), Attention(shape, rotate)
        self.feed_forward_norm, self.feed_forward = norm_of(shape), FeedForward(shape)
        self.dropout = nn.Dropout(DROPOUT) if shape["dropout"] else nn.Identity()

    def forward(self, x, turns):
        x = x + self.dropout(self.attention(self.attention_norm(x), turns))
        return x + self.dropout(self.feed_forward(self.feed_forward_norm(x)))


class Transformer(nn.Module):
    """Returns the mean loss of a micro-batch. Built on the device "meta", without memory."""

    def __init__(self, shape, recompute, rotate):
        super().__init__()
        vocabulary, hidden = shape["vocabulary"], shape["hidden"]
        self.embedding = nn.Embedding(vocabulary, hidden)
        learned = shape["positions"] == "learned"
        self.positions = nn.Embedding(shape["position_table"], hidden) if learned else None
        self.blocks = nn.ModuleList(Block(shape, rotate) for _ in range(shape["layers"]))
        self.norm = norm_of(shape)
        self.head = None if shape["tied_embeddings"] else nn.Linear(hidden, vocabulary, False)
        self.dropout = nn.Dropout(DROPOUT) if shape["dropout"] else nn.Identity()
        self.recompute, self.random, self.turns = recompute, shape["dropout"], None

    def forward(self, tokens, targets):
        x = self.embedding(tokens)
        if self.positions is not None:
            x = x + self.positions.weight[: tokens.shape[1]]
        x = self.dropout(x)
        for block in self.blocks:
            x = (checkpoint(block, x, self.turns, use_reentrant=False,
                            preserve_rng_state=self.random)
                 if self.recompute else block(x, self.turns))
        head = self.embedding if self.head is None else self.head
        logits = functional.linear(self.norm(x), head.weight)
        return functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())


@torch.no_grad()
def initialise(model):
    for name, parameter in model.named_parameters():
        values = getattr(parameter, "_local_tensor", parameter)
        if parameter.dim() > 1:
            values.normal_(0, 0.02)
        else:
            values.fill_(0.0 if name.endswith("bias") else 1.0)


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=1e-4, weight_decay=0.1, fused=True)


class Plain:
    """One GPU with nothing sharded: BF16 weights; FP32 gradients, weights and moments, each in one
    buffer. The BF16 gradients of a micro-batch are added to the FP32 ones in one go, and take two
    bytes a parameter until then."""

    def __init__(self, model, device):
        sizes = [-(-p.numel() // ALIGNMENT) * ALIGNMENT for p in model.parameters()]
        total = sum(sizes)
        self.weights = torch.zeros(total, dtype=torch.bfloat16, device=device)
        self.sums = torch.zeros(total, dtype=torch.float32, device=device)
        views = zip(self.weights.split(sizes), self.sums.split(sizes))
        self.parameters, self.gradients = [], []
        for module in model.modules():
            for name, old in module._parameters.items():
                if old is None:
                    continue
                weights, sums = (flat[: old.numel()].view(old.shape) for flat in next(views))
                module._parameters[name] = nn.Parameter(weights)
                self.parameters.append(module._parameters[name])
                self.gradients.append(sums)
        initialise(model)
        self.master = self.weights.float()
        chunks = [nn.Parameter(chunk) for chunk in self.master.split(LARGEST)]
        for chunk, gradient in zip(chunks, self.sums.split(LARGEST)):
            chunk.grad = gradient
        self.chunks, self.optimizer = chunks, adamw(chunks)

    @torch.no_grad()
    def after_backward(self, micro_batch):
        add = torch._foreach_add_ if micro_batch else torch._foreach_copy_
        add(self.gradients, [p.grad for p in self.parameters])
        for parameter in self.parameters:
            parameter.grad = None

    @torch.no_grad()
    def update(self):
        nn.utils.clip_grad_norm_(self.chunks, 1.0, foreach=True)
        self.optimizer.step()
        self.weights.copy_(self.master)


class Sharded:
    """FSDP2 over a group of one: FP32 shards, gathered in BF16 layer by layer, reduced in FP32."""

    def __init__(self, model, device):
        from torch import distributed
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
        if not distributed.is_initialized():
            distributed.init_process_group("nccl" if device == "cuda" else "gloo", rank=0,
                                           world_size=1, store=distributed.HashStore())
        mesh = distributed.device_mesh.init_device_mesh(device, (1,))
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32,
                                      cast_forward_inputs=False)
        for part in [*model.blocks, model]:
            fully_shard(part, mesh=mesh, mp_policy=policy)
        model.to_empty(device=device)
        initialise(model)
        self.parameters = list(model.parameters())
        self.optimizer = adamw(self.parameters)

    def after_backward(self, micro_batch):
        pass

    def update(self):
        nn.utils.clip_grad_norm_(self.parameters, 1.0, foreach=True)
        self.optimizer.step()
        self.optimizer.zero_grad()


class Trainer:
    """A model with its state on a device. `backend` compiles the layers; without it they are
    eager."""

    def __init__(self, shape, sequence, device, recompute=False, fsdp=False, backend=None):
        with torch.device("meta"):
            self.model = Transformer(shape, recompute, rotate_real if backend else rotate_complex)
        self.state = (Sharded if fsdp else Plain)(self.model, device)
        if shape["positions"] == "rotary":
            self.model.turns = turns_of(shape, sequence, device)
        if backend:
            for block in self.model.blocks:
                block.compile(backend=backend, dynamic=False)

    def step(self, micro_batches, mark):
        """One optimizer step. `mark` is called at the start and after each forward pass, backward
        pass and the update; returns what it returned."""
        marks = [mark()]
        for i, (tokens, targets) in enumerate(micro_batches):
            loss = self.model(tokens, targets) / len(micro_batches)
            marks.append(mark())
            loss.backward()
            self.state.after_backward(i)
            marks.append(mark())
        self.state.update()
        return [*marks, mark()]
