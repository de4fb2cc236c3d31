#include "engine/config/yaml_document.h"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "engine/base/error.h"
#include "engine/config/text_file.h"

namespace pipetop {
namespace {

YamlPlace place_of(const YAML::Mark& mark) {
  return {std::max(mark.line, 0), std::max(mark.column, 0)};
}

// Thrown by us: the words already say what is expected.
struct Refusal {
  YamlPlace place;
  std::string words;
};

// Builds the tree from yaml-cpp's events rather than its nodes: limits apply before
// memory or stack is used, and no alias is ever followed.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) refuse(mark, "a second document: a config is one YAML map");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(leaf(YamlNode::Kind::null, mark, anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, kNoAnchors); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    check_quote(mark);
    YamlNode node = leaf(YamlNode::Kind::scalar, mark, anchor);
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

  [[noreturn]] static void refuse(const YAML::Mark& mark, std::string words) {
    throw Refusal{place_of(mark), std::move(words)};
  }

  // "?" and "!" are yaml-cpp's tags for plain and quoted scalars.
  static void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!")
      refuse(mark, "tags are not supported in config files: remove the tag");
  }

  // yaml-cpp 0.7 accepts the end of the file in place of a closing quote. No config
  // value needs a second line.
  void check_quote(const YAML::Mark& mark) const {
    if (mark.pos < 0 || size_t(mark.pos) >= text_.size()) return;
    const char quote = text_[size_t(mark.pos)];
    if (quote != '"' && quote != '\'') return;
    for (size_t i = size_t(mark.pos) + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == quote) return;
      if (quote == '"' && text_[i] == '\\') ++i;
    }
    refuse(mark, "a quote that does not end on the same line: close it");
  }

  YamlNode leaf(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) refuse(mark, kNoAnchors);
    if (++nodes_ > kMaxYamlNodes)
      refuse(mark, fmt::format("more than {} values: too many for a config", kMaxYamlNodes));
    return {kind, place_of(mark), {}, {}, {}};
  }

  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    check_tag(mark, tag);
    if (open_.size() >= kMaxYamlDepth)
      refuse(mark,
             fmt::format("nested deeper than {} levels: too deep for a config", kMaxYamlDepth));
    open_.push_back(leaf(kind, mark, anchor));
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
      throw Refusal{node.place, fmt::format("a key is a name, not {}", describe(node.kind))};
    // yaml-cpp notices a missing value only at the token after it.
    if (!is_key && node.kind == YamlNode::Kind::null && !parent.keys.empty())
      node.place = parent.keys.back().place;
    (is_key ? parent.keys : parent.values).push_back(std::move(node));
  }

  std::string_view text_;
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
void refuse_tab_indent(const YamlDocument& document, std::string_view text) {
  int line = 0;
  for (size_t start = 0; start < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view row = text.substr(start, end - start);
    const size_t tab = row.find('\t');
    const size_t content = row.find_first_not_of(" \t\r");
    if (tab < content && content != row.npos && row[content] != '#')
      document.fail({line, int(tab)}, "a tab in the indentation: indent with spaces");
    start = end + 1;
  }
}

}  // namespace

std::string_view describe(YamlNode::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"nothing", "a value", "a list", "a map"};
  return kNames[static_cast<size_t>(kind)];
}

YamlDocument::YamlDocument(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {}

YamlDocument YamlDocument::load(const std::string& path) {
  std::string text;
  try {
    text = read_text_file(path, kMaxYamlBytes);
  } catch (const Error& e) {
    YamlDocument(path, {}).fail({}, e.what());
  }
  return parse(path, std::move(text));
}

YamlDocument YamlDocument::parse(std::string name, std::string text) {
  YamlDocument document(std::move(name), std::move(text));
  if (document.text_.size() > kMaxYamlBytes)
    document.fail({}, fmt::format("larger than {} bytes: too large for a config", kMaxYamlBytes));
  if (const auto fault = find_text_fault(document.text_))
    document.fail({fault->line, fault->byte}, fault->words);
  if (document.text_.starts_with(kByteOrderMark)) document.text_.erase(0, kByteOrderMark.size());
  refuse_tab_indent(document, document.text_);
  try {
    std::istringstream stream(document.text_);
    YAML::Parser parser(stream);
    TreeBuilder builder(document.text_);
    while (parser.HandleNextDocument(builder)) {
    }
    document.root_ = builder.take();
  } catch (const Refusal& e) {
    document.fail(e.place, e.words);
  } catch (const YAML::Exception& e) {
    document.fail(place_of(e.mark), explain(e.msg));
  }
  return document;
}

void YamlDocument::fail(YamlPlace place, std::string_view words) const {
  // The column counts characters, as editors do.
  size_t start = 0;
  for (int line = 0; line < place.line && start < text_.size(); ++line)
    start = std::min(text_.find('\n', start), text_.size() - 1) + 1;
  const std::string_view before = std::string_view(text_).substr(start, size_t(place.byte));
  const auto characters = std::ranges::count_if(before, [](char c) { return (c & 0xc0) != 0x80; });
  throw Error(one_line(fmt::format("{}:{}:{}: {}", name_, place.line + 1, characters + 1, words)));
}

}  // namespace pipetop
