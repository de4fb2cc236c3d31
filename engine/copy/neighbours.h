// The processes at the other end of a pipe of ours, by the names that /proc/PID/fd gives its
// descriptors. Nothing is opened or duplicated. Those of other users are seen by root only.
#pragma once

#include <sys/types.h>

#include <stop_token>
#include <string>
#include <vector>

namespace pipetop {

struct PipeHolder {
  pid_t pid = 0;
  pid_t parent = 0;
  std::string name;  // comm, as it is: it may hold any bytes
};

// Who else can write to the pipe or FIFO that we read from `fd`, or read what we write to it. Takes
// about a microsecond for every open file of the machine; fewer are found if it is to stop. Empty
// if it is no pipe.
std::vector<PipeHolder> holders_of_other_end(int fd, const std::stop_token& stop = {});

// "gzip", "gzip and 2 more"; "" if there is none. A shell that only waits for a child which has the
// end, too, doesn't count.
std::string names_of(std::vector<PipeHolder> holders);

}  // namespace pipetop
