// A command line as it is typed, and the mistakes in one.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "tui/flags/command_line.h"

namespace pipetop::tui {

inline CommandLine parse(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return parse_command_line(words);
}

struct Mistake {
  const char* text;
  const char* error;
};

// The usage error that `call` throws.
template <class Call>
std::string usage_error(Call call) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::usage);
    return e.what();
  }
  return "no error";
}

}  // namespace pipetop::tui
