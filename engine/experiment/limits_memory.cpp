#include "engine/experiment/limits_memory.h"

#include <fmt/core.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/memory/huge_check.h"

namespace pipetop {

Buffer map_certain(Pages pages, uint64_t bytes, bool touch) {
  Buffer buffer = map_buffer({pages, bytes, touch, false});
  if (!buffer.data) throw SystemError("mmap", buffer.error_number);
  if (pages == Pages::hugetlb && buffer.pages != pages)
    throw Error("no free huge pages; sudo sysctl vm.nr_hugepages=16", Exit::refused);
  if (pages != Pages::thp) return buffer;
  const Reading<bool> huge =
      check_huge(::getpid(), reinterpret_cast<uintptr_t>(buffer.data), bytes);
  if (!huge.has_value()) throw Error(huge.reason, Exit::refused);
  if (!*huge) throw Error("the kernel gave no huge page; see pipetop doctor", Exit::refused);
  return buffer;
}

}  // namespace pipetop
