// Pictures of a real pipe.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "engine/tests/support/scratch_directory.h"
#include "tui/command_line/tests/program.h"
#include "tui/print/tests/xml_reader.h"

namespace pipetop::tui {
namespace {

bool is_in(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(Shot, PrintsTheScreenAsText) {
  Program program({"shot", "--no-bpf", "--preset", "vmsplice_splice", "--size", "80x24"});
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(program.err(), "");
  EXPECT_EQ(std::ranges::count(program.out(), '\n'), 24);
  for (const char* part : {"vmsplice_splice", "GiB/s", "slots", "? help"})
    EXPECT_TRUE(is_in(program.out(), part)) << part << "\n" << program.out();
  EXPECT_FALSE(is_in(program.out(), "\033"));
}

TEST(Shot, DrawsAnSvgAfterItsKeys) {
  const ScratchDirectory directory;
  const std::string file = directory.file("x.svg");
  Program program({"shot", "--no-bpf", "--keys", "v ?", "--after", "300ms", "--theme", "light",
                   "--output", file});
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(program.out() + program.err(),
            "pipetop: the figures had not settled: leave out --after\n");
  const std::string svg = content_of(file);
  const XmlDocument document = read_xml(svg);
  EXPECT_EQ(document.error, "");
  EXPECT_TRUE(is_in(document.text, "Knobs, while data flows"));
  EXPECT_TRUE(is_in(document.text, "vmsplice"));
  EXPECT_TRUE(is_in(svg, "fill=\"#ffffff\""));
  EXPECT_TRUE(is_in(svg, "width=\"1464\" height=\"984\""));
}

TEST(Shot, RefusesBeforeItStarts) {
  for (const auto& [words, error] :
       {std::pair{std::vector<std::string>{"shot", "-o", "x.png"},
                  "pipetop: -o: \".png\" is no kind of picture: give FILE.svg, FILE.txt or "
                  "FILE.ans, or --format\n"},
        {{"shot", "--keys", "v vs"},
         "pipetop: --keys: \"vs\" is not a key: give keys as the help names them, with blanks "
         "between: \"v s Tab\"\n"}}) {
    Program program(words);
    EXPECT_EQ(program.wait(), 1);
    EXPECT_EQ(program.err(), error);
  }
}

TEST(Shot, DrawsAMomentOfARecording) {
  const ScratchDirectory directory;
  const std::string file = directory.file("x.ptop");
  Program run({"run", "--no-bpf", "--preset", "vmsplice_splice", "--duration", "2s", "--record",
               file, "--output", directory.file("x.txt")});
  ASSERT_TRUE(measured(run.wait())) << run.err();
  const std::vector<std::string> shot = {"shot", "--replay", file, "--size", "80x24"};
  Program first(shot), second(shot);
  EXPECT_EQ(first.wait(), 0) << first.err();
  EXPECT_EQ(second.wait(), 0);
  EXPECT_TRUE(is_in(first.out(), "vmsplice_splice")) << first.out();
  EXPECT_TRUE(is_in(first.out(), "GiB/s"));
  EXPECT_FALSE(is_in(first.out(), "REPLAY")) << "it is a picture of what was seen";
  EXPECT_EQ(first.out(), second.out());
  for (const auto& [more, error] :
       {std::pair{std::vector<std::string>{"--at", "1h"}, "ends after"},
        {{"--keys", "v"}, "--keys: v: a recording cannot be changed"}}) {
    std::vector<std::string> words = shot;
    words.insert(words.end(), more.begin(), more.end());
    Program program(words);
    EXPECT_EQ(program.wait(), 1);
    EXPECT_TRUE(is_in(program.err(), error)) << program.err();
  }
}

TEST(Shot, ASignalEndsItWithoutAFile) {
  const ScratchDirectory directory;
  Program program({"shot", "--no-bpf", "--after", "1h", "-o", directory.file("x.svg")});
  ASSERT_NE(program.wait_for_child("pipetop-reader"), 0);
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  EXPECT_EQ(program.err(), "pipetop: ended before there was a picture\n");
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

// ---- of pipelines of other programs ----

TEST(Shot, OfAPipelineThatIsStartedForIt) {
  Program shot({"shot", "--no-bpf", "--size", "100x30", "--after", "2s", "--", "sleep 987 | cat"});
  EXPECT_EQ(shot.wait(), 0) << shot.err();
  EXPECT_NE(shot.out().find("sleep"), std::string::npos) << shot.out();
  EXPECT_NE(shot.out().find("cat"), std::string::npos) << shot.out();
  Program left("/bin/sh", {"-c", "pgrep -f 'sleep 98[7]' || echo none"});
  EXPECT_EQ(left.wait(), 0);
  EXPECT_EQ(left.out(), "none\n") << "it is ended with the picture";
  Program words(
      {"shot", "--no-bpf", "--after", "1s", "--", "/bin/sh", "-c", "sleep 986 | tr \"'\" x; exit"});
  EXPECT_EQ(words.wait(), 0) << words.err();
  EXPECT_NE(words.out().find("tr"), std::string::npos) << "words stay as they are";
}

TEST(Shot, OfAPipelineThatRuns) {
  Program pipeline("/bin/sh", {"-c", "sleep 20 | cat"});
  Program shot({"shot", "--no-bpf", "--watch", std::to_string(pipeline.pid()), "--keys", "j ?"});
  EXPECT_EQ(shot.wait(), 0) << shot.err();
  EXPECT_NE(shot.out().find("halve or double"), std::string::npos) << shot.out();
}

TEST(Shot, MistakesOfAPipelineAreExplained) {
  const auto refused = [](std::vector<std::string> arguments) {
    Program program(std::move(arguments));
    EXPECT_EQ(program.wait(), 1);
    return program.err();
  };
  EXPECT_NE(refused({"shot", "--watch", "999999999"}).find("there is no process 999999999"),
            std::string::npos);
  EXPECT_NE(refused({"shot", "--no-bpf", "--", "exit 3"})
                .find("no pipe was seen: the command has ended with status 3"),
            std::string::npos);
  EXPECT_NE(refused({"shot", "--no-bpf", "--", "nosuchcmd | cat"}).find("nosuchcmd: not found"),
            std::string::npos)
      << "what the shell says";
  EXPECT_NE(refused({"shot", "--watch", "1", "--", "ls"}).find("two things to watch"),
            std::string::npos);
  EXPECT_NE(refused({"shot", "--watch", "1", "--replay", "a.ptop"}).find("two pictures"),
            std::string::npos);
  EXPECT_NE(refused({"shot", "--watch", "1", "--preset", "write_read"})
                .find("is for a pipe of pipetop's own"),
            std::string::npos);
  EXPECT_NE(refused({"shot", "--watch", ""}).find("is no pipe"), std::string::npos);
}

}  // namespace
}  // namespace pipetop::tui
