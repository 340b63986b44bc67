// SPDX-License-Identifier: Apache-2.0
// The keys of a file of sites but for those of its sites and links.
#include "sim/topology/wide_area_fields.hpp"

namespace sim {
namespace {

constexpr NumberRange kConnections = from_to(1, 65'536);
constexpr int kMostRounds = 1'000'000;  // between two checkpoints

constexpr Field<WideArea> kAreaFields[] = {
    field<&WideArea::summary>("summary", kAny, kRequired,
                              "One-line description, shown by `gardenhose list sites`."),
};

constexpr EnumName<Transport::Kind> kKinds[] = {{"tcp", Transport::Kind::tcp},
                                                {"rdma", Transport::Kind::rdma}};
constexpr EnumName<Transport::Sender> kSenders[] = {{"gpu", Transport::Sender::gpu},
                                                    {"node", Transport::Sender::node},
                                                    {"site", Transport::Sender::site}};
constexpr EnumName<Tcp::Control> kControls[] = {{"reno", Tcp::Control::reno},
                                                {"cubic", Tcp::Control::cubic}};

// [tcp] and [rdma] are named as their transports are.
constexpr Condition<Transport> kOfTransport{"wan.transport",
                                            [](const Transport& x, std::string_view key) {
                                              return key.starts_with(name_of(x.kind, kKinds));
                                            }};

constexpr Field<Transport> kConnectionFields[] = {
    choice<&Transport::kind, kKinds>("wan.transport", kRequired,
                                     "Transport of the connections between sites. It decides "
                                     "whether `[tcp]` or `[rdma]` is required."),
    choice<&Transport::sender, kSenders>(
        "wan.sender", kRequired,
        "Senders that connect to the other sites: every GPU, one per node, or one per site."),
    field<&Transport::tcp, &Tcp::streams>("tcp.streams", kConnections, needed("required with tcp"),
                                          "TCP streams per connection.")
        .only(kOfTransport),
    field<&Transport::tcp, &Tcp::window>(
        "tcp.window", kAboveZero, needed("required with tcp"),
        "Largest window of a stream, which sends at most one window per round trip.", "64 MiB")
        .only(kOfTransport),
    field<&Transport::tcp, &Tcp::segment>("tcp.segment", kAboveZero, needed("required with tcp"),
                                          "Payload of one segment.", "1460 B")
        .only(kOfTransport),
    choice<&Transport::tcp, kControls, &Tcp::control>("tcp.congestion_control",
                                                      needed("required with tcp"),
                                                      "How a stream reacts to packet loss.")
        .only(kOfTransport),
    field<&Transport::rdma, &Rdma::buffer>(
        "rdma.buffer", kAboveZero, needed("required with rdma"),
        "Bytes in flight per channel, whatever its number of queue pairs.", "4 MiB")
        .only(kOfTransport),
    field<&Transport::rdma, &Rdma::channels>("rdma.channels", kConnections,
                                             needed("required with rdma"),
                                             "Channels of each sender to each other site.")
        .only(kOfTransport),
};

constexpr Condition<WideArea> kOfComers{
    "", [](const WideArea& area, std::string_view) { return has_comers(area); },
    "applies where a site leaves; write sites.NAME.stays, or remove it"};
constexpr Condition<WideArea> kOfCheckpoints{
    "checkpoint_rounds",
    [](const WideArea& area, std::string_view) { return area.checkpoints.has_value(); },
    "applies with checkpoints; write checkpoint_rounds, or remove it"};

constexpr Field<WideArea> kMembershipFields[] = {
    field<&WideArea::detection>("detection", kAny, needed("required with stays"),
                                "Time until the others notice that a site has left.", "6 s")
        .only(kOfComers),
    field<&WideArea::checkpoints, &OuterCheckpoints::rounds>(
        "checkpoint_rounds", from_to(1, kMostRounds),
        left_out("no checkpoints, and the outer state is never lost"),
        "Rounds from one checkpoint of the outer state to the next. Training waits while one of "
        "the sites writes it, unless it is asynchronous. When all sites that hold the state have "
        "left, it goes on from the last checkpoint.")
        .only(kOfComers),
    field<&WideArea::checkpoints, &OuterCheckpoints::bandwidth>(
        "checkpoint_bandwidth", kAboveZero, needed("required with checkpoint_rounds"),
        "Bandwidth of one site's transfers to and from the storage of the checkpoints.", "10 Gbps")
        .only(kOfComers)
        .only(kOfCheckpoints),
    field<&WideArea::checkpoints, &OuterCheckpoints::asynchronous>(
        "checkpoint_asynchronous", kAny, left_out("false"),
        "A checkpoint is written beside the rounds that follow. Training waits only if the one "
        "before is not written when the next is due.")
        .only(kOfComers)
        .only(kOfCheckpoints),
};

constexpr Usual kOfAStore = needed("required if there is a [store]");

constexpr Field<Store> kStoreFields[] = {
    field<&Store::upload>("upload", kAboveZero, kOfAStore,
                          "Bandwidth of one site's upload to the storage.", "10 Gbps"),
    field<&Store::download>("download", kAboveZero, kOfAStore,
                            "Bandwidth of one site's download from the storage.", "10 Gbps"),
    field<&Store::request>("request", kAny, kOfAStore,
                           "Time from a request to the first byte of the response.", "50 ms"),
    field<&Store::latency>("latency", kAny, kOfAStore, "One-way latency from any site.", "30 ms"),
    field<&Store::egress>("egress", kAny, kOfAStore, "Price of download traffic."),
};

constexpr Usual kOfASyncer = needed("required if there is a [syncer]");

constexpr Field<Syncer> kSyncerFields[] = {
    field<&Syncer::uplink>("uplink", kAboveZero, kOfASyncer,
                           "Bandwidth out of the syncer, shared by what it sends to all sites.",
                           "400 Gbps"),
    field<&Syncer::downlink>("downlink", kAboveZero, kOfASyncer,
                             "Bandwidth into the syncer, shared by what all sites send.",
                             "400 Gbps"),
    field<&Syncer::latency>("latency", kAny, kOfASyncer, "One-way latency to any site.", "10 ms"),
    field<&Syncer::egress>("egress", kAny, kOfASyncer,
                           "Price of the traffic that the syncer sends."),
    field<&Syncer::memory_bandwidth>(
        "memory_bandwidth", kAboveZero, left_out("no limit"),
        "Memory bandwidth of the syncer's hosts together. Summing takes the bytes that it reads "
        "and writes over this rate.",
        "300 GBps"),
};

}  // namespace

std::span<const Field<WideArea>> area_fields() { return kAreaFields; }
std::span<const Field<Transport>> connection_fields() { return kConnectionFields; }
std::span<const Field<WideArea>> membership_fields() { return kMembershipFields; }
std::span<const Field<Store>> store_fields() { return kStoreFields; }
std::span<const Field<Syncer>> syncer_fields() { return kSyncerFields; }

}  // namespace sim
