// Processes as waitid() and /proc tell of them, for tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pipetop::tui {

// Asks about a child of ours, which stays to be reaped.
bool has_ended(pid_t child);

// 'R' runs, 'S' sleeps, 'T' is stopped, as ps(1) has it; 0 when there is none.
char state_of(pid_t pid);

// What it has used of the CPUs; 0 when there is none.
uint64_t cpu_ns(pid_t pid);

// In a child: becomes the program that is the first of these.
[[noreturn]] void exec_words(const std::vector<std::string>& words);

std::string name_of(pid_t pid);
std::vector<pid_t> children_of(pid_t parent);

// The child of `parent` with that name, and not `other_than`; 0 when there is none now.
pid_t child_of(pid_t parent, const std::string& name, pid_t other_than = 0);

}  // namespace pipetop::tui
