#include "engine/observe/libbpf.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/observe/refusals.h"
#include "engine/observe/symbols.h"
#include "engine/process/proc_files.h"

namespace pipetop::observe {
namespace {

// libbpf's callback has no context argument. It is called by the thread that loads.
thread_local std::string kept_message;
thread_local bool kept_from_verifier = false;

int keep(libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  char* text = nullptr;
  if (vasprintf(&text, format, arguments) < 0) return 0;
  const std::unique_ptr<char, decltype(&std::free)> owner(text, std::free);
  const std::string_view message(text);
  const bool from_verifier = message.find("BEGIN PROG LOAD LOG") != std::string_view::npos;
  if (kept_from_verifier || (!from_verifier && !kept_message.empty())) return 0;
  kept_from_verifier = from_verifier;
  kept_message = from_verifier ? verifiers_complaint(message)
                               : std::string(message.substr(0, message.find('\n')));
  return 0;
}

Link attach_iterator(const bpf_program* iterator, bpf_iter_link_info& info) {
  LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &info, .link_info_len = sizeof(info));
  return Link(bpf_program__attach_iter(iterator, &options));
}

// Of a program with all of its functions; none if it is not to be seen.
void add_code(int fd, std::vector<CodeRange>& ranges) {
  bpf_prog_info counts = {};
  uint32_t size = sizeof counts;
  if (bpf_obj_get_info_by_fd(fd, &counts, &size) != 0) return;
  std::vector<uint64_t> begins(counts.nr_jited_ksyms);
  std::vector<uint32_t> lengths(counts.nr_jited_func_lens);
  bpf_prog_info info = {};
  info.jited_ksyms = reinterpret_cast<uintptr_t>(begins.data());
  info.jited_func_lens = reinterpret_cast<uintptr_t>(lengths.data());
  info.nr_jited_ksyms = counts.nr_jited_ksyms;
  info.nr_jited_func_lens = counts.nr_jited_func_lens;
  size = sizeof info;
  if (bpf_obj_get_info_by_fd(fd, &info, &size) != 0) return;
  for (size_t i = 0; i < std::min(begins.size(), lengths.size()); ++i)
    if (begins[i] != 0) ranges.push_back({begins[i], begins[i] + lengths[i]});
}

}  // namespace

std::vector<CodeRange> own_code() {
  std::vector<CodeRange> ranges;
  for (NumberedNames fds("/proc/self/fd"); const auto fd = fds.next();)
    if (link_of(getpid(), *fd) == "anon_inode:bpf-prog") add_code(*fd, ranges);
  return ranges;
}

void begin_libbpf_log() {
  kept_message.clear();
  kept_from_verifier = false;
  libbpf_set_print(keep);
}

const std::string& libbpf_log() { return kept_message; }

Mapping map_array(const bpf_map* map) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t entry = (bpf_map__value_size(map) + 7ul) & ~7ul;
  const size_t bytes = (entry * bpf_map__max_entries(map) + page - 1) / page * page;
  Mapping mapping = map_shared(bpf_map__fd(map), bytes);
  if (!mapping) throw SystemError(std::string("mmap of BPF map ") + bpf_map__name(map), errno);
  return mapping;
}

void throw_refused(const std::string& step, int error_number) {
  throw Error(why_and_remedy({step, error_number, kept_message}, read_circumstances()),
              Exit::refused);
}

Link attach_to_task(const bpf_program* iterator, pid_t pid) {
  bpf_iter_link_info info = {};
  info.task.tid = static_cast<uint32_t>(pid);
  return attach_iterator(iterator, info);
}

Link attach_to_process(const bpf_program* iterator, pid_t pid) {
  bpf_iter_link_info info = {};
  info.task.pid = static_cast<uint32_t>(pid);
  return attach_iterator(iterator, info);
}

bool run_iterator(const Link& iterator) {
  const UniqueFd pass(bpf_iter_create(bpf_link__fd(iterator.get())));
  char nothing[8];
  return pass && (read(pass.get(), nothing, sizeof(nothing)) >= 0 || errno == EAGAIN);
}

uint32_t possible_cpus() { return static_cast<uint32_t>(std::max(libbpf_num_possible_cpus(), 1)); }

}  // namespace pipetop::observe
