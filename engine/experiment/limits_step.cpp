#include "engine/experiment/limits_step.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/base/unique_fd.h"
#include "engine/memory/buffer.h"
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

struct Ends {
  UniqueFd read, write;
};

Ends make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError("pipe2", errno);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// A process that echoes; it ends with this object and with its parent.
class Partner {
 public:
  Partner(int cpu, std::span<const Cpu> allowed) {
    Ends there = make_pipe(), back = make_pipe();
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
    sigset_t all, before;
    sigfillset(&all);
    // Signals to the whole group are for the parent to handle.
    ::sigprocmask(SIG_SETMASK, &all, &before);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(0);  // the parent died before PDEATHSIG was set
      if (!drop_capabilities()) ::_exit(1);
      ::prctl(PR_SET_NAME, "pipetop-echo");
      echo(in, out);
    }
    const int error = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    errno = error;
  }

  void end() const {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  UniqueFd to_, from_;
  pid_t pid_ = -1;
};

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

}  // namespace pipetop
