#include "tui/print/print_doctor.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "engine/base/version.h"
#include "engine/observe/capabilities.h"
#include "tui/print/json_values.h"

namespace pipetop::tui {
namespace {

constexpr std::array<const char*, 3> kResults = {"works", "limited", "missing"};

const char* result_text(const Check& check) { return kResults[static_cast<size_t>(check.result)]; }

std::string check_lines(const Check& check, size_t name_width) {
  std::string text =
      fmt::format("{:<7}  {:<{}}  {}\n", result_text(check), check.name, name_width, check.found);
  const std::string indent(9 + name_width + 2, ' ');
  if (!check.why.empty()) text += fmt::format("{}why: {}\n", indent, check.why);
  const bool said = !observe::lost_without_root(check.why).empty();  // on top, once for all
  if (!check.remedy.empty() && !said) text += fmt::format("{}try: {}\n", indent, check.remedy);
  return text;
}

// What a user without root loses, if that is who runs it.
std::string lost(std::span<const Check> checks) {
  std::string line;
  for (const Check& check : checks)
    if (line.empty()) line = observe::lost_without_root(check.why);
  return line;
}

}  // namespace

std::string host_line(const HostInfo& host) {
  return fmt::format("Linux {}, {}, {} CPU{}{}\n", host.kernel, host.cpu, host.cpus,
                     host.cpus == 1 ? "" : "s",
                     host.hypervisor.empty() ? "" : ", a guest of " + host.hypervisor);
}

std::string print_doctor_human(const HostInfo& host, std::span<const Check> checks) {
  std::string text = host_line(host);
  if (const std::string line = lost(checks); !line.empty()) text += line + "\n";
  text += "\n";
  size_t name_width = 0;
  for (const Check& check : checks) name_width = std::max(name_width, check.name.size());
  for (const Check& check : checks) text += check_lines(check, name_width);
  return text;
}

std::string print_doctor_json(const HostInfo& host, std::span<const Check> checks) {
  Json json = {{"schema", kSchema},
               {"version", kVersion},
               {"host", short_host_json(host)},
               {"checks", Json::array()}};
  for (const Check& check : checks)
    json["checks"].push_back({{"name", check.name},
                              {"result", result_text(check)},
                              {"found", check.found},
                              {"why", check.why},
                              {"remedy", check.remedy}});
  const std::string line = lost(checks);
  json["lost_without_root"] = line.empty() ? Json() : Json(line);
  return to_lines(json);
}

}  // namespace pipetop::tui
