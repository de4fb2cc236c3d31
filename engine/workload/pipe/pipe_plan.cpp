#include "engine/workload/pipe/pipe_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/text.h"
#include "engine/process/pipe_owner.h"
#include "engine/workload/pipe/pipe_knobs.h"

namespace pipetop {
namespace {

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
            ring_bytes_for(s_.buf_size)));
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
    s_.pipe_size = wanted == kAutoPipeSize ? kKernelDefaultPipeBytes : ring_bytes_for(wanted);
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

std::string words(uint64_t error) { return std::strerror(static_cast<int>(error)); }

Lending lending_of(WriteWith technique) {
  if (technique == WriteWith::splice) return kFileLending;
  return {SlotKind::user_page, "the writer's own pages",
          technique == WriteWith::tee ? "vmsplice, which fills tee's source," : "vmsplice"};
}

// Each public function compares a part of the plan with the facts.
class Judge {
 public:
  Judge(const Settings& requested, const EffectiveFacts& facts, Effective& effective)
      : requested_(requested), facts_(facts), effective_(effective) {}

  void pages() {
    const Pages planned = s_.pages;
    s_.pages = granted_pages(planned);
    if (s_.pages != planned)
      note("pages", planned == Pages::hugetlb
                        ? "not enough free huge pages; echo 16 > /proc/sys/vm/nr_hugepages"
                        : fmt::format("madvise: {}", words(first_error(&PipeReport::pages_error))));
    if (s_.pages != Pages::k4 && facts_.huge.has_value() && !*facts_.huge) {
      s_.pages = Pages::k4;
      note("pages", "the kernel had no free huge page");
    }
  }

  void lock() {
    const int error = first_error(&PipeReport::lock_error);
    if (!s_.lock_memory || error == 0) return;
    s_.lock_memory = false;
    note("lock_memory", fmt::format("mlock: {}; raise the limit with ulimit -l", words(error)));
  }

  void pipe_size() {
    const uint64_t planned = s_.pipe_size;
    s_.pipe_size = facts_.pipe_bytes;
    if (facts_.pipe_bytes == planned) return;
    if (facts_.draining)
      note("pipe_size", "waits for the reader to drain the ring");
    else if (facts_.resize_error == EPERM)
      note("pipe_size",
           "refused: over this user's /proc/sys/fs/pipe-user-pages-soft; sudo sysctl "
           "fs.pipe-user-pages-soft=0");
    else if (facts_.resize_error != 0)
      note("pipe_size", fmt::format("F_SETPIPE_SZ: {}", std::strerror(facts_.resize_error)));
  }

  // The pipe that tee duplicates is smaller than requested.
  void call_size() {
    const uint64_t bytes = facts_.writer ? facts_.writer->call_bytes : 0;
    if (bytes == 0 || bytes >= s_.buf_size) return;
    s_.buf_size = bytes;
    note("buf_size",
         "tee duplicates a pipe, which cannot be larger: over /proc/sys/fs/pipe-max-size or this "
         "user's pipe-user-pages-soft");
  }

  // A sixteenth of the ring per call is what slow motion is, so that is no mismatch.
  void slow_motion() {
    if (s_.slow_motion) s_.buf_size = slow_bytes(facts_.pipe_bytes, s_.buf_size);
  }

  // A pinned worker on another CPU was moved from outside.
  void cpus() {
    std::string asked, seen;
    for (const Role role : {Role::writer, Role::reader}) {
      int& cpu = role == Role::writer ? s_.writer_cpu : s_.reader_cpu;
      const std::optional<int> run_on = facts_.seen.run_on[static_cast<size_t>(role)];
      if (cpu == kNoCpu || !run_on || *run_on == cpu) continue;
      const char* comma = asked.empty() ? "" : ", ";
      asked += fmt::format("{}{} on CPU {}", comma, to_text(role), cpu);
      seen += fmt::format("{}{} on CPU {}", comma, to_text(role), *run_on);
      cpu = *run_on;
    }
    if (asked.empty()) return;
    note({"placement", asked, seen,
          "moved from outside, by taskset or a cpuset; the next change pins it again"});
  }

  void zero_copy() {
    EffectivePipe& pipe = effective_.pipe;
    if (lends_pages(s_.write_with)) {
      const bool file = s_.write_with == WriteWith::splice;
      judge_lending(lending_of(s_.write_with), facts_.seen, file ? facts_.file_probe : facts_.probe,
                    pipe);
      if (pipe.zero_copy == ZeroCopy::copied)
        note({"write_with", std::string(to_text(requested_.pipe.write_with)),
              fmt::format("{}, but copied", to_text(s_.write_with)), pipe.zero_copy_reason});
    } else {
      pipe.zero_copy = ZeroCopy::copied;
      pipe.zero_copy_reason = "write copies the bytes into kernel pages";
    }
    pipe.zero_copy_reason += s_.read_with == ReadWith::read
                                 ? "; read then copies the bytes out"
                                 : "; splice to /dev/null copies nothing";
  }

 private:
  // One mismatch per knob: the latest is the most accurate.
  void note(Mismatch mismatch) {
    std::erase_if(effective_.mismatches,
                  [&](const Mismatch& m) { return m.knob == mismatch.knob; });
    effective_.mismatches.push_back(std::move(mismatch));
  }
  void note(std::string_view name, std::string reason) {
    note(mismatch_of(pipe_knobs(), name, requested_, effective_.settings, std::move(reason)));
  }

  Pages granted_pages(Pages planned) const {
    Pages pages = planned;
    for (const auto& report : {facts_.writer, facts_.reader})
      if (report && report->buffer_address[0] != 0) pages = std::min(pages, report->pages);
    return pages;
  }

  int first_error(int PipeReport::*field) const {
    for (const auto& report : {facts_.writer, facts_.reader})
      if (report && (*report).*field != 0) return (*report).*field;
    return 0;
  }

  const Settings& requested_;
  const EffectiveFacts& facts_;
  Effective& effective_;
  PipeSettings& s_ = effective_.settings.pipe;
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

Effective make_effective(const Settings& requested, const Effective& plan,
                         const EffectiveFacts& facts) {
  Effective effective = plan;
  effective.pipe.bytes = facts.pipe_bytes;
  effective.pipe.huge = facts.huge;
  Judge judge(requested, facts, effective);
  judge.pages();
  judge.lock();
  judge.pipe_size();
  judge.call_size();
  judge.slow_motion();
  judge.cpus();
  judge.zero_copy();
  return effective;
}

}  // namespace pipetop
