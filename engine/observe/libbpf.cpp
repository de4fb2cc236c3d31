#include "engine/observe/libbpf.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "engine/base/error.h"
#include "engine/observe/capabilities.h"

namespace pipetop::observe {
namespace {

// libbpf's callback has no context argument.
std::string kept_message;
bool kept_from_verifier = false;

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

}  // namespace

LibbpfLog::LibbpfLog() {
  kept_message.clear();
  kept_from_verifier = false;
  libbpf_set_print(keep);
}

LibbpfLog::~LibbpfLog() { libbpf_set_print(nullptr); }

const std::string& LibbpfLog::message() const { return kept_message; }

Mapping map_array(const bpf_map* map) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t entry = (bpf_map__value_size(map) + 7ul) & ~7ul;
  const size_t bytes = (entry * bpf_map__max_entries(map) + page - 1) / page * page;
  Mapping mapping = map_shared(bpf_map__fd(map), bytes);
  if (!mapping) throw SystemError(std::string("mmap of BPF map ") + bpf_map__name(map), errno);
  return mapping;
}

void throw_refused(const std::string& step, int error_number, const LibbpfLog& log) {
  const Refusal refusal{step, error_number, log.message()};
  throw Error(why_and_remedy(refusal, read_circumstances()), Exit::refused);
}

}  // namespace pipetop::observe
