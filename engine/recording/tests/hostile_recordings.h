// Recordings that an enemy makes of valid blocks: all checksums are right, but the order, the
// numbers and the contents are nobody's.
#pragma once

#include <string>

namespace pipetop::recording {

inline constexpr int kHostileRecordings = 200;

// The `number`-th of them, always the same, of a recording that pipetop has made: in all calls the
// same one.
std::string hostile_recording(const std::string& real, int number);

// So many blocks of one frame each; of those after `whole` the frame is damaged, though the block
// is not.
std::string many_blocks(size_t blocks, size_t whole);

}  // namespace pipetop::recording
