// A Watcher on a machine that the test plays.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/watch/tests/fake_machine.h"
#include "engine/watch/watcher.h"

namespace pipetop {

class WatchTest : public testing::Test {
 protected:
  // At the machine's time.
  std::shared_ptr<const Snapshot> tick() {
    if (!watcher) start();
    return watcher->tick(machine.now_ns);
  }
  void start(WatchOptions options = {}) {
    watcher = std::make_unique<Watcher>(options, machine.parts());
  }
  void pass(uint64_t ns) { machine.pass(ns); }

  // For so long, a tick each 50 ms.
  std::shared_ptr<const Snapshot> run(uint64_t ns) {
    const auto look = [&] {
      auto s = tick();
      for (const Notice& notice : s->notices)
        if (notice.at_ns == s->now_ns) notices += notice.text + "\n";
      return s;
    };
    auto s = look();
    for (uint64_t passed_ns = 0; passed_ns < ns; passed_ns += 50 * kMs) {
      pass(50 * kMs);
      s = look();
    }
    return s;
  }

  // Finds it in the open pipeline, or in the first row that has it.
  static const Stage& stage(const std::shared_ptr<const Snapshot>& s, const std::string& name) {
    static std::shared_ptr<const Snapshot> kept;  // what is returned refers to it
    kept = s;
    if (s->watched)
      for (const Stage& stage : s->watched->stages)
        if (stage.name == name) return stage;
    for (const PipeRow& row : s->table.rows)
      for (const Stage& stage : row.stages)
        if (stage.name == name) return stage;
    ADD_FAILURE() << "there is no stage " << name;
    static const Stage none;
    return none;
  }

  static std::string names(const std::shared_ptr<const Snapshot>& s) {
    std::string names;
    if (!s->watched) return "none";
    for (const Stage& stage : s->watched->stages)
      names += (names.empty() ? "" : " ") + stage.name + (stage.gone ? "(gone)" : "");
    return names;
  }

  // What `function` throws.
  template <class Function>
  static std::string error_of(Function function) {
    try {
      function();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  }

  FakeMachine machine;
  std::unique_ptr<Watcher> watcher;
  std::string notices;
};

}  // namespace pipetop
