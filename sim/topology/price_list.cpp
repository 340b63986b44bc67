// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/price_list.hpp"

#include "sim/base/error.hpp"
#include "sim/base/fields.hpp"
#include "sim/base/letters.hpp"

namespace sim {
namespace {

constexpr NumberRange kMostlyIdle{.lowest = 0, .highest = 0.99};

constexpr Field<PriceList> kPriceListFields[] = {
    field<&PriceList::as_of>("as_of", kAny, kRequired, "When these prices held, in words."),
    field<&PriceList::electricity>(
        "electricity", kAny, left_out("not counted"),
        "Price of the energy that the GPUs draw, where it is not in their price.", "0.08 USD/kWh"),
    field<&PriceList::storage>("storage", kAny, left_out("not counted"),
                               "Price of an hour of all that the job stores: data and checkpoints.",
                               "4 USD/h"),
    field<&PriceList::idle>(
        "idle", kMostlyIdle, kUsualValue,
        "Share of the hours paid for in which nothing trains: what waits, is set up, tried or "
        "debugged. GPUs, network and storage cost so much more."),
};

constexpr Field<GpuPrice> kGpuPriceFields[] = {
    field<&GpuPrice::gpu>("gpu", kAny, kRequired,
                          "A part of `gpu.name` of the clusters that the price is for, in any "
                          "case. Of several that match, the longest counts."),
    field<&GpuPrice::price>("price", kAny, kRequired,
                            "Price of an hour of one GPU with its share of the node.", "2.1 USD/h"),
    field<&GpuPrice::spot_price>("spot_price", kAny, left_out("not to be had"),
                                 "The same of an instance that may be taken back at any time.",
                                 "1.1 USD/h"),
    field<&GpuPrice::spot_kept>("spot_kept", kAboveZero,
                                needed_with("spot_price", "needed with spot_price"),
                                "Mean time until a node of such instances is taken back.", "40 h"),
    field<&GpuPrice::spot_wait>("spot_wait", kAboveZero,
                                needed_with("spot_price", "needed with spot_price"),
                                "Mean time until there is another node instead.", "15 min"),
};

}  // namespace

std::span<const TomlKey> price_list_keys() {
  static const KeyTable table = KeyTable()
                                    .add("", kPriceListFields, PriceList())
                                    .add("gpus.NAME", kGpuPriceFields, GpuPrice());
  return table.keys();
}

PriceList parse_price_list(std::string_view text, const std::filesystem::path& file) {
  TomlReader reader(parse_toml(text, file), price_list_keys());
  PriceList prices{.name = file.stem().string(), .file = file};
  read_fields(reader, "", kPriceListFields, prices);
  for (const std::string& name : reader.tables_in("gpus")) {
    read_fields(reader, "gpus." + name, kGpuPriceFields, prices.gpus.emplace_back());
  }
  reader.finish();
  return prices;
}

PriceList read_price_list(const std::filesystem::path& file) {
  return parse_price_list(read_input_text(file), file);
}

const GpuPrice* price_of(const PriceList& prices, std::string_view gpu) {
  const GpuPrice* longest = nullptr;
  for (const GpuPrice& one : prices.gpus) {
    const bool is_part = in_lower_case(gpu).find(in_lower_case(one.gpu)) != std::string::npos;
    if (is_part && (longest == nullptr || one.gpu.size() > longest->gpu.size())) longest = &one;
  }
  return longest;
}

}  // namespace sim
