# SPDX-License-Identifier: Apache-2.0
"""A switch in place of the bridge that forwards each frame a stated time after it came, since not every
kernel has netem: delay.py RANKS SECONDS. The last byte of a rank's Ethernet address is its number, from 1.

It says "ready" once it listens. A frame is copied by Python, which is quick enough for some hundreds of
Mb/s; what comes faster overflows the kernel's buffers, and TCP sends it again.
"""
import collections
import errno
import json
import select
import socket
import sys
import time

import lines

# linux/if_packet.h and linux/if_ether.h; Python has no names of these.
SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING, ETH_P_ALL = 263, 15, 23, 3
VNET_HEADER = 10  # bytes before the frame: what of its checksum is left to do
LARGEST = VNET_HEADER + 65550
BUFFER = 4 * 2**20


def main():
    ranks, delay = int(sys.argv[1]), float(sys.argv[2])
    sockets = [port(lines.name(rank)) for rank in range(ranks)]
    print(json.dumps("ready"), flush=True)
    try:
        forward(sockets, delay)
    except OSError as error:
        if error.errno not in (errno.ENETDOWN, errno.ENODEV, errno.ENXIO):
            raise
        # A line goes with its rank: the job has ended, or says itself why not.


def port(line):
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    opened.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    opened.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
    opened.bind((line, ETH_P_ALL))
    opened.setblocking(False)
    return opened


def forward(sockets, delay):
    """Until a line is gone. The delay is the same for all, so that each port's frames are due in their order."""
    waiting = [collections.deque() for _ in sockets]
    while True:
        now = time.monotonic()
        due = [port for port, frames in zip(sockets, waiting) if frames and frames[0][0] <= now]
        times = [frames[0][0] - now for frames in waiting if frames and frames[0][0] > now]
        readable, writable, _ = select.select(sockets, due, [], min(times, default=None))
        for source in readable:
            frame = source.recv(LARGEST)
            for port in ports_of(frame, sockets.index(source), len(sockets)):
                waiting[port].append((time.monotonic() + delay, frame))
        for target in writable:
            target.send(waiting[sockets.index(target)].popleft()[1])


def ports_of(frame, source, ports):
    number = frame[VNET_HEADER + 5]
    if number == 0xff:
        return [port for port in range(ports) if port != source]
    return [number - 1] if 1 <= number <= ports else []


if __name__ == "__main__":
    main()
