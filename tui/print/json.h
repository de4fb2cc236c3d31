// Common parts of pipetop's JSON. Each type is converted to JSON here, once.
#pragma once

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/reading.h"
#include "engine/experiment/trial.h"
#include "engine/meter/statistics.h"
#include "engine/model/ring_view.h"
#include "engine/model/segment.h"
#include "engine/model/settings.h"
#include "engine/model/snapshot.h"
#include "engine/model/tables.h"

namespace pipetop::tui {

using Json = nlohmann::ordered_json;

// Rounded to six decimals: measurements are not more precise.
inline Json rounded(double value) { return std::round(value * 1e6) / 1e6; }

// On one line, or indented. What a terminal would not show as it is, is escaped; what is no UTF-8,
// which JSON cannot hold, becomes U+FFFD.
std::string json_dump(const Json& json, int indent = -1);

// Sets json[name]: a value, or null with the reason beside it.
void put_null(Json& json, std::string_view name, std::string_view reason);

inline constexpr const char* kNoPipeMax = "/proc/sys/fs/pipe-max-size cannot be read";

inline void put_if(bool known, Json& json, std::string_view name, Json value,
                   std::string_view reason) {
  if (!known) return put_null(json, name, reason);
  json[name] = std::move(value);
}

template <class T>
void put_known(Json& json, std::string_view name, const std::optional<T>& value,
               std::string_view reason) {
  put_if(value.has_value(), json, name, value ? Json(*value) : Json(), reason);
}

template <class T, class ToJson>
void put(Json& json, std::string_view name, const Reading<T>& reading, ToJson to_json) {
  if (!reading.has_value()) return put_null(json, name, reading.reason);
  json[name] = to_json(*reading);
}
template <class T>
void put(Json& json, std::string_view name, const Reading<T>& reading) {
  put(json, name, reading, [](const T& value) -> Json {
    if constexpr (std::is_floating_point_v<T>)
      return rounded(value);
    else
      return value;
  });
}

// to_json() of each.
template <class Range, class ToJson>
Json list_json(const Range& range, ToJson to_json) {
  Json list = Json::array();
  for (const auto& one : range) list.push_back(to_json(one));
  return list;
}

// The machine and its kernel.
Json short_host_json(const HostInfo& host);
// Without the host's facts if `host` is null. `steal_share` belongs to the result.
Json host_json(const HostInfo* host, const Reading<double>& steal_share);

// Every knob by its name, typed by its kind; sizes are bytes.
Json knobs_json(const Settings& settings);
void put_article(Json& json, const Preset& preset);  // "article_gib_per_s"
Json mismatches_json(const std::vector<Mismatch>& mismatches);
Json figures_json(const std::vector<Figure>& figures);

// Without the unit's name, which is its key.
Json rate_json(const RateStats& rate);
// Of ratios to another one in the same rounds: their spread, and their mean with its interval.
Json ratios_json(const Spread& spread, const RatioInterval& interval);
Json whole_spread_json(const Spread& spread);
Json spread_json(const Spread& spread);  // median and quartiles

Json noise_json(const Trial& trial);  // what disturbed it

void put_shares(Json& json, const TimeShares& shares);
void put_times_source(Json& json,
                      const WorkerReadings& worker);  // of the shares, and how good it is
// A process's totals restart with the process, and tell nothing of the one before; those of a role,
// its wakeups, go on.
void put_difference(Json& json, std::string_view name, const WorkerReadings& before,
                    const WorkerReadings& after, Reading<uint64_t> WorkerReadings::*total);

Json functions_json(const FunctionTable& table);
// The roots, heaviest first, with nested callees; nothing is left out. Weights are
// named by their unit, "self_samples"; shares are of the whole tree.
Json call_tree_json(const CallTree& tree, std::string_view unit = "samples");

inline constexpr std::array<std::string_view, kSlotKinds> kKindNames = {
    "empty", "copy", "user_page", "page_cache", "zero_page", "other"};
// "occupancy" and "kinds"
void put_ring(Json& json, const Reading<Occupancy>& occupancy,
              const Reading<std::array<double, kSlotKinds>>& kinds);

}  // namespace pipetop::tui
