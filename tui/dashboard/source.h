// What the dashboard needs from an engine: the real one or, in tests, one with
// made-up numbers.
#pragma once

#include <string>

#include "engine/model/settings.h"
#include "engine/model/snapshot.h"

namespace pipetop::tui {

class Source {
 public:
  virtual ~Source() = default;

  // As in Engine.
  virtual int event_fd() const = 0;
  virtual void handle_events() = 0;
  virtual void apply(const Settings& requested, const std::string& label,
                     const std::string& key) = 0;
  virtual Snapshot tick() = 0;
  virtual Segment segment() = 0;
  virtual void count(BpfCounters layout) = 0;
  virtual void suspend() = 0;
  virtual void resume() = 0;
};

}  // namespace pipetop::tui
