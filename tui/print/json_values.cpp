#include "tui/print/json_values.h"

#include "engine/base/text.h"
#include "engine/registry/knobs.h"

namespace pipetop::tui {
namespace {

// `auto` stays a word: which size it stands for is known from the effective one.
Json size_json(const std::string& value) {
  if (value == "auto") return value;
  return parse_size(value);
}

Json value_json(const Knob& knob, const std::string& value) {
  switch (knob.kind) {
    case KnobKind::boolean:
      return value == "true";
    case KnobKind::size:
      return size_json(value);
    case KnobKind::cpu:
    case KnobKind::number:
      return std::stoi(value);
    case KnobKind::choice:
      break;
  }
  return value;
}

const char* why_without(const Knob& knob) {
  return knob.kind == KnobKind::cpu ? "not chosen" : "the roles differ";
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Json short_host_json(const HostInfo& host) {
  return {{"kernel", host.kernel},
          {"cpu", host.cpu},
          {"cpus", host.cpus},
          {"hypervisor", host.hypervisor}};
}

Json knobs_json(const Settings& settings) {
  Json json = Json::object();
  for (const Knob& knob : knobs_of(settings)) {
    const std::string name(knob.name), value = knob.get(settings);
    if (value.empty())
      put_null(json, name, why_without(knob));
    else
      json[name] = value_json(knob, value);
  }
  return json;
}

void put_article(Json& json, const Preset& preset) {
  if (preset.article_gib_per_s > 0)
    json["article_gib_per_s"] = preset.article_gib_per_s;
  else
    put_null(json, "article_gib_per_s", "the article prints none");
}

void put_occupancy(Json& json, const Reading<Occupancy>& occupancy) {
  if (!occupancy.has_value()) return put_null(json, "occupancy", occupancy.reason);
  Json histogram = Json::array();
  for (const double share : occupancy->histogram) histogram.push_back(rounded(share));
  json["occupancy"] = {{"source", occupancy->source},
                       {"samples", occupancy->samples},
                       {"mean", rounded(occupancy->mean_share)},
                       {"empty_share", rounded(occupancy->empty_share)},
                       {"full_share", rounded(occupancy->full_share)},
                       {"histogram", histogram}};
}

void put_kinds(Json& json, const Reading<std::array<double, kSlotKinds>>& kinds) {
  if (!kinds.has_value()) return put_null(json, "kinds", kinds.reason);
  json["kinds"] = Json::object();
  for (size_t i = 0; i < kSlotKinds; ++i)
    if (const double share = (*kinds)[i]; share > 0) json["kinds"][kKindNames[i]] = rounded(share);
}

std::string to_line(const Json& json) { return dump(json, -1); }
std::string to_lines(const Json& json) { return dump(json, 2); }

}  // namespace pipetop::tui
