// SPDX-License-Identifier: Apache-2.0
// The keys of a codec card.
#include "sim/times/codec_card.hpp"

namespace sim {
namespace {

constexpr TomlKey kCodecCardKeys[] = {
    {"summary", "string", "", "One-line description of the codec."},
    {"wire.bits_per_element", "number above 0 and at most 64, or a list of them", "",
     "Bits per element on the wire, including scales and indices. If the size varies from message "
     "to message, a list of equally spaced quantiles in ascending order.",
     "4.25"},
    {"wire.overhead", "size", "0 B",
     "Bytes per message in addition to its elements; at most 1 MiB.", "64 B"},
    {"wire.sampled", "true or false", "false",
     "Encodes read only the elements that they send, as those of random-k do. Their times may then "
     "be "
     "shorter than reading all values takes."},
    {"wire.rounds", "true or false", "false",
     "Whether encoding errors are independent of the input, as rounding errors are. If so, the "
     "squared errors of two encodes add up."},
    {"wire.summable", "true or false", "false",
     "Whether encoded values can be summed in flight, as in NCCL's all_reduce. Only with a single "
     "`bits_per_element`."},
    {"times", "one of roofline", "the table `[times]`",
     "`roofline`, instead of the table: each kernel moves its bytes at the rate that codecs "
     "without measured times get."},
    {"times.gpu", "string", "",
     "Unless `times` is given: `gpu.name` (as in the topology files) of the GPU on which the times "
     "were measured."},
    {"times.memory_bandwidth", "bandwidth above 0", "",
     "Unless `times` is given: memory bandwidth of the measured GPU, from its data sheet. It is "
     "used to scale the times to other GPUs.",
     "3350 GBps"},
    {"times.file", "string", "",
     "Unless `times` is given: CSV file next to the card, with the columns step, inputs, elements "
     "and seconds, and where needed from, to and value_bytes. Steps are `encode`, `decode` and, if "
     "fused, "
     "`encode_difference`, `encode_feedback`, `decode_add`, `decode_reduce` and "
     "`decode_reduce_encode`."},
    {"error.NAME", "number from 0 to 1000000", "unknown",
     "Relative L2 error of one encode of values from the distribution NAME, e.g. `normal` or "
     "`student_t3`."},
};

}  // namespace

std::span<const TomlKey> codec_card_keys() { return kCodecCardKeys; }

}  // namespace sim
