#include "tui/tests/fake_profiles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

namespace pipetop::tui {
namespace {

#define ENTRY "entry_SYSCALL_64_after_hwframe;do_syscall_64;"
#define WRITE ENTRY "__x64_sys_write;ksys_write;vfs_write;anon_pipe_write"
#define READ ENTRY "__x64_sys_read;ksys_read;vfs_read;anon_pipe_read"
#define VMSPLICE ENTRY "__x64_sys_vmsplice;__do_sys_vmsplice"
#define SPLICE ENTRY "__x64_sys_splice;do_splice;splice_file_to_pipe"
#define TO_NULL ENTRY "__x64_sys_splice;do_splice;splice_write_null;__splice_from_pipe"

constexpr FakeStack kWrite[] = {
    {WRITE ";copy_page_from_iter;_copy_from_iter", .331},
    {WRITE ";copy_page_from_iter", .012},
    {WRITE ";alloc_pages_noprof;get_page_from_freelist;clear_page_erms", .161},
    {WRITE ";alloc_pages_noprof;get_page_from_freelist", .074},
    {WRITE ";mutex_lock;__mutex_lock.constprop.0;mutex_spin_on_owner", .113},
    {WRITE ";mutex_lock;__mutex_lock.constprop.0;osq_lock", .021},
    {WRITE ";mutex_unlock", .018},
    {WRITE ";__wake_up_sync_key;__wake_up_common;autoremove_wake_function;try_to_wake_up", .043},
    {WRITE ";__wake_up_sync_key;_raw_spin_unlock_irqrestore", .028},
    {WRITE ";schedule;__schedule;pick_next_task_fair", .031},
    {WRITE ";schedule;__schedule", .022},
    {WRITE, .041},
    {ENTRY "__x64_sys_write;ksys_write;vfs_write", .014},
    {ENTRY "__x64_sys_write;ksys_write;fdget_pos", .011},
    {ENTRY "syscall_exit_to_user_mode", .017},
    {"entry_SYSCALL_64_after_hwframe", .019},
    {"asm_sysvec_apic_timer_interrupt;sysvec_apic_timer_interrupt;hrtimer_interrupt", .009},
    {"[user]", .035},
};
constexpr FakeStack kVmsplice[] = {
    {VMSPLICE ";mutex_lock;__mutex_lock.constprop.0;mutex_spin_on_owner", .391},
    {VMSPLICE ";mutex_lock;__mutex_lock.constprop.0", .049},
    {VMSPLICE, .107},
    {VMSPLICE ";iov_iter_get_pages2;__iov_iter_get_pages_alloc;gup_fast_fallback", .069},
    {VMSPLICE ";iov_iter_get_pages2;__iov_iter_get_pages_alloc;gup_fast_fallback;"
              "try_grab_folio_fast",
     .053},
    {VMSPLICE ";iov_iter_get_pages2", .052},
    {VMSPLICE ";add_to_pipe", .041},
    {VMSPLICE ";mutex_unlock", .039},
    {VMSPLICE ";import_iovec", .014},
    {ENTRY "__x64_sys_vmsplice;fdget", .018},
    {ENTRY "clear_bhb_loop", .028},
    {"entry_SYSCALL_64_after_hwframe", .031},
    {"syscall_return_via_sysret", .029},
    {"[user]", .079},
};
constexpr FakeStack kRead[] = {
    {READ ";copy_page_to_iter;_copy_to_iter", .402},
    {READ ";copy_page_to_iter", .017},
    {READ ";anon_pipe_buf_release;free_unref_folios", .131},
    {READ ";anon_pipe_buf_release", .039},
    {READ ";mutex_lock;__mutex_lock.constprop.0;mutex_spin_on_owner", .097},
    {READ ";mutex_unlock", .047},
    {READ ";schedule;__schedule;pick_next_task_fair", .062},
    {READ ";prepare_to_wait_event", .023},
    {READ, .066},
    {ENTRY "__x64_sys_read;ksys_read;vfs_read;rw_verify_area", .006},
    {ENTRY "syscall_exit_to_user_mode", .024},
    {"entry_SYSCALL_64_after_hwframe", .025},
    {"[user]", .061},
};
constexpr FakeStack kSplice[] = {
    {TO_NULL, .182},
    {TO_NULL ";pipe_to_null", .051},
    {TO_NULL ";page_cache_pipe_buf_release_with_a_very_long_name;free_unref_folios", .088},
    {TO_NULL ";page_cache_pipe_buf_release_with_a_very_long_name", .135},
    {TO_NULL ";splice_from_pipe_next", .017},
    {ENTRY "__x64_sys_splice;do_splice;mutex_lock;__mutex_lock.constprop.0;mutex_spin_on_owner",
     .157},
    {ENTRY "__x64_sys_splice;do_splice;mutex_lock;__mutex_lock.constprop.0", .066},
    {ENTRY "__x64_sys_splice;do_splice;mutex_unlock", .047},
    {ENTRY "__x64_sys_splice;do_splice", .026},
    {ENTRY "__x64_sys_splice", .012},
    {"entry_SYSCALL_64_after_hwframe", .011},
    {"syscall_return_via_sysret", .033},
    {"[user]", .175},
};
constexpr FakeStack kWriterSleeps[] = {
    {WRITE ";wait_event;schedule;__schedule", .86},
    {WRITE ";mutex_lock;__mutex_lock.constprop.0;schedule;__schedule", .14},
};
constexpr FakeStack kReaderSleeps[] = {
    {READ ";wait_event;schedule;__schedule", .93},
    {READ ";mutex_lock;__mutex_lock.constprop.0;schedule;__schedule", .07},
};
#undef ENTRY
#undef WRITE
#undef READ
#undef VMSPLICE
#undef SPLICE
#undef TO_NULL

// Adds weights to a tree, stack by stack.
class TreeBuilder {
 public:
  void add(std::string_view stack, uint64_t weight) {
    uint32_t node = CallNode::kNone;
    while (!stack.empty()) {
      const size_t end = std::min(stack.find(';'), stack.size());
      node = child(node, Function(stack.substr(0, end)));
      tree_.nodes[node].total += weight;
      stack.remove_prefix(std::min(end + 1, stack.size()));
    }
    tree_.nodes[node].self += weight;
    tree_.total += weight;
  }
  CallTree take() { return std::move(tree_); }

 private:
  uint32_t child(uint32_t parent, Function function) {
    const auto [node, is_new] = nodes_.try_emplace(std::pair(parent, function.number()),
                                                   static_cast<uint32_t>(tree_.nodes.size()));
    if (is_new) tree_.nodes.push_back({function, parent, 0, 0});
    return node->second;
  }

  CallTree tree_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> nodes_;  // by parent and function
};

std::span<const FakeStack> stacks_of(const Settings& s, Role role) {
  if (role == Role::writer)
    return s.pipe.write_with == WriteWith::write ? std::span<const FakeStack>(kWrite) : kVmsplice;
  return s.pipe.read_with == ReadWith::read ? std::span<const FakeStack>(kRead) : kSplice;
}

std::function<double()> noise_of(std::mt19937& random) {
  return [&random] { return std::max(0.0, std::normal_distribution<double>(1.0, 0.03)(random)); };
}

}  // namespace

CallTree tree_of(std::span<const FakeStack> stacks, uint64_t whole,
                 const std::function<double()>& noise) {
  TreeBuilder builder;
  for (const FakeStack& s : stacks) {
    builder.add(s.stack, static_cast<uint64_t>(
                             std::llround(s.share * noise() * static_cast<double>(whole))));
  }
  return builder.take();
}

FunctionTable table_of(CallTree tree, uint64_t lost) {
  const uint64_t samples = tree.total;
  return {samples, lost, std::make_shared<const CallTree>(std::move(tree))};
}

FunctionTable fake_functions(const Settings& settings, Role role, std::mt19937& random) {
  const bool writer = role == Role::writer;
  return table_of(tree_of(stacks_of(settings, role), writer ? 2983 : 12991, noise_of(random)),
                  writer ? 0 : 17);
}

BlockedTable fake_blocked(const Settings& settings, Role role, uint64_t seconds,
                          std::mt19937& random) {
  BlockedTable table;
  CallTree tree;
  if (!is_busy(wait_of(settings.pipe, role))) {
    const std::span<const FakeStack> stacks =
        role == Role::writer ? std::span<const FakeStack>(kWriterSleeps) : kReaderSleeps;
    tree = tree_of(stacks, seconds * 150'000'000, noise_of(random));
    table.times = seconds * 1234;
  }
  table.ns = tree.total;
  table.tree = std::make_shared<const CallTree>(std::move(tree));
  return table;
}

FunctionTable deep_functions(uint32_t nodes, std::mt19937& random) {
  CallTree tree;
  std::vector<Function> functions;
  for (uint32_t i = 0; i < nodes / 4; ++i)
    functions.emplace_back("some_function_of_the_kernel_" + std::to_string(i));
  for (uint32_t i = 0; i < nodes; ++i) {
    const auto back = static_cast<uint32_t>(random() % std::min(i + 1, 20u));
    const uint32_t parent = i < 4 ? CallNode::kNone : i - 1 - std::min(back, i - 1);
    tree.nodes.push_back(
        {functions[i < 4 ? i : random() % functions.size()], parent, random() % 20, 0});
  }
  for (uint32_t i = nodes; i-- > 0;) {
    CallNode& node = tree.nodes[i];
    node.total += node.self;
    (node.parent == CallNode::kNone ? tree.total : tree.nodes[node.parent].total) += node.total;
  }
  return table_of(std::move(tree), 0);
}

}  // namespace pipetop::tui
