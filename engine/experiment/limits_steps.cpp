#include "engine/experiment/limits_steps.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "engine/base/blocked_signals.h"
#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/text.h"
#include "engine/model/segment.h"
#include "engine/process/privileges.h"

namespace pipetop {
namespace {

// Echoes every byte until the other side is gone. Runs in a child after fork:
// system calls only.
[[noreturn]] void echo(int in, int out) {
  char byte = 0;
  while (::read(in, &byte, 1) == 1 && ::write(out, &byte, 1) == 1) continue;
  ::_exit(0);
}

// A process that echoes; it ends with this object and with its parent.
class Partner {
 public:
  Partner(int cpu, std::span<const Cpu> allowed) {
    PipeEnds there = open_pipe(), back = open_pipe();
    if (!there || !back) throw SystemError("pipe2", errno);
    start(there.read.get(), back.write.get());
    if (pid_ < 0) throw SystemError("fork", errno);
    // By the parent: the child is not to touch the heap.
    if (const int refused = pin(pid_, cpu, allowed)) {
      end();
      throw SystemError("sched_setaffinity", refused);
    }
    to_ = std::move(there.write);
    from_ = std::move(back.read);
  }
  ~Partner() { end(); }
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;

  // End of file if the partner is gone: nobody else has its ends.
  void round_trip() const {
    char byte = 0;
    if (::write(to_.get(), &byte, 1) != 1) throw SystemError("write", errno);
    ssize_t got = 0;
    do got = ::read(from_.get(), &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got < 0) throw SystemError("read", errno);
    if (got == 0) throw Error("the process to wake up died", Exit::worker_failed);
  }

 private:
  void start(int in, int out) {
    const pid_t parent = ::getpid();
    const BlockedSignals blocked;  // those to the whole group are for the parent to handle
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(0);  // the parent died before PDEATHSIG was set
      if (!drop_capabilities()) ::_exit(1);
      ::prctl(PR_SET_NAME, "pipetop-echo");
      echo(in, out);
    }
  }

  void end() const {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  UniqueFd to_, from_;
  pid_t pid_ = -1;
};

constexpr uint64_t kSmallestBytes = 16 * kPageBytes;
// The difference of two figures needs some distance between them.
constexpr uint64_t kDistance = 4;

double pages_of(const RingCost& ring) { return double(ring.ring_bytes) / double(kPageBytes); }

// The cost per additional page, from one ring size to a larger one.
RingCost further_page(const RingCost& small, const RingCost& large) {
  const double from = pages_of(small), to = pages_of(large);
  const auto slope = [&](double a, double b) { return (b * to - a * from) / (to - from); };
  return {large.ring_bytes, slope(small.vmsplice_ns, large.vmsplice_ns),
          slope(small.release_ns, large.release_ns)};
}

template <class Cost>
RoofFigure cheapest(std::span<const RingCost> rings, Cost cost) {
  const RingCost& best = *std::ranges::min_element(rings, {}, cost);
  return {best.ring_bytes, cost(best)};
}

// Two alternating calls, each of which moves a whole ring.
class TwoCalls {
 public:
  // From ns per call to ns per page or slot.
  double figure(double ns) const { return ns * double(kPageBytes) / double(bytes_); }

 protected:
  explicit TwoCalls(uint64_t bytes) : ring_(make_ring(bytes)), bytes_(bytes) {}

  template <class Call>
  void move_all(const char* name, CallTimer& timer, Call call) {
    check_moved(name, timer.time(call), bytes_);
  }
  long lend(const Buffer& buffer) const {
    const iovec all = {buffer.data, bytes_};
    return ::vmsplice(ring_.write_fd(), &all, 1, SPLICE_F_NONBLOCK);
  }
  long drain_to(int fd) const { return drain(ring_, fd, bytes_); }

  PipeOwner ring_;
  const uint64_t bytes_;
};

template <class Calls, class... Arguments>
LimitsStep step_of(const Arguments&... arguments) {
  return [calls = std::make_shared<Calls>(arguments...)] {
    CallTimer first, second;
    repeat_for_slice([&] { calls->turn(first, second); });
    return std::vector{calls->figure(first.mean_ns()), calls->figure(second.mean_ns())};
  };
}

class Copy : public TwoCalls {
 public:
  explicit Copy(uint64_t bytes)
      : TwoCalls(bytes), from_(map_certain(Pages::k4, bytes)), to_(map_certain(Pages::k4, bytes)) {}

  void turn(CallTimer& in, CallTimer& out) {
    move_all("write", in, [this] { return ::write(ring_.write_fd(), from_.data, bytes_); });
    move_all("read", out, [this] { return ::read(ring_.read_fd(), to_.data, bytes_); });
  }
  double figure(double ns) const { return double(bytes_) / kGiB / (ns / 1e9); }

 private:
  Buffer from_, to_;
};

class LentPages : public TwoCalls {
 public:
  LentPages(const LentPagesKind& kind, uint64_t bytes)
      : TwoCalls(bytes),
        touched_(kind.touched),
        buffer_(map_certain(kind.pages, bytes, kind.touched == Touched::yes)) {}

  void turn(CallTimer& lending, CallTimer& release) {
    if (touched_ == Touched::never) ::madvise(buffer_.data, bytes_, MADV_DONTNEED);
    move_all("vmsplice", lending, [this] { return lend(buffer_); });
    move_all("splice", release, [this] { return drain_to(sink_.get()); });
  }

 private:
  Touched touched_;
  Buffer buffer_;
  UniqueFd sink_ = open_dev_null();
};

// Copies and moves the slots of a ring full of lent pages to another ring.
class Slots : public TwoCalls {
 public:
  Slots(Pages pages, uint64_t bytes)
      : TwoCalls(bytes), buffer_(map_certain(pages, bytes)), empty_(make_ring(bytes)) {
    check_moved("vmsplice", lend(buffer_), bytes);
  }

  void turn(CallTimer& copy, CallTimer& move) {
    move_all("tee", copy, [this] {
      return ::tee(ring_.read_fd(), empty_.write_fd(), bytes_, SPLICE_F_NONBLOCK);
    });
    check_moved("splice", drain(empty_, sink_.get(), bytes_), bytes_);
    move_all("splice", move, [this] { return drain_to(empty_.write_fd()); });
    std::swap(ring_, empty_);
  }

 private:
  Buffer buffer_;
  PipeOwner empty_;
  UniqueFd sink_ = open_dev_null();
};

// vmsplice gets this many pages at a time.
constexpr uint32_t kPagesPerCall = 16;
// The kernel reports whole microseconds: an error of 1 % if a page takes 10 ns.
constexpr uint64_t kGupBytes = 32ull << 20;

UniqueFd open_gup_test() {
  UniqueFd file(::open(kGupTestFile, O_RDWR | O_CLOEXEC));
  if (file) return file;
  const int error = errno;
  if (error != ENOENT) throw SystemError(kGupTestFile, error);
  struct stat root, debug;
  const bool mounted = ::stat("/sys/kernel", &root) == 0 &&
                       ::stat("/sys/kernel/debug", &debug) == 0 && root.st_dev != debug.st_dev;
  throw Error(mounted ? fmt::format("no {}; use a kernel with CONFIG_GUP_TEST", kGupTestFile)
                      : fmt::format("no {}: debugfs is not mounted; "
                                    "mount -t debugfs none /sys/kernel/debug",
                                    kGupTestFile),
              Exit::unsupported);
}

// One call is longer than a slice, and the kernel times it.
std::vector<double> run_gup_test(int file, const Buffer& buffer) {
  GupTest test{};
  test.addr = reinterpret_cast<uintptr_t>(buffer.data);
  test.size = kGupBytes;
  test.nr_pages_per_call = kPagesPerCall;
  if (::ioctl(file, kGupFastBenchmark, &test) != 0) throw SystemError("GUP_FAST_BENCHMARK", errno);
  if (test.size != kGupBytes)
    throw Error("GUP_FAST_BENCHMARK did not get all pages", Exit::refused);
  const double pages = double(kGupBytes) / double(kPageBytes);
  return {double(test.get_delta_usec) * 1e3 / pages, double(test.put_delta_usec) * 1e3 / pages};
}

// ---- rings --------------------------------------------------------------------

constexpr uint64_t kRingKiB[] = {4, 64, 128, 256, 512, 1024};

}  // namespace

double clock_read_ns() {
  static const double ns = [] {
    constexpr int kReads = 1000, kTimes = 21;
    std::vector<double> times;
    for (int i = 0; i < kTimes; ++i) {
      const uint64_t begin = monotonic_ns();
      for (int read = 0; read < kReads; ++read) (void)monotonic_ns();
      times.push_back(double(monotonic_ns() - begin) / (kReads + 1));
    }
    return spread_of(times).lower;
  }();
  return ns;
}

MeasuredStep::MeasuredStep(std::string name, const std::function<LimitsStep()>& make)
    : name_(std::move(name)) {
  try {
    step_ = make();
  } catch (const Error& e) {
    refused_ = e.what();
  }
}

void MeasuredStep::visit() {
  constexpr int kSlices = 4;
  if (!refused_.empty()) return;
  try {
    (void)step_();
    for (int i = 0; i < kSlices; ++i) {
      const std::vector<double> slice = step_();
      figures_.resize(slice.size());
      for (size_t thing = 0; thing < slice.size(); ++thing) figures_[thing].push_back(slice[thing]);
    }
  } catch (const Error& e) {
    refused_ = e.what();
  }
}

const std::vector<double>& MeasuredStep::figures(size_t thing) const {
  static const std::vector<double> kNone;
  return thing < figures_.size() ? figures_[thing] : kNone;
}

Reading<Spread> MeasuredStep::spread_of(const std::vector<double>& figures) const {
  return spread_or_reason(figures, refused_);
}

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(std::min(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

Reading<Spread> spread_or_reason(const std::vector<double>& figures, const std::string& refused) {
  if (!refused.empty()) return Reading<Spread>::unavailable(refused);
  if (figures.empty()) return Reading<Spread>::warming("ended before it was measured");
  return Reading<Spread>::of(spread_of(figures));
}

PipeOwner make_ring(uint64_t bytes) {
  PipeOwner ring;
  const int error = ring.resize(bytes);
  if (error != 0 || ring.capacity_bytes() != bytes)
    throw SystemError(fmt::format("a pipe of {}", format_size(bytes)), error ? error : EPERM);
  for (const int fd : {ring.read_fd(), ring.write_fd()})
    if (::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) throw SystemError("O_NONBLOCK", errno);
  return ring;
}

void check_moved(const char* call, long moved, uint64_t bytes) {
  if (moved < 0) throw SystemError(call, errno);
  if (uint64_t(moved) != bytes)
    throw Error(fmt::format("{} moved {} of {} bytes", call, moved, bytes), Exit::refused);
}

long drain(const PipeOwner& ring, int sink_fd, uint64_t bytes) {
  return ::splice(ring.read_fd(), nullptr, sink_fd, nullptr, bytes, SPLICE_F_NONBLOCK);
}

UniqueFd open_dev_null() {
  UniqueFd fd(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!fd) throw SystemError("/dev/null", errno);
  return fd;
}

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

LimitsStep wakeup_step(int partner_cpu) {
  if (partner_cpu == kNoCpu) throw Error("pipetop may use only one CPU", Exit::refused);
  const auto partner = std::make_shared<Partner>(partner_cpu, read_topology());
  return [=] { return std::vector{mean_call_ns([&] { partner->round_trip(); }) / 2}; };
}

double RoofFigure::gib_per_s() const { return double(kPageBytes) / kGiB / (ns_per_page / 1e9); }

Reading<Roof> roof_of(std::span<const RingCost> rings) {
  std::vector<RingCost> usable;
  for (const RingCost& ring : rings)
    if (ring.ring_bytes >= kSmallestBytes) usable.push_back(ring);
  std::ranges::sort(usable, {}, &RingCost::ring_bytes);
  std::vector<RingCost> further;
  for (const RingCost& ring : usable)
    if (ring.ring_bytes >= kDistance * usable.front().ring_bytes)
      further.push_back(further_page(usable.front(), ring));
  if (further.empty()) return Reading<Roof>::unavailable("it needs rings of 64KiB and 256KiB");
  const auto both = [](const RingCost& c) { return c.vmsplice_ns + c.release_ns; };
  const auto slower = [](const RingCost& c) { return std::max(c.vmsplice_ns, c.release_ns); };
  // Guards against differences on a machine that was busy with something else.
  if (!(cheapest(further, both).ns_per_page > 0) || !(cheapest(further, slower).ns_per_page > 0))
    return Reading<Roof>::unavailable("the machine was too busy to measure it");
  const Roof roof = {cheapest(usable, both), cheapest(further, both), cheapest(further, slower)};
  return Reading<Roof>::of(roof);
}

LimitsStep empty_syscall_step() {
  return [] {
    constexpr int kCalls = 1000;  // between two readings of the clock
    const double ns = mean_call_ns([] {
      for (int i = 0; i < kCalls; ++i) ::syscall(SYS_getppid);
    });
    return std::vector{ns / kCalls};
  };
}

LimitsStep copy_step(uint64_t buffer_bytes) { return step_of<Copy>(buffer_bytes); }

LimitsStep lent_pages_step(const LentPagesKind& kind, uint64_t ring_bytes) {
  return step_of<LentPages>(kind, ring_bytes);
}

LimitsStep slots_step(Pages pages, uint64_t ring_bytes) {
  return step_of<Slots>(pages, ring_bytes);
}

LimitsStep gup_test_step(Pages pages) {
  const auto file = std::make_shared<UniqueFd>(open_gup_test());
  const auto buffer = std::make_shared<Buffer>(map_certain(pages, kGupBytes));
  return [=] { return run_gup_test(file->get(), *buffer); };
}

std::string to_text(const LentPagesKind& kind) {
  std::string pages(to_text(kind.pages));
  if (kind.touched == Touched::yes) return pages;
  return pages + (kind.touched == Touched::never ? " untouched" : " untouched, again");
}

RingSteps::RingSteps()
    : pages_(succeeds([] { map_certain(Pages::thp, kHugePageBytes); }) ? Pages::thp : Pages::k4) {
  for (const uint64_t kib : kRingKiB) {
    const uint64_t bytes = kib * 1024;
    if (!succeeds([bytes] { make_ring(bytes); })) continue;
    bytes_.push_back(bytes);
    steps_.emplace_back(fmt::format("a ring of {}", format_size(bytes)), [&] {
      return lent_pages_step({pages_, Touched::yes}, bytes);
    });
  }
}

Reading<Roof> RingSteps::roof() const {
  std::vector<RingCost> costs;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Reading<Spread> lend = steps_[i].spread(kVmsplice), release = steps_[i].spread(kRelease);
    if (!lend.has_value()) return {lend.status, {}, lend.reason};
    costs.push_back({bytes_[i], lend->lower, release->lower});
  }
  return roof_of(costs);
}

}  // namespace pipetop
