// The speaker's notes: what is told, to whom, and that nobody waits.
#include "tui/notes/notes.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>

#include "engine/base/error.h"
#include "engine/tests/support/scratch_directory.h"

namespace pipetop::tui {
namespace {

namespace fs = std::filesystem;

const NotesPage kPage = {.scene = 3,
                         .scenes = 12,
                         .title = "Lending pages",
                         .notes = "Ask.\nThen \"wait\".",
                         .next = "Splice",
                         .next_caption = "no copy\nat all",
                         .begun_ns = 5,
                         .entered_ns = 7};

TEST(NotesPage, ReadsBackWhatItTells) {
  const std::string line = notes_line(kPage);
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  EXPECT_EQ(parse_notes(line), kPage);
  NotesPage odd = kPage;
  odd.title = "\\n";
  odd.notes = "a\\\n\nb\\";
  odd.entered_ns = UINT64_MAX;
  odd.black = true;
  odd.checks = {{"rate >= 1", ""}, {"sees: f", "f was not seen"}};
  odd.otherwise = "never mind";
  EXPECT_EQ(parse_notes(notes_line(odd)), odd);
  odd.title = "\xff";
  EXPECT_EQ(parse_notes(notes_line(odd))->notes, odd.notes) << "the title is no text";
}

TEST(NotesPage, AnythingElseIsNone) {
  const std::string line = notes_line(kPage);
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("1"), std::string("{}"),
        std::string("{\"scene\":1}"), line.substr(0, line.size() / 2), line + line,
        std::regex_replace(line, std::regex("\"scene\":3"), "\"scene\":\"one\"")})
    EXPECT_FALSE(parse_notes(text)) << text;
}

class NotesSocket : public testing::Test {
 protected:
  NotesSocket() { places_ = {directory_ / "gone", directory_ / "own"}; }

  std::unique_ptr<NotesServer> serve() {
    return std::make_unique<NotesServer>(places_, User{geteuid(), getegid()});
  }
  std::string error() {
    try {
      serve();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  bool update(NotesReader& reader) { return reader.update(places_, geteuid()); }

  UniqueFd connect_raw(const std::string& path) {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }

  ScratchDirectory scratch_;
  fs::path directory_ = scratch_.path();
  std::vector<std::string> places_;
};

TEST(NotesPlaces, AreTheUsersOwn) {
  EXPECT_EQ(notes_directories("/run/user/7", 1000),
            (std::vector<std::string>{"/run/user/7", "/run/user/1000", "/tmp/pipetop-1000"}));
  for (const char* runtime : {(const char*)nullptr, "", "relative"})
    EXPECT_EQ(notes_directories(runtime, 0, "/t"),
              (std::vector<std::string>{"/run/user/0", "/t/pipetop-0"}));
}

TEST_F(NotesSocket, IsOfItsUserAlone) {
  const auto server = serve();
  struct stat status;
  ASSERT_EQ(stat(server->path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  ASSERT_EQ(stat(places_.back().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(NotesSocket, ADirectoryOfOthersIsRefused) {
  fs::create_directory(places_.back());
  fs::permissions(places_.back(), fs::perms::all);
  EXPECT_NE(error().find("is not a directory of user"), std::string::npos) << error();
  fs::remove(places_.back());
  fs::create_directory_symlink("/tmp", places_.back());
  EXPECT_NE(error().find("is not a directory of user"), std::string::npos) << error();
}

TEST_F(NotesSocket, TellsWhatIsNew) {
  NotesReader reader;
  EXPECT_FALSE(update(reader)) << "there is no talk yet";
  EXPECT_FALSE(reader.page());
  auto server = serve();
  EXPECT_TRUE(update(reader));
  server->serve(kPage);
  update(reader);
  EXPECT_EQ(reader.page(), kPage);
  NotesPage next = kPage;
  next.scene = 4;
  server->serve(next);
  update(reader);
  EXPECT_EQ(reader.page(), next);
  const std::string path = server->path();
  server.reset();
  EXPECT_FALSE(fs::exists(path)) << "it is removed at the end";
  update(reader);
  EXPECT_FALSE(reader.connected());
  EXPECT_EQ(reader.page(), next) << "the last page stays";
  server = serve();
  server->serve(kPage);
  update(reader);
  server->serve(kPage);
  update(reader);
  EXPECT_EQ(reader.page(), kPage) << "the next talk is found";
}

TEST_F(NotesSocket, ASocketThatWasLeftIsReplacedAndALiveOneIsNot) {
  auto server = serve();
  EXPECT_EQ(error(), "another talk is being given: the notes are of that one");
  const std::string path = server->path();
  server.reset();
  std::ofstream(path) << "left";
  EXPECT_NO_THROW(server = serve());
  NotesReader reader;
  EXPECT_TRUE(update(reader));
}

// It never reads, and it writes a lot.
TEST_F(NotesSocket, ASlowOrHostileReaderIsDroppedAndNobodyWaits) {
  auto server = serve();
  const UniqueFd hostile = connect_raw(server->path());
  NotesReader reader;
  update(reader);
  NotesPage page = kPage;
  page.notes = std::string(8000, 'x');
  // Much more than a socket holds: whoever waited would wait for ever.
  for (uint32_t i = 0; i < 300; ++i) {
    page.scene = i;
    server->serve(page);
    update(reader);
    (void)!send(hostile.get(), page.notes.data(), 1000, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  EXPECT_EQ(server->readers(), 1u) << "the slow one is gone";
  EXPECT_EQ(reader.page(), page);
}

TEST_F(NotesSocket, TooManyReadersAreTurnedAway) {
  auto server = serve();
  std::vector<UniqueFd> many;
  for (int i = 0; i < 30; ++i) {
    many.push_back(connect_raw(server->path()));
    server->serve(kPage);
  }
  EXPECT_EQ(server->readers(), 8u);
  many.clear();
  server->serve(kPage);
  EXPECT_EQ(server->readers(), 0u);
}

std::string notes_text(const NotesState& view, int rows, int cols) {
  Canvas canvas(glyphs_of(GlyphSet::unicode));
  canvas.reset(rows, cols);
  draw_notes(canvas, view);
  return canvas.text();
}

TEST(NotesScreen, ShowsWhatTheSpeakerNeeds) {
  std::optional<NotesPage> page = kPage;
  page->begun_ns = 1'000'000'000;
  page->entered_ns = 61'000'000'000;
  const std::string text = notes_text({page, true, 72'000'000'000, "14:05:09"}, 24, 80);
  for (const char* part : {"scene 3 of 12", "14:05:09", "Lending pages", "Ask.", "Then \"wait\".",
                           "next  Splice", "talk  00:01:11", "scene  00:00:11"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  EXPECT_EQ(text.find("ended"), text.npos);
  EXPECT_NE(notes_text({page, false, 0, ""}, 24, 80).find("the talk has ended"), text.npos);
}

TEST(NotesScreen, ShowsTheScreenThePlanAndWhatIsNotAsExpected) {
  std::optional<NotesPage> page = kPage;
  page->begun_ns = 1'000'000'000;
  page->entered_ns = 61'000'000'000;
  page->planned_ns = 90'000'000'000;
  page->after_ns = 300'000'000'000;
  page->black = true;
  page->checks = {{"rate >= 1", ""}, {"ratio_to_previous >= 1.5", "ratio_to_previous 1.31"}};
  page->otherwise = "this machine copies fast";
  const std::string text = notes_text({page, true, 72'000'000'000, "14:05:09"}, 24, 80);
  for (const char* part :
       {"SCREEN IS BLACK", "no copy at all", "00:00:11 of 00:01:30", "left  00:06:19",
        "as expected: rate >= 1", "NOT as expected: ratio_to_previous 1.31", "say: this machine"})
    EXPECT_NE(text.find(part), text.npos) << part << "\n" << text;
  page->checks.pop_back();
  EXPECT_EQ(notes_text({page, true, 0, ""}, 24, 80).find("say:"), std::string::npos);
  for (int line = 0; line < 40; ++line) page->notes += "\nmore of it";
  EXPECT_NE(notes_text({page, true, 0, ""}, 24, 80).find("as expected: rate >= 1"),
            std::string::npos)
      << "long notes leave room for it";
}

TEST(NotesScreen, SaysThatItWaits) {
  EXPECT_NE(notes_text({std::nullopt, false, 0, "14:05:09"}, 24, 80).find("No talk yet"),
            std::string::npos);
}

TEST(NotesScreen, DrawsAtAnySize) {
  const std::optional<NotesPage> page = kPage;
  for (int rows = 1; rows < 30; ++rows)
    for (int cols = 1; cols < 90; cols += 7) notes_text({page, true, 9, "14:05:09"}, rows, cols);
}

}  // namespace
}  // namespace pipetop::tui
