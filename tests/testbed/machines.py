#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the testbed's jobs on two or more machines, a process on each, over the network that joins them. One
command on each; the first one says what runs, and prints it beside the predictions:

    tests/testbed/machines.py --hosts 192.0.2.1,192.0.2.2 --rank 1
    tests/testbed/machines.py --hosts 192.0.2.1,192.0.2.2 --rank 0 --rate 10Gbps --schemes data_parallel,top_k

All need the same checkout, NumPy, and a build of gardenhose_codecs; the first one of gardenhose, too. Whoever
reaches the ports 29500 and 29501 while it runs is believed: run it in a network that you trust. The delay between
the machines is measured. Flags of jobs count on the first one.
"""
import argparse
import json
import os
import socket
import sys
import tomllib

sys.dont_write_bytecode = True
import connections  # noqa: E402
import jobs  # noqa: E402
import rows  # noqa: E402
import scheme_rules  # noqa: E402
import simulated  # noqa: E402
from options import add_job_flags, ended, options_of  # noqa: E402

ORDERS = connections.PORT + 1


def main():
    given = parse()
    sys.path.insert(0, str(given.build / "python"))
    os.environ.update(jobs.KEPT)
    with socket.create_server((given.hosts[given.rank], connections.PORT)) as server:
        return lead(given, server) if given.rank == 0 else follow(given, server)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=lambda names: names.split(","), required=True,
                        help="addresses of all machines, by rank, separated by commas")
    parser.add_argument("--rank", type=int, required=True, help="of this machine, from 0")
    add_job_flags(parser)
    given = parser.parse_args()
    if not 2 <= len(given.hosts) <= 4 or not 0 <= given.rank < len(given.hosts):
        parser.error("--rank: is that of one of two to four --hosts")
    given.ranks = len(given.hosts)
    return given


def lead(given, server):
    options = options_of(given)._replace(apart=True)
    chosen = [(scheme, scheme_rules.rules(options.build, scheme)) for scheme in given.schemes]
    note(f"waiting for {', '.join(given.hosts[1:])}")
    with socket.create_server((given.hosts[0], ORDERS)) as orders:
        followers = [orders.accept()[0].makefile("rw") for _ in given.hosts[1:]]
    peers = connections.peers(server, given.hosts, 0)
    options = options._replace(delay_ms=message_ms(options, peers))
    rows.print_each(compared(options, scheme, rules, peers, followers) for scheme, rules in chosen)
    return 0


def compared(options, scheme, rules, peers, followers):
    charged = simulated.report(options.build, simulated.flags_of(options, scheme, rules))
    job = jobs.job_of(options, rules)
    for follower in followers:
        tell(follower, job)
    ranks = [trained(job, peers), *(json.loads(follower.readline()) for follower in followers)]
    return rows.of_machines(options, rules["kind"], charged, ranks)


def message_ms(options, peers):
    """What a message between idle machines takes: half of TCP's round trip, beside the time of the hosts."""
    host = tomllib.loads((simulated.INPUTS / options.host_file).read_text())
    return round(float(host["network"]["latency"].removesuffix(" us")) / 1e3 + 500 * connections.round_trip_s(peers), 4)


def follow(given, server):
    """Until the first machine ends."""
    note(f"waiting for {given.hosts[0]}, at most {connections.PATIENCE_S} s")
    orders = connections.connected(given.hosts[0], ORDERS).makefile("rw")
    peers = connections.peers(server, given.hosts, given.rank)
    for line in orders:
        tell(orders, trained(json.loads(line), peers))
    return 0


def trained(job, peers):
    from training import Training  # needs the build's folder in the path
    return Training(job, peers).run()


def note(text):
    print(f"machines.py: {text}", file=sys.stderr)


def tell(whom, what):
    print(json.dumps(what), file=whom, flush=True)


if __name__ == "__main__":
    sys.exit(ended(main))
