#include "engine/observe/proc_tasks.h"

#include <fcntl.h>

#include <charconv>
#include <cinttypes>
#include <cstdio>

namespace pipetop::observe {

std::optional<SystemCall> parse_system_call(const std::string& text) {
  SystemCall call;
  if (text.starts_with("running")) return call;
  const int parsed =
      std::sscanf(text.c_str(), "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &call.number,
                  &call.argument[0], &call.argument[1], &call.argument[2]);
  if (parsed < 3) return {};
  if (call.number < 0) return SystemCall{};  // what follows is the stack and the instruction
  return parsed == 4 ? std::optional(call) : std::nullopt;
}

std::optional<int> parse_descriptor_flags(std::string_view text) {
  constexpr std::string_view kKey = "flags:";
  const size_t key = text.find(kKey);
  if (key == text.npos) return {};
  const size_t digits = text.find_first_not_of(" \t", key + kKey.size());
  if (digits == text.npos) return {};
  int flags = 0;
  const auto parsed = std::from_chars(text.data() + digits, text.data() + text.size(), flags, 8);
  return parsed.ec == std::errc() ? std::optional(flags) : std::nullopt;
}

Access access_of(int flags) {
  switch (flags & O_ACCMODE) {
    case O_RDONLY:
      return Access::read;
    case O_WRONLY:
      return Access::write;
    default:
      return Access::both;
  }
}

std::optional<uint64_t> parse_cpu_ns(const std::string& text) {
  uint64_t ns = 0;
  return std::sscanf(text.c_str(), "%" SCNu64, &ns) == 1 ? std::optional(ns) : std::nullopt;
}

Sleep sleep_of(char state) {
  switch (state) {
    case 'D':
      return Sleep::uninterruptible;
    case 'T':
    case 't':
      return Sleep::stopped;
    default:
      return Sleep::interruptible;
  }
}

}  // namespace pipetop::observe
