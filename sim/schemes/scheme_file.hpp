// SPDX-License-Identifier: Apache-2.0
// Schemes as TOML files:
//
//   summary = "SDP4Bit: qwd for the weights and tlq_hs for the gradients"
//   source = "arXiv 2410.15526"
//   twin = "sharded"              # a shipped scheme without compression, to compare with
//   zero = [1, 2]                 # stages of ZeRO that it is defined for: 0, or some of 1, 2, 3
//
//   [weights]                     # as BF16 without it
//   codec = "int4_g2048_sr"       # of `gardenhose list codecs`, such a name with another group, or
//                                 # the file of a card (sim/times/codec_card.hpp), beside this one
//   group = 1024                  # in place of the codec's own
//   difference = true             # the change since the last step is encoded
//   secondary_shards = false      # ZeRO-3's backward pass gathers inside nodes
//
//   [gradients]                   # by a ring without it
//   collective = "two_level"      # ring, all_to_all, two_level, all_gather, all_reduce, low_rank
//   codec = "int4_g128_sr"        # of all_to_all, all_gather and all_reduce; `group` as above
//   residual = "none"             # error feedback, kept as int8, bf16 or fp32
//   method = "loco"               # kernels of a method in place of the codec's: loco, one_bit_adam
//   factor_rank = 4               # of low_rank
//   slices = 8                    # of two_level, pipelined between the levels
//   fused_hadamard = true         # the transform is part of the codec's kernels
//   [gradients.inside]            # of two_level: in a node, and between nodes
//   codec = "int8_g128_hadamard_sr"
//   [gradients.between]
//   codec = "int4_g128_hadamard_sr"
//
//   [activations.tensor]          # as BF16 without these: of tensor-parallel groups, and
//   codec = "mxfp8"
//   [activations.pipeline]        # between pipeline stages
//   codec = "int8_g128"
//
//   [overlap]                     # what may run beside the compute stream where `overlap` asks
//   weights = true
//   gradients = true
//
// Or, for a scheme between sites, instead of `zero` and these tables:
//
//   [between_sites]
//   exchange = "all_to_all"       # a row of sim/schemes/exchanges.hpp
//   codec = "int8_g2048"          # FP32 without it; `group` as above
//   feedback = false              # error feedback
//   sent_per_byte = 1             # bytes sent per byte of the codec's format
//   gradients = false             # of every step, instead of a round's weight changes
//   inner_steps = 100             # of a round; not with gradients, nor are the next four
//   across_every = 1              # rounds: all sites exchange, in the others those of each region
//   fragments = 1                 # of the model, sent one after another
//   overlap_steps = 0             # that go on before a result is needed
//   delayed = false               # results are taken when they arrive
//   fan_out = 2                   # of tree_gather
//   quorum = 2                    # of leader: sites to wait for, and for how long for the others
//   grace = "10 s"
//   optimizer = "muon"            # inside the sites; any without it
//   state_bytes = 8               # per parameter: kept, and moved by the outer update
//   update_bytes = 28
//   outer_state = "gpu"           # or "host": where that state is kept; not with gradients
//
// Keys with a default may be omitted; keys that the rest of the file makes meaningless are refused.
// A file may have a shipped scheme's name only if it is that scheme.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/toml_keys.hpp"
#include "sim/schemes/scheme.hpp"

namespace sim {

// The keys of a scheme file.
[[nodiscard]] std::span<const TomlKey> scheme_file_keys();

// Throws an InputError with a located line for each problem, including those of its cards.
[[nodiscard]] Scheme read_scheme(const std::filesystem::path& file);
// Parses text in memory. `card_of` reads a card named by the scheme, a path relative to `file`'s
// folder, or throws InputError.
using CardOf = std::function<CodecCard(const std::filesystem::path& file)>;
[[nodiscard]] Scheme parse_scheme(std::string_view text, const std::filesystem::path& file,
                                  const CardOf& card_of);

// The codec of the catalogue with this name, or the card in this file. Throws an InputError at `place`
// or at the card's lines.
[[nodiscard]] Wire wire_named(const std::string& name, std::string_view place);

// Text that reads back as the same scheme from a file of its name; cards are named as if they lay
// beside that file.
[[nodiscard]] std::string to_toml(const Scheme& scheme);

}  // namespace sim
