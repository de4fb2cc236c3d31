// The program as an ordinary user runs it, without root's rights and with some of
// them, and what of these its workers have.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/base/reading.h"
#include "engine/model/control_block.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/tests/eventually.h"
#include "engine/tests/support/child.h"
#include "tui/command_line/tests/file_capabilities.h"
#include "tui/command_line/tests/ordinary_user.h"
#include "tui/command_line/tests/program.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kOneLine =
    "functions and slots need root: sudo pipetop, or see pipetop help privileges";
constexpr const char* kNone = "0000000000000000";

Words as_sudo(const std::string& uid, const std::string& gid, const Words& arguments) {
  Words words = {"SUDO_UID=" + uid, "SUDO_GID=" + gid, PIPETOP_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

const Words kEndlessRun = {"run", "--format", "csv", "--duration", "1h"};

nlohmann::json result_of(const nlohmann::json& doctor, const std::string& name) {
  for (const nlohmann::json& check : doctor["checks"])
    if (check["name"] == name) return check;
  return {};
}

// Whether there is anything to be given to others.
Reading<bool> observing_root() {
  if (Reading<bool> refused = root(); !refused.has_value()) return refused;
  Program doctor({"doctor", "--format", "json"});
  doctor.wait();
  const nlohmann::json ring = result_of(nlohmann::json::parse(doctor.out()), "ring (BPF iterator)");
  if (ring["result"] == "works") return Reading<bool>::of(true);
  return Reading<bool>::unavailable(ring["why"]);
}

Reading<bool> given(const ProgramCopy& copy) {
  const std::string refusal = copy.set_capabilities(kObserving);
  return refusal.empty() ? Reading<bool>::of(true) : Reading<bool>::unavailable(refusal);
}

// /proc/PID/status by its first words: {"CapEff", "0000000000000000"}.
std::map<std::string, std::string> status_of(const std::string& pid) {
  std::map<std::string, std::string> status;
  std::istringstream lines(content_of("/proc/" + pid + "/status"));
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(":\t");
    if (colon != std::string::npos) status[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return status;
}

// Both of a run that goes on.
void expect_harmless_workers(Program& program, const Words& sets) {
  for (const char* name : {"pipetop-writer", "pipetop-reader"}) {
    const pid_t pid = program.wait_for_child(name);
    ASSERT_NE(pid, 0) << name;
    auto status = status_of(std::to_string(pid));
    EXPECT_EQ(status["Uid"], "65534\t65534\t65534\t65534") << name;
    EXPECT_EQ(status["Gid"], "65534\t65534\t65534\t65534") << name;
    EXPECT_EQ(status["NoNewPrivs"], "1") << name;
    EXPECT_EQ(content_of("/proc/" + std::to_string(pid) + "/oom_score_adj"), "1000\n") << name;
    for (const std::string& set : sets) EXPECT_EQ(status[set], kNone) << name << " " << set;
  }
}

TEST(Privileges, CapabilitiesOfTheFileShowFunctionsAndSlots) {
  PIPETOP_NEED(observing_root());
  const ProgramCopy copy;
  PIPETOP_NEED(given(copy));
  nlohmann::json result;
  // How many samples there are of a worker, and how often the ring isn't empty, is the
  // machine's affair; none and never is not.
  for (const char* duration : {"1s", "10s", "60s"}) {
    Program run(kSetpriv, as_user(copy.path(), {"run", "--format", "json", "--write_with",
                                                "vmsplice", "--duration", duration}));
    ASSERT_TRUE(measured(run.wait())) << run.err();
    result = nlohmann::json::parse(run.out());
    const bool sampled =
        result["functions"].is_null() || (result["functions"]["writer"]["samples"] > 0 &&
                                          result["functions"]["reader"]["samples"] > 0);
    if (sampled && !result["ring"]["kinds"]["user_page"].is_null()) break;
  }
  EXPECT_GT(result["ring"]["kinds"]["user_page"], 0.0) << result["ring"];
  EXPECT_EQ(result["writer"]["times_source"], "sched_switch");
  // Debian's kernels let only CAP_SYS_ADMIN have events then, see kernel.perf_event_paranoid.
  const int paranoid = std::stoi(content_of("/proc/sys/kernel/perf_event_paranoid"));
  if (result["functions"].is_null() && paranoid > 2) {
    EXPECT_EQ(result["functions_reason"],
              "perf_event_open: Permission denied; sudo sysctl kernel.perf_event_paranoid=2");
    return;
  }
  for (const char* role : {"writer", "reader"}) {
    const nlohmann::json& functions = result["functions"][role];
    EXPECT_GT(functions["samples"], 0) << result["functions"];
    EXPECT_FALSE(functions["rows"].empty());
    for (const nlohmann::json& row : functions["rows"]) EXPECT_NE(row["name"], "[unknown]");
  }
}

TEST(Privileges, WorkersHaveNoneOfTheFilesCapabilities) {
  PIPETOP_NEED(observing_root());
  const ProgramCopy copy;
  PIPETOP_NEED(given(copy));
  Program run(kSetpriv, as_user(copy.path(), {"run", "--format", "csv", "--duration", "1h"}));
  expect_harmless_workers(run, {"CapInh", "CapPrm", "CapEff", "CapAmb"});
  const std::string writer = std::to_string(run.wait_for_child("pipetop-writer"));
  auto engine = status_of(status_of(writer)["PPid"]);
  EXPECT_EQ(std::stoull("0" + engine["CapEff"], nullptr, 16), kObserving);
  run.send(SIGTERM);
  EXPECT_EQ(run.wait(), 128 + SIGTERM) << run.err();
}

uid_t owner_of_memory(pid_t pid) {
  struct stat status = {};
  ::stat(("/proc/" + std::to_string(pid) + "/mem").c_str(), &status);
  return status.st_uid;
}

// /proc hides kernel addresses from its user, and a core dump must not show them.
TEST(Privileges, TheFilesCapabilitiesLeaveNoMemoryToItsUser) {
  PIPETOP_NEED(observing_root());
  const ProgramCopy copy;
  PIPETOP_NEED(given(copy));
  Program run(kSetpriv, as_user(copy.path(), kEndlessRun));
  const pid_t writer = run.wait_for_child("pipetop-writer");
  ASSERT_NE(writer, 0) << run.err();
  EXPECT_EQ(owner_of_memory(run.pid()), 0u) << "as of an undumpable process";
  EXPECT_EQ(owner_of_memory(writer), 65534u) << "main reads its smaps";
}

TEST(Privileges, WorkersOfSudoHaveNone) {
  PIPETOP_NEED(root());
  Program run("/usr/bin/env", as_sudo("65534", "65534", kEndlessRun));
  expect_harmless_workers(run, {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"});
  run.send(SIGTERM);
  EXPECT_EQ(run.wait(), 128 + SIGTERM) << run.err();
}

// Main needs CAP_KILL for that at any moment, while it opens files, too.
TEST(Privileges, WorkersOfSudoDieWithMain) {
  PIPETOP_NEED(root());
  Program run("/usr/bin/env", as_sudo("65534", "65534", kEndlessRun));
  const pid_t writer = run.wait_for_child("pipetop-writer");
  ASSERT_NE(writer, 0) << run.err();
  run.send(SIGKILL);
  EXPECT_EQ(run.wait(), -SIGKILL);
  EXPECT_TRUE(eventually([&] { return is_gone(writer); }));
}

// As a worker could: it has the memory that it shares with pipetop mapped. Words 4 and 5 held the
// user to become once.
void forge_identity(pid_t worker) {
  const UniqueFd block(open(("/proc/" + std::to_string(worker) + "/fd/3").c_str(), O_RDWR));
  ASSERT_TRUE(block) << strerror(errno);
  const uint32_t root[2] = {0, 0};
  ASSERT_EQ(pwrite(block.get(), root, sizeof root, 16), ssize_t(sizeof root));
}

// In decimal; 0 if there is no such line.
uint64_t set_in(pid_t pid, const std::string& name) {
  return std::stoull("0" + status_of(std::to_string(pid))[name], nullptr, 16);
}

void expect_sets(pid_t worker, uint64_t most) {
  for (const char* set : {"CapPrm", "CapEff"}) EXPECT_EQ(set_in(worker, set) & ~most, 0u) << set;
  for (const char* set : {"CapInh", "CapBnd", "CapAmb"}) EXPECT_EQ(set_in(worker, set), 0u) << set;
  EXPECT_EQ(status_of(std::to_string(worker))["NoNewPrivs"], "1");
}

TEST(Privileges, WorkersOfRootKeepWhatTheirWorkNeeds) {
  PIPETOP_NEED(root());
  Program pipe(kEndlessRun);
  for (const char* name : {"pipetop-writer", "pipetop-reader"}) {
    const pid_t worker = pipe.wait_for_child(name);
    ASSERT_NE(worker, 0) << pipe.err();
    expect_sets(worker, 1ull << CAP_IPC_LOCK | 1ull << CAP_SYS_RESOURCE);
  }
  const ScratchDirectory directory;
  std::ofstream(directory.file("cached.yaml")) << "workload: page-cache\nfile_size: 1MiB\n";
  Words words = kEndlessRun;
  words.insert(words.end(), {"-c", directory.file("cached.yaml")});
  Program cached(words);
  const pid_t client = cached.wait_for_child("pipetop-client");
  ASSERT_NE(client, 0) << cached.err();
  expect_sets(client, 0);
}

// There are more than it uses.
TEST(Privileges, MainKeepsOnlyWhatItUses) {
  PIPETOP_NEED(root());
  Program run(kEndlessRun);
  ASSERT_NE(run.wait_for_child("pipetop-writer"), 0) << run.err();
  const uint64_t dangerous = 1ull << CAP_SYS_MODULE | 1ull << CAP_SYS_RAWIO | 1ull << CAP_SETPCAP |
                             1ull << CAP_MKNOD | 1ull << CAP_SYS_BOOT | 1ull << CAP_NET_ADMIN |
                             1ull << CAP_NET_RAW | 1ull << CAP_SETFCAP | 1ull << CAP_SYS_CHROOT;
  EXPECT_EQ(set_in(run.pid(), "CapPrm") & dangerous, 0u);
  EXPECT_EQ(set_in(run.pid(), "CapInh") & dangerous, 0u);
  EXPECT_EQ(set_in(run.pid(), "CapBnd"), 0u);
  EXPECT_EQ(set_in(run.pid(), "CapAmb"), 0u);
  EXPECT_EQ(status_of(std::to_string(run.pid()))["NoNewPrivs"], "1");
  const uint64_t ours = std::stoull("0" + status_of("self")["CapPrm"], nullptr, 16);
  const uint64_t used = 1ull << CAP_BPF | 1ull << CAP_PERFMON | 1ull << CAP_SYSLOG;
  EXPECT_EQ(set_in(run.pid(), "CapEff") & used, ours & used);
}

Reading<bool> user_namespaces() {
  if (Child([] { return unshare(CLONE_NEWUSER) == 0 ? 0 : 1; }).wait() == 0)
    return Reading<bool>::of(true);
  return Reading<bool>::unavailable("user namespaces are forbidden here");
}

// As in most containers. Root maps itself into a user namespace then.
TEST(Privileges, RootWithoutSysAdminInsertsRulesInAUserNamespace) {
  PIPETOP_NEED(root());
  PIPETOP_NEED(user_namespaces());
  const ScratchDirectory directory;
  std::ofstream(directory.file("percpu.yaml")) << "workload: percpu\n";
  Program run(kSetpriv, {"--bounding-set=-sys_admin,-net_admin,-sys_ptrace,-bpf,-perfmon",
                         PIPETOP_PROGRAM, "run", "-c", directory.file("percpu.yaml"), "--format",
                         "json", "--duration", "300ms"});
  EXPECT_TRUE(measured(run.wait())) << run.err();
}

TEST(Privileges, AWorkerCannotMakeItsSuccessorRoot) {
  PIPETOP_NEED(root());
  Program run("/usr/bin/env", as_sudo("65534", "65534", kEndlessRun));
  for (const char* name : {"pipetop-writer", "pipetop-reader"}) {
    const pid_t first = run.wait_for_child(name);
    ASSERT_NE(first, 0) << run.err();
    forge_identity(first);
    kill(first, SIGKILL);
    const pid_t second = run.wait_for_child(name, first);
    ASSERT_NE(second, 0) << run.err();
    EXPECT_EQ(status_of(std::to_string(second))["Uid"], "65534\t65534\t65534\t65534") << name;
  }
}

// With the file's capabilities a worker's user may write what the worker tells main.
TEST(Privileges, AWorkerThatTellsRubbishHarmsOnlyTheResult) {
  for (const uint64_t rubbish : {UINT64_MAX, uint64_t{1} << 63, uint64_t{INT32_MAX} + 1}) {
    Program run({"run", "--format", "jsonl", "--interval", "100ms", "--duration", "1h"});
    const UniqueFd block(
        open(("/proc/" + std::to_string(run.wait_for_child("pipetop-writer")) + "/fd/3").c_str(),
             O_RDWR));
    ASSERT_TRUE(block) << strerror(errno);
    ASSERT_TRUE(run.wait_for("\"interval\"")) << run.err();
    const size_t shown = run.out().size();
    const size_t report = offsetof(ControlBlock, report) + offsetof(WorkerReport, words);
    for (size_t at = report; at < sizeof(ControlBlock); at += sizeof rubbish)
      ASSERT_EQ(pwrite(block.get(), &rubbish, sizeof rubbish, off_t(at)), ssize_t(sizeof rubbish));
    EXPECT_TRUE(run.wait_until([&] { return run.out().size() > shown; })) << run.err();
    run.send(SIGTERM);
    EXPECT_EQ(run.wait(), 128 + SIGTERM) << run.err();
  }
}

TEST(Privileges, ADamagedSudoUserIsAnErrorAndNotRoot) {
  PIPETOP_NEED(root());
  for (const char* id : {"", "nobody", "1000x", "-1", "4294967295"}) {
    for (const Words& words : {as_sudo(id, "65534", {}), as_sudo("65534", id, {})}) {
      Words all = words;
      all.insert(all.end(), {"run", "--duration", "100ms"});
      Program run("/usr/bin/env", all);
      EXPECT_EQ(run.wait(), 1) << id << run.out();
      EXPECT_NE(run.err().find(" is no user: unset both"), std::string::npos) << run.err();
    }
  }
}

// At steady state the capabilities for that are not in effect.
TEST(Privileges, APictureThatAKeyTakesIsTheCallers) {
  PIPETOP_NEED(root());
  const ScratchDirectory directory;
  std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
  PtyProgram program({"/usr/bin/env", "-C", directory.path(), PIPETOP_PROGRAM, "--no-bpf"},
                     {"TERM=xterm", "SUDO_UID=65534", "SUDO_GID=65534"}, 40, 120);
  ASSERT_TRUE(program.wait_until([&] { return child_of(program.pid(), "pipetop-writer") != 0; }));
  program.send("X");
  struct stat status = {};
  ASSERT_TRUE(program.wait_until([&] {
    for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
      if (stat(entry.path().c_str(), &status) == 0 && status.st_size > 0) return true;
    return false;
  })) << program.output();
  EXPECT_EQ(status.st_uid, 65534u);
  EXPECT_EQ(status.st_gid, 65534u);
}

// A command is recorded, and what runs already by the key W.
TEST(Privileges, RecordingsOfWatchAreTheCallers) {
  PIPETOP_NEED(root());
  Program pipeline("/bin/sh", {"-c", "sleep 20 | cat"});
  for (const Words& caller : {Words{"SUDO_UID=65534", "SUDO_GID=65534"}, {"DOAS_USER=nobody"}}) {
    const ScratchDirectory directory;
    std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
    const auto watch = [&](const Words& arguments) {
      Words words = {"/usr/bin/env", "-C", directory.path()};
      words.insert(words.end(), caller.begin(), caller.end());
      words.insert(words.end(), {PIPETOP_PROGRAM, "watch", "--no-bpf"});
      words.insert(words.end(), arguments.begin(), arguments.end());
      return words;
    };
    const Words words = watch({"-q", "--record", "a.ptop", "--", "/bin/sh", "-c", "sleep 4 | cat"});
    Program started(words.front(), Words(words.begin() + 1, words.end()));
    EXPECT_EQ(started.wait(), 0) << started.err();
    PtyProgram screen(watch({std::to_string(pipeline.pid())}), {"TERM=xterm"}, 40, 120);
    ASSERT_TRUE(screen.wait_for("sleep"));
    screen.send("W");
    ASSERT_TRUE(screen.wait_for("recording to"));
    screen.send("Wq");
    EXPECT_EQ(screen.wait_for_end(), 0);
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
      struct stat status = {};
      ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
      EXPECT_GT(status.st_size, 0);
      EXPECT_EQ(status.st_uid, 65534u);
      ++files;
    }
    EXPECT_EQ(files, 2u);
  }
}

// Whoever owns the working directory is not to drive what root runs there.
TEST(Privileges, RootIgnoresAConfigOfOthersUnlessItsPathIsGiven) {
  PIPETOP_NEED(root());
  const ScratchDirectory directory;
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  std::ofstream(directory.file("found.yaml")) << "workload: page-cache\n";
  // What is said of it; "" if it is read.
  const auto said = [&](const Words& variables, const std::string& config) {
    Words words = {"-C", directory.path()};
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(), {PIPETOP_PROGRAM, "watch", "-q", "-c", config, "--", "true"});
    Program run("/usr/bin/env", words);
    const int status = run.wait();
    EXPECT_EQ(status, run.err().empty() ? 0 : 1);
    return run.err();
  };
  EXPECT_EQ(said({}, "found"), "");
  ASSERT_EQ(chown(directory.file("found.yaml").c_str(), 65534, 65534), 0);
  const std::string ignored = "pipetop: found.yaml is ignored as root, because user 65534 owns " +
                              directory.file("found.yaml") +
                              ": to read it all the same, give ./found.yaml\n";
  EXPECT_EQ(said({}, "found").substr(0, ignored.size()), ignored);
  EXPECT_EQ(said({"SUDO_UID=1", "SUDO_GID=1"}, "found").substr(0, ignored.size()), ignored);
  EXPECT_EQ(said({"SUDO_UID=65534", "SUDO_GID=65534"}, "found"), "") << "it is the caller's own";
  EXPECT_EQ(said({}, "./found.yaml"), "");
}

// The errno of tracing it as its own user.
int trace_as_nobody(pid_t worker) {
  Child child([&] {
    if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) return 255;
    return ptrace(PTRACE_SEIZE, worker, 0, 0) == 0 ? 0 : errno;
  });
  return child.wait();
}

TEST(Privileges, NobodyTracesAWorkerOfSudo) {
  PIPETOP_NEED(root());
  Program run("/usr/bin/env", as_sudo("65534", "65534", kEndlessRun));
  for (const char* name : {"pipetop-writer", "pipetop-reader"})
    EXPECT_EQ(trace_as_nobody(run.wait_for_child(name)), EPERM) << name;
}

TEST(Privileges, AUserWhoMayStartNothingIsTold) {
  PIPETOP_NEED(root());
  const ProgramCopy copy;
  Program run(kSetpriv, as_user("/usr/bin/prlimit", {"--nproc=0", copy.path(), "run"}));
  EXPECT_EQ(run.wait(), 3);
  EXPECT_EQ(
      run.err(),
      "pipetop: fork: Resource temporarily unavailable; raise the limit of processes (ulimit -u, "
      "pids.max of the cgroup)\n");
}

TEST(Privileges, AnOrdinaryUserIsToldInOneLine) {
  PIPETOP_NEED(root());
  const ProgramCopy copy;
  Program doctor(kSetpriv, as_user(copy.path(), {"doctor"}));
  EXPECT_EQ(doctor.wait(), 0) << doctor.err();
  EXPECT_NE(doctor.out().find("\n" + std::string(kOneLine) + "\n"), std::string::npos)
      << doctor.out();
  Program run(kSetpriv, as_user(copy.path(), {"run", "--duration", "300ms"}));
  EXPECT_TRUE(measured(run.wait())) << run.err();
  EXPECT_NE(run.out().find(" GiB/s"), std::string::npos) << run.out();
  const std::string once = "sudo pipetop, or see pipetop help privileges";
  const size_t at = run.out().find(once);
  ASSERT_NE(at, std::string::npos) << run.out();
  EXPECT_EQ(run.out().find(once, at + 1), std::string::npos) << run.out();
}

}  // namespace
}  // namespace pipetop::tui
