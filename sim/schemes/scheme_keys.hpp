// SPDX-License-Identifier: Apache-2.0
// Shared by the reader and the writer of scheme files; also the parts of the reader.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/fields.hpp"
#include "sim/base/toml_reader.hpp"
#include "sim/schemes/scheme_file.hpp"

namespace sim {

inline constexpr EnumName<RingOrder> kRingOrders[]{
    {"given", RingOrder::given}, {"best", RingOrder::best}, {"worst", RingOrder::worst}};
inline constexpr EnumName<OuterState> kOuterStates[]{{"gpu", OuterState::gpu},
                                                     {"host", OuterState::host}};
// Bytes of a residual's element.
inline constexpr EnumName<double> kResidualNames[]{
    {"none", 0}, {"int8", 1}, {"bf16", 2}, {"fp32", 4}};

// Bytes per element of low_rank's residual, which its kernels keep in FP32.
inline constexpr double kFactorResidual = 4;

// Wires from the `codec` and `group` of a file's tables.
class WireReader {
 public:
  WireReader(TomlReader& reader, std::filesystem::path folder, const CardOf& card_of)
      : reader_(reader), folder_(std::move(folder)), card_of_(card_of) {}

  // The table must name a codec.
  [[nodiscard]] Wire read(const std::string& table);
  // `usual` if it names none.
  [[nodiscard]] Wire read_or(const std::string& table, const Wire& usual);
  // For a table to which no codec applies.
  void refuse(const std::string& table, std::string_view why);

 private:
  void read_group(const std::string& table, Wire& wire);
  std::shared_ptr<const CodecCard> card(const std::string& key, const std::string& name);

  TomlReader& reader_;
  std::filesystem::path folder_;
  const CardOf& card_of_;
  std::map<std::string, std::shared_ptr<const CodecCard>> cards_;  // nullptr: could not be read
};

// Stages of ZeRO; empty if the file's entry is wrong.
using Stages = std::vector<int>;
[[nodiscard]] bool has_stage(const Stages& zero, int stage);
[[nodiscard]] WeightExchange read_weights(TomlReader& reader, WireReader& wires,
                                          const Stages& zero);
[[nodiscard]] GradientExchange read_gradients(TomlReader& reader, WireReader& wires,
                                              const Stages& zero);

[[nodiscard]] bool is_between_sites(const TomlDocument& document);
// Throws one InputError at the first key of a scheme within a site.
void refuse_mixture(const TomlDocument& document);

inline constexpr const char* kSiteTable = "between_sites";
[[nodiscard]] std::span<const Field<SiteExchange>> site_exchange_fields();
[[nodiscard]] SiteExchange read_site_exchange(TomlReader& reader, WireReader& wires);
// The same rows as settings of a scheme between sites: "scheme.inner_steps".
[[nodiscard]] std::span<const TomlKey> site_setting_keys();
// What the exchange lacks for the setting to apply; empty: nothing.
[[nodiscard]] std::string_view site_setting_lack(std::string_view key,
                                                 const SiteExchange& exchange);
// Throws an InputError for wrong values.
void set_site_exchange(std::span<const Setting> settings, SiteExchange& exchange);

// A wire's codec, as a file names it.
[[nodiscard]] std::string codec_text(const Wire& wire);

}  // namespace sim
