// What the fuzz targets share. Each is a program of its own: with libFuzzer (./dev fuzz), or with
// replay.cpp, which runs the files of its corpus as a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "engine/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace pipetop::fuzz {

// Anything else is a finding, in a release build, too.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Whether `call` is done without an Error, which has words then. Other exceptions are findings.
template <class Call>
bool accepted(const Call& call) {
  try {
    call();
    return true;
  } catch (const Error& e) {
    expect(!std::string_view(e.what()).empty(), "an Error has words");
    return false;
  }
}

}  // namespace pipetop::fuzz
