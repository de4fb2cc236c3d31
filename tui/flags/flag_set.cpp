#include "tui/flags/flag_set.h"

#include <fmt/core.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <utility>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

CLI::Option* add_bare(CLI::App& app, const Flag& flag, FlagSet::Take take) {
  return app.add_flag_callback(
      flag.names, [take = std::move(take)] { take(""); }, flag.help);
}

CLI::Option* add_with_value(CLI::App& app, const Flag& flag, FlagSet::Take take) {
  // CLI11 passes a missing optional value as one of these.
  const auto hand_over = [take = std::move(take),
                          optional = flag.value_is_optional](const std::string& text) {
    take(optional && text == "{}" ? "" : text);
  };
  CLI::Option* option = app.add_option_function<std::string>(flag.names, hand_over, flag.help);
  option->type_name(flag.value_type);
  if (flag.value_is_optional) option->expected(0, 1);
  if (!flag.in_typed_order && !flag.value_is_optional) option->take_last();
  return option;
}

}  // namespace

void FlagSet::add(const Flag& flag, Take take) const {
  CLI::Option* option = flag.value_type.empty() ? add_bare(*app_, flag, std::move(take))
                                                : add_with_value(*app_, flag, std::move(take));
  if (!flag.group.empty()) option->group(flag.group);
  if (flag.in_typed_order) option->trigger_on_parse();
}

void FlagSet::add_switch(const std::string& name, const std::string& help, bool& target) const {
  app_->add_flag(name, target, help);
}

void FlagSet::exclude(const std::string& one, const std::string& other) const {
  check_at_end([app = app_, one, other] {
    if (app->count(one) > 0 && app->count(other) > 0)
      throw Error(fmt::format("{} and {} exclude each other: give one of them", one, other));
  });
}

void FlagSet::check_at_end(std::function<void()> check) const {
  app_->final_callback(std::move(check));
}

}  // namespace pipetop::tui
