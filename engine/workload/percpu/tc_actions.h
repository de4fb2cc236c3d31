// Inserts and removes tc actions in this process's network namespace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/workload/percpu/netlink.h"
#include "engine/workload/percpu/rule_messages.h"

namespace pipetop::percpu {

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
