// Stacks as the flame-graph tools read them: a line for each distinct one, from the
// outermost caller to the running function, and how many samples had it.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/functions.h"

namespace pipetop::tui {

// "writer;entry_SYSCALL_64_after_hwframe;do_syscall_64;ksys_read 17\n"..., sorted.
// `root` is put before every stack.
std::string print_folded(std::string_view root, const CallTree& tree);

}  // namespace pipetop::tui
