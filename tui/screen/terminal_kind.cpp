#include "tui/screen/terminal_kind.h"

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <strings.h>
#include <term.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "engine/base/error.h"

namespace pipetop::tui {
namespace {

std::string remedy(const TerminalFiles& files) {
  return fmt::format("; use `{}`, which needs no screen", files.instead);
}

std::string_view environment(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

// Terminals made before Unicode, whatever the locale says.
bool predates_unicode(std::string_view term) {
  return term.starts_with("vt") || term.starts_with("ansi") || term.starts_with("cons") ||
         term.starts_with("sun");
}

// The locale that the user has chosen for characters; "" for none.
std::string_view chosen_locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const std::string_view chosen = environment(name); !chosen.empty()) return chosen;
  return {};
}

// "de_DE.UTF-8", "en_US.utf8@euro".
bool names_utf8(std::string_view locale) {
  const size_t dot = locale.find('.');
  if (dot == locale.npos) return false;
  const std::string codeset(locale.substr(dot + 1, locale.find('@', dot) - dot - 1));
  return strcasecmp(codeset.c_str(), "UTF-8") == 0 || strcasecmp(codeset.c_str(), "utf8") == 0;
}

// curses writes characters in the locale's encoding. `always` means UTF-8 even if the locale says
// otherwise; and one that isn't installed, as in a container or behind ssh, has told what the
// terminal shows all the same.
bool use_utf8(Choice unicode) {
  const auto is_utf8 = [] { return std::string_view(nl_langinfo(CODESET)) == "UTF-8"; };
  const bool is_installed = setlocale(LC_CTYPE, "") != nullptr;
  const bool asks = unicode == Choice::always || (!is_installed && names_utf8(chosen_locale()));
  if (!is_utf8() && asks) setlocale(LC_CTYPE, "C.UTF-8");
  return is_utf8();
}

GlyphSet glyph_set(Choice unicode, std::string_view term) {
  const bool utf8 = use_utf8(unicode);
  const bool wanted =
      unicode == Choice::always || (unicode == Choice::automatic && !predates_unicode(term));
  if (!utf8 || !wanted) return GlyphSet::ascii;
  return term.starts_with("linux") ? GlyphSet::console : GlyphSet::unicode;
}

constexpr int kDirectColors = 1 << 24;

bool wants_colors(Choice color) {
  if (color == Choice::automatic) return environment("NO_COLOR").empty();
  return color == Choice::always;
}

// The extended capability that says that colours are no numbers of a palette. It has all types.
bool has_direct_colors() {
  const char* text = tigetstr("RGB");
  return tigetnum("colors") >= kDirectColors &&
         (tigetflag("RGB") > 0 || tigetnum("RGB") > 0 ||
          (text != nullptr && text != reinterpret_cast<char*>(-1)));
}

// https://github.com/termstandard/colors; the terminal descriptions of most do not tell.
bool claims_true_color() {
  return environment("COLORTERM") == "truecolor" || environment("COLORTERM") == "24bit";
}

// A palette that can be changed shows any colour. Where COLORTERM promises too much, it remains
// what it was: the nearest colours.
ColorDepth color_depth() {
  const int colors = tigetnum("colors");
  const bool changes = tigetflag("ccc") > 0 && claims_true_color();
  if (has_direct_colors() || (colors >= 256 && changes)) return ColorDepth::rgb;
  if (colors >= 256) return ColorDepth::palette;
  return colors >= 8 ? ColorDepth::eight : ColorDepth::none;
}

// Others may show a question as text: the Linux console, old terminals, Emacs. XT: it understands
// xterm's commands for titles, which have the same form.
bool takes_questions(std::string_view term) {
  return tigetflag("XT") > 0 || term.starts_with("tmux") || term.starts_with("rxvt");
}

// nullptr if the terminal has no such string.
const char* capability(const char* name) {
  const char* value = tigetstr(name);
  return value == reinterpret_cast<char*>(-1) ? nullptr : value;
}

void require_tty(int fd, const char* name, const TerminalFiles& files) {
  if (isatty(fd) == 1) return;
  if (errno == EIO) throw Error("the terminal hung up", Exit{kSignalExit + SIGHUP});
  throw Error(fmt::format("{} is not a terminal{}", name, remedy(files)));
}

// Delays such as "$<5>" are for tputs(); they are removed to write the bytes directly.
std::string without_padding(const std::string& bytes) {
  std::string result;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t end = bytes.compare(i, 2, "$<") == 0 ? bytes.find('>', i) : std::string::npos;
    if (end == std::string::npos) {
      result += bytes[i];
    } else {
      i = end;
    }
  }
  return result;
}

}  // namespace

TerminalFiles TerminalFiles::controlling() {
  auto own = std::make_shared<const UniqueFd>(open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!*own) throw SystemError("opening /dev/tty", errno);
  return {.in = own->get(), .out = own->get(), .own = own};
}

TerminalKind require_terminal(const Config& config, const TerminalFiles& files) {
  require_tty(files.in, files.in == STDIN_FILENO ? "standard input" : "/dev/tty", files);
  require_tty(files.out, files.out == STDOUT_FILENO ? "standard output" : "/dev/tty", files);
  const std::string_view term = environment("TERM");
  if (term.empty()) throw Error(fmt::format("TERM is not set{}", remedy(files)));
  int status = 0;
  if (setupterm(nullptr, files.out, &status) != OK)
    throw Error(
        fmt::format("the terminal \"{}\" is unknown here: try TERM=xterm{}", term, remedy(files)));
  const bool positions = capability("cup") && capability("clear");
  TerminalKind kind{.glyphs = glyph_set(config.unicode, term)};
  if (wants_colors(config.color))
    kind = {kind.glyphs, color_depth(), has_direct_colors(), takes_questions(term)};
  del_curterm(cur_term);
  if (!positions)
    throw Error(fmt::format("the terminal \"{}\" cannot place the cursor{}", term, remedy(files)));
  return kind;
}

std::string restore_bytes(bool mouse) {
  std::string bytes = mouse ? "\033[?1006l\033[?1002l\033[?1000l" : "";
  for (const char* name : {"sgr0", "op", "oc", "rmkx", "cnorm", "rmcup"}) {
    if (const char* value = capability(name)) bytes += without_padding(value);
  }
  return bytes;
}

}  // namespace pipetop::tui
