# SPDX-License-Identifier: Apache-2.0
"""Connections between the ranks of a job, and what TCP says of them."""
import socket
import sys
import time

import exchange

PORT = 29500
PATIENCE_S = 60  # for ranks that start later


def peers(server, addresses, rank, port=PORT):
    """A connection to each other rank; of two, the higher one connects, and says which it is."""
    sockets = {}
    for peer in range(rank):
        sockets[peer] = connected(addresses[peer], port)
        sockets[peer].sendall(bytes([rank]))
    while len(sockets) < len(addresses) - 1:
        connection, _ = server.accept()
        sockets[connection.recv(1)[0]] = connection
    for connection in sockets.values():
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(False)
    return exchange.Peers(rank, sockets)


def connected(address, port):
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return socket.create_connection((address, port), timeout=PATIENCE_S)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def sent(all_peers):
    """Bytes of payload, and of those what TCP has sent again."""
    return {"payload": sum(_tcp_info(one, 200, 8) for one in all_peers.sockets.values()),  # tcpi_bytes_sent
            "again": sum(_tcp_info(one, 208, 8) for one in all_peers.sockets.values())}  # tcpi_bytes_retrans


def round_trip_s(all_peers):
    """The shortest that TCP has seen."""
    return min(_tcp_info(one, 148, 4) for one in all_peers.sockets.values()) / 1e6  # tcpi_min_rtt


def _tcp_info(connection, offset, size):
    """A number of struct tcp_info, linux/tcp.h."""
    fields = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 216)
    return int.from_bytes(fields[offset:offset + size], sys.byteorder)
