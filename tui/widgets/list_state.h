// The state of a function list: its contents, or why it is empty, selection and scroll; and what
// keys, clicks and the wheel do to it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/snapshot.h"
#include "tui/draw/canvas.h"
#include "tui/draw/keys.h"
#include "tui/screen/screen.h"
#include "tui/widgets/call_rows.h"

namespace pipetop::tui {

// With fewer samples no shares are shown: they are counted.
inline constexpr uint64_t kTooFewSamples = 20;
std::string counted_text(double share, uint64_t samples);  // "1/3"

struct HotFunction {
  std::string_view name;
  double share = 0;  // of the samples, without its callees
};

// The functions of each table by descending share, found once: it takes a walk over the whole tree.
class HottestFunctions {
 public:
  // The first `count` of them. `kept` is always among them, as the last one if it is not hot
  // enough; with a share of 0 if it was not seen.
  std::vector<HotFunction> first(const FunctionTable& functions, size_t count,
                                 std::string_view kept = {}) const;

 private:
  const std::vector<HotFunction>& of(const FunctionTable& functions) const;

  using Tree = std::weak_ptr<const CallTree>;
  mutable std::map<Tree, std::vector<HotFunction>, std::owner_less<>> found_;
};

enum class Activity : uint8_t { running, waiting };

// The profile as shares of wall time; unavailable if the shares are unknown.
Reading<CallProfile> of_wall_time(CallProfile profile, Activity activity, const TimeShares& wall);

// The reference for the numbers on the screen: the segment kept as A, else the previous
// one.
struct Reference {
  std::shared_ptr<const Segment> segment = {};  // null: there is nothing to compare with
  bool is_a = false;

  std::string_view name() const { return !segment ? "" : is_a ? "A" : "prev"; }
};

// The same for both roles, so that they can be compared.
struct ListChoice {
  ListForm form = ListForm::flat;
  Activity activity = Activity::running;
  // By Activity and ListForm.
  std::array<std::array<ListSort, 2>, 2> sorts = {
      {{ListSort::self, ListSort::children}, {ListSort::self, ListSort::children}}};
  bool wall = false;  // shares of wall time
  std::string filter;
  std::optional<std::string> filter_before;  // set while the filter is being edited

  ListSort sort() const { return sorts[static_cast<size_t>(activity)][static_cast<size_t>(form)]; }
  ListSort& sort() { return sorts[static_cast<size_t>(activity)][static_cast<size_t>(form)]; }
};

// The contents of one role's list, or why it is empty.
struct ListContents {
  Reading<CallRows> rows;
  std::string_view what;         // is listed, to say that it is unavailable
  bool compared = false;         // the previous state is known
  std::string_view reference;    // the reference for changes
  uint64_t count = 0, lost = 0;  // samples or sleeps
  double error = 0;              // of a share, by the number of samples; 0: it has none
  uint64_t ns_until_exact = 0;
  int processes = 1;  // that play the role; sleeps are of the first

  // What the rows were made from, because they are rebuilt only if it changes.
  struct Source {
    CallProfile now;
    std::optional<CallProfile> before;
    RowsChoice choice;
    const Folds* folds = nullptr;
    uint64_t folds_version = 0;
    bool operator==(const Source&) const = default;
  } source;
};

void refresh(ListContents& contents, const WorkerReadings& worker, const Reference& reference,
             const ListChoice& choice, const Folds& folds);
// Lists a stage, with what it was `before`; null: that is not known.
void refresh(ListContents& contents, const SegmentRole& stage, const SegmentRole* before,
             std::string_view reference, const ListChoice& choice, const Folds& folds);

struct ListState {
  Folds folds;
  Folds filtered{true};  // the same for a filtered tree, where everything is open at first

  // The selection follows the path of names, not the position: rows move with every
  // sample. If the path is gone, it may be found by its name.
  PathId path = 0;  // 0: none
  std::string name;
  int selected = -1;  // none until an arrow key is pressed
  int scroll = 0;

  ListContents contents;

  Folds& folds_in(const ListChoice& choice) {
    return choice.form == ListForm::tree && !choice.filter.empty() ? filtered : folds;
  }
};

// No rows while there is nothing to list.
std::span<const CallRow> rows_of(const ListState& list);

// The row of a function, by its name in the source; null if there is none, or it has vanished.
const CallRow* row_of(std::span<const CallRow> rows, std::string_view function);

// nullptr if none is selected.
const CallRow* selected_row(const ListState& list);

void select(ListState& list, int row);
void select_nothing(ListState& list);

// Keeps selection and scroll within the rows: finds the selected row again, and
// scrolls to keep it visible.
void keep_in_view(ListState& list, int visible);

// What keys do: selection, which rows are open, and a filter being typed.
void move_selection(ListState& list, int lines);

// The selected row, else the top one: opens or closes it.
void open_level(ListState& list, const ListChoice& choice);
// All rows below it, too. Closes them only if everything is open already.
void open_entry(ListState& list, const ListChoice& choice);
void open_all(ListState& list, const ListChoice& choice);
void close_all(ListState& list, const ListChoice& choice);

// A key while a filter is being typed, with what it was `before`: Enter keeps it, Esc takes it
// back. False: none is typed, or it is another key.
bool edit_filter(std::string& filter, std::optional<std::string>& before, Key key);

// What is said while it is typed.
std::string filter_prompt(std::string_view filter);

// What a key does to a line of text: types, or takes back. False: it is none of these.
bool edit_text(std::string& text, Key key);

// The list has a header if there is room, and its rows.
constexpr int list_header_rows(int list_rows) { return list_rows >= 3 ? 1 : 0; }
constexpr int function_rows(const Rect& list) { return list.rows - list_header_rows(list.rows); }
// The row of the list, from 0, at a row of the screen; -1: none.
int function_line(const Rect& list, int row);

// A screen with lists of functions: what their keys, clicks and the wheel do.
class ListScreen : public Screen {
 public:
  // The actions of keys.
  virtual void toggle_form();
  virtual void toggle_activity();
  void toggle_sort();
  void toggle_wall();
  void begin_filter() { choice().filter_before = choice().filter; }
  void open_row() { open_level(list(), choice()); }
  void open_rows() { open_entry(list(), choice()); }
  void open_all_rows() { open_all(list(), choice()); }
  void close_all_rows() { close_all(list(), choice()); }

 protected:
  virtual ListChoice& choice() = 0;
  virtual std::span<ListState> lists() = 0;
  virtual ListState& list() = 0;  // the one with the focus

  // They work at these places.
  static KeyTable list_keys(uint8_t where = kAnywhere);

  // While a filter is being typed: whether it has used the key.
  bool press_filter(Key key);
  bool drop_filter();  // false: there is none

  // A click on a row of the screen selects what is there; on the selected one it opens or closes
  // it.
  void click_list(ListState& list, const Rect& rect, int row);
  // The selection moves along if necessary.
  static void scroll_list(ListState& list, int lines);

 private:
  void show_all_filtered();
};

}  // namespace pipetop::tui
