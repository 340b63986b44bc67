// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "apps/calibrate/gpu/measure.hpp"
#include "apps/calibrate/gpu/workspace.hpp"
#include "codecs/cuda/memory_passes.hpp"

namespace calibrate {
namespace {

using codecs::cuda::check;

// A kernel of the smallest size moves no less than a quarter of it, one of the largest no more than
// four times as much.
constexpr std::size_t kLess = 8, kMore = 2;

Json measure_copy(Session& session, std::size_t bytes) {
  const std::size_t count = copies(bytes, codecs::cuda::l2_bytes(), free_bytes());
  const Ring<std::byte> from(bytes, count), to(bytes, count);
  const std::vector<std::byte> ones(std::min<std::size_t>(bytes, kPattern), std::byte{1});
  from.fill(ones);
  const Time driver = time_of(session, [&](std::size_t i, cudaStream_t stream) {
    check(cudaMemcpyAsync(to.at(i), from.at(i), bytes, cudaMemcpyDeviceToDevice, stream));
  });
  const Time kernel = time_of(session, [&](std::size_t i, cudaStream_t stream) {
    codecs::cuda::copy_async(from.at(i), to.at(i), bytes, stream);
  });
  const bool driver_is_faster = driver.median_s <= kernel.median_s;
  const Time& time = driver_is_faster ? driver : kernel;
  const double moved = 2 * static_cast<double>(bytes);
  const std::string method = driver_is_faster ? "cudaMemcpy" : "kernel";
  report(session, "copy by " + method + ", " + std::to_string(bytes), time.median_s,
         rate_text(moved, time.median_s));
  return {{"moved_bytes", moved},
          {"method", method},
          {"median_s", time.median_s},
          {"spread_s", time.spread_s},
          {"launches", time.launches}};
}

}  // namespace

Json measure_copies(Session& session, const Sizes& sizes) {
  const std::vector<std::size_t> fitting =
      sizes_that_fit({sizes.min_bytes / kLess, sizes.max_bytes * kMore}, free_bytes());
  session.budget.expect(2 * fitting.size());
  Json rows = Json::array();
  for (const std::size_t bytes : fitting) rows.push_back(measure_copy(session, bytes));
  return rows;
}

}  // namespace calibrate
