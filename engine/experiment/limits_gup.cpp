#include "engine/experiment/limits_gup.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>

#include "engine/base/error.h"
#include "engine/base/unique_fd.h"
#include "engine/experiment/limits_memory.h"

namespace pipetop {
namespace {

// vmsplice gets its pages so many at a time.
constexpr uint32_t kPagesACall = 16;
// It tells whole microseconds: that is 1 % where a page takes 10 ns.
constexpr uint64_t kBytes = 32ull << 20;

UniqueFd open_gup_test() {
  UniqueFd file(::open(kGupTestFile, O_RDWR | O_CLOEXEC));
  if (file) return file;
  const int error = errno;
  if (error != ENOENT) throw SystemError(kGupTestFile, error);
  struct stat root, debug;
  const bool mounted = ::stat("/sys/kernel", &root) == 0 &&
                       ::stat("/sys/kernel/debug", &debug) == 0 && root.st_dev != debug.st_dev;
  throw Error(mounted ? fmt::format("no {}; a kernel with CONFIG_GUP_TEST", kGupTestFile)
                      : fmt::format("no {}: debugfs is not mounted; "
                                    "mount -t debugfs none /sys/kernel/debug",
                                    kGupTestFile),
              Exit::unsupported);
}

class GupTestStep final : public LimitsStep {
 public:
  explicit GupTestStep(Pages pages)
      : file_(open_gup_test()), buffer_(map_certain(pages, kBytes, true)) {}

  // One call is longer than a slice, and it is timed by the kernel.
  std::vector<double> slice() override {
    GupTest test{};
    test.addr = reinterpret_cast<uintptr_t>(buffer_.data);
    test.size = kBytes;
    test.nr_pages_per_call = kPagesACall;
    if (::ioctl(file_.get(), kGupFastBenchmark, &test) != 0)
      throw SystemError("GUP_FAST_BENCHMARK", errno);
    if (test.size != kBytes) throw Error("GUP_FAST_BENCHMARK did not get all pages", Exit::refused);
    const double pages = double(kBytes) / double(kPageBytes);
    return {double(test.get_delta_usec) * 1e3 / pages, double(test.put_delta_usec) * 1e3 / pages};
  }

 private:
  UniqueFd file_;
  Buffer buffer_;
};

}  // namespace

std::unique_ptr<LimitsStep> gup_test_step(Pages pages) {
  return std::make_unique<GupTestStep>(pages);
}

}  // namespace pipetop
