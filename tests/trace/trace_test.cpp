// SPDX-License-Identifier: Apache-2.0
// What profilers write is read; what is damaged is one line that names the file.
#include "sim/trace/trace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/input_errors.hpp"
#include "tests/trace/trace_text.hpp"

namespace sim::trace {
namespace {

Trace parsed(const std::string& text) { return parse_trace(text, "x.json"); }

std::string trace_error_of(const std::string& text) {
  std::string error = input_error_of([&] { static_cast<void>(parsed(text)); });
  expect_located(error, "x.json");
  return error;
}

TEST(Trace, HoldsKernelsByStreamWithTheirLaunches) {
  const Trace trace =
      parsed(trace_of({{.name = "b", .start = 1010, .duration = 3, .stream = 20, .launched = 1002},
                       {.name = "a", .start = 1004, .duration = 2},
                       {.name = "a", .start = 1020, .duration = 2, .gpu = 1}},
                      {step_event(7, 1000, 50)}));
  EXPECT_EQ(trace.device, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(trace.rank, 3);
  EXPECT_EQ(trace.ranks, 16);
  EXPECT_EQ(trace.gpus, (std::vector<std::int64_t>{0, 1}));
  ASSERT_EQ(trace.kernels.size(), 3u);
  // By GPU, then start, in seconds since the step began.
  EXPECT_NEAR(trace.kernels[0].start_s, 4e-6, 1e-12);
  EXPECT_NEAR(trace.kernels[1].start_s, 10e-6, 1e-12);
  EXPECT_NEAR(trace.kernels[1].duration_s, 3e-6, 1e-12);
  EXPECT_NEAR(trace.kernels[1].launched_s, 2e-6, 1e-12);
  EXPECT_EQ(trace.kernels[1].stream, 20);
  EXPECT_TRUE(std::isnan(trace.kernels[0].launched_s));
  EXPECT_EQ(trace.kernels[2].gpu, 1);
  EXPECT_EQ(trace.names.size(), 2u);
  EXPECT_EQ(trace.overlapping, 0u);
}

TEST(Trace, AKernelIsOfTheStepThatLaunchedIt) {
  const Trace trace = parsed(trace_of({{.start = 120, .launched = 50},  // during the second step
                                       {.start = 130, .launched = 110},
                                       {.start = 30},
                                       {.start = 400}},
                                      {step_event(2, 100, 100), step_event(1, 0, 100)}));
  ASSERT_EQ(trace.steps.size(), 2u);
  EXPECT_EQ(trace.steps[0].name, "ProfilerStep#1");
  std::vector<int> steps;
  for (const Kernel& kernel : trace.kernels) steps.push_back(kernel.step);
  EXPECT_EQ(steps, (std::vector<int>{0, 0, 1, -1}));  // by start
}

// As programs in Python write a trace that they have shortened.
TEST(Trace, HasNumbersThatAreNotFiniteWhereNoTimeIs) {
  const std::string text = trace_of({{.start = 10, .duration = 2}});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    return other.replace(other.find(from), from.size(), to);
  };
  EXPECT_EQ(parsed(with("\"grid\":[1,2,3]", "\"occupancy\":[NaN,-Infinity]")).kernels.size(), 1u);
  // A name of a kernel may have such a text, but no number goes on after it.
  EXPECT_EQ(parsed(with("\"grid\":[1,2,3]", "\"grid\":\"NaNe2\"")).kernels.size(), 1u);
  for (const std::string wrong : {"NaNe2", "-Infinitye2", "Inf.5", "InfE1"}) {
    EXPECT_NE(trace_error_of(with("\"grid\":[1,2,3]", "\"grid\":" + wrong)).find("is not JSON"),
              std::string::npos)
        << wrong;
  }
  EXPECT_EQ(trace_error_of(with("\"dur\":2", "\"dur\":Infinity")),
            "x.json: /traceEvents/0: dur: is missing or not a number");
  EXPECT_EQ(trace_error_of(with("\"ts\":10", "\"ts\":NaN")),
            "x.json: /traceEvents/0: ts: is missing or not a number");
}

TEST(Trace, CountsKernelsThatOverlapInAStream) {
  const Trace trace = parsed(trace_of({{.start = 0, .duration = 10},
                                       {.start = 5, .duration = 2},
                                       {.start = 8, .duration = 1, .stream = 9},
                                       {.start = 9, .duration = 3},
                                       {.start = 12, .duration = 3}}));
  EXPECT_EQ(trace.overlapping, 2u);
}

TEST(Trace, IgnoresWhatIsNoKernel) {
  const Trace trace = parsed(trace_text(
      {R"({"ph":"M","name":"process_name","pid":0,"args":{"name":"python"}})",
       R"({"ph":"X","cat":"Trace","ts":1,"dur":2,"pid":"Spans","tid":"PyTorch Profiler"})",
       R"({"ph":"s","id":1,"pid":0,"tid":7,"ts":1,"cat":"ac2g","name":"ac2g"})",
       R"({"ph":"X","cat":"cpu_op","name":"aten::mm","ts":-5,"dur":-7,"args":{"args":[{"ts":1}]}})",
       kernel_event({}, 1)}));
  EXPECT_EQ(trace.kernels.size(), 1u);
}

TEST(Trace, MayBeAListOfEvents) {
  EXPECT_EQ(parsed("[" + kernel_event({}, 1) + "]").kernels.size(), 1u);
}

TEST(Trace, RefusesWhatIsDamaged) {
  EXPECT_EQ(trace_error_of("{\"traceEvents\": [{]"), "x.json: byte 19: is not JSON");
  const std::string whole = trace_of({{}, {.start = 5}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(trace_error_of(whole.substr(0, size)), "") << size;
  }
  EXPECT_EQ(trace_error_of("{}"),
            "x.json: has no list traceEvents; give what torch.profiler's export_chrome_trace "
            "writes");
  EXPECT_NE(trace_error_of("7").find("has no list"), std::string::npos);
  EXPECT_NE(trace_error_of("{\"traceEvents\": {}}").find("has no list"), std::string::npos);
  EXPECT_EQ(trace_error_of("{\"traceEvents\": [], \"traceEvents\": []}"),
            "x.json: /traceEvents: appears twice");
  EXPECT_EQ(trace_error_of("{\"traceEvents\": []}"),
            "x.json: has no kernel of a GPU; profile with ProfilerActivity.CUDA");
  EXPECT_EQ(trace_error_of("{\"traceEvents\": [1e999]}"),
            "x.json: contains a number that is too large");
}

TEST(Trace, RefusesTimesThatAreNone) {
  const auto with = [](const std::string& fields) {
    return trace_error_of(trace_text(
        {kernel_event({}, 1), R"({"ph":"X","cat":"kernel","name":"a",)" + fields + "}"}));
  };
  EXPECT_EQ(with(R"("pid":0,"tid":7,"ts":1,"dur":-1)"), "x.json: /traceEvents/1: dur: is negative");
  EXPECT_EQ(with(R"("pid":0,"tid":7,"dur":1)"),
            "x.json: /traceEvents/1: ts: is missing or not a number");
  EXPECT_EQ(with(R"("pid":0,"tid":7,"ts":"1","dur":1)"),
            "x.json: /traceEvents/1: ts: is missing or not a number");
  EXPECT_EQ(with(R"("pid":0,"tid":7,"ts":1,"dur":[2])"),
            "x.json: /traceEvents/1: dur: is missing or not a number");
  EXPECT_EQ(with(R"("pid":"GPU","tid":7,"ts":1,"dur":1)"),
            "x.json: /traceEvents/1: args/device: is missing or not a whole number");
  EXPECT_EQ(with(R"("pid":0,"tid":7.5,"ts":1,"dur":1)"),
            "x.json: /traceEvents/1: args/stream: is missing or not a whole number");
}

TEST(Trace, ANestedListDeepEnoughIsNoCrash) {
  const std::string deep = std::string(100'000, '[');
  EXPECT_NE(trace_error_of(deep), "");
  EXPECT_EQ(parsed(trace_text({R"({"args":{"args":)" + deep + std::string(100'000, ']') + "}}",
                               kernel_event({}, 1)}))
                .kernels.size(),
            1u);
}

TEST(Trace, ANameOnlyShowsWhatIsPrintable) {
  const Trace trace = parsed(trace_of({{.name = "gemm\\u001b[31m\\n" + std::string(300, 'x')}}));
  EXPECT_LE(trace.names.front().text.size(), 203u);  // "..." where it is cut
  EXPECT_EQ(trace.names.front().text.find('\x1b'), std::string::npos);
  EXPECT_EQ(trace.names.front().value, KernelClass::product);
}

}  // namespace
}  // namespace sim::trace
