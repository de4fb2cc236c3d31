// The kernel's text symbols: which function an address lies in, and back.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pipetop::observe {

inline constexpr std::string_view kUnknown = "[unknown]";
inline constexpr std::string_view kOurs = "[pipetop]";

struct CodeRange {
  uint64_t begin = 0, end = 0;  // addresses
};

class Symbols {
 public:
  Symbols() = default;

  // Symbols of the running kernel; empty if it hides addresses.
  static Symbols of_this_kernel();
  // Lines as in /proc/kallsyms.
  static Symbols parse(std::istream&& lines);

  bool empty() const { return addresses_.empty(); }
  size_t size() const { return addresses_.size(); }

  // Our own BPF programs: what lies there has the name "[pipetop]".
  void set_ours(std::vector<CodeRange> ranges) { ours_ = std::move(ranges); }

  // The name of the function that contains it, "[unknown]" if there is none.
  std::string_view name_at(uint64_t address) const;
  // The same for a return address; that of a call that never returns is in the next function.
  std::string_view caller_at(uint64_t return_address) const { return name_at(return_address - 1); }
  uint64_t address_of(std::string_view name) const;  // 0 if there is none

 private:
  void add_line(std::string_view line);
  void finish();

  // Parallel arrays, by address; a name ends at its first NUL. 60,000 symbols take
  // 2.5 MB.
  std::vector<uint64_t> addresses_;
  std::vector<uint32_t> names_;  // into text_
  std::string text_;
  std::vector<CodeRange> ours_;
  bool are_hidden_ = false;
};

// Where the code of the BPF programs lies that this process has loaded.
std::vector<CodeRange> own_code();

}  // namespace pipetop::observe
