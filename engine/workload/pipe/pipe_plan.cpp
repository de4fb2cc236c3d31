#include "engine/workload/pipe/pipe_plan.h"

#include <fmt/core.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include "engine/base/text.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

// Changes one knob of the plan and records why. `requested` stays the original
// value even if several rules change the same knob.
class Planner {
 public:
  Planner(const Settings& requested, PipePlan& plan) : requested_(requested), plan_(plan) {}

  template <class Value>
  void fall_back(std::string_view name, Value PipeSettings::*member, Value value,
                 std::string reason) {
    const Knob& k = *find_knob(pipe_knobs(), name);
    plan_.settings.pipe.*member = value;
    plan_.mismatches.push_back(
        {std::string(name), k.get(requested_), k.get(plan_.settings), std::move(reason)});
  }

 private:
  const Settings& requested_;
  PipePlan& plan_;
};

// The kernel's own rounding, so that what it grants can be compared with it.
uint64_t granted_size(uint64_t bytes) { return std::max(kPageBytes, std::bit_ceil(bytes)); }

std::string vmsplice_refusal(const PipeSettings& asked, int error) {
  return fmt::format("vmsplice{}: {}; a seccomp filter or this kernel refuses it",
                     asked.write_with == WriteWith::tee ? ", which fills tee's source" : "",
                     std::strerror(error));
}

bool needs_vmsplice(const PipeSettings& s) {
  return s.write_with == WriteWith::vmsplice || s.write_with == WriteWith::tee;
}

// A call of tee duplicates at most the contents of its source, which is also a pipe.
void plan_tee_source(const Settings& asked, const Capabilities& machine, PipePlan& plan) {
  const PipeSettings& s = plan.settings.pipe;
  if (s.write_with != WriteWith::tee || machine.may_exceed_pipe_max) return;
  if (s.buf_size <= machine.pipe_max_bytes) return;
  Planner(asked, plan)
      .fall_back(
          "buf_size", &PipeSettings::buf_size, machine.pipe_max_bytes,
          fmt::format(
              "tee duplicates a pipe, which holds no more; echo {} > /proc/sys/fs/pipe-max-size",
              granted_size(s.buf_size)));
}

void plan_technique(const Settings& asked, const Capabilities& machine, PipePlan& plan) {
  Planner planner(asked, plan);
  PipeSettings& s = plan.settings.pipe;
  if (needs_vmsplice(s) && machine.probe.vmsplice_errno != 0)
    planner.fall_back("write_with", &PipeSettings::write_with, WriteWith::write,
                      vmsplice_refusal(asked.pipe, machine.probe.vmsplice_errno));
  if (s.gift && s.write_with != WriteWith::vmsplice)
    planner.fall_back("gift", &PipeSettings::gift, false, "only vmsplice can give pages away");
  plan_tee_source(asked, machine, plan);
  if (s.buffers != Buffers::separate && !lends_pages(s.write_with))
    planner.fall_back("buffers", &PipeSettings::buffers, Buffers::separate,
                      "write lends no buffers; it copies from one");
  else if (s.buffers == Buffers::same && s.buf_size % (2 * kPageBytes) != 0)
    planner.fall_back("buffers", &PipeSettings::buffers, Buffers::separate,
                      "each half must be whole pages; set buf_size to a multiple of 8KiB");
}

bool has_thp(std::string_view setting) {
  return !setting.empty() && setting != "never" && setting != "deny";
}

// Of a memfd.
void plan_file_pages(const Settings& asked, const Capabilities& machine, PipePlan& plan) {
  const bool thp = has_thp(machine.shmem_thp);
  const bool hugetlb = plan.settings.pipe.pages == Pages::hugetlb;
  if (thp && !hugetlb) return;
  std::string reason = hugetlb ? "splice does not work from hugetlb files" : "";
  if (!thp)
    reason += fmt::format(
        "{}a memfd gets small pages; echo advise > "
        "/sys/kernel/mm/transparent_hugepage/shmem_enabled",
        hugetlb ? ", and " : "");
  Planner(asked, plan)
      .fall_back("pages", &PipeSettings::pages, thp ? Pages::thp : Pages::k4, std::move(reason));
}

void plan_pages(const Settings& asked, const Capabilities& machine, PipePlan& plan) {
  if (plan.settings.pipe.pages != Pages::thp || has_thp(machine.thp)) return;
  Planner(asked, plan)
      .fall_back("pages", &PipeSettings::pages, Pages::k4,
                 machine.thp.empty() ? "this kernel has no transparent huge pages"
                                     : "transparent huge pages are off; echo madvise > "
                                       "/sys/kernel/mm/transparent_hugepage/enabled");
}

void plan_memory(const Settings& asked, const Capabilities& machine, PipePlan& plan) {
  const PipeSettings& s = plan.settings.pipe;
  if (s.pages != Pages::k4 && s.write_with == WriteWith::splice)
    plan_file_pages(asked, machine, plan);
  else
    plan_pages(asked, machine, plan);
  Planner planner(asked, plan);
  if (!s.touch_pages && s.payload == Payload::stamped)
    planner.fall_back("touch_pages", &PipeSettings::touch_pages, true,
                      "stamping touches every page");
}

void plan_pipe_size(const Settings& asked, const Capabilities& machine, PipePlan& plan) {
  const uint64_t wanted = wanted_pipe_bytes(plan.settings.pipe);
  PipeSettings& s = plan.settings.pipe;
  s.pipe_size = wanted == kAutoPipeSize ? kKernelDefaultPipeBytes : granted_size(wanted);
  if (s.pipe_size <= machine.pipe_max_bytes || machine.may_exceed_pipe_max) return;
  const uint64_t too_much = s.pipe_size;
  s.pipe_size = machine.pipe_max_bytes;
  plan.mismatches.push_back(
      {"pipe_size",
       asked.pipe.pipe_size == kAutoPipeSize ? fmt::format("auto ({})", format_size(too_much))
                                             : format_size(asked.pipe.pipe_size),
       format_size(s.pipe_size),
       fmt::format("above the limit; echo {} > /proc/sys/fs/pipe-max-size", too_much)});
}

void plan_placement(const Settings& asked, const Capabilities& machine, PipePlan& plan) {
  const PlacementChoice choice = choose_cpus(asked.pipe, machine.cpus);
  plan.writer_cpu = choice.writer_cpu;
  plan.reader_cpu = choice.reader_cpu;
  plan.settings.pipe.placement = choice.placement;
  plan.settings.pipe.writer_cpu = choice.writer_cpu;
  plan.settings.pipe.reader_cpu = choice.reader_cpu;
  if (choice.reason.empty()) return;
  plan.mismatches.push_back({"placement", std::string(to_text(asked.pipe.placement)),
                             std::string(to_text(choice.placement)), choice.reason});
}

}  // namespace

PipePlan make_plan(const Settings& requested, const Capabilities& machine) {
  PipePlan plan;
  plan.settings = requested;
  plan_technique(requested, machine, plan);
  plan_memory(requested, machine, plan);
  plan_pipe_size(requested, machine, plan);
  plan_placement(requested, machine, plan);
  return plan;
}

}  // namespace pipetop
