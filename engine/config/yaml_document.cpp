#include "engine/config/yaml_document.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/handles.h"
#include "engine/base/text.h"

namespace pipetop {
namespace {

constexpr size_t kMaxBytes = 1 << 20;
constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxNodes = 10'000;

using Source = std::shared_ptr<const YamlSource>;

void check_kind(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) throw Error("is a directory: give a file");
  if (!S_ISREG(status.st_mode)) throw Error("is not a regular file: give one");
  if (size_t(status.st_size) > kMaxBytes)
    throw Error(fmt::format("has {} bytes: a config has at most {}", status.st_size, kMaxBytes));
}

// The contents of a regular file; never blocks. Throws Error.
std::string read_text_file(const std::string& path) {
  // Non-blocking: opening a FIFO would wait for a writer.
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) {
    const int error = errno;
    throw Error(fmt::format("cannot be opened: {}: give a file that exists and is readable",
                            std::generic_category().message(error)));
  }
  struct stat status;
  if (fstat(fd.get(), &status) != 0) throw SystemError("cannot be read", errno, Exit::usage);
  check_kind(status);
  std::string text;
  std::array<char, 16384> chunk;
  while (text.size() <= kMaxBytes) {
    const ssize_t got = read(fd.get(), chunk.data(), chunk.size());
    if (got == 0) return text;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError("cannot be read", errno, Exit::usage);
    text.append(chunk.data(), size_t(got));
  }
  throw Error(fmt::format("has more than the {} bytes of a config", kMaxBytes));
}

bool is_white(char c) { return c == '\n' || c == '\r' || c == '\t'; }

size_t byte_of(const YAML::Mark& mark) { return size_t(std::max(mark.pos, 0)); }

// Builds the tree from yaml-cpp's events rather than its nodes: limits apply before
// memory or stack is used, and no alias is ever followed.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Source source) : source_(std::move(source)) { root_.source = source_; }

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) refuse(mark, "a second document: a config is one YAML map");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(leaf(YamlNode::Kind::null, mark, "", anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, kNoAnchors); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = leaf(YamlNode::Kind::scalar, mark, tag, anchor);
    check_quote(mark);
    node.text = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  static constexpr const char* kNoAnchors =
      "anchors and aliases are not supported in config files: write out the value";

  [[noreturn]] void refuse(const YAML::Mark& mark, std::string_view words) const {
    source_->fail(byte_of(mark), words);
  }

  // yaml-cpp 0.7 accepts the end of the file in place of a closing quote. No config
  // value needs a second line.
  void check_quote(const YAML::Mark& mark) const {
    const std::string& text = source_->text;
    const size_t begin = byte_of(mark);
    const char quote = begin < text.size() ? text[begin] : '\0';
    if (quote != '"' && quote != '\'') return;
    for (size_t i = begin + 1; i < text.size() && text[i] != '\n'; ++i) {
      if (text[i] == quote) return;
      if (quote == '"' && text[i] == '\\') ++i;
    }
    refuse(mark, "a quote that does not end on the same line: close it");
  }

  // "?" and "!" are yaml-cpp's tags for plain and quoted scalars.
  YamlNode leaf(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor) {
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(mark, "tags are not supported in config files: remove the tag");
    if (anchor != YAML::NullAnchor) refuse(mark, kNoAnchors);
    if (++nodes_ > kMaxNodes)
      refuse(mark, fmt::format("more than {} values: too many for a config", kMaxNodes));
    return {.kind = kind, .source = source_, .byte = byte_of(mark)};
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    if (open_.size() >= kMaxDepth)
      refuse(mark, fmt::format("nested deeper than {} levels: too deep for a config", kMaxDepth));
    open_.push_back(leaf(kind, mark, tag, anchor));
  }

  void close() {
    YamlNode node = std::move(open_.back());
    open_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    YamlNode& parent = open_.back();
    const bool is_key =
        parent.kind == YamlNode::Kind::map && parent.keys.size() == parent.values.size();
    if (is_key && node.kind != YamlNode::Kind::scalar)
      node.fail(fmt::format("a key is a name, not {}", describe(node.kind)));
    // yaml-cpp notices a missing value only at the token after it.
    if (!is_key && node.kind == YamlNode::Kind::null && !parent.keys.empty())
      node.byte = parent.keys.back().byte;
    (is_key ? parent.keys : parent.values).push_back(std::move(node));
  }

  Source source_;
  YamlNode root_;
  std::vector<YamlNode> open_;  // the open containers
  size_t nodes_ = 0;
  int documents_ = 0;
};

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct Hint {
  std::string_view words;  // in yaml-cpp's message
  std::string_view mend;
};

constexpr std::array kHints = {
    Hint{"tab", "indent with spaces"},
    Hint{"end of map flow", "close it with }"},
    Hint{"end of sequence flow", "close it with ]"},
    Hint{"end of map", "give each entry as \"key: value\", indented alike"},
    Hint{"end of sequence", "start each item with \"- \", indented alike"},
    Hint{"illegal map value", "quote a value that contains \": \", or fix the indentation"},
    Hint{"illegal EOF in scalar", "close the quote"},
    Hint{"unknown token", "quote a value that starts like this"},
};

std::string explain(const std::string& message) {
  const auto hint = std::ranges::find_if(
      kHints, [&](const Hint& h) { return message.find(h.words) != std::string::npos; });
  return fmt::format("{}: {}", message,
                     hint == kHints.end() ? "see pipetop --default-config" : hint->mend);
}

// yaml-cpp treats a tab as the start of a value, which leads to a misleading error
// some lines later.
void refuse_tab_indent(const YamlSource& source) {
  const std::string_view text = source.text;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view row = text.substr(start, end - start);
    const size_t tab = row.find('\t');
    const size_t content = row.find_first_not_of(" \t\r");
    if (tab < content && content != row.npos && row[content] != '#')
      source.fail(start + tab, "a tab in the indentation: indent with spaces");
    start = end + 1;
  }
}

}  // namespace

std::optional<TextFault> find_text_fault(std::string_view text) {
  size_t length = 0;
  for (size_t i = 0; i < text.size(); i += length) {
    length = utf8_length(text.substr(i));
    if (length == 0)
      return {{i, fmt::format("byte 0x{:02x} is not UTF-8: give a text file", uint8_t(text[i]))}};
    std::string_view rest = text.substr(i);
    if (is_control(take_code_point(rest)) && !is_white(text[i]))
      return {{i, fmt::format("a control character (0x{:02x}): give a text file",
                              uint8_t(text[i + length - 1]))}};
  }
  return {};
}

std::string_view describe(YamlNode::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"nothing", "a value", "a list", "a map"};
  return kNames[static_cast<size_t>(kind)];
}

YamlNode load_yaml(const std::string& path) {
  std::string text;
  try {
    text = read_text_file(path);
  } catch (const Error& e) {
    YamlSource{path, {}}.fail(0, e.what());
  }
  return parse_yaml(path, std::move(text));
}

YamlNode parse_yaml(std::string name, std::string text) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  const auto source = std::make_shared<YamlSource>(YamlSource{std::move(name), std::move(text)});
  if (source->text.size() > kMaxBytes)
    source->fail(0, fmt::format("larger than {} bytes: too large for a config", kMaxBytes));
  if (const auto fault = find_text_fault(source->text)) source->fail(fault->byte, fault->words);
  refuse_tab_indent(*source);
  try {
    std::istringstream stream(source->text);
    YAML::Parser parser(stream);
    TreeBuilder builder(source);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const YAML::Exception& e) {
    source->fail(byte_of(e.mark), explain(e.msg));
  }
}

size_t YamlSource::line_of(size_t byte) const {
  return 1 + size_t(std::ranges::count(text.substr(0, byte), '\n'));
}

void YamlSource::fail(size_t byte, std::string_view words) const {
  // The column counts characters, as editors do.
  const std::string before = text.substr(0, byte);
  const std::string row = before.substr(before.rfind('\n') + 1);
  const auto characters = std::ranges::count_if(row, [](char c) { return (c & 0xc0) != 0x80; });
  throw Error(one_line(fmt::format("{}:{}:{}: {}", name, line_of(byte), characters + 1, words)));
}

void YamlNode::check_map(std::string_view what, std::span<const std::string_view> known) const {
  if (kind != Kind::map && kind != Kind::null)
    fail(fmt::format("{} is a map of \"key: value\" lines, not {}", what, describe(kind)));
  constexpr size_t kListed = 12;  // more are no help in a message
  for (const YamlNode& key : keys) {
    if (std::ranges::find(known, key.text) == known.end()) {
      const auto near = nearest(key.text, known);
      key.fail(fmt::format("{} has no key \"{}\": {}", what, key.text,
                           near                      ? fmt::format("did you mean {}?", *near)
                           : known.size() <= kListed ? "it takes " + join_choices(known)
                                                     : "see pipetop help config-keys"));
    }
    const auto earlier = std::ranges::find(keys, key.text, &YamlNode::text);
    if (&*earlier != &key)
      key.fail(fmt::format("\"{}\" is given twice, first on line {}: keep one", key.text,
                           source->line_of(earlier->byte)));
  }
}

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::ranges::find(keys, key, &YamlNode::text);
  return found == keys.end() ? nullptr : &values[size_t(found - keys.begin())];
}

const std::string& YamlNode::scalar(std::string_view key, std::string_view wanted) const {
  if (kind == Kind::scalar) return text;
  fail(fmt::format("{} is given {}: give {}", key, describe(kind), wanted));
}

size_t YamlNode::choice(std::string_view key, std::span<const std::string_view> choices) const {
  const std::string wanted = join_choices(choices);
  const auto found = std::ranges::find(choices, scalar(key, wanted));
  if (found == choices.end())
    fail(fmt::format("{}: \"{}\" is not a valid value: give {}", key, text, wanted));
  return size_t(found - choices.begin());
}

void YamlNode::read(std::string_view key, uint32_t least, uint32_t most, uint32_t& value,
                    std::string_view zero) const {
  const YamlNode* node = find(key);
  if (!node) return;
  const std::string wanted = fmt::format("{}{}a whole number from {} to {}", zero,
                                         zero.empty() ? "" : " or ", least, most);
  const std::string& digits = node->scalar(key, wanted);
  if (!zero.empty() && digits == zero) {
    value = 0;
    return;
  }
  const auto number = parse_all<uint32_t>(digits);
  if (!number || *number < least || *number > most)
    node->fail(fmt::format("{}: \"{}\" is not {}", key, digits, wanted));
  value = *number;
}

}  // namespace pipetop
