// SPDX-License-Identifier: Apache-2.0
// The keys of a scheme file.
#include "sim/schemes/scheme_file.hpp"

namespace sim {
namespace {

constexpr TomlKey kSchemeFileKeys[] = {
    {"summary", "text", "", "One line about the scheme."},
    {"source", "text", "none", "The publication that defines it."},
    {"zero", "list of whole numbers", "",
     "Stages of ZeRO that the scheme is defined for: [0], or some of 1, 2 and 3."},
    {"twin", "text", "the plain form of its sharding",
     "Shipped uncompressed scheme that `--baseline twin` compares it with."},
    {"weights.codec", "text", "BF16, not encoded",
     "Codec of the weights that ranks gather: one of `gardenhose list codecs`, or a codec card (a "
     "file that ends in .toml)."},
    {"weights.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"weights.difference", "true or false", "false",
     "Encode the difference to the weights that ranks already hold. ZeRO-1 and ZeRO-2 only."},
    {"weights.secondary_shards", "true or false", "false",
     "Keep a second copy of the shards inside each node, for the backward pass. ZeRO-3 only."},
    {"gradients.collective", "one of ring, all_to_all, two_level, all_gather, all_reduce, low_rank",
     "ring",
     "How gradients are reduced. `ring` sends the gradient buffer as it is; `all_to_all` and "
     "`two_level` (inside nodes, then between them) leave shards; `all_gather`, `all_reduce` and "
     "`low_rank` leave every rank with all gradients, for zero = [0]."},
    {"gradients.codec", "text", "needed with all_to_all, all_gather and all_reduce",
     "Codec of gradients: one of `gardenhose list codecs`, or a codec card (a file that ends in "
     ".toml)."},
    {"gradients.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"gradients.inside.codec", "text", "needed with two_level",
     "Codec of gradients inside a node: one of `gardenhose list codecs`, or a codec card (a file "
     "that ends in .toml)."},
    {"gradients.inside.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"gradients.between.codec", "text", "needed with two_level",
     "Codec of gradients between nodes: one of `gardenhose list codecs`, or a codec card (a file "
     "that ends in .toml)."},
    {"gradients.between.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"gradients.method", "text", "none",
     "A method with kernels of its own: `loco` or `one_bit_adam`."},
    {"gradients.residual", "one of none, int8, bf16, fp32", "none",
     "Precision of the residual of error feedback: what an encode lost is added to the next "
     "gradient."},
    {"gradients.factor_rank", "whole number from 1 to 1024", "needed with low_rank",
     "Rank of the factors."},
    {"gradients.slices", "whole number from 1 to 1024", "1",
     "Parts of the two_level exchange, of which one travels inside nodes while another travels "
     "between them."},
    {"gradients.fused_hadamard", "true or false", "true",
     "The Hadamard transform is part of the codec's kernels. Only with a codec that has one."},
    {"activations.tensor.codec", "text", "BF16, not encoded",
     "Codec of activations between tensor-parallel ranks: one of `gardenhose list codecs`, or a "
     "codec card (a file that ends in .toml)."},
    {"activations.tensor.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"activations.pipeline.codec", "text", "BF16, not encoded",
     "Codec of activations between pipeline stages: one of `gardenhose list codecs`, or a codec "
     "card (a file that ends in .toml)."},
    {"activations.pipeline.group", "whole number from 1 to 1048576", "the codec's own",
     "Elements that share a scale; a multiple of 32."},
    {"overlap.weights", "true or false", "true",
     "Gathering weights may run beside compute (`--overlap weights`)."},
    {"overlap.gradients", "true or false", "true, but with one_bit_adam",
     "Reducing gradients may run beside compute (`--overlap gradients`)."},
};

}  // namespace

std::span<const TomlKey> scheme_file_keys() { return kSchemeFileKeys; }

}  // namespace sim
