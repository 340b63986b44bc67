// SPDX-License-Identifier: Apache-2.0
// The keys of a scheme file.
#include "sim/schemes/scheme_file.hpp"

namespace sim {
namespace {

constexpr TomlKey kSchemeFileKeys[] = {
    {"summary", "string", "", "One-line description of the scheme."},
    {"source", "string", "none", "Publication that defines the scheme."},
    {"zero", "list of whole numbers", "",
     "ZeRO stages for which the scheme is defined: [0], or any of 1, 2 and 3. A file "
     "with [between_sites] has neither this key nor any other table."},
    {"twin", "string",
     "itself if it is uncompressed; else `sharded`, or `data_parallel` at stage 0; between sites "
     "`diloco`, or `wan_sync` for gradients",
     "Shipped uncompressed scheme that the baseline `twin` stands for."},
    {"weights.codec", "string", "BF16, not encoded",
     "Codec for gathered weights: a name from `gardenhose list codecs`, or a codec card (a .toml "
     "file)."},
    {"weights.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"weights.difference", "true or false", "false",
     "Encode the difference from the weights that ranks already hold. ZeRO-1 and ZeRO-2 only."},
    {"weights.secondary_shards", "true or false", "false",
     "Keep a copy of the weights in each node, sharded over its GPUs, from which the backward pass "
     "gathers without leaving the node (ZeRO++'s hpZ). ZeRO-3 only."},
    {"gradients.collective", "one of ring, all_to_all, two_level, all_gather, all_reduce, low_rank",
     "ring",
     "How gradients are reduced. `ring` sends the gradient buffer uncompressed. `all_to_all` and "
     "`two_level` (inside nodes, then between them) reduce to shards. `all_gather`, `all_reduce` "
     "and `low_rank` leave every rank with all gradients and require zero = [0]."},
    {"gradients.codec", "string", "required with all_to_all, all_gather and all_reduce",
     "Codec for gradients: a name from `gardenhose list codecs`, or a codec card (a .toml file)."},
    {"gradients.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"gradients.inside.codec", "string", "required with two_level",
     "Codec for gradients inside a node: a name from `gardenhose list codecs`, or a codec card (a "
     ".toml file)."},
    {"gradients.inside.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"gradients.between.codec", "string", "required with two_level",
     "Codec for gradients between nodes: a name from `gardenhose list codecs`, or a codec card (a "
     ".toml file)."},
    {"gradients.between.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"gradients.method", "one of loco, one_bit_adam", "none", "Method with its own kernels."},
    {"gradients.residual", "one of none, int8, bf16, fp32", "none",
     "Precision of the error-feedback residual, i.e. the encoding error that is added to the next "
     "gradient."},
    {"gradients.factor_rank", "whole number from 1 to 1024", "required with low_rank",
     "Rank of the factors."},
    {"gradients.slices", "whole number from 1 to 1024", "1",
     "Parts into which the two_level exchange is split: one travels inside nodes while another "
     "travels between them."},
    {"gradients.fused_hadamard", "true or false", "true",
     "Whether the codec's kernels include the Hadamard transform. Only with a codec that has one."},
    {"activations.tensor.codec", "string", "BF16, not encoded",
     "Codec for activations between tensor-parallel ranks: a name from `gardenhose list codecs`, "
     "or a codec card (a .toml file)."},
    {"activations.tensor.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"activations.pipeline.codec", "string", "BF16, not encoded",
     "Codec for activations between pipeline stages: a name from `gardenhose list codecs`, or a "
     "codec card (a .toml file)."},
    {"activations.pipeline.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"overlap.weights", "true or false", "true",
     "Whether gathering weights may overlap with compute (`overlap`: `weights`)."},
    {"overlap.gradients", "true or false", "true, except with one_bit_adam",
     "Whether reducing gradients may overlap with compute (`overlap`: `gradients`)."},
    {"between_sites.exchange",
     "one of flat_ring, ring, quantized_ring, all_to_all, all_gather, grouped_gather, tree_gather, "
     "store, pair, leader, syncer",
     "required in this table, which makes the file a scheme between sites",
     "How the sites' values are combined. `flat_ring` is one ring over the GPUs of all sites; with "
     "the others, each GPU exchanges its shard with its counterparts at other sites: by a `ring`; "
     "by a `quantized_ring`, whose sites encode the sum anew before they pass it on; "
     "by `all_to_all`, where each site sums a part, encodes it again and sends it to all; by "
     "`all_gather`; by `grouped_gather`, which sends a value into each other region once; by "
     "`tree_gather`, where sites pass on what they receive; through object storage (`store`); with "
     "one partner per round (`pair`); through the first site (`leader`); or through the `[syncer]` "
     "of the sites file, if it has one, else through the first site (`syncer`)."},
    {"between_sites.codec", "string", "FP32, not encoded",
     "Codec between sites: a name from `gardenhose list codecs`, or a codec card (a .toml file)."},
    {"between_sites.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"between_sites.feedback", "true or false", "false",
     "Error feedback: encoding adds the error of the previous encoding."},
    {"between_sites.sent_per_byte", "number above 0 and at most 1024", "1",
     "Bytes sent per byte of the codec's format: above 1 if codes are not packed, or if a second "
     "tensor travels too."},
    {"between_sites.gradients", "true or false", "false",
     "Exchange the gradients of every step before its update, instead of a round's weight "
     "changes."},
    {"between_sites.inner_steps", "whole number from 1 to 100000", "required without gradients",
     "Steps inside a site between two exchanges."},
    {"between_sites.across_every", "whole number from 1 to 1024", "1",
     "Rounds from one exchange among all sites to the next; in the rounds between, the sites of "
     "each region exchange among themselves. A region is named by the sites' `region`. Not with "
     "`flat_ring`, `pair`, `leader` and `syncer`."},
    {"between_sites.fragments", "whole number from 1 to 1024", "1",
     "Parts of the model, exchanged one after another; at most `inner_steps`."},
    {"between_sites.overlap_steps", "whole number from 0 to 100000", "0",
     "Inner steps that overlap with the exchange; at most `inner_steps`. With `delayed`, at least "
     "1, "
     "which is then the default."},
    {"between_sites.delayed", "true or false", "false",
     "Sites take a result when it arrives, and wait only if an exchange of `overlap_steps` before, "
     "or "
     "earlier, is still running when the next one is due."},
    {"between_sites.ring_order", "one of given, best, worst", "given",
     "Order of the sites around a ring: that of their names, or the one that makes the ring as "
     "fast or as slow as possible. Only with rings."},
    {"between_sites.fan_out", "whole number from 1 to 1024", "required with tree_gather",
     "Sites that each site passes a value on to. Only with `tree_gather`."},
    {"between_sites.quorum", "whole number from 1 to 1024", "all sites",
     "Sites whose results the leader or the syncer waits for. Only with `leader` and `syncer`."},
    {"between_sites.grace", "time", "0 s",
     "How long the leader or the syncer keeps waiting once it has a quorum.", "10 s"},
    {"between_sites.optimizer", "one of adamw, adamw-foreach, muon", "any",
     "`optimizer` of the steps inside the sites that the scheme is defined with."},
    {"between_sites.state_bytes", "number from 0 to 1024", "0",
     "Bytes that a GPU keeps per parameter of its shard: outer weights, momentum, residual."},
    {"between_sites.outer_state", "one of gpu, host", "gpu",
     "Where that state is kept between exchanges. On the host, it takes no GPU memory and is "
     "copied over the link of `gpu.host_bandwidth`."},
    {"between_sites.update_bytes", "number from 0 to 1024", "0",
     "Bytes of memory traffic of the outer update per parameter of the shard."},
};

}  // namespace

std::span<const TomlKey> scheme_file_keys() { return kSchemeFileKeys; }

}  // namespace sim
