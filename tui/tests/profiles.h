// Fixed tables of where a role runs and waits.
#pragma once

#include <initializer_list>

#include "tui/tests/fake_profiles.h"

namespace pipetop::tui {

inline FunctionTable table(std::initializer_list<FakeStack> stacks, uint64_t lost = 0) {
  return table_of(tree_of({stacks.begin(), stacks.size()}, 2000, [] { return 1.0; }), lost);
}

inline FunctionTable writing() {
  return table({{"entry_64;pipe_write;copy_from_iter", .40},
                {"entry_64;pipe_write;mutex_lock;spin_on_owner", .25},
                {"entry_64;pipe_write", .15},
                {"[user]", .20}});
}

inline BlockedTable sleeping() {
  BlockedTable blocked;
  blocked.tree = std::make_shared<const CallTree>(
      tree_of(std::vector<FakeStack>{{"entry_64;pipe_write;schedule", .75},
                                     {"entry_64;mutex_lock;schedule", .25}},
              400'000'000, [] { return 1.0; }));
  blocked.ns = 400'000'000;
  blocked.times = 1234;
  return blocked;
}

}  // namespace pipetop::tui
