// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/together.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace sim::study {
namespace {

// A part's candidate.
struct Place {
  std::size_t part = 0, candidate = 0;
};

class Together : public Choices {
 public:
  explicit Together(std::vector<std::unique_ptr<Choices>> parts)
      : parts_(std::move(parts)), opened_(parts_.size()) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      for (std::size_t i = 0; i < parts_[part]->count(); ++i) places_.push_back({part, i});
    }
    count_ = places_.size();
  }

  [[nodiscard]] std::size_t count() const override { return count_; }
  [[nodiscard]] bool is_group(std::size_t i) const override {
    return of(i).is_group(places_[i].candidate);
  }
  void find_full_speeds(const std::function<void(const Choices&)>& progress) override {
    for (const auto& part : parts_)
      part->find_full_speeds([&](const Choices&) { progress(*this); });
  }

  std::vector<std::size_t> open(std::size_t group) override {
    const std::size_t part = places_[group].part;
    return known(part, of(group).open(places_[group].candidate));
  }

  [[nodiscard]] std::size_t topologies() const override { return parts_.size(); }
  [[nodiscard]] std::size_t topology(std::size_t i) const override { return places_[i].part; }
  [[nodiscard]] std::vector<Kind> kinds(std::size_t i) const override {
    std::vector<Kind> kinds = of(i).kinds(places_[i].candidate);
    for (Kind& kind : kinds) kind.hardware = kind.hardware * parts_.size() + places_[i].part;
    return kinds;
  }
  [[nodiscard]] const Parallelism& parallelism(std::size_t i) const override {
    return of(i).parallelism(places_[i].candidate);
  }

  double first_bound(std::size_t i) override { return of(i).first_bound(places_[i].candidate); }
  double second_bound(std::size_t i) override { return of(i).second_bound(places_[i].candidate); }
  double third_bound(std::size_t i) override { return of(i).third_bound(places_[i].candidate); }
  double seconds(std::size_t i) override { return of(i).seconds(places_[i].candidate); }

  [[nodiscard]] double tokens(std::size_t i) const override {
    return of(i).tokens(places_[i].candidate);
  }
  [[nodiscard]] Price price(std::size_t i, Seconds time) const override {
    return of(i).price(places_[i].candidate, time);
  }
  [[nodiscard]] int sites(std::size_t i) const override {
    return of(i).sites(places_[i].candidate);
  }
  [[nodiscard]] int gpus(std::size_t i) const override { return of(i).gpus(places_[i].candidate); }
  [[nodiscard]] double nic_bandwidth_Bps(std::size_t i) const override {
    return of(i).nic_bandwidth_Bps(places_[i].candidate);
  }
  [[nodiscard]] double full_speed(std::size_t i) const override {
    return of(i).full_speed(places_[i].candidate);
  }

  PlanRow row(std::size_t i) override {
    PlanRow row = of(i).row(places_[i].candidate);
    row.question = places_[i].part;
    return row;
  }
  [[nodiscard]] Job job(std::size_t i) const override { return of(i).job(places_[i].candidate); }
  [[nodiscard]] Setup setup(std::size_t i) const override {
    return of(i).setup(places_[i].candidate);
  }
  [[nodiscard]] Chosen chosen(std::size_t i) const override {
    return of(i).chosen(places_[i].candidate);
  }
  std::vector<std::size_t> same_layout(std::size_t i) override {
    const std::size_t part = places_[i].part;
    return known(part, of(i).same_layout(places_[i].candidate));
  }

  [[nodiscard]] std::vector<std::string> not_counted() const override {
    std::vector<std::string> all;
    for (const auto& part : parts_) {
      for (std::string& line : part->not_counted()) {
        if (std::ranges::count(all, line) == 0) all.push_back(std::move(line));
      }
    }
    return all;
  }
  [[nodiscard]] std::string why_endless() override { return parts_.front()->why_endless(); }
  [[nodiscard]] Searched searched() const override {
    Searched all;
    for (const auto& part : parts_) {
      const Searched one = part->searched();
      all.setups += one.setups;
      all.too_large += one.too_large;
      all.not_held += one.not_held;
      all.planned += one.planned;
      all.simulated += one.simulated;
      all.rounds += one.rounds;
    }
    return all;
  }

 private:
  // The numbers of a part's candidates.
  std::vector<std::size_t> known(std::size_t part, const std::vector<std::size_t>& candidates) {
    std::vector<std::size_t> numbers;
    for (const std::size_t one : candidates) {
      const auto [number, added] = opened_[part].try_emplace(one, places_.size());
      if (added) places_.push_back({part, one});
      numbers.push_back(number->second);
    }
    return numbers;
  }

  [[nodiscard]] Choices& of(std::size_t i) const { return *parts_[places_[i].part]; }

  const std::vector<std::unique_ptr<Choices>> parts_;
  std::vector<Place> places_;
  std::vector<std::map<std::size_t, std::size_t>> opened_;  // by part, of its candidates
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Choices> together(std::vector<std::unique_ptr<Choices>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<Together>(std::move(parts));
}

}  // namespace sim::study
