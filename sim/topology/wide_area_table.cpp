// SPDX-License-Identifier: Apache-2.0
// The keys of a sites file.
#include "sim/topology/wide_area.hpp"

namespace sim {
namespace {

// Meanings of keys that several tables have.
constexpr std::string_view kSiteChanges =
    "Changes in the rate of the site's uplink and downlink, in chronological order. "
    "`\"100 s: 0.5\"`: half the rate from 100 s on; 0 is an outage.";
constexpr std::string_view kPathChanges =
    "Changes in the rate of the path, in chronological order. "
    "`\"100 s: 0.5\"`: half the rate from 100 s on; 0 is an outage.";
constexpr std::string_view kOfTheJob = "the job's";
constexpr std::string_view kRepeats = "Period after which the changes start over.";
constexpr std::string_view kBackgroundMeaning = "Fraction of `bandwidth` taken by other traffic.";

constexpr TomlKey kWideAreaKeys[] = {
    {"summary", "string", "", "One-line description, shown by `gardenhose list sites`."},
    {"wan.transport", "one of tcp, rdma", "",
     "Transport of the connections between sites. It decides whether `[tcp]` or `[rdma]` is "
     "required."},
    {"wan.sender", "one of gpu, node, site", "",
     "Senders that connect to the other sites: every GPU, one per node, or one per site."},
    {"tcp.streams", "whole number from 1 to 65536", "required with tcp",
     "TCP streams per connection."},
    {"tcp.window", "size above 0", "required with tcp",
     "Largest window of a stream, which sends at most one window per round trip.", "64 MiB"},
    {"tcp.segment", "size above 0", "required with tcp", "Payload of one segment.", "1460 B"},
    {"tcp.congestion_control", "one of reno, cubic", "required with tcp",
     "How a stream reacts to packet loss."},
    {"rdma.buffer", "size above 0", "required with rdma",
     "Bytes in flight per channel, whatever its number of queue pairs.", "4 MiB"},
    {"rdma.channels", "whole number from 1 to 65536", "required with rdma",
     "Channels of each sender to each other site."},
    {"sites.NAME.count", "whole number from 0 to 16384", "1",
     "Number of identical sites that this table describes, named `NAME_0`, `NAME_1`, ... in "
     "reports; 0 leaves them out."},
    {"sites.NAME.cluster", "string", "",
     "Cluster at the site: a shipped topology, or a file next to this one."},
    {"sites.NAME.nodes", "whole number from 1 to 65536", "all nodes of the cluster",
     "Number of the cluster's nodes to use, starting with the first."},
    {"sites.NAME.power_cap", "power above 0", "no limit",
     "Power limit for all GPUs of the site together. If they would otherwise draw more, their "
     "clock rate is reduced in proportion to the square root of the limit.",
     "100 kW"},
    {"sites.NAME.uplink", "bandwidth above 0", "", "Bandwidth out of the site.", "10 Gbps"},
    {"sites.NAME.downlink", "bandwidth above 0", "", "Bandwidth into the site.", "10 Gbps"},
    {"sites.NAME.egress", "price of traffic", "", "Price of the traffic that the site sends."},
    {"sites.NAME.region", "string", "a region of its own",
     "Region of the site: schemes with `across_every` exchange more often inside regions than "
     "between them."},
    {"sites.NAME.speed", "number from 0.001 to 1", "1",
     "Speed of the site's steps, relative to the full speed of its GPUs."},
    {"sites.NAME.micro_batch", "whole number from 1 to 65536", kOfTheJob,
     "Sequences of a micro-batch at the site."},
    {"sites.NAME.accumulation", "whole number from 1 to 65536", kOfTheJob,
     "Micro-batches of an inner step, of each replica at the site."},
    {"sites.NAME.tp", "whole number from 1 to 65536", kOfTheJob,
     "Tensor parallelism inside the site."},
    {"sites.NAME.pp", "whole number from 1 to 65536", kOfTheJob,
     "Pipeline parallelism inside the site."},
    {"sites.NAME.zero", "whole number from 0 to 3", kOfTheJob,
     "ZeRO stage inside the site; the software stays that of the job."},
    {"sites.NAME.inner_scheme", "string", kOfTheJob,
     "Shipped scheme for weights and gradients inside the site. Unless `zero` is given, it runs at "
     "the job's stage if it is defined there."},
    {"sites.NAME.inner_steps", "whole number from 1 to 100000", "the scheme's",
     "Inner steps of the site in a round; for schemes that exchange in every step, 1 whatever is "
     "written."},
    {"sites.NAME.late", "time", "0 s", "Delay before the site begins each round.", "10 s"},
    {"sites.NAME.drops_out", "time", "never",
     "Time into a round at which the site is lost. The time of a round is that of one in which the "
     "others miss it.",
     "60 s"},
    {"sites.NAME.stays", "time above 0", "for ever",
     "Mean time from joining until the site leaves, of an exponential law: `run` then adds what a "
     "month brings.",
     "12 h"},
    {"sites.NAME.returns_after", "time above 0", "required with stays",
     "Mean time from leaving until the site is back, of an exponential law. It then loads the "
     "weights and the optimizer's state, and takes part from the next round on.",
     "2 h"},
    {"membership.detection", "time", "required with stays",
     "Time until the others notice that a site has left.", "6 s"},
    {"membership.checkpoint_rounds", "whole number from 1 to 1000000",
     "no checkpoints, and the outer state is never lost",
     "Rounds from one checkpoint of the outer state to the next. Training waits while one of the "
     "sites writes it. When all sites that hold the state have left, it goes on from the last "
     "checkpoint."},
    {"membership.checkpoint_bandwidth", "bandwidth above 0", "required with checkpoint_rounds",
     "Bandwidth of one site's transfers to and from the storage of the checkpoints.", "10 Gbps"},
    {"sites.NAME.changes", "list of strings", "the rate never changes", kSiteChanges},
    {"sites.NAME.repeats", "time above 0", "the changes happen once", kRepeats, "24 h"},
    {"backbone.bandwidth", "bandwidth above 0", "no limit",
     "Combined bandwidth of both directions, shared by all pairs of sites without a link.",
     "10 Gbps"},
    {"backbone.latency", "time", "", "One-way latency.", "30 ms"},
    {"backbone.loss", "number from 0 to 0.5", "", "Fraction of packets lost.", "0.0001"},
    {"backbone.background", "number from 0 to 0.999", "0", kBackgroundMeaning, "0.1"},
    {"backbone.price", "price per hour", "0 USD/h", "Price of the lease.", "50 USD/h"},
    {"backbone.changes", "list of strings", "the rate never changes", kPathChanges},
    {"backbone.repeats", "time above 0", "the changes happen once", kRepeats, "24 h"},
    {"links.NAME.between", "list of strings", "",
     "Names of the two `[sites]` tables that the link joins; the same name twice joins the sites "
     "of "
     "that table to each other."},
    {"links.NAME.bandwidth", "bandwidth above 0", "no limit",
     "Bandwidth per direction, shared by all pairs of sites that the link joins.", "10 Gbps"},
    {"links.NAME.latency", "time", "", "One-way latency.", "30 ms"},
    {"links.NAME.loss", "number from 0 to 0.5", "", "Fraction of packets lost.", "0.0001"},
    {"links.NAME.background", "number from 0 to 0.999", "0", kBackgroundMeaning, "0.1"},
    {"links.NAME.price", "price per hour", "0 USD/h", "Price of the lease.", "50 USD/h"},
    {"links.NAME.changes", "list of strings", "the rate never changes", kPathChanges},
    {"links.NAME.repeats", "time above 0", "the changes happen once", kRepeats, "24 h"},
    {"links.NAME.dead", "true or false", "false",
     "Whether the link carries nothing. Other sites then pass its traffic on, by the fastest way."},
    {"store.upload", "bandwidth above 0", "required if there is a [store]",
     "Bandwidth of one site's upload to the storage.", "10 Gbps"},
    {"store.download", "bandwidth above 0", "required if there is a [store]",
     "Bandwidth of one site's download from the storage.", "10 Gbps"},
    {"store.request", "time", "required if there is a [store]",
     "Time from a request to the first byte of the response.", "50 ms"},
    {"store.latency", "time", "required if there is a [store]", "One-way latency from any site.",
     "30 ms"},
    {"store.egress", "price of traffic", "required if there is a [store]",
     "Price of download traffic."},
    {"syncer.uplink", "bandwidth above 0", "required if there is a [syncer]",
     "Bandwidth out of the syncer, shared by what it sends to all sites.", "400 Gbps"},
    {"syncer.downlink", "bandwidth above 0", "required if there is a [syncer]",
     "Bandwidth into the syncer, shared by what all sites send.", "400 Gbps"},
    {"syncer.latency", "time", "required if there is a [syncer]", "One-way latency to any site.",
     "10 ms"},
    {"syncer.egress", "price of traffic", "required if there is a [syncer]",
     "Price of the traffic that the syncer sends."},
    {"syncer.memory_bandwidth", "bandwidth above 0", "no limit",
     "Memory bandwidth of the syncer's hosts together. Summing takes the bytes that it reads and "
     "writes over this rate.",
     "300 GBps"},
};

}  // namespace

std::span<const TomlKey> wide_area_keys() { return kWideAreaKeys; }

}  // namespace sim
