// SPDX-License-Identifier: Apache-2.0
#include "apps/check/neighbours.hpp"

namespace apps {
namespace {

// Keys of the same inputs with one more, with one less, and with another value of `name`.
std::string key_of_more(const std::string& id) { return "+" + id; }
std::string key_of_less(const std::string& id) { return "-" + id; }
std::string key_of_other(const std::string& name, const std::string& rest) {
  return name + "=" + rest;
}

std::string id_without(const Inputs& inputs, const std::string& name) {
  Inputs rest = inputs;
  rest.erase(name);
  return id_of(rest);
}

}  // namespace

void Neighbours::know(const std::string& key, const Result& point) {
  known_.emplace(key, Known{count_, &point});
}

void Neighbours::add(const Result& point) {
  know(key_of_less(id_of(point.inputs)), point);
  for (const auto& [name, value] : point.inputs.items()) {
    const std::string rest = id_without(point.inputs, name);
    know(key_of_more(rest), point);
    know(key_of_other(name, rest), point);
  }
  ++count_;
}

const Result* Neighbours::of(const Inputs& inputs) const {
  const Known* first = nullptr;
  const auto look_for = [&](const std::string& key) {
    const auto found = known_.find(key);
    if (found == known_.end()) return;
    if (first == nullptr || found->second.place < first->place) first = &found->second;
  };
  look_for(key_of_more(id_of(inputs)));
  for (const auto& [name, value] : inputs.items()) {
    const std::string rest = id_without(inputs, name);
    look_for(key_of_less(rest));
    look_for(key_of_other(name, rest));
  }
  return first == nullptr ? nullptr : first->point;
}

}  // namespace apps
