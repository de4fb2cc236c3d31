// Real clients of a real file.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/tests/engine_fixture.h"
#include "engine/workload/page_cache/page_cache_workload.h"
#include "engine/workload/page_cache/tests/scratch_file.h"

namespace pipetop {
namespace {

Settings with_clients(uint32_t count, Files files = Files::same) {
  Settings s;
  s.workload = WorkloadKind::page_cache;
  s.page_cache.clients = count;
  s.page_cache.files = files;
  s.page_cache.file_size = 16 << 20;
  return s;
}

class PageCacheTest : public EngineTest {
 protected:
  static const WorkerReadings& client(const Snapshot& s) { return s.worker(kClient); }

  // Settled, and every client has moved its file once more.
  Snapshot all_flow() {
    const Snapshot before = settle();
    return until([&](const Snapshot& s) {
      return std::ranges::all_of(s.parts, [&](const PartReadings& part) {
        const auto same = std::ranges::find(before.parts, part.name, &PartReadings::name);
        const uint64_t from = same == before.parts.end() ? 0 : same->total.items;
        return part.total.items >= from + s.requested.page_cache.file_size;
      });
    });
  }
};

TEST_F(PageCacheTest, OneClientFlows) {
  start(with_clients(1));
  const Snapshot s = all_flow();
  EXPECT_EQ(client(s).state, ProcessState::flowing);
  EXPECT_EQ(client(s).name, "client");
  EXPECT_EQ(s.ring.bytes, 65536u);
  EXPECT_EQ(s.effective.settings, s.requested);
  EXPECT_NE(s.effective.pipe.zero_copy, ZeroCopy::unverifiable)
      << s.effective.pipe.zero_copy_reason;
  EXPECT_EQ(s.worker(Role::reader).name, "");
  EXPECT_EQ(client(s).counts.eagain, 0u);
  EXPECT_EQ(client(s).counts.short_calls, 0u);
}

TEST_F(PageCacheTest, ClientsComeAndGo) {
  start(with_clients(2));
  EXPECT_EQ(all_flow().parts.size(), 2u);
  engine->apply(with_clients(4, Files::own), "own");
  EXPECT_EQ(all_flow().parts.size(), 4u);
  engine->apply(with_clients(1, Files::own), "one");
  const Snapshot one = all_flow();
  EXPECT_EQ(one.parts.size(), 1u);
  EXPECT_EQ(client(one).processes, 1);
  engine->apply(with_clients(3), "three");
  EXPECT_EQ(all_flow().parts.size(), 3u);
}

TEST_F(PageCacheTest, TheSameClientsTakeOwnFilesAndBack) {
  start(with_clients(2));
  const Snapshot before = all_flow();
  for (const Files files : {Files::own, Files::same, Files::own}) {
    engine->apply(with_clients(2, files), "files");
    const Snapshot s = all_flow();
    EXPECT_EQ(s.effective.settings.page_cache.files, files);
    EXPECT_EQ(s.parts[1].pid, before.parts[1].pid);
    EXPECT_EQ(client(s).technique[1], files == Files::own ? "own files" : "same file");
  }
}

TEST_F(PageCacheTest, SizesChangeWhileDataFlows) {
  start(with_clients(2));
  all_flow();
  Settings s = with_clients(2, Files::own);
  for (const uint64_t chunk : {1u << 20, 4096u, 20u * 1024}) {
    s.page_cache.chunk_size = chunk;
    s.page_cache.gang_size = 1;
    engine->apply(s, "chunk");
    EXPECT_EQ(all_flow().ring.bytes, ring_bytes_for(chunk));
  }
  for (const uint64_t size : {32u << 20, 1u << 20, 2u << 20}) {
    s.page_cache.file_size = size;
    engine->apply(s, "file_size");
    EXPECT_EQ(client(all_flow()).state, ProcessState::flowing);
  }
  EXPECT_EQ(client(engine->tick()).restarts, 0u);
}

TEST_F(PageCacheTest, AKilledClientIsReplaced) {
  start(with_clients(2));
  const Snapshot before = all_flow();
  ::kill(before.parts[0].pid, SIGKILL);
  const Snapshot named = until([](const Snapshot& s) { return client(s).restarts == 1; });
  ASSERT_FALSE(named.notices.empty());
  EXPECT_EQ(named.notices.back().text,
            "client died: signal 9 (killed by somebody, or for lack of memory)");
  const Snapshot after = all_flow();
  EXPECT_NE(after.parts[0].pid, before.parts[0].pid);
  EXPECT_EQ(after.parts[1].pid, before.parts[1].pid);
}

TEST_F(PageCacheTest, TheEndLeavesNoProcess) {
  start(with_clients(3, Files::own));
  const Snapshot s = all_flow();
  engine->stop();
  for (const PartReadings& part : s.parts) EXPECT_NE(::kill(part.pid, 0), 0);
  EXPECT_EQ(engine->tick().parts.size(), 3u);
}

// What an engine's process leaves when it is killed: nothing.
TEST_F(PageCacheTest, ClientsDieWithTheEngine) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // theirs will be ours to reap
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd read_end(ends[0]), write_end(ends[1]);
  const pid_t engine_pid = ::fork();
  if (engine_pid == 0) {
    start(with_clients(2));
    for (const PartReadings& part : all_flow().parts)
      (void)!::write(write_end.get(), &part.pid, sizeof part.pid);
    until([](const Snapshot&) { return false; });
    ::_exit(1);
  }
  int clients[2] = {};
  for (int& pid : clients) ASSERT_EQ(::read(read_end.get(), &pid, sizeof pid), ssize_t{sizeof pid});
  ::kill(engine_pid, SIGKILL);
  for (const pid_t pid : {engine_pid, clients[0], clients[1]}) {
    int status = 0;
    // Not yet our child while its parent dies.
    while (::waitpid(pid, &status, 0) != pid) ::poll(nullptr, 0, 1);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(PageCacheTest, AFileThatDoesNotFitIsRefusedAtTheStart) {
  Settings s = with_clients(64, Files::own);
  s.page_cache.file_size = 64ull << 30;
  try {
    start(s);
    FAIL() << "4 TiB of memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::refused);
    EXPECT_NE(std::string(error.what()).find("64 files of 64GiB"), std::string::npos);
  }
}

TEST_F(PageCacheTest, FilesThatDoNotFitLaterLeaveThingsAsTheyAre) {
  start(with_clients(2));
  all_flow();
  Settings s = with_clients(64, Files::own);
  s.page_cache.file_size = 64ull << 30;
  engine->apply(s, "too much");
  const Snapshot after = flow();
  EXPECT_EQ(after.requested, s);
  EXPECT_EQ(after.effective.settings, with_clients(2));
  EXPECT_EQ(after.effective.mismatches.size(), 3u);
}

// One process alone, and its file at hand.
class EvictionTest : public testing::Test {
 protected:
  void until(const std::function<bool()>& done) {
    ASSERT_TRUE(eventually(done, [&] {
      ::poll(nullptr, 0, 2);
      pool.replace_dead();
    }));
  }
  bool sampled_cached() {
    workload.watch(monotonic_ns());
    const auto figures = workload.figures({});
    return figures.front().value.has_value() && *figures.front().value == 1;
  }

  Capabilities machine = read_capabilities();
  EventLoop loop;
  WorkerPool pool{WorkloadKind::page_cache, "/proc/self/exe", machine.cpus, loop,
                  [](const WorkerEvent&) {}};
  PageCacheWorkload workload{{machine, pool}, FileStore(temporary_directories())};
};

TEST_F(EvictionTest, IsNoticedAlthoughTheClientReadsItBackAtOnce) {
  if (FileStore(temporary_directories()).in_memory()) GTEST_SKIP() << "no disk to evict to";
  workload.begin(with_clients(1));
  until([&] { return workload.advance(); });
  until([&] { return sampled_cached(); });
  // The kernel may have evicted some itself, and keeps what the client has in its hands just then.
  (void)workload.notices();
  std::vector<Notice> notices;
  until([&] {
    evict(workload.file(0), 8 << 20);
    workload.watch(monotonic_ns());
    notices = workload.notices();
    return !notices.empty();
  });
  ASSERT_FALSE(notices.empty());
  EXPECT_EQ(notices.back().severity, Severity::warning);
  EXPECT_NE(notices.back().text.find("evicted"), std::string::npos) << notices.back().text;
  until([&] { return sampled_cached(); });
}

}  // namespace
}  // namespace pipetop
