// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/write_trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace sim::trace {
namespace {

std::string quoted_text(std::string_view text) { return nlohmann::json(text).dump(); }

// An event with both ends in whole nanoseconds, so that it ends where the next one of its track
// begins.
std::string timed_event(std::string_view category, std::string_view name, double start_s,
                        double end_s) {
  const auto start_ns = std::llround(start_s * 1e9);
  const auto duration_ns = std::llround(end_s * 1e9) - start_ns;
  return fmt::format(R"({{"ph":"X","cat":"{}","name":{},"ts":{:.3f},"dur":{:.3f})", category,
                     quoted_text(name), static_cast<double>(start_ns) / 1e3,
                     static_cast<double>(duration_ns) / 1e3);
}

std::string process_name(std::int64_t process, const std::string& name) {
  return fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":{}}}}})", process,
                     quoted_text(name));
}

// Process numbers of hosts lie above those of GPUs.
std::int64_t host_of(std::int64_t gpu) {
  constexpr std::int64_t kHosts = 1'000'000;
  return kHosts + gpu;
}

std::string header_of(const Trace& trace) {
  std::string text = R"({"schemaVersion":1,"deviceProperties":[)";
  text += fmt::format(R"({{"id":0,"name":{}}}])", quoted_text(trace.device));
  if (trace.rank || trace.ranks) {
    text += R"(,"distributedInfo":{"backend":"nccl")";
    if (trace.rank) text += fmt::format(R"(,"rank":{})", *trace.rank);
    if (trace.ranks) text += fmt::format(R"(,"world_size":{})", *trace.ranks);
    text += "}";
  }
  return text + R"(,"displayTimeUnit":"ms","traceEvents":[)" + "\n";
}

}  // namespace

std::string to_kineto(const Trace& trace) {
  std::string text = header_of(trace);
  const char* separator = "";
  const auto add = [&](const std::string& event) {
    text += separator + event;
    separator = ",\n";
  };
  for (const std::int64_t gpu : trace.gpus) {
    add(process_name(gpu, fmt::format("GPU {}", gpu)));
    add(process_name(host_of(gpu), fmt::format("host of GPU {}", gpu)));
    for (const Step& step : trace.steps) {
      add(timed_event("user_annotation", step.name, step.start_s, step.end_s) +
          fmt::format(R"(,"pid":{0},"tid":{0}}})", host_of(gpu)));
    }
  }
  std::size_t correlation = 0;
  for (const Kernel& kernel : trace.kernels) {
    const std::int64_t gpu = trace.gpus[static_cast<std::size_t>(kernel.gpu)];
    const double launched_s = std::isnan(kernel.launched_s) ? kernel.start_s : kernel.launched_s;
    ++correlation;
    add(timed_event("cuda_runtime", "cudaLaunchKernel", launched_s, launched_s) +
        fmt::format(R"(,"pid":{0},"tid":{0},"args":{{"correlation":{1}}}}})", host_of(gpu),
                    correlation));
    add(timed_event("kernel", trace.names[kernel.name].text, kernel.start_s, kernel.end_s()) +
        fmt::format(R"(,"pid":{0},"tid":{1},"args":{{"device":{0},"stream":{1},)"
                    R"("correlation":{2}}}}})",
                    gpu, kernel.stream, correlation));
  }
  return text + "\n]}\n";
}

}  // namespace sim::trace
