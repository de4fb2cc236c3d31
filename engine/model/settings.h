// The knobs' values. Their names, valid values and texts are in the workloads' tables of knobs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pipetop {

// An index within a workload, whose terms have the name. These are the pipe's; other workloads name
// their own, with 0 as the first or only role.
enum class Role : uint8_t { writer, reader };
inline constexpr int kRoles = 2;  // the most per workload
inline constexpr std::array<Role, kRoles> kBothRoles = {Role::writer, Role::reader};
// The names of the two ends of a pipe.
constexpr std::string_view to_text(Role role) { return role == Role::writer ? "writer" : "reader"; }

// ---- pipe ------------------------------------------------------------------

enum class WriteWith : uint8_t {
  write,
  vmsplice,
  tee,     // from the writer's own pipe, filled by vmsplice
  splice,  // from a memfd, whose pages are in the page cache
};
enum class ReadWith : uint8_t { read, splice };
enum class Wait : uint8_t {
  block,      // a blocking syscall
  poll,       // poll(-1), then a blocking syscall
  busy,       // a non-blocking syscall, repeated on EAGAIN
  busy_poll,  // poll(0) until ready, then a non-blocking syscall
  adaptive,   // a non-blocking syscall, repeated for an adaptive time, then poll(-1)
};
enum class Pages : uint8_t { k4, thp, hugetlb };
enum class Buffers : uint8_t {
  separate,  // two of them, or two parts of the memfd
  same,      // the halves of one
  single,    // one, rewritten while its pages are still in the ring: a hazard
};
enum class Placement : uint8_t {
  unpinned,
  same_cpu,  // both on one CPU
  smt,       // two hardware threads of one core
  near,      // two cores that share a last-level cache
  far,       // two cores that do not
  cpus,      // writer.cpu and reader.cpu
};
enum class Payload : uint8_t {
  constant,  // all bytes are 'X', as in the article
  stamped,   // every page contains its position in the stream; the reader checks it
};

inline constexpr uint64_t kAutoPipeSize = 0;
inline constexpr uint64_t kMinBufBytes = 4096;
inline constexpr uint64_t kMaxBufBytes = 64ull << 20;
inline constexpr uint64_t kMaxPipeBytes = 1ull
                                          << 30;  // the largest size that F_SETPIPE_SZ can return
inline constexpr int kNoCpu = -1;
inline constexpr uint32_t kMaxPairs = 16;

// For pairs of a writer and a reader with a pipe between them.
struct PipeSettings {
  WriteWith write_with = WriteWith::write;
  ReadWith read_with = ReadWith::read;
  Wait writer_wait = Wait::block;
  Wait reader_wait = Wait::block;
  Pages pages = Pages::k4;
  bool gift = false;
  Buffers buffers = Buffers::separate;
  bool touch_pages = true;
  bool lock_memory = false;
  uint64_t buf_size = 256 * 1024;      // bytes, a multiple of the page size
  uint64_t pipe_size = kAutoPipeSize;  // bytes
  Placement placement = Placement::near;
  int writer_cpu = kNoCpu;  // used when placement is `cpus`
  int reader_cpu = kNoCpu;
  Payload payload = Payload::constant;
  bool check_huge_page = false;
  bool slow_motion = false;  // a few small operations per second, for watching
  bool single_step = false;  // in slow motion: each operation waits for Engine::step()
  uint32_t pairs = 1;        // pipes, each with a writer and a reader

  bool operator==(const PipeSettings&) const = default;
};

constexpr Wait wait_of(const PipeSettings& s, Role role) {
  return role == Role::writer ? s.writer_wait : s.reader_wait;
}
// Whether the pipe refers to the writer's own pages, which must not be rewritten too early.
constexpr bool lends_pages(WriteWith technique) {
  switch (technique) {
    case WriteWith::vmsplice:
    case WriteWith::tee:
    case WriteWith::splice:
      return true;
    case WriteWith::write:  // copies
      return false;
  }
  return false;
}
constexpr bool is_busy(Wait wait) { return wait == Wait::busy || wait == Wait::busy_poll; }

// ---- page-cache ------------------------------------------------------------

enum class Files : uint8_t {
  same,  // all clients read one file
  own,   // each has its own
};

// For clients that splice a cached file into a pipe, and on to /dev/null.
struct PageCacheSettings {
  uint32_t clients = 1;
  Files files = Files::same;
  uint64_t file_size = 1ull << 30;  // bytes
  uint64_t chunk_size = 64 * 1024;  // bytes put into the pipe before it is drained
  uint32_t gang_size = 16;          // pages requested per call, and looked up together

  bool operator==(const PageCacheSettings&) const = default;
};

// ---- percpu ----------------------------------------------------------------

enum class Profile : uint8_t {
  mirred,  // redirect to a device
  gact,    // drop
};

// For workers that insert tc actions with or without per-CPU counters.
struct PercpuSettings {
  uint32_t workers = 1;
  Profile profile = Profile::mirred;
  bool no_percpu = false;
  uint32_t rules = 30'000;  // per worker, then all are removed again
  uint32_t batch = 1;       // rules per call

  bool operator==(const PercpuSettings&) const = default;
};

// ---- all -------------------------------------------------------------------

// What pipetop drives; see workload/workload.h.
enum class WorkloadKind : uint8_t { pipe, page_cache, percpu };

inline constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
inline constexpr uint64_t kPageBytes = 4096;
inline constexpr uint64_t kHugePageBytes = 2 * 1024 * 1024;

// Whether the BPF programs and perf events run. While they are off there is nothing to see, and
// nothing to pay.
enum class Observing : uint8_t { on, off };
inline constexpr const char* kObserversOff = "observers are off; press O, or give --observers on";

// Trivially copyable and compared by value: an undo step is an older copy. Only its
// workload's part matters.
struct Settings {
  WorkloadKind workload = WorkloadKind::pipe;
  Observing observers = Observing::on;  // of every workload

  PipeSettings pipe;
  PageCacheSettings page_cache;
  PercpuSettings percpu;

  bool operator==(const Settings&) const = default;
};

// ---- how to observe --------------------------------------------------------

enum class BpfUse : uint8_t { automatic, off };

// How the BPF programs count: one record per CPU, or a shared one with atomic adds.
enum class BpfCounters : uint8_t { percpu, shared };

}  // namespace pipetop
