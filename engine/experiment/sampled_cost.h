// What a system call costs a page, from the samples of who ran what: the other way
// to the figures of `pipetop limits`, with both workers running.
#pragma once

#include <string_view>

#include "engine/model/functions.h"

namespace pipetop {

// The share of all weight that lies in functions whose name contains `call`, without
// what they do to wait and to wake: a mutex, the scheduler, a wait queue, which a page
// does not need. 0 without samples.
double working_share(const CallTree& tree, std::string_view call);

}  // namespace pipetop
