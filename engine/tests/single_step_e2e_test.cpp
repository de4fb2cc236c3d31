// Slow motion by single steps, on real pipes.
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ioctl.h>

#include "engine/base/handles.h"
#include "engine/process/worker_process.h"
#include "engine/tests/engine_fixture.h"

namespace pipetop {
namespace {

class SingleStepTest : public EngineTest, public testing::WithParamInterface<Wait> {
 protected:
  static Settings steps(WriteWith technique = WriteWith::write) {
    Settings s = stamped();
    s.pipe.write_with = technique;
    s.pipe.writer_wait = s.pipe.reader_wait = GetParam();
    s.pipe.slow_motion = s.pipe.single_step = true;
    return s;
  }

  // As the kernel counts them.
  static int bytes_in(const Snapshot& s) {
    const std::string path = fmt::format("/proc/{}/fd/{}", writer(s).pid, kWorkerFirstFd);
    const UniqueFd pipe(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    int bytes = -1;
    EXPECT_EQ(::ioctl(pipe.get(), FIONREAD, &bytes), 0) << path;
    return bytes;
  }

  // Once it was made.
  Snapshot step(Role role) {
    const uint64_t before = serve().worker(role).counts.items;
    EXPECT_TRUE(engine->step(role));
    return until([&](const Snapshot& s) { return s.worker(role).counts.items > before; });
  }
};

TEST_P(SingleStepTest, ThreeWritesAndTwoReadsLeaveOneWrite) {
  for (const WriteWith technique : kAllWriteWith) {
    start(steps(technique));
    const auto once = static_cast<int>(settle().effective.settings.pipe.buf_size);
    for (int i = 1; i <= 3; ++i) EXPECT_EQ(bytes_in(step(Role::writer)), i * once);
    step(Role::reader);
    const Snapshot end = step(Role::reader);
    EXPECT_EQ(bytes_in(end), once) << to_text(technique);
    EXPECT_EQ(writer(end).counts.items, 3u * once);
    EXPECT_EQ(reader(end).counts.items, 2u * once);
  }
}

TEST_P(SingleStepTest, AReadOfAnEmptyRingWaitsForTheNextWrite) {
  start(steps());
  settle();
  EXPECT_TRUE(engine->step(Role::reader));
  EXPECT_FALSE(engine->step(Role::reader)) << "it still waits";
  const Snapshot end = step(Role::writer);
  const Snapshot read =
      until([&](const Snapshot& s) { return reader(s).counts.items == writer(end).counts.items; });
  EXPECT_EQ(bytes_in(read), 0);
}

// A step that was allowed is made or forgotten, but never later.
TEST_P(SingleStepTest, ChangesTakeEffectWhileWorkersWait) {
  start(steps());
  settle();
  EXPECT_TRUE(engine->step(Role::reader));  // there is nothing to read
  for (const WriteWith technique : kAllWriteWith) {
    engine->apply(steps(technique), "technique");
    settle();
    step(Role::writer);
  }
  Settings free = steps();
  free.pipe.slow_motion = free.pipe.single_step = false;
  engine->apply(free, "free");
  expect_no_damage(flow());
  EXPECT_FALSE(engine->step(Role::writer)) << "there are no steps";
  engine->apply(steps(), "steps");
  const Snapshot waiting = settle();
  const Snapshot later =
      until([&](const Snapshot& s) { return s.now_ns > waiting.now_ns + 300'000'000; });
  EXPECT_EQ(writer(later).counts.items, writer(waiting).counts.items);
  EXPECT_EQ(reader(later).counts.items, reader(waiting).counts.items);
}

TEST_P(SingleStepTest, WaitingWorkersStopAndEndOfThemselves) {
  start(steps());
  settle();
  engine->suspend();
  serve();
  engine->resume();
  step(Role::writer);
  engine->stop();
  for (const Notice& notice : engine->tick().notices)
    EXPECT_EQ(notice.text.find("is killed"), std::string::npos) << notice.text;
}

INSTANTIATE_TEST_SUITE_P(Waits, SingleStepTest, testing::ValuesIn(kAllWaits), name_of_wait);

}  // namespace
}  // namespace pipetop
