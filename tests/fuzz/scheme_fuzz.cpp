// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>

#include "sim/base/quantity_text.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "tests/fuzz/reader_fuzz.hpp"

namespace {

// The cards of a folder in which there is one.
sim::CodecCard card_of(const std::filesystem::path& file) {
  if (file != "card.toml") {
    throw sim::InputError(sim::printable(file.string()) + ": no such file");
  }
  return {.name = "card", .summary = "a", .bits_per_element = {5, 7}, .gpu = "a"};
}

bool is_sound(const sim::Wire& wire) {
  const double bytes = wire.bytes(1 << 20, 8);
  return std::isfinite(bytes) && bytes > 0 && bytes <= 8.0 * (1 << 21) && !wire.name().empty();
}

bool is_sound(const sim::SiteExchange& exchange) {
  return is_sound(exchange.wire) && exchange.sent_per_byte > 0 && exchange.fragments >= 1 &&
         exchange.fragments <= exchange.inner_steps &&
         exchange.overlap_steps <= exchange.inner_steps;
}

bool is_sound(const sim::Scheme& scheme) {
  if (scheme.twin.empty()) return false;
  if (scheme.between_sites) return is_sound(*scheme.between_sites);
  const sim::GradientExchange& g = scheme.gradients;
  return !scheme.zero.empty() && is_sound(scheme.weights.wire) && is_sound(g.inside) &&
         is_sound(g.between) && is_sound(scheme.activations.tensor) &&
         is_sound(scheme.activations.pipeline) && g.slices >= 1 &&
         (g.factor_rank > 0) == (g.algorithm == &sim::reductions::low_rank);
}

// But for cards, which are read anew.
sim::Scheme without_cards(sim::Scheme scheme) {
  for (sim::Wire* wire : {&scheme.weights.wire, &scheme.gradients.inside, &scheme.gradients.between,
                          &scheme.activations.tensor, &scheme.activations.pipeline}) {
    wire->card = nullptr;
  }
  if (scheme.between_sites) scheme.between_sites->wire.card = nullptr;
  return scheme;
}

}  // namespace

// A scheme that reads has wires of a size, and reads back from what is printed of it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz_reader(bytes, size, [](auto text, const auto& file, auto) {
    const sim::Scheme scheme = sim::parse_scheme(text, file, card_of);
    const sim::Scheme again = sim::parse_scheme(sim::to_toml(scheme), file, card_of);
    if (!is_sound(scheme) || without_cards(again) != without_cards(scheme)) std::abort();
  });
  return 0;
}
