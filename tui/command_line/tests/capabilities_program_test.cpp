// The capabilities of each command, for each way to start it, at each moment: as /proc has them.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "engine/base/system_files.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "tui/command_line/commands.h"
#include "tui/command_line/tests/file_capabilities.h"
#include "tui/command_line/tests/ordinary_user.h"
#include "tui/command_line/tests/program.h"
#include "tui/command_line/tests/traced_program.h"
#include "tui/tests/processes.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using What = Moment::What;

constexpr uint64_t bits(std::initializer_list<int> numbers) {
  uint64_t set = 0;
  for (const int number : numbers) set |= uint64_t{1} << number;
  return set;
}

// ---- what is right ----------------------------------------------------------

constexpr uint64_t kEyes = bits({CAP_BPF, CAP_PERFMON, CAP_SYSLOG});
constexpr uint64_t kIds = bits({CAP_SETUID, CAP_SETGID});
constexpr uint64_t kOthersWorkers = bits({CAP_KILL, CAP_SYS_NICE});
constexpr uint64_t kWorkers = bits({CAP_SYS_PTRACE, CAP_SYS_RESOURCE});
constexpr uint64_t kOfPipes = bits({CAP_IPC_LOCK, CAP_SYS_RESOURCE});
constexpr uint64_t kOfAllWorkloads = kOfPipes | bits({CAP_NET_ADMIN, CAP_SETFCAP, CAP_SYS_ADMIN});
constexpr uint64_t kLooking = bits({CAP_SYS_PTRACE, CAP_DAC_READ_SEARCH});
constexpr uint64_t kActing = bits({CAP_SYS_RESOURCE});

// At steady state: what is in effect, what could be, and what sudo adds to each.
struct Expected {
  uint64_t effective = 0, permitted = 0, sudo_effective = 0, sudo_permitted = 0;
  uint64_t while_parsing = 0;  // permitted beyond that, while nothing is in effect
};

constexpr Expected kNothing;
constexpr Expected kRun = {kEyes | kWorkers, kOfPipes, kOthersWorkers, kIds, kOfAllWorkloads};
// Of a talk whose scenes don't watch.
constexpr Expected kTalk = {kRun.effective, kRun.permitted, kRun.sudo_effective,
                            kRun.sudo_permitted, kOfAllWorkloads | kLooking | kActing};
constexpr Expected kWatch = {kEyes | kLooking | kActing, 0, 0, 0, kIds};

const std::map<std::string_view, Expected> kExpected = {
    {"pipetop", kRun},
    {"run", kRun},
    {"watch", {kWatch.effective, 0, 0, kIds}},
    {"watch -- COMMAND", {kWatch.effective | bits({CAP_KILL}), 0, 0, kIds, ~uint64_t{0}}},
    {"watch --put-back", {kLooking | kActing}},
    {"watch --once", kWatch},
    {"watch --output", {kWatch.effective, 0, 0, kIds}},
    {"view", {kLooking}},  // under sudo nothing, see below
    {"ladder", kRun},
    {"tune", {kWorkers, kOfPipes, kOthersWorkers, kIds, kOfAllWorkloads}},
    {"limits", kRun},
    {"doctor",
     {kEyes | kWorkers | kLooking | kActing | bits({CAP_KILL, CAP_IPC_LOCK, CAP_SYS_ADMIN}),
      kOfAllWorkloads, kOthersWorkers, kIds}},
    {"shot --replay", kNothing},
    {"shot --watch", {kWatch.effective | bits({CAP_KILL}), 0, 0, kIds}},
    {"shot", kRun},
    {"presets", kNothing},
    {"replay", kNothing},
    {"present --replay", kNothing},
    {"present", kTalk},
    {"rehearse", kTalk},
    {"notes", kNothing},
    {"compare", kNothing},
    {"export", {kEyes | kLooking, 0, 0, 0, kIds}},
    {"export --textfile", {kEyes | kLooking, 0, 0, kIds}},
    {"completion", kNothing},
    {"complete-words", kNothing},
    {"help", kNothing},
    {"--default-config", kNothing},
    {"--help", kNothing},
    {"--version", kNothing},
};

// ---- how it is brought about ------------------------------------------------

enum class Way : uint8_t { root, sudo, doas, pkexec, setcap, plain };
constexpr Way kWays[] = {Way::root, Way::sudo, Way::doas, Way::pkexec, Way::setcap, Way::plain};
constexpr const char* kWayNames[] = {"root", "sudo", "doas", "pkexec", "setcap", "plain"};

constexpr const char* kConfig = "CONFIG";        // stands for a config file's path
constexpr const char* kRecording = "RECORDING";  // for a recording's
constexpr const char* kResult = "RESULT";        // for that of a ladder
constexpr const char* kFifo = "FIFO";
constexpr const char* kOutput = "OUTPUT";  // for a file that does not exist yet

// Where it is at steady state: when it has this child, when its screen shows this, when the file at
// OUTPUT is there; else when it exits.
struct Steady {
  const char *child = nullptr, *shows = nullptr;
  bool output = false;
};

struct Scenario {
  Words words;
  Steady steady;
  const char* parses = nullptr;  // one of the words; nullptr: it reads no file
};

constexpr Steady kHasWriter = {.child = "pipetop-writer"};

const std::map<std::string_view, Scenario> kScenarios = {
    {"pipetop", {{"-c", kConfig}, kHasWriter, kConfig}},
    {"run",
     {{"run", "-c", kConfig, "--duration", "1h", "--format", "csv", "--output", kOutput},
      kHasWriter,
      kConfig}},
    {"watch", {{"watch", "-c", kConfig}, {.shows = "by rate"}, kConfig}},
    {"watch -- COMMAND",
     {{"watch", "-q", "-c", kConfig, "--", "cat", kFifo}, {.child = "cat"}, kConfig}},
    {"watch --put-back", {{"watch", "--put-back"}, {}}},
    {"watch --once",
     {{"watch", "-c", kConfig, "--format", "jsonl", "--interval", "100ms"},
      {.shows = "\"pipes\""},
      kConfig}},
    {"watch --output",
     {{"watch", "-c", kConfig, "--format", "jsonl", "--interval", "100ms", "--output", kOutput},
      {.output = true},
      kConfig}},
    {"view", {{"view", "-n", "-i", "0.1", kFifo}, {.shows = "0\r\n"}}},
    {"ladder", {{"ladder", "-c", kConfig, "--rungs", "write_read"}, kHasWriter, kConfig}},
    {"tune", {{"tune", "-c", kConfig}, kHasWriter, kConfig}},
    {"limits", {{"limits", "-c", kConfig}, kHasWriter, kConfig}},
    {"doctor", {{"doctor"}, {}}},
    {"shot --replay", {{"shot", "--replay", kRecording}, {}, kRecording}},
    {"shot --watch",
     {{"shot", "-c", kConfig, "--after", "1h", "--", "cat", kFifo}, {.shows = "waiting"}, kConfig}},
    {"shot", {{"shot", "-c", kConfig, "--after", "1h"}, kHasWriter, kConfig}},
    {"presets", {{"presets", "-c", kConfig}, {}, kConfig}},
    {"replay", {{"replay", kRecording, "--info"}, {}, kRecording}},
    {"present --replay", {{"present", "--replay", kRecording}, {}, kRecording}},
    {"present", {{"present", kConfig}, kHasWriter, kConfig}},
    {"rehearse", {{"rehearse", kConfig, "--duration", "1h"}, kHasWriter, kConfig}},
    {"notes", {{"notes", "-c", kConfig}, {}, kConfig}},
    {"compare", {{"compare", kResult, kResult}, {}, kResult}},
    {"export",
     {{"export", "-c", kConfig, "--listen", "127.0.0.1:0"}, {.shows = "listening"}, kConfig}},
    {"export --textfile",
     {{"export", "-c", kConfig, "--textfile", kOutput}, {.output = true}, kConfig}},
    {"completion", {{"completion", "bash"}, {}}},
    {"complete-words", {{"complete-words", "-c", kConfig, "--preset", ""}, {}, kConfig}},
    {"help", {{"help", "privileges"}, {}}},
    {"--default-config", {{"--default-config", "-c", kConfig}, {}, kConfig}},
    {"--help", {{"--help"}, {}}},
    {"--version", {{"--version"}, {}}},
};

bool is_by_caller(Way way) { return way == Way::sudo || way == Way::doas || way == Way::pkexec; }

class CapabilityTable : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    PIPETOP_NEED(root());
    if (GetParam() == Way::setcap) {
      const std::string refusal = copy_.set_capabilities(kObserving);
      PIPETOP_NEED(refusal.empty() ? Reading<bool>::of(true) : Reading<bool>::unavailable(refusal));
    }
    fs::permissions(directory_.path(), fs::perms::all);
    std::ofstream(file("config.yaml")) << "scenes:\n  - {title: One}\n";
    Program record({"run", "--duration", "200ms", "--no-bpf", "--record", file("r.ptop")});
    ASSERT_TRUE(measured(record.wait())) << record.err();
    std::ofstream(file("result.json"))
        << R"({"rungs":[{"name":"r","requested":{"pages":"4k"},"runs":[{"gib_per_s":1}]}]})";
    ASSERT_EQ(mkfifo(file("fifo").c_str(), 0666), 0);
    for (const char* name : {"config.yaml", "r.ptop", "result.json", "fifo"})
      fs::permissions(file(name), fs::perms(0666));
  }

  std::string file(const std::string& name) const { return directory_.file(name); }

  std::string place_of(const std::string& word) const {
    static const std::map<std::string, std::string> names = {{kConfig, "config.yaml"},
                                                             {kRecording, "r.ptop"},
                                                             {kResult, "result.json"},
                                                             {kFifo, "fifo"},
                                                             {kOutput, "output.prom"}};
    const auto found = names.find(word);
    return found == names.end() ? word : file(found->second);
  }

  // The program and its arguments.
  Words started(const Words& words) const {
    static const std::map<Way, Words> starts = {
        {Way::root, {"/usr/bin/env"}},
        {Way::sudo, {"/usr/bin/env", "SUDO_UID=65534", "SUDO_GID=65534"}},
        {Way::doas, {"/usr/bin/env", "DOAS_USER=nobody"}},
        {Way::pkexec, {"/usr/bin/env", "PKEXEC_UID=65534"}},
        {Way::setcap, {kSetpriv, "--reuid=65534", "--regid=65534", "--clear-groups"}},
        {Way::plain, {kSetpriv, "--reuid=65534", "--regid=65534", "--clear-groups"}}};
    Words all = starts.at(GetParam());
    all.push_back(copy_.path());
    for (const std::string& word : words) all.push_back(place_of(word));
    return all;
  }

  // Those of them that it has been given to begin with.
  static uint64_t given(uint64_t set) {
    if (GetParam() == Way::plain) return 0;
    return set & (GetParam() == Way::setcap ? kObserving : status_of_process(getpid()).bounding);
  }

  // Whether it becomes who called sudo.
  static bool gives_up_all(const Expected& row) {
    return is_by_caller(GetParam()) && (row.effective == 0 || row.effective == kLooking);
  }

  static uint64_t for_events(uint64_t set) {
    const bool needed = read_number("/proc/sys/kernel/perf_event_paranoid", 2) > 2;
    return (set & kEyes) != 0 && needed ? bits({CAP_SYS_ADMIN}) : 0;
  }

  static uint64_t effective(const Expected& row) {
    if (gives_up_all(row)) return 0;
    return given(row.effective | for_events(row.effective) |
                 (is_by_caller(GetParam()) ? row.sudo_effective : 0));
  }

  static uint64_t permitted(const Expected& row) {
    if (gives_up_all(row)) return 0;
    const uint64_t all = effective(row) | row.permitted;
    return given(all | (is_by_caller(GetParam()) ? row.sudo_permitted : 0));
  }

  static std::string user(bool is_root) {
    return is_root ? "0\t0\t0\t0" : "65534\t65534\t65534\t65534";
  }

  static bool is_root(const Expected& row) {
    return GetParam() == Way::root || (is_by_caller(GetParam()) && !gives_up_all(row));
  }

  static void expect_steady(const Expected& row, const Privileges& now) {
    EXPECT_EQ(now.effective, effective(row));
    EXPECT_EQ(now.permitted, permitted(row));
    EXPECT_EQ(now.uids, user(is_root(row)));
    EXPECT_EQ(now.gids, user(is_root(row)));
    EXPECT_TRUE(now.no_new_privileges);
  }

  // What it starts is still alive then, and dies with it.
  void look_at_steady_state(const Expected& row, const Scenario& scenario) {
    if (!scenario.steady.child && !scenario.steady.shows && !scenario.steady.output) {
      const Words words = started(scenario.words);
      const auto moments = trace(words[0], Words(words.begin() + 1, words.end()));
      ASSERT_FALSE(moments.empty());
      ASSERT_EQ(moments.back().what, What::exit);
      return expect_steady(row, moments.back().privileges);
    }
    const UniqueFd writer(open(file("fifo").c_str(), O_RDWR | O_CLOEXEC));
    PtyProgram program(started(scenario.words), {"TERM=xterm"}, 40, 120);
    ASSERT_TRUE(program.wait_until([&] {
      // It gives up the last when it has started a command.
      if (!status_of_process(program.pid()).no_new_privileges) return false;
      if (scenario.steady.child) return child_of(program.pid(), scenario.steady.child) != 0;
      if (scenario.steady.output) return !content_of(file("output.prom")).empty();
      return program.output().find(scenario.steady.shows) != std::string::npos;
    })) << program.output();
    // For the moment in which it opens a file it is the user's, and has nothing in effect.
    Privileges now;
    bool is_steady = false;
    program.wait_until([&] {
      if (is_steady) return true;
      now = status_of_process(program.pid());
      is_steady = now.effective == effective(row) && now.uids == user(is_root(row)) &&
                  now.gids == user(is_root(row));
      return is_steady;
    });
    expect_steady(row, now);
  }

  void look_while_it_parses(const Expected& row, const Scenario& scenario) {
    const std::string parsed = place_of(scenario.parses);
    const Words words = started(scenario.words);
    const auto moments = trace(
        words[0], Words(words.begin() + 1, words.end()),
        [&](const Moment& moment) { return moment.what == What::read && moment.path == parsed; });
    ASSERT_FALSE(moments.empty());
    ASSERT_EQ(moments.back().path, parsed) << "it was not read";
    const Privileges now = moments.back().privileges;
    EXPECT_EQ(now.effective, 0u);
    EXPECT_EQ(now.permitted & ~(permitted(row) | given(row.while_parsing)), 0u);
    EXPECT_EQ(now.uids.substr(now.uids.rfind('\t') + 1), GetParam() == Way::root ? "0" : "65534")
        << "of files";
    EXPECT_EQ(now.gids.substr(now.gids.rfind('\t') + 1), GetParam() == Way::root ? "0" : "65534");
    EXPECT_TRUE(now.groups == "65534 " || !is_by_caller(GetParam())) << now.groups;
    if (permitted(row) == 0) {
      EXPECT_EQ(now.uids, user(GetParam() == Way::root));
      EXPECT_TRUE(now.no_new_privileges || row.while_parsing == ~uint64_t{0});
    }
  }

  const ScratchDirectory directory_;
  const ProgramCopy copy_;
};

TEST_P(CapabilityTable, AtSteadyState) {
  // All who were called by somebody go the same way.
  const bool is_short = (GetParam() == Way::doas || GetParam() == Way::pkexec) && !is_thorough();
  size_t number = 0;
  for (const CommandRow& row : command_table()) {
    if (is_short && ++number % 4 != 0) continue;
    SCOPED_TRACE(row.name);
    fs::remove(file("output.prom"));
    look_at_steady_state(kExpected.at(row.name), kScenarios.at(row.name));
  }
}

TEST_P(CapabilityTable, WhileAFileIsParsed) {
  for (const CommandRow& row : command_table()) {
    SCOPED_TRACE(row.name);
    const Scenario& scenario = kScenarios.at(row.name);
    fs::remove(file("output.prom"));
    if (scenario.parses) look_while_it_parses(kExpected.at(row.name), scenario);
  }
}

// Whatever pipetop gives up itself: ids and capabilities are as if the command ran alone.
TEST_P(CapabilityTable, ACommandGetsWhatItsCallerHas) {
  const std::string script = "grep -E '^(Uid|Gid|Groups|Cap|NoNewPrivs)' /proc/self/status";
  const auto output_of = [](Words words) {
    const std::string program = words.front();
    words.erase(words.begin());
    Program run(program, words);
    EXPECT_EQ(run.wait(), 0) << run.err();
    return run.out();
  };
  Words alone = started({"/bin/sh", "-c", script});
  std::erase(alone, copy_.path());
  const std::string expected = output_of(alone);
  EXPECT_NE(expected.find("CapBnd"), std::string::npos) << expected;
  EXPECT_EQ(output_of(started({"watch", "-q", "-c", kConfig, "--", "/bin/sh", "-c", script})),
            expected);
}

INSTANTIATE_TEST_SUITE_P(Ways, CapabilityTable, testing::ValuesIn(kWays),
                         [](const auto& way) { return kWayNames[size_t(way.param)]; });

TEST(CommandPrivileges, EachCommandHasARow) {
  for (int command = 0; command <= int(Command::version); ++command) {
    CommandLine line;
    line.command = Command(command);
    EXPECT_NO_THROW(command_row(line)) << command;
  }
  for (const ListedCommand& command : list_commands().commands)
    EXPECT_TRUE(std::ranges::any_of(command_table(), [&](const CommandRow& row) {
      return row.name == command.name;
    })) << command.name;
  for (const CommandRow& row : command_table()) {
    EXPECT_TRUE(kExpected.contains(row.name)) << row.name;
    EXPECT_TRUE(kScenarios.contains(row.name)) << row.name;
  }
}

}  // namespace
}  // namespace pipetop::tui
