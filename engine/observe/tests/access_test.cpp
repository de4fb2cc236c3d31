// Whom a user sees whose program has the capabilities to observe: whom the kernel shows it in
// /proc.
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "engine/base/error.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/sampler.h"
#include "engine/observe/sched_reader.h"
#include "engine/observe/stage_observer.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/observe/tests/scan_fixture.h"
#include "engine/process/privileges.h"

namespace pipetop::observe {
namespace {

constexpr uid_t kDaemon = 1, kNobody = 65534;
constexpr uint64_t kObserving = capabilities({CAP_BPF, CAP_PERFMON, CAP_SYSLOG});

// It makes a process undumpable, as exec of a setuid program does.
bool become(uid_t user, uint64_t kept) {
  return prctl(PR_SET_KEEPCAPS, 1) == 0 && setgroups(0, nullptr) == 0 &&
         setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0 &&
         keep_capabilities(kept);
}

bool make_dumpable() { return prctl(PR_SET_DUMPABLE, 1) == 0; }

// As a program that this user has started.
bool become_plain(uid_t user, uint64_t kept = 0) { return become(user, kept) && make_dumpable(); }

struct Kind {
  const char* name;
  std::function<bool()> change;
};

const Kind kKinds[] = {
    {"root", [] { return true; }},
    {"daemon", [] { return become_plain(kDaemon); }},
    {"nobody", [] { return become_plain(kNobody); }},
    {"undumpable", [] { return become(kNobody, 0) && prctl(PR_SET_DUMPABLE, 0) == 0; }},
    {"capable", [] { return become_plain(kNobody, capabilities({CAP_NET_RAW})); }},
    // More than its user has, and no more than our file has.
    {"observing", [] { return become_plain(kNobody, capabilities({CAP_BPF})); }},
    {"saved user",
     [] {
       return setresgid(kNobody, kNobody, kNobody) == 0 && setresuid(kNobody, kNobody, 0) == 0 &&
              make_dumpable();
     }},
    {"real group",
     [] {
       return setresgid(kDaemon, kNobody, kNobody) == 0 &&
              setresuid(kNobody, kNobody, kNobody) == 0 && make_dumpable();
     }},
    // Which its maker may look into.
    {"own namespace",
     [] { return become_plain(kNobody) && unshare(CLONE_NEWUSER) == 0 && make_dumpable(); }},
};

// What was said by somebody else, or why nothing was.
std::string said_as(uid_t user, uint64_t kept, const std::function<std::string()>& look) {
  const TestPipe answer;
  Child viewer([&] {
    std::string text;
    try {
      text = become(user, kept) ? look() : "cannot become another user";
    } catch (const Error& error) {
      text = error.what();
    }
    return write(answer.in.get(), text.data(), text.size()) == ssize_t(text.size()) ? 0 : 1;
  });
  EXPECT_TRUE(eventually([&] { return viewer.ended(); }));
  EXPECT_EQ(viewer.ending(), 0);
  fcntl(answer.out.get(), F_SETFL, O_NONBLOCK);
  std::string text(65536, '\0');
  text.resize(size_t(std::max<ssize_t>(read(answer.out.get(), text.data(), text.size()), 0)));
  return text;
}

class ProcAccess : public testing::Test {
 protected:
  void SetUp() override {
    if (getuid() != 0) GTEST_SKIP() << "needs root, to become somebody else";
    PIPETOP_NEED(possible([] { make_bpf_pipe_scanner(); }));
    for (const Kind& kind : kKinds) start(kind);
  }

  // With the capabilities of its file.
  template <class Make>
  static Reading<bool> possible(Make make) {
    const std::string refused = said_as(kNobody, kObserving, [&] { return make(), ""; });
    return refused.empty() ? Reading<bool>::of(true) : Reading<bool>::unavailable(refused);
  }

  void start(const Kind& kind) {
    const TestPipe ready;
    auto child = std::make_unique<Child>([&] {
      const TestPipe own;
      own.put(3);
      if (!kind.change()) return 1;
      ready.put(1);
      return pause();
    });
    if (!eventually([&] { return is_readable(ready) || child->ended(); })) return;
    if (!child->ended()) held_.emplace_back(kind.name, std::move(child));  // it may be forbidden
  }

  static bool is_readable(const TestPipe& pipe) {
    pollfd end = {pipe.out.get(), POLLIN, 0};
    return poll(&end, 1, 0) == 1;
  }

  // The names of those that are so.
  template <class Condition>
  std::string names(Condition is_so) const {
    std::string text;
    for (const auto& [name, child] : held_)
      if (is_so(child->pid())) text += name + "; ";
    return text;
  }

  // Any link there is as well guarded as those of descriptors.
  std::string shown_by_proc() const {
    return names([](pid_t pid) {
      std::error_code error;
      return !std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", error).empty();
    });
  }

  static bool has_end(const PipeScan& scan, pid_t pid) {
    return std::ranges::any_of(scan.pipes, [&](const ScannedPipe& pipe) {
      return std::ranges::any_of(pipe.ends, [&](const PipeEnd& e) { return e.process.pid == pid; });
    });
  }

  std::string shown_by(PipeScanner& scanner) const {
    const PipeScan scan = scanner.scan();
    std::string ends = names([&](pid_t pid) { return has_end(scan, pid); });
    const std::string tasks = names([&](pid_t pid) { return task_in(scan, pid) != nullptr; });
    std::string alone = names([&](pid_t pid) {
      const ProcessId process = id_of_process(pid);
      return has_end(scanner.scan(std::span(&process, 1)), pid);
    });
    return ends == tasks && ends == alone ? ends : ends + "/ " + tasks + "/ " + alone;
  }

  // As root sees them.
  PipeScan everything() const { return make_bpf_pipe_scanner()->scan(); }

  std::vector<std::pair<std::string, std::unique_ptr<Child>>> held_;
};

TEST_F(ProcAccess, IsTheKernels) {
  for (const uid_t user : {kNobody, kDaemon}) {
    const std::string shown = said_as(user, 0, [&] { return shown_by_proc(); });
    EXPECT_TRUE(shown.starts_with(user == kNobody ? "nobody; " : "daemon; ")) << shown;
    EXPECT_EQ(said_as(user, kObserving, [&] { return shown_by(*make_bpf_pipe_scanner()); }), shown);
  }
  EXPECT_EQ(shown_by(*make_bpf_pipe_scanner()), names([](pid_t) { return true; }));
}

TEST_F(ProcAccess, WhoMayNotBeSeenIsCounted) {
  const auto hidden = [] { return std::to_string(make_bpf_pipe_scanner()->scan().unreadable); };
  EXPECT_EQ(hidden(), "0");
  EXPECT_GE(std::stoul(said_as(kNobody, kObserving, hidden)), held_.size() - 2);
}

TEST_F(ProcAccess, RingsAreThoseOfWhomTheKernelShows) {
  const std::string shown = said_as(kNobody, 0, [&] { return shown_by_proc(); });
  const PipeScan scan = everything();
  EXPECT_EQ(said_as(kNobody, kObserving,
                    [&] {
                      const auto rings = make_foreign_rings();
                      return names([&](pid_t pid) {
                        for (const ScannedPipe& pipe : scan.pipes)
                          for (const PipeEnd& end : pipe.ends)
                            if (end.process.pid == pid && rings->frame(pipe.id, end).has_value())
                              return true;
                        return false;
                      });
                    }),
            shown);
}

// Even if it is asked for everything.
TEST_F(ProcAccess, ClocksAreOnlyOfWhomTheKernelShows) {
  PIPETOP_NEED(possible([] { make_stage_observer(); }));
  const std::string shown = said_as(kNobody, 0, [&] { return shown_by_proc(); });
  PipeScan scan = everything();
  const auto is_held = [&](ProcessId process) {
    return std::ranges::any_of(held_,
                               [&](const auto& held) { return held.second->pid() == process.pid; });
  };
  std::erase_if(scan.tasks, [&](const ScannedTask& task) { return !is_held(task.process); });
  // The pipes that one of them has alone.
  std::erase_if(scan.pipes, [&](const ScannedPipe& pipe) {
    return pipe.ends.size() != 2 || !std::ranges::all_of(pipe.ends, is_held, &PipeEnd::process);
  });
  const auto look = [&] {
    const auto observer = make_stage_observer();
    observer->watch(scan.tasks, scan.pipes);
    std::string times, samples;
    // All of them are looked at by the same ticks.
    eventually([&] {
      const auto threads = observer->times(monotonic_ns());
      const auto rings = observer->samples();
      times = names([&](pid_t pid) {
        return std::ranges::find(threads, pid, &ThreadTimes::tid) != threads.end();
      });
      samples = names([&](pid_t pid) {
        return std::ranges::any_of(scan.pipes, [&](const ScannedPipe& pipe) {
          return pipe.ends[0].process.pid == pid &&
                 std::ranges::find(rings, pipe.id, &RingTally::pipe) != rings.end();
        });
      });
      return times.size() >= shown.size() && samples.size() >= shown.size();
    });
    return times == samples ? times : times + "/ " + samples;
  };
  EXPECT_EQ(said_as(kNobody, kObserving, look), shown);
}

TEST_F(ProcAccess, ProgramsAtEverySystemCallAreRoots) {
  PIPETOP_NEED(possible([] { make_stage_observer(); }));
  const std::string said = said_as(kNobody, kObserving, [] {
    make_stage_observer()->count_bytes(true);
    return "it counts";
  });
  EXPECT_EQ(said,
            "exact bytes need root, because counting slows down every system call of the "
            "machine; sudo pipetop");
}

// Answers each time that it is asked, after a sleep; from the first time on it can't be dumped.
struct Hiding {
  std::string ask(int times) {
    char c = 0;
    for (int i = 0; i < times; ++i)
      if (write(told.in.get(), &c, 1) != 1 || read(answer.out.get(), &c, 1) != 1)
        return "no answer";
    return {};
  }

  TestPipe told, answer;
  Child child{[this] {
    char c = 0;
    if (!become_plain(kNobody) || write(answer.in.get(), &c, 1) != 1) return 1;
    while (read(told.out.get(), &c, 1) == 1 && prctl(PR_SET_DUMPABLE, 0) == 0) {
      poll(nullptr, 0, 1);
      if (write(answer.in.get(), &c, 1) != 1) return 1;
    }
    return 0;
  }};
};

TEST_F(ProcAccess, WhoHidesLaterIsNoLongerSeen) {
  PIPETOP_NEED(possible([] { make_stage_observer(); }));
  Hiding hiding;
  char ready;
  ASSERT_EQ(read(hiding.answer.out.get(), &ready, 1), 1);
  const pid_t pid = hiding.child.pid();
  const auto look = [&]() -> std::string {
    const auto scanner = make_bpf_pipe_scanner();
    const auto observer = make_stage_observer();
    const PipeScan before = scanner->scan();
    const ScannedTask* task = task_in(before, pid);
    if (!task) return "it was not seen";
    observer->watch(std::span(task, 1), {});
    const auto sleeps = [&] {
      const auto times = observer->times(monotonic_ns());
      return times.empty() ? 0 : times.front().sleeps;
    };
    if (!eventually([&] { return !observer->times(monotonic_ns()).empty(); })) return "no times";
    std::string problem = hiding.ask(20);
    const uint64_t first = sleeps();
    problem += hiding.ask(20);
    if (sleeps() != first) problem += "its sleeps are counted; ";
    const PipeScan after = scanner->scan();
    if (has_end(after, pid) || task_in(after, pid)) problem += "it is listed; ";
    const auto rings = make_foreign_rings();
    for (const ScannedPipe& pipe : before.pipes)
      for (const PipeEnd& end : pipe.ends)
        if (end.process.pid == pid && rings->frame(pipe.id, end).has_value())
          return problem + "its rings are shown";
    return problem;
  };
  EXPECT_EQ(said_as(kNobody, kObserving, look), "");
}

TEST_F(ProcAccess, WhoHidesLaterIsNoLongerTimed) {
  const auto make = [] { return make_sched_reader({}, kStacksPerSecond, Whose::anyones); };
  PIPETOP_NEED(possible([&] { make(); }));
  Hiding hiding;
  char ready;
  ASSERT_EQ(read(hiding.answer.out.get(), &ready, 1), 1);
  const auto look = [&]() -> std::string {
    const auto reader = make();
    reader->watch(Role::writer, hiding.child.pid());
    const auto sleeps = [&] {
      return reader->times(Role::writer).value.value_or(TaskTimes{}).voluntary_switches;
    };
    const bool is_known = eventually([&] {
      reader->poll(monotonic_ns());
      return reader->times(Role::writer).has_value();
    });
    if (!is_known) return "no times";
    std::string problem = hiding.ask(20);
    const uint64_t first = sleeps();
    problem += hiding.ask(20);
    return sleeps() == first ? problem : problem + "its sleeps are counted";
  };
  EXPECT_EQ(said_as(kNobody, kObserving, look), "");
}

// Our workers are: they may have a user namespace.
TEST_F(ProcAccess, WhoMayNotBeSeenIsNotSampledUnlessItIsOurs) {
  PIPETOP_NEED(possible([] { make_sampler(999); }));
  const auto busy = [] {
    static const bool changed = become_plain(kNobody);
    if (!changed) _exit(1);
    getppid();
  };
  const BusyChild seen(busy), hidden([] {
    static const bool changed = become(kNobody, 0) && prctl(PR_SET_DUMPABLE, 0) == 0;
    if (!changed) _exit(1);
    getppid();
  });
  const auto sample = [&](Whose whose) {
    const auto sampler = make_sampler(999, -1, whose);
    sampler->watch(Role::writer, hidden.pid());
    sampler->watch(Role::reader, seen.pid());
    std::array<uint64_t, kRoles> samples{};
    const auto of = [&](Role role) { return samples[static_cast<size_t>(role)]; };
    const bool enough = eventually([&] {
      sampler->drain([&](const StackSample& one) { ++samples[size_t(one.role)]; });
      return of(Role::reader) >= 50 && (whose == Whose::anyones || of(Role::writer) > 0);
    });
    if (!enough) return std::string("too few samples");
    return std::string(of(Role::writer) > 0 ? "both" : "one");
  };
  EXPECT_EQ(said_as(kNobody, kObserving, [&] { return sample(Whose::anyones); }), "one");
  EXPECT_EQ(said_as(kNobody, kObserving, [&] { return sample(Whose::ours); }), "both");
}

}  // namespace
}  // namespace pipetop::observe
