#include <array>

#include "engine/workload/knob_makers.h"
#include "engine/workload/page_cache/page_cache_plan.h"

namespace pipetop {
namespace {

using namespace knob_makers;
using Knobs = PageCacheSettings;

constexpr auto kOurs = &Settings::page_cache;
constexpr std::array<std::string_view, 2> kFiles = {"same", "own"};  // by Files

const std::array kKnobs = {
    number<1, kMaxClients, kOurs, &Knobs::clients>(
        "clients", "processes, each with its own pipe and, if there are enough, its own CPU"),
    choice<kFiles, kOurs, &Knobs::files>("files", {}, "all clients read one file, or each its own"),
    size<kLeastFileBytes, kMostFileBytes, kOurs, &Knobs::file_size>(
        "file_size", "size of each file, kept in the page cache, 1MiB to 64GiB"),
    size<kPageBytes, kMostChunkBytes, kOurs, &Knobs::chunk_size>(
        "chunk_size", "bytes put into the pipe before it is drained, 4KiB to 1MiB"),
    number<1, kMaxGang, kOurs, &Knobs::gang_size>("gang_size", "pages requested per splice"),
};

constexpr std::array kHotKeys = {
    next_key<kFiles, kOurs, &Knobs::files>('s', "files", "files"),
    step_key<less<1u>, kOurs, &Knobs::clients>('<', "clients", "clients -"),
    step_key<more<kMaxClients>, kOurs, &Knobs::clients>('>', "clients", "clients +"),
    step_key<half<kPageBytes>, kOurs, &Knobs::chunk_size>('{', "chunk_size", "chunk -"),
    step_key<twice<kMostChunkBytes>, kOurs, &Knobs::chunk_size>('}', "chunk_size", "chunk +"),
    step_key<half<1u>, kOurs, &Knobs::gang_size>('(', "gang_size", "gang -"),
    step_key<twice<kMaxGang>, kOurs, &Knobs::gang_size>(')', "gang_size", "gang +"),
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
