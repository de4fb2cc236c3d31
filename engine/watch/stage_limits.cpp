#include "engine/watch/stage_limits.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <tuple>

#include "engine/base/clock.h"
#include "engine/base/system_files.h"
#include "engine/base/text.h"
#include "engine/observe/poll_set.h"
#include "engine/observe/waits.h"

namespace pipetop {
namespace {

constexpr size_t kLongestList = 1 << 20;  // bytes of a list of sockets or mounts

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

// How a descriptor was opened, if that makes each call wait for the disk.
std::string sync_flags(const std::string& info) {
  const auto flags = keyed_number(info, "flags", 8).value_or(0);
  if ((flags & O_DIRECT) != 0) return "O_DIRECT";
  if ((flags & O_SYNC) == O_SYNC) return "O_SYNC";
  return (flags & O_DSYNC) != 0 ? "O_DSYNC" : "";
}

bool may_write(const std::string& info) {
  return (keyed_number(info, "flags", 8).value_or(0) & O_ACCMODE) != O_RDONLY;
}

// The folder of the device below a file system, or of a device that is open itself; "" if there is
// none, as for pipes and for file systems of a network or in memory. The file itself is not asked:
// its server may never answer.
std::string device_folder(const std::string& mounts, const std::string& info,
                          const std::string& path) {
  constexpr std::string_view kDevices = "/dev/";
  if (path.starts_with(kDevices)) return "/sys/class/block/" + path.substr(kDevices.size());
  const auto mount = keyed_number(info, "mnt_id");
  for (const std::string& line : split(mounts, '\n')) {
    // id, parent, device, ... (proc_pid_mountinfo(5))
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() > 2 && mount && parse_all<uint64_t>(fields[0]) == mount)
      return "/sys/dev/block/" + fields[2];
  }
  return {};
}

// The first file on a disk with such flags, else the first that may be written to, else the first.
void find_disk(pid_t pid, LimitTotals& totals) {
  const std::string mounts = read_proc_file(pid, "mountinfo", kLongestList);
  for (int fd = 0; fd < kAskedFds; ++fd) {
    const std::string info = read_proc_file(pid, fmt::format("fdinfo/{}", fd));
    std::string flags = sync_flags(info);
    const bool read_only = !may_write(info);
    if (info.empty() || (totals.disk && flags.empty() && (read_only || !totals.disk->read_only)))
      continue;
    const std::string folder = device_folder(mounts, info, link_of(pid, fd));
    const std::string link = folder.empty() ? "" : read_link(folder);
    if (link.empty()) continue;
    const std::vector<std::string> figures = fields_of(read_head(folder + "/stat"));
    constexpr size_t kBusyMs = 9;  // Documentation/block/stat.rst
    if (figures.size() > kBusyMs) totals.disk_busy_ms = parse_all<uint64_t>(figures[kBusyMs]);
    totals.disk = DiskUse{std::filesystem::path(link).filename(), std::move(flags), {}, read_only};
    if (!totals.disk->flags.empty()) return;
  }
}

WaitsFor blocked_in(const std::optional<observe::SystemCall>& call) {
  if (!call) return WaitsFor::none;
  if (call->kind() == STAGE_WRITE) return WaitsFor::pipe_write;
  return call->kind() == STAGE_READ ? WaitsFor::pipe_read : WaitsFor::none;
}

// Those that its first thread waits at; none if that can't be told.
std::vector<int> waited_at(pid_t pid) {
  std::vector<int> fds;
  if (const auto polled = observe::poll_set_of(pid, pid)) {
    for (const observe::Polled& one : *polled) fds.push_back(one.fd);
  } else if (const auto call = observe::parse_system_call(read_proc_file(pid, "syscall"))) {
    if (blocked_in(call) != WaitsFor::none) fds.push_back(call->fd(0));
  }
  return fds;
}

// The connection that it waits at, else the one with most in its queues.
void find_socket(pid_t pid, LimitTotals& totals) {
  std::vector<std::string> lists;
  for (const char* list : {"net/tcp", "net/tcp6"})
    lists.push_back(read_proc_file(pid, list, kLongestList));
  const std::vector<int> waits = waited_at(pid);
  std::tuple<bool, uint64_t> best;
  for (int fd = 0; fd < kAskedFds; ++fd) {
    const auto [wait, inode, named] = observe::descriptor_wait(link_of(pid, fd), {});
    if (wait != WaitsFor::network || inode == 0) continue;
    for (const std::string& list : lists) {
      auto socket = parse_tcp(list, inode);
      if (!socket) continue;
      const std::tuple rank = {std::ranges::find(waits, fd) != waits.end(),
                               socket->to_send + socket->to_read};
      if (totals.socket && rank <= best) continue;
      totals.socket = std::move(socket);
      best = rank;
    }
  }
}

void find_child(pid_t pid, LimitTotals& totals) {
  for (const pid_t child : children_of(pid)) {
    const auto stat = read_task_stat(child);
    if (!stat || (totals.child && stat->cpu_ticks < totals.child_cpu_ticks)) continue;
    totals.child_cpu_ticks = stat->cpu_ticks;
    totals.child =
        NamedProcess{printable(stat->name.data()), child,
                     blocked_in(observe::parse_system_call(read_proc_file(child, "syscall")))};
  }
}

// "0100007F:0016": words of 4 bytes as this machine has them.
std::string address_text(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return {};
  std::array<uint32_t, 4> words{};
  size_t count = 0;
  for (size_t at = 0; at + 8 <= colon && count < words.size(); at += 8)
    if (std::sscanf(std::string(text.substr(at, 8)).c_str(), "%8" SCNx32, &words[count++]) != 1)
      return {};
  unsigned port = 0;
  std::array<char, INET6_ADDRSTRLEN> address{};
  if (std::sscanf(std::string(text.substr(colon + 1)).c_str(), "%4x", &port) != 1 ||
      !inet_ntop(count > 1 ? AF_INET6 : AF_INET, words.data(), address.data(), address.size()))
    return {};
  return count > 1 ? fmt::format("[{}]:{}", address.data(), port)
                   : fmt::format("{}:{}", address.data(), port);
}

std::optional<CallRate> calls_between(uint64_t calls, uint64_t bytes, uint64_t ns) {
  if (ns == 0) return {};
  return CallRate{double(calls) * double(kSecond) / double(ns),
                  calls == 0 ? 0 : double(bytes) / double(calls)};
}

}  // namespace

std::optional<SocketQueues> parse_tcp(std::string_view text, uint64_t inode) {
  for (const std::string& line : split(text, '\n')) {
    // sl, local, remote, state, tx_queue:rx_queue, tr:when, retransmits, uid, timeout, inode
    const std::vector<std::string> fields = fields_of(line);
    constexpr size_t kRemote = 2, kState = 3, kQueues = 4, kInode = 9;
    constexpr std::string_view kListens = "0A";
    SocketQueues socket;
    if (fields.size() <= kInode || parse_all<uint64_t>(fields[kInode]) != inode ||
        fields[kState] == kListens ||
        std::sscanf(fields[kQueues].c_str(), "%" SCNx64 ":%" SCNx64, &socket.to_send,
                    &socket.to_read) != 2)
      continue;
    socket.peer = address_text(fields[kRemote]);
    if (!socket.peer.empty()) return socket;
  }
  return {};
}

LimitTotals read_limits(pid_t pid, WaitsFor wait) {
  LimitTotals totals;
  totals.io = read_process_io(pid);
  totals.cpu = read_cpu_times();
  if (wait == WaitsFor::disk) find_disk(pid, totals);
  if (wait == WaitsFor::network || wait == WaitsFor::poll) find_socket(pid, totals);
  if (wait == WaitsFor::child) find_child(pid, totals);
  return totals;
}

StageLimits limits_between(const LimitTotals& before, const LimitTotals& after) {
  StageLimits limits;
  const uint64_t ns = after.at_ns - std::min(after.at_ns, before.at_ns);
  if (before.io && after.io && after.io->reads >= before.io->reads &&
      after.io->writes >= before.io->writes) {
    limits.reads = calls_between(after.io->reads - before.io->reads,
                                 after.io->read_bytes - before.io->read_bytes, ns);
    limits.writes = calls_between(after.io->writes - before.io->writes,
                                  after.io->written_bytes - before.io->written_bytes, ns);
  }
  const uint64_t jiffies = after.cpu.total - std::min(after.cpu.total, before.cpu.total);
  if (jiffies > 0 && after.cpu.idle >= before.cpu.idle)
    limits.idle_cpus = double(after.cpu.idle - before.cpu.idle) / double(jiffies) *
                       double(sysconf(_SC_NPROCESSORS_ONLN));
  limits.disk = after.disk;
  if (limits.disk && before.disk_busy_ms && after.disk_busy_ms && ns > 0)
    limits.disk->busy = std::clamp(
        double(*after.disk_busy_ms - *before.disk_busy_ms) * double(kMs) / double(ns), 0.0, 1.0);
  limits.socket = after.socket;
  limits.child = after.child;
  const bool stands = before.child && after.child && before.child->pid == after.child->pid &&
                      before.child->blocked == after.child->blocked &&
                      before.child_cpu_ticks == after.child_cpu_ticks;
  if (limits.child && !stands) limits.child->blocked = WaitsFor::none;
  return limits;
}

const KnownQuotas::Quota& KnownQuotas::of(const std::string& memberships, uint64_t now_ns,
                                          uint64_t most_ns) {
  const auto [found, is_new] = known_.try_emplace(memberships);
  Known& known = found->second;
  if (!is_new && now_ns < known.read_ns + most_ns) return known.quota;
  known.read_ns = now_ns;
  const std::vector<QuotaTotals> before = std::exchange(known.totals, read_(memberships));
  known.quota = {{}, throttling_between(before, known.totals).value};
  for (const QuotaTotals& one : known.totals)
    known.quota.cpus = std::min(known.quota.cpus.value_or(one.cpus), one.cpus);
  return known.quota;
}

}  // namespace pipetop
