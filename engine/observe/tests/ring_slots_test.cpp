// Exact slots of pipes that are built here, operation by operation.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "engine/observe/observers.h"
#include "engine/observe/symbols.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop {
namespace {

class RingSlots : public testing::Test {
 protected:
  // Once for all: to load them is what takes time where CPUs are emulated.
  static void SetUpTestSuite() { shared_ = std::make_unique<Shared>(); }
  static void TearDownTestSuite() { shared_.reset(); }

  void SetUp() override {
    PIPETOP_NEED(observers_.ring_frame(monotonic_ns()));
    // As if the pipe were new: empty, and a resize numbers its slots from 0.
    while (pipe_.take(4096) > 0) continue;
    for (const int slots : {32, 16}) ASSERT_TRUE(pipe_.resize(slots * 4096));
  }

  // A frame of the pipe as it is now; the newest one may be older.
  RingFrame take_snapshot() {
    const uint64_t called_ns = monotonic_ns();
    Reading<RingFrame> reading;
    EXPECT_TRUE(eventually([&] {
      reading = observers_.ring_frame(monotonic_ns());
      return !reading.has_value() || reading->at_ns >= called_ns;
    }));
    EXPECT_TRUE(reading.has_value()) << reading.reason;
    if (!reading.has_value()) return {};
    EXPECT_FALSE(reading->torn);
    EXPECT_EQ(reading->slot.size(), reading->slots);
    return *reading;
  }

  struct Shared {
    TestPipe pipe{O_NONBLOCK};
    Observers observers{{.pipe_fd = pipe.out.get()}};
  };
  static inline std::unique_ptr<Shared> shared_;

  TestPipe& pipe_ = shared_->pipe;
  Observers& observers_ = shared_->observers;
};

using Words = std::vector<std::string>;

// A slot as "kind offset+length", and what else is true of it.
std::string words(const Slot& slot) {
  constexpr std::array kNames = {"empty", "copy", "user_page", "page_cache", "zero_page", "other"};
  static_assert(kNames.size() == kSlotKinds);
  auto words = fmt::format("{} {}+{}", kNames[size_t(slot.kind)], slot.offset, slot.length);
  uint32_t flags = slot.flags;
  for (const auto& [flag, name] :
       {std::pair(0x04u, " gift"), {0x08u, " packet"}, {0x10u, " merge"}})
    if (flags & flag) words += name, flags &= ~flag;
  if (flags) words += fmt::format(" flags {:#x}", flags);
  return slot.huge ? words + " huge" : words;
}

// What the pipe holds, oldest first.
Words contents(const RingFrame& frame) {
  Words contents;
  for (uint32_t i = frame.tail; i != frame.head; ++i)
    contents.push_back(words(frame.slot[i % frame.slots]));
  return contents;
}

// Memory of a test's own, filled, at a multiple of 2 MiB.
class Buffer {
 public:
  Buffer(size_t bytes, int advice) : bytes_(bytes) {
    base_ = mmap(nullptr, bytes + kHugePageBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto address = (reinterpret_cast<uintptr_t>(base_) + kHugePageBytes - 1) &
                         ~(uintptr_t{kHugePageBytes} - 1);
    data_ = reinterpret_cast<char*>(address);
    madvise(data_, bytes, advice);
    std::fill_n(data_, bytes, 'x');
  }
  ~Buffer() { munmap(base_, bytes_ + kHugePageBytes); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  ssize_t vmsplice_to(int fd, size_t offset, size_t bytes) {
    const iovec piece = {data_ + offset, bytes};
    return vmsplice(fd, &piece, 1, 0);
  }

 private:
  size_t bytes_;
  void* base_;
  char* data_;
};

UniqueFd memory_file(size_t bytes, bool written) {
  UniqueFd file(memfd_create("pipetop-test", MFD_CLOEXEC));
  if (ftruncate(file.get(), off_t(bytes)) != 0) return {};
  const std::string content(bytes, 'x');
  if (written && pwrite(file.get(), content.data(), bytes, 0) != ssize_t(bytes)) return {};
  return file;
}

TEST_F(RingSlots, AnEmptyPipe) {
  const RingFrame frame = take_snapshot();
  EXPECT_EQ(frame.slots, uint32_t(fcntl(pipe_.out.get(), F_GETPIPE_SZ)) / 4096);
  EXPECT_EQ(frame.used, 0u);
  EXPECT_EQ(frame.readers, 1u);
  EXPECT_EQ(frame.writers, 1u);
  EXPECT_GT(frame.at_ns, 0u);
  for (const Slot& slot : frame.slot) EXPECT_EQ(slot.kind, SlotKind::empty);
}

TEST_F(RingSlots, WriteMakesACopy) {
  ASSERT_EQ(pipe_.put(3), 3);
  const RingFrame frame = take_snapshot();
  EXPECT_EQ(frame.used, 1u);
  EXPECT_EQ(contents(frame), Words{"copy 0+3 merge"});
  ASSERT_EQ(pipe_.take(2), 2);
  EXPECT_EQ(contents(take_snapshot()), Words{"copy 2+1 merge"});
}

TEST_F(RingSlots, VmspliceLendsUserPages) {
  Buffer buffer(4 * 4096, MADV_NOHUGEPAGE);
  ASSERT_EQ(buffer.vmsplice_to(pipe_.in.get(), 100, 4096 + 50), 4096 + 50);
  const RingFrame frame = take_snapshot();
  EXPECT_EQ(contents(frame), (Words{"user_page 100+3996", "user_page 0+150"}));
  EXPECT_FALSE(frame.slot[frame.tail % frame.slots].consecutive);
}

TEST_F(RingSlots, GiftIsAFlag) {
  Buffer buffer(4096, MADV_NOHUGEPAGE);
  const auto flags_with = [&](unsigned flags) {
    iovec piece = {nullptr, 4096};
    piece.iov_base = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    EXPECT_EQ(vmsplice(pipe_.in.get(), &piece, 1, flags), 4096);
    const RingFrame frame = take_snapshot();
    munmap(piece.iov_base, 4096);
    return frame.slot[(frame.head - 1) % frame.slots].flags;
  };
  constexpr uint32_t kGift = 0x04;  // PIPE_BUF_FLAG_GIFT
  EXPECT_EQ(flags_with(0) & kGift, 0u);
  EXPECT_EQ(flags_with(SPLICE_F_GIFT) & kGift, kGift);
}

TEST_F(RingSlots, SpliceLendsThePageCache) {
  char name[] = "pipetop-test-XXXXXX";
  const UniqueFd on_disk(mkostemp(name, O_CLOEXEC));
  ASSERT_TRUE(on_disk);
  unlink(name);
  ASSERT_EQ(write(on_disk.get(), std::string(8192, 'x').data(), 8192), 8192);
  const UniqueFd in_memory = memory_file(8192, true);
  for (const UniqueFd* file : {&on_disk, &in_memory}) {
    loff_t offset = 4096 + 10;
    ASSERT_EQ(splice(file->get(), &offset, pipe_.in.get(), nullptr, 100, 0), 100);
    EXPECT_EQ(contents(take_snapshot()).back(), "page_cache 10+100");
  }
}

// Whether the kernel that runs has a function; where one came with a feature.
bool kernel_has(const char* function) {
  return observe::Symbols::of_this_kernel().address_of(function) != 0;
}

TEST_F(RingSlots, SpliceFromAHoleIsTheZeroPage) {
  const UniqueFd hole = memory_file(4096, false);
  ASSERT_EQ(splice(hole.get(), nullptr, pipe_.in.get(), nullptr, 4096, 0), 4096);
  const bool lends_it = kernel_has("zero_pipe_buf_try_steal");  // since 6.5
  EXPECT_EQ(contents(take_snapshot()), Words{lends_it ? "zero_page 0+4096" : "copy 0+4096"});
}

// 4096 bytes from /dev/zero, if this kernel has a way; what is in the pipe then.
Words splice_a_device(int pipe_fd) {
  const bool has_a_way = kernel_has("copy_splice_read");  // since 6.5
  const UniqueFd zero(open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const ssize_t moved = splice(zero.get(), nullptr, pipe_fd, nullptr, 4096, 0);
  if (has_a_way) {
    EXPECT_EQ(moved, 4096);
    return {"copy 0+4096"};
  }
  EXPECT_EQ(moved, -1);
  EXPECT_EQ(errno, EINVAL);
  return {};
}

TEST_F(RingSlots, SpliceFromADeviceIsACopy) {
  const Words copy = splice_a_device(pipe_.in.get());
  EXPECT_EQ(contents(take_snapshot()), copy);
}

TEST_F(RingSlots, AConstructedPipeIsExact) {
  Buffer buffer(2 * 4096, MADV_NOHUGEPAGE);
  const UniqueFd file = memory_file(8192, true);
  ASSERT_EQ(pipe_.put(3), 3);
  ASSERT_EQ(buffer.vmsplice_to(pipe_.in.get(), 0, 2 * 4096), 2 * 4096);
  ASSERT_EQ(splice(file.get(), nullptr, pipe_.in.get(), nullptr, 4096, 0), 4096);
  Words expected = {"copy 0+3 merge", "user_page 0+4096", "user_page 0+4096", "page_cache 0+4096"};
  std::ranges::copy(splice_a_device(pipe_.in.get()), std::back_inserter(expected));
  EXPECT_EQ(contents(take_snapshot()), expected);

  ASSERT_EQ(pipe_.take(3 + 100), 3 + 100);
  expected.erase(expected.begin());
  expected.front() = "user_page 100+3996";
  EXPECT_EQ(contents(take_snapshot()), expected);
}

// The kernel's own word on whether the test got a huge page at all.
uint64_t anonymous_huge_kib() {
  std::ifstream smaps("/proc/self/smaps_rollup");
  for (std::string word; smaps >> word;)
    if (uint64_t kib = 0; word == "AnonHugePages:" && smaps >> kib) return kib;
  return 0;
}

TEST_F(RingSlots, HugePagesAreToldFromSmallOnes) {
  Buffer huge(kHugePageBytes, MADV_HUGEPAGE);
  if (anonymous_huge_kib() == 0) GTEST_SKIP() << "no transparent huge page to be had";
  constexpr size_t kBytes = 8 * 4096;
  ASSERT_EQ(huge.vmsplice_to(pipe_.in.get(), 0, kBytes), ssize_t(kBytes));
  ASSERT_EQ(huge.vmsplice_to(pipe_.in.get(), kHugePageBytes - 4096, 4096), 4096);
  const RingFrame frame = take_snapshot();
  ASSERT_EQ(frame.used, 9u);
  for (uint32_t i = 0; i < frame.used; ++i) {
    const Slot& slot = frame.slot[(frame.tail + i) % frame.slots];
    EXPECT_EQ(slot.kind, SlotKind::user_page);
    EXPECT_TRUE(slot.huge) << i;
    EXPECT_EQ(slot.consecutive, i > 0 && i < 8) << i;
  }
}

TEST_F(RingSlots, AFullRingThatHasWrapped) {
  const uint32_t slots = take_snapshot().slots;
  pipe_.fill();
  for (int i = 0; i < 3; ++i) ASSERT_EQ(pipe_.take(4096), 4096);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(pipe_.put(4096), 4096);
  const RingFrame frame = take_snapshot();
  EXPECT_EQ(frame.used, slots);
  EXPECT_EQ(frame.tail, 3u);
  EXPECT_EQ(frame.head, slots + 3);
  for (const Slot& slot : frame.slot) {
    EXPECT_EQ(slot.kind, SlotKind::copy);
    EXPECT_EQ(slot.length, 4096u);
  }
}

// 4096 slots need a raised pipe-max-size; as many as are allowed are tried.
TEST_F(RingSlots, EverySizeThatThisMachineAllows) {
  for (int slots = 1; slots <= 4096; slots *= 4) {
    if (!pipe_.resize(slots * 4096)) break;
    pipe_.fill();
    const RingFrame frame = take_snapshot();
    EXPECT_EQ(frame.slots, uint32_t(slots));
    EXPECT_EQ(frame.used, uint32_t(slots));
    for (const Slot& slot : frame.slot) ASSERT_EQ(slot.length, 4096u);
  }
}

TEST_F(RingSlots, AResizeRenumbersTheRing) {
  ASSERT_EQ(pipe_.put(4096), 4096);
  ASSERT_EQ(pipe_.put(4096), 4096);
  ASSERT_EQ(pipe_.take(4096), 4096);
  ASSERT_TRUE(pipe_.resize(32 * 4096));
  const RingFrame frame = take_snapshot();
  EXPECT_EQ(frame.slots, 32u);
  EXPECT_EQ(frame.tail, 0u);
  EXPECT_EQ(frame.head, 1u);
  EXPECT_EQ(frame.slot[0].kind, SlotKind::copy);
}

TEST_F(RingSlots, KindsAddUpUntilARestart) {
  Buffer buffer(4 * 4096, MADV_NOHUGEPAGE);
  ASSERT_EQ(buffer.vmsplice_to(pipe_.in.get(), 0, 3 * 4096), 3 * 4096);
  ASSERT_EQ(pipe_.put(10), 10);
  observers_.restart(monotonic_ns());  // forgets snapshots of the half-made pipe
  take_snapshot();
  const auto kinds = observers_.kinds();
  ASSERT_TRUE(kinds.has_value()) << kinds.reason;
  EXPECT_DOUBLE_EQ((*kinds)[size_t(SlotKind::user_page)], 0.75);
  EXPECT_DOUBLE_EQ((*kinds)[size_t(SlotKind::copy)], 0.25);
  observers_.restart(monotonic_ns());
  EXPECT_EQ(observers_.kinds().status, ReadingStatus::warming);
}

TEST(RingReader, SaysWhenItIsGivenNoPipe) {
  Observers observers({.pipe_fd = STDERR_FILENO + 1000});
  const auto frame = observers.ring_frame(monotonic_ns());
  EXPECT_EQ(frame.status, ReadingStatus::unavailable);
  EXPECT_NE(frame.reason, "");
}

}  // namespace
}  // namespace pipetop
