// SPDX-License-Identifier: Apache-2.0
// The keys of a codec card.
#include "sim/workload/codec_card.hpp"

namespace sim {
namespace {

constexpr TomlKey kCodecCardKeys[] = {
    {"summary", "text", "", "One line about the codec."},
    {"wire.bits_per_element", "number above 0, at most 64, or a list of such numbers", "",
     "Bits of one element on the wire, scales and indices included. If the size varies between "
     "messages, a list of quantiles at equal distances, ascending."},
    {"wire.overhead", "size", "0 B", "Bytes of each message beside its elements; at most 1 MiB."},
    {"wire.rounds", "true or false", "false",
     "The errors of an encode are independent of its input, as those of rounding are. Then the "
     "squared errors of two encodes add up."},
    {"wire.summable", "true or false", "false",
     "Encoded values can be added up in flight, as an all_reduce of NCCL does. Only with one "
     "size."},
    {"times.gpu", "text", "", "The GPU of the measurement, by the name that topologies use."},
    {"times.memory_bandwidth", "bandwidth above 0", "",
     "Its memory bandwidth by the data sheet. Times scale with it to another GPU."},
    {"times.file", "text", "",
     "CSV beside the card with the columns step, inputs, elements and seconds. Steps are `encode`, "
     "`decode` and `decode_reduce`."},
    {"error.NAME", "number from 0 to 1000000", "not known",
     "Relative L2 error of one encode of values of the distribution NAME, e.g. `normal` or "
     "`student_t3`."},
};

}  // namespace

std::span<const TomlKey> codec_card_keys() { return kCodecCardKeys; }

}  // namespace sim
