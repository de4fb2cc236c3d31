// The scripts in the real shells.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/tests/support/scratch_directory.h"
#include "tui/tests/pty.h"

namespace pipetop::tui {
namespace {

using Words = std::vector<std::string>;

std::string program_directory() {
  return std::filesystem::path(PIPETOP_PROGRAM).parent_path().string();
}

// A shell at its prompt, in a directory of its own, with pipetop on its PATH.
class Shell {
 public:
  Shell(const Words& command, const std::string& set_prompt)
      : terminal_(command, {"PATH=" + program_directory() + ":" + std::getenv("PATH"),
                            "HOME=" + home_.file(""), "XDG_CONFIG_HOME=", "TERM=dumb"}) {
    run("cd; " + set_prompt);
  }

  void run(const std::string& line) {
    terminal_.send(line + "\n");
    EXPECT_TRUE(terminal_.wait_for("ready> ")) << line << ": " << terminal_.output();
  }

  // Presses Tab after `typed`, then makes the line the arguments of printf.
  void expect_words(const std::string& typed, const std::string& words) {
    terminal_.send(typed + "\t\x01printf '<%s>' \n");
    EXPECT_TRUE(terminal_.wait_for(words)) << typed << ": " << terminal_.output();
    EXPECT_TRUE(terminal_.wait_for("ready> "));
  }

  void expect_completions() {
    run("echo > out.yaml; mkdir -p .config/pipetop; echo 'presets: [{name: mine}]' > "
        ".config/pipetop/own.yaml");
    expect_words("pipetop lad", "<pipetop><ladder>");
    expect_words("pipetop run --dura", "<pipetop><run><--duration>");
    expect_words("pipetop run --wait ada", "<pipetop><run><--wait><adaptive>");
    expect_words("pipetop run --wait=ada", "<pipetop><run><--wait=adaptive>");
    expect_words("pipetop run --wait=busy,ad", "<pipetop><run><--wait=busy,adaptive>");
    expect_words("pipetop --preset busy_l", "<pipetop><--preset><busy_loop_huge>");
    expect_words("pipetop -c arti", "<pipetop><-c><article>");
    expect_words("pipetop -c ou", "<pipetop><-c><out.yaml>");
    expect_words("pipetop -c own --preset mi", "<pipetop><-c><own><--preset><mine>");
    expect_words("pipetop run --output ou", "<pipetop><run><--output><out.yaml>");
    expect_words("pipetop run --output=ou", "<pipetop><run><--output=out.yaml>");
    expect_words("pipetop completion fi", "<pipetop><completion><fish>");
  }

  const ScratchDirectory& home() const { return home_; }

 private:
  ScratchDirectory home_;
  PtyProgram terminal_;
};

#define NEEDS(path) \
  if (access(path, X_OK) != 0) GTEST_SKIP() << "there is no " path

TEST(Completion, InBash) {
  Shell bash({"/bin/bash", "--norc", "--noprofile", "-i"}, "PS1='re''ady> '");
  bash.run("source <(pipetop completion bash)");
  bash.expect_completions();
  bash.run("COMP_WORDBREAKS=${COMP_WORDBREAKS//=}");
  bash.expect_completions();
}

TEST(Completion, InZsh) {
  NEEDS("/usr/bin/zsh");
  Shell zsh({"/usr/bin/zsh", "-f", "-i"}, "PROMPT='re''ady> '");
  zsh.run("autoload -Uz compinit && compinit -D; source <(pipetop completion zsh)");
  zsh.expect_completions();
}

TEST(Completion, InZshByItsName) {
  NEEDS("/usr/bin/zsh");
  Shell zsh({"/usr/bin/zsh", "-f", "-i"}, "PROMPT='re''ady> '");
  zsh.run("mkdir functions && pipetop completion zsh > functions/_pipetop");
  zsh.run("fpath=(~/functions $fpath); autoload -Uz compinit && compinit -D");
  zsh.expect_completions();
}

// What fish would offer, without their descriptions.
Words fish_offers(const std::string& typed) {
  PtyProgram fish({"/usr/bin/fish", "--no-config", "-c",
                   "pipetop completion fish | source; complete -C '" + typed + "'"},
                  {"PATH=" + program_directory() + ":" + std::getenv("PATH")});
  fish.wait_for_end();
  std::istringstream output(fish.output());
  Words words;
  for (std::string line; std::getline(output, line);)
    words.push_back(line.substr(0, line.find_first_of("\t\r")));
  return words;
}

TEST(Completion, InFish) {
  NEEDS("/usr/bin/fish");
  EXPECT_EQ(fish_offers("pipetop la"), Words{"ladder"});
  EXPECT_EQ(fish_offers("pipetop run --wait b"), (Words{"block", "busy", "busy_poll"}));
  EXPECT_EQ(fish_offers("pipetop run --wait=bu"), (Words{"--wait=busy", "--wait=busy_poll"}));
  EXPECT_EQ(fish_offers("pipetop run --wait=busy,ad"), Words{"--wait=busy,adaptive"});
  EXPECT_EQ(fish_offers("pipetop -c percpu --preset no_percpu_"), Words{"no_percpu_batched"});
  EXPECT_EQ(fish_offers("pipetop -c arti"), Words{"article"});
  const ScratchDirectory directory;
  for (const char* name : {"out.yaml", "out.txt"}) std::ofstream(directory.file(name)) << "{}";
  const std::string out = directory.file("out");
  EXPECT_EQ(fish_offers("pipetop -c " + out), Words{out + ".yaml"});
  EXPECT_EQ(fish_offers("pipetop run --output=" + out),
            (Words{"--output=" + out + ".txt", "--output=" + out + ".yaml"}));
}

}  // namespace
}  // namespace pipetop::tui
