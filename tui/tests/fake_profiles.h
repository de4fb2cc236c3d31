// Invented call trees: where a writer and a reader with such settings would run and
// wait.
#pragma once

#include <functional>
#include <random>
#include <span>

#include "engine/model/functions.h"
#include "engine/model/settings.h"

namespace pipetop::tui {

// A stack from its entry point down, "vfs_write;pipe_write", and its share.
struct FakeStack {
  const char* stack;
  double share;
};

CallTree tree_of(std::span<const FakeStack> stacks, uint64_t whole,
                 const std::function<double()>& noise);

// The table that belongs to a tree: self and children by function.
FunctionTable table_of(CallTree tree, uint64_t lost);

FunctionTable fake_functions(const Settings& settings, Role role, std::mt19937& random);
BlockedTable fake_blocked(const Settings& settings, Role role, uint64_t seconds,
                          std::mt19937& random);

// As many places as a busy kernel's stacks have, for benchmarks.
FunctionTable deep_functions(uint32_t nodes, std::mt19937& random);

}  // namespace pipetop::tui
