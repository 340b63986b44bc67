# SPDX-License-Identifier: Apache-2.0
"""Exchanges of float32 values over TCP sockets, in the wires of a codec.

Each of COLLECTIVES takes the Peers, a Coder, this rank's values, Residuals and a key, and leaves the sum
over the ranks in the values. All ranks add in the same order, so their sums are the same. Each of
REDUCTIONS takes the same, and returns this rank's part of the sum: a row of parts_of().
"""
import selectors
import socket
import typing

import numpy as np

ALIGNMENT = 16  # elements; stochastic rounding draws bits for so many at once


class Peers(typing.NamedTuple):
    rank: int
    sockets: dict[int, socket.socket]  # by rank, without this one's

    @property
    def ranks(self):
        return len(self.sockets) + 1


class Residuals:
    """What encoding one tensor lost so far; without feedback, nothing is kept."""

    def __init__(self, feedback):
        self._kept = {} if feedback else None

    def rows(self, name, like):
        """A residual for each row of `like`: None without feedback."""
        if self._kept is None:
            return [None] * len(like)
        if name not in self._kept:
            self._kept[name] = np.zeros_like(like)
        return self._kept[name]


def transfer(sockets, sends, receives):
    """Sends each peer its bytes while the receives fill, all at once: in turns, peers would wait for each
    other. `sends` and `receives` map a peer to an array."""
    left = {selectors.EVENT_WRITE: _views(sends), selectors.EVENT_READ: _views(receives)}
    with selectors.DefaultSelector() as selector:
        for peer in dict.fromkeys([*sends, *receives]):
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


def reduce_ring(peers, coder, values, residuals, key):
    """reduce_scatter of float32 around a ring."""
    parts = parts_of(values, peers.ranks)
    _reduce_around(peers, parts)
    return parts[peers.rank]


def reduce_all_to_all(peers, coder, values, residuals, key):
    """Every rank sends each other one its encoded part."""
    parts = parts_of(values, peers.ranks)
    wires = coder.empty_wires(*parts.shape)
    lost = residuals.rows("values", parts)
    for peer, part in enumerate(parts):
        coder.encode(part, key=_of_row(key, peer, parts), out=wires[peer], residual=lost[peer])
    mine = np.empty(parts.shape[1], np.float32)
    coder.sum(_swap(peers, dict(enumerate(wires)), wires), mine)
    return mine


REDUCTIONS = {"ring": reduce_ring, "all_to_all": reduce_all_to_all}


def gather_around(peers, rows):
    """all_gather around a ring, of a row from each rank."""
    for step in range(peers.ranks - 1):
        _pass_on(peers, rows[peers.rank - step], rows[peers.rank - 1 - step])


def sum_around(peers, values):
    """reduce_scatter and all_gather around a ring."""
    parts = parts_of(values, peers.ranks)
    _reduce_around(peers, parts)
    gather_around(peers, parts)
    _put(parts, values)


def ring(peers, coder, values, residuals, key):
    """In float32."""
    sum_around(peers, values)


def coded_ring(peers, coder, values, residuals, key):
    """A ring of wires: each rank adds its own part to the one that arrives, and encodes the sum."""
    parts = parts_of(values, peers.ranks)
    wires = coder.empty_wires(*parts.shape)
    for step in range(1, peers.ranks):
        row = peers.rank - step
        coder.encode(parts[row], key=_of_row(key, row, parts), out=wires[row])
        _pass_on(peers, wires[row], wires[row - 1])
        coder.add(wires[row - 1], parts[row - 1])
    coder.encode(parts[peers.rank], key=_of_row(key, peers.rank, parts), out=wires[peers.rank])
    gather_around(peers, wires)
    _decode_all(coder, wires, parts, values)


def all_to_all(peers, coder, values, residuals, key):
    """Each rank sums a part of all values, encodes the sum and sends it to all."""
    mine = reduce_all_to_all(peers, coder, values, residuals, key)
    wire = coder.encode(mine, key=key._replace(tensor=key.tensor + 1),
                        residual=residuals.rows("sum", mine[np.newaxis])[0])
    wires = coder.empty_wires(peers.ranks, mine.size)
    _decode_all(coder, _swap(peers, dict.fromkeys(range(peers.ranks), wire), wires),
                parts_of(values, peers.ranks), values)


def all_gather(peers, coder, values, residuals, key):
    """Every rank sends its encoded values to every other one, and sums all."""
    wire = coder.encode(values, key=key, residual=residuals.rows("values", values[np.newaxis])[0])
    wires = coder.empty_wires(peers.ranks, values.size)
    gathered = _swap(peers, dict.fromkeys(range(peers.ranks), wire), wires)
    coder.sum(gathered, values)


COLLECTIVES = {function.__name__: function for function in (ring, coded_ring, all_to_all, all_gather)}


def parts_of(values, ranks):
    """In equal rows, one for each rank: the values themselves, or if those do not fill the rows a copy with
    zeros at its end."""
    if values.size % (ranks * ALIGNMENT) == 0:
        return values.reshape(ranks, -1)
    parts = np.zeros((ranks, part_size(values.size, ranks)), np.float32)
    parts.reshape(-1)[:values.size] = values
    return parts


def part_size(elements, ranks):
    return -(-elements // (ranks * ALIGNMENT)) * ALIGNMENT


def _reduce_around(peers, parts):
    """Row r becomes the sum at rank r."""
    arrived = np.empty_like(parts[0])
    for step in range(1, peers.ranks):
        _pass_on(peers, parts[peers.rank - step], arrived)
        np.add(parts[peers.rank - step - 1], arrived, out=parts[peers.rank - step - 1])


def _pass_on(peers, sent, arrives):
    after, before = (peers.rank + 1) % peers.ranks, (peers.rank - 1) % peers.ranks
    transfer(peers.sockets, {after: sent}, {before: arrives})


def _of_row(key, row, parts):
    return key._replace(first_element=row % len(parts) * parts.shape[1])


def _put(parts, values):
    if not np.shares_memory(parts, values):
        values[:] = parts.reshape(-1)[:values.size]


def _decode_all(coder, wires, parts, values):
    for wire, part in zip(wires, parts):
        coder.decode(wire, out=part)
    _put(parts, values)


def _swap(peers, sends, like):
    """Row `peer` of the result is what `peer` sent to this rank; its own is what it sends to itself. Each rank
    begins with another peer: if all began with the same one, its line would be shared and others idle."""
    arrived = np.empty_like(like)
    arrived[peers.rank] = sends[peers.rank]
    others = [(peers.rank + distance) % peers.ranks for distance in range(1, peers.ranks)]
    transfer(peers.sockets, {peer: sends[peer] for peer in others}, {peer: arrived[peer] for peer in others})
    return arrived
