#include "engine/observe/libbpf.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace pipetop::observe {
namespace {

// As libbpf leaves a skeleton when its first attempt to map a map had no memory.
struct Unmapped {
  int* bss = nullptr;

  static Unmapped* open() { return new Unmapped; }
  static int load(Unmapped*) { return 0; }
  static void destroy(Unmapped* skeleton) { delete skeleton; }
};

TEST(LoadSkeleton, OneWithoutItsVariablesIsAnError) {
  EXPECT_THROW(load_skeleton<Unmapped>("the sampler", [](Unmapped&) {}), Error);
}

}  // namespace
}  // namespace pipetop::observe
