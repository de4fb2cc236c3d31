#include "engine/workload/pipe/pipe_knobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/workload/knob_makers.h"

namespace pipetop {
namespace {

using namespace knob_makers;

using P = PipeSettings;
constexpr auto kPipe = &Settings::pipe;

// Each array is indexed by its enumeration.
constexpr std::array<std::string_view, 4> kWriteWith = {"write", "vmsplice", "tee", "splice"};
constexpr std::array<std::string_view, 2> kReadWith = {"read", "splice"};
constexpr std::array<std::string_view, 5> kWait = {"block", "poll", "busy", "busy_poll",
                                                   "adaptive"};
constexpr std::array<std::string_view, 3> kPages = {"4k", "thp", "hugetlb"};
constexpr std::array<std::string_view, 3> kBuffers = {"separate", "same", "single"};
constexpr std::array<std::string_view, 6> kPlacement = {"unpinned", "same_cpu", "smt",
                                                        "near",     "far",      "cpus"};
constexpr std::array<std::string_view, 2> kPayload = {"constant", "stamped"};

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

template <auto Member>
Knob cpu_knob(std::string_view name, std::string_view help) {
  return {name,
          KnobKind::cpu,
          {},
          {},
          help,
          [](const Settings& s) { return format_cpu(s.pipe.*Member); },
          [](Settings& s, std::string_view v) {
            s.pipe.*Member = parse_cpu(v);
            s.pipe.placement = Placement::cpus;
          }};
}

const std::array kKnobs = {
    choice<kWriteWith, kPipe, &P::write_with>(
        "write_with", {"write_with_vmsplice", "vmsplice"},
        "how the writer fills the pipe; tee from a second pipe, splice from a memfd"),
    choice<kReadWith, kPipe, &P::read_with>(
        "read_with", {"read_with_splice", "splice"},
        "how the reader drains the pipe; splice goes to /dev/null"),
    Knob{"wait",
         KnobKind::choice,
         kWait,
         {},
         "what both do on a full or empty pipe; adaptive spins if it helps",
         [](const Settings& s) {
           return std::string(s.pipe.writer_wait == s.pipe.reader_wait ? to_text(s.pipe.writer_wait)
                                                                       : "");
         },
         [](Settings& s, std::string_view v) {
           s.pipe.writer_wait = s.pipe.reader_wait = static_cast<Wait>(parse_choice(v, kWait));
         }},
    choice<kWait, kPipe, &P::writer_wait>("writer.wait", {}, "what the writer does on a full pipe"),
    choice<kWait, kPipe, &P::reader_wait>("reader.wait", {},
                                          "what the reader does on an empty pipe"),
    choice<kPages, kPipe, &P::pages>("pages", {"huge_page", "thp"},
                                     "the kind of pages that the buffers use"),
    boolean<kPipe, &P::gift>("gift", {"gift", "true"}, "vmsplice gives its pages to the kernel"),
    choice<kBuffers, kPipe, &P::buffers>(
        "buffers", {"same_buffer", "same"},
        "two buffers, two halves of one, or one that is rewritten too early"),
    boolean<kPipe, &P::touch_pages>("touch_pages", {"dont_touch_pages", "false"},
                                    "fault the pages in before data flows"),
    boolean<kPipe, &P::lock_memory>("lock_memory", {"lock_memory", "true"},
                                    "mlock the buffers so that they stay in memory"),
    // Whole pages, so that a page of the stream is never split between two
    // transfers and the reader can check its stamp in place.
    size<kMinBufBytes, kMaxBufBytes, kPipe, &P::buf_size>("buf_size",
                                                          "bytes per call, 4KiB to 64MiB"),
    Knob{"pipe_size",
         KnobKind::size,
         {},
         {},
         "the ring's size; auto: half of buf_size with vmsplice, tee or splice, else the "
         "kernel's default",
         [](const Settings& s) { return format_pipe_size(s.pipe.pipe_size); },
         [](Settings& s, std::string_view v) { s.pipe.pipe_size = parse_pipe_size(v); }},
    choice<kPlacement, kPipe, &P::placement>("placement", {},
                                             "which CPUs writer and reader run on"),
    cpu_knob<&P::writer_cpu>("writer.cpu", "the writer's CPU; sets placement to cpus"),
    cpu_knob<&P::reader_cpu>("reader.cpu", "the reader's CPU; sets placement to cpus"),
    choice<kPayload, kPipe, &P::payload>("payload", {},
                                         "all 'X', or every page numbered and checked by read"),
    boolean<kPipe, &P::check_huge_page>("check_huge_page", {"check_huge_page", "true"},
                                        "fail if huge pages were not granted"),
    boolean<kPipe, &P::slow_motion>("slow_motion", {},
                                    "a few small operations per second, to watch the ring fill"),
    boolean<kPipe, &P::single_step>("single_step", {},
                                    "slow motion waits for a key: [ is one write, ] one read"),
    number<1, kMaxPairs, kPipe, &P::pairs>("pairs",
                                           "pipes in parallel, each with a writer and a reader"),
};

// ---- hot keys ---------------------------------------------------------------

constexpr bool polls(Wait w) { return w == Wait::poll || w == Wait::busy_poll; }
constexpr bool adapts(Wait w) { return w == Wait::adaptive; }

Wait with_busy(Wait w, bool on) {
  if (polls(w)) return on ? Wait::busy_poll : Wait::poll;
  return on ? Wait::busy : Wait::block;
}
Wait with_poll(Wait w, bool on) {
  if (is_busy(w)) return on ? Wait::busy_poll : Wait::busy;
  return on ? Wait::poll : Wait::block;
}
Wait with_adaptive(Wait, bool on) { return on ? Wait::adaptive : Wait::block; }

template <bool (*Waits)(Wait)>
bool both(const Settings& s) {
  return Waits(s.pipe.writer_wait) && Waits(s.pipe.reader_wait);
}

// A key that changes how both roles wait, lit when both wait like this.
template <bool (*Waits)(Wait), Wait (*With)(Wait, bool)>
constexpr HotKey wait_key(char key, std::string_view label, std::string_view help) {
  const auto press = [](Settings& s) {
    const bool on = !both<Waits>(s);
    for (Wait* wait : {&s.pipe.writer_wait, &s.pipe.reader_wait}) *wait = With(*wait, on);
  };
  const auto value = [](const Settings& s) { return std::string(both<Waits>(s) ? "on" : "off"); };
  return {key, "wait", label, press, value, both<Waits>, help};
}

template <Pages Kind>
constexpr HotKey pages_key(char key, std::string_view help) {
  return {key,
          "pages",
          "huge",
          [](Settings& s) { s.pipe.pages = s.pipe.pages == Kind ? Pages::k4 : Kind; },
          [](const Settings& s) { return std::string(to_text(s.pipe.pages)); },
          [](const Settings& s) { return s.pipe.pages != Pages::k4; },
          help};
}

// Single steps go on in slow motion, then at full speed.
void press_slow(Settings& s) {
  if (!s.pipe.single_step) s.pipe.slow_motion = !s.pipe.slow_motion;
  s.pipe.single_step = false;
}

uint64_t pipe_bytes_now(const Settings& s) {
  const uint64_t wanted = wanted_pipe_bytes(s.pipe);
  return wanted == kAutoPipeSize ? kKernelDefaultPipeBytes : wanted;
}
// Below the smallest ring is `auto`.
void press_pipe_down(Settings& s) {
  const uint64_t now = pipe_bytes_now(s);
  s.pipe.pipe_size = now <= kPageBytes ? kAutoPipeSize : power_below(now);
}
void press_pipe_up(Settings& s) {
  s.pipe.pipe_size = std::min(kMaxPipeBytes, power_above(pipe_bytes_now(s)));
}

// Does not step to `cpus`: a key cannot select the CPUs.
void press_placement(Settings& s) {
  const size_t next = static_cast<size_t>(s.pipe.placement) + 1;
  s.pipe.placement =
      static_cast<Placement>(next >= static_cast<size_t>(Placement::cpus) ? 0 : next);
}

std::string pipe_value(const Settings& s) { return format_pipe_size(s.pipe.pipe_size); }
std::string placement_value(const Settings& s) { return std::string(to_text(s.pipe.placement)); }
// Lit while it has its default: touching is the active choice.
constexpr HotKey touch_key() {
  HotKey key = toggle_key<kPipe, &P::touch_pages>('t', "touch_pages", "touch");
  key.lit = [](const Settings& s) { return s.pipe.touch_pages; };
  return key;
}

constexpr HotKey slow_key() {
  HotKey key = toggle_key<kPipe, &P::slow_motion>('m', "slow_motion", "slow");
  key.press = press_slow;
  return key;
}

constexpr std::array kHotKeys = {
    next_key<kWriteWith, kPipe, &P::write_with>('v', "write_with", "vmsplice"),
    next_key<kReadWith, kPipe, &P::read_with>('s', "read_with", "splice"),
    pages_key<Pages::thp>('h', "huge pages: the buffers use 4k or transparent huge pages"),
    pages_key<Pages::hugetlb>('H', "huge pages from the reserved pool: hugetlb, or 4k"),
    wait_key<is_busy, with_busy>('b', "busy", "repeat the call until it succeeds; never sleep"),
    wait_key<polls, with_poll>('p', "poll", "ask poll(2) before each call; with busy, never sleep"),
    wait_key<adapts, with_adaptive>('z', "adapt", "spin for a short while, then sleep"),
    toggle_key<kPipe, &P::gift>('g', "gift", "gift"),
    next_key<kBuffers, kPipe, &P::buffers>('d', "buffers", "bufs"),
    touch_key(),
    toggle_key<kPipe, &P::lock_memory>('l', "lock_memory", "lock"),
    next_key<kPayload, kPipe, &P::payload>('y', "payload", "stamped"),
    HotKey{'{', "pipe_size", "pipe -", press_pipe_down, pipe_value, nullptr},
    HotKey{'}', "pipe_size", "pipe +", press_pipe_up, pipe_value, nullptr},
    step_key<half<kMinBufBytes>, kPipe, &P::buf_size>('(', "buf_size", "buf -"),
    step_key<twice<kMaxBufBytes>, kPipe, &P::buf_size>(')', "buf_size", "buf +"),
    HotKey{'c', "placement", "CPUs", press_placement, placement_value, nullptr},
    slow_key(),
    step_key<less<1u>, kPipe, &P::pairs>('<', "pairs", "pairs -"),
    step_key<more<kMaxPairs>, kPipe, &P::pairs>('>', "pairs", "pairs +"),
};

// The combinations of the article's measure.py, with its published figures, and ours.
std::array<Preset, 8> make_presets() {
  Settings s;
  std::array<Preset, 8> rungs;
  rungs[0] = {"write_read", "write, read", s, 3.7};
  s.pipe.pages = Pages::thp;
  rungs[1] = {"write_read_huge", "write, read, huge pages", s, 0};
  s.pipe.pages = Pages::k4;
  s.pipe.write_with = WriteWith::vmsplice;
  rungs[2] = {"vmsplice_read", "vmsplice, read", s, 12.7};
  s.pipe.pages = Pages::thp;
  rungs[3] = {"vmsplice_read_huge", "vmsplice, read, huge pages", s, 0};
  s.pipe.pages = Pages::k4;
  s.pipe.read_with = ReadWith::splice;
  rungs[4] = {"vmsplice_splice", "vmsplice, splice", s, 32.8};
  s.pipe.pages = Pages::thp;
  rungs[5] = {"vmsplice_splice_huge", "vmsplice, splice, huge pages", s, 51.0};
  s.pipe.writer_wait = s.pipe.reader_wait = Wait::busy;
  rungs[6] = {"busy_loop_huge", "vmsplice, splice, huge pages, busy loop", s, 62.5};
  s.pipe = {.write_with = WriteWith::vmsplice,
            .buffers = Buffers::single,
            .buf_size = 1 << 20,  // the reader is probably still reading it during the rewrite
            .payload = Payload::stamped};
  rungs[7] = {"hazard", "the buffer is rewritten too early: torn pages", s, 0};
  return rungs;
}

}  // namespace

std::span<const Knob> pipe_knobs() { return kKnobs; }
std::span<const HotKey> pipe_hot_keys() { return kHotKeys; }

std::string_view to_text(WriteWith v) { return kWriteWith[static_cast<size_t>(v)]; }
std::string_view to_text(ReadWith v) { return kReadWith[static_cast<size_t>(v)]; }
std::string_view to_text(Wait v) { return kWait[static_cast<size_t>(v)]; }
std::string_view to_text(Pages v) { return kPages[static_cast<size_t>(v)]; }
std::string_view to_text(Buffers v) { return kBuffers[static_cast<size_t>(v)]; }
std::string_view to_text(Placement v) { return kPlacement[static_cast<size_t>(v)]; }
std::string_view to_text(Payload v) { return kPayload[static_cast<size_t>(v)]; }

void validate_pipe(const Settings& s) {
  if (s.pipe.placement == Placement::cpus && s.pipe.writer_cpu == kNoCpu &&
      s.pipe.reader_cpu == kNoCpu)
    throw Error("placement cpus needs writer.cpu, reader.cpu or both");
  if (s.pipe.check_huge_page && !s.pipe.touch_pages)
    throw Error("check_huge_page needs touch_pages: untouched pages cannot be checked");
  if (s.pipe.single_step && !s.pipe.slow_motion)
    throw Error("single_step needs slow_motion: set both, or neither");
}

uint64_t wanted_pipe_bytes(const PipeSettings& s) {
  if (s.pipe_size != kAutoPipeSize) return s.pipe_size;
  if (lends_pages(s.write_with)) return std::max(kPageBytes, s.buf_size / 2);
  return kAutoPipeSize;
}

std::span<const Preset> built_in_presets() {
  static const std::array<Preset, 8> presets = make_presets();
  return presets;
}

std::span<const Preset> article_presets() { return built_in_presets().first(7); }

}  // namespace pipetop
