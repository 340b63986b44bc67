// SPDX-License-Identifier: Apache-2.0
// Blocks of kernels as maps of the times at which host and GPU are ready.
#include "sim/times/host.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/input_errors.hpp"

namespace sim {
namespace {

struct Ready {
  double host_s = 0, gpu_s = 0;
};

// The definition.
Ready after_kernel(Ready at, double issue_s, double seconds) {
  at.host_s += issue_s;
  at.gpu_s = std::max(at.host_s, at.gpu_s) + seconds;
  return at;
}

Ready after(Ready at, const HostBlock& block) {
  return {at.host_s + block.issue_s, std::max(at.host_s + block.start_s, at.gpu_s) + block.gpu_s};
}

void expect_same(const HostBlock& a, const HostBlock& b) {
  EXPECT_NEAR(a.issue_s, b.issue_s, 1e-12);
  EXPECT_NEAR(a.start_s, b.start_s, 1e-12);
  EXPECT_NEAR(a.gpu_s, b.gpu_s, 1e-12);
}

class HostBlocks : public testing::Test {
 protected:
  double random(double most) { return std::uniform_real_distribution(0.0, most)(source_); }
  HostBlock block() { return launched(1 + std::floor(random(5)), random(2), random(5)); }
  std::mt19937 source_{7};
};

TEST_F(HostBlocks, AreAssociative) {
  for (int i = 0; i < 100; ++i) {
    const HostBlock a = block(), b = block(), c = block();
    expect_same(then(then(a, b), c), then(a, then(b, c)));
  }
}

TEST_F(HostBlocks, HaveANeutralElement) {
  const HostBlock one = block();
  expect_same(then(one, {}), one);
  expect_same(then({}, one), one);
}

TEST_F(HostBlocks, AreTheirKernelsOneByOne) {
  for (int i = 0; i < 100; ++i) {
    const Ready start{random(20), random(20)};
    Ready each = start;
    HostBlock all;
    for (int kernel = 0; kernel < 20; ++kernel) {
      const double issue_s = random(2), seconds = random(3);
      each = after_kernel(each, issue_s, seconds);
      all = then(all, launched(1, issue_s, seconds));
    }
    const Ready whole = after(start, all);
    EXPECT_NEAR(whole.host_s, each.host_s, 1e-9);
    EXPECT_NEAR(whole.gpu_s, each.gpu_s, 1e-9);
    EXPECT_LE(all.start_s, all.issue_s + 1e-12);
  }
}

TEST_F(HostBlocks, OfEqualKernelsHaveAClosedForm) {
  for (const double seconds : {0.5, 1.0, 3.0}) {
    HostBlock each;
    for (int kernel = 0; kernel < 8; ++kernel) each = then(each, launched(1, 1, seconds));
    expect_same(launched(8, 1, 8 * seconds), each);
  }
  // Issued once each second and done in half of one: the last one ends half a second after it.
  EXPECT_DOUBLE_EQ(after({}, launched(8, 1, 4)).gpu_s, 8.5);
  // Done in three seconds each: the GPU waits for the first one alone.
  EXPECT_DOUBLE_EQ(after({}, launched(8, 1, 24)).gpu_s, 25);
}

TEST_F(HostBlocks, WithoutALaunchWaitForNothing) {
  EXPECT_DOUBLE_EQ(after({.host_s = 5, .gpu_s = 1}, launched(0, 1, 2)).gpu_s, 3);
}

constexpr const char* kFile = R"(
[hosts.all]
kernels = ["megatron", "eager", "compiled"]
issue = "10 us"
spread = 0.5
step = "0 s"
source = "a test"
)";

TEST(HostFile, IsReadByKernels) {
  const Hosts hosts = parse_hosts(kFile, "x.toml");
  for (const Kernels kernels : {Kernels::megatron, Kernels::eager, Kernels::compiled}) {
    ASSERT_TRUE(host_of(hosts, kernels));
    EXPECT_DOUBLE_EQ(host_of(hosts, kernels)->issue_s, 10e-6);
    EXPECT_FALSE(host_of(hosts, kernels)->waits_for_norm);
  }
}

TEST(HostFile, IsRefusedWithoutARowForEachKindOfKernels) {
  std::string text = kFile;
  text.replace(text.find("\"eager\", "), 9, "");
  EXPECT_EQ(input_error_of([&] { static_cast<void>(parse_hosts(text, "x.toml")); }),
            "x.toml:3:1: kernels: no host is for eager; add it to a list");
}

TEST(HostFile, IsRefusedWithTwoRowsForAKindOfKernels) {
  std::string text = kFile;
  std::string more = kFile;
  more.replace(more.find("hosts.all"), 9, "hosts.two");
  more.replace(more.find("\"megatron\", \"eager\", "), 21, "");
  EXPECT_EQ(input_error_of([&] { static_cast<void>(parse_hosts(text + more, "x.toml")); }),
            "x.toml:10:1: kernels: compiled has a host in [hosts.all] already; remove one of them");
}

TEST(HostFile, IsRefusedWithKernelsThatDoNotExist) {
  std::string text = kFile;
  text.replace(text.find("eager"), 5, "lazy");
  const std::string error = input_error_of([&] { static_cast<void>(parse_hosts(text, "x.toml")); });
  EXPECT_NE(error.find("'lazy' is not one of: megatron, eager, compiled"), std::string::npos)
      << error;
}

TEST(Hosts, AreIdealWithAnIssueTimeOfZero) {
  EXPECT_FALSE(host_of(with_issue_time(parse_hosts(kFile, "x.toml"), 0_s), Kernels::eager));
  EXPECT_FALSE(host_of({}, Kernels::eager));
  const Hosts given = with_issue_time(parse_hosts(kFile, "x.toml"), 5_us);
  EXPECT_DOUBLE_EQ(host_of(given, Kernels::eager)->issue_s, 5e-6);
}

TEST(Hosts, AreSlowedDownByAFactor) {
  Hosts hosts = parse_hosts(kFile, "x.toml");
  hosts.rows.front().step_s = 1;
  hosts.slowdown = 1.5;
  EXPECT_DOUBLE_EQ(host_of(hosts, Kernels::eager)->issue_s, 15e-6);
  EXPECT_DOUBLE_EQ(host_of(hosts, Kernels::eager)->step_s, 1.5);
}

TEST(Hosts, ThatWereFittedAreKnownBetter) {
  const Hosts hosts = parse_hosts(kFile, "x.toml");
  EXPECT_EQ(with_fitted_slowdown(hosts, {}), hosts);
  const HostRow typed =
      *host_of(with_fitted_slowdown(hosts, {.host_slowdown = 1.8}), Kernels::eager);
  EXPECT_DOUBLE_EQ(typed.issue_s, 18e-6);
  EXPECT_EQ(typed.spread, hosts.rows.front().spread);
  const HostRow fitted = *host_of(
      with_fitted_slowdown(hosts, {.host_slowdown = 1.8, .rows = {"steps/a"}}), Kernels::eager);
  EXPECT_DOUBLE_EQ(fitted.issue_s, 18e-6);
  EXPECT_EQ(fitted.spread, 0.14);
  EXPECT_TRUE(fitted.source.starts_with("fitted to measured steps: 1.8 times")) << fitted.source;
}

}  // namespace
}  // namespace sim
