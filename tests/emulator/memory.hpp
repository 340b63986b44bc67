// SPDX-License-Identifier: Apache-2.0
// Loads and stores that name a cache, atomics, fences: threads take turns, so all are plain.
#pragma once

#include <algorithm>
#include <chrono>
#include <type_traits>

#include "tests/emulator/block.hpp"

namespace emulator {

// Replaces the value by update(value) and returns the old one.
template <typename T, typename Update>
T exchanged(T* address, Update update) {
  static_assert(sizeof(T) >= 2, "no GPU has atomics of one byte");
  const T old = *address;
  *address = static_cast<T>(update(old));
  return old;
}

}  // namespace emulator

// NOLINTBEGIN(bugprone-reserved-identifier)
template <typename T>
T __ldg(const T* address) {
  return *address;
}
template <typename T>
T __ldca(const T* address) {
  return *address;
}
template <typename T>
T __ldcg(const T* address) {
  return *address;
}
template <typename T>
T __ldcs(const T* address) {
  return *address;
}
template <typename T>
T __ldcv(const T* address) {
  return *address;
}
template <typename T>
T __ldlu(const T* address) {
  return *address;
}
template <typename T>
void __stcg(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <typename T>
void __stcs(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <typename T>
void __stwb(T* address, std::type_identity_t<T> value) {
  *address = value;
}
template <typename T>
void __stwt(T* address, std::type_identity_t<T> value) {
  *address = value;
}

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
inline void __nanosleep(unsigned) { emulator::give_way(); }
[[noreturn]] inline void __trap() { throw emulator::Misuse("__trap()"); }
inline long long clock64() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
// NOLINTEND(bugprone-reserved-identifier)

template <typename T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  return emulator::exchanged(address, [=](T old) { return old + value; });
}
template <typename T>
T atomicSub(T* address, std::type_identity_t<T> value) {
  return emulator::exchanged(address, [=](T old) { return old - value; });
}
template <typename T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  return emulator::exchanged(address, [=](T) { return value; });
}
template <typename T>
requires(std::is_integral_v<T>) T atomicMin(T* address, std::type_identity_t<T> value) {
  return emulator::exchanged(address, [=](T old) { return std::min(old, value); });
}
template <typename T>
requires(std::is_integral_v<T>) T atomicMax(T* address, std::type_identity_t<T> value) {
  return emulator::exchanged(address, [=](T old) { return std::max(old, value); });
}
template <typename T>
requires(std::is_integral_v<T>) T atomicAnd(T* address, std::type_identity_t<T> value) {
  return emulator::exchanged(address, [=](T old) { return old & value; });
}
template <typename T>
requires(std::is_integral_v<T>) T atomicOr(T* address, std::type_identity_t<T> value) {
  return emulator::exchanged(address, [=](T old) { return old | value; });
}
template <typename T>
requires(std::is_integral_v<T>) T atomicXor(T* address, std::type_identity_t<T> value) {
  return emulator::exchanged(address, [=](T old) { return old ^ value; });
}
template <typename T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return emulator::exchanged(address, [=](T old) { return old == expected ? value : old; });
}
inline unsigned atomicInc(unsigned* address, unsigned last) {
  return emulator::exchanged(address, [=](unsigned old) { return old >= last ? 0 : old + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned last) {
  return emulator::exchanged(address,
                             [=](unsigned old) { return old == 0 || old > last ? last : old - 1; });
}
