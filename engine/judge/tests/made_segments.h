// Segments that are made up, for the rules to compare.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/clock.h"
#include "engine/model/segment.h"
#include "engine/model/tables.h"

namespace pipetop {

inline const WorkloadTerms kPipeTerms = {.name = "pipe",
                                         .help = "",
                                         .unit = {"GiB/s", "gib_per_s", "bytes", kGiB},
                                         .roles = {"writer", "reader"},
                                         .part = "pair",
                                         .prepares = "buffers",
                                         .does = "transfer",
                                         .has_ring = true};

// "do_syscall_64;vfs_write;_copy_from_iter", and its share of the samples.
using MadeStacks = std::initializer_list<std::pair<const char*, double>>;

inline Reading<FunctionTable> made_functions(MadeStacks stacks, uint64_t samples) {
  auto tree = std::make_shared<CallTree>();
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> nodes;
  const auto add = [&](std::string_view stack, uint64_t weight) {
    uint32_t at = CallNode::kNone;
    while (!stack.empty()) {
      const size_t end = std::min(stack.find(';'), stack.size());
      const Function function(stack.substr(0, end));
      const auto [node, is_new] =
          nodes.try_emplace({at, function.number()}, uint32_t(tree->nodes.size()));
      if (is_new) tree->nodes.push_back({function, at, 0, 0});
      at = node->second;
      tree->nodes[at].total += weight;
      stack.remove_prefix(std::min(end + 1, stack.size()));
    }
    tree->nodes[at].self += weight;
    tree->total += weight;
  };
  double rest = 1;
  for (const auto& [stack, share] : stacks) {
    add(stack, uint64_t(share * double(samples) + 0.5));
    rest -= share;
  }
  // Ten that are no cause.
  for (const char digit : std::string_view("0123456789"))
    add(std::string("do_syscall_64;rest_") + digit, uint64_t(rest / 10 * double(samples) + 0.5));
  FunctionTable table;
  table.samples = tree->total;
  table.tree = std::move(tree);
  return Reading<FunctionTable>::of(std::move(table));
}

struct MadeRole {
  double on_cpu = 1, blocked = 0;
  MadeStacks stacks = {};
  double sleeps_per_s = 0;
  uint64_t samples = 4000;
};

// Ten seconds of it.
inline Segment made_segment(double gib_per_s, const MadeRole& writer, const MadeRole& reader,
                            SlotKind kind) {
  Segment segment;
  segment.duration_ns = 10 * kSecond;
  segment.rate = Reading<RateStats>::of(
      {gib_per_s, gib_per_s, gib_per_s / 100, gib_per_s, gib_per_s, 100, gib_per_s / 200});
  const auto bytes = uint64_t(10 * gib_per_s * kGiB);
  for (const Role role : kBothRoles) {
    const MadeRole& made = role == Role::writer ? writer : reader;
    SegmentRole& seen = segment.roles[static_cast<size_t>(role)];
    seen.shares = {Reading<double>::of(made.on_cpu),
                   Reading<double>::of(1 - made.on_cpu - made.blocked),
                   Reading<double>::of(made.blocked)};
    seen.functions = made_functions(made.stacks, made.samples);
    RoleTotals totals;
    totals.counts.items = bytes;
    totals.counts.syscalls = bytes / (128 * 1024);
    totals.wall_ns = segment.duration_ns;
    totals.sleeps = uint64_t(10 * made.sleeps_per_s);
    seen.totals = Reading<RoleTotals>::of(totals);
  }
  std::array<double, kSlotKinds> kinds{};
  kinds[static_cast<size_t>(kind)] = 1;
  segment.kinds = Reading<std::array<double, kSlotKinds>>::of(kinds);
  return segment;
}

#define ENTRY "do_syscall_64;"
#define WRITE ENTRY "vfs_write;anon_pipe_write;"
#define READ ENTRY "vfs_read;anon_pipe_read;"
#define VMSPLICE ENTRY "__do_sys_vmsplice;"
#define TO_NULL ENTRY "splice_write_null;__splice_from_pipe;"

// The article's rungs, with its rates and about its profiles.
struct MadeLadder {
  Segment write_read = made_segment(
      3.7,
      {.on_cpu = .95,
       .blocked = .05,
       .stacks = {{WRITE "copy_page_from_iter;_copy_from_iter", .45},
                  {WRITE "alloc_pages_noprof;get_page_from_freelist;clear_page_erms", .25},
                  {WRITE "mutex_lock;__mutex_lock.constprop.0;mutex_spin_on_owner", .08},
                  {WRITE "__wake_up_sync_key;try_to_wake_up", .05}},
       .sleeps_per_s = 9000},
      {.on_cpu = .65,
       .blocked = .35,
       .stacks = {{READ "copy_page_to_iter;_copy_to_iter", .55},
                  {READ "anon_pipe_buf_release;free_unref_folios", .15}},
       .sleeps_per_s = 12'000},
      SlotKind::copy);
  Segment vmsplice_read =
      made_segment(12.7,
                   {.on_cpu = .35,
                    .blocked = .65,
                    .stacks = {{VMSPLICE "iov_iter_get_pages2;gup_fast_fallback", .40},
                               {VMSPLICE "pipe_wait_writable;schedule", .15}},
                    .sleeps_per_s = 20'000},
                   {.on_cpu = .95,
                    .blocked = .05,
                    .stacks = {{READ "copy_page_to_iter;_copy_to_iter", .85}},
                    .sleeps_per_s = 5000},
                   SlotKind::user_page);
  Segment vmsplice_splice = made_segment(
      32.8,
      {.on_cpu = .92,
       .blocked = .08,
       .stacks = {{VMSPLICE "iov_iter_get_pages2;gup_fast_fallback", .45},
                  {VMSPLICE "iov_iter_get_pages2;gup_fast_fallback;try_grab_folio_fast", .15},
                  {VMSPLICE "mutex_lock", .03}},
       .sleeps_per_s = 8000},
      {.on_cpu = .7,
       .blocked = .3,
       .stacks = {{TO_NULL "page_cache_pipe_buf_release", .30}, {TO_NULL "schedule", .1}},
       .sleeps_per_s = 20'000},
      SlotKind::user_page);
  Segment huge = made_segment(
      51,
      {.on_cpu = .75,
       .blocked = .25,
       .stacks = {{VMSPLICE "iov_iter_get_pages2;gup_fast_fallback", .049},
                  {VMSPLICE "pipe_wait_writable;schedule", .10},
                  {VMSPLICE "mutex_lock", .03}},
       .sleeps_per_s = 24'000},
      {.on_cpu = .7,
       .blocked = .3,
       .stacks = {{TO_NULL "page_cache_pipe_buf_release", .30}, {TO_NULL "schedule", .12}},
       .sleeps_per_s = 24'000},
      SlotKind::user_page);
  Segment busy = made_segment(
      62.5,
      {.stacks = {{VMSPLICE "iov_iter_get_pages2;gup_fast_fallback", .07},
                  {VMSPLICE "mutex_lock;__mutex_lock.constprop.0;mutex_spin_on_owner", .39}}},
      {.stacks = {{TO_NULL "page_cache_pipe_buf_release", .18},
                  {TO_NULL "mutex_lock;__mutex_lock.constprop.0;mutex_spin_on_owner", .18}}},
      SlotKind::user_page);

  MadeLadder() {
    for (Segment* segment : {&huge, &busy}) segment->effective.pipe.pages = Pages::thp;
    busy.effective.pipe.writer_wait = busy.effective.pipe.reader_wait = Wait::busy;
  }
};

// The same in a virtual machine, as measured: a wakeup takes 30 us.
struct MadeLadderInVm {
  Segment write_read = made_segment(
      0.82,
      {.on_cpu = .32,
       .blocked = .57,
       .stacks = {{WRITE "copy_page_from_iter;_copy_from_iter", .33},
                  {WRITE "__wake_up_sync_key;_raw_spin_unlock_irqrestore", .337},
                  {WRITE "pipe_wait_writable;schedule;finish_task_switch.isra.0", .069},
                  {WRITE "__alloc_frozen_pages_noprof;get_page_from_freelist", .10},
                  {WRITE "__alloc_frozen_pages_noprof;obj_cgroup_charge_pages", .10}},
       .sleeps_per_s = 12'700,
       .samples = 306},
      {.on_cpu = .27,
       .blocked = .62,
       .stacks = {{READ "__wake_up_sync_key;_raw_spin_unlock_irqrestore", .453},
                  {READ "copy_page_to_iter;_copy_to_iter", .153},
                  {READ "pipe_wait_readable;schedule;finish_task_switch.isra.0", .057},
                  {READ "anon_pipe_buf_release;__folio_put;__free_frozen_pages", .15}},
       .sleeps_per_s = 13'400,
       .samples = 300},
      SlotKind::copy);
  Segment vmsplice_read = made_segment(
      3.5,
      {.on_cpu = .29,
       .blocked = .59,
       .stacks = {{VMSPLICE "__wake_up_sync_key;_raw_spin_unlock_irqrestore", .452},
                  {VMSPLICE "iov_iter_get_pages2;gup_fast_fallback", .197},
                  {VMSPLICE "pipe_lock;mutex_lock;mutex_spin_on_owner", .10},
                  {VMSPLICE "pipe_wait_writable;schedule;finish_task_switch.isra.0", .105}},
       .sleeps_per_s = 17'400,
       .samples = 239},
      {.on_cpu = .34,
       .blocked = .54,
       .stacks = {{READ "__wake_up_sync_key;_raw_spin_unlock_irqrestore", .449},
                  {READ "copy_page_to_iter;_copy_to_iter", .279},
                  {READ "pipe_wait_readable;schedule;finish_task_switch.isra.0", .069}},
       .sleeps_per_s = 20'500,
       .samples = 305},
      SlotKind::user_page);
  Segment huge =
      made_segment(13,
                   {.on_cpu = .4,
                    .blocked = .5,
                    .stacks = {{VMSPLICE "__wake_up_sync_key;_raw_spin_unlock_irqrestore", .45}},
                    .sleeps_per_s = 24'000,
                    .samples = 300},
                   {.on_cpu = .45,
                    .blocked = .45,
                    .stacks = {{TO_NULL "__wake_up_sync_key;_raw_spin_unlock_irqrestore", .45},
                               {TO_NULL "page_cache_pipe_buf_release", .05}},
                    .sleeps_per_s = 24'000,
                    .samples = 300},
                   SlotKind::user_page);
  Segment busy =
      made_segment(58.7,
                   {.on_cpu = .95,
                    .blocked = .01,
                    .stacks = {{VMSPLICE "pipe_lock;mutex_lock;mutex_spin_on_owner", .485},
                               {VMSPLICE "iov_iter_get_pages2;gup_fast_fallback", .079}},
                    .samples = 2090},
                   {.on_cpu = .97,
                    .blocked = 0,
                    .stacks = {{TO_NULL "page_cache_pipe_buf_release", .176},
                               {ENTRY "pipe_lock;mutex_lock;mutex_spin_on_owner", .159}},
                    .samples = 2121},
                   SlotKind::user_page);

  MadeLadderInVm() {
    for (Segment* segment : {&huge, &busy}) segment->effective.pipe.pages = Pages::thp;
    busy.effective.pipe.writer_wait = busy.effective.pipe.reader_wait = Wait::busy;
  }
};

#undef ENTRY
#undef WRITE
#undef READ
#undef VMSPLICE
#undef TO_NULL

}  // namespace pipetop
