// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/streams.hpp"

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tests/emulator/device_memory.hpp"

struct CUgraph_st {
  std::vector<std::function<void()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> work;
};
struct CUstream_st {
  bool blocks = true;                   // waits for the default stream
  std::unique_ptr<CUgraph_st> capture;  // null: what is enqueued is done
};
struct CUevent_st {
  std::chrono::steady_clock::time_point recorded;
};

namespace emulator {
namespace {

using Work = std::function<void()>;

std::vector<Work>& default_stream() {
  static std::vector<Work> work;
  return work;
}

int& captures() {
  static int streams = 0;
  return streams;
}

cudaError_t enqueue(cudaStream_t stream, Work work) {
  if (stream == nullptr) {
    default_stream().push_back(std::move(work));
  } else if (stream->capture != nullptr) {
    stream->capture->work.push_back(std::move(work));
  } else {
    wait_for_default_stream(stream);
    work();
  }
  return cudaSuccess;
}

bool is_device_memory(const void* first, std::size_t bytes, bool expected) {
  return bytes == 0 || is_allocated(first, bytes) == expected;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream) {
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (!is_device_memory(to, bytes, to_device) || !is_device_memory(from, bytes, from_device)) {
    return result(cudaErrorInvalidValue);
  }
  if (bytes == 0) return cudaSuccess;
  if (is_capturing() && !(to_device && from_device)) {
    return result(cudaErrorStreamCaptureUnsupported);
  }
  if (!to_device) {
    wait_for_default_stream(stream);
    std::memcpy(to, from, bytes);
    return cudaSuccess;
  }
  if (from_device) return enqueue(stream, [=] { std::memmove(to, from, bytes); });
  const auto* const first = static_cast<const std::byte*>(from);
  return enqueue(stream, [to, staged = std::vector(first, first + bytes)] {
    std::memcpy(to, staged.data(), staged.size());
  });
}

}  // namespace

bool is_capturing() { return captures() > 0; }

cudaError_t enqueue_kernel(cudaStream_t stream, Work kernel) {
  if (stream != nullptr) return enqueue(stream, std::move(kernel));
  finish_default_stream();
  kernel();
  return cudaSuccess;
}

void finish_default_stream() {
  for (const Work& work : std::exchange(default_stream(), {})) work();
}

void wait_for_default_stream(cudaStream_t stream) {
  if (stream == nullptr || stream->blocks) finish_default_stream();
}

}  // namespace emulator

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return emulator::copy(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return emulator::copy(to, from, bytes, kind, stream);
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  if (!emulator::is_device_memory(memory, bytes, true)) {
    return emulator::result(cudaErrorInvalidValue);
  }
  if (bytes == 0) return cudaSuccess;
  return emulator::enqueue(stream, [=] { emulator::fill(memory, value, bytes); });
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new CUstream_st{.blocks = flags != cudaStreamNonBlocking};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const std::unique_ptr<CUstream_st> owner(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (emulator::is_capturing()) return emulator::result(cudaErrorStreamCaptureUnsupported);
  emulator::wait_for_default_stream(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  emulator::finish_default_stream();  // where it was recorded there
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = std::make_unique<CUevent_st>().release();
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const std::unique_ptr<CUevent_st> owner(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  emulator::wait_for_default_stream(stream);
  event->recorded = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->recorded - start->recorded).count();
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream == nullptr || stream->capture != nullptr) {
    return emulator::result(cudaErrorStreamCaptureUnsupported);
  }
  stream->capture = std::make_unique<CUgraph_st>();
  ++emulator::captures();
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (stream == nullptr || stream->capture == nullptr) {
    return emulator::result(cudaErrorInvalidValue);
  }
  *graph = stream->capture.release();
  --emulator::captures();
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = std::make_unique<CUgraphExec_st>(graph->work).release();
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  emulator::wait_for_default_stream(stream);
  for (const std::function<void()>& work : graph->work) work();
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  const std::unique_ptr<CUgraphExec_st> owner(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const std::unique_ptr<CUgraph_st> owner(graph);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  if (emulator::is_capturing()) return emulator::result(cudaErrorStreamCaptureUnsupported);
  emulator::finish_default_stream();
  return cudaSuccess;
}
