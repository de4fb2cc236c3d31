#include "engine/process/privileges.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/base/error.h"

namespace pipetop {
namespace {

std::optional<uint32_t> parse_id(const char* text) {
  const std::string_view digits = text == nullptr ? "" : text;
  uint32_t id = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), id);
  if (error != std::errc() || end != digits.end() || id == UINT32_MAX) return {};
  return id;
}

}  // namespace

std::optional<User> parse_user(const char* uid, const char* gid) {
  const auto user = parse_id(uid), group = parse_id(gid);
  if (!user || !group) return {};
  return User{*user, *group};
}

User user_to_become() {
  const char* uid = std::getenv("SUDO_UID");
  const char* gid = std::getenv("SUDO_GID");
  if (::geteuid() != 0 || (uid == nullptr && gid == nullptr)) return {};
  if (const auto user = parse_user(uid, gid)) return *user;
  throw Error(fmt::format("SUDO_UID={} SUDO_GID={} is no user: unset both to run as root",
                          uid ? uid : "", gid ? gid : ""));
}

}  // namespace pipetop
