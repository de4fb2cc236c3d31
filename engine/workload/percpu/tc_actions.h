// Inserts and removes tc actions in this process's network namespace, and the netlink messages that
// do it.
#pragma once

#include <linux/netlink.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/settings.h"
#include "engine/workload/percpu/netlink.h"

namespace pipetop::percpu {

// The kernel's names of the actions, by Profile.
inline constexpr std::array<std::string_view, 2> kProfiles = {"mirred", "gact"};
inline std::string_view to_text(Profile v) { return kProfiles[static_cast<size_t>(v)]; }

struct RuleShape {
  Profile kind = Profile::mirred;
  bool no_percpu = false;  // one set of counters under a lock, not one per CPU

  bool operator==(const RuleShape&) const = default;
};

// A rule: its shape, and the kernel's index of the action.
struct Rule {
  RuleShape shape;
  uint32_t index = 1;
  unsigned device = 0;  // mirred's target
};

// ---- messages ----
//
// Each put_ function writes one message to `at`, which has kMessageRoom bytes and is aligned to 4;
// the caller sets the sequence number.

inline constexpr size_t kMessageRoom = 256;

// A standalone action. An index in use is refused with EEXIST.
nlmsghdr* put_new_action(void* at, const Rule& rule);
// Deletes all actions of the kind.
nlmsghdr* put_flush_actions(void* at, Profile kind);
// Requests one action; refused with ENOENT if there is none.
nlmsghdr* put_get_action(void* at, Profile kind, uint32_t index);
// Requests a dump of all actions of the kind.
nlmsghdr* put_list_actions(void* at, Profile kind);

// The place of a filter: u32 keeps 4095 sorted filters per table, and one table per priority.
struct FilterPlace {
  uint16_t priority = 1;
  uint16_t node = 4095;

  bool operator==(const FilterPlace&) const = default;
};

// The place of the n-th filter, from 0. Nodes are numbered downwards, because to
// insert a filter u32 walks past all smaller ones in its table.
FilterPlace filter_place(uint32_t nth);

// The parent of the device's filters.
nlmsghdr* put_new_ingress(void* at, unsigned device);
// A filter for every packet that the device receives, with its action if there is a
// `rule`. An index in use is not refused: the filter shares the action.
nlmsghdr* put_new_filter(void* at, unsigned device, FilterPlace place, const Rule* rule);
// Deletes all filters of the device and their actions, asynchronously.
nlmsghdr* put_flush_filters(void* at, unsigned device);

// ---- inserting them ----

// How the kernel lets us create an action.
enum class InsertPath {
  action,  // standalone (RTM_NEWACTION); only for root in the initial user namespace
  filter,  // with a u32 filter that holds it; the only way in a user namespace
};

// The most rules per call. If all are refused, this many answers fit into a netlink
// socket of default size (212,992 bytes).
inline constexpr uint32_t kMaxBatch = 128;

struct Insertion {
  uint32_t rules = 0;                   // that are in
  std::vector<KernelRefusal> refusals;  // of the others
};

class TcActions {
 public:
  // `device` is mirred's target. Throws Error with "why; remedy" if neither way works.
  explicit TcActions(unsigned device);

  InsertPath insert_path() const { return insert_path_; }
  uint64_t system_calls() const { return socket_.system_calls(); }  // made so far

  // "" if the kernel has the kind, else "why; remedy". Deletes its actions. Throws
  // Error.
  std::string why_unsupported(Profile kind);

  // Sends `count` rules (1 to kMaxBatch), one message each, in one system call, with indices from
  // `first_index` (at least 1) up. Throws SystemError.
  Insertion insert(const RuleShape& shape, uint32_t first_index, uint32_t count);

  // Deletes all actions of the kind; on InsertPath::filter the others too. Throws Error.
  void flush(Profile kind);

 private:
  void open_filters();
  nlmsghdr* put_rule(void* at, const Rule& rule);
  std::optional<KernelRefusal> send(nlmsghdr* message);
  bool has(Profile kind, uint32_t index);
  bool has_any(Profile kind);
  void wait_until_none(Profile kind);

  NetlinkSocket socket_;
  unsigned device_;
  InsertPath insert_path_ = InsertPath::action;
  std::vector<char> room_;  // for a batch
  uint32_t sequence_ = 0;
  uint32_t filters_ = 0;       // inserted since the last flush
  uint32_t last_deleted_ = 0;  // the index whose filter a flush deletes last
};

// "why; remedy" for an action that was refused.
std::string why_refused(const KernelRefusal& refusal, Profile kind);

// Throws Error if any of the rules was refused.
void need_all(const Insertion& insertion, Profile kind);

}  // namespace pipetop::percpu
