// SPDX-License-Identifier: Apache-2.0
// The keys of codec cards, a row each, and their reader.
#include <fmt/format.h>

#include <algorithm>

#include "codecs/error/distributions.hpp"
#include "sim/base/error.hpp"
#include "sim/base/fields.hpp"
#include "sim/times/codec_card_times.hpp"

namespace sim {
namespace {

constexpr std::size_t kMostQuantiles = 1001;
constexpr Bytes kMostOverhead{1 << 20};

enum class Untimed { roofline };
constexpr EnumName<Untimed> kUntimed[] = {{"roofline", Untimed::roofline}};

constexpr Field<CodecCard> kCardFields[] = {
    field<&CodecCard::summary>("summary", kAny, kRequired, "One-line description of the codec."),
    {.name = "wire.bits_per_element",
     .range = {.lowest = 0, .highest = 64, .above_zero = true},
     .meaning = "Bits per element on the wire, including scales and indices. If the size varies "
                "from message to message, a list of equally spaced quantiles in ascending order.",
     .example = "4.25",
     .value = [](const NumberRange& range) { return value_words(range) + ", or a list of them"; },
     .read = [](TomlReader& reader, std::string_view key, const Field<CodecCard>& row,
                CodecCard& card) { card.bits_per_element = reader.numbers(key, row.range); }},
    field<&CodecCard::overhead>("wire.overhead", kAny, kUsualValue,
                                "Bytes per message in addition to its elements; at most 1 MiB.",
                                "64 B"),
    field<&CodecCard::sampled>("wire.sampled", kAny, kUsualValue,
                               "Encodes read only the elements that they send, as those of "
                               "random-k do. Their times may then be shorter than reading all "
                               "values takes."),
    field<&CodecCard::rounds>("wire.rounds", kAny, kUsualValue,
                              "Whether encoding errors are independent of the input, as rounding "
                              "errors are. If so, the squared errors of two encodes add up."),
    field<&CodecCard::summable>("wire.summable", kAny, kUsualValue,
                                "Whether encoded values can be summed in flight, as in NCCL's "
                                "all_reduce. Only with a single `bits_per_element`."),
    {.name = "times",
     .usual = left_out("the table `[times]`"),
     .meaning = "`roofline`, instead of the table: each kernel moves its bytes at the rate that "
                "codecs without measured times get.",
     .value = [](const NumberRange&) { return field_values::one_of(name_table(kUntimed)); },
     .read = [](TomlReader& reader, std::string_view key, const Field<CodecCard>&,
                CodecCard&) { static_cast<void>(reader.one_of(key, name_table(kUntimed))); }},
};

constexpr Field<CodecCard> kTimesFields[] = {
    field<&CodecCard::gpu>("gpu", kAny, kRequired,
                           "Unless `times` is given: `gpu.name` (as in the topology files) of the "
                           "GPU on which the times were measured."),
    field<&CodecCard::memory_bandwidth>(
        "memory_bandwidth", kAboveZero, kRequired,
        "Unless `times` is given: memory bandwidth of the measured GPU, from its data sheet. It is "
        "used to scale the times to other GPUs.",
        "3350 GBps"),
    // Read by read_times().
    {.name = "file",
     .meaning = "Unless `times` is given: CSV file next to the card, with the columns step, "
                "inputs, elements and seconds, and where needed from, to and value_bytes. Steps "
                "are `encode`, `decode` and, if fused, `encode_difference`, `encode_feedback`, "
                "`decode_add`, `decode_reduce` and `decode_reduce_encode`.",
     .value = field_values::words<std::string>},
};

// Read by read_errors(), for each distribution.
constexpr Field<CodecCard> kErrorFields[] = {
    {.name = "NAME",
     .range = from_to(0, 1e6),
     .usual = left_out("unknown"),
     .meaning = "Relative L2 error of one encode of values from the distribution NAME, e.g. "
                "`normal` or `student_t3`.",
     .value = field_values::words<double>},
};

std::string too_many_quantiles(const CodecCard& card) {
  const std::size_t quantiles = card.bits_per_element.size();
  if (quantiles <= kMostQuantiles) return {};
  return fmt::format("has {} quantiles; write at most {}", quantiles, kMostQuantiles);
}

std::string descending(const CodecCard& card) {
  if (std::ranges::is_sorted(card.bits_per_element)) return {};
  return "has descending quantiles; write them in ascending order";
}

std::string too_long(const CodecCard& card) {
  if (card.overhead <= kMostOverhead) return {};
  return "is more than 1 MiB per message; bytes that grow with the message belong in "
         "bits_per_element";
}

std::string not_of_one_size(const CodecCard& card) {
  if (!card.summable || card.bits_per_element.size() <= 1) return {};
  return "needs messages of one size; write false, or a single bits_per_element";
}

constexpr Rule<CodecCard> kCardRules[] = {
    {"wire.bits_per_element", {}, too_many_quantiles},
    {"wire.bits_per_element", {}, descending},
    {"wire.overhead", {}, too_long},
    {"wire.summable", {"wire.bits_per_element"}, not_of_one_size},
};

void read_times(TomlReader& reader, const std::filesystem::path& folder, const TextOf& times_of,
                CodecCard& card) {
  if (reader.has("times")) return;
  reader.alternative("times", "write times = \"roofline\" before the first table");
  read_fields(reader, "times", kTimesFields, card);
  const std::string name = reader.text("times.file");
  if (!reader.is_good("times.file")) return;
  if (!is_file_name(name)) {
    reader.wrong("times.file",
                 "is not the name of a file next to the card; write e.g. \"my_codec.csv\"");
    return;
  }
  try {
    add_times(times_of(folder / name), folder / name, card);
  } catch (const InputError& error) {
    reader.elsewhere(error.what());
  }
}

void read_errors(TomlReader& reader, CodecCard& card) {
  std::vector<std::string_view> known;
  for (const codecs::Distribution& distribution : codecs::all_distributions()) {
    known.push_back(distribution.name);
  }
  for (const std::string& name : reader.keys_in("error")) {
    const std::string key = dotted("error", name);
    card.error[name] = reader.number(key, kErrorFields[0].range);
    if (reader.is_good(key) && std::ranges::find(known, name) == known.end()) {
      reader.wrong(key, "is no distribution" + suggestion_and_list(name, known));
    }
  }
}

}  // namespace

std::span<const TomlKey> codec_card_keys() {
  static const KeyTable table = KeyTable()
                                    .add("", kCardFields, CodecCard())
                                    .add("times", kTimesFields, CodecCard())
                                    .add("error", kErrorFields, CodecCard());
  return table.keys();
}

CodecCard parse_codec_card(std::string_view text, const std::filesystem::path& file,
                           const TextOf& times_of) {
  TomlReader reader(parse_toml(text, file), codec_card_keys());
  CodecCard card{.name = file.stem().string()};
  read_fields(reader, "", kCardFields, card);
  check_rules(reader, "", kCardRules, card);
  read_times(reader, file.parent_path(), times_of, card);
  read_errors(reader, card);
  reader.finish();
  return card;
}

CodecCard read_codec_card(const std::filesystem::path& file) {
  return parse_codec_card(read_input_text(file), file, read_input_text);
}

}  // namespace sim
