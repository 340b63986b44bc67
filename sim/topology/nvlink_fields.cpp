// SPDX-License-Identifier: Apache-2.0
// The keys of [nvlink] and [collectives].
#include "sim/topology/cluster_fields.hpp"
#include "sim/topology/fabrics.hpp"
#include "sim/topology/transport_fields.hpp"

namespace sim {
namespace {

constexpr Condition<Nvlink> kOfPcie{
    "kind", [](const Nvlink& nvlink, std::string_view) { return nvlink.kind->bridges; }};

constexpr Field<Nvlink> kNvlinkFields[] = {
    choice<&Nvlink::kind, all_nvlink_fabrics>(
        "kind", kRequired,
        "`switched`: each GPU has one port of `bandwidth` into a non-blocking switch. `full_mesh`: "
        "each ordered pair of GPUs has its own link of `bandwidth`; at most 8 GPUs. `pcie`: no "
        "NVLink; each GPU has one port of `bandwidth` into a PCIe switch, and switches and sockets "
        "share links."),
    field<&Nvlink::bandwidth>("bandwidth", kAboveZero, kRequired,
                              "Bandwidth per direction of a GPU's port (`switched`, `pcie`) or of "
                              "a pair's link (`full_mesh`).",
                              "450 GBps"),
    field<&Nvlink::gpus_per_bridge>(
        "gpus_per_bridge", kPerNode, needed("required with pcie"),
        "GPUs that share a PCIe switch and its link to a host bridge; 1 if each has a host bridge.")
        .only(kOfPcie),
    field<&Nvlink::bridge_bandwidth>(
        "bridge_bandwidth", kAboveZero, left_out("`bandwidth`"),
        "Bandwidth of a PCIe switch's link to its host bridge, per direction.")
        .only(kOfPcie)
        .filled_by([](Nvlink& nvlink) {
          if (nvlink.kind->bridges) nvlink.bridge_bandwidth = nvlink.bandwidth;
        }),
    field<&Nvlink::gpus_per_socket>(
        "gpus_per_socket", kPerNode, needed("required with pcie"),
        "GPUs on each socket; a multiple of `gpus_per_bridge`, or fewer.")
        .only(kOfPcie),
    field<&Nvlink::socket_bandwidth>(
        "socket_bandwidth", kAboveZero, needed("required with pcie"),
        "Bandwidth of a socket's link to the other sockets, per direction.")
        .only(kOfPcie),
    transport_field<Nvlink, nvlink_transports>(
        "Generation of NVLink, or PCIe, as NCCL drives it. Gives every `latency`, `efficiency` and "
        "`launch` of this table and of `collectives` that the file leaves out."),
    field<&Nvlink::efficiency>(
        "efficiency", kShare, needed_without("transport"),
        "Fraction of `bandwidth` that a collective on large buffers achieves.", "0.9"),
    field<&Nvlink::latency>(
        "latency", kAny, needed_without("transport"),
        "Latency of one step of a collective between two GPUs in a node (Simple protocol)."),
    field<&Nvlink::ll, &LinkPace::efficiency>(
        "ll_efficiency", kShare, needed_with("ll_latency", "that of the transport"),
        "Fraction of `bandwidth` that the LL protocol achieves.", "0.03"),
    field<&Nvlink::ll, &LinkPace::latency>(
        "ll_latency", kAny, needed_with("ll_efficiency", "that of the transport"),
        "Latency of one step by the LL protocol. Without it and `ll_efficiency`, LL is not used."),
    field<&Nvlink::ll128, &LinkPace::efficiency>(
        "ll128_efficiency", kShare, needed_with("ll128_latency", "that of the transport"),
        "Fraction of `bandwidth` that the LL128 protocol achieves.", "0.3"),
    field<&Nvlink::ll128, &LinkPace::latency>(
        "ll128_latency", kAny, needed_with("ll128_efficiency", "that of the transport"),
        "Latency of one step by the LL128 protocol. Without it and `ll128_efficiency`, LL128 is "
        "not used."),
    field<&Nvlink::nvls, &LinkPace::efficiency>(
        "nvls_efficiency", kShare, needed_with("nvls_latency", "that of the transport"),
        "Fraction of `bandwidth` that sums in the switch (NVLS) achieve.", "0.6"),
    field<&Nvlink::nvls, &LinkPace::latency>(
        "nvls_latency", kAny, needed_with("nvls_efficiency", "that of the transport"),
        "Fixed cost of an all_reduce by NVLS beyond `collectives.launch`. Without it and "
        "`nvls_efficiency`, NVLS is not used."),
    field<&Nvlink::sums, &SwitchSums::channels>("nvls_channels", kPerNode,
                                                left_out("that of the transport, or 16"),
                                                "Channels of an all_reduce by NVLS. With the GPUs "
                                                "of a node they decide how large its chunks are."),
    field<&Nvlink::sums, &SwitchSums::chunk_overhead>(
        "nvls_chunk_overhead", kAny, left_out("that of the transport, or 0"),
        "What each chunk of an all_reduce by NVLS costs beyond its bytes, as bytes that would take "
        "as long.",
        "36 kB"),
    field<&Nvlink::pairs, &LinkPace::efficiency>(
        "pairs_efficiency", kShare,
        needed_with("pairs_latency", "that of the transport, or `efficiency`"),
        "Fraction of `bandwidth` that an all_to_all of large buffers achieves; at most "
        "`efficiency`.",
        "0.7"),
    field<&Nvlink::pairs, &LinkPace::latency>(
        "pairs_latency", kAny,
        needed_with("pairs_efficiency", "that of the transport, or `launch` and `latency`"),
        "Fixed cost of an all_to_all."),
    field<&Nvlink::ll_pairs, &LinkPace::efficiency>(
        "ll_pairs_efficiency", kShare, needed_with("ll_pairs_latency", "that of the transport"),
        "Fraction of `bandwidth` that an all_to_all by the LL protocol achieves.", "0.02"),
    field<&Nvlink::ll_pairs, &LinkPace::latency>(
        "ll_pairs_latency", kAny, needed_with("ll_pairs_efficiency", "that of the transport"),
        "Fixed cost of an all_to_all by the LL protocol. Without it and `ll_pairs_efficiency`, "
        "all_to_alls do not use LL."),
    field<&Nvlink::pairs_channel_efficiency>(
        "pairs_channel_efficiency", kShare, left_out("that of the transport, or no limit"),
        "Fraction of `bandwidth` that one channel of an all_to_all achieves. Inside a node NCCL "
        "gives a message more channels the larger it is.",
        "0.03"),
    field<&Nvlink::ll_pairs_channel_efficiency>(
        "ll_pairs_channel_efficiency", kShare, left_out("that of the transport, or no limit"),
        "Fraction of `bandwidth` that one channel of an all_to_all achieves by the LL protocol. "
        "With it, messages of up to 512 KiB inside a node go by LL, and larger ones do not.",
        "0.006"),
};

constexpr EnumName<const CollectiveAlgorithm*> kAlgorithms[] = {
    {"auto", nullptr},
    {"ring", &algorithms::ring},
    {"tree", &algorithms::tree},
    {"nvls", &algorithms::nvls},
    {"nvls_tree", &algorithms::nvls_tree},
    {"sharp", &algorithms::sharp},
    {"pat", &algorithms::pat},
    {"recursive", &algorithms::recursive},
    {"hierarchical", &algorithms::hierarchical},
    {"pairwise", &algorithms::pairwise},
    {"rail", &algorithms::rail},
    {"copy_engine", &algorithms::copy_engine}};

// One of the names, or a list of NCCL's.
template <class T>
void read_choice(TomlReader& reader, std::string_view key, const std::string& text,
                 std::span<const EnumName<T>> names, std::span<const std::string_view> listed,
                 T& one, std::optional<NcclList>& list) {
  if (!reader.is_good(key)) return;
  if (const auto named = value_named(text, names)) {
    one = *named;
  } else if (is_nccl_list(text)) {
    NcclListText parsed = parse_nccl_list(text, listed);
    if (!parsed.list) reader.wrong(key, parsed.problem);
    list = std::move(parsed.list);
  } else {
    reader.wrong(key, unknown_name(text, names_of(names)));
  }
}

void read_algorithm(TomlReader& reader, std::string_view key, const Field<Collectives>&,
                    Collectives& into) {
  const std::string text = reader.text(key);
  into.fastest = text == kFastest;
  if (into.fastest) return;
  const std::span<const EnumName<const CollectiveAlgorithm*>> names = kAlgorithms;
  read_choice(reader, key, text, names, kNcclAlgorithms, into.algorithm, into.algorithms);
}

std::string algorithm_text(const Collectives& from, const NumberRange&) {
  if (from.fastest) return toml_text(kFastest);
  if (from.algorithms) return toml_text(from.algorithms->text);
  const std::span<const EnumName<const CollectiveAlgorithm*>> names = kAlgorithms;
  return field_values::name_text(from.algorithm, names);
}

void read_protocol(TomlReader& reader, std::string_view key, const Field<Collectives>&,
                   Collectives& into) {
  const std::span<const EnumName<std::optional<Protocol>>> names = kProtocolNames;
  read_choice(reader, key, reader.text(key), names, kNcclProtocols, into.protocol, into.protocols);
}

std::string protocol_text(const Collectives& from, const NumberRange&) {
  if (from.protocols) return toml_text(from.protocols->text);
  const std::span<const EnumName<std::optional<Protocol>>> names = kProtocolNames;
  return field_values::name_text(from.protocol, names);
}

// Without the table [nvlink] it is not known whether a transport gives it.
bool needs_launch(TomlReader& reader, const Collectives&) {
  const bool known = reader.is_good("nvlink.kind") || !reader.is_good("collectives.channels");
  return known && !reader.has("nvlink.transport");
}

constexpr Field<Collectives> kCollectivesFields[] = {
    field<&Collectives::channels>("channels", kPerNode, kRequired,
                                  "Channels per communicator. Each channel is a ring and occupies "
                                  "one SM; a small collective takes fewer."),
    field<&Collectives::launch>("launch", kAny, kRequired,
                                "Fixed cost of one collective, regardless of its size and number "
                                "of ranks (Simple protocol).")
        .needed_if(needs_launch),
    field<&Collectives::ll_launch>("ll_launch", kAny, left_out("that of nvlink.transport"),
                                   "Fixed cost by the LL protocol. Without it, LL is not used."),
    field<&Collectives::ll128_launch>(
        "ll128_launch", kAny, left_out("that of nvlink.transport"),
        "Fixed cost by the LL128 protocol. Without it, LL128 is not used."),
    field<&Collectives::message>(
        "message", kAny, left_out("that of nvlink.transport, or 0"),
        "Fixed cost of each message that a GPU sends in an all_to_all. Messages are posted while "
        "the first ones are on their way, so it shows where messages are small and many."),
    {.name = "algorithm",
     .usual = kUsualValue,
     .meaning =
         "Algorithm of the collectives that it can run; the others run as by `auto`: the fastest "
         "for each size, as NCCL's tuner estimates them. A collective is refused if the algorithm "
         "runs it, but over none of its groups. Of all_reduce, `tree`: NCCL's double binary tree "
         "over the nodes, with a chain of the GPUs inside each node; `nvls`: sums in the NVLink "
         "switch of one node; `nvls_tree`: the same in each node, and trees between them; `sharp`: "
         "sums in the network's switches. `pat`: all_gather and reduce_scatter over nodes of one "
         "GPU. `recursive`: halving and doubling over a power of two of GPUs. `hierarchical`: "
         "rings "
         "inside the nodes and between them, one after the other. Of all_to_all, `pairwise`: a "
         "message to each GPU; `rail`: one to each node. `copy_engine`: all_gather and all_to_all "
         "of one node without SMs. A list as in NCCL_ALGO leaves a choice: `ring,tree`, "
         "`^nvls,nvlstree` or `ring;allreduce:^tree`. `fastest`: as by `auto` without `nccl`.",
     .example = "tree",
     .value = field_values::words<std::string>,
     .read = read_algorithm,
     .write = algorithm_text},
    {.name = "protocol",
     .usual = kUsualValue,
     .meaning =
         "Protocol of all collectives that have it; refused if none has: `ll`, `ll128` or "
         "`simple`, or a list as in NCCL_PROTO, `^ll128`. `auto`: the fastest for each size.",
     .example = "simple",
     .value = field_values::words<std::string>,
     .read = read_protocol,
     .write = protocol_text},
    choice<&Collectives::nccl, kNcclNames>(
        "nccl", kUsualValue,
        "Version of NCCL whose tuner chooses algorithm and protocol for each size, by its own "
        "constants; `off`: the fastest by the costs here, also of GPUs that NCCL does not drive."),
};

}  // namespace

std::span<const Field<Nvlink>> nvlink_fields() { return kNvlinkFields; }
std::span<const Field<Collectives>> collectives_fields() { return kCollectivesFields; }

}  // namespace sim
