// SPDX-License-Identifier: Apache-2.0
// An algorithm or a protocol that a step's cluster asks for: refused where no group takes it, and
// named in the sources where some do.
#include "sim/program/asked_collectives.hpp"

#include "sim/base/error.hpp"
#include "sim/report/sources.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

struct AskedStep {
  Cluster cluster = small_cluster();
  Parallelism parallelism = {};
  const Scheme& scheme = scheme_named("sharded");
  Model model = deep_model();
  Calibration calibration = roofline();

  [[nodiscard]] StepContext context() const {
    return {cluster, model, calibration, defined(scheme, parallelism)};
  }
  [[nodiscard]] std::string problems() const { return sim::problems(context(), scheme); }
  [[nodiscard]] std::string takers(const char* key) const {
    return sources_of(context(), scheme).at(key);
  }
};

TEST(AskedCollectives, AreRefusedWhereNoGroupOfACollectiveTakesThem) {
  AskedStep step;
  step.cluster.collectives.algorithm = &algorithms::pat;
  EXPECT_NE(step.problems().find("`algorithm`: pat cannot run reduce_scatter of 8 GPUs on 2 nodes"),
            std::string::npos)
      << step.problems();
  EXPECT_THROW(static_cast<void>(plan_step(step.context(), step.scheme)), InputError);
  step.parallelism.tensor = 4;  // replicas are then one of each node
  EXPECT_EQ(step.problems(), "");
  EXPECT_EQ(
      step.takers("collectives.algorithm"),
      "pat: all_gather of 2 GPUs on 2 nodes, reduce_scatter of 2 GPUs on 2 nodes; as by auto: "
      "all_reduce of 4 GPUs of one node");
}

TEST(AskedCollectives, ThatSomeGroupsCannotTakeAreExceptions) {
  AskedStep step{.scheme = scheme_named("data_parallel")};
  step.cluster.collectives.algorithm = &algorithms::nvls;
  step.parallelism.tensor = 2;
  EXPECT_EQ(step.problems(), "");
  const AskedOutcome outcome = asked_outcome(step.context(), step.scheme);
  ASSERT_EQ(outcome.exceptions.size(), 1U);
  EXPECT_NE(outcome.exceptions[0].find("all_reduce of 4 GPUs on 2 nodes of sample; nvls needs GPUs "
                                       "of one node"),
            std::string::npos)
      << outcome.exceptions[0];
}

TEST(AskedCollectives, OfAProtocolThatIsUnknownAreRefused) {
  AskedStep step;
  step.cluster.collectives.protocol = Protocol::ll128;
  EXPECT_NE(step.problems().find("`protocol`: no algorithm on sample runs all_gather"),
            std::string::npos)
      << step.problems();
  add_protocols(step.cluster);
  EXPECT_EQ(step.problems(), "");
  EXPECT_EQ(step.takers("collectives.protocol"), "ll128: every collective");
}

TEST(AskedCollectives, AreNoSourceWhereNothingIsAskedFor) {
  AskedStep step;
  step.cluster.collectives.algorithm = nullptr;
  EXPECT_FALSE(sources_of(step.context(), step.scheme).contains("collectives.algorithm"));
}

}  // namespace
}  // namespace sim
