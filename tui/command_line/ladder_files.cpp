#include "tui/command_line/ladder_files.h"

#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <utility>

#include "engine/base/error.h"
#include "tui/print/document.h"

namespace pipetop::tui {
namespace {

constexpr const char* kStdout = "-";

using Named = std::pair<const char*, std::string>;

std::array<Named, 3> files_of(const LadderRequest& request) {
  return {Named{"--csv", request.csv}, {"--json", request.json}, {"--svg", request.svg}};
}

// One file can have several names.
std::string place_of(const std::string& path) {
  if (path.empty() || path == kStdout) return path;
  std::error_code error;
  const auto place =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : place.string();
}

void check_places(const LadderRequest& request) {
  const auto files = files_of(request);
  for (size_t i = 0; i < files.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (!files[i].second.empty() && place_of(files[i].second) == place_of(files[j].second))
        throw Error(fmt::format("{} and {} would both go to {}", files[j].first, files[i].first,
                                files[i].second == kStdout ? "stdout" : files[i].second));
}

void open(std::optional<Output>& output, const std::string& path) {
  if (!path.empty()) output.emplace(path);
}

void put(std::optional<Output>& output, const std::string& text) {
  if (!output) return;
  output->write(text);
  output->finish();
}

}  // namespace

LadderFiles::LadderFiles(const LadderRequest& request) {
  check_places(request);
  open(csv_, request.csv);
  open(json_, request.json);
  open(svg_, request.svg);
  bool stdout_is_taken = false;
  for (const auto& [flag, path] : files_of(request))
    stdout_is_taken = stdout_is_taken || path == kStdout;
  if (!stdout_is_taken) table_.emplace(kStdout);
}

void LadderFiles::write(const LadderResult& result, GlyphSet glyphs) {
  const Document document = ladder_document(result, glyphs);
  put(csv_, csv_text(document));
  put(json_, json_text(document));
  put(svg_, ladder_svg(result));
  put(table_, document.human);
}

}  // namespace pipetop::tui
