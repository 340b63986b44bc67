// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/frameworks/derive.hpp"

#include <string>

#include "sim/base/number_text.hpp"

namespace sim::launch::frameworks {

bool is_zero(std::string_view text) { return number_in<double>(text).value_or(1) == 0; }

void derive_overlap(Facts& facts, std::string_view why) {
  std::string overlap, source;
  for (const std::string_view what : {"gradients", "weights", "tensor", "pipeline", "experts"}) {
    const std::string name = "_overlap_" + std::string(what);
    if (!facts.is(name, "true")) continue;
    overlap += (overlap.empty() ? "" : ",") + std::string(what);
    if (source.empty()) source = name;
  }
  if (overlap.empty()) return facts.assume("overlap", "none", std::string(why));
  facts.derive("overlap", overlap, source);
}

void derive_nodes(Facts& facts, std::initializer_list<std::string_view> nodes,
                  std::initializer_list<std::string_view> gpus_per_node) {
  const auto first_of = [&](std::string_view field, std::initializer_list<std::string_view> names) {
    if (facts.is_given(field)) return;
    const Fact* unknown = nullptr;
    for (const std::string_view name : names) {
      const Fact* fact = facts.find(name);
      if (fact == nullptr) continue;
      if (fact->value.find('$') == std::string::npos) {
        if (number_in<std::int64_t>(fact->value)) return facts.set(field, *fact);
        continue;  // "gpu", "auto" and such say no number
      }
      if (unknown == nullptr) unknown = fact;
    }
    if (unknown != nullptr) facts.set(field, *unknown);
  };
  first_of("nodes", nodes);
  first_of("gpus-per-node", gpus_per_node);
}

void derive_recompute(Facts& facts) {
  const Fact* granularity = facts.find("_granularity");
  if (granularity == nullptr) return facts.assume("recompute", "none", "no key asks to recompute");
  facts.derive("recompute", granularity->value, "_granularity");
  if (granularity->value != "full" || !facts.is("_recompute_method", "block")) return;
  const auto layers = facts.find("_recompute_layers");
  if (layers == nullptr || layers->value == facts.text("model.layers")) return;
  if (is_zero(layers->value)) return facts.derive("recompute", "none", "_recompute_layers");
  facts.warn("_recompute_layers", "recomputes only these layers of a stage; taken as all");
}

void derive_sizes(Facts& facts) {
  const auto hidden = facts.count("model.hidden"), heads = facts.count("model.heads");
  if (!hidden || !heads) return;
  const auto follows = [&](std::string_view name, std::int64_t value, std::string_view from) {
    if (!facts.has(name)) facts.derive(name, std::to_string(value), from);
  };
  follows("model.kv_heads", *heads, "model.heads");
  if (*hidden % *heads == 0) follows("model.head_width", *hidden / *heads, "model.heads");
}

void derive_vocabulary(Facts& facts, std::int64_t words, std::int64_t usual, std::string_view why) {
  if (facts.has("model.vocabulary") || words <= 0) return;
  const std::int64_t multiple = facts.count_or("_divisible", usual) * facts.count_or("tp", 1);
  if (multiple > words) return;
  const std::int64_t padded = (words + multiple - 1) / multiple * multiple;
  facts.assume("model.vocabulary", std::to_string(padded), std::string(why));
}

void derive_dropout(Facts& facts, std::string_view usual, std::string_view why) {
  facts.assume("_hidden_dropout", std::string(usual), std::string(why));
  facts.assume("_attention_dropout", std::string(usual), std::string(why));
  const bool hidden = !is_zero(facts.text("_hidden_dropout"));
  const bool attention = !is_zero(facts.text("_attention_dropout"));
  facts.derive("model.dropout", hidden ? "true" : "false", "_hidden_dropout");
  if (attention != hidden) {
    facts.derive("model.attention_dropout", attention ? "true" : "false", "_attention_dropout");
  }
}

}  // namespace sim::launch::frameworks
