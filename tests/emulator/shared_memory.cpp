// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/shared_memory.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/emulator/device_memory.hpp"

namespace emulator {
namespace {

constexpr const char* kSections = "emulated_shared_";  // of builtins.hpp
constexpr std::size_t kPage = 4096;

struct Range {
  std::byte* first = nullptr;
  std::size_t bytes = 0;
};

// Where the program's own addresses start; the program is the first that is told of.
std::uintptr_t load_address() {
  std::uintptr_t address = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        *static_cast<std::uintptr_t*>(found) = info->dlpi_addr;
        return 1;
      },
      &address);
  return address;
}

template <typename T>
std::vector<T> read(std::ifstream& file, std::uint64_t offset, std::size_t count) {
  std::vector<T> values(count);
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(count * sizeof(T)));
  if (!file) throw std::runtime_error("the emulator cannot read its own program");
  return values;
}

std::vector<Range> shared_sections() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const auto header = read<ElfW(Ehdr)>(file, 0, 1)[0];
  const auto sections = read<ElfW(Shdr)>(file, header.e_shoff, header.e_shnum);
  const auto& names = sections.at(header.e_shstrndx);
  std::vector<char> text = read<char>(file, names.sh_offset, names.sh_size);
  text.push_back(0);
  std::vector<Range> ranges;
  for (const auto& section : sections) {
    if (std::string(text.data() + section.sh_name).starts_with(kSections)) {
      ranges.push_back(
          {reinterpret_cast<std::byte*>(load_address() + section.sh_addr), section.sh_size});
    }
  }
  return ranges;
}

// Whole pages become copies of a file of garbage: the system throws away the ones that were
// written faster than all could be written again.
class SharedMemory {
 public:
  SharedMemory() {
    for (const Range& range : shared_sections()) split(range);
  }
  void forget() const {
    for (const Range& pages : pages_) madvise(pages.first, pages.bytes, MADV_DONTNEED);
    for (const Range& edge : edges_) std::memset(edge.first, kGarbage, edge.bytes);
  }

 private:
  void split(const Range& range) {
    const std::size_t before =
        std::min(range.bytes, -reinterpret_cast<std::uintptr_t>(range.first) % kPage);
    const std::size_t whole = (range.bytes - before) / kPage * kPage;
    edges_.push_back({range.first, before});
    edges_.push_back({range.first + before + whole, range.bytes - before - whole});
    if (whole == 0) return;
    pages_.push_back({range.first + before, whole});
    map_garbage(pages_.back());
  }
  static void map_garbage(const Range& pages) {
    const std::vector<unsigned char> garbage(pages.bytes, kGarbage);
    const int file = memfd_create("garbage", 0);
    const bool written =
        write(file, garbage.data(), garbage.size()) == static_cast<ssize_t>(garbage.size());
    const void* const mapped =
        mmap(pages.first, pages.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
    close(file);
    if (!written || mapped == MAP_FAILED) {
      throw std::runtime_error("the emulator cannot map its shared memory");
    }
  }

  std::vector<Range> pages_, edges_;
};

}  // namespace

void forget_shared_memory() {
  static const SharedMemory memory;
  memory.forget();
}

}  // namespace emulator
