#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "engine/process/foreign_end.h"
#include "engine/process/proc_files.h"
#include "engine/process/tests/foreign_process.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/locked_pipe.h"

namespace pipetop {
namespace {

class PipeAskerTest : public testing::Test {
 protected:
  void SetUp() override { PIPETOP_NEED_COPIES(); }

  static PipeAsker::Question question(const TestPipe& pipe, const ForeignProcess& process, int fd) {
    return {pipe.id, {process.id(), fd, Access::read, false}};
  }
};

TEST_F(PipeAskerTest, AnswersInOrderWhatIsKnown) {
  const TestPipe pipe, other;
  const ForeignProcess process;
  ASSERT_EQ(::write(pipe.in.get(), "12345", 5), 5);
  ASSERT_EQ(::fcntl(other.in.get(), F_SETPIPE_SZ, 4096), 4096);
  PipeAsker asker;
  std::vector<PipeAsker::Question> questions(200, question(pipe, process, pipe.out.get()));
  questions[70] = question(other, process, other.in.get());
  questions[71] = question(other, process, pipe.out.get());  // another pipe is there
  std::vector<std::optional<PipeAsker::Answer>> answers;
  EXPECT_TRUE(eventually([&] {
    answers = asker.ask(questions);
    return answers.size() == questions.size() && answers.back();
  })) << "who has no CPU answers later";
  for (const size_t i : {0u, 69u, 72u, 199u}) {
    ASSERT_TRUE(answers[i]) << i;
    EXPECT_EQ(answers[i]->queued, 5u);
    EXPECT_EQ(answers[i]->capacity, uint64_t(::fcntl(pipe.in.get(), F_GETPIPE_SZ)));
  }
  ASSERT_TRUE(answers[70]);
  EXPECT_EQ(answers[70]->capacity, 4096u);
  EXPECT_FALSE(answers[71]);
  EXPECT_TRUE(asker.ask({}).empty());
}

TEST_F(PipeAskerTest, TheChildHoldsNothingOfOursAndNoTerminalStopsIt) {
  const TestPipe pipe;
  const ForeignProcess process;
  PipeAsker asker;
  EXPECT_EQ(asker.child(), 0) << "nobody has asked yet";
  const auto one = question(pipe, process, pipe.out.get());
  ASSERT_TRUE(asker.ask({&one, 1})[0]);
  const auto stat = read_task_stat(asker.child());
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->group, asker.child()) << "a terminal and a shell stop groups";
  EXPECT_EQ(stat->session, ::getsid(0)) << "the scheduler may starve a session of its own";
  const std::filesystem::directory_iterator fds("/proc/" + std::to_string(asker.child()) + "/fd");
  EXPECT_EQ(std::distance(begin(fds), end(fds)), 1) << "the socket";
}

TEST_F(PipeAskerTest, AnotherChildAnswersWhenTheFirstIsGone) {
  const TestPipe pipe;
  const ForeignProcess process;
  PipeAsker asker;
  const auto one = question(pipe, process, pipe.out.get());
  ASSERT_TRUE(asker.ask({&one, 1})[0]);
  const pid_t first = asker.child();
  ASSERT_GT(first, 0);
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  EXPECT_FALSE(asker.ask({&one, 1})[0]);
  EXPECT_TRUE(asker.ask({&one, 1})[0]);
  EXPECT_NE(asker.child(), first);
}

// Whoever waits for its lock can't be killed.
TEST_F(PipeAskerTest, APipeThatIsLockedIsGivenUp) {
  LockedPipe locked;
  const TestPipe pipe;
  const ForeignProcess process;
  const std::array questions = {question(pipe, process, pipe.out.get()),
                                PipeAsker::Question{locked.pipe().id,
                                                    {id_of_process(locked.holder()),
                                                     locked.pipe().in.get(), Access::write, false}},
                                question(pipe, process, pipe.in.get())};
  PipeAsker asker;
  EXPECT_TRUE(eventually([&] {
    const auto answers = asker.ask(questions);
    EXPECT_FALSE(answers[1]);
    return answers[0] && answers[2];
  })) << "another child goes on";
  EXPECT_TRUE(is_locked(locked.pipe().id));
  EXPECT_FALSE(is_locked(pipe.id));
  const pid_t child = asker.child();
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(asker.ask(questions)[1]);
  EXPECT_EQ(asker.child(), child) << "no other one gets stuck in it";
  locked.let_go();
  EXPECT_TRUE(eventually([&] { return !is_locked(locked.pipe().id); }));
  EXPECT_TRUE(eventually([&] { return asker.ask(questions)[1].has_value(); }));
}

// Strangers choose how many pipes are locked.
TEST_F(PipeAskerTest, FewChildrenGetStuck) {
  std::array<LockedPipe, 3> locked;
  std::vector<PipeAsker::Question> questions;
  for (const LockedPipe& one : locked)
    questions.push_back(
        {one.pipe().id, {id_of_process(one.holder()), one.pipe().in.get(), Access::write, false}});
  PipeAsker asker;
  const auto are_stuck = [&] {
    asker.ask(questions);
    return std::ranges::count_if(locked, [](const auto& one) { return is_locked(one.pipe().id); });
  };
  EXPECT_TRUE(eventually([&] { return are_stuck() == 2; }));
  EXPECT_EQ(are_stuck(), 2) << "and no third one";
  for (LockedPipe& one : locked) one.let_go();
  EXPECT_TRUE(eventually([&] {
    const auto answers = asker.ask(questions);
    return std::ranges::all_of(answers, [](const auto& answer) { return answer.has_value(); });
  }));
}

// Wherever it is stopped, and for ever: readers get end of file all the same.
TEST_F(PipeAskerTest, WhoAsksMayBeStoppedAtAnyTime) {
  for (int round = 0; round < 50; ++round) {
    TestPipe pipe;
    ForeignProcess holder;
    TestPipe ready;  // not the holder's
    const auto one = question(pipe, holder, pipe.in.get());
    ForeignProcess asking([&] {
      pipe.in.reset();
      PipeAsker asker;
      while (!asker.ask({&one, 1})[0]) continue;
      ready.in.reset();
      for (;;) asker.ask({&one, 1});
    });
    ready.in.reset();
    char byte;
    ASSERT_EQ(::read(ready.out.get(), &byte, 1), 0) << "it asks";
    ASSERT_EQ(::kill(asking.pid(), SIGSTOP), 0);
    ASSERT_EQ(::waitpid(asking.pid(), nullptr, WUNTRACED), asking.pid());
    pipe.in.reset();
    holder.end();
    pollfd end = {pipe.out.get(), POLLIN, 0};
    ASSERT_TRUE(
        eventually([&] { return ::poll(&end, 1, 0) == 1 && (end.revents & POLLHUP) != 0; }));
  }
}

TEST_F(PipeAskerTest, TheChildDiesWithUs) {
  const TestPipe pipe;
  TestPipe told;
  const ForeignProcess holder;
  const auto one = question(pipe, holder, pipe.in.get());
  ForeignProcess asking([&] {
    PipeAsker asker;
    asker.ask({&one, 1});
    const pid_t child = asker.child();
    if (::write(told.in.get(), &child, sizeof child) != sizeof child) _exit(1);
    for (;;) ::pause();
  });
  pid_t child = 0;
  ASSERT_EQ(::read(told.out.get(), &child, sizeof child), ssize_t(sizeof child));
  const ProcessId id = id_of_process(child);
  EXPECT_TRUE(exists(id));
  asking.end();
  EXPECT_TRUE(eventually([&] {
    const auto stat = read_task_stat(child);
    return !stat || stat->start_ticks != id.start_ticks || stat->is_zombie();
  }));
}

}  // namespace
}  // namespace pipetop
