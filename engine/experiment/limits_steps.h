// The steps of a pipe's work, each to be measured alone.
//
// Each of these throws Error when the kernel refuses what it needs. The constants are
// the indices of a slice's figures.
#pragma once

#include <linux/ioctl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/experiment/limits_step.h"
#include "engine/experiment/roof.h"
#include "engine/model/settings.h"

namespace pipetop {

// To enter the kernel and to leave it: ns per call that does nothing.
std::unique_ptr<LimitsStep> empty_syscall_step();

// To wake the process at the other end of a pipe: ns from a write until the sleeper, a
// process of its own on `partner_cpu`, has returned from its read. That is half of a
// round trip of one byte over two pipes.
std::unique_ptr<LimitsStep> wakeup_step(int partner_cpu);

// To copy into a pipe and out of it, in GiB/s: write and read of so many bytes, by turns
// in one thread, through a ring that has room for them.
inline constexpr size_t kCopyIn = 0, kCopyOut = 1;
std::unique_ptr<LimitsStep> copy_step(uint64_t buffer_bytes);

// ---- pages --------------------------------------------------------------------

enum class Touched : uint8_t {
  never,  // each call meets pages that nobody has looked at: the kernel maps them in
  again,  // untouched still, but met before: the zero page, behind every address
  yes,    // written to once
};

struct LentPagesKind {
  Pages pages = Pages::k4;
  Touched touched = Touched::yes;
};

// "4k untouched", "thp".
std::string to_text(const LentPagesKind& kind);

// To lend pages to a pipe and to let go of them, in ns per page: vmsplice of a whole
// ring of them and splice of it to /dev/null, by turns.
inline constexpr size_t kVmsplice = 0, kRelease = 1;
std::unique_ptr<LimitsStep> lent_pages_step(const LentPagesKind& kind, uint64_t ring_bytes);

// What a slot of the ring costs by itself, in ns, whatever page it refers to.
//
// vmsplice gets pages and fills slots. To tell the two apart, slots are filled without
// getting a page, in the two ways that there are: tee copies each slot, and takes a
// reference of each page one by one, where vmsplice takes one of a whole huge page; a
// splice from pipe to pipe moves each slot, and takes none, but it empties the other
// ring's. So filling costs at most what moving does, and getting a page at least what
// is left of vmsplice.
inline constexpr size_t kTee = 0, kMove = 1;
std::unique_ptr<LimitsStep> slots_step(Pages pages, uint64_t ring_bytes);

// The kernel's own benchmark of getting user pages, which the article quotes. Few
// kernels are built with it (CONFIG_GUP_TEST), and it is for root only.
inline constexpr const char* kGupTestFile = "/sys/kernel/debug/gup_test";

// As in mm/gup_test.h of the kernel, which is not among its exported headers.
struct GupTest {
  uint64_t get_delta_usec, put_delta_usec;  // out: what it took
  uint64_t addr;
  uint64_t size;  // in bytes; out: how many were got
  uint32_t nr_pages_per_call;
  uint32_t gup_flags, test_flags;
  uint32_t which_pages[8];
};
static_assert(sizeof(GupTest) == 80);
inline constexpr unsigned long kGupFastBenchmark = _IOWR('g', 1, GupTest);

// get_user_pages_fast of touched pages, as many per call as vmsplice asks for, in ns per
// page.
inline constexpr size_t kGupGet = 0, kGupPut = 1;
std::unique_ptr<LimitsStep> gup_test_step(Pages pages);

// ---- rings --------------------------------------------------------------------

// What the roof is made of: lent pages in rings of every size.
class RingSteps {
 public:
  // Rings of one slot to 1 MiB, as far as pipe-max-size allows; huge pages, the
  // cheapest there are, or small ones where the kernel gives none.
  RingSteps();

  Pages pages() const { return pages_; }
  uint64_t bytes(size_t ring) const { return bytes_[ring]; }
  std::vector<MeasuredStep>& steps() { return steps_; }
  const std::vector<MeasuredStep>& steps() const { return steps_; }

  Reading<Roof> roof() const;

 private:
  Pages pages_ = Pages::thp;
  std::vector<uint64_t> bytes_;      // of each step's ring
  std::vector<MeasuredStep> steps_;  // lent_pages_step() of each size
};

}  // namespace pipetop
