// What the fuzz targets share. With libFuzzer (./dev fuzz) each is a program of its own; without it
// all are one, in which replay.cpp runs the files of a target's corpus as a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "engine/base/error.h"

namespace pipetop::fuzz {

struct Target {
  const char* name;
  void (*run)(const uint8_t* data, size_t size);
};

inline std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

inline bool add(Target target) {
  targets().push_back(target);
  return true;
}

// PIPETOP_FUZZ_TARGET(name) { what is done with `size` bytes of `data` }
#ifdef PIPETOP_FUZZ
#define PIPETOP_FUZZ_TARGET(name)                                           \
  static void name##_target(const uint8_t*, size_t);                        \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { \
    name##_target(data, size);                                              \
    return 0;                                                               \
  }                                                                         \
  static void name##_target(const uint8_t* data, size_t size)
#else
#define PIPETOP_FUZZ_TARGET(name)                                                   \
  static void name##_target(const uint8_t*, size_t);                                \
  static const bool name##_is_added = ::pipetop::fuzz::add({#name, name##_target}); \
  static void name##_target(const uint8_t* data, size_t size)
#endif

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
