# SPDX-License-Identifier: Apache-2.0
"""A communication hook of DistributedDataParallel that averages gradients in the wires of a codec.

Each rank encodes one wire for each rank's share of the bucket, sums the wires of its own share, and
sends the encoded mean to all: all_to_all, decode_reduce, all_gather. What an encoding loses is kept in
a residual and sent with the next gradient, in both directions. Works with gloo on CPUs and with NCCL
on GPUs.

    state = hook.State("int4_g2048_sr")
    model.register_comm_hook(state, hook.compress)
"""
import gardenhose_codecs as gc
import torch
import torch.distributed as dist


class State:
    """Of one model on one rank. `codec` must have encode with feedback and decode_reduce."""

    def __init__(self, codec, seed=0):
        self.codec, self.seed = codec, seed
        self.step = 0
        self.bytes_sent = 0  # by this rank, since the start
        self._residuals = {}

    def residuals(self, bucket, elements, share):
        """Of the gradients and of the mean of this rank's share. DDP arranges its buckets anew after
        the first step; those start with nothing to add."""
        parameters = tuple(parameter.data_ptr() for parameter in bucket.parameters())
        if parameters not in self._residuals:
            zeros = bucket.buffer().new_zeros
            self._residuals[parameters] = zeros(elements), zeros(share)
        return self._residuals[parameters]


def compress(state, bucket):
    """The hook: the future of the bucket's mean gradient."""
    gradient = bucket.buffer()
    ranks, rank = dist.get_world_size(), dist.get_rank()
    share = -(-gradient.numel() // (16 * ranks)) * 16  # random bits are drawn for 16 elements at once
    padded = gradient.new_zeros(ranks * share)
    padded[:gradient.numel()] = gradient
    of_gradient, of_mean = state.residuals(bucket, padded.numel(), share)
    key = gc.Key(state.seed, state.step, tensor=2 * bucket.index(), rank=rank)

    # One wire for each rank: the mean is the sum of gradients that were divided by the ranks.
    size = gc.encoded_bytes(state.codec, share)
    wires = torch.empty(ranks, size, dtype=torch.uint8, device=gradient.device)
    for peer, (wire, values, residual) in enumerate(
            zip(wires, padded.split(share), of_gradient.split(share))):
        gc.encode(state.codec, values, key=key._replace(first_element=peer * share), out=wire,
                  residual=residual, feedback=gc.Feedback(gain=1 / ranks))
    received = torch.empty_like(wires)
    dist.all_to_all_single(received, wires)
    mean = gc.decode_reduce(state.codec, received, share)

    wire = gc.encode(state.codec, mean, key=key._replace(tensor=key.tensor + 1), residual=of_mean)
    gathered = torch.empty_like(wires)
    dist.all_gather(list(gathered), wire)
    for values, wire_of_peer in zip(padded.split(share), gathered):
        gc.decode(state.codec, wire_of_peer, out=values)

    state.bytes_sent += (ranks - 1) * (wires[0].numel() + wire.numel())
    state.step += bucket.is_last()
    gradient.copy_(padded[:gradient.numel()])
    future = torch.futures.Future(devices=[gradient.device] if gradient.is_cuda else None)
    future.set_result(gradient)
    return future
