// SPDX-License-Identifier: Apache-2.0
// Small traces as Kineto writes them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

// Times in microseconds.
struct TracedKernel {
  std::string name = "ampere_bf16_s16816gemm";
  double start = 0, duration = 1;
  int stream = 7;
  int gpu = 0;
  double launched = -1;  // none
};

inline std::string kernel_event(const TracedKernel& one, int correlation) {
  std::string text = fmt::format(
      R"({{"ph":"X","cat":"kernel","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},)"
      R"("args":{{"stream":{},"device":{},"correlation":{},"grid":[1,2,3]}}}})",
      one.name, one.gpu, one.stream, one.start, one.duration, one.stream, one.gpu, correlation);
  if (one.launched >= 0) {
    text += fmt::format(
        R"(,{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":99,"tid":99,)"
        R"("ts":{},"dur":2,"args":{{"correlation":{}}}}})",
        one.launched, correlation);
  }
  return text;
}

inline std::string step_event(int number, double start, double duration) {
  return fmt::format(
      R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":99,"tid":99,"ts":{},)"
      R"("dur":{}}})",
      number, start, duration);
}

inline std::string trace_text(const std::vector<std::string>& events) {
  std::string text =
      R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA A100-SXM4-80GB"},)"
      R"({"id":1,"name":"other"}],"distributedInfo":{"backend":"nccl","rank":3,"world_size":16},)"
      R"("traceEvents":[)";
  const char* separator = "";
  for (const std::string& event : events) {
    text += separator + event;
    separator = ",\n";
  }
  return text + R"(],"displayTimeUnit":"ms"})";
}

inline std::string trace_of(const std::vector<TracedKernel>& kernels,
                            std::vector<std::string> others = {}) {
  int correlation = 0;
  for (const TracedKernel& one : kernels) others.push_back(kernel_event(one, ++correlation));
  return trace_text(others);
}
