// Owners for libbpf's objects, and its log, which must not reach the terminal: the
// dashboard draws there.
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

// A skeleton by bpftool; each has its own static destroy().
template <class T>
struct SkeletonDeleter {
  void operator()(T* skeleton) const { T::destroy(skeleton); }
};
template <class T>
using Skeleton = std::unique_ptr<T, SkeletonDeleter<T>>;

// While it lives, keeps libbpf's most useful warning: the verifier's complaint,
// else the first one, because later ones only say that loading failed.
class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  const std::string& message() const;
};

// Maps all of an array map that was made with BPF_F_MMAPABLE. Throws Error.
Mapping map_array(const bpf_map* map);

// Reads a word that a BPF program may be writing on another CPU, with a single load.
template <class Word>
Word peek(const Word& word) {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

// Throws Error with the explanation of capabilities.h.
[[noreturn]] void throw_refused(const std::string& step, int error_number, const LibbpfLog& log);

}  // namespace pipetop::observe
