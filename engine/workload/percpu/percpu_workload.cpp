#include "engine/workload/percpu/percpu_workload.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "engine/base/error.h"
#include "engine/process/privileges.h"
#include "engine/workload/knob_makers.h"
#include "engine/workload/percpu/insert_worker.h"
#include "engine/workload/percpu/tc_actions.h"

namespace pipetop {
namespace {

using namespace knob_makers;
using P = PercpuSettings;

constexpr uint32_t kMostWorkers = 64;
constexpr uint32_t kMostRules = 1'000'000;

constexpr auto kOf = &Settings::percpu;

const std::array kKnobs = {
    number<1, kMostWorkers, kOf, &P::workers>(
        "workers", "processes that insert rules, each in its own network, 1 to 64"),
    choice<percpu::kProfiles, kOf, &P::profile>(
        "profile", {}, "action of a rule: mirred redirects packets, gact drops them"),
    boolean<kOf, &P::no_percpu>(
        "no_percpu", {}, "one set of counters per rule, under a lock, instead of one per CPU"),
    number<1, kMostRules, kOf, &P::rules>(
        "rules", "rules per worker, 1 to 1000000; then all are removed again"),
    number<1, percpu::kMaxBatch, kOf, &P::batch>(
        "batch", "rules per call, 1 to 128; with 1 each is acknowledged, as with tc -b"),
};

constexpr std::array kHotKeys = {
    toggle_key<kOf, &P::no_percpu>('p', "no_percpu", "no per-CPU"),
    next_key<percpu::kProfiles, kOf, &P::profile>('m', "profile", "profile"),
    step_key<less<1u>, kOf, &P::workers>('<', "workers", "workers -"),
    step_key<more<kMostWorkers>, kOf, &P::workers>('>', "workers", "workers +"),
    step_key<half<1u>, kOf, &P::rules>('{', "rules", "rules -"),
    step_key<twice<kMostRules>, kOf, &P::rules>('}', "rules", "rules +"),
    step_key<half<1u>, kOf, &P::batch>('(', "batch", "batch -"),
    step_key<twice<percpu::kMaxBatch>, kOf, &P::batch>(')', "batch", "batch +"),
};

// The two halves of the 2019 series' tables, then the same with fewer system calls
// per rule.
std::array<Preset, 4> make_presets() {
  Settings s;
  s.workload = WorkloadKind::percpu;
  std::array<Preset, 4> presets;
  presets[0] = {"percpu", "counters per CPU", s, 0};
  s.percpu.no_percpu = true;
  presets[1] = {"no_percpu", "one set of counters, under a lock", s, 0};
  s.percpu.batch = percpu::kMaxBatch;
  presets[3] = {"no_percpu_batched", "one set of counters, 128 rules per call", s, 0};
  s.percpu.no_percpu = false;
  presets[2] = {"percpu_batched", "counters per CPU, 128 rules per call", s, 0};
  return presets;
}

void judge_cpus(size_t cpus, Effective& effective) {
  const uint32_t workers = effective.settings.percpu.workers;
  if (cpus == 0 || workers <= cpus) return;
  effective.mismatches.push_back(
      {"workers", std::to_string(workers), fmt::format("{} on {} CPUs", workers, cpus),
       "fewer CPUs than workers: they wait for each other; use fewer workers"});
}

void judge_batch(Effective& effective) {
  PercpuSettings& s = effective.settings.percpu;
  if (s.batch <= s.rules) return;
  effective.mismatches.push_back({"batch", std::to_string(s.batch), std::to_string(s.rules),
                                  "there are only that many rules; set more rules"});
  s.batch = s.rules;
}

void judge_profile(const std::optional<WorkerReport>& first, Effective& effective) {
  if (!first || first->state != WorkerState::refused || first->error_number != EOPNOTSUPP) return;
  effective.mismatches.push_back({"profile",
                                  std::string(percpu::to_text(effective.settings.percpu.profile)),
                                  "none", std::string(first->reason_text())});
}

// What a rule takes at least; a filter, if it needs one, comes on top.
constexpr uint64_t kSlabBytesPerRule = 256, kBytesPerRuleAndCpu = 64;

// Read once, when there are no rules of ours yet.
uint64_t available_bytes_at_start() {
  static const uint64_t bytes = available_memory_bytes();
  return bytes;
}

void validate_percpu(const Settings& s) {
  const auto cpus = static_cast<size_t>(::sysconf(_SC_NPROCESSORS_CONF));
  require_memory(s.percpu, cpus, available_bytes_at_start());
}

constexpr const char* kNobody = "no worker inserts";

bool is_inserting(const Worker& worker) {
  const auto report = worker.report();
  return worker.alive() && report && report->state == WorkerState::flowing;
}

}  // namespace

std::span<const Knob> percpu_knobs() { return kKnobs; }
std::span<const HotKey> percpu_hot_keys() { return kHotKeys; }

std::span<const Preset> percpu_presets() {
  static const std::array<Preset, 4> presets = make_presets();
  return presets;
}

Effective make_percpu_effective(const Settings& requested, const std::optional<WorkerReport>& first,
                                size_t cpus) {
  Effective effective;
  effective.settings = requested;
  effective.pipe.zero_copy = ZeroCopy::no_copy;
  effective.pipe.zero_copy_reason = "rules go into the kernel; no bytes move";
  effective.pipe.huge = Reading<bool>::unavailable("there are no buffers");
  judge_cpus(cpus, effective);
  judge_batch(effective);
  judge_profile(first, effective);
  return effective;
}

void require_memory(const PercpuSettings& s, size_t cpus, uint64_t available_bytes) {
  const uint64_t per_rule = kSlabBytesPerRule + (s.no_percpu ? 0 : cpus * kBytesPerRuleAndCpu);
  const uint64_t bytes = uint64_t{s.workers} * s.rules * per_rule;
  if (available_bytes == 0 || bytes <= available_bytes / 10 * 8) return;
  throw Error(
      fmt::format(
          "rules {} with workers {} would take {:.1f} GiB of kernel memory on {} CPUs, more "
          "than 80 % of the {:.1f} GiB available: set fewer rules or workers",
          s.rules, s.workers, double(bytes) / kGiB, cpus, double(available_bytes) / kGiB),
      Exit::refused);
}

WorkloadEntry percpu_entry() {
  return {.kind = WorkloadKind::percpu,
          .terms = {.name = "percpu",
                    .help = "processes that insert tc rules, with and without per-CPU counters",
                    .unit = {"k rules/s", "krules_per_s", "rules", 1000},
                    .roles = {"inserter", ""},
                    .part = "worker",
                    .prepares = "namespace",
                    .does = "insert",
                    .compares = "no_percpu",
                    .has_ring = false,
                    .process_has_its_pace = true},
          .knobs = percpu_knobs,
          .hot_keys = percpu_hot_keys,
          .presets = percpu_presets,
          .validate = validate_percpu,
          .make = [](const WorkloadContext& context) -> std::unique_ptr<Workload> {
            return std::make_unique<PercpuWorkload>(context);
          },
          .work = [](ControlBlock& block, Role) { return percpu::run_inserter(block); },
          .worker_capabilities = capabilities({CAP_NET_ADMIN, CAP_SETFCAP, CAP_SYS_ADMIN}),
          .purpose = "for percpu's network namespaces"};
}

size_t PercpuWorkload::shape() const {
  return 2 * static_cast<size_t>(requested_.percpu.profile) + requested_.percpu.no_percpu;
}

void PercpuWorkload::set_workers(uint32_t count) {
  while (members_.size() > count) {
    pool_.remove(members_.back().worker);
    members_.pop_back();
  }
  share_clock();
  const std::vector<Cpu>& cpus = pool_.allowed();
  while (members_.size() < count) {
    const int cpu = cpus.empty() ? kNoCpu : cpus[members_.size() % cpus.size()].number;
    Worker& worker = pool_.add(percpu::kInserter, {});
    pool_.place(worker, cpu);
    members_.push_back({worker});
  }
}

void PercpuWorkload::begin(const Settings& requested) {
  requested_ = requested;
  set_workers(requested.percpu.workers);
  measures_ = !memory_[shape()].has_value();
  if (measures_) memory_[shape()] = Memory::warming("being measured");
  first_is_ready_ = !measures_;
  tell();
}

WorkerCommand PercpuWorkload::command_for(size_t index) const {
  const PercpuSettings& s = requested_.percpu;
  const bool waits = index > 0 && !first_is_ready_;
  const percpu::InsertCommand command = {.kind = static_cast<uint64_t>(s.profile),
                                         .no_percpu = s.no_percpu,
                                         .rules = s.rules,
                                         .batch = s.batch,
                                         .measure = index == 0 && measures_,
                                         .life = members_[index].life};
  return command_of(quits_ ? Order::quit : waits ? Order::hold : Order::flow, command);
}

void PercpuWorkload::tell() {
  for (size_t i = 0; i < members_.size(); ++i) members_[i].worker.publish(command_for(i));
}

void PercpuWorkload::learn(const WorkerReport& report) {
  if (report.state != WorkerState::flowing) {
    if (measures_) memory_[shape()] = Memory::warming(kNobody);
    return;
  }
  const auto found = words_of<percpu::InsertReport>(report.words);
  with_filters_ = found.with_filters != 0;
  if (!measures_) return;
  memory_[shape()] = found.measured != 0 ? Memory::of(found.memory)
                                         : Memory::unavailable(std::string(report.reason_text()));
}

bool PercpuWorkload::advance() {
  const auto first = members_.front().worker.report();
  if (first) learn(*first);
  if (first && !first_is_ready_) {
    first_is_ready_ = true;
    tell();
  }
  share_clock();
  return std::ranges::all_of(members_,
                             [](const Member& m) { return m.worker.report().has_value(); });
}

void PercpuWorkload::quit() {
  quits_ = true;
  tell();
}

// The successor answers for itself. It measures if nobody else inserts yet.
void PercpuWorkload::died(const Worker& worker) {
  for (Member& member : members_) member.life += &member.worker == &worker;
  measures_ = measures_ && !first_is_ready_;
  tell();
  share_clock();
}

void PercpuWorkload::watch(uint64_t) { share_clock(); }

uint64_t PercpuWorkload::inserting_ns() const { return pool_.counts(percpu::kInserter).active_ns; }

void PercpuWorkload::share_clock() {
  const auto inserting =
      std::ranges::count_if(members_, [](const Member& m) { return is_inserting(m.worker); });
  clock_.share(static_cast<int>(inserting), inserting_ns());
}

Progress PercpuWorkload::progress(uint64_t) const {
  return {pool_.counts(percpu::kInserter).items, clock_.at(inserting_ns())};
}

std::vector<PartProgress> PercpuWorkload::parts() const {
  return parts_of(pool_.of(percpu::kInserter), "worker",
                  [](const WorkerCounts& counts) { return counts.active_ns; });
}

Effective PercpuWorkload::effective(const Seen&) const {
  const auto first = members_.empty() ? std::nullopt : members_.front().worker.report();
  return make_percpu_effective(requested_, first, pool_.allowed().size());
}

Reading<double> PercpuWorkload::rules_in() const {
  double rules = 0;
  bool known = false;
  for (const Member& member : members_) {
    if (!is_inserting(member.worker)) continue;
    known = true;
    rules += double(member.worker.counts().present);
  }
  return known ? Reading<double>::of(rules) : Reading<double>::warming(kNobody);
}

std::vector<Figure> PercpuWorkload::figures(const Throughput&) const {
  const Memory& memory = memory_[shape()];
  const auto of = [&](double percpu::MemoryPerRule::*bytes) {
    if (memory.has_value()) return Reading<double>::of((*memory).*bytes);
    return Reading<double>{memory.status, {}, memory.reason};
  };
  const std::string rule = with_filters_ ? "memory per rule with its filter" : "memory per rule";
  return {{rule + ", per-CPU", "percpu_bytes_per_rule", FigureKind::bytes,
           of(&percpu::MemoryPerRule::percpu_bytes)},
          {rule + ", slab", "slab_bytes_per_rule", FigureKind::bytes,
           of(&percpu::MemoryPerRule::slab_bytes)},
          {"rules in", "rules_in", FigureKind::count, rules_in()}};
}

std::vector<std::string> PercpuWorkload::technique(Role, const Effective& effective) const {
  const PercpuSettings& s = effective.settings.percpu;
  std::string profile(percpu::to_text(s.profile));
  if (with_filters_) profile += " (with u32 filters)";
  return {profile, s.no_percpu ? "no per-CPU counters" : "per-CPU counters",
          fmt::format("batch {}", s.batch)};
}

}  // namespace pipetop
