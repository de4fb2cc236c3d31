#include "engine/judge/advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/numbers.h"
#include "engine/base/text.h"
#include "engine/judge/verdict.h"

namespace pipetop {
namespace {

constexpr std::string_view kNothingHere = "nothing can be done here";

// Calls that move less, and come more often, cost more than what they move.
constexpr double kSmallCall = 1024;
constexpr double kOftenPer_s = 10'000;
// A quota that stops it in fewer of its periods isn't what holds it up.
constexpr double kOftenThrottled = 0.1;
// Of a CPU: with less idle, more threads have nowhere to run.
constexpr double kIdleCpu = 0.25;
// What one working thread and those that read and write for it use at most.
constexpr double kOneCpu = 1.2;
// A disk that is busy for less of the time has its waits from elsewhere.
constexpr double kBusyDisk = 0.5;
// Advice is about a part of the time that is at least so large; else about each that is worth it.
constexpr double kLargePart = 0.5, kWorthIt = 0.1;

struct ParallelTool {
  std::string_view name, instead;
};
// Tools of one thread, and what does the same with all CPUs.
constexpr std::array kParallelTools = {
    ParallelTool{"gzip", "pigz"}, ParallelTool{"bzip2", "lbzip2"}, ParallelTool{"xz", "xz -T0"},
    ParallelTool{"lzma", "xz -T0"}, ParallelTool{"zstd", "zstd -T0"}};

// Whether it is told to use more threads already, or decompresses, which takes one in all of them.
bool uses_all_it_can(const Stage& stage) {
  return std::ranges::any_of(split(stage.command, ' '), [](const std::string& word) {
    return (word.starts_with("-T") && word != "-T1") || word == "-d" || word == "-dc" ||
           word == "-cd" || word == "--decompress";
  });
}

struct Advised {
  const JudgedPipeline& view;
  size_t number;
  const Stage& stage = view.pipeline.stages[number];
  const StageLimits& limits = stage.limits;
  const WaitStage& graph = view.graph.stages[number];
};

// At most: "up to x1.6"
std::string gain_text(double times) { return fmt::format("up to x{:.1f}", times); }

// If it never waited for a CPU.
std::string gain_text(const WaitStage& stage) {
  return gain_text((stage.on_cpu + stage.runnable) / stage.on_cpu);
}

// Calls so small that they are most of the work.
std::string on_calls(const Advised& a) {
  const auto small = [](const std::optional<CallRate>& calls) {
    return calls && calls->bytes < kSmallCall && calls->per_s >= kOftenPer_s;
  };
  const auto& [reads, writes] = std::tie(a.limits.reads, a.limits.writes);
  const bool by_writes = small(writes) && !(small(reads) && reads->per_s > writes->per_s);
  if (!by_writes && !small(reads)) return {};
  const CallRate& calls = by_writes ? *writes : *reads;
  return fmt::format(
      "{} a {}, {} times a second: {}", bytes_text(calls.bytes), by_writes ? "write" : "read",
      count_text(calls.per_s),
      by_writes ? "write more at a time, or drop line buffering" : "read more at a time");
}

std::string on_work(const Advised& a) {
  if (std::string text = on_calls(a); !text.empty()) return text;
  const double cpus = a.stage.shares.has_value() ? a.stage.shares->cpu : a.graph.on_cpu;
  std::string uses = a.stage.threads == 1
                         ? fmt::format("one thread, {} of a CPU", percent(a.graph.on_cpu))
                         : fmt::format("{:.1f} CPUs", cpus);
  const std::optional<double> idle = a.limits.idle_cpus;
  if (idle) uses += fmt::format(", and {:.1f} CPUs are idle", *idle);
  if (idle && *idle < kIdleCpu)
    return uses + (cpus < kOneCpu ? ": give it less work" : ": give it less work, or more CPUs");
  const auto tool = std::ranges::find(kParallelTools, a.stage.name, &ParallelTool::name);
  if (tool != kParallelTools.end() && cpus < kOneCpu && !uses_all_it_can(a.stage))
    return fmt::format("{}: use {}", uses, tool->instead);
  return uses + ": split its work, or give it less";
}

// A CPU is what it lacks.
std::string on_lack(const Advised& a) {
  const std::string gain = gain_text(a.graph);
  const auto& quota = a.limits.quota;
  const bool throttled = quota && quota->share >= kOftenThrottled;
  // With a small part of what the quota allows, those with a better nice value have the rest.
  if (a.stage.nice > 0 && (!throttled || a.graph.on_cpu < quota->cpus / 2))
    return fmt::format("its nice value is {}: renice -n 0 -p {}, {}", a.stage.nice, a.stage.id.pid,
                       gain);
  if (throttled) {
    const std::string text =
        fmt::format("a quota of {:.1f} CPUs stops it in {} of its periods: raise it, {}",
                    quota->cpus, percent(quota->share), gain);
    return first_fitting({text + "; " + quota->cgroup, text});
  }
  if (a.stage.cpus.size() == 1 && a.limits.idle_cpus.value_or(0) >= kIdleCpu)
    return fmt::format("it may use CPU {} only, and {:.1f} CPUs are idle: taskset -p, {}",
                       a.stage.cpus[0], *a.limits.idle_cpus, gain);
  return fmt::format("others use its CPU {} of the time: fewer of them, or more CPUs, {}",
                     percent(a.graph.runnable), gain);
}

std::string on_disk(const Advised& a) {
  if (!a.limits.disk) return "write less often to the disk, or read ahead";
  const auto& [name, flags, busy, read_only] = *a.limits.disk;
  const auto& calls = read_only ? a.limits.reads : a.limits.writes;
  const std::string size =
      calls && calls->per_s > 0
          ? fmt::format(", {} a {}", bytes_text(calls->bytes), read_only ? "read" : "write")
          : "";
  if (!flags.empty())
    return fmt::format("each call waits for {} ({}{}): larger blocks, or {}", name, flags, size,
                       read_only ? "read ahead" : "sync once at the end");
  if (read_only)
    return busy ? fmt::format("{} is busy {}{}: read ahead, larger blocks, or a faster disk", name,
                              percent(*busy), size)
                : fmt::format("it waits for {}: read ahead, or larger blocks", name);
  if (!busy) return fmt::format("it waits for {}: larger blocks, fewer syncs", name);
  if (*busy < kBusyDisk)
    return fmt::format("{} is busy {}{}: sync less often, or use larger blocks", name,
                       percent(*busy), size);
  return fmt::format("{} is busy {}{}: larger blocks, fewer syncs, or a faster disk", name,
                     percent(*busy), size);
}

std::string on_network(const Advised& a) {
  if (!a.limits.socket) return fmt::format("what is beyond its socket is slower; {}", kNothingHere);
  const auto& [peer, to_send, to_read] = *a.limits.socket;
  if (to_send > 0)
    return fmt::format("{} are queued to {}: the network or its reader is slower; {}",
                       bytes_text(double(to_send)), peer, kNothingHere);
  return fmt::format("{} are queued from {}: its writer or the network is slower; {}",
                     bytes_text(double(to_read)), peer, kNothingHere);
}

std::string on_child(const Advised& a) {
  if (!a.limits.child) return fmt::format("look at its children: pipetop watch {}", a.stage.id.pid);
  const auto& [name, pid, blocked] = *a.limits.child;
  const std::string_view does = blocked == WaitsFor::none         ? "works for it"
                                : blocked == WaitsFor::pipe_write ? "is blocked writing"
                                                                  : "is blocked reading";
  return fmt::format("its child {} {}: pipetop watch {}", name, does, pid);
}

std::string on_wait(const Advised& a, WaitsFor wait) {
  const std::string share = percent(a.graph.elsewhere[size_t(wait)]);
  switch (wait) {
    case WaitsFor::disk:
      return on_disk(a);
    case WaitsFor::network:
      return on_network(a);
    case WaitsFor::terminal:
      return a.graph.is_sink
                 ? fmt::format("a terminal is slow, {} of the time: write to a file", share)
                 : fmt::format("it waits {} for who types; {}", share, kNothingHere);
    case WaitsFor::child:
      return on_child(a);
    case WaitsFor::poll:
      // A datagram's sender, for example.
      if (a.stage.outside.value_or(false)) return on_network(a);
      [[fallthrough]];
    case WaitsFor::sleep:
      return fmt::format("it waits {} by itself, as pv -L does: see its options", share);
    case WaitsFor::lock:
      return fmt::format("its threads wait {} for each other; {}", share, kNothingHere);
    case WaitsFor::stopped:
      return fmt::format("kill -CONT {}, fg in its shell, or thaw its cgroup", a.stage.id.pid);
    default:
      return std::string(kNothingHere);
  }
}

// The parts of its time, each with what it would gain without that.
std::string on_parts(const std::vector<StageActivity>& parts) {
  std::vector<std::string> texts;
  for (const StageActivity& part : parts) {
    if (part.share < kWorthIt || part.kind == StageActivity::Kind::threads) continue;
    const double gain = 1 / (1 - part.share);
    texts.push_back(fmt::format(
        "{} {} ({})", activity_name(part), percent(part.share),
        texts.empty() ? "without that " + gain_text(gain) : fmt::format("x{:.1f}", gain)));
  }
  const auto line = [&](size_t count) {
    texts.resize(std::min(texts.size(), count));
    return fmt::format("no part is half: it {}", fmt::join(texts, ", "));
  };
  return first_fitting({line(3), line(2), line(1)});
}

std::string on_stage(const Advised& a) {
  using Does = StageActivity::Kind;
  std::vector<StageActivity> parts = activities_of(a.view, a.number);
  std::erase_if(parts, [](const StageActivity& part) { return part.kind == Does::peer; });
  const StageActivity& activity = parts[0];
  // What it lacks is cheaper to give than what it does is to change.
  if (a.graph.runnable >= kLacksCpu && a.graph.on_cpu > 0 && activity.kind != Does::threads)
    return on_lack(a);
  if (a.stage.shares.has_value() && activity.share < kLargePart && parts[1].share >= kWorthIt &&
      activity.kind != Does::threads)
    return on_parts(parts);
  return activity.kind == Does::waits ? on_wait(a, activity.wait) : on_work(a);
}

}  // namespace

std::string advice_on(const JudgedPipeline& view, const Verdict& verdict) {
  using Kind = Verdict::Kind;
  const auto& stages = view.pipeline.stages;
  const auto found = std::ranges::find(stages, verdict.stage, &Stage::id);
  switch (verdict.kind) {
    case Kind::stage:
    case Kind::outside:
    case Kind::stopped: {
      if (!verdict.stage || found == stages.end()) return {};
      const Advised advised{view, size_t(found - stages.begin())};
      if (verdict.kind == Kind::stopped) return on_wait(advised, WaitsFor::stopped);
      if (verdict.wait == WaitsFor::network) return on_network(advised);
      if (verdict.wait == WaitsFor::pipe_read || verdict.wait == WaitsFor::pipe_write)
        return view.pipeline.sees_all
                   ? "look at who holds the other end: nobody was seen to move data there"
                   : "watch it as root to see who is beyond: sudo pipetop watch";
      return on_stage(advised);
    }
    case Kind::balanced:
      for (size_t i = 0; i < stages.size(); ++i)
        if (const std::string calls = on_calls({view, i}); !calls.empty())
          return fmt::format("{}: {}", shown_name(view, i), calls);
      return "one faster stage alone gains little: all that are busy, or more CPUs";
    case Kind::bursty: {
      const auto pipe = std::ranges::find_if(view.pipeline.pipes,
                                             [](const Pipe& p) { return p.larger.has_value(); });
      if (pipe == view.pipeline.pipes.end()) return {};
      return fmt::format("}} enlarges its ring here, F_SETPIPE_SZ in a program: about +{}",
                         percent(pipe->larger->gain));
    }
    case Kind::deadlock:
      return "close ends that nobody uses, flush, or read while writing";
    default:
      return {};
  }
}

// ---- our own pipe ----

namespace {

int cpus_of(const Snapshot& s) { return s.host ? s.host->cpus : 1; }

// Of the function that is named so, and takes most of a role's samples.
std::string share_in(const Snapshot& s, Role role, std::string_view part) {
  const Reading<FunctionTable>& functions = s.worker(role).functions;
  if (!functions.has_value()) return {};
  const double share = share_within(*functions, functions->rows(), [&](std::string_view name) {
    return name.find(part) != name.npos;
  });
  if (share <= 0) return {};
  return fmt::format(", which takes {} of the {}'s samples", percent(share), to_text(role));
}

// The next rung for what a role does; "" at the top.
std::string on_method(const Snapshot& s, Role role) {
  const PipeSettings& pipe = s.effective.settings.pipe;
  if (role == Role::writer && pipe.write_with == WriteWith::write)
    return fmt::format("try write_with vmsplice: no copy{}", share_in(s, role, "copy"));
  if (role == Role::reader && pipe.read_with == ReadWith::read)
    return fmt::format("try read_with splice: no copy{}", share_in(s, role, "copy"));
  if (role == Role::writer && lends_pages(pipe.write_with) && pipe.pages == Pages::k4)
    return fmt::format("try pages thp: fewer pages to look up{}", share_in(s, role, "gup"));
  return {};
}

// What stops us all: no setting changes that.
std::string on_quota(const Snapshot& s) {
  const auto quota = known(s.throttling);
  if (!quota || quota->share < kOftenThrottled) return {};
  return fmt::format("a quota of {:.3g} CPUs stops it in {} of its periods: raise it", quota->cpus,
                     percent(quota->share));
}

// What others take of the CPUs; "" if it is little, or each role may have waited for the other.
std::string on_others(const Evidence& e) {
  const auto& [writer, reader] = e.roles;
  const RoleEvidence& waits =
      writer.runnable.value_or(0) >= reader.runnable.value_or(0) ? writer : reader;
  if (writer.cpu == reader.cpu || waits.runnable.value_or(0) < kLacksCpu) return {};
  return fmt::format("end what else uses the CPUs: it takes {} of the {}'s time",
                     percent(*waits.runnable), to_text(waits.role));
}

std::string on_side(const Snapshot& s, const Evidence& e, Role slow) {
  const PipeSettings& pipe = s.effective.settings.pipe;
  const RoleEvidence& role = e.role(slow);
  if (role.away.value_or(0) >= kLacksCpu)
    return fmt::format("the {} is away {} of the time: see what stops it", to_text(slow),
                       percent(*role.away));
  if (role.runnable.value_or(0) >= kLacksCpu)
    return fmt::format("the {} waits {} for a CPU: end what else runs there{}", to_text(slow),
                       percent(*role.runnable),
                       pipe.placement == Placement::same_cpu ? ", or try placement near" : "");
  std::string next = on_method(s, slow);
  return next.empty() ? std::string(kNothingHere) : next;
}

std::string on_wakeups(const Snapshot& s, const Evidence& e) {
  const PipeSettings& pipe = s.effective.settings.pipe;
  const std::string each =
      fmt::format("a sleep takes {:.0f} us, and moves {}",
                  std::max(e.roles[0].sleep_ns.value_or(0), e.roles[1].sleep_ns.value_or(0)) / 1e3,
                  bytes_text(e.role(Role::reader).bytes_per_switch.value_or(0)));
  if (!is_busy(pipe.writer_wait) && !is_busy(pipe.reader_wait) && cpus_of(s) > 1)
    return fmt::format("try wait busy: {}", each);
  return fmt::format("try pipe_size 1MiB: {}", each);
}

// More bytes for each time that it is taken, and no copies meanwhile.
std::string on_lock(const Snapshot& s, const Evidence& e) {
  constexpr uint64_t kLargeBuffer = 1 << 20;  // bytes: larger ones leave the cache
  const PipeSettings& pipe = s.effective.settings.pipe;
  if (pipe.write_with == WriteWith::write) return on_method(s, Role::writer);
  if (pipe.read_with == ReadWith::read) return on_method(s, Role::reader);
  if (pipe.buf_size < kLargeBuffer)
    return fmt::format(
        "try buf_size {}: {} a call, and the mutex takes {}",
        format_size(std::min(4 * pipe.buf_size, kLargeBuffer)), bytes_text(double(pipe.buf_size)),
        percent(std::max(e.roles[0].contends.value_or(0), e.roles[1].contends.value_or(0))));
  return std::string(kNothingHere);
}

// Both want a CPU.
std::string on_cpus(const Snapshot& s) {
  constexpr uint64_t kUsualPipe = 64 << 10;  // bytes
  const PipeSettings& pipe = s.effective.settings.pipe;
  if (is_busy(pipe.writer_wait) || is_busy(pipe.reader_wait))
    return cpus_of(s) > 1 ? "try placement near: who spins takes the other's CPU"
                          : "try wait block: who spins takes the other's CPU";
  // At each turn of a small pipe so little moves that switching takes longer than the copies.
  if (pipe.pipe_size != kAutoPipeSize && pipe.pipe_size < kUsualPipe)
    return fmt::format("try pipe_size {}: they take turns for each {}", format_size(kUsualPipe),
                       bytes_text(double(pipe.pipe_size)));
  // A second CPU may make it slower: a wakeup there can take longer than the work.
  for (const Role role : kBothRoles)
    if (std::string next = on_method(s, role); !next.empty()) return next;
  return std::string(kNothingHere);
}

}  // namespace

// In a window that something else disturbs it is about that: a setting that is better for itself,
// such as busy waiting, makes it worse where CPUs are short.
std::string advice_on(const Snapshot& s, const Evidence& evidence, const Verdict& verdict) {
  using Kind = Verdict::Kind;
  if (std::string quota = on_quota(s); !quota.empty()) return quota;
  if (verdict.kind == Kind::writer) return on_side(s, evidence, Role::writer);
  if (verdict.kind == Kind::reader) return on_side(s, evidence, Role::reader);
  if (std::string others = on_others(evidence); !others.empty()) return others;
  if (verdict.kind == Kind::wakeup) return on_wakeups(s, evidence);
  if (verdict.kind == Kind::cpu) return on_cpus(s);
  return verdict.kind == Kind::lock ? on_lock(s, evidence) : std::string();
}

}  // namespace pipetop
