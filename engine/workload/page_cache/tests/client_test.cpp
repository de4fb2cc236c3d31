// The client's loop, in a thread of the test: what it moves, and when it ends.
#include "engine/workload/page_cache/client.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "engine/process/pipe_owner.h"
#include "engine/workload/page_cache/tests/scratch_file.h"

namespace pipetop {
namespace {

class ClientTest : public testing::Test {
 protected:
  void start(const PageCacheCommand& command) {
    publish_command(*block, command_of(Order::flow, command));
    thread = std::thread([this] {
      run_client(*block, {pipe.read_fd(), pipe.write_fd(), file.fd(), file.fd()});
    });
  }
  void wait_for(uint64_t bytes) const {
    while (read_counts(*block).items < bytes) std::this_thread::yield();
  }
  WorkerState state() const { return std::atomic_ref(block->report.state).load(); }
  void quit() {
    publish_command(*block, command_of(Order::quit, PageCacheCommand{}));
    thread.join();
  }

  std::unique_ptr<ControlBlock> block = std::make_unique<ControlBlock>();
  PipeOwner pipe;
  CachedFile file = filled_file(kBytes);
  std::thread thread;
  static constexpr uint64_t kBytes = 5 * 4096;
};

// A chunk of two pages does not divide the file, so one straddles its end.
TEST_F(ClientTest, GoesRoundTheFileAndLeavesNothingInThePipe) {
  start({.file_bytes = kBytes, .chunk_bytes = 2 * 4096, .call_bytes = 4096});
  wait_for(100 * kBytes);
  quit();
  EXPECT_EQ(read_counts(*block).items % (2 * 4096), 0u);
  EXPECT_EQ(read_counts(*block).short_calls, 0u);
  EXPECT_EQ(block->report.error_number, 0u);
  EXPECT_EQ(pipe.resize(4096), 0);  // EBUSY if it held more
}

// As when the client before it was killed.
TEST_F(ClientTest, EmptiesAFullPipeFirst) {
  const std::string full(pipe.capacity_bytes(), 'x');
  ASSERT_EQ(::write(pipe.write_fd(), full.data(), full.size()), static_cast<ssize_t>(full.size()));
  start({.file_bytes = kBytes, .chunk_bytes = full.size(), .call_bytes = kBytes});
  wait_for(100 * kBytes);
  quit();
  EXPECT_EQ(read_counts(*block).eagain, 0u);
}

// It shrinks before the client is told.
TEST_F(ClientTest, AFileMayEndEarly) {
  start({.file_bytes = 2 * kBytes, .chunk_bytes = 4096, .call_bytes = 4096});
  wait_for(100 * kBytes);
  EXPECT_EQ(state(), WorkerState::flowing);
  quit();
}

TEST_F(ClientTest, AnEmptyFileIsAFailureWithAName) {
  ASSERT_EQ(file.resize(0), 0);
  start({.file_bytes = kBytes, .chunk_bytes = 4096, .call_bytes = 4096});
  while (state() != WorkerState::failed) std::this_thread::yield();
  EXPECT_EQ(std::atomic_ref(block->report.error_number).load(), uint64_t{ENODATA});
  quit();
}

}  // namespace
}  // namespace pipetop
