#include "engine/workload/page_cache/page_cache_knobs.h"

#include <array>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/workload/knob_makers.h"
#include "engine/workload/page_cache/page_cache_plan.h"

namespace pipetop {
namespace {

using namespace knob_makers;
using Knobs = PageCacheSettings;

constexpr auto kOurs = &Settings::page_cache;
constexpr std::array<std::string_view, 2> kFiles = {"same", "own"};  // by Files

// Whole pages.
template <auto Least, auto Most, auto Member>
constexpr Knob pages_knob(std::string_view name, std::string_view help) {
  return {
      name,
      KnobKind::size,
      {},
      {},
      help,
      [](const Settings& s) { return format_size(s.page_cache.*Member); },
      [](Settings& s, std::string_view v) { s.page_cache.*Member = parse_pages(v, Least, Most); }};
}

const std::array kKnobs = {
    number<1, kMaxClients, kOurs, &Knobs::clients>(
        "clients", "processes, each with a pipe and, while there are enough, a CPU of its own"),
    choice<kFiles, kOurs, &Knobs::files>("files", {}, "all clients read one file, or each its own"),
    pages_knob<kLeastFileBytes, kMostFileBytes, &Knobs::file_size>(
        "file_size", "bytes of a file, which stay in the page cache, 1MiB to 64GiB"),
    pages_knob<kPageBytes, kMostChunkBytes, &Knobs::chunk_size>(
        "chunk_size", "bytes that lie in the pipe before it is emptied, 4KiB to 1MiB"),
    number<1, kMaxGang, kOurs, &Knobs::gang_size>("gang_size", "pages asked of one splice"),
};

std::string chunk_value(const Settings& s) { return format_size(s.page_cache.chunk_size); }

constexpr std::array kHotKeys = {
    HotKey{'s', "files", "files", press_next<kFiles, kOurs, &Knobs::files>,
           value_of<kFiles, kOurs, &Knobs::files>, away<kOurs, &Knobs::files>},
    HotKey{'<', "clients", "clients -", press_less<1u, kOurs, &Knobs::clients>,
           number_text<kOurs, &Knobs::clients>, nullptr},
    HotKey{'>', "clients", "clients +", press_more<kMaxClients, kOurs, &Knobs::clients>,
           number_text<kOurs, &Knobs::clients>, nullptr},
    HotKey{'{', "chunk_size", "chunk -", press_halve<kPageBytes, kOurs, &Knobs::chunk_size>,
           chunk_value, nullptr},
    HotKey{'}', "chunk_size", "chunk +", press_double<kMostChunkBytes, kOurs, &Knobs::chunk_size>,
           chunk_value, nullptr},
    HotKey{'(', "gang_size", "gang -", press_halve<1u, kOurs, &Knobs::gang_size>,
           number_text<kOurs, &Knobs::gang_size>, nullptr},
    HotKey{')', "gang_size", "gang +", press_double<kMaxGang, kOurs, &Knobs::gang_size>,
           number_text<kOurs, &Knobs::gang_size>, nullptr},
};

Preset preset(std::string name, std::string title, uint32_t clients, Files files) {
  Settings s;
  s.workload = WorkloadKind::page_cache;
  s.page_cache.clients = clients;
  s.page_cache.files = files;
  return {std::move(name), std::move(title), s};
}

}  // namespace

std::span<const Knob> page_cache_knobs() { return kKnobs; }
std::span<const HotKey> page_cache_hot_keys() { return kHotKeys; }

std::span<const Preset> page_cache_presets() {
  static const std::array presets = {
      preset("one_client", "one client, one file", 1, Files::same),
      preset("two_clients_same", "two clients, the same file", 2, Files::same),
      preset("two_clients_own", "two clients, each its own file", 2, Files::own)};
  return presets;
}

}  // namespace pipetop
