#include "engine/knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "engine/error.h"
#include "engine/text.h"

namespace pipetop {
namespace {

using Names = std::span<const std::string_view>;

// Each array is indexed by its enumeration.
constexpr std::array<std::string_view, 2> kRoleNames = {"writer", "reader"};
constexpr std::array<std::string_view, 4> kWriteWith = {"write", "vmsplice", "tee", "splice"};
constexpr std::array<std::string_view, 2> kReadWith = {"read", "splice"};
constexpr std::array<std::string_view, 5> kWait = {"block", "poll", "busy", "busy_poll",
                                                   "adaptive"};
constexpr std::array<std::string_view, 3> kPages = {"4k", "thp", "hugetlb"};
constexpr std::array<std::string_view, 3> kBuffers = {"separate", "same", "single"};
constexpr std::array<std::string_view, 6> kPlacement = {"unpinned", "same_cpu", "smt",
                                                        "near",     "far",      "cpus"};
constexpr std::array<std::string_view, 2> kPayload = {"constant", "stamped"};
constexpr std::array<std::string_view, 2> kBool = {"false", "true"};

template <class Enum>
Enum parse_choice(std::string_view value, Names names) {
  const auto found = std::ranges::find(names, value);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  throw Error(fmt::format("\"{}\" is not one of its values: give {}", value, join_choices(names)));
}

bool parse_bool(std::string_view value) {
  if (value == "true" || value == "on" || value == "yes" || value == "1") return true;
  if (value == "false" || value == "off" || value == "no" || value == "0") return false;
  throw Error(fmt::format("\"{}\" is neither true nor false", value));
}

int parse_cpu(std::string_view value) {
  int cpu = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), cpu);
  if (error != std::errc{} || end != value.data() + value.size() || cpu < 0 || cpu > 8191)
    throw Error(fmt::format("\"{}\" is not a CPU: give its number, from 0", value));
  return cpu;
}

// Whole pages, so that a page of the stream never straddles two transfers and
// the reader can check its stamp in place.
uint64_t parse_buf_size(std::string_view value) {
  const uint64_t bytes = parse_size(value);
  if (bytes < kMinBufBytes || bytes > kMaxBufBytes || bytes % kPageBytes != 0)
    throw Error(
        fmt::format("\"{}\" is out of range: give a multiple of 4KiB, from 4KiB to 64MiB", value));
  return bytes;
}

uint64_t parse_pipe_size(std::string_view value) {
  if (value == "auto") return kAutoPipeSize;
  const uint64_t bytes = parse_size(value);
  if (bytes < kPageBytes || bytes > kMaxPipeBytes)
    throw Error(fmt::format("\"{}\" is out of range: give auto, or 4KiB to 1GiB", value));
  return bytes;
}

std::string format_cpu(int cpu) { return cpu == kNoCpu ? std::string() : std::to_string(cpu); }
std::string format_pipe_size(uint64_t bytes) {
  return bytes == kAutoPipeSize ? "auto" : format_size(bytes);
}

template <class Enum>
std::string name_of(Enum value, Names names) {
  return std::string(names[static_cast<size_t>(value)]);
}

// A choice or boolean knob over one member of Settings.
template <auto Member, const auto& Table>
constexpr Knob choice(std::string_view name, ArticleFlag article, std::string_view help) {
  using Enum = std::remove_cvref_t<decltype(std::declval<Settings>().*Member)>;
  return {name,
          KnobKind::choice,
          Table,
          article,
          help,
          [](const Settings& s) { return name_of(s.*Member, Table); },
          [](Settings& s, std::string_view v) { s.*Member = parse_choice<Enum>(v, Table); }};
}

template <auto Member>
constexpr Knob boolean(std::string_view name, ArticleFlag article, std::string_view help) {
  return {name,
          KnobKind::boolean,
          kBool,
          article,
          help,
          [](const Settings& s) { return std::string(s.*Member ? "true" : "false"); },
          [](Settings& s, std::string_view v) { s.*Member = parse_bool(v); }};
}

template <auto Member>
constexpr Knob cpu_knob(std::string_view name, std::string_view help) {
  return {name,
          KnobKind::cpu,
          {},
          {},
          help,
          [](const Settings& s) { return format_cpu(s.*Member); },
          [](Settings& s, std::string_view v) {
            s.*Member = parse_cpu(v);
            s.placement = Placement::cpus;
          }};
}

constexpr std::array kKnobs = {
    choice<&Settings::write_with, kWriteWith>(
        "write_with", {"write_with_vmsplice", "vmsplice"},
        "how the writer fills it; tee from a pipe of its own, splice from a memfd"),
    choice<&Settings::read_with, kReadWith>("read_with", {"read_with_splice", "splice"},
                                            "how the reader empties it; splice goes to /dev/null"),
    Knob{"wait",
         KnobKind::choice,
         kWait,
         {},
         "what both do while it is full or empty; adaptive spins while that pays",
         [](const Settings& s) {
           return s.writer_wait == s.reader_wait ? name_of(s.writer_wait, kWait) : std::string();
         },
         [](Settings& s, std::string_view v) {
           s.writer_wait = s.reader_wait = parse_choice<Wait>(v, kWait);
         }},
    choice<&Settings::writer_wait, kWait>("writer.wait", {},
                                          "what the writer does while it is full"),
    choice<&Settings::reader_wait, kWait>("reader.wait", {},
                                          "what the reader does while it is empty"),
    choice<&Settings::pages, kPages>("pages", {"huge_page", "thp"}, "what the buffers are made of"),
    boolean<&Settings::gift>("gift", {"gift", "true"}, "vmsplice gives its pages to the kernel"),
    choice<&Settings::buffers, kBuffers>(
        "buffers", {"same_buffer", "same"},
        "what is lent: two buffers, one's halves, or one rewritten too early"),
    boolean<&Settings::touch_pages>("touch_pages", {"dont_touch_pages", "false"},
                                    "fault the pages in before data flows"),
    boolean<&Settings::lock_memory>("lock_memory", {"lock_memory", "true"},
                                    "mlock the buffers, so that they are never reclaimed"),
    Knob{"buf_size",
         KnobKind::size,
         {},
         {},
         "bytes asked of one call, 4KiB to 64MiB",
         [](const Settings& s) { return format_size(s.buf_size); },
         [](Settings& s, std::string_view v) { s.buf_size = parse_buf_size(v); }},
    Knob{"pipe_size",
         KnobKind::size,
         {},
         {},
         "the ring's size; auto: half of buf_size with vmsplice, tee or splice, else the "
         "kernel's default",
         [](const Settings& s) { return format_pipe_size(s.pipe_size); },
         [](Settings& s, std::string_view v) { s.pipe_size = parse_pipe_size(v); }},
    choice<&Settings::placement, kPlacement>("placement", {}, "which CPUs the two run on"),
    cpu_knob<&Settings::writer_cpu>("writer.cpu", "the writer's CPU; makes placement cpus"),
    cpu_knob<&Settings::reader_cpu>("reader.cpu", "the reader's CPU; makes placement cpus"),
    choice<&Settings::payload, kPayload>("payload", {},
                                         "all 'X', or every page numbered and checked by read"),
    boolean<&Settings::check_huge_page>("check_huge_page", {"check_huge_page", "true"},
                                        "refuse to go on when huge pages were not granted"),
    boolean<&Settings::slow_motion>("slow_motion", {},
                                    "a few small operations a second, to watch the ring fill"),
};

// ---- hot keys ---------------------------------------------------------------

template <auto Member, const auto& Table>
void press_next(Settings& s) {
  using Enum = std::remove_cvref_t<decltype(s.*Member)>;
  s.*Member = static_cast<Enum>((static_cast<size_t>(s.*Member) + 1) % Table.size());
}
template <auto Member, const auto& Table>
std::string value_of(const Settings& s) {
  return name_of(s.*Member, Table);
}
template <auto Member>
void press_toggle(Settings& s) {
  s.*Member = !(s.*Member);
}
template <auto Member>
std::string on_or_off(const Settings& s) {
  return s.*Member ? "on" : "off";
}
// `away`: the value differs from its default.
template <auto Member>
bool away(const Settings& s) {
  return s.*Member != Settings{}.*Member;
}

Wait with_busy(Wait w, bool busy) {
  const bool polls = w == Wait::poll || w == Wait::busy_poll;
  if (polls) return busy ? Wait::busy_poll : Wait::poll;
  return busy ? Wait::busy : Wait::block;
}
Wait with_poll(Wait w, bool polls) {
  if (is_busy(w)) return polls ? Wait::busy_poll : Wait::busy;
  return polls ? Wait::poll : Wait::block;
}
bool busy_lit(const Settings& s) { return is_busy(s.writer_wait) && is_busy(s.reader_wait); }
bool poll_lit(const Settings& s) {
  const auto polls = [](Wait w) { return w == Wait::poll || w == Wait::busy_poll; };
  return polls(s.writer_wait) && polls(s.reader_wait);
}
void press_busy(Settings& s) {
  const bool busy = !busy_lit(s);
  s.writer_wait = with_busy(s.writer_wait, busy);
  s.reader_wait = with_busy(s.reader_wait, busy);
}
void press_poll(Settings& s) {
  const bool polls = !poll_lit(s);
  s.writer_wait = with_poll(s.writer_wait, polls);
  s.reader_wait = with_poll(s.reader_wait, polls);
}
bool adaptive_lit(const Settings& s) {
  return s.writer_wait == Wait::adaptive && s.reader_wait == Wait::adaptive;
}
void press_adaptive(Settings& s) {
  s.writer_wait = s.reader_wait = adaptive_lit(s) ? Wait::block : Wait::adaptive;
}

// Sizes step by powers of two.
uint64_t power_below(uint64_t bytes) { return std::bit_floor(bytes - 1); }
uint64_t power_above(uint64_t bytes) { return std::bit_floor(bytes) * 2; }

void press_buf_down(Settings& s) {
  if (s.buf_size > kMinBufBytes) s.buf_size = std::max(kMinBufBytes, power_below(s.buf_size));
}
void press_buf_up(Settings& s) { s.buf_size = std::min(kMaxBufBytes, power_above(s.buf_size)); }

uint64_t pipe_bytes_now(const Settings& s) {
  const uint64_t wanted = wanted_pipe_bytes(s);
  return wanted == kAutoPipeSize ? kKernelDefaultPipeBytes : wanted;
}
// Below the smallest ring lies `auto`.
void press_pipe_down(Settings& s) {
  const uint64_t now = pipe_bytes_now(s);
  s.pipe_size = now <= kPageBytes ? kAutoPipeSize : power_below(now);
}
void press_pipe_up(Settings& s) {
  s.pipe_size = std::min(kMaxPipeBytes, power_above(pipe_bytes_now(s)));
}

// `cpus` is not stepped to: a key cannot say which.
void press_placement(Settings& s) {
  const size_t next = static_cast<size_t>(s.placement) + 1;
  s.placement = static_cast<Placement>(next >= static_cast<size_t>(Placement::cpus) ? 0 : next);
}

std::string buf_value(const Settings& s) { return format_size(s.buf_size); }
std::string pipe_value(const Settings& s) { return format_pipe_size(s.pipe_size); }
std::string busy_value(const Settings& s) { return busy_lit(s) ? "on" : "off"; }
std::string poll_value(const Settings& s) { return poll_lit(s) ? "on" : "off"; }
std::string adaptive_value(const Settings& s) { return adaptive_lit(s) ? "on" : "off"; }

constexpr std::array kHotKeys = {
    HotKey{'v', "write_with", "vmsplice", press_next<&Settings::write_with, kWriteWith>,
           value_of<&Settings::write_with, kWriteWith>, away<&Settings::write_with>},
    HotKey{'s', "read_with", "splice", press_next<&Settings::read_with, kReadWith>,
           value_of<&Settings::read_with, kReadWith>, away<&Settings::read_with>},
    HotKey{'h', "pages", "huge", press_next<&Settings::pages, kPages>,
           value_of<&Settings::pages, kPages>, away<&Settings::pages>},
    HotKey{'b', "wait", "busy", press_busy, busy_value, busy_lit},
    HotKey{'p', "wait", "poll", press_poll, poll_value, poll_lit},
    HotKey{'z', "wait", "adapt", press_adaptive, adaptive_value, adaptive_lit},
    HotKey{'g', "gift", "gift", press_toggle<&Settings::gift>, on_or_off<&Settings::gift>,
           away<&Settings::gift>},
    HotKey{'d', "buffers", "bufs", press_next<&Settings::buffers, kBuffers>,
           value_of<&Settings::buffers, kBuffers>, away<&Settings::buffers>},
    HotKey{'t', "touch_pages", "touch", press_toggle<&Settings::touch_pages>,
           on_or_off<&Settings::touch_pages>, [](const Settings& s) { return s.touch_pages; }},
    HotKey{'l', "lock_memory", "lock", press_toggle<&Settings::lock_memory>,
           on_or_off<&Settings::lock_memory>, away<&Settings::lock_memory>},
    HotKey{'y', "payload", "stamped", press_next<&Settings::payload, kPayload>,
           value_of<&Settings::payload, kPayload>, away<&Settings::payload>},
    HotKey{'{', "pipe_size", "pipe -", press_pipe_down, pipe_value, nullptr},
    HotKey{'}', "pipe_size", "pipe +", press_pipe_up, pipe_value, nullptr},
    HotKey{'(', "buf_size", "buf -", press_buf_down, buf_value, nullptr},
    HotKey{')', "buf_size", "buf +", press_buf_up, buf_value, nullptr},
    HotKey{'c', "placement", "CPUs", press_placement, value_of<&Settings::placement, kPlacement>,
           nullptr},
    HotKey{'m', "slow_motion", "slow", press_toggle<&Settings::slow_motion>,
           on_or_off<&Settings::slow_motion>, away<&Settings::slow_motion>},
};

}  // namespace

std::span<const Knob> knobs() { return kKnobs; }
std::span<const HotKey> hot_keys() { return kHotKeys; }

const Knob* find_knob(std::string_view name) {
  const auto found = std::ranges::find(kKnobs, name, &Knob::name);
  return found == kKnobs.end() ? nullptr : &*found;
}

const Knob& knob(std::string_view name) {
  if (const Knob* found = find_knob(name)) return *found;
  std::vector<std::string_view> names;
  for (const Knob& k : kKnobs) names.push_back(k.name);
  const auto near = nearest(name, names);
  throw Error(fmt::format("there is no knob \"{}\"{}", name,
                          near ? fmt::format(": did you mean {}?", *near) : std::string()));
}

std::string_view to_text(Role v) { return kRoleNames[static_cast<size_t>(v)]; }
std::string_view to_text(WriteWith v) { return kWriteWith[static_cast<size_t>(v)]; }
std::string_view to_text(ReadWith v) { return kReadWith[static_cast<size_t>(v)]; }
std::string_view to_text(Wait v) { return kWait[static_cast<size_t>(v)]; }
std::string_view to_text(Pages v) { return kPages[static_cast<size_t>(v)]; }
std::string_view to_text(Buffers v) { return kBuffers[static_cast<size_t>(v)]; }
std::string_view to_text(Placement v) { return kPlacement[static_cast<size_t>(v)]; }
std::string_view to_text(Payload v) { return kPayload[static_cast<size_t>(v)]; }

void validate(const Settings& s) {
  if (s.placement == Placement::cpus && s.writer_cpu == kNoCpu && s.reader_cpu == kNoCpu)
    throw Error("placement cpus needs writer.cpu, reader.cpu or both");
  if (s.check_huge_page && !s.touch_pages)
    throw Error("check_huge_page needs touch_pages: pages not touched are not there to be checked");
}

uint64_t wanted_pipe_bytes(const Settings& s) {
  if (s.pipe_size != kAutoPipeSize) return s.pipe_size;
  if (lends_pages(s.write_with)) return std::max(kPageBytes, s.buf_size / 2);
  return kAutoPipeSize;
}

}  // namespace pipetop
