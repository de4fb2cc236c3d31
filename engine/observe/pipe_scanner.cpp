#include "engine/observe/pipe_scanner.h"

#include <fcntl.h>
#include <pipes.skel.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "bpf/pipes.h"
#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/observe/held_ends.h"
#include "engine/observe/libbpf.h"
#include "engine/observe/socket_edges.h"
#include "engine/observe/waits.h"

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

// Limits a scan of some processes: it may take some 20 ms.
constexpr uint32_t kMostOfSome = 1 << 15, kMostVisitsOfSome = 1 << 18;
// Descriptors that one read visits at most, which takes 1 to 10 ms.
constexpr uint32_t kVisits = 1 << 14;

// What iterators write, in memory that is used again.
template <class Record>
class Records {
 public:
  void clear() { count_ = 0; }

  // Another pass, behind what is there. Throws Error.
  void begin(const Link& iterator, const char* what) {
    what_ = what;
    idle_ = 0;
    pass_ = UniqueFd(bpf_iter_create(bpf_link__fd(iterator.get())));
    if (!pass_) throw SystemError(what_, errno);
  }

  // A piece of it, of which those records stay that `keeps` says. False at its end. Throws Error.
  template <class Keeps>
  bool read_some(const Keeps& keeps) {
    if (records_.size() < count_ + kPiece) records_.resize(records_.size() * 2 + kPiece);
    const ssize_t bytes = read(pass_.get(), &records_[count_], kPiece * sizeof(Record));
    // Once for kVisits descriptors of which none is an end.
    const bool goes_on = bytes >= 0 || errno == EAGAIN || errno == EINTR;
    const int most = bytes < 0 && errno == EINTR ? kMostInterrupted : kMostIdle;
    if (!goes_on || (bytes < 0 && ++idle_ > most)) throw SystemError(what_, errno);
    if (bytes >= 0) idle_ = 0;
    if (bytes == 0) pass_.reset();
    const size_t end = count_ + static_cast<size_t>(std::max<ssize_t>(bytes, 0)) / sizeof(Record);
    for (size_t i = count_; i < end; ++i)
      if (keeps(records_[i])) records_[count_++] = records_[i];
    return bytes != 0;
  }

  std::span<const Record> all() const { return {records_.data(), count_}; }

 private:
  // The kernel's buffer, which it fills at a time.
  static constexpr size_t kPiece = 32 * 1024 / sizeof(Record);
  // Reads one after the other that bring nothing.
  static constexpr int kMostIdle = 10'000, kMostInterrupted = 10;

  std::vector<Record> records_;
  size_t count_ = 0;
  UniqueFd pass_;
  const char* what_ = "";
  int idle_ = 0;
};

std::optional<PipeId> pipe_at(const pipes_inode& inode) {
  if (inode.number == 0) return {};
  return PipeId{device_of(inode.device >> 20, inode.device & 0xfffff), inode.number};
}

ExitedProcess exited_of(const pipes_exit& record) {
  return {.process = {static_cast<pid_t>(record.pid), ticks_of(record.start_ns)},
          .at_ns = record.at_ns,
          .read_bytes = record.read_bytes,
          .written_bytes = record.written_bytes,
          .in = pipe_at(record.begin.in),
          .out = pipe_at(record.begin.out),
          .read_before = record.begin.read_bytes,
          .written_before = record.begin.written_bytes};
}

PipeEnd end_of(const pipes_end& record) {
  const bool reads = (record.mode & kCanRead) != 0, writes = (record.mode & kCanWrite) != 0;
  return {.process = process_of(record),
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

Sleep sleep_in(const pipes_task& record) {
  if (record.frozen || (record.state & (kStopped | kTraced | kFrozen))) return Sleep::stopped;
  if (record.io_wait) return Sleep::device;
  const bool uninterruptible = (record.state & (kUninterruptible | kIdle)) == kUninterruptible;
  return uninterruptible ? Sleep::uninterruptible : Sleep::interruptible;
}

using Wanted = std::function<bool(ProcessId)>;

struct Links {
  Link ends, tasks;

  explicit operator bool() const { return ends && tasks; }
};

// A scan that is being made.
struct Pass {
  enum class Step : uint8_t { ends, tasks, pipes, waits, done } step = Step::done;
  uint64_t began_ns = 0;
  bool holders_only = false;
  Records<pipes_end> ends;
  Records<pipes_task> tasks;
  std::optional<EndLimit> limit;
  std::vector<HeldEnd> held;  // points into `ends`
  std::vector<ProcessId> holders;
  PipeScan scan;
  size_t waits = 0;  // tasks whose waits are known
};

class BpfPipeScanner final : public PipeScanner {
 public:
  BpfPipeScanner() {
    skeleton_ = load_skeleton<pipes_bpf>("the list of pipes", [](pipes_bpf& pipes) {
      pipes.rodata->page_bytes = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
    });
    all_ = attach(0);
  }

  PipeScan scan() override {
    whole_.step = Pass::Step::done;
    return *scan_on(never_late);
  }

  std::optional<PipeScan> scan_on(const IsLate& is_late) override {
    try {
      if (whole_.step == Pass::Step::done) {
        begin(whole_, true, EndLimit::kMost);
        whole_.ends.begin(all_.ends, kEnds);
      }
      return go_on(whole_, is_late, [](ProcessId) { return true; });
    } catch (...) {
      whole_.step = Pass::Step::done;
      throw;
    }
  }

  // Exits first: who has begun before is not taken for one that exits with nothing.
  bool list_exits() override {
    if (!exits_.empty()) return true;
    begin_libbpf_log();
    for (const bpf_program* program : {skeleton_->progs.on_exit, skeleton_->progs.on_exec}) {
      if (exits_.emplace_back(bpf_program__attach(program))) continue;
      exits_.clear();
      return false;
    }
    return true;
  }

  PipeScan scan(std::span<const ProcessId> processes) override {
    const std::set<ProcessId> wanted(processes.begin(), processes.end());
    const bool one_by_one = link(wanted);
    const Wanted is_wanted = [&](ProcessId process) { return wanted.contains(process); };
    begin(some_, false, kMostOfSome);
    bool is_cut = !one_by_one && !read_some(all_, is_wanted);
    for (const ProcessId process : wanted) {
      if (!one_by_one) break;
      is_cut = !read_some(each_.at(process), is_wanted) || is_cut;
    }
    some_.step = Pass::Step::pipes;
    PipeScan scan = *go_on(some_, never_late, is_wanted);
    scan.idle_sockets.reset();  // those of the machine are not known
    scan.is_cut = is_cut || !scan.left_out.empty();
    return scan;
  }

 private:
  static constexpr const char *kEnds = "list of the pipes' ends", *kTasks = "list of threads";

  // Over one process, or all for 0.
  Links attach(pid_t pid) {
    Links links = try_to_attach(pid);
    if (!links) throw_refused("attach the list of pipes", errno);
    return links;
  }

  Links try_to_attach(pid_t pid) {
    begin_libbpf_log();
    Links links = {attach_to_process(skeleton_->progs.list_ends, pid), {}};
    if (links.ends) links.tasks = attach_to_process(skeleton_->progs.list_tasks, pid);
    return links;
  }

  // To each of these processes. False: they are too many for the descriptors that there are, and a
  // pass over all has to do.
  bool link(const std::set<ProcessId>& wanted) {
    std::erase_if(each_, [&](const auto& entry) { return !wanted.contains(entry.first); });
    for (const ProcessId process : wanted) {
      if (wanted.size() > most_linked_) break;
      if (each_.contains(process)) continue;
      Links links = try_to_attach(process.pid);
      if (!links && errno != EMFILE) throw_refused("attach the list of pipes", errno);
      if (links)
        each_.emplace(process, std::move(links));
      else
        most_linked_ = each_.size() / 2;  // others need some, too
    }
    if (wanted.size() <= most_linked_) return true;
    each_.clear();
    return false;
  }

  void begin(Pass& pass, bool holders_only, uint32_t most) {
    began_ns_ = std::max(monotonic_ns(), began_ns_ + 1);  // which tells passes apart
    pass.step = Pass::Step::ends;
    pass.began_ns = began_ns_;
    pass.holders_only = holders_only;
    pass.ends.clear();
    pass.tasks.clear();
    pass.limit.emplace(most);
    pass.held.clear();
    pass.holders.clear();
    pass.scan = {};
    pass.waits = 0;
  }

  // Reads some of the descriptors. False at their end.
  bool read_ends(Pass& pass, const Wanted& is_wanted) {
    skeleton_->bss->pass = pass.began_ns;
    skeleton_->bss->visits_left = kVisits;
    return pass.ends.read_some([&](const pipes_end& record) {
      const ProcessId process = process_of(record);
      return is_wanted(process) && pass.limit->takes(process);
    });
  }

  bool read_tasks(Pass& pass) {
    // Another scan may have been made in between.
    skeleton_->bss->pass = pass.began_ns;
    skeleton_->bss->holders_only = pass.holders_only;
    skeleton_->bss->hidden = 0;
    const bool more = pass.tasks.read_some([](const pipes_task&) { return true; });
    pass.scan.unreadable += skeleton_->bss->hidden;
    return more;
  }

  // False if it would take too long.
  bool read_some(const Links& links, const Wanted& is_wanted) {
    some_.ends.begin(links.ends, kEnds);
    bool more = true;
    for (uint32_t visits = 0; more && visits < kMostVisitsOfSome;
         visits += kVisits - skeleton_->bss->visits_left)
      more = read_ends(some_, is_wanted);
    some_.tasks.begin(links.tasks, kTasks);
    while (read_tasks(some_)) continue;
    return !more;
  }

  std::optional<PipeScan> go_on(Pass& pass, const IsLate& is_late, const Wanted& is_wanted) {
    while (finish_step(pass, is_late, is_wanted)) {
      pass.step = static_cast<Pass::Step>(static_cast<int>(pass.step) + 1);
      if (pass.step == Pass::Step::done) return result(pass);
      if (is_late()) break;
    }
    return {};
  }

  // False: there is more of it.
  bool finish_step(Pass& pass, const IsLate& is_late, const Wanted& is_wanted) {
    switch (pass.step) {
      case Pass::Step::ends:
        while (read_ends(pass, is_wanted))
          if (is_late()) return false;
        pass.tasks.begin(all_.tasks, kTasks);
        break;
      case Pass::Step::tasks:
        while (read_tasks(pass))
          if (is_late()) return false;
        break;
      case Pass::Step::pipes:
        take_ends(pass);
        take_tasks(pass, is_wanted);
        break;
      case Pass::Step::waits:
        return take_waits(pass, is_late);
      case Pass::Step::done:
        break;
    }
    return true;
  }

  PipeScan result(Pass& pass) {
    // Most of all pipes of the machine stand still, and that would take as long as all the rest.
    fill_sides(pass.scan.pipes, bytes_of_processes(pass), !pass.holders_only);
    find_full(pass.scan);
    pass.scan.source = ScanSource::bpf;
    pass.scan.left_out = pass.limit->left_out();
    if (pass.holders_only && !exits_.empty()) take_exits(pass.scan);
    pass.scan.at_ns = monotonic_ns();
    pass.scan.took_ns = pass.scan.at_ns - pass.began_ns;
    names_.forget_old(pass.scan.at_ns);
    return std::move(pass.scan);
  }

  void take_exits(PipeScan& scan) {
    std::vector<uint32_t> keys(PIPES_EXITED);
    std::vector<pipes_exit> records(PIPES_EXITED);
    uint32_t count = PIPES_EXITED, next = 0;
    // It says ENOENT at the end of the map.
    if (bpf_map_lookup_and_delete_batch(bpf_map__fd(skeleton_->maps.exited), nullptr, &next,
                                        keys.data(), records.data(), &count, nullptr) != 0 &&
        errno != ENOENT)
      throw SystemError("list of exits", errno);
    records.resize(count);
    std::ranges::transform(records, std::back_inserter(scan.exited), exited_of);
    std::ranges::sort(scan.exited, {}, &ExitedProcess::process);
    scan.unlisted_exits = peek(skeleton_->bss->unlisted);
  }

  void take_ends(Pass& pass) {
    pass.held.reserve(pass.ends.all().size());
    std::vector<const pipes_end*> sockets;
    for (const pipes_end& record : pass.ends.all()) {
      if (record.kind != PIPES_END) {
        sockets.push_back(&record);
        continue;
      }
      const pipes_ring* ring = record.ring.at_ns != 0 ? &record.ring : nullptr;
      pass.held.push_back({pipe_of(record), end_of(record), ring});
    }
    const auto edges = sockets_.edges(std::move(sockets), pass.holders_only, pass.held);
    sort_ends(pass.held);
    pass.scan.pipes = pipes_of(pass.held);
    auto pipe = pass.scan.pipes.begin();
    for (const SocketEdge& edge : edges) {
      while (pipe != pass.scan.pipes.end() && pipe->id < edge.id) ++pipe;
      if (pipe != pass.scan.pipes.end() && pipe->id == edge.id) put(edge, *pipe);
    }
    for (const HeldEnd& held : pass.held)
      if (pass.holders.empty() || pass.holders.back() != held.end.process)
        pass.holders.push_back(held.end.process);
    if (skeleton_->data->knows_sockets) pass.scan.idle_sockets = sockets_.idle();
  }

  static void put(const SocketEdge& edge, ScannedPipe& pipe) {
    pipe.at_ns = edge.at_ns;
    pipe.capacity = edge.capacity;
    pipe.queued = edge.queued;
    pipe.socket = edge.link;
  }

  // Who polls for room waits as long as there is little of it, and who writes until there is none.
  static void find_full(PipeScan& scan) {
    const auto polls = [&](ProcessId process) {
      auto task = std::ranges::lower_bound(scan.tasks, process, {}, &ScannedTask::process);
      for (; task != scan.tasks.end() && task->process == process; ++task)
        if (task->wait == WaitsFor::poll) return true;
      return false;
    };
    for (ScannedPipe& pipe : scan.pipes) {
      if (!pipe.socket || pipe.socket->writable || pipe.socket->full) continue;
      pipe.socket->full = std::ranges::any_of(pipe.ends, [&](const PipeEnd& end) {
        return end.access == Access::write && polls(end.process);
      });
    }
  }

  void take_tasks(Pass& pass, const Wanted& is_wanted) {
    for (const pipes_task& record : pass.tasks.all()) {
      see_waiting(record);
      ScannedTask task = task_of(record);
      const bool listed = pass.holders_only ? std::ranges::binary_search(pass.holders, task.process)
                                            : is_wanted(task.process);
      if (!listed) continue;
      task.fd = static_cast<int>(&record - pass.tasks.all().data());  // until its wait is known
      pass.scan.tasks.push_back(std::move(task));
    }
    std::ranges::sort(pass.scan.tasks, {},
                      [](const ScannedTask& task) { return std::tuple(task.process, task.tid); });
  }

  // For the next pass.
  void see_waiting(const pipes_task& record) {
    const stage_wait kind = kind_of_call(record.call);
    if (record.on_cpu || record.state == 0 || (kind != STAGE_READ && kind != STAGE_WRITE)) return;
    sockets_.see_waiting(record.pid, static_cast<uint32_t>(record.argument[0]),
                         kind == STAGE_WRITE);
  }

  // Names of descriptors that are no pipes are read for it. False: it isn't done yet.
  bool take_waits(Pass& pass, const IsLate& is_late) {
    constexpr size_t kAtATime = 256;
    const DescriptorTable descriptors(pass.held, pass.scan.pipes, names_, pass.began_ns);
    while (pass.waits < pass.scan.tasks.size()) {
      ScannedTask& task = pass.scan.tasks[pass.waits];
      const pipes_task& record = pass.tasks.all()[size_t(std::exchange(task.fd, -1))];
      if (!task.running && !task.runnable && !task.zombie)
        classify(task, record, descriptors, pass);
      if (++pass.waits % kAtATime == 0 && is_late()) return false;
    }
    return true;
  }

  static std::vector<ProcessBytes> bytes_of_processes(const Pass& pass) {
    std::vector<ProcessBytes> threads, processes;
    for (const pipes_task& record : pass.tasks.all())
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
                       const DescriptorTable& descriptors, Pass& pass) {
    const SystemCall call = {record.call,
                             {record.argument[0], record.argument[1], record.argument[2]}};
    const Sleep sleep = sleep_in(record);
    const bool has_lock = find_lock(task, call, sleep, pass.held, pass.scan.pipes) != nullptr;
    const auto find = [&](int fd, bool writing) {
      return descriptors.find(task.process, fd, writing);
    };
    const TaskWait wait = wait_of(call, sleep, find, has_lock);
    task.wait = wait.wait;
    task.fd = wait.fd;
  }

  Skeleton<pipes_bpf> skeleton_;
  Links all_;
  std::vector<Link> exits_;
  std::map<ProcessId, Links> each_;
  size_t most_linked_ = kMostLinked;
  uint64_t began_ns_ = 0;  // the newest pass
  Pass whole_, some_;      // of everything, of some processes
  DescriptorNames names_;
  SocketEdges sockets_;
};

}  // namespace

std::unique_ptr<PipeScanner> make_bpf_pipe_scanner() { return std::make_unique<BpfPipeScanner>(); }

}  // namespace pipetop::observe
