#include "engine/copy/methods.h"

#include <gtest/gtest.h>

#include "engine/copy/tests/streams.h"

namespace pipetop {
namespace {

CopyEnd end(EndKind kind, bool appends = false) {
  CopyEnd end;
  end.kind = kind;
  end.name = "stdout";
  end.appends = appends;
  return end;
}

TEST(CopyMethods, CopyIsAlwaysTheLastOne) {
  for (int in = 0; in <= int(EndKind::other); ++in)
    for (int out = 0; out <= int(EndKind::other); ++out)
      for (const bool may_splice : {true, false}) {
        const CopyMethods methods =
            methods_for(end(EndKind(in)), end(EndKind(out)), may_splice ? "" : "so");
        ASSERT_FALSE(methods.best_first.empty());
        EXPECT_EQ(methods.best_first.back(), CopyMethod::copy);
        EXPECT_EQ(methods.why.empty(), methods.best_first.size() > 1) << methods.why;
      }
}

// Whatever else waits, waits with the lock of the pipe.
TEST(CopyMethods, APipeIsSplicedToAPipeOnly) {
  for (int kind = 0; kind <= int(EndKind::other); ++kind) {
    const bool is_safe = EndKind(kind) == EndKind::pipe || EndKind(kind) == EndKind::null;
    EXPECT_EQ(methods_for(end(EndKind::pipe), end(EndKind(kind)), "").best_first.front(),
              is_safe ? CopyMethod::splice : CopyMethod::copy);
    if (EndKind(kind) != EndKind::pipe) {
      EXPECT_NE(methods_for(end(EndKind(kind)), end(EndKind::pipe), "").best_first.front(),
                CopyMethod::splice);
    }
  }
}

TEST(CopyMethods, APipeThatAppendsIsAPipe) {
  EXPECT_EQ(methods_for(end(EndKind::pipe), end(EndKind::pipe, true), "").best_first.front(),
            CopyMethod::splice);
}

TEST(CopyEnds, KnowsWhatItIs) {
  const TwoEnds pipe = make_pipe(), sockets = make_sockets(), terminal = make_raw_terminal();
  const ScratchFile file;
  EXPECT_EQ(end_of_descriptor(pipe.read.get(), "in").kind, EndKind::pipe);
  EXPECT_EQ(end_of_descriptor(sockets.read.get(), "in").kind, EndKind::socket);
  EXPECT_EQ(end_of_descriptor(terminal.write.get(), "in").kind, EndKind::terminal);
  EXPECT_EQ(end_of_descriptor(file.fd.get(), "in").kind, EndKind::regular);
  EXPECT_FALSE(end_of_descriptor(file.fd.get(), "in").appends);
  EXPECT_TRUE(end_of_descriptor(file.appending.get(), "in").appends);
  EXPECT_EQ(end_of_descriptor(UniqueFd(::open("/dev/null", O_RDONLY)).get(), "in").kind,
            EndKind::null);
  EXPECT_EQ(end_of_descriptor(UniqueFd(::open("/dev/zero", O_RDONLY)).get(), "in").kind,
            EndKind::device);
}

TEST(CopyEnds, AFileIsItselfByAnyDescriptor) {
  const auto same = [](const UniqueFd& one, const UniqueFd& other) {
    return same_file(end_of_descriptor(one.get(), "in"), end_of_descriptor(other.get(), "out"));
  };
  const ScratchFile file, other;
  const TwoEnds pipe = make_pipe(), sockets = make_sockets();
  EXPECT_TRUE(same(file.fd, file.appending));
  EXPECT_FALSE(same(file.fd, other.fd));
  EXPECT_TRUE(same(pipe.read, pipe.write));
  EXPECT_FALSE(same(pipe.read, make_pipe().write));
  EXPECT_FALSE(same(sockets.read, sockets.read)) << "it has two directions";
}

TEST(CopyEnds, AFileTellsWhatIsLeftOfIt) {
  const ScratchFile file(std::string(1'000, 'x'));
  EXPECT_EQ(bytes_left(file.fd.get()), 1'000u);
  ::lseek(file.fd.get(), 900, SEEK_SET);
  EXPECT_EQ(bytes_left(file.fd.get()), 100u);
  ::lseek(file.fd.get(), 2'000, SEEK_SET);
  EXPECT_EQ(bytes_left(file.fd.get()), std::nullopt);
  EXPECT_EQ(bytes_left(make_pipe().read.get()), std::nullopt);
  EXPECT_EQ(bytes_left(UniqueFd(::open("/proc/version", O_RDONLY)).get()), std::nullopt)
      << "it has no size, but bytes";
}

}  // namespace
}  // namespace pipetop
