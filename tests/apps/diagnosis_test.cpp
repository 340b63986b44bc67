// SPDX-License-Identifier: Apache-2.0
// Fits and diagnoses of times of a closed form: a step computes, then communicates, then waits for
// its host, each in inverse proportion to its constant.
#include "sim/study/fit/diagnosis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/study/fit/misfit.hpp"
#include "tests/shipped_files.hpp"

namespace sim::study {
namespace {

constexpr std::string_view kCompute = "fitted.compute_efficiency",
                           kNetwork = "fitted.network_efficiency", kHost = "fitted.host_slowdown";

struct Kind {
  double computing_s = 0, communication_s = 0, host_s = 0;
};
const std::vector<Kind> kUnlike{{1, 0.1, 0.01}, {1, 0.5, 0.01}, {1, 1, 0.02},
                                {0.3, 1, 0.3},  {2, 0.2, 0.01}, {0.5, 0.5, 0.5}};

struct Truth {
  double compute = 1, network = 1, host = 1;  // over the base's
};

double value_or(const ConstantValues& values, std::string_view key, double base) {
  for (const auto& [constant, value] : values) {
    if (constant->key == key) return value;
  }
  return base;
}

class Diagnosed {
 public:
  explicit Diagnosed(std::vector<Kind> kinds, Truth truth, const std::vector<double>& noise = {}) {
    job_.topology = area_of(read_cluster(source_directory() / "topologies/dgx_h100_x16.toml"));
    Calibration& calibration = job_.calibrations.emplace_back();
    calibration.hosts.rows.push_back({.issue_s = 1e-6, .spread = 0.5});
    times_.predicted = [this, kinds](const ConstantValues& values) {
      const double base = compute_efficiency(job_.cluster());
      std::vector<double> seconds;
      for (const Kind& kind : kinds) {
        seconds.push_back(kind.computing_s * base / value_or(values, kCompute, base) +
                          kind.communication_s / value_or(values, kNetwork, 1) +
                          kind.host_s * value_or(values, kHost, 1) + rest_of(values));
      }
      return seconds;
    };
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      times_.seconds.push_back((kinds[i].computing_s / truth.compute +
                                kinds[i].communication_s / truth.network +
                                kinds[i].host_s * truth.host) *
                               (noise.empty() ? 1 : noise[i]));
    }
    fit_ = fit_times(job_constants(), job_, times_);
    diagnosis_ = diagnose(times_, fit_, false);
  }

  [[nodiscard]] const LikelyFit& fit() const { return fit_; }
  [[nodiscard]] const Diagnosis& diagnosis() const { return diagnosis_; }
  [[nodiscard]] std::vector<std::string> misfits() const { return misfits_of(fit_, times_); }
  [[nodiscard]] double value(std::string_view key, double base) const {
    return value_or(fit_.values(), key, base);
  }
  [[nodiscard]] double base_efficiency() const { return compute_efficiency(job_.cluster()); }
  [[nodiscard]] std::vector<Part> accused() const { return of({Standing::slow, Standing::fast}); }
  [[nodiscard]] std::vector<Part> undecided() const { return of({Standing::undecided}); }

 private:
  [[nodiscard]] std::vector<Part> of(std::vector<Standing> standings) const {
    std::vector<Part> parts;
    for (const PartFinding& one : diagnosis_.parts) {
      if (std::ranges::count(standings, one.standing) > 0) parts.push_back(one.part);
    }
    return parts;
  }

  Job job_;
  MeasuredTimes times_;
  LikelyFit fit_;
  Diagnosis diagnosis_;
};

double mean_error(const std::vector<double>& predicted, const std::vector<double>& measured) {
  double sum = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    sum += std::abs(std::log(predicted[i] / measured[i]));
  }
  return sum / static_cast<double>(predicted.size());
}

// The logarithm of a normal interval's half-width.
double half_width(const FittedJobConstant& one) {
  return std::log(one.interval->high / one.interval->low) / 2;
}

TEST(LikelyFit, OfTheBasesOwnTimesChangesNothing) {
  const Diagnosed same(kUnlike, {});
  EXPECT_NEAR(same.value(kNetwork, 1), 1, 1e-3);
  EXPECT_NEAR(same.value(kCompute, same.base_efficiency()), same.base_efficiency(), 1e-3);
  EXPECT_EQ(same.accused(), std::vector<Part>{});
  EXPECT_EQ(same.undecided(), std::vector<Part>{});
  EXPECT_TRUE(same.misfits().empty());
}

TEST(LikelyFit, FindsANetworkOfAnyShare) {
  for (const double share : {0.7, 0.5, 0.25, 0.1, 0.05}) {
    const Diagnosed slow(kUnlike, {.network = share});
    EXPECT_NEAR(slow.value(kNetwork, 1) / share, 1, 0.02) << share;
    EXPECT_NEAR(slow.value(kCompute, slow.base_efficiency()) / slow.base_efficiency(), 1, 0.02)
        << share;
    EXPECT_EQ(slow.accused(), std::vector{Part::network}) << share;
  }
}

TEST(LikelyFit, TellsGpusAndHostsFromTheNetwork) {
  const Diagnosed gpus(kUnlike, {.compute = 0.6});
  EXPECT_EQ(gpus.accused(), std::vector{Part::gpus});
  EXPECT_NEAR(gpus.value(kCompute, 0) / gpus.base_efficiency(), 0.6, 0.03);
  const Diagnosed host(kUnlike, {.host = 5});
  EXPECT_EQ(host.accused(), std::vector{Part::host});
  EXPECT_NEAR(host.value(kHost, 0), 5, 0.25);
}

TEST(LikelyFit, OfTwoFaultsAccusesBoth) {
  const Diagnosed both(kUnlike, {.compute = 0.6, .network = 0.3});
  EXPECT_EQ(both.accused(), (std::vector{Part::network, Part::gpus}));
}

TEST(LikelyFit, IsNeverFurtherFromTheTimesThanTheBaseNorAnIntervalWiderThanItsPrior) {
  constexpr double kTwoSided95 = 1.96;
  const std::vector<double> noise{1.1, 0.9, 1.05, 0.92, 0.97, 1.08};
  for (const Truth& truth : {Truth{}, Truth{.compute = 0.5}, Truth{.network = 0.2},
                             Truth{.compute = 0.9, .network = 0.6, .host = 2}}) {
    const Diagnosed fitted(kUnlike, truth, noise);
    std::vector<double> measured;
    for (std::size_t i = 0; i < noise.size(); ++i) {
      measured.push_back((kUnlike[i].computing_s / truth.compute +
                          kUnlike[i].communication_s / truth.network +
                          kUnlike[i].host_s * truth.host) *
                         noise[i]);
    }
    EXPECT_LE(mean_error(fitted.fit().fit_s, measured),
              1.05 * mean_error(fitted.fit().base_s, measured));
    for (const FittedJobConstant& one : fitted.fit().fitted) {
      const auto known =
          std::ranges::find(fitted.fit().used, one.constant, &DoubtfulConstant::constant);
      ASSERT_NE(known, fitted.fit().used.end());
      EXPECT_LE(half_width(one), kTwoSided95 * std::max(known->slower, known->faster) * 1.001)
          << one.constant->key;
    }
  }
}

TEST(LikelyFit, SaysWhatItsTimesDoNotShow) {
  const Diagnosed alone({{1, 0, 0}, {2, 0, 0}, {0.5, 0, 0}}, {.compute = 0.9});
  for (const auto& key : {kNetwork, kHost}) {
    const auto kept = std::ranges::find_if(
        alone.fit().kept, [&](const KeptJobConstant& one) { return one.constant->key == key; });
    ASSERT_NE(kept, alone.fit().kept.end()) << key;
    EXPECT_EQ(kept->because, JobConstantKept::unused) << key;
  }
}

TEST(LikelyFit, CountsAnOutlierLittleAndNamesIt) {
  std::vector<Kind> kinds = kUnlike;
  kinds.insert(kinds.end(), kUnlike.begin(), kUnlike.end());
  std::vector<double> noise(kinds.size(), 1);
  noise[1] = 2.5;
  const Diagnosed fitted(kinds, {.network = 0.5}, noise);
  EXPECT_NEAR(fitted.value(kNetwork, 1), 0.5, 0.05);
  EXPECT_EQ(fitted.fit().outliers, std::vector<std::size_t>{1});
}

TEST(Diagnosis, DoesNotDecideWhatTheTimesDoNotTell) {
  // In all steps as much computing as communication: a slow part looks like the other one. What is
  // known of networks and GPUs before may tell, and the sentence then says so.
  const Diagnosed alike({{1, 1, 0}, {2, 2, 0}}, {.network = 0.4});
  const bool is_open = !alike.undecided().empty();
  const bool is_by_priors = std::ranges::any_of(
      alike.diagnosis().parts, [](const PartFinding& one) { return one.is_by_priors; });
  EXPECT_TRUE(is_open || is_by_priors);
  EXPECT_FALSE(alike.diagnosis().measure.empty());
  const std::vector<std::string> sentences = sentences_of(alike.diagnosis());
  EXPECT_TRUE(std::ranges::any_of(sentences, [&](const std::string& sentence) {
    return sentence.find(alike.diagnosis().measure) != std::string::npos;
  }));
}

TEST(Diagnosis, SaysWhatTheStepsWouldGain) {
  const Diagnosed slow(kUnlike, {.network = 0.25});
  const auto network = std::ranges::find(slow.diagnosis().parts, Part::network, &PartFinding::part);
  ASSERT_NE(network, slow.diagnosis().parts.end());
  double gain = 0;
  for (const Kind& kind : kUnlike) {
    const double others = kind.computing_s + kind.host_s;
    gain += std::log((others + 4 * kind.communication_s) / (others + kind.communication_s)) /
            static_cast<double>(kUnlike.size());
  }
  EXPECT_NEAR(network->gain / std::exp(gain), 1, 0.02);
  EXPECT_NEAR(slow.diagnosis().ratio / std::exp(gain), 1, 1e-9);
}

TEST(Misfit, OfGpusThatNobodyHasIsSaid) {
  EXPECT_EQ(Diagnosed(kUnlike, {.compute = 0.8}).misfits().size(), 0u);
  const std::vector<std::string> misfits = Diagnosed(kUnlike, {.compute = 0.35}).misfits();
  ASSERT_EQ(misfits.size(), 1u);
  EXPECT_NE(misfits.front().find("compute efficiency"), std::string::npos);
}

TEST(Misfit, OfTimesWithoutALawIsSaid) {
  const std::vector<double> noise{2, 0.5, 1.8, 0.6, 1.5, 0.7};
  EXPECT_FALSE(Diagnosed(kUnlike, {}, noise).misfits().empty());
}

}  // namespace
}  // namespace sim::study
