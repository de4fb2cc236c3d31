// libbpf's objects with owners, and its log, which must never reach the
// terminal: the dashboard draws there.
#pragma once

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <memory>
#include <string>

#include "engine/base/mapping.h"
#include "engine/base/unique_fd.h"

namespace pipetop::observe {

struct LinkDeleter {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
using Link = std::unique_ptr<bpf_link, LinkDeleter>;

struct RingBufferDeleter {
  void operator()(ring_buffer* buffer) const { ring_buffer__free(buffer); }
};
using RingBuffer = std::unique_ptr<ring_buffer, RingBufferDeleter>;

// A skeleton of bpftool; each has its own static destroy().
template <class T>
struct SkeletonDeleter {
  void operator()(T* skeleton) const { T::destroy(skeleton); }
};
template <class T>
using Skeleton = std::unique_ptr<T, SkeletonDeleter<T>>;

// Keeps libbpf's most telling warning while it lives: what the verifier had
// against a program, else the first, for those that follow only repeat that
// loading failed.
class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  const std::string& words() const;
};

// Maps all of an array map that was made with BPF_F_MMAPABLE. Throws Error.
Mapping map_array(const bpf_map* map);

// A word that a program may be writing on another CPU: one load, never two.
template <class Word>
Word peek(const Word& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

// Throws Error in the words of capabilities.h.
[[noreturn]] void throw_refused(const std::string& step, int error_number, const LibbpfLog& log);

}  // namespace pipetop::observe
