// SPDX-License-Identifier: Apache-2.0
// The keys of a scheme file.
#include "sim/schemes/scheme_keys.hpp"

namespace sim {
namespace {

constexpr TomlKey kKeysInside[] = {
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
};

}  // namespace

std::span<const TomlKey> scheme_file_keys() {
  static const KeyTable table =
      KeyTable().add(kKeysInside).add(kSiteTable, site_exchange_fields(), SiteExchange());
  return table.keys();
}

}  // namespace sim
