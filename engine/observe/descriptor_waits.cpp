#include "engine/observe/descriptor_waits.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "engine/base/system_files.h"
#include "engine/observe/task_wait.h"

namespace pipetop::observe {
namespace {

constexpr std::string_view kPipeName = "pipe:[";

uint64_t number_after(std::string_view text, std::string_view label) {
  const size_t at = text.find(label);
  if (at == text.npos) return 0;
  text.remove_prefix(at + label.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

// A FIFO's name is a path. Its inode is in fdinfo; stat may wait for a file server.
DescriptorWait descriptor_wait(std::string_view name, std::string_view fdinfo) {
  if (name.starts_with(kPipeName)) return {WaitsFor::pipe_read, number_after(name, kPipeName)};
  const DescriptorWait wait = {wait_on(name, false)};
  if (!name.starts_with('/') || wait.wait != WaitsFor::other) return wait;
  return {wait.wait, number_after(fdinfo, "\nino:"), true};
}

DescriptorWait DescriptorWaits::of(ProcessId process, int fd, uint64_t now_ns) {
  if (now_ns >= cleaned_ns_ + DescriptorNames::kValid_ns) {
    names_.forget_old(now_ns);
    cleaned_ns_ = now_ns;
  }
  const std::string& name = names_.name_of(process, fd, now_ns);
  std::string fdinfo;
  if (name.starts_with('/'))
    fdinfo = read_head(fmt::format("/proc/{}/fdinfo/{}", process.pid, fd), 256);
  return descriptor_wait(name, fdinfo);
}

}  // namespace pipetop::observe
