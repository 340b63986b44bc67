# SPDX-License-Identifier: Apache-2.0
"""Sums of gradients over TCP sockets, in the wires of a codec: the collectives of a scheme's [gradients].

Each takes the Peers, the Rule of the scheme, this rank's gradient, the Residuals and a key, and leaves
the sum over the ranks in the gradient. All ranks add in the same order, so their sums are the same.
"""
import dataclasses
import selectors
import socket
import typing

import gardenhose_codecs as gc
import numpy as np

ALIGNMENT = 16  # elements; stochastic rounding draws bits for so many at once


class Peers(typing.NamedTuple):
    rank: int
    sockets: dict[int, socket.socket]  # by rank, without this one's

    @property
    def ranks(self):
        return len(self.sockets) + 1


class Rule(typing.NamedTuple):
    collective: str
    codec: str
    feedback: bool


@dataclasses.dataclass
class Residuals:
    """Of one bucket: what encoding its gradient, and this rank's part of the sum, lost so far."""

    gradient: typing.Optional[np.ndarray] = None
    part: typing.Optional[np.ndarray] = None


def transfer(sockets, sends, receives):
    """Sends each peer its bytes while the receives fill, all at once: in turns, peers would wait for each
    other. `sends` and `receives` map a peer to an array."""
    left = {selectors.EVENT_WRITE: _views(sends), selectors.EVENT_READ: _views(receives)}
    with selectors.DefaultSelector() as selector:
        for peer in left[selectors.EVENT_WRITE].keys() | left[selectors.EVENT_READ].keys():
            selector.register(sockets[peer], _events(left, peer), peer)
        while selector.get_map():
            for key, ready in selector.select():
                _move(key.fileobj, key.data, ready, left)
                if events := _events(left, key.data):
                    selector.modify(key.fileobj, events, key.data)
                else:
                    selector.unregister(key.fileobj)


def _views(arrays):
    return {peer: memoryview(array).cast("B") for peer, array in arrays.items() if array.nbytes}


def _events(left, peer):
    return sum(event for event, views in left.items() if peer in views)


def _move(connection, peer, ready, left):
    for event, move in ((selectors.EVENT_WRITE, connection.send),
                        (selectors.EVENT_READ, connection.recv_into)):
        if ready & event:
            moved = move(left[event][peer])
            if moved == 0:
                raise ConnectionError(f"rank {peer} closed its connection")
            left[event][peer] = left[event][peer][moved:]
            if not left[event][peer]:
                del left[event][peer]


def ring(peers, rule, gradient, residuals, key):
    """reduce_scatter and all_gather of float32 around a ring."""
    parts = _parts(gradient, peers.ranks)
    after, before = (peers.rank + 1) % peers.ranks, (peers.rank - 1) % peers.ranks
    arrived = np.empty_like(parts[0])
    for step in range(peers.ranks - 1):
        summed = parts[before - step]
        transfer(peers.sockets, {after: parts[peers.rank - step]}, {before: arrived})
        np.add(summed, arrived, out=summed)
    for step in range(peers.ranks - 1):
        transfer(peers.sockets, {after: parts[after - step]}, {before: parts[peers.rank - step]})
    gradient[:] = parts.reshape(-1)[:gradient.size]


def all_to_all(peers, rule, gradient, residuals, key):
    """Each rank sums a part of all gradients, encodes the sum and sends it to all."""
    parts = _parts(gradient, peers.ranks)
    size = parts.shape[1]
    if rule.feedback and residuals.gradient is None:
        residuals.gradient, residuals.part = np.zeros_like(parts), np.zeros_like(parts[0])
    wires = np.empty((peers.ranks, gc.encoded_bytes(rule.codec, size)), np.uint8)
    for peer, part in enumerate(parts):
        gc.encode(rule.codec, part, key=key._replace(first_element=peer * size), out=wires[peer],
                  residual=residuals.gradient[peer] if rule.feedback else None)
    arrived = _swap(peers, {peer: wires[peer] for peer in range(peers.ranks)}, wires)
    mine = _sum(rule.codec, arrived, size)
    wire = gc.encode(rule.codec, mine, key=key._replace(tensor=key.tensor + 1),
                     residual=residuals.part if rule.feedback else None)
    gathered = _swap(peers, {peer: wire for peer in range(peers.ranks)}, wires)
    for part, wire in zip(parts, gathered):
        gc.decode(rule.codec, wire, out=part)
    gradient[:] = parts.reshape(-1)[:gradient.size]


def all_gather(peers, rule, gradient, residuals, key):
    """Every rank sends its encoded gradient to every other one, and sums all."""
    if rule.feedback and residuals.gradient is None:
        residuals.gradient = np.zeros_like(gradient)
    wire = gc.encode(rule.codec, gradient, key=key,
                     residual=residuals.gradient if rule.feedback else None)
    wires = np.empty((peers.ranks, wire.size), np.uint8)
    gradient[:] = _sum(rule.codec, _swap(peers, {peer: wire for peer in range(peers.ranks)}, wires),
                       gradient.size)


COLLECTIVES = {function.__name__: function for function in (ring, all_to_all, all_gather)}


def _parts(gradient, ranks):
    """A copy in equal rows, one for each rank, with zeros at its end."""
    size = -(-gradient.size // (ranks * ALIGNMENT)) * ALIGNMENT
    parts = np.zeros((ranks, size), np.float32)
    parts.reshape(-1)[:gradient.size] = gradient
    return parts


def _swap(peers, sends, like):
    """Row `peer` of the result is what `peer` sent to this rank; its own is what it sends to itself."""
    arrived = np.empty_like(like)
    arrived[peers.rank] = sends[peers.rank]
    transfer(peers.sockets, {peer: sends[peer] for peer in peers.sockets},
             {peer: arrived[peer] for peer in peers.sockets})
    return arrived


def _sum(codec, wires, elements):
    total = np.zeros(elements, np.float32)
    for wire in wires:
        gc.decode_add(codec, wire, total)
    return total
