// The parts that all JSON of pipetop is made of.
#pragma once

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/reading.h"
#include "engine/model/presets.h"
#include "engine/model/ring_view.h"
#include "engine/model/settings.h"
#include "engine/model/snapshot.h"

namespace pipetop::tui {

using Json = nlohmann::ordered_json;

inline constexpr int kSchema = 1;  // "schema" of all JSON

// To six digits after the point: what is measured is not known better.
inline Json rounded(double value) { return std::round(value * 1e6) / 1e6; }

// Sets json[name]: a value, or null with the reason beside it.
inline void put_null(Json& json, const std::string& name, const std::string& reason) {
  json[name] = nullptr;
  json[name + "_reason"] = reason;
}

template <class T>
void put(Json& json, const std::string& name, const Reading<T>& reading) {
  if (!reading.has_value()) return put_null(json, name, reading.reason);
  if constexpr (std::is_floating_point_v<T>)
    json[name] = rounded(*reading);
  else
    json[name] = *reading;
}

// Which machine and kernel it is.
Json short_host_json(const HostInfo& host);

// Every knob by its name, typed by its kind; sizes are bytes.
Json knobs_json(const Settings& settings);

// Sets json["article_gib_per_s"].
void put_article(Json& json, const Preset& preset);

// Sets json["occupancy"] and json["kinds"].
inline constexpr std::array<const char*, kSlotKinds> kKindNames = {
    "empty", "copy", "user_page", "page_cache", "zero_page", "other"};
void put_occupancy(Json& json, const Reading<Occupancy>& occupancy);
void put_kinds(Json& json, const Reading<std::array<double, kSlotKinds>>& kinds);

// As text with a newline. Bytes that are no UTF-8 are replaced: names come from
// the kernel and from files.
std::string to_line(const Json& json);
std::string to_lines(const Json& json);  // indented

}  // namespace pipetop::tui
