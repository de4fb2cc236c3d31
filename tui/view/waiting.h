// Which side a copy waits for, and the names of the processes there.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <thread>

#include "engine/copy/copier.h"

namespace pipetop::tui {

// The side of most samples, a few per second: each asks whether the input is empty or the output is
// full.
class Waiting {
 public:
  void add(CopySide side);

  // That of more than half of the last looks, if there were some.
  CopySide side() const;

 private:
  std::deque<CopySide> samples_;
};

// "waiting for gzip", "blocked by ssh"; for a neighbour without a name "waiting for stdin". "" for
// neither side.
std::string waiting_text(CopySide side, const std::string& upstream, const std::string& downstream);

// Up- and downstream, looked up now and then by a thread of its own, so that the data doesn't wait
// for it. There is no such thread in between: system calls of a program with several threads take
// longer.
class NeighbourNames {
 public:
  NeighbourNames(int in, int out) : in_(in), out_(out) {}
  ~NeighbourNames() = default;  // a look-up that still runs is cut short
  NeighbourNames(const NeighbourNames&) = delete;
  NeighbourNames& operator=(const NeighbourNames&) = delete;

  // Takes over what was found, and starts the next look-up when it is time.
  void refresh(uint64_t now_ns);

  // "" if they aren't known, or if that end is no pipe.
  const std::string& upstream() const { return known_.upstream; }
  const std::string& downstream() const { return known_.downstream; }

 private:
  struct Names {
    std::string upstream, downstream;
    uint64_t took_ns = 0;
  };
  void start();

  int in_, out_;
  Names known_;
  uint64_t next_ns_ = 0;
  Names found_;                     // of the thread, until it has ended
  std::atomic<bool> ended_ = true;  // it has written `found_`
  std::jthread thread_;             // the last member: it uses the others
};

}  // namespace pipetop::tui
