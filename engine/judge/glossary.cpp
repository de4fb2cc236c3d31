#include "engine/judge/glossary.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pipetop {
namespace {

using W = Work;

constexpr std::string_view kWrites =
    "fills slots of the ring: allocates pages and copies bytes into them";
constexpr std::string_view kReads = "empties slots of the ring: copies their bytes out";
constexpr std::string_view kCopiesIn =
    "copies bytes from the writer's buffer into the pipe's pages";
constexpr std::string_view kCopiesOut =
    "copies bytes from the pipe's pages into the reader's buffer";
constexpr std::string_view kCopies = "copies bytes between user memory and the kernel";
constexpr std::string_view kAllocates = "allocates a page for bytes that are copied in";
constexpr std::string_view kFrees = "frees a page whose bytes have been copied out";
constexpr std::string_view kCharges = "charges a page of the pipe to the memory cgroup";
constexpr std::string_view kUncharges = "takes a freed page off the memory cgroup's account";
constexpr std::string_view kLooksUp = "looks up the physical pages of the buffer";
constexpr std::string_view kGivesBack = "gives back a page that was lent to the pipe";
constexpr std::string_view kTakesMutex =
    "takes the pipe's mutex, which writer and reader need for every call";
constexpr std::string_view kSpins = "spins until the mutex's owner, on another CPU, lets it go";
constexpr std::string_view kWakes = "wakes the process at the other end of the pipe";
constexpr std::string_view kLeavesCpu = "sleeps, because the ring is full or empty";
constexpr std::string_view kUnlocks = "unlocks a spin lock and enables interrupts";
constexpr std::string_view kAfterSwitch =
    "ends a switch of processes on this CPU, and enables interrupts again";
constexpr std::string_view kEnters = "the way from user space into the kernel";
constexpr std::string_view kLeaves = "the way back from the kernel into user space";
constexpr std::string_view kIterator = "advances in the caller's buffer";
constexpr std::string_view kCheckpoint = "checks what a read or write may do, then calls the pipe";

constexpr KnownFunction kFunctions[] = {
    {"[user]", W::own, "the worker's own code, outside of the kernel"},
    {"entry_SYSCALL_64_after_hwframe", W::calls, kEnters},
    {"entry_SYSCALL_64", W::calls, kEnters},
    {"do_syscall_64", W::calls,
     "calls the function of a system call; what it calls is inlined into it"},
    {"x64_sys_call", W::calls, "finds the function of a system call"},
    {"clear_bhb_loop", W::calls, "clears the branch history on entry, against Spectre"},
    {"syscall_return_via_sysret", W::calls, kLeaves},
    {"syscall_exit_to_user_mode", W::calls, kLeaves},
    {"__rseq_handle_notify_resume", W::calls, "tells user space that the process was switched"},
    {"ksys_write", W::calls, kCheckpoint},
    {"vfs_write", W::calls, kCheckpoint},
    {"ksys_read", W::calls, kCheckpoint},
    {"vfs_read", W::calls, kCheckpoint},
    {"rw_verify_area", W::calls, kCheckpoint},
    {"fdget", W::calls, "finds the open file of a descriptor"},
    {"fdget_pos", W::calls, "finds the open file of a descriptor"},
    {"import_iovec", W::calls, "checks the list of buffers that vmsplice was given"},
    {"__import_iovec", W::calls, "checks the list of buffers that vmsplice was given"},

    {"copy_iovec_from_user", W::calls, "checks the list of buffers that vmsplice was given"},
    {"__get_user_8", W::calls, "reads a number of a call's arguments from user memory"},
    {"pipe_clear_nowait", W::calls, "notes that this call may sleep, or not"},
    {"__rcu_read_lock", W::calls, "marks that what it reads must not be freed meanwhile"},

    {"anon_pipe_write", W::ring, kWrites},
    {"pipe_write", W::ring, kWrites},
    {"copy_page_from_iter", W::copying, kCopiesIn},
    {"_copy_from_iter", W::copying, kCopiesIn},
    {"copyin", W::copying, kCopiesIn},
    {"rep_movs_alternative", W::copying, kCopies},
    {"copy_user_generic", W::copying, kCopies},
    {"copy_user_enhanced_fast_string", W::copying, kCopies},
    {"__alloc_pages_noprof", W::pages, kAllocates},
    {"__alloc_frozen_pages_noprof", W::pages, kAllocates},
    {"alloc_pages_noprof", W::pages, kAllocates},
    {"__alloc_pages", W::pages, kAllocates},
    {"alloc_pages", W::pages, kAllocates},
    {"get_page_from_freelist", W::pages, "takes a free page from a list of its CPU or zone"},
    {"rmqueue_bulk", W::pages, "refills a CPU's list of free pages, under the zone's lock"},
    {"clear_page_erms", W::pages, "zeroes a page"},
    {"clear_page_rep", W::pages, "zeroes a page"},
    {"obj_cgroup_charge_pages", W::pages, kCharges},
    {"__memcg_kmem_charge_page", W::pages, kCharges},

    {"page_counter_charge", W::pages, kCharges},
    {"__list_del_entry_valid_or_report", W::pages, "checks a list of free pages for damage"},

    {"__do_sys_vmsplice", W::ring, "puts the writer's own pages into slots of the ring"},
    {"iter_to_pipe", W::ring, "puts the writer's own pages into slots of the ring"},
    {"add_to_pipe", W::ring, "puts one page into the next slot of the ring"},
    {"gup_fast_fallback", W::lookup, kLooksUp},
    {"gup_fast", W::lookup, kLooksUp},
    {"gup_fast_pte_range", W::lookup, kLooksUp},
    {"gup_pgd_range", W::lookup, kLooksUp},
    {"internal_get_user_pages_fast", W::lookup, kLooksUp},
    {"lockless_pages_from_mm", W::lookup, kLooksUp},
    {"try_grab_folio_fast", W::lookup, "takes a reference to a page, so that it cannot go away"},
    {"try_grab_folio", W::lookup, "takes a reference to a page, so that it cannot go away"},
    {"iov_iter_get_pages2", W::lookup, "asks for the pages of the next part of the buffer"},
    {"__iov_iter_get_pages_alloc", W::lookup, "asks for the pages of the next part of the buffer"},
    {"iov_iter_advance", W::calls, kIterator},

    {"mutex_lock", W::mutex, kTakesMutex},
    {"__mutex_lock", W::mutex, kTakesMutex},
    {"mutex_spin_on_owner", W::mutex, kSpins},
    {"osq_lock", W::mutex, "queues up to be the next one that spins on the mutex"},
    {"mutex_unlock", W::mutex, "lets the mutex go, and wakes who sleeps for it"},
    {"__mutex_unlock_slowpath", W::mutex, "lets the mutex go, and wakes who sleeps for it"},
    {"pipe_lock", W::mutex, kTakesMutex},
    {"pipe_unlock", W::mutex, "lets the mutex go, and wakes who sleeps for it"},
    {"__raw_callee_save___kvm_vcpu_is_preempted", W::mutex,
     "asks the hypervisor whether the mutex's owner runs, to stop spinning if not"},

    {"wait_for_space", W::sleeping, "waits until the ring has a free slot"},
    {"pipe_wait_writable", W::sleeping, "waits until the ring has a free slot"},
    {"pipe_wait_readable", W::sleeping, "waits until the ring has a filled slot"},
    {"prepare_to_wait_event", W::sleeping, "puts the process on the list of those to be woken"},
    {"finish_wait", W::sleeping, "takes the process off the list of those to be woken"},
    {"schedule", W::sleeping, kLeavesCpu},
    {"__schedule", W::sleeping, kLeavesCpu},
    {"finish_task_switch", W::sleeping, kAfterSwitch},
    {"pick_next_task_fair", W::sleeping, "chooses the process that runs next on this CPU"},
    {"__wake_up_sync_key", W::sleeping, kWakes},
    {"__wake_up_common", W::sleeping, kWakes},
    {"autoremove_wake_function", W::sleeping, kWakes},
    {"try_to_wake_up", W::sleeping, "makes a sleeping process runnable, perhaps on another CPU"},
    {"_raw_spin_unlock_irqrestore", W::other, kUnlocks},
    {"_raw_spin_unlock_irq", W::other, kUnlocks},

    {"anon_pipe_read", W::ring, kReads},
    {"pipe_read", W::ring, kReads},
    {"copy_page_to_iter", W::copying, kCopiesOut},
    {"_copy_to_iter", W::copying, kCopiesOut},
    {"copyout", W::copying, kCopiesOut},
    {"anon_pipe_buf_release", W::pages, "keeps a page for the next write, or frees it"},
    {"__folio_put", W::pages, kFrees},
    {"__free_frozen_pages", W::pages, kFrees},
    {"free_unref_folios", W::pages, kFrees},
    {"free_unref_page", W::pages, kFrees},
    {"uncharge_batch", W::pages, kUncharges},
    {"page_counter_uncharge", W::pages, kUncharges},
    {"memcg1_uncharge_batch", W::pages, kUncharges},

    {"splice_write_null", W::ring, "drops the ring's pages (splice to /dev/null)"},
    {"__splice_from_pipe", W::ring, "goes through the ring's slots and hands their pages on"},
    {"splice_from_pipe_next", W::ring,
     "waits for the next filled slot, and gives back an empty one"},
    {"pipe_to_null", W::ring, "takes a page for /dev/null: only counts its bytes"},
    {"__do_splice", W::calls, "checks what kinds of files splice connects"},
    {"do_splice", W::calls, "checks what kinds of files splice connects"},
    {"page_cache_pipe_buf_release", W::release, kGivesBack},
    {"generic_pipe_buf_release", W::release, kGivesBack},

    {"pipe_poll", W::polling, "says whether the ring has something to read, or room to write"},
    {"do_sys_poll", W::polling, "asks whether the pipe is ready, and may sleep until it is"},
    {"do_poll", W::polling, "asks whether the pipe is ready, and may sleep until it is"},

    {"filemap_splice_read", W::page_cache, "puts a file's cached pages into slots of the ring"},
    {"splice_folio_into_pipe", W::page_cache, "puts a file's cached pages into slots of the ring"},
    {"filemap_get_pages", W::page_cache, "gathers the next pages of a file from the page cache"},
    {"filemap_get_read_batch", W::page_cache,
     "looks up pages of a file in its tree, without a lock"},
    {"xas_load", W::page_cache, "walks down the tree of a file's cached pages"},
    {"xas_next_entry", W::page_cache, "goes on to a file's next cached page"},
    {"xas_find", W::page_cache, "goes on to a file's next cached page"},
    {"folio_mark_accessed", W::page_cache,
     "marks a cached page as used, so that it is not evicted"},
    {"page_cache_pipe_buf_confirm", W::page_cache, "checks that a cached page is up to date"},
    {"touch_atime", W::page_cache, "notes when the file was last read"},
    {"atime_needs_update", W::page_cache, "notes when the file was last read"},

    {"pcpu_alloc_noprof", W::percpu, "allocates counters of which every CPU has its own"},
    {"pcpu_alloc", W::percpu, "allocates counters of which every CPU has its own"},
    {"pcpu_alloc_area", W::percpu, "searches for free room among the per-CPU memory"},
    {"pcpu_block_update_hint_alloc", W::percpu, "notes how much per-CPU memory is left in a block"},
    {"pcpu_block_refresh_hint", W::percpu, "notes how much per-CPU memory is left in a block"},
    {"pcpu_find_block_fit", W::percpu, "searches for free room among the per-CPU memory"},
    {"pcpu_memcg_pre_alloc_hook", W::percpu, "charges per-CPU memory to the memory cgroup"},
    {"free_percpu", W::percpu, "frees counters of which every CPU has its own"},
    {"tcf_action_init", W::other, "creates the actions of a netlink message"},
    {"tcf_action_init_1", W::other, "creates one action: a rule of traffic control"},
    {"tcf_mirred_init", W::other, "sets up an action that redirects packets to a device"},
    {"tcf_gact_init", W::other, "sets up an action that drops packets"},
    {"tcf_idr_create", W::other, "allocates an action and its counters"},
    {"tcf_idr_check_alloc", W::other, "reserves the number of an action"},
    {"tcf_idr_insert_many", W::other, "makes new actions visible under their numbers"},
    {"idr_get_free", W::other, "finds a free number in the tree of actions"},
    {"radix_tree_node_alloc", W::other, "allocates a node of the tree of actions"},
    {"__radix_tree_lookup", W::other, "finds an action by its number"},
    {"__kmalloc_cache_noprof", W::other, "allocates memory for a small object"},
    {"__kmalloc_noprof", W::other, "allocates memory for a small object"},
    {"kmem_cache_alloc_noprof", W::other, "allocates memory for a small object"},
    {"kfree", W::other, "frees memory of a small object"},
    {"__nla_validate_parse", W::other, "checks the attributes of a netlink message"},
    {"tc_action_load_ops", W::other, "finds the functions of a kind of action"},
    {"tcf_mirred_offload_act_setup", W::other, "asks whether a network card can do the action"},
    {"__alloc_skb", W::other, "allocates a buffer for a netlink message"},
    {"__check_object_size", W::other, "checks that a copy stays within its object"},
    {"netlink_unicast", W::other, "hands a netlink message over, and the answer back"},
    {"netlink_sendmsg", W::other, "takes a message with rules from the worker"},
    {"rtnetlink_rcv_msg", W::other, "handles one message: the insertion of rules"},
    {"native_queued_spin_lock_slowpath", W::mutex, "spins until another CPU lets a spin lock go"},
    {"__pv_queued_spin_lock_slowpath", W::mutex, "spins until another CPU lets a spin lock go"},
    {"asm_sysvec_apic_timer_interrupt", W::interrupts,
     "a timer interrupt, which is not the worker's"},
    {"handle_softirqs", W::interrupts, "work of interrupts that the kernel had put off"},
};

struct NamePart {
  std::string_view part;
  Work work;
};

// Classifies names that the table does not have. The first that fits counts.
constexpr NamePart kBeginnings[] = {
    {"__mutex_lock", W::mutex},
    {"__mutex_unlock", W::mutex},
    {"mutex_", W::mutex},
    {"osq_", W::mutex},
    {"rwsem_", W::mutex},
    {"gup_", W::lookup},
    {"get_user_pages", W::lookup},
    {"follow_page", W::lookup},
    {"iov_iter_get_pages", W::lookup},
    {"try_grab_", W::lookup},
    {"schedule", W::sleeping},
    {"__schedule", W::sleeping},
    {"__wake_up", W::sleeping},
    {"wake_up_", W::sleeping},
    {"ttwu_", W::sleeping},
    {"prepare_to_wait", W::sleeping},
    {"pipe_wait_", W::sleeping},
    {"pick_next_task", W::sleeping},
    {"enqueue_task", W::sleeping},
    {"dequeue_task", W::sleeping},
    {"select_task_rq", W::sleeping},
    {"__alloc_pages", W::pages},
    {"alloc_pages", W::pages},
    {"alloc_page", W::pages},
    {"clear_page", W::pages},
    {"free_unref_", W::pages},
    {"__free_pages", W::pages},
    {"free_frozen_", W::pages},
    {"rmqueue", W::pages},
    {"copy_page_", W::copying},
    {"copy_folio_", W::copying},
    {"copy_user_", W::copying},
    {"_copy_", W::copying},
    {"pcpu_", W::percpu},
    {"filemap_", W::page_cache},
    {"asm_", W::interrupts},
    {"sysvec_", W::interrupts},
    {"irq_exit", W::interrupts},
    {"poll_", W::polling},
    {"__x64_sys_poll", W::polling},
    {"entry_SYSCALL", W::calls},
    {"syscall_", W::calls},
    {"__x64_sys_", W::calls},
    {"ksys_", W::calls},
};

Work named(std::string_view name) {
  const auto known = std::ranges::find(kFunctions, name, &KnownFunction::name);
  if (known != std::end(kFunctions)) return known->work;
  const auto like = std::ranges::find_if(
      kBeginnings, [&](const NamePart& beginning) { return name.starts_with(beginning.part); });
  return like == std::end(kBeginnings) ? W::other : like->work;
}

}  // namespace

std::span<const KnownFunction> glossary() { return kFunctions; }

std::string_view source_name(std::string_view symbol) { return symbol.substr(0, symbol.find('.')); }

std::string_view what_it_does(std::string_view symbol) {
  const auto known = std::ranges::find(kFunctions, source_name(symbol), &KnownFunction::name);
  return known == std::end(kFunctions) ? "" : known->does;
}

// Remembered by number: trees have thousands of nodes.
Work work_of(Function function) {
  static std::vector<std::optional<Work>> works;
  if (works.size() <= function.number()) works.resize(Function::count());
  std::optional<Work>& work = works[function.number()];
  if (!work) work = named(source_name(function.name()));
  return *work;
}

bool includes_callees(Work work) {
  return work != W::ring && work != W::calls && work != W::own && work != W::other;
}

bool ends_interrupts_off(std::string_view symbol) {
  constexpr std::array<std::string_view, 4> kNames = {"_raw_spin_unlock_irqrestore",
                                                      "_raw_spin_unlock_irq", "finish_task_switch",
                                                      "exit_to_user_mode_loop"};
  return std::ranges::find(kNames, source_name(symbol)) != kNames.end();
}

}  // namespace pipetop
