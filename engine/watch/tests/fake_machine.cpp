#include "engine/watch/tests/fake_machine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"

namespace pipetop {
namespace {

class FakeScanner final : public observe::PipeScanner {
 public:
  explicit FakeScanner(FakeMachine& machine) : machine_(machine) {}

  PipeScan scan() override {
    ++machine_.scans;
    refuse();
    machine_.cpu_ns += machine_.scan_cost_ns;
    PipeScan scan = machine_.scan();
    scan.exited = std::exchange(machine_.exited, {});
    return scan;
  }
  bool list_exits() override { return machine_.lists_exits; }
  std::optional<PipeScan> scan_on(const observe::IsLate&) override {
    if (++part_ < machine_.scan_parts) return {};
    part_ = 0;
    return scan();
  }
  PipeScan scan(std::span<const ProcessId> processes) override {
    ++machine_.samples;
    refuse();
    const std::set<ProcessId> only(processes.begin(), processes.end());
    PipeScan scan = machine_.scan(&only);
    scan.is_cut = machine_.is_cut;
    return scan;
  }

  void set_open(const std::set<PipeId>& pipes) override { machine_.open = pipes; }

 private:
  void refuse() const {
    if (machine_.refuses != 0) throw SystemError("list of pipes", machine_.refuses);
  }

  FakeMachine& machine_;
  int part_ = 0;
};

class FakeObserver final : public observe::StageObserver {
 public:
  explicit FakeObserver(FakeMachine& machine) : machine_(machine) { ++machine.observers; }
  ~FakeObserver() override { --machine_.observers; }

  void watch(std::span<const ScannedTask> threads, std::span<const ScannedPipe> pipes) override {
    machine_.watched.clear();
    std::set<std::pair<pid_t, pid_t>> still;
    for (const ScannedTask& task : threads) {
      machine_.watched.push_back(task.tid);
      still.insert({task.process.pid, task.tid});
      if (!threads_.contains({task.process.pid, task.tid}))
        threads_[{task.process.pid, task.tid}] = machine_.thread(task.process.pid, task.tid).times;
    }
    std::erase_if(threads_, [&](const auto& entry) { return !still.contains(entry.first); });
    pipes_.clear();
    for (const ScannedPipe& pipe : pipes) pipes_.push_back(pipe.id.inode);
  }
  uint32_t dropped() const override { return 0; }

  std::vector<observe::ThreadTimes> times(uint64_t) override {
    std::vector<observe::ThreadTimes> times;
    for (const auto& [id, before] : threads_) {
      observe::ThreadTimes now = machine_.thread(id.first, id.second).times;
      now.wall_ns -= before.wall_ns;
      now.on_cpu_ns -= before.on_cpu_ns;
      for (size_t i = 0; i < now.wait_ns.size(); ++i) now.wait_ns[i] -= before.wait_ns[i];
      times.push_back(now);
    }
    return times;
  }
  std::vector<observe::RingTally> samples() override {
    std::vector<observe::RingTally> samples;
    for (const uint64_t inode : pipes_)
      if (const auto* tally = machine_.samples_of(inode)) samples.push_back(*tally);
    return samples;
  }

  void count_bytes(bool on) override { machine_.counts_bytes = on; }
  bool counts_bytes() const override { return machine_.counts_bytes; }
  void count_children() override { machine_.counts_children = true; }
  std::vector<observe::EndBytes> take_bytes() override { return std::exchange(machine_.bytes, {}); }
  bool missed_bytes() const override { return machine_.missed_bytes; }

 private:
  FakeMachine& machine_;
  std::map<std::pair<pid_t, pid_t>, observe::ThreadTimes> threads_;  // as they were then
  std::vector<uint64_t> pipes_;
};

class FakeRings final : public observe::ForeignRings {
 public:
  Reading<RingFrame> frame(PipeId, const PipeEnd&) override {
    RingFrame frame;
    frame.slots = 16;
    return Reading<RingFrame>::of(frame);
  }
};

class FakeFunctions final : public StageFunctions {
 public:
  explicit FakeFunctions(FakeMachine& machine) : machine_(machine) {}
  void watch(std::optional<ProcessId> blamed, std::optional<ProcessId> selected) override {
    machine_.blamed = blamed;
    machine_.selected = selected;
  }
  void poll(uint64_t) override {}
  Reading<FunctionTable> functions(ProcessId process) const override {
    FunctionTable table;
    table.samples = static_cast<uint64_t>(process.pid);
    return Reading<FunctionTable>::of(table);
  }

 private:
  FakeMachine& machine_;
};

}  // namespace

ProcessId FakeMachine::add(pid_t pid, const std::string& comm, pid_t parent) {
  const ProcessId id{pid, static_cast<uint64_t>(pid) * 10};
  processes_[pid] = {id, parent, comm, comm + " --flag"};
  if (processes_.contains(parent)) processes_[parent].children.push_back(pid);
  ScannedTask task;
  task.process = id;
  task.tid = pid;
  task.parent = parent;
  task.comm = comm;
  task.wait = WaitsFor::other;
  observe::ThreadTimes times;
  times.process = id;
  times.tid = pid;
  threads_[pid] = {{task, times}};
  return id;
}

void FakeMachine::exit(pid_t pid) {
  processes_.at(pid).alive = false;
  for (auto& [inode, pipe] : pipes_)
    std::erase_if(pipe.pipe.ends, [&](const PipeEnd& end) { return end.process.pid == pid; });
  std::erase_if(pipes_, [&](const auto& entry) {
    const bool is_closed = entry.second.pipe.ends.empty();
    if (is_closed) closed_[entry.first] = entry.second.samples;
    return is_closed;
  });
}

const observe::RingTally* FakeMachine::samples_of(uint64_t inode) const {
  if (const auto pipe = pipes_.find(inode); pipe != pipes_.end()) return &pipe->second.samples;
  const auto closed = closed_.find(inode);
  return closed == closed_.end() ? nullptr : &closed->second;
}

PipeId FakeMachine::connect(uint64_t inode, pid_t writer, pid_t reader) {
  hold(inode, writer, 1, Access::write);
  hold(inode, reader, 0, Access::read);
  return id_of(inode);
}

void FakeMachine::hold(uint64_t inode, pid_t pid, int fd, Access access) {
  MachinePipe& pipe = pipes_[inode];
  pipe.pipe.id = pipe.samples.pipe = id_of(inode);
  pipe.pipe.ends.push_back({processes_.at(pid).id, fd, access, false});
  std::ranges::sort(pipe.pipe.ends, {},
                    [](const PipeEnd& end) { return std::pair(end.process, end.fd); });
}

void FakeMachine::release(uint64_t inode, pid_t pid) {
  std::erase_if(pipes_.at(inode).pipe.ends,
                [&](const PipeEnd& end) { return end.process.pid == pid; });
}

FakeThread& FakeMachine::thread(pid_t pid, pid_t tid) {
  std::vector<FakeThread>& threads = threads_.at(pid);
  const pid_t wanted = tid == 0 ? pid : tid;
  for (FakeThread& thread : threads)
    if (thread.task.tid == wanted) return thread;
  FakeThread more = threads.front();
  more.task.tid = wanted;
  more.task.cpu_ns = 0;
  const ProcessId process = more.times.process;
  more.times = {};
  more.times.process = process;
  more.times.tid = wanted;
  threads.push_back(more);
  return threads.back();
}

void FakeMachine::runs(pid_t pid) {
  ScannedTask& task = thread(pid).task;
  task.running = true;
  task.wait = WaitsFor::none;
  task.fd = -1;
}

void FakeMachine::waits(pid_t pid, WaitsFor wait, int fd) {
  ScannedTask& task = thread(pid).task;
  task.running = false;
  task.wait = wait;
  task.fd = fd;
}

void FakeMachine::pass(uint64_t ns) {
  now_ns += ns;
  for (auto& [pid, threads] : threads_) {
    if (!processes_.at(pid).alive) continue;
    for (FakeThread& thread : threads) {
      thread.times.wall_ns += ns;
      if (thread.task.running) {
        thread.times.on_cpu_ns += ns;
        thread.task.cpu_ns += ns;
      } else {
        thread.times.wait_ns[static_cast<size_t>(thread.task.wait)] += ns;
      }
    }
  }
  for (auto& [inode, pipe] : pipes_) {
    pipe.moved += pipe.bytes_per_s * double(ns) / double(kSecond);
    const uint64_t more = ns / (10 * kMs);  // at 100 Hz
    pipe.samples.samples += more;
    pipe.samples.used_share += pipe.used_share * double(more);
    if (pipe.used_share == 0) pipe.samples.empty += more;
    if (pipe.used_share == 1) pipe.samples.full += more;
  }
}

PipeScan FakeMachine::scan(const std::set<ProcessId>* only) const {
  PipeScan scan;
  scan.at_ns = now_ns;
  scan.source = source;
  scan.unreadable = unreadable;
  scan.reason = reason;
  std::set<ProcessId> holders;
  for (const auto& [inode, pipe] : pipes_) {
    ScannedPipe scanned = pipe.pipe;
    scanned.at_ns = now_ns;
    if (only)
      std::erase_if(scanned.ends, [&](const PipeEnd& e) { return !only->contains(e.process); });
    if (scanned.ends.empty()) continue;
    for (const PipeEnd& end : scanned.ends) holders.insert(end.process);
    const auto used = static_cast<uint32_t>(std::lround(pipe.used_share * pipe.slots));
    if (source == ScanSource::bpf) {
      RingCounts ring;
      ring.slots = pipe.slots;
      ring.tail = static_cast<uint32_t>(pipe.moved / 4096);
      ring.head = ring.tail + used;
      ring.queued_bytes = used * 4096;
      ring.past_slots = ring.head > 0 ? pipe.slots : 0;
      ring.past_bytes = ring.past_slots * 4096;
      scanned.ring = ring;
      scanned.readers = scanned.writers = 1;
    } else {
      scanned.capacity = pipe.slots * 4096;
      scanned.queued = used * 4096;
    }
    scan.pipes.push_back(scanned);
  }
  std::ranges::sort(scan.pipes, {}, &ScannedPipe::id);
  for (const auto& [pid, threads] : threads_) {
    const FakeProcess& process = processes_.at(pid);
    const bool wanted = only ? only->contains(process.id) : holders.contains(process.id);
    if (!wanted || !process.alive) continue;
    for (const FakeThread& thread : threads) {
      scan.tasks.push_back(thread.task);
      scan.tasks.back().comm = process.comm;
    }
  }
  return scan;
}

WatchParts FakeMachine::parts() {
  WatchParts parts;
  parts.scanner = std::make_unique<FakeScanner>(*this);
  parts.make_observer = [this]() -> std::unique_ptr<observe::StageObserver> {
    if (!no_clock.empty()) throw Error(no_clock);
    return std::make_unique<FakeObserver>(*this);
  };
  parts.make_rings = [] { return std::make_unique<FakeRings>(); };
  parts.make_functions = [this] { return std::make_unique<FakeFunctions>(*this); };
  const auto known = [this](pid_t pid) {
    const auto found = processes_.find(pid);
    return found != processes_.end() && found->second.alive ? &found->second : nullptr;
  };
  parts.read_facts = [known](pid_t pid) {
    const FakeProcess* process = known(pid);
    return process ? ProcessFacts{printable_command(process->command), 0, {0, 1}, "/"}
                   : ProcessFacts{};
  };
  parts.link_of = [known](pid_t pid, int fd) {
    const FakeProcess* process = known(pid);
    const auto link = process ? process->links.find(fd) : decltype(process->links.end()){};
    return process && link != process->links.end() ? link->second : std::string();
  };
  parts.poll_set_of = [known](pid_t pid, pid_t) {
    const FakeProcess* process = known(pid);
    return process ? process->polls : std::nullopt;
  };
  parts.read_stat = [known](pid_t pid) -> std::optional<TaskStat> {
    const FakeProcess* process = known(pid);
    if (!process) return {};
    TaskStat stat;
    const std::string name = process->comm.substr(0, stat.name.size() - 1);
    std::copy(name.begin(), name.end(), stat.name.begin());
    stat.state = 'S';
    stat.parent = process->parent;
    stat.start_ticks = process->id.start_ticks;
    stat.cpu_ticks = process->cpu_ticks;
    return stat;
  };
  parts.children_of = [known](pid_t pid) {
    const FakeProcess* process = known(pid);
    return process ? process->children : std::vector<pid_t>{};
  };
  parts.parent_of = [known](pid_t pid) {
    const FakeProcess* process = known(pid);
    return process ? process->parent : 0;
  };
  parts.leads_session = [known](pid_t pid) {
    const FakeProcess* process = known(pid);
    return process && process->leads_session;
  };
  parts.identify = [known](pid_t pid) {
    const FakeProcess* process = known(pid);
    return process ? std::optional(process->id) : std::nullopt;
  };
  parts.lives = [known](ProcessId id) {
    const FakeProcess* process = known(id.pid);
    return process && process->id == id;
  };
  parts.read_io = [known](pid_t pid) {
    const FakeProcess* process = known(pid);
    return process ? process->io : std::nullopt;
  };
  parts.now_ns = [this] { return now_ns += question_ns; };
  parts.boot_ns = [this] { return now_ns; };
  parts.let_pass = [this](uint64_t ns) { pass(ns); };
  parts.cpu_ns = [this] { return cpu_ns; };
  parts.self = 4000;
  parts.pipe_device = kPipeDevice;
  return parts;
}

}  // namespace pipetop
