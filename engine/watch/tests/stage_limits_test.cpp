// What limits a stage: from this machine, and from texts.
#include "engine/watch/stage_limits.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "engine/base/clock.h"
#include "engine/base/handles.h"

namespace pipetop {
namespace {

TEST(StageLimits, CallsAndIdleCpusBetweenTwoReadings) {
  LimitTotals before, after;
  before.io = ProcessIo{.read_bytes = 1000, .written_bytes = 0, .reads = 10, .writes = 0};
  after.at_ns = 2 * kSecond;
  after.io = ProcessIo{.read_bytes = 1400, .written_bytes = 0, .reads = 30, .writes = 0};
  before.cpu = {.total = 100, .steal = 0, .idle = 50};
  after.cpu = {.total = 300, .steal = 0, .idle = 150};
  const StageLimits limits = limits_between(before, after);
  EXPECT_EQ(limits.reads->per_s, 10);
  EXPECT_EQ(limits.reads->bytes, 20);
  EXPECT_EQ(limits.writes->per_s, 0);
  EXPECT_EQ(*limits.idle_cpus, 0.5 * double(sysconf(_SC_NPROCESSORS_ONLN)));
  EXPECT_FALSE(limits.quota || limits.disk || limits.socket || limits.child);
}

TEST(KnownQuotas, AreReadOnceForAllThatAreInACgroup) {
  uint64_t reads = 0;
  KnownQuotas quotas([&](const std::string& memberships) -> std::vector<QuotaTotals> {
    if (memberships.empty()) return {};
    ++reads;
    return {{"/a/b", 2, reads * 10, reads * 10}, {"/a", 0.5, reads * 10, reads * 4}};
  });
  EXPECT_FALSE(quotas.of("", kSecond, kSecond).cpus);
  const auto first = quotas.of("0::/a/b", kSecond, kSecond);
  EXPECT_EQ(first.cpus, 0.5) << "the tightest";
  EXPECT_FALSE(first.throttling) << "there is nothing to compare with";
  EXPECT_FALSE(quotas.of("0::/a/b", 2 * kSecond - 1, kSecond).throttling);
  EXPECT_EQ(reads, 1u);
  const auto second = quotas.of("0::/a/b", 2 * kSecond, kSecond);
  EXPECT_EQ(reads, 2u);
  ASSERT_TRUE(second.throttling);
  EXPECT_EQ(second.throttling->cgroup, "/a/b") << "the one that stopped it most";
  EXPECT_EQ(second.throttling->share, 1);
  quotas.forget(3 * kSecond);
  EXPECT_FALSE(quotas.of("0::/a/b", 3 * kSecond, kSecond).throttling);
}

TEST(StageLimits, NothingFromOneReadingAlone) {
  const LimitTotals totals = read_limits(getpid(), WaitsFor::none);
  const StageLimits limits = limits_between(totals, totals);
  EXPECT_FALSE(limits.reads || limits.writes || limits.idle_cpus);
}

TEST(StageLimits, TheQueueOfItsSocket) {
  const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(server.get(), name, length), 0);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  ASSERT_EQ(::getsockname(server.get(), name, &length), 0);
  const UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  (void)::connect(client.get(), name, length);
  const UniqueFd peer(::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC));
  ASSERT_TRUE(peer);
  // Nobody reads: the queues fill.
  std::string block(65536, 'x');
  while (::write(client.get(), block.data(), block.size()) > 0) continue;
  struct stat file;
  ASSERT_EQ(::fstat(client.get(), &file), 0);
  const auto socket =
      parse_tcp(read_proc_file(getpid(), "net/tcp", 1 << 20), uint64_t(file.st_ino));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->peer, "127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  EXPECT_GT(socket->to_send, 0u);
}

TEST(StageLimits, TextsOfSockets) {
  const std::string text =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:0016 01 "
      "00000000:00000010 00:00000000 00000000     0        0 4711 1 0\n"
      "   1: 0100007F:1F90 bad 01 0:0 00:0 0 0 0 4712\n"
      "   2: 0100007F:1F90 00000000:0000 0A 0:0 00:0 0 0 0 4714\n";
  const auto socket = parse_tcp(text, 4711);
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->peer, "[::1]:22");
  EXPECT_EQ(socket->to_read, 16u);
  EXPECT_FALSE(parse_tcp(text, 4712));
  EXPECT_FALSE(parse_tcp(text, 4713));
  EXPECT_FALSE(parse_tcp(text, 4714)) << "it listens";
}

TEST(StageLimits, AFileThatIsOpenToBeSynced) {
  const std::string path = testing::TempDir() + "pipetop-dsync";
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_DSYNC, 0600));
  ASSERT_TRUE(file);
  const LimitTotals totals = read_limits(getpid(), WaitsFor::disk);
  ::unlink(path.c_str());
  if (!totals.disk) GTEST_SKIP() << "no device behind " << testing::TempDir();
  EXPECT_EQ(totals.disk->flags, "O_DSYNC");
  EXPECT_FALSE(totals.disk->read_only);
  EXPECT_TRUE(totals.disk_busy_ms);
}

}  // namespace
}  // namespace pipetop
