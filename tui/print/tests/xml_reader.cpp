#include "tui/print/tests/xml_reader.h"

#include <fmt/core.h>

#include <array>
#include <set>
#include <stdexcept>
#include <utility>

namespace pipetop::tui {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities = {
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};

class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}

  XmlDocument document() {
    try {
      element();
      blanks();
      if (!left_.empty()) fail("something after the root");
    } catch (const std::runtime_error& e) {
      document_.error = e.what();
    }
    return document_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " before: " + std::string(left_.substr(0, 60)));
  }

  bool take(std::string_view token) {
    if (!left_.starts_with(token)) return false;
    left_.remove_prefix(token.size());
    return true;
  }

  void need(std::string_view token) {
    if (!take(token)) fail("no " + std::string(token));
  }

  void blanks() {
    while (!left_.empty() && (left_.front() == ' ' || left_.front() == '\n'))
      left_.remove_prefix(1);
  }

  std::string name() {
    const size_t length = left_.find_first_of(" \n/>=");
    if (length == 0 || length == left_.npos) fail("no name");
    std::string name(left_.substr(0, length));
    left_.remove_prefix(length);
    return name;
  }

  // Reads one of a text or of an attribute; entities are resolved.
  char character() {
    for (const auto& [entity, meaning] : kEntities)
      if (take(entity)) return meaning;
    const char c = left_.front();
    if (c == '&' || c == '<' || (c >= 0 && c < 0x20 && c != '\n')) fail("a bare character");
    left_.remove_prefix(1);
    return c;
  }

  // True when the element has no content.
  bool attributes() {
    std::set<std::string> seen;
    for (;;) {
      blanks();
      if (take("/>")) return true;
      if (take(">")) return false;
      const std::string key = name();
      if (!seen.insert(key).second) fail("twice " + key);
      need("=\"");
      std::string value;
      while (!left_.empty() && left_.front() != '"') value += character();
      need("\"");
      document_.attributes.push_back(fmt::format("{}={}", key, value));
    }
  }

  void element() {
    need("<");
    const std::string tag = name();
    document_.elements.push_back(tag);
    if (attributes()) return;
    for (;;) {
      if (left_.empty()) fail("no end of " + tag);
      if (take("</")) break;
      if (left_.front() == '<')
        element();
      else
        document_.text += character();
    }
    if (name() != tag) fail("not the end of " + tag);
    need(">");
  }

  std::string_view left_;
  XmlDocument document_;
};

}  // namespace

XmlDocument read_xml(std::string_view text) { return Reader(text).document(); }

}  // namespace pipetop::tui
