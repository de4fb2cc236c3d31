#include "engine/observe/pipe_scanner.h"

#include <fcntl.h>
#include <pipes.skel.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "bpf/pipes.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/observe/held_ends.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/side_bytes.h"
#include "engine/observe/task_wait.h"

namespace pipetop::observe {
namespace {

// The kernel's TASK_... and EXIT_..., the same in all versions that we know of.
constexpr uint32_t kUninterruptible = 0x2, kStopped = 0x4, kTraced = 0x8;
constexpr uint32_t kEnded = 0x10 | 0x20 | 0x80;  // EXIT_DEAD, EXIT_ZOMBIE, TASK_DEAD
constexpr uint32_t kWakes = 0x200 | 0x800;       // TASK_WAKING, TASK_NEW
constexpr uint32_t kIdle = 0x400;                // TASK_NOLOAD: sleeps like this are not counted
constexpr uint32_t kFrozen = 0x8000;
constexpr uint32_t kCanRead = 1, kCanWrite = 2;

// Each process takes two descriptors, and of more a pass over all takes no longer.
constexpr size_t kMostLinked = 256;

// What an iterator writes, in memory that is used again.
template <class Record>
class Records {
 public:
  void clear() { bytes_ = 0; }

  // All of one pass, behind what is there. False, with errno set, on failure.
  bool add(const Link& iterator) {
    const UniqueFd pass(bpf_iter_create(bpf_link__fd(iterator.get())));
    if (!pass) return false;
    while (true) {
      if (room() < kLeastRoom) records_.resize(records_.size() * 2 + kLeastRoom / sizeof(Record));
      char* end = reinterpret_cast<char*>(records_.data()) + bytes_;
      const ssize_t n = read(pass.get(), end, room());
      if (n == 0) return true;
      if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
      bytes_ += static_cast<size_t>(std::max<ssize_t>(n, 0));
    }
  }

  std::span<const Record> all() const { return {records_.data(), bytes_ / sizeof(Record)}; }

 private:
  // Of the kernel's buffer.
  static constexpr size_t kLeastRoom = 32 * 1024;

  size_t room() const { return records_.size() * sizeof(Record) - bytes_; }

  std::vector<Record> records_;
  size_t bytes_ = 0;
};

PipeEnd end_of(const pipes_end& record) {
  const bool reads = (record.mode & kCanRead) != 0, writes = (record.mode & kCanWrite) != 0;
  return {.process = {static_cast<pid_t>(record.pid), ticks_of(record.start_ns)},
          .fd = static_cast<int>(record.fd),
          .access = reads && writes ? Access::both
                    : reads         ? Access::read
                                    : Access::write,
          .nonblocking = (record.flags & O_NONBLOCK) != 0};
}

ScannedTask task_of(const pipes_task& record) {
  ScannedTask task;
  task.process = {static_cast<pid_t>(record.pid), ticks_of(record.start_ns)};
  task.tid = static_cast<pid_t>(record.tid);
  task.parent = static_cast<pid_t>(record.parent);
  task.group = static_cast<pid_t>(record.group);
  task.session = static_cast<pid_t>(record.session);
  task.comm.assign(record.comm, strnlen(record.comm, sizeof(record.comm)));
  task.zombie = (record.state & kEnded) != 0;
  task.running = record.on_cpu != 0 && !task.zombie;
  task.runnable =
      !task.running && !task.zombie && (record.state == 0 || (record.state & kWakes) != 0);
  task.cpu_ns = record.cpu_ns;
  task.read_bytes = record.read_bytes;
  task.written_bytes = record.written_bytes;
  return task;
}

Sleep sleep_of(const pipes_task& record) {
  if (record.frozen || (record.state & (kStopped | kTraced | kFrozen))) return Sleep::stopped;
  if (record.io_wait) return Sleep::device;
  const bool uninterruptible = (record.state & (kUninterruptible | kIdle)) == kUninterruptible;
  return uninterruptible ? Sleep::uninterruptible : Sleep::interruptible;
}

class BpfPipeScanner final : public PipeScanner {
 public:
  BpfPipeScanner() {
    skeleton_ = load_skeleton<pipes_bpf>("the list of pipes", [](pipes_bpf& pipes) {
      pipes.rodata->page_bytes = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
    });
    all_ = attach(0);
  }

  PipeScan scan() override {
    begin(true);
    add(all_);
    return result([](ProcessId) { return true; });
  }

  PipeScan scan(std::span<const ProcessId> processes) override {
    const std::set<ProcessId> wanted(processes.begin(), processes.end());
    const bool one_by_one = wanted.size() <= kMostLinked;
    std::erase_if(each_,
                  [&](const auto& entry) { return !one_by_one || !wanted.contains(entry.first); });
    begin(false);
    if (!one_by_one) add(all_);
    for (const ProcessId process : wanted) {
      if (!one_by_one) break;
      auto known = each_.find(process);
      if (known == each_.end()) known = each_.emplace(process, attach(process.pid)).first;
      add(known->second);
    }
    PipeScan scan = result([&](ProcessId process) { return wanted.contains(process); });
    scan.socketpairs.reset();  // those of the machine are not known
    return scan;
  }

 private:
  struct Links {
    Link ends, tasks;
  };

  // Over one process, or all for 0.
  Links attach(pid_t pid) {
    begin_libbpf_log();
    Links links = {attach_to_process(skeleton_->progs.list_ends, pid),
                   attach_to_process(skeleton_->progs.list_tasks, pid)};
    if (!links.ends || !links.tasks) throw_refused("attach the list of pipes", errno);
    return links;
  }

  void add(const Links& links) {
    if (!ends_.add(links.ends)) throw SystemError("list of the pipes' ends", errno);
    if (!tasks_.add(links.tasks)) throw SystemError("list of threads", errno);
  }

  void begin(bool holders_only) {
    began_ns_ = std::max(monotonic_ns(), began_ns_ + 1);  // which tells passes apart
    ends_.clear();
    tasks_.clear();
    skeleton_->bss->pass = began_ns_;
    skeleton_->bss->hidden = 0;
    skeleton_->bss->holders_only = holders_only;
  }

  template <class Wanted>
  PipeScan result(const Wanted& is_wanted) {
    PipeScan scan;
    scan.source = ScanSource::bpf;
    scan.unreadable = skeleton_->bss->hidden;
    take_ends(scan, is_wanted);
    take_tasks(scan, is_wanted);
    scan.at_ns = monotonic_ns();
    scan.took_ns = scan.at_ns - began_ns_;
    names_.forget_old(scan.at_ns);
    return scan;
  }

  template <class Wanted>
  void take_ends(PipeScan& scan, const Wanted& is_wanted) {
    std::vector<uint64_t> pairs;
    held_.clear();
    held_.reserve(ends_.all().size());
    for (const pipes_end& record : ends_.all()) {
      if (record.kind == PIPES_SOCKETPAIR) {
        pairs.push_back(record.inode);
        continue;
      }
      HeldEnd held;
      held.pipe = {device_of(record.device >> 20, record.device & 0xfffff), record.inode};
      held.end = end_of(record);
      held.ring = record.ring.at_ns != 0 ? &record.ring : nullptr;
      if (is_wanted(held.end.process)) held_.push_back(held);
    }
    sort_ends(held_);
    scan.pipes = pipes_of(held_);
    std::sort(pairs.begin(), pairs.end());
    const auto distinct = std::unique(pairs.begin(), pairs.end()) - pairs.begin();
    if (skeleton_->data->knows_sockets) scan.socketpairs = static_cast<uint32_t>(distinct);
  }

  template <class Wanted>
  void take_tasks(PipeScan& scan, const Wanted& is_wanted) {
    std::vector<ProcessId> holders;
    for (const HeldEnd& held : held_)
      if (holders.empty() || holders.back() != held.end.process)
        holders.push_back(held.end.process);
    const DescriptorTable descriptors(held_, scan.pipes, names_, began_ns_);
    for (const pipes_task& record : tasks_.all()) {
      ScannedTask task = task_of(record);
      const bool listed = skeleton_->bss->holders_only
                              ? std::binary_search(holders.begin(), holders.end(), task.process)
                              : is_wanted(task.process);
      if (!listed) continue;
      if (!task.running && !task.runnable && !task.zombie) classify(task, record, descriptors);
      scan.tasks.push_back(std::move(task));
    }
    std::sort(scan.tasks.begin(), scan.tasks.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.process, a.tid) < std::tuple(b.process, b.tid);
    });
    // Of all pipes of the machine most stand still, and that would take as long as all the rest.
    fill_sides(scan.pipes, bytes_of_processes(), skeleton_->bss->holders_only == 0);
  }

  std::vector<ProcessBytes> bytes_of_processes() const {
    std::vector<ProcessBytes> threads, processes;
    for (const pipes_task& record : tasks_.all())
      if (record.counts_bytes)
        threads.push_back({{static_cast<pid_t>(record.pid), ticks_of(record.start_ns)},
                           record.written_bytes,
                           record.read_bytes,
                           record.at_ns});
    std::ranges::stable_sort(threads, {}, &ProcessBytes::process);
    for (const ProcessBytes& thread : threads) {
      if (processes.empty() || processes.back().process != thread.process) {
        processes.push_back(thread);
        continue;
      }
      processes.back().written += thread.written;
      processes.back().read += thread.read;
      processes.back().at_ns = std::max(processes.back().at_ns, thread.at_ns);
    }
    return processes;
  }

  static void classify(ScannedTask& task, const pipes_task& record,
                       const DescriptorTable& descriptors) {
    const SystemCall call = {record.call,
                             {record.argument[0], record.argument[1], record.argument[2]}};
    const TaskWait wait =
        wait_of(call, sleep_of(record), [&](int fd) { return descriptors.find(task.process, fd); });
    task.wait = wait.wait;
    task.fd = wait.fd;
  }

  Skeleton<pipes_bpf> skeleton_;
  Links all_;
  std::map<ProcessId, Links> each_;
  uint64_t began_ns_ = 0;
  Records<pipes_end> ends_;
  Records<pipes_task> tasks_;
  std::vector<HeldEnd> held_;  // points into ends_
  DescriptorNames names_;
};

}  // namespace

std::unique_ptr<PipeScanner> make_bpf_pipe_scanner() { return std::make_unique<BpfPipeScanner>(); }

}  // namespace pipetop::observe
