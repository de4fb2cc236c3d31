#include "engine/observe/symbols.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <tuple>
#include <utility>

namespace pipetop::observe {
namespace {

// An address this far behind a symbol belongs to code without one: a module loaded
// later, or generated code.
constexpr uint64_t kLongestFunction = 1 << 20;

bool is_text(char type) { return type == 't' || type == 'T' || type == 'w' || type == 'W'; }

size_t leading_underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

// Among names for one address, perf's choice, for comparability: fewer leading
// underscores, then the longer one.
bool is_better_alias(std::string_view a, std::string_view b) {
  const size_t a_bars = leading_underscores(a), b_bars = leading_underscores(b);
  return a_bars != b_bars ? a_bars < b_bars : a.size() > b.size();
}

// Section markers, not functions: what follows them is unknown.
bool is_end_mark(std::string_view name) { return name == "_etext" || name == "_einittext"; }

}  // namespace

// "ffffffff81495630 t buffer_pipe_buf_get\t[module]"
void Symbols::add_line(std::string_view line) {
  uint64_t address = 0;
  const char* digits_end = std::from_chars(line.data(), line.data() + line.size(), address, 16).ptr;
  const auto at = static_cast<size_t>(digits_end - line.data());
  if (at + 3 >= line.size() || !is_text(line[at + 1])) return;
  if (address == 0) {  // data may start there, but not text
    are_hidden_ = true;
    return;
  }
  std::string_view name = line.substr(at + 3);
  name = name.substr(0, name.find('\t'));
  // The padding before a function, which belongs to no function.
  if (name.starts_with("__pfx_")) return;

  if (!addresses_.empty() && addresses_.back() == address) {
    if (is_better_alias(name, text_.data() + names_.back())) {
      text_.resize(names_.back());
      text_.append(name).push_back('\0');
    }
    return;
  }
  addresses_.push_back(address);
  names_.push_back(static_cast<uint32_t>(text_.size()));
  text_.append(name).push_back('\0');
}

// The kernel's own symbols are sorted, those of modules are not.
void Symbols::finish() {
  if (!std::ranges::is_sorted(addresses_)) {
    std::vector<std::pair<uint64_t, uint32_t>> symbols;
    for (size_t i = 0; i < names_.size(); ++i) symbols.emplace_back(addresses_[i], names_[i]);
    std::ranges::sort(symbols);
    for (size_t i = 0; i < names_.size(); ++i) std::tie(addresses_[i], names_[i]) = symbols[i];
  }
  addresses_.shrink_to_fit();
  names_.shrink_to_fit();
  text_.shrink_to_fit();
}

Symbols Symbols::parse(std::istream&& lines) {
  Symbols symbols;
  for (std::string line; std::getline(lines, line);) {
    symbols.add_line(line);
    if (symbols.are_hidden_) return {};  // skip the rest
  }
  symbols.finish();
  return symbols;
}

Symbols Symbols::of_this_kernel() { return parse(std::ifstream("/proc/kallsyms")); }

std::string_view Symbols::name_at(uint64_t address) const {
  const auto is_in = [&](const CodeRange& r) { return address >= r.begin && address < r.end; };
  if (std::ranges::any_of(ours_, is_in)) return kOurs;
  const auto after = std::ranges::upper_bound(addresses_, address) - addresses_.begin();
  if (after == 0) return kUnknown;
  const auto i = static_cast<size_t>(after - 1);
  const std::string_view name = text_.data() + names_[i];
  return address - addresses_[i] >= kLongestFunction || is_end_mark(name) ? kUnknown : name;
}

uint64_t Symbols::address_of(std::string_view wanted) const {
  for (size_t i = 0; i < names_.size(); ++i)
    if (wanted == text_.data() + names_[i]) return addresses_[i];
  return 0;
}

}  // namespace pipetop::observe
