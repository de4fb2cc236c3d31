// Our programs on kernels that have a pipe's head and tail elsewhere: what libbpf
// writes into the instructions, by synthetic BTF. They are loaded, but not run.
#include <ring.skel.h>
#include <sampler.skel.h>

#include <algorithm>
#include <set>

#include "engine/observe/libbpf.h"
#include "engine/observe/observers.h"
#include "engine/observe/tests/bpf_fixture.h"
#include "engine/observe/tests/synthetic_btf.h"
#include "engine/tests/support/test_pipe.h"

namespace pipetop::observe {
namespace {

// A program that reads the ends of a ring, and the object that it comes in.
struct Reader {
  const char* program;
  const void* (*object)(size_t* bytes);
};

constexpr std::array kReaders = {Reader{"on_clock", sampler_bpf::elf_bytes},
                                 Reader{"take_snapshot", ring_bpf::elf_bytes}};

using Instructions = std::vector<bpf_insn>;

class Loading {
 public:
  Loading(const Reader& reader, Ends ends, Dumpable dumpable = Dumpable::in_memory)
      : types_(ends, dumpable) {
    begin_libbpf_log();
    const std::string path = types_.path();
    LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = path.c_str());
    size_t bytes = 0;
    const void* elf = reader.object(&bytes);
    object_.reset(bpf_object__open_mem(elf, bytes, &options));
    program_ = bpf_object__find_program_by_name(object_.get(), reader.program);
  }

  bool load() { return bpf_object__load(object_.get()) == 0; }
  const std::string& words() const { return libbpf_log(); }

  Instructions instructions() const {
    const bpf_insn* first = bpf_program__insns(program_);
    return {first, first + bpf_program__insn_cnt(program_)};
  }

 private:
  struct Close {
    void operator()(bpf_object* object) const { bpf_object__close(object); }
  };
  SyntheticBtf types_;
  std::unique_ptr<bpf_object, Close> object_;
  bpf_program* program_;
};

// Offsets in bpf/kernel.h, each with what a relocation made of it.
using Moves = std::set<std::pair<int, int>>;

// Both are the same program; what loading added behind it is left out.
Moves moves(const Instructions& before, const Instructions& after) {
  Moves moves;
  for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    const int kind = BPF_CLASS(before[i].code);
    if ((kind == BPF_ALU || kind == BPF_ALU64) && before[i].imm != after[i].imm)
      moves.emplace(before[i].imm, after[i].imm);
  }
  return moves;
}

class Layouts : public testing::Test {
 protected:
  void SetUp() override {
    const TestPipe pipe{O_NONBLOCK};
    PIPETOP_NEED(Observers({.pipe_fd = pipe.out.get()}).ring_frame(monotonic_ns()));
  }

  static void expect_ends_found(Ends ends) {
    for (const Reader& reader : kReaders) {
      Loading loading(reader, ends);
      const Instructions compiled = loading.instructions();
      ASSERT_TRUE(loading.load()) << reader.program << ": " << loading.words();
      const Moves found = moves(compiled, loading.instructions());
      EXPECT_TRUE(found.contains({0, kHeadOffset})) << reader.program;
      EXPECT_TRUE(found.contains({4, kTailOffset})) << reader.program;
      EXPECT_TRUE(found.contains({8, kRingSizeOffset})) << reader.program;
    }
  }
};

TEST_F(Layouts, PlainEnds) { expect_ends_found(Ends::plain); }
TEST_F(Layouts, EndsInAUnion) { expect_ends_found(Ends::in_union); }
TEST_F(Layouts, EndsInATaggedUnion) { expect_ends_found(Ends::in_tagged); }

TEST_F(Layouts, WithoutEndsNothingLoads) {
  for (const Reader& reader : kReaders) {
    Loading loading(reader, Ends::under_others);
    EXPECT_FALSE(loading.load()) << reader.program;
    EXPECT_NE(loading.words().find("pipe_inode_info"), std::string::npos) << loading.words();
  }
}

// For who doesn't see all, and such are these, as nobody has said otherwise.
TEST_F(Layouts, WhereNothingTellsWhoMayBeSeenNothingLoads) {
  for (const Reader& reader : kReaders) {
    Loading loading(reader, Ends::plain, Dumpable::by_exec);
    EXPECT_FALSE(loading.load()) << reader.program;
    EXPECT_NE(loading.words().find("in_no_kernel"), std::string::npos) << loading.words();
  }
}

}  // namespace
}  // namespace pipetop::observe
