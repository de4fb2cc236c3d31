#include "engine/process/change_ledger.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"

namespace pipetop {
namespace {

constexpr PipeId kPipe = {.device = 14, .inode = 81234};

class ChangeRecordTest : public testing::Test {
 protected:
  // Leaves changes of two pipes, the second through two holders, written by a pipetop that is gone.
  std::string leave(const std::function<void(ChangeList&)>& damage = [](ChangeList&) {}) const {
    const auto list = std::make_unique<ChangeList>();
    list->count = 3;
    for (ForeignChange& change : list->changes())
      change = {.step = 5,
                .fd = 1,
                .process = {9, 90},
                .pipe = kPipe,
                .before = 65536,
                .set = 131072,
                .is_in_place = 1};
    list->change[0].step = 1;
    list->change[0].pipe = {};
    list->change[2].process = {7, 70};
    damage(*list);
    const ChangeRecord record = make_record(folder);
    write_record(record.file.get(), *list);
    return record.path;
  }
  size_t found() const { return find_records(folder).left.size(); }

  ScratchDirectory scratch;
  std::string folder = scratch.path();
};

TEST_F(ChangeRecordTest, WhatWasLeftIsFound) {
  const std::string path = leave();
  struct stat status = {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const FoundRecords records = find_records(folder);
  ASSERT_EQ(records.left.size(), 1u);
  ASSERT_TRUE(records.left[0].list);
  const ChangeList& list = *records.left[0].list;
  ASSERT_EQ(list.count, 3u);
  EXPECT_EQ(list.change[2].process, (ProcessId{7, 70}));
  EXPECT_EQ(list.change[2].pipe, kPipe);
  EXPECT_EQ(list.change[2].set, 131072u);
}

TEST_F(ChangeRecordTest, OneThatIsInUseIsNotTaken) {
  const ChangeRecord record = make_record(folder);
  const auto list = std::make_unique<ChangeList>();
  list->change[0] = {.step = 1, .fd = 1, .process = {7, 70}, .before = 4096, .set = 8192};
  list->change[0].is_in_place = 1;
  list->count = 1;
  write_record(record.file.get(), *list);
  EXPECT_EQ(find_records(folder).in_use, 1);
  EXPECT_EQ(found(), 0u);
  const std::string other = leave();
  EXPECT_NE(other, record.path);
  EXPECT_EQ(found(), 1u);
}

TEST_F(ChangeRecordTest, AnotherMaySeeItWhileItIsEmpty) {
  { const ChangeRecord record = make_record(folder); }
  EXPECT_EQ(found(), 0u);
}

TEST_F(ChangeRecordTest, WhatOthersMayHaveWrittenIsNoRecord) {
  const std::string path = leave();
  ASSERT_EQ(chmod(path.c_str(), 0620), 0);
  EXPECT_EQ(found(), 0u) << "a group may write it";
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(found(), 1u);
  const std::string aside = folder + "/aside";
  std::filesystem::rename(path, aside);
  std::filesystem::create_symlink(aside, path);
  EXPECT_EQ(found(), 0u) << "a link";
  std::filesystem::remove(path);
  std::filesystem::create_hard_link(aside, path);
  EXPECT_EQ(found(), 0u) << "it has another name";
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(found(), 0u) << "no file; and opening it waits for nobody";
}

TEST_F(ChangeRecordTest, NonsenseIsDamage) {
  const std::function<void(ChangeList&)> damages[] = {
      [](ChangeList& list) { list.change[0].process.pid = -1; },
      [](ChangeList& list) { list.change[0].is_in_place = 2; },
      [](ChangeList& list) { list.change[1].step = 1; },  // of two pipes
      [](ChangeList& list) { list.change[1].step = 6; },  // falls
      [](ChangeList& list) { list.change[2].fd = -1; },
      [](ChangeList& list) { list.change[2].before = 0; },
      [](ChangeList& list) { list.change[2].before = uint64_t{INT_MAX} + 1; },
      [](ChangeList& list) { list.change[2].set = 0; },
  };
  for (size_t i = 0; i < std::size(damages); ++i) {
    const std::string path = leave(damages[i]);
    const FoundRecords records = find_records(folder);
    ASSERT_EQ(records.left.size(), 1u) << i;
    EXPECT_FALSE(records.left[0].list) << i;
    std::filesystem::remove(path);
  }
}

// Whatever byte of the header is another one, and however short it is.
TEST_F(ChangeRecordTest, AnotherVersionOrATornFileIsDamage) {
  constexpr size_t kHeader = 20;
  for (size_t at = 0; at < kHeader; ++at) {
    const std::string path = leave();
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(std::streamoff(at));
    const int byte = file.get();
    file.seekp(std::streamoff(at));
    file.put(char(byte + 0x40));
    file.close();
    const FoundRecords records = find_records(folder);
    ASSERT_EQ(records.left.size(), 1u) << at;
    EXPECT_FALSE(records.left[0].list) << at;
    std::filesystem::remove(path);
  }
  const std::string path = leave();
  for (auto bytes = std::filesystem::file_size(path); bytes > 1; bytes /= 2) {
    std::filesystem::resize_file(path, bytes - 1);
    EXPECT_FALSE(find_records(folder).left.at(0).list) << bytes;
  }
}

TEST_F(ChangeRecordTest, AFolderThatIsNotThereHasNone) {
  EXPECT_EQ(find_records(folder + "/none").left.size(), 0u);
  EXPECT_THROW(make_record(folder + "/none"), SystemError);
}

}  // namespace
}  // namespace pipetop
