// SPDX-License-Identifier: Apache-2.0
// The keys of a file of several sites.
#include "sim/cluster/wide_area.hpp"

namespace sim {
namespace {

// Meanings of keys that several tables have.
constexpr std::string_view kChanges =
    "`\"100 s: 0.5\"`: from 100 s on, this share of the rate; 0 is an outage. In order of time.";
constexpr std::string_view kRepeats = "Period after which the changes start over.";
constexpr std::string_view kPathBandwidth =
    "Bandwidth per direction, shared by all transfers on the path.";
constexpr std::string_view kBackgroundMeaning = "Share of `bandwidth` that other traffic takes.";

constexpr TomlKey kWideAreaKeys[] = {
    {"summary", "text", "", "One line for `gardenhose list sites`."},
    {"wan.transport", "one of tcp, rdma", "",
     "What a connection between sites uses; it decides which of `[tcp]` and `[rdma]` is needed."},
    {"wan.sender", "one of gpu, node, site", "",
     "Who opens a connection to the other site: each GPU, one per node, or one per site."},
    {"tcp.streams", "whole number from 1 to 65536", "needed with tcp",
     "TCP streams of one connection."},
    {"tcp.window", "size above 0", "needed with tcp",
     "Largest window of a stream. It limits a stream to one window per round trip."},
    {"tcp.segment", "size above 0", "needed with tcp", "Payload of one segment."},
    {"tcp.congestion_control", "one of reno, cubic", "needed with tcp",
     "How a stream reacts to loss."},
    {"rdma.buffer", "size above 0", "needed with rdma",
     "Bytes in flight of one channel and queue pair."},
    {"rdma.channels", "whole number from 1 to 65536", "needed with rdma",
     "Channels of one connection."},
    {"rdma.queue_pairs", "whole number from 1 to 65536", "needed with rdma",
     "Queue pairs of one channel."},
    {"sites.NAME.count", "whole number from 0 to 1024", "1",
     "Number of equal sites that this table stands for; 0 leaves them out."},
    {"sites.NAME.cluster", "text", "",
     "The cluster inside the site: a shipped topology, or a file beside this one."},
    {"sites.NAME.nodes", "whole number from 1 to 65536", "all nodes of the cluster",
     "Use the first nodes of the cluster only."},
    {"sites.NAME.power_cap", "power above 0", "no cap",
     "Power of all GPUs of the site together. Below what they draw, their clocks fall with the "
     "cube root."},
    {"sites.NAME.uplink", "bandwidth above 0", "", "Bandwidth out of the site."},
    {"sites.NAME.downlink", "bandwidth above 0", "", "Bandwidth into the site."},
    {"sites.NAME.egress", "price of traffic", "", "Price of what the site sends."},
    {"sites.NAME.speed", "number from 0.001 to 1", "1",
     "Speed of the site's steps relative to what its GPUs can do."},
    {"sites.NAME.late", "time", "0 s", "Delay with which the site begins the round."},
    {"sites.NAME.drops_out", "time", "never",
     "Time into the round at which the site leaves for good."},
    {"sites.NAME.changes", "list of texts", "the rate never changes", kChanges},
    {"sites.NAME.repeats", "time above 0", "the changes happen once", kRepeats},
    {"backbone.bandwidth", "bandwidth above 0", "no limit", kPathBandwidth},
    {"backbone.latency", "time", "", "One-way latency."},
    {"backbone.loss", "number from 0 to 0.5", "", "Share of packets lost."},
    {"backbone.background", "number from 0 to 0.999", "0", kBackgroundMeaning},
    {"backbone.price", "price per hour", "0 USD/h", "Price of the lease."},
    {"backbone.changes", "list of texts", "the rate never changes", kChanges},
    {"backbone.repeats", "time above 0", "the changes happen once", kRepeats},
    {"links.NAME.between", "list of texts", "", "The two tables of `[sites]` that the link joins."},
    {"links.NAME.bandwidth", "bandwidth above 0", "no limit", kPathBandwidth},
    {"links.NAME.latency", "time", "", "One-way latency."},
    {"links.NAME.loss", "number from 0 to 0.5", "", "Share of packets lost."},
    {"links.NAME.background", "number from 0 to 0.999", "0", kBackgroundMeaning},
    {"links.NAME.price", "price per hour", "0 USD/h", "Price of the lease."},
    {"links.NAME.changes", "list of texts", "the rate never changes", kChanges},
    {"links.NAME.repeats", "time above 0", "the changes happen once", kRepeats},
    {"store.upload", "bandwidth above 0", "needed where there is a [store]",
     "Bandwidth of one site's upload, as the storage serves it."},
    {"store.download", "bandwidth above 0", "needed where there is a [store]",
     "Bandwidth of one site's download."},
    {"store.request", "time", "needed where there is a [store]",
     "Time from a request to its first byte."},
    {"store.latency", "time", "needed where there is a [store]", "One-way latency from any site."},
    {"store.egress", "price of traffic", "needed where there is a [store]",
     "Price of what is downloaded."},
};

}  // namespace

std::span<const TomlKey> wide_area_keys() { return kWideAreaKeys; }

}  // namespace sim
