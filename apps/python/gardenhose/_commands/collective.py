# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""collective(), and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Literal, Optional

from .._arguments import Named, Values
from .._call import several
from .._results import Record, Records
from .units import Number, Count, Text, Truth, Seconds, Bytes, BytesPerSecond


class PairsTime(Record):
    """One of `classes`."""

    way: Text
    switches: Count
    pairs: Count
    to: Count
    fastest_s: Seconds
    slowest_s: Seconds

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "way", "switches", "pairs", "from", "to", "fastest_s", "slowest_s"
        ]) -> Any: ...


class CollectiveTime(Record):
    """A result of `gardenhose collective`."""

    collective: Text
    topology: Text
    gpus: Count
    groups: Count
    size_bytes: Bytes
    time_s: Any
    algorithm_bandwidth_Bps: BytesPerSecond
    bus_bandwidth_Bps: BytesPerSecond
    algorithm: Text
    protocol: Text
    bounded_by: Text
    latency_share: Number
    busiest_link: Text
    busiest_link_set_by: Text
    busiest_link_busy_share: Number
    links_as_busy: Count
    codec: Text
    uncompressed_value_bytes: Bytes
    uncompressed_time_s: Seconds
    compressed_time_s: Seconds
    encode_s: Seconds
    exchange_s: Seconds
    decode_s: Seconds
    encoded_bytes: Bytes
    speedup: Number
    pays: Truth
    pays_from_bytes: Bytes
    kernel_times: Text
    message_bytes: Bytes
    at_once: Truth
    classes: List[PairsTime]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "collective", "topology", "gpus", "groups", "size_bytes", "time_s",
            "algorithm_bandwidth_Bps", "bus_bandwidth_Bps", "algorithm", "protocol", "bounded_by",
            "latency_share", "busiest_link", "busiest_link_set_by", "busiest_link_busy_share",
            "links_as_busy", "codec", "uncompressed_value_bytes", "uncompressed_time_s",
            "compressed_time_s", "encode_s", "exchange_s", "decode_s", "encoded_bytes", "speedup",
            "pays", "pays_from_bytes", "kernel_times", "message_bytes", "at_once", "classes"
        ]) -> Any: ...


def collective(collective: Optional[str] = None, *, topology: Optional[Values] = None,
               nodes: Optional[Values] = None, gpus_per_node: Optional[Values] = None,
               node_placement: Optional[Values] = None, traffic: Optional[Values] = None,
               split: Optional[Values] = None, begin: Optional[Values] = None,
               end: Optional[Values] = None, factor: Optional[Values] = None,
               algorithm: Optional[Values] = None, protocol: Optional[Values] = None,
               nccl: Optional[Values] = None, compress: Optional[Values] = None,
               precision: Optional[Values] = None, calibration: Optional[Values] = None,
               pairs: Optional[Values] = None, at_once: Optional[bool] = None,
               step_by_step: Optional[bool] = None,
               set: Optional[Named] = None) -> Records[CollectiveTime]:
    """Times a collective over a range of sizes: all_gather, reduce_scatter, all_reduce, all_to_all,
    broadcast (from the first rank) or send_receive (each rank to the next one), over all ranks or
    over several groups of ranks at once.

    Sizes and bandwidths are defined as in nccl-tests, so outputs compare directly: size is that of
    the whole buffer (for all_gather, the result; for all_to_all and send_receive, what each rank
    sends), algorithm bandwidth is size divided by time, and bus bandwidth is the traffic that must
    cross a rank's links, divided by time, which is constant on a perfect network. 'Bounded by'
    names what takes more of the time: latency, or the busiest link with the share of the time in
    which it is busy.

    compress compares it with the same collective of encoded values, and finds the size from which
    the codec pays. pairs times single messages between every two GPUs instead.

    Flags:
        collective: all_gather, reduce_scatter, all_reduce, all_to_all, broadcast or send_receive
        topology: cluster: a shipped name (see gardenhose list) or a file
        split: number of groups that run at once; ranks are assigned to them in turn: with 8 GPUs
            per node, split 8 gives the data-parallel groups of tp 8 (NCCL_TESTS_SPLIT="%8")
        begin: smallest size (default: 8 B)
        end: largest size (default: 8 GiB)
        factor: ratio of each size to the previous one (default: 2)
        compress: codec to encode values with before they are exchanged: a name (see gardenhose list
            codecs) or a card's file
        precision: bf16|fp32: precision of the uncompressed values, for compress (default: bf16)
        pairs: instead of a collective, time a message of this size from each GPU to each other one
        at_once: for pairs: all GPUs send at once, each to the one so many ranks further on
        set: KEY=VALUE: set any key of the topology's file, e.g. network.nic_bandwidth="200 Gbps"

    As of run(): nodes, gpus_per_node, node_placement, traffic, algorithm, protocol, nccl,
    calibration, step_by_step.

    Returns a CollectiveTime for each size; with `pairs`, one for all.
    """
    return several(CollectiveTime, "collective", locals())
