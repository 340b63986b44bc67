# SPDX-License-Identifier: Apache-2.0
# Written by docs/generate_reference.py from the program's tables; do not edit.
"""bom(), and what it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Literal, Mapping, Optional

from .._arguments import Named, Values
from .._call import one
from .._results import Record
from .units import Count, Text, Watts, Dollars


class PartsListLines(Record):
    """One of `lines`."""

    part: Text
    where: Text
    count: Count
    price_each_USD: Dollars
    price_USD: Dollars
    power_each_W: Watts
    power_W: Watts

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "part", "where", "count", "price_each_USD", "price_USD", "power_each_W", "power_W"
        ]) -> Any: ...


class PartsList(Record):
    """A result of `gardenhose bom`."""

    topology: Text
    nodes: Count
    gpus: Count
    fabric: Text
    fabric_nodes: Count
    fabric_gpus: Count
    parts: Text
    cables_per_switch: Count
    switch_ports: Count
    switch_ports_used: Count
    price_USD: Dollars
    price_per_gpu_USD: Dollars
    power_W: Watts
    power_per_gpu_W: Watts
    lines: List[PartsListLines]

    if TYPE_CHECKING:

        def __getitem__(self, key: Literal[  # type: ignore[override]
            "topology", "nodes", "gpus", "fabric", "fabric_nodes", "fabric_gpus", "parts",
            "cables_per_switch", "switch_ports", "switch_ports_used", "price_USD",
            "price_per_gpu_USD", "power_W", "power_per_gpu_W", "lines"
        ]) -> Any: ...


def bom(inputs: Optional[Mapping[str, object]] = None, *, topology: Optional[Values] = None,
        nodes: Optional[Values] = None, parts: Optional[Values] = None,
        set: Optional[Named] = None) -> PartsList:
    """Counts the switches, transceivers and cables that a cluster's network needs, tier by tier,
    and adds up their prices and watts.

    Counts follow from the topology's [network]; switch ports, prices and watts from a file of
    parts. No vendor quoted the shipped ones, which are round numbers of the right size: copy
    traces/network_parts.toml and put in your quotes.

    Flags:
        topology: cluster: a shipped name (see gardenhose list) or a file
        parts: file of switch ports, prices and watts (default: traces/network_parts.toml)
        set: KEY=VALUE: set any key of the topology's file, e.g. network.oversubscription=2

    As of run(): nodes.

    Returns a PartsList, with prices and watts.
    """
    return one(PartsList, "bom", locals())
