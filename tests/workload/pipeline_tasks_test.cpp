// SPDX-License-Identifier: Apache-2.0
// Pipeline orders: whole, without deadlock, and with as many passes in flight as they say.
#include "sim/workload/pipeline_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace sim {
namespace {

// Micro-batches are fewer than stages, as many, multiples of them, and none of these.
std::vector<Parallelism> pipelines() {
  std::vector<Parallelism> all;
  for (const int stages : {1, 2, 3, 4, 8}) {
    for (const int chunks : {1, 2, 3, 5}) {
      for (const int micro_batches : {1, 2, 3, 4, 5, 7, 8, 9, 16, 21}) {
        for (const bool pairs : {false, true}) {
          all.push_back({.pipeline = stages,
                         .virtual_stages = chunks,
                         .expert = pairs ? 2 : 1,
                         .accumulation = micro_batches,
                         .overlap = {.batches = pairs}});
        }
      }
    }
  }
  return all;
}

testing::Message text_of(const Parallelism& p) {
  return testing::Message() << p.pipeline << " stages x " << p.virtual_stages << " chunks, "
                            << p.accumulation << " micro-batches"
                            << (pairs_passes(p) ? " in pairs" : "");
}

TEST(PipelineTasks, TakeEveryMicroBatchThroughEveryChunkOnceForwardAndOnceBackward) {
  for (const Parallelism& p : pipelines()) {
    SCOPED_TRACE(text_of(p));
    std::set<Task> all;
    for (const bool forward : {true, false}) {
      for (int m = 0; m < p.accumulation; ++m) {
        for (int chunk = 0; chunk < p.virtual_stages; ++chunk) all.insert({forward, m, chunk});
      }
    }
    for (int stage = 0; stage < p.pipeline; ++stage) {
      const std::vector<Task> tasks = pipeline_tasks(p, stage);
      EXPECT_EQ(tasks.size(), all.size());
      EXPECT_EQ(std::set<Task>(tasks.begin(), tasks.end()), all);
    }
  }
}

// What is done, by virtual stage: forward the previous one goes first, backward the next one, and
// the last one's own forward pass.
class Progress {
 public:
  explicit Progress(const Parallelism& p) : p_(p) {}

  [[nodiscard]] bool ready(int stage, const Task& task) const {
    const int place = task.chunk * p_.pipeline + stage;
    if (task.forward) return place == 0 || is_done(true, place - 1, task.micro_batch);
    const bool last = place == p_.pipeline * p_.virtual_stages - 1;
    return is_done(true, place, task.micro_batch) &&
           (last || is_done(false, place + 1, task.micro_batch));
  }
  void finish(int stage, const Task& task) {
    done_.insert({task.forward, task.micro_batch, task.chunk * p_.pipeline + stage});
  }

 private:
  [[nodiscard]] bool is_done(bool forward, int place, int micro_batch) const {
    return done_.contains({forward, micro_batch, place});
  }
  const Parallelism& p_;
  std::set<Task> done_;  // chunk: the virtual stage
};

TEST(PipelineTasks, NeverWaitForEachOther) {
  for (const Parallelism& p : pipelines()) {
    SCOPED_TRACE(text_of(p));
    Progress progress(p);
    std::vector<std::vector<Task>> left;  // by stage, the next one last
    for (int stage = 0; stage < p.pipeline; ++stage) {
      left.push_back(pipeline_tasks(p, stage));
      std::ranges::reverse(left.back());
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (int stage = 0; stage < p.pipeline; ++stage) {
        auto& tasks = left[static_cast<std::size_t>(stage)];
        while (!tasks.empty() && progress.ready(stage, tasks.back())) {
          progress.finish(stage, tasks.back());
          tasks.pop_back();
          moved = true;
        }
      }
    }
    for (const auto& tasks : left) EXPECT_TRUE(tasks.empty());
  }
}

// As if it were so many micro-batches later.
Task later(Task task, int micro_batches) {
  task.micro_batch += micro_batches;
  return task;
}

TEST(PeriodicOrder, OfAShorterStepIsTheWholeOneWithoutPeriodsInTheMiddle) {
  int shorter = 0;
  for (Parallelism whole : pipelines()) {
    for (const int micro_batches : {40, 43, 96}) {
      whole.accumulation = micro_batches;
      SCOPED_TRACE(text_of(whole));
      const auto [accumulation, left_out] = with_periods(whole, 4);
      if (left_out == 0) continue;
      ++shorter;
      Parallelism few = whole;
      few.accumulation = accumulation;
      const int left = whole.accumulation - accumulation;
      EXPECT_EQ(periodic_order(few, 0).periods, 4);
      for (int stage = 0; stage < whole.pipeline; ++stage) {
        const PeriodicOrder order = periodic_order(few, stage);
        const auto cut = static_cast<std::size_t>(order.first + 2 * order.tasks);
        std::vector<Task> tasks = pipeline_tasks(few, stage);
        for (std::size_t i = cut; i < tasks.size(); ++i) tasks[i] = later(tasks[i], left);
        std::vector<Task> between;
        for (int i = 0; i < left_out * order.tasks; ++i) {
          const auto& before = between.size() < static_cast<std::size_t>(order.tasks)
                                   ? tasks[cut - static_cast<std::size_t>(order.tasks - i)]
                                   : between[static_cast<std::size_t>(i - order.tasks)];
          between.push_back(later(before, left / left_out));
        }
        tasks.insert(tasks.begin() + static_cast<std::ptrdiff_t>(cut), between.begin(),
                     between.end());
        EXPECT_EQ(tasks, pipeline_tasks(whole, stage)) << "stage " << stage;
      }
    }
  }
  EXPECT_GT(shorter, 100);
}

TEST(PassesInFlight, AreTheMostForwardPassesThatWaitForTheirBackwardOnes) {
  for (const Parallelism& p : pipelines()) {
    for (int stage = 0; stage < p.pipeline; ++stage) {
      int now = 0, most = 0;
      for (const Task& task : pipeline_tasks(p, stage)) {
        now += task.forward ? 1 : -1;
        most = std::max(most, now);
      }
      EXPECT_EQ(passes_in_flight(p, stage), most) << text_of(p) << ", stage " << stage;
    }
  }
}

// A pair's results leave at its end: in pairs, as many each way.
TEST(PassesInFlight, OfOneForwardOneBackwardAreTheStagesFromThereOn) {
  for (const Parallelism& p : pipelines()) {
    if (p.virtual_stages > 1) continue;
    for (int stage = 0; stage < p.pipeline; ++stage) {
      const int from_there_on = p.pipeline - stage;
      EXPECT_EQ(passes_in_flight(p, stage),
                std::min((pairs_passes(p) ? 2 : 1) * from_there_on, p.accumulation));
    }
  }
}

// Narayanan et al. 2104.04473, section 2.3: stage 0 has a chunk's passes of p micro-batches under
// way for each chunk, and p - 1 more: (1 + (p - 1) / (p v)) times what its layers hold in 1F1B. Pairs of
// passes have one more.
TEST(PassesInFlight, OfInterleavedFirstStagesAreThoseOfAllChunksAndThePipelineLessOne) {
  for (const Parallelism& p : pipelines()) {
    const int groups = p.accumulation / p.pipeline;
    if (p.virtual_stages == 1 || groups < 2 || p.accumulation % p.pipeline != 0) continue;
    EXPECT_EQ(passes_in_flight(p, 0),
              p.pipeline * p.virtual_stages + p.pipeline - (pairs_passes(p) ? 0 : 1))
        << text_of(p);
  }
}

}  // namespace
}  // namespace sim
