// The scanner that is BPF's, against the kernel's own account of pipes.
#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <tuple>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/observe/tests/scan_checks.h"
#include "engine/tests/support/scratch_directory.h"

namespace pipetop::observe {
namespace {

class BpfPipeScanner : public testing::Test {
 protected:
  // Once for all: to load it is what takes time where CPUs are emulated.
  static void SetUpTestSuite() {
    try {
      scanner_ = make_bpf_pipe_scanner();
    } catch (const Error& error) {
      refused_ = error.what();
    }
  }
  static void TearDownTestSuite() { scanner_.reset(); }

  void SetUp() override {
    PIPETOP_NEED(scanner_ ? Reading<int>::of(0) : Reading<int>::unavailable(refused_));
  }

  static ScannedPipe look_at(PipeId id) {
    const PipeScan scan = scanner_->scan();
    const ScannedPipe* pipe = pipe_in(scan, id);
    if (!pipe) throw std::runtime_error("the pipe is not in the scan");
    return *pipe;
  }

  static inline std::unique_ptr<PipeScanner> scanner_;
  static inline std::string refused_;
};

TEST_F(BpfPipeScanner, SaysWhatItIs) {
  const PipeScan scan = scanner_->scan();
  EXPECT_EQ(scan.source, ScanSource::bpf);
  EXPECT_EQ(scan.reason, "");
  EXPECT_EQ(scan.unreadable, 0u);
  EXPECT_TRUE(scan.idle_sockets);
  EXPECT_GT(scan.took_ns, 0u);
}

TEST_F(BpfPipeScanner, EndsOfForks) { check_ends_of_forks(*scanner_); }
TEST_F(BpfPipeScanner, Fifos) { check_fifos(*scanner_); }
TEST_F(BpfPipeScanner, BlockedEnds) { check_blocked_ends(*scanner_); }
TEST_F(BpfPipeScanner, BlockedBetween) { check_blocked_between(*scanner_); }
TEST_F(BpfPipeScanner, OtherWaits) { check_other_waits(*scanner_); }
TEST_F(BpfPipeScanner, Threads) { check_threads(*scanner_); }
TEST_F(BpfPipeScanner, ALockedPipe) { check_locked(*scanner_); }
TEST_F(BpfPipeScanner, AnEndedFirstThread) { check_ended_first_thread(*scanner_); }
TEST_F(BpfPipeScanner, WhoTheyAre) { check_who_they_are(*scanner_); }
TEST_F(BpfPipeScanner, Bytes) { check_bytes(*scanner_, 0); }
TEST_F(BpfPipeScanner, SomeProcesses) { check_some_processes(*scanner_); }
TEST_F(BpfPipeScanner, Parts) { check_parts(*scanner_); }
TEST_F(BpfPipeScanner, Cut) { check_cut(*scanner_); }
TEST_F(BpfPipeScanner, AProcessWithoutPipes) { check_process_without_pipe(*scanner_); }
TEST_F(BpfPipeScanner, NobodyNotices) { check_nobody_notices(*scanner_); }

// `head` closes its output before it exits.
TEST_F(BpfPipeScanner, ProgramsThatExitedAreListedOnce) {
  ASSERT_TRUE(scanner_->list_exits());
  TestPipe pipe;
  (void)scanner_->scan();
  Child program([&] {
    dup2(pipe.in.get(), 1);
    execl("/bin/sh", "sh", "-c", "exec head -c 50000 /dev/zero", nullptr);
    return 127;
  });
  ASSERT_EQ(program.wait(), 0);
  const auto listed = [&](ProcessId process) {
    const PipeScan scan = scanner_->scan();
    EXPECT_TRUE(std::ranges::is_sorted(scan.exited, {}, &ExitedProcess::process));
    std::vector<ExitedProcess> found;
    std::ranges::copy_if(scan.exited, std::back_inserter(found),
                         [&](const ExitedProcess& exited) { return exited.process == process; });
    return found;
  };
  const std::vector<ExitedProcess> exited = listed(program.id());
  ASSERT_EQ(exited.size(), 1u);
  EXPECT_EQ(exited[0].out, pipe.id);
  EXPECT_FALSE(exited[0].in && *exited[0].in == pipe.id);
  EXPECT_EQ(exited[0].written_bytes - exited[0].written_before, 50000u);
  EXPECT_GE(exited[0].read_bytes - exited[0].read_before, 50000u);
  EXPECT_TRUE(listed(program.id()).empty());

  // One that has run no program since, and was seen with a pipe.
  ForeignProcess writer([&] { pipe.put(1000); });
  ASSERT_TRUE(eventually([&] {
    const PipeScan scan = scanner_->scan();
    const ScannedTask* task = task_in(scan, writer.pid());
    return task && task->written_bytes >= 1000;
  }));
  writer.end();
  const std::vector<ExitedProcess> ended = listed(writer.id());
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_GE(ended[0].written_bytes, 1000u);
  EXPECT_FALSE(ended[0].in || ended[0].out);
}

TEST_F(BpfPipeScanner, OpenFilesAreCountedAndStayTheSame) {
  TestPipe pipe;
  const UniqueFd copy(fcntl(pipe.in.get(), F_DUPFD_CLOEXEC, 0));  // the same open file
  for (int i = 0; i < 100; ++i) {
    const ScannedPipe seen = look_at(pipe.id);
    EXPECT_EQ(seen.readers, 1u);
    EXPECT_EQ(seen.writers, 1u);
  }
  pipe.out.reset();
  EXPECT_EQ(look_at(pipe.id).readers, 0u);  // known by its write ends alone
}

TEST_F(BpfPipeScanner, TheRingIsTheKernels) {
  TestPipe pipe;
  char some[4096] = {};
  ScannedPipe seen = look_at(pipe.id);
  ASSERT_TRUE(seen.ring);
  EXPECT_EQ(seen.ring->slots, 16u);
  EXPECT_EQ(seen.ring->head, 0u);
  EXPECT_EQ(seen.ring->past_slots, 0u);  // nothing was ever in it
  for (int i = 0; i < 40; ++i) {
    pipe.put(100);
    ASSERT_EQ(read(pipe.out.get(), some, sizeof(some)), 100);
  }
  pipe.put(4096);
  pipe.put(50);
  seen = look_at(pipe.id);
  EXPECT_EQ(seen.ring->head, 42u);
  EXPECT_EQ(seen.ring->tail, 40u);
  EXPECT_EQ(seen.ring->queued_bytes, 4146u);
  // The last one may still grow.
  EXPECT_EQ(seen.ring->past_slots, 15u);
  EXPECT_EQ(seen.ring->past_bytes, 14u * 100 + 4096);
  ASSERT_EQ(read(pipe.out.get(), some, 1000), 1000);  // the half of a slot
  seen = look_at(pipe.id);
  EXPECT_EQ(seen.ring->past_bytes, 14u * 100 + 4096);
  EXPECT_EQ(seen.ring->queued_bytes, 3146u);
}

// Splice leaves other traces in the slots that it takes.
TEST_F(BpfPipeScanner, SlotsThatSpliceMovedTellWhatTheyHeld) {
  TestPipe from, to;
  for (int i = 0; i < 3; ++i) {
    from.put(300);
    ASSERT_EQ(splice(from.out.get(), nullptr, to.in.get(), nullptr, 4096, 0), 300);
  }
  const ScannedPipe source = look_at(from.id), sink = look_at(to.id);
  EXPECT_EQ(source.ring->past_slots, 3u);
  EXPECT_EQ(source.ring->past_bytes, 900u);
  EXPECT_EQ(sink.ring->queued_bytes, 900u);
  const UniqueFd null(open("/dev/null", O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(splice(to.out.get(), nullptr, null.get(), nullptr, 4096, 0), 900);
  EXPECT_EQ(look_at(to.id).ring->past_bytes, 900u);
}

TEST_F(BpfPipeScanner, LentPagesTellWhatTheyHold) {
  TestPipe pipe;
  alignas(4096) static char pages[3 * 4096];
  const iovec all = {pages, sizeof(pages)};
  ASSERT_EQ(vmsplice(pipe.in.get(), &all, 1, 0), ssize_t(sizeof(pages)));
  EXPECT_EQ(look_at(pipe.id).ring->past_bytes, sizeof(pages));
  char taken[5000];
  ASSERT_EQ(read(pipe.out.get(), taken, sizeof(taken)), 5000);
  const ScannedPipe seen = look_at(pipe.id);
  // The second one was read in part: what it held at first isn't known.
  EXPECT_EQ(seen.ring->past_slots, 2u);
  EXPECT_EQ(seen.ring->past_bytes, 2u * 4096);
  EXPECT_EQ(seen.ring->queued_bytes, sizeof(pages) - 5000);
}

// More records than one read of the kernel's buffer holds: each comes once, with its ring.
TEST_F(BpfPipeScanner, ManyPipes) {
  std::vector<TestPipe> pipes(400);
  for (size_t i = 0; i < pipes.size(); ++i) pipes[i].put(i + 1);
  const PipeScan scan = scanner_->scan();
  for (size_t i = 0; i < pipes.size(); ++i) {
    const ScannedPipe* seen = pipe_in(scan, pipes[i].id);
    ASSERT_TRUE(seen) << i;
    EXPECT_EQ(seen->ends.size(), 2u) << i;
    ASSERT_TRUE(seen->ring) << i;
    EXPECT_EQ(seen->ring->queued_bytes, i + 1);
  }
}

// What they moved counts as its own, for the kernel.
TEST_F(BpfPipeScanner, WhoHasWaitedForAChildTellsNoBytes) {
  TestPipe pipe, wait;
  const auto write_and_wait = [&] {
    (void)!write(pipe.in.get(), "some", 4);
    char c;
    (void)!read(wait.out.get(), &c, 1);
    return 0;
  };
  const Child alone(write_and_wait);
  const Child parent([&] {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    return write_and_wait();
  });
  const auto written = [&](const Child& child) {
    const PipeScan scan = scanner_->scan();
    const ScannedTask* task = task_in(scan, child.pid());
    return task && task->wait == WaitsFor::pipe_read ? std::optional(task->written_bytes)
                                                     : std::nullopt;
  };
  EXPECT_TRUE(eventually([&] { return written(alone) == 4u; }));
  EXPECT_TRUE(eventually([&] { return written(parent).has_value(); }));
  EXPECT_EQ(written(parent), 0u);
}

// Both sides count, in a scan of everything while data moves, and once more.
TEST_F(BpfPipeScanner, SidesAreCounted) {
  TestPipe pipe, answer;
  Child writer([&] {
    pipe.out.reset();
    answer.in.reset();
    char c;
    while (read(answer.out.get(), &c, 1) == 1) pipe.put(1000);
    return 0;
  });
  Child reader([&] {
    pipe.in.reset();
    answer.close();
    char taken[1000];
    while (read(pipe.out.get(), taken, sizeof(taken)) > 0) continue;
    return 0;
  });
  pipe.close();
  const std::vector<ProcessId> both = {id_of_process(writer.pid()), id_of_process(reader.pid())};
  std::optional<SideBytes> sides;
  const auto look = [&] {
    const PipeScan scan = scanner_->scan(both);
    const ScannedPipe* seen = pipe_in(scan, pipe.id);
    sides = seen->ring->sides;
    return seen->queued == 0u && task_in(scan, reader.pid())->wait == WaitsFor::pipe_read &&
           task_in(scan, writer.pid())->wait == WaitsFor::pipe_read;
  };
  ASSERT_TRUE(eventually([&] { return look() && sides; }));
  const auto has_sides = [&] {
    return pipe_in(scanner_->scan(), pipe.id)->ring->sides.has_value();
  };
  ASSERT_EQ(write(answer.in.get(), "12", 2), 2);
  const uint64_t begun = sides->read;
  ASSERT_TRUE(eventually([&] { return look() && sides && sides->read == begun + 2000; }));
  const SideBytes before = *sides;
  EXPECT_TRUE(eventually([&] { return !has_sides(); }));
  ASSERT_EQ(write(answer.in.get(), "123", 3), 3);
  ASSERT_TRUE(eventually([&] { return look() && sides && sides->read == before.read + 3000; }));
  EXPECT_EQ(sides->written, before.written + 3000);
  EXPECT_EQ(sides->holders, before.holders);
}

// ---- against /proc ---------------------------------------------------------

using Descriptor = std::tuple<uint64_t, pid_t, int>;  // of a pipe without a name, by its inode

std::set<Descriptor> pipes_by_proc() {
  std::set<Descriptor> descriptors;
  std::error_code gone;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = process.path().filename();
    if (pid.find_first_not_of("0123456789") != pid.npos) continue;
    std::filesystem::directory_iterator fds(process.path() / "fd", gone), end;
    for (; !gone && fds != end; fds.increment(gone)) {
      const std::string name = std::filesystem::read_symlink(fds->path(), gone);
      if (name.starts_with("pipe:["))
        descriptors.emplace(std::stoull(name.substr(6)), std::stoi(pid),
                            std::stoi(fds->path().filename()));
    }
  }
  return descriptors;
}

std::set<Descriptor> pipes_of_scan(const PipeScan& scan, uint32_t device) {
  std::set<Descriptor> descriptors;
  for (const ScannedPipe& pipe : scan.pipes)
    for (const PipeEnd& end : pipe.ends)
      if (pipe.id.device == device) descriptors.emplace(pipe.id.inode, end.process.pid, end.fd);
  return descriptors;
}

TEST_F(BpfPipeScanner, SeesWhatProcShows) {
  TestPipe pipe;
  const Child child([] { return pause(); });
  EXPECT_TRUE(eventually([&] {
    const auto before = pipes_by_proc();
    const auto scan = pipes_of_scan(scanner_->scan(), pipe.id.device);
    const auto after = pipes_by_proc();
    for (const Descriptor& descriptor : before) {
      const auto [inode, pid, fd] = descriptor;
      if (!after.contains(descriptor)) continue;
      EXPECT_TRUE(scan.contains(descriptor)) << "pipe:[" << inode << "] of process " << pid;
    }
    // Others may come and go in between; not always.
    return std::ranges::all_of(scan, [&](const Descriptor& descriptor) {
      return before.contains(descriptor) || after.contains(descriptor);
    });
  }));
}

// ---- sockets ---------------------------------------------------------------

// Whether so many more are idle while those of `make` are open. Others may come at the same time.
bool adds_idle(PipeScanner& scanner, int expected,
               const std::function<std::vector<UniqueFd>()>& make) {
  return eventually([&] {
    const auto before = scanner.scan().idle_sockets;
    const auto held = make();
    const auto after = scanner.scan().idle_sockets;
    return before && after && int(*after) - int(*before) == expected;
  });
}

std::vector<UniqueFd> socket_pair(int type = SOCK_STREAM) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), 0);
  std::vector<UniqueFd> held;
  for (const int end : ends) held.emplace_back(end);
  return held;
}

TEST_F(BpfPipeScanner, SocketpairsWithoutDataAreCounted) {
  EXPECT_TRUE(adds_idle(*scanner_, 1, [] {
    std::vector<UniqueFd> held = socket_pair();
    for (const int i : {0, 1}) held.emplace_back(fcntl(held[i].get(), F_DUPFD_CLOEXEC, 0));
    return held;
  }));
  EXPECT_TRUE(adds_idle(*scanner_, 0, [] { return socket_pair(SOCK_DGRAM); }));
}

TEST_F(BpfPipeScanner, HalfASocketpairIsNone) {
  EXPECT_TRUE(adds_idle(*scanner_, 0, [] {
    std::vector<UniqueFd> held = socket_pair();
    held.pop_back();
    return held;
  }));
}

const ScannedPipe* socket_at(const PipeScan& scan, int fd, bool writing) {
  const auto is_it = [&](const PipeEnd& end) {
    return end.process.pid == getpid() && end.fd == fd && (end.access == Access::write) == writing;
  };
  for (const ScannedPipe& pipe : scan.pipes)
    if (pipe.socket && std::ranges::any_of(pipe.ends, is_it)) return &pipe;
  return nullptr;
}

TEST_F(BpfPipeScanner, ASocketpairWithDataIsAPipe) {
  const std::vector<UniqueFd> pair = socket_pair();
  ASSERT_EQ(write(pair[0].get(), "x", 1), 1);
  const PipeScan scan = scanner_->scan();
  const ScannedPipe* edge = socket_at(scan, pair[0].get(), true);
  ASSERT_TRUE(edge);
  EXPECT_EQ(socket_at(scan, pair[1].get(), false), edge);
  EXPECT_EQ(socket_at(scan, pair[1].get(), true), nullptr) << "nothing goes back";
  EXPECT_FALSE(edge->socket->tcp);
  EXPECT_FALSE(edge->socket->empty);
  EXPECT_FALSE(edge->socket->full);
  int memory = 0;
  ASSERT_EQ(ioctl(pair[0].get(), SIOCOUTQ, &memory), 0);
  EXPECT_EQ(edge->queued, uint64_t(memory)) << "as the kernel accounts for it";
  char byte = 0;
  ASSERT_EQ(read(pair[1].get(), &byte, 1), 1);
  const PipeScan later = scanner_->scan();
  ASSERT_TRUE(socket_at(later, pair[0].get(), true));
  EXPECT_TRUE(socket_at(later, pair[0].get(), true)->socket->empty);
}

// Who connects, and who accepts.
std::vector<UniqueFd> connection() {
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(listener.get(), 1), 0);
  EXPECT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(connect(client.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  std::vector<UniqueFd> held;
  held.push_back(std::move(client));
  held.emplace_back(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  return held;
}

TEST_F(BpfPipeScanner, AConnectionIsNoByteOfData) {
  EXPECT_TRUE(adds_idle(*scanner_, 1, connection));
  for (const size_t from : {0u, 1u}) {
    const std::vector<UniqueFd> pair = connection();
    ASSERT_EQ(write(pair[from].get(), "12345", 5), 5);
    char bytes[8];
    ASSERT_EQ(read(pair[1 - from].get(), bytes, sizeof bytes), 5);
    EXPECT_TRUE(eventually([&] {
      const PipeScan scan = scanner_->scan();
      const ScannedPipe* edge = socket_at(scan, pair[from].get(), true);
      return edge && edge->socket->bytes == 5u;
    })) << from;
  }
}

TEST_F(BpfPipeScanner, AFullSocket) {
  const std::vector<UniqueFd> pair = socket_pair();
  const std::string block(4096, 'x');
  while (send(pair[0].get(), block.data(), block.size(), MSG_DONTWAIT) > 0) continue;
  const PipeScan scan = scanner_->scan();
  const ScannedPipe* edge = socket_at(scan, pair[0].get(), true);
  ASSERT_TRUE(edge);
  EXPECT_TRUE(edge->socket->full);
  EXPECT_FALSE(edge->socket->writable);
}

// A connection to a listener with this name, byte by byte; and something to read.
std::vector<UniqueFd> connected_to(std::string_view name) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  const auto length = socklen_t(offsetof(sockaddr_un, sun_path) + name.size());
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  std::vector<UniqueFd> held;
  for (int i = 0; i < 2; ++i) held.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(bind(held[0].get(), any, length), 0) << strerror(errno);
  EXPECT_EQ(listen(held[0].get(), 1), 0);
  EXPECT_EQ(connect(held[1].get(), any, length), 0) << strerror(errno);
  held.emplace_back(accept(held[0].get(), nullptr, nullptr));
  EXPECT_EQ(write(held[1].get(), "x", 1), 1);
  return held;
}

// What the kernel keeps behind a name is not our user's business.
TEST_F(BpfPipeScanner, NamesOfSocketsAreAsLongAsTheyAre) {
  using namespace std::literals;
  const std::string own = "\0pipetop-test-"s + std::to_string(getpid());  // "@..." of 20 or so
  const auto padded = [&](size_t bytes) { return own + std::string(bytes - own.size(), '.'); };
  const auto shown = [](std::string name) {
    std::ranges::replace(name, '\0', '@');
    return name.size() <= 32 ? name : "@..." + name.substr(name.size() - 32);
  };
  // Freed, so that the kernel keeps the names that follow where these were.
  std::vector<std::vector<UniqueFd>> before;
  for (char c = 'a'; c <= 'z'; ++c)
    for (const size_t bytes : {23, 40, 60, 100}) before.push_back(connected_to(padded(bytes) + c));
  before.clear();
  std::vector<std::string> names = {own, padded(31), padded(32), padded(33), padded(108)};
  for (char c = 'A'; c <= 'Z'; ++c) {
    names.push_back(own + c);
    names.push_back("\0"s + own + "\0"s + c + "\0"s);
  }
  // Somebody may have one so short; most of them nobody has.
  for (char c = 1; c <= 3; ++c) names.push_back("\0"s + c);
  std::vector<std::vector<UniqueFd>> connections;
  for (const std::string& name : names) connections.push_back(connected_to(name));
  const PipeScan scan = scanner_->scan();
  for (size_t i = 0; i < names.size(); ++i) {
    const ScannedPipe* edge = socket_at(scan, connections[i][1].get(), true);
    ASSERT_TRUE(edge) << i;
    EXPECT_EQ(edge->socket->name, one_line(shown(names[i]))) << i;
  }
}

TEST_F(BpfPipeScanner, NamesOfSocketsThatAreFiles) {
  const ScratchDirectory scratch;
  const std::vector<UniqueFd> unnamed = socket_pair();
  ASSERT_EQ(write(unnamed[0].get(), "x", 1), 1);
  // The longest is all of sun_path, without a NUL.
  for (const size_t bytes : {scratch.file("s").size(), size_t{32}, size_t{33}, size_t{108}}) {
    std::string path = scratch.file("s");
    path.resize(std::max(bytes, path.size()), '.');
    const std::vector<UniqueFd> connection = connected_to(path);
    const PipeScan scan = scanner_->scan();
    const ScannedPipe* edge = socket_at(scan, connection[1].get(), true);
    ASSERT_TRUE(edge) << bytes;
    EXPECT_EQ(edge->socket->name, path.size() <= 32 ? path : "..." + path.substr(path.size() - 32));
    EXPECT_EQ(socket_at(scan, unnamed[0].get(), true)->socket->name, "");
  }
}

TEST_F(BpfPipeScanner, TcpOfThisMachine) {
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener.get(), any, length), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), any, &length), 0);
  const UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(connect(client.get(), any, length), 0);
  const UniqueFd server(accept(listener.get(), nullptr, nullptr));
  ASSERT_TRUE(server);
  const std::string text(1000, 'x');
  ASSERT_EQ(write(client.get(), text.data(), text.size()), 1000);
  // An acknowledgement may take its time.
  ASSERT_TRUE(eventually([&] {
    const PipeScan scan = scanner_->scan();
    const ScannedPipe* edge = socket_at(scan, client.get(), true);
    return edge && edge->socket->bytes == 1000u;
  }));
  const PipeScan scan = scanner_->scan();
  const ScannedPipe* edge = socket_at(scan, client.get(), true);
  EXPECT_EQ(socket_at(scan, server.get(), false), edge);
  EXPECT_EQ(edge->socket->name, "127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  EXPECT_EQ(edge->queued, 1000u) << "not read yet";
  EXPECT_FALSE(edge->socket->empty);
}

// ---- namespaces ------------------------------------------------------------

// In a container numbers are those of the container, and nobody outside is seen.
TEST_F(BpfPipeScanner, NumbersAreThoseOfOurNamespace) {
  TestPipe outside;
  Child container([&] {
    outside.close();
    if (unshare(CLONE_NEWPID) != 0) return 2;
    const pid_t first = fork();
    if (first != 0) {
      int status = -1;
      waitpid(first, &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
    }
    TestPipe inside;
    const PipeScan scan = make_bpf_pipe_scanner()->scan();
    const ScannedPipe* seen = pipe_in(scan, inside.id);
    if (!seen || seen->ends.size() != 2 || pipe_in(scan, outside.id)) _exit(4);
    if (getpid() != 1 || seen->ends[0].process.pid != 1) _exit(5);
    const ScannedTask* self = task_in(scan, 1);
    if (!self || self->parent != 0 || !self->running) _exit(6);
    const ProcessId process = seen->ends[0].process;
    if (make_bpf_pipe_scanner()->scan(std::span(&process, 1)).pipes.empty()) _exit(7);
    _exit(0);
  });
  ASSERT_TRUE(eventually([&] { return container.ended(); }));
  EXPECT_EQ(container.ending(), 0);
}

}  // namespace
}  // namespace pipetop::observe
