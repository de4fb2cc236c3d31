#include "engine/experiment/limits_step.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/memory/buffer.h"

namespace pipetop {

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

}  // namespace pipetop
