#include "engine/judge/glossary.h"

#include <gtest/gtest.h>

#include <set>

namespace pipetop {
namespace {

TEST(Glossary, SaysEachFunctionOnceInAShortSentence) {
  std::set<std::string_view> names;
  for (const KnownFunction& function : glossary()) {
    EXPECT_TRUE(names.insert(function.name).second) << function.name;
    EXPECT_FALSE(function.does.empty() || function.does.ends_with('.')) << function.name;
    EXPECT_LE(function.does.size(), 78u) << function.does;
    EXPECT_EQ(source_name(function.name), function.name);
  }
  EXPECT_GE(names.size(), 40u);
}

TEST(Glossary, KnowsClonesByTheirSource) {
  EXPECT_EQ(what_it_does("gup_fast_fallback"), "looks up the physical pages of the buffer");
  EXPECT_EQ(what_it_does("__mutex_lock.constprop.0"), what_it_does("__mutex_lock"));
  EXPECT_NE(what_it_does("finish_task_switch.isra.0"), "");
  EXPECT_EQ(what_it_does("never_heard_of_it"), "");
}

// The first of each list in measured runs of the seven rungs, and those of Linux 6.1.
TEST(Glossary, HasTheTopOfEveryRung) {
  for (const char* name : {"_raw_spin_unlock_irqrestore",
                           "_copy_from_iter",
                           "finish_task_switch.isra.0",
                           "obj_cgroup_charge_pages",
                           "copy_page_from_iter",
                           "get_page_from_freelist",
                           "anon_pipe_write",
                           "_copy_to_iter",
                           "anon_pipe_read",
                           "__free_frozen_pages",
                           "anon_pipe_buf_release",
                           "gup_fast_fallback",
                           "mutex_spin_on_owner",
                           "__do_sys_vmsplice",
                           "do_syscall_64",
                           "page_cache_pipe_buf_release",
                           "[user]",
                           "prepare_to_wait_event",
                           "__splice_from_pipe",
                           "splice_from_pipe_next",
                           "mutex_unlock",
                           "pipe_to_null",
                           "pipe_lock",
                           "wait_for_space",
                           "__raw_callee_save___kvm_vcpu_is_preempted",
                           "pipe_write",
                           "pipe_read",
                           "copyout",
                           "copyin",
                           "internal_get_user_pages_fast"})
    EXPECT_NE(what_it_does(name), "") << name;
}

TEST(Glossary, FilesOthersByTheirNames) {
  EXPECT_EQ(work_of(Function("gup_fast_pmd_leaf")), Work::lookup);
  EXPECT_EQ(work_of(Function("__mutex_lock.constprop.0")), Work::mutex);
  EXPECT_EQ(work_of(Function("alloc_pages_mpol")), Work::pages);
  EXPECT_EQ(work_of(Function("never_heard_of_it")), Work::other);
  EXPECT_EQ(work_of(Function("[user]")), Work::own);
}

TEST(Glossary, KnowsWhatEndsInterruptsOff) {
  EXPECT_TRUE(ends_interrupts_off("_raw_spin_unlock_irqrestore"));
  EXPECT_TRUE(ends_interrupts_off("finish_task_switch.isra.0"));
  EXPECT_FALSE(ends_interrupts_off("mutex_unlock"));
}

}  // namespace
}  // namespace pipetop
