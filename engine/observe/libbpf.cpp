#include "engine/observe/libbpf.h"

#include <cstdarg>
#include <cstdio>

#include "engine/error.h"
#include "engine/observe/capabilities.h"

namespace pipetop::observe {
namespace {

// libbpf gives its callback no context.
std::string last_warning;

int remember(libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  char line[1024];
  const int length = std::vsnprintf(line, sizeof(line), format, arguments);
  if (length <= 0) return 0;
  std::string text = line;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  // A verifier log ends with markers of its own; its last words are above them.
  if (text.find("END PROG LOAD LOG") == std::string::npos && !text.empty()) last_warning = text;
  return 0;
}

}  // namespace

LibbpfLog::LibbpfLog() {
  last_warning.clear();
  libbpf_set_print(remember);
}

LibbpfLog::~LibbpfLog() { libbpf_set_print(nullptr); }

const std::string& LibbpfLog::last_line() const { return last_warning; }

SharedMapping map_array(const bpf_map* map) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t entry = (bpf_map__value_size(map) + 7ul) & ~7ul;
  const size_t bytes = (entry * bpf_map__max_entries(map) + page - 1) / page * page;
  SharedMapping mapping(bpf_map__fd(map), bytes);
  if (!mapping) throw SystemError(std::string("mmap of BPF map ") + bpf_map__name(map), errno);
  return mapping;
}

void throw_refused(const std::string& step, int error_number, const LibbpfLog& log) {
  const Refusal refusal{step, error_number, log.last_line()};
  throw Error(why_and_remedy(refusal, read_circumstances()), Exit::refused);
}

}  // namespace pipetop::observe
