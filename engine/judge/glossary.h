// What kernel functions do in the life of a pipe: a sentence each, and the kind of work that their
// time counts as.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/model/functions.h"

namespace pipetop {

// What a worker spends its time on.
enum class Work : uint8_t {
  copying,
  lookup,      // of the physical pages of a buffer
  pages,       // allocating and freeing them
  release,     // of pages that were lent
  page_cache,  // finding pages of a file
  percpu,      // allocating memory of which every CPU has its own
  mutex,       // waiting for it, and taking it
  sleeping,    // blocked, without a CPU, or in the scheduler
  polling,
  interrupts,
  ring,   // its slots
  calls,  // entering and leaving the kernel
  own,    // the worker's own code
  other,
};
inline constexpr int kWorks = 14;

struct KnownFunction {
  std::string_view name;  // in the source: without a clone's suffix
  Work work = Work::other;
  std::string_view does;  // "looks up the physical pages of the buffer"
};

// In the order in which bytes meet them; names of one function in several kernels are adjacent.
std::span<const KnownFunction> glossary();

// A compiler's clone is the same function: "__mutex_lock.constprop.0".
std::string_view source_name(std::string_view symbol);
inline bool same_function(std::string_view a, std::string_view b) {
  return source_name(a) == source_name(b);
}

// "" if the glossary does not have it.
std::string_view what_it_does(std::string_view symbol);

// Also of functions that the glossary does not have, by their names.
Work work_of(Function function);

// Whether the callees of such a function count as the same work: those of a system call are all
// kinds of it.
bool includes_callees(Work work);

// It enables interrupts again: the samples of a timer interrupt that had to wait fall on it.
bool ends_interrupts_off(std::string_view symbol);

}  // namespace pipetop
