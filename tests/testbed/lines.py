# SPDX-License-Identifier: Apache-2.0
"""Shaped lines: a bridge, and for each rank a pair of virtual Ethernet devices whose ends limit the rate of
what they send (`tc tbf`). The commands of ip and tc that make them, and the kernel's counters."""
import array
import fcntl
import json
import socket
import struct
import subprocess
from pathlib import Path

ETHTOOL_STSO, SIOCETHTOOL = 0x1f, 0x8946  # linux/ethtool.h, linux/sockios.h
BRIDGE = "bridge"
QUEUE = "64m"  # bytes that a line holds before it drops some: more than what all sockets have under way
HEADERS = 14 + 20 + 32  # bytes of Ethernet, IP and TCP with time stamps, of each segment and each ACK
SEGMENT = 1500 - 20 - 32  # bytes of payload
# Of the simulator's connections (sites.toml): a window of 16 MiB, half of a buffer; and they reach their rate
# at once, so that one that was idle goes on with the window that it had.
TCP = {"tcp_rmem": "4096 131072 33554432", "tcp_wmem": "4096 131072 33554432",
       "tcp_slow_start_after_idle": "0"}


def address(rank):
    return f"10.0.0.{rank + 1}"


def rank_of(address_of_rank):
    return int(address_of_rank.rsplit(".", 1)[1]) - 1


def name(rank):
    """Of the end of its line that is not the rank's."""
    return f"line{rank}"


def bridge():
    """Without IPv6's addresses and without multicast, of which nothing else would be sent."""
    return [_ip(f"link add {BRIDGE} type bridge mcast_snooping 0"),
            _ip(f"link set {BRIDGE} addrgenmode none up")]


def line(job, rank, process):
    """To eth0 in the network namespace of a process, from the bridge, or from delay.py if lines delay."""
    other_end = "" if job["delay_s"] else f"master {BRIDGE}"
    return [_ip(f"link add {name(rank)} type veth peer name eth0 address 02:00:00:00:00:{rank + 1:02x} "
                f"netns {process}"),
            _ip(f"link set {name(rank)} addrgenmode none {other_end} up"), _shaped(name(rank), job)]


def own_line(job, rank):
    """The end in the rank's own namespace, which the rank itself sets up."""
    return [_ip("link set lo up"),
            _ip(f"link set eth0 addrgenmode none gso_max_segs {_segments_at_once(job)}"),
            _ip(f"address add {address(rank)}/24 dev eth0"), _ip("link set eth0 up"),
            _shaped("eth0", job)]


def set_up_tcp():
    """In the rank's own namespace."""
    for setting, value in TCP.items():
        Path("/proc/sys/net/ipv4", setting).write_text(value)


def sent(ranks):
    """Bytes and packets that each rank has sent, as the kernel counts them at the other end of its line."""
    said = subprocess.run(_ip("-json -stats link show"), check=True, stdout=subprocess.PIPE)
    counters = {link["ifname"]: link["stats64"]["rx"] for link in json.loads(said.stdout)}
    return [{of: counters[name(rank)][of] for of in ("bytes", "packets")} for rank in range(ranks)]


def segment_like_ethernet(device):
    """A virtual device otherwise takes 64 KiB with one header, as one packet: ethtool -K DEVICE tso off."""
    off = array.array("I", [ETHTOOL_STSO, 0])
    request = struct.pack("16sP", device.encode(), off.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCETHTOOL, request.ljust(40, b"\0"))  # sizeof(struct ifreq)


def _segments_at_once(job):
    """A fifth of a millisecond of the line. Nothing passes what TCP hands over at once, no ACK either."""
    return max(1, min(40, int(job["rate_bps"] * 0.0002 / 8 / 1514)))


def _burst(job):
    """Bytes that a line lets through at once after a pause: half a millisecond of it, at least two segments."""
    return max(2 * 1514, int(job["rate_bps"] * 0.0005 / 8))


def _ip(arguments):
    return ["ip", *arguments.split()]


def _shaped(device, job):
    return ["tc", *f"qdisc add dev {device} root tbf rate {job['rate_bps']}bit burst {_burst(job)} "
            f"limit {QUEUE}".split()]
