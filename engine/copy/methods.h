// The two ends of a copy, how bytes can be moved between them, by what they are, and what does so;
// Copier chooses.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/handles.h"

namespace pipetop {

enum class EndKind : uint8_t {
  pipe,  // or a FIFO
  regular,
  block,  // a disk
  socket,
  terminal,
  null,    // /dev/null
  device,  // any other character device
  other,   // an eventfd, ...
};

struct CopyEnd {
  int fd = -1;
  std::string name;  // "stdin", for messages
  EndKind kind = EndKind::other;
  bool appends = false;                     // O_APPEND, `>>`
  bool readable = false, writable = false;  // as it was opened
  bool directory = false;
  dev_t device = 0;
  ino_t inode = 0;
  dev_t disk = 0;  // if it is one
};

// Throws SystemError if it is not open.
CopyEnd end_of_descriptor(int fd, std::string name);

// From the offset of a regular file or a disk to its end. Nothing if that is not known: a pipe, or
// a file of /proc, which has no size.
std::optional<uint64_t> bytes_left(int fd);

// Whether they are one file, disk or pipe, by whatever names: what is written to it would be read
// again, or destroys what is to be read. A socket or terminal has two directions.
bool same_file(const CopyEnd& one, const CopyEnd& other);

enum class CopyMethod : uint8_t {
  splice,           // from a pipe to a pipe, or to /dev/null
  splice_by_pipe,   // through a pipe of our own
  copy_file_range,  // between two regular files
  copy,             // read and write
};
std::string_view name_of(CopyMethod method);  // "splice"

struct CopyMethods {
  std::vector<CopyMethod> best_first;  // the last one is `copy`, which always works
  std::string why;                     // why the first one isn't better; "" if nothing is
};

// `why_copy`: nothing may be spliced, because of that; "": it may.
CopyMethods methods_for(const CopyEnd& in, const CopyEnd& out, const std::string& why_copy);

enum class CopySide : uint8_t { none, in, out };

// What a call has come to. Bytes may have moved, and an error followed.
struct Moved {
  uint64_t taken = 0;              // from in
  uint64_t given = 0;              // to out
  uint64_t counted = 0;            // of these
  bool ended = false;              // in has nothing more
  int error = 0;                   // errno
  CopySide side = CopySide::none;  // whose error it is; none: of either
};

// For read and write.
struct CopyBuffer {
  size_t bytes = 0;                 // 0: what is usual for these ends
  std::optional<char> counts = {};  // which are counted
  size_t keeps = 0;                 // of the last bytes that were given
  bool is_looked_at = false;        // how full it is
  bool limits_counted = false;      // what move() may give is so many of these, in place of bytes
};

// Bytes in a pipe of our own, which a method that is given up leaves behind.
struct Leftover {
  UniqueFd pipe;
  uint64_t bytes = 0;
};

class ByteMover {
 public:
  virtual ~ByteMover() = default;

  // Takes at most `most` bytes, and gives what it can.
  virtual Moved move(uint64_t most) = 0;
  // Taken, and not given yet. Nothing more is taken before it is.
  virtual uint64_t held() const { return 0; }
  // Of the buffer, by what was taken last; nothing if there is none.
  virtual std::optional<double> used() const { return {}; }
  virtual std::string_view last() const { return {}; }  // that it keeps
  // Gives so many zeros next, of which it says how many it has room for; nothing is held.
  virtual uint64_t hold_zeros(uint64_t) { return 0; }
  virtual Leftover give_up() { return {}; }
};

// `leftover`: of the method before, which `copy` takes over. Throws SystemError if there is no pipe
// or no memory to be had.
std::unique_ptr<ByteMover> make_mover(CopyMethod method, const CopyEnd& in, const CopyEnd& out,
                                      Leftover& leftover, const CopyBuffer& buffer = {});

}  // namespace pipetop
