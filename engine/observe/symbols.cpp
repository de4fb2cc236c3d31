#include "engine/observe/symbols.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/base/mapping.h"
#include "engine/base/unique_fd.h"

namespace pipetop::observe {
namespace {

// An address this far behind a symbol belongs to code without one: a module loaded
// later, or generated code.
constexpr uint64_t kLongestFunction = 1 << 20;

// Smaller reads cost time, larger ones do not save any: the kernel generates the
// text one page at a time.
constexpr size_t kReadBytes = 64 * 1024;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

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
  size_t at = 0;
  for (int digit; at < line.size() && (digit = hex_digit(line[at])) >= 0; ++at)
    address = address << 4 | static_cast<uint64_t>(digit);
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
    std::vector<uint32_t> order(addresses_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](uint32_t i) { return addresses_[i]; });
    std::vector<uint64_t> addresses;
    std::vector<uint32_t> names;
    for (const uint32_t i : order) {
      addresses.push_back(addresses_[i]);
      names.push_back(names_[i]);
    }
    addresses_ = std::move(addresses);
    names_ = std::move(names);
  }
  addresses_.shrink_to_fit();
  names_.shrink_to_fit();
  text_.shrink_to_fit();
}

Symbols Symbols::parse(std::string_view text) {
  Symbols symbols;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    symbols.add_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  symbols.finish();
  return symbols;
}

Symbols Symbols::of_this_kernel() {
  Symbols symbols;
  const UniqueFd file(open("/proc/kallsyms", O_RDONLY | O_CLOEXEC));
  if (!file) return symbols;
  std::string buffer;
  std::array<char, kReadBytes> chunk;
  for (ssize_t n; (n = read(file.get(), chunk.data(), chunk.size())) > 0;) {
    buffer.append(chunk.data(), static_cast<size_t>(n));
    size_t begin = 0;
    for (size_t end; (end = buffer.find('\n', begin)) != std::string::npos; begin = end + 1)
      symbols.add_line(std::string_view(buffer).substr(begin, end - begin));
    buffer.erase(0, begin);
    if (symbols.are_hidden_) return {};  // skip the rest
  }
  symbols.finish();
  return symbols;
}

std::string_view Symbols::name_at(uint64_t address) const {
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
