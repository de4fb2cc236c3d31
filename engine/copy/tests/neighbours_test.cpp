#include "engine/copy/neighbours.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "engine/copy/tests/streams.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"

namespace pipetop {
namespace {

// A process that holds one descriptor of ours besides the standard ones.
class Holder : public ForeignProcess {
 public:
  Holder(const char* name, int fd)
      : ForeignProcess([&] {
          ::dup2(fd, 0);
          ::close_range(3, ~0u, 0);
          ::prctl(PR_SET_NAME, name);
        }) {}
};

// Once the processes have become what they are to be.
std::vector<PipeHolder> found(int fd, const std::string& names) {
  std::vector<PipeHolder> holders;
  eventually([&] { return names_of(holders = holders_of_other_end(fd)) == names; });
  return holders;
}

TEST(Neighbours, FindsWhoWritesAndWhoReads) {
  const TwoEnds pipe = make_pipe();
  const Holder writer("odd) name", pipe.write.get());
  const Holder reader("a reader", pipe.read.get());
  const auto writers = found(pipe.read.get(), "odd) name");
  const auto readers = found(pipe.write.get(), "a reader");
  ASSERT_EQ(writers.size(), 1u);
  EXPECT_EQ(writers.front().pid, writer.pid());
  EXPECT_EQ(writers.front().parent, ::getpid());
  ASSERT_EQ(readers.size(), 1u);
  EXPECT_EQ(readers.front().pid, reader.pid());
}

TEST(Neighbours, FindsThoseOfAFifo) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("pipetop-fifo-" + std::to_string(::getpid())))
          .string();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const UniqueFd read(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const UniqueFd write(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const Holder writer("writer", write.get());
  EXPECT_EQ(found(read.get(), "writer").size(), 1u);
  ::unlink(path.c_str());
}

TEST(Neighbours, WhatIsNoPipeHasNone) {
  EXPECT_TRUE(holders_of_other_end(ScratchFile().fd.get()).empty());
  EXPECT_TRUE(holders_of_other_end(-1).empty());
}

TEST(Neighbours, StopsWhenItIsTold) {
  const TwoEnds pipe = make_pipe();
  const Holder writer("writer", pipe.write.get());
  ASSERT_EQ(found(pipe.read.get(), "writer").size(), 1u);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(holders_of_other_end(pipe.read.get(), stop.get_token()).empty());
}

TEST(Neighbours, AShellThatWaitsForItsChildDoesntCount) {
  EXPECT_EQ(pipetop::names_of({{10, 1, "bash"}, {11, 10, "gzip"}}), "gzip");
  EXPECT_EQ(pipetop::names_of({{10, 1, "a"}, {11, 1, "b"}, {12, 1, "c"}}), "a and 2 more");
  EXPECT_EQ(pipetop::names_of({}), "");
}

}  // namespace
}  // namespace pipetop
