#include "tui/tests/soak/monkey.h"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <array>

#include "engine/base/clock.h"
#include "engine/workload/table/workloads.h"
#include "tui/dashboard/controller.h"
#include "tui/dashboard/layout.h"
#include "tui/draw/text.h"
#include "tui/tests/processes.h"
#include "tui/tests/soak/screen.h"

namespace pipetop::tui {
namespace {

struct Sequence {
  Key key;
  const char* bytes;  // as xterm sends it
};
constexpr Sequence kSequences[] = {
    {key::up, "\033OA"},       {key::down, "\033OB"},       {key::right, "\033OC"},
    {key::left, "\033OD"},     {key::home, "\033OH"},       {key::end, "\033OF"},
    {key::page_up, "\033[5~"}, {key::page_down, "\033[6~"}, {key::back_tab, "\033[Z"},
    {key::backspace, "\177"},  {key::f1, "\033OP"}};
constexpr std::array kUnused = {Key{U'q'},      key::ctrl('C'), key::ctrl('\\'),
                                key::ctrl('Z'), Key{U'W'},      Key{U'X'}};

std::string bytes_of(Key key) {
  const auto found = std::ranges::find(kSequences, key, &Sequence::key);
  if (found != std::end(kSequences)) return found->bytes;
  std::string bytes;
  append_utf8(bytes, key);
  return bytes;
}

// The stage and a zoomed panel lack the clock and the totals by which it is seen to live.
constexpr std::array kHide = {Key{U'S'}, Key{U'Z'}};

// Every key but those that end or suspend it, make files or hide what is looked at, and some that
// mean nothing.
std::vector<std::string> all_keys() {
  std::vector<Key> keys;
  for (const KeyTable table : Controller::keys())
    for (const KeyRow& row : table.rows) keys.push_back(row.key);
  for (const HotKey& hot : hot_keys(WorkloadKind::pipe)) keys.push_back(Key(hot.key));
  for (const Key more : {U'ä', U'¥', U'Q'}) keys.push_back(more);
  keys.push_back(key::backspace);
  std::erase_if(keys, [](Key key) {
    return std::ranges::find(kUnused, key) != kUnused.end() ||
           std::ranges::find(kHide, key) != kHide.end();
  });
  std::vector<std::string> all;
  for (const Key key : keys) all.push_back(bytes_of(key));
  all.push_back("\xff");
  return all;
}

std::string printable(const std::string& bytes) {
  std::string text;
  for (const char c : bytes)
    text += c > ' ' && c < 0x7F ? std::string(1, c) : fmt::format("<{:02x}>", uint8_t(c));
  return text;
}

}  // namespace

Monkey::Monkey(PtyProgram& program, uint64_t seed)
    : program_(program), random_(seed), all_keys_(all_keys()) {}

void Monkey::say(std::string what) {
  constexpr size_t kKept = 40;
  if (last_.size() == kKept) last_.erase(last_.begin());
  last_.push_back(std::move(what));
}

void Monkey::act() {
  const unsigned dice = below(1000);
  if (dice < 800) {
    for (unsigned n = below(10) == 0 ? below(20) : 1; n > 0; --n) press();
  } else if (dice < 900) {
    click();
  } else if (dice < 970) {
    resize();
  } else if (dice < 985) {
    kill_worker();
  } else {
    stop_worker();
  }
  watch(program_, below(500));
  if (stopped_ > 0 && monotonic_ns() >= stopped_until_ns_) let_go();
}

void Monkey::press() {
  const std::string& bytes = all_keys_[below(static_cast<unsigned>(all_keys_.size()))];
  program_.send(bytes);
  say(printable(bytes));
  ++keys_;
}

// Everywhere but on the bar of keys, which has "quit".
void Monkey::click() {
  if (rows_ == 0) return;
  const int row = static_cast<int>(below(unsigned(rows_))), col = int(below(unsigned(cols_)));
  if (make_layout(rows_, cols_).keys.contains(row, col)) return;
  constexpr int kButtons[] = {0, 0, 64, 65};  // left, left, and the wheel
  const int button = kButtons[below(4)];
  std::string bytes = fmt::format("\033[<{};{};{}M", button, col + 1, row + 1);
  if (button == 0) bytes += fmt::format("\033[<{};{};{}m", button, col + 1, row + 1);
  program_.send(bytes);
  say(fmt::format("click {}x{}", col, row));
  ++clicks_;
}

// Not while a click is on its way, which would then be somewhere else.
void Monkey::resize_to(int rows, int cols) {
  program_.wait_until([&] { return program_.has_read_input(); });
  rows_ = rows;
  cols_ = cols;
  program_.resize(rows, cols);
}

void Monkey::resize() {
  resize_to(5 + int(below(96)), 20 + int(below(281)));
  say(fmt::format("size {}x{}", cols_, rows_));
  ++resizes_;
}

pid_t Monkey::any_worker() {
  const std::vector<pid_t> workers = children_of(program_.pid());
  return workers.empty() ? 0 : workers[below(static_cast<unsigned>(workers.size()))];
}

void Monkey::kill_worker() {
  const pid_t worker = any_worker();
  if (worker == 0 || ::kill(worker, SIGKILL) != 0) return;
  say("kill " + std::to_string(worker));
  ++kills_;
}

void Monkey::stop_worker() {
  let_go();
  stopped_ = any_worker();
  if (stopped_ == 0 || ::kill(stopped_, SIGSTOP) != 0) return;
  stopped_until_ns_ = monotonic_ns() + below(3000) * kMs;
  say("stop " + std::to_string(stopped_));
  ++stops_;
}

void Monkey::let_go() {
  const auto workers = children_of(program_.pid());
  if (std::ranges::find(workers, stopped_) != workers.end()) ::kill(stopped_, SIGCONT);
  stopped_ = 0;
}

}  // namespace pipetop::tui
