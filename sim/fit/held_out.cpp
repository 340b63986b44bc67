// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/held_out.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "sim/fit/alpha_beta.hpp"

namespace sim::fit {
namespace {

std::vector<Log> those(std::span<const Log> logs, const std::function<bool(double bytes)>& which) {
  std::vector<Log> some(logs.begin(), logs.end());
  for (Log& log : some) {
    std::erase_if(log.times, [&](const LogTime& time) { return !which(time.bytes); });
  }
  return some;
}

// Each time as `predict` gives it, given the logs without its size and with no other.
std::vector<double> leave_sizes_out(
    std::span<const Log> logs,
    const std::function<std::vector<double>(const std::vector<Log>& others,
                                            const std::vector<Log>& out)>& predict) {
  const std::vector<double> bytes = bytes_of(logs);
  std::vector<double> predicted(bytes.size());
  for (const double size : std::set<double>(bytes.begin(), bytes.end())) {
    const std::vector<double> times =
        predict(those(logs, [=](double other) { return other != size; }),
                those(logs, [=](double other) { return other == size; }));
    auto next = times.begin();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == size) predicted[i] = *next++;
    }
  }
  return predicted;
}

}  // namespace

Split hold_out_sizes(std::span<const Log> logs) {
  Split split{{logs.begin(), logs.end()}, {logs.begin(), logs.end()}};
  for (std::size_t i = 0; i < logs.size(); ++i) {
    std::set<double> sizes, held;
    for (const LogTime& time : logs[i].times) sizes.insert(time.bytes);
    bool hold = false;
    for (const double size : sizes) {
      if (hold) held.insert(size);
      hold = !hold;
    }
    const auto is_held = [&](const LogTime& time) { return held.contains(time.bytes); };
    std::erase_if(split.used[i].times, is_held);
    std::erase_if(split.held[i].times, std::not_fn(is_held));
  }
  return split;
}

Split hold_out_most_gpus(std::span<const Log> logs) {
  const int most = std::ranges::max(logs, {}, &Log::gpus).gpus();
  Split split;
  for (const Log& log : logs) (log.gpus() == most ? split.held : split.used).push_back(log);
  return split.used.empty() ? Split{std::move(split.held), {}} : split;
}

std::vector<double> law_s(std::span<const Log> used, std::span<const Log> logs) {
  std::map<const CollectiveRow*, std::vector<TimedBytes>> timed;
  const auto sent = [](const Log& log, const LogTime& time) {
    return log.collective->sent_share(log.gpus()) * time.bytes;
  };
  for (const Log& log : used) {
    for (const LogTime& time : log.times) {
      timed[log.collective].push_back({sent(log, time), time.seconds});
    }
  }
  std::map<const CollectiveRow*, AlphaBeta> laws;
  for (const auto& [collective, rows] : timed) laws[collective] = fit_alpha_beta(rows);
  std::vector<double> predicted;
  for (const Log& log : logs) {
    for (const LogTime& time : log.times) {
      predicted.push_back(laws[log.collective].seconds(sent(log, time)));
    }
  }
  return predicted;
}

std::vector<double> without_its_size_s(const Fit& fit, std::span<const Log> logs) {
  std::vector<const Constant*> free;
  for (const FittedConstant& one : fit.fitted) free.push_back(one.constant);
  return leave_sizes_out(logs, [&](const std::vector<Log>& others, const std::vector<Log>& out) {
    return predicted_s(refit(fit.cluster, free, others), out);
  });
}

std::vector<double> law_without_its_size_s(std::span<const Log> logs) {
  return leave_sizes_out(logs, law_s);
}

}  // namespace sim::fit
