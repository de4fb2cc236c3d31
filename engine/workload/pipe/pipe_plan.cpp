#include "engine/workload/pipe/pipe_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/base/text.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

// The kernel's own rounding, so that what it grants can be compared with it.
uint64_t granted_size(uint64_t bytes) { return std::max(kPageBytes, std::bit_ceil(bytes)); }

std::string vmsplice_refusal(const PipeSettings& asked, int error) {
  return fmt::format("vmsplice{}: {}; a seccomp filter or this kernel refuses it",
                     asked.write_with == WriteWith::tee ? ", which fills tee's source" : "",
                     std::strerror(error));
}

bool has_thp(const ThpSetting& setting) {
  return !setting.value.empty() && setting.value != "never" && setting.value != "deny";
}

class Planner {
 public:
  Planner(const Settings& requested, const Capabilities& machine)
      : requested_(requested), asked_(requested.pipe), machine_(machine) {
    plan_.settings = requested;
  }

  Effective make() {
    plan_technique();
    plan_memory();
    plan_pipe_size();
    plan_placement();
    return std::move(plan_);
  }

 private:
  // Changes one knob of the plan and records why. What was requested stays the original
  // value even if several rules change the same knob.
  template <class Value>
  void fall_back(std::string_view name, Value PipeSettings::*member, Value value,
                 std::string reason) {
    s_.*member = value;
    plan_.mismatches.push_back(
        mismatch_of(pipe_knobs(), name, requested_, plan_.settings, std::move(reason)));
  }

  // A call of tee duplicates at most the contents of its source, which is also a pipe.
  void plan_tee_source() {
    if (s_.write_with != WriteWith::tee || machine_.may_exceed_pipe_max) return;
    if (s_.buf_size <= machine_.pipe_max_bytes) return;
    fall_back(
        "buf_size", &PipeSettings::buf_size, machine_.pipe_max_bytes,
        fmt::format(
            "tee duplicates a pipe, which holds no more; echo {} > /proc/sys/fs/pipe-max-size",
            granted_size(s_.buf_size)));
  }

  void plan_technique() {
    const bool vmsplices = s_.write_with == WriteWith::vmsplice || s_.write_with == WriteWith::tee;
    if (vmsplices && machine_.probe.vmsplice_errno != 0)
      fall_back("write_with", &PipeSettings::write_with, WriteWith::write,
                vmsplice_refusal(asked_, machine_.probe.vmsplice_errno));
    if (s_.gift && s_.write_with != WriteWith::vmsplice)
      fall_back("gift", &PipeSettings::gift, false, "only vmsplice can give pages away");
    plan_tee_source();
    if (s_.buffers != Buffers::separate && !lends_pages(s_.write_with))
      fall_back("buffers", &PipeSettings::buffers, Buffers::separate,
                "write lends no buffers; it copies from one");
    else if (s_.buffers == Buffers::same && s_.buf_size % (2 * kPageBytes) != 0)
      fall_back("buffers", &PipeSettings::buffers, Buffers::separate,
                "each half must be whole pages; set buf_size to a multiple of 8KiB");
  }

  // Plans the pages of a memfd.
  void plan_file_pages() {
    const bool thp = has_thp(machine_.shmem_thp);
    const bool hugetlb = s_.pages == Pages::hugetlb;
    if (thp && !hugetlb) return;
    std::string reason = hugetlb ? "splice does not work from hugetlb files" : "";
    if (!thp)
      reason += fmt::format("{}a memfd gets small pages; echo advise > {}", hugetlb ? ", and " : "",
                            machine_.shmem_thp.file);
    fall_back("pages", &PipeSettings::pages, thp ? Pages::thp : Pages::k4, std::move(reason));
  }

  void plan_pages() {
    if (s_.pages != Pages::thp || has_thp(machine_.thp)) return;
    fall_back(
        "pages", &PipeSettings::pages, Pages::k4,
        machine_.thp.value.empty()
            ? "this kernel has no transparent huge pages"
            : fmt::format("transparent huge pages are off; echo madvise > {}", machine_.thp.file));
  }

  void plan_memory() {
    if (s_.pages != Pages::k4 && s_.write_with == WriteWith::splice)
      plan_file_pages();
    else
      plan_pages();
    if (!s_.touch_pages && s_.payload == Payload::stamped)
      fall_back("touch_pages", &PipeSettings::touch_pages, true, "stamping touches every page");
  }

  void plan_pipe_size() {
    const uint64_t wanted = wanted_pipe_bytes(s_);
    s_.pipe_size = wanted == kAutoPipeSize ? kKernelDefaultPipeBytes : granted_size(wanted);
    if (s_.pipe_size <= machine_.pipe_max_bytes || machine_.may_exceed_pipe_max) return;
    const uint64_t too_much = s_.pipe_size;
    s_.pipe_size = machine_.pipe_max_bytes;
    plan_.mismatches.push_back(
        {"pipe_size",
         asked_.pipe_size == kAutoPipeSize ? fmt::format("auto ({})", format_size(too_much))
                                           : format_size(asked_.pipe_size),
         format_size(s_.pipe_size),
         fmt::format("above the limit; echo {} > /proc/sys/fs/pipe-max-size", too_much)});
  }

  void plan_placement() {
    const PlacementChoice choice = choose_cpus(asked_, machine_.cpus);
    s_.placement = choice.placement;
    s_.writer_cpu = choice.writer_cpu;
    s_.reader_cpu = choice.reader_cpu;
    if (choice.reason.empty()) return;
    plan_.mismatches.push_back({"placement", std::string(to_text(asked_.placement)),
                                std::string(to_text(choice.placement)), choice.reason});
  }

  const Settings& requested_;
  const PipeSettings& asked_;
  const Capabilities& machine_;
  Effective plan_;
  PipeSettings& s_ = plan_.settings.pipe;
};

}  // namespace

Effective make_plan(const Settings& requested, const Capabilities& machine) {
  return Planner(requested, machine).make();
}

std::string obstacle_of(const Settings& requested, std::string_view knob,
                        const Capabilities& machine, uint64_t free_huge_pages) {
  if (knob != "pages" && knob != "placement") return {};
  if (knob == "pages" && requested.pipe.pages == Pages::hugetlb && free_huge_pages == 0)
    return "no free huge pages here; echo 16 > /proc/sys/vm/nr_hugepages";
  const Effective plan = make_plan(requested, machine);
  const auto found = std::ranges::find(plan.mismatches, knob, &Mismatch::knob);
  return found == plan.mismatches.end() ? std::string() : found->reason;
}

}  // namespace pipetop
