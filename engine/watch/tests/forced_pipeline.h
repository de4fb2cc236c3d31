// Real pipelines that a test forces into a known state, and a Watcher that looks at them.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/tests/run_tests.h"
#include "engine/tests/support/schedstat_window.h"
#include "engine/watch/watcher.h"

namespace pipetop {

// A process of a pipeline: reads descriptor 0, writes descriptor 1. It has the name as its comm,
// unless it execs.
struct ForcedStage {
  std::string name;
  std::function<void()> run;
};

// What stages do, for ever.
namespace forced {

void produce();               // writes as fast as it goes, nothing that gzip could shorten
void consume();               // reads as fast as it goes
void copy(uint64_t work_ns);  // 4 KiB at a time, with so much CPU time for each
void copy_with(const std::function<void()>& in_between);
void consume_with(const std::function<void()>& in_between);
void produce_with(const std::function<void()>& in_between);
void burn(uint64_t ns);  // of CPU time
void nap(uint64_t ns);
void nap_on_average(uint64_t ns);  // less after one that took too long
// From now on, with what it starts; also before the workers of verdict_run.h, which may run beside.
void run_before_others();
ForcedStage exec(std::vector<std::string> words);

}  // namespace forced

class ForcedPipelines : public testing::Test {
 protected:
  ForcedPipelines();
  void SetUp() override;  // skips the test without BPF, unless it has to be there
  void TearDown() override;

  // By bash, in the folder, with /dev/null as its standard input and output.
  void shell(const std::string& script);

  // Connected by pipes, in this order.
  void chain(const std::vector<ForcedStage>& stages);

  // One process, that starts others by fork(): they end with the test.
  void root(const std::function<void()>& run);

  // Ticks until the bottleneck has been the same for a window, and known. The kernel's books of
  // that time then tell whether the state was forced.
  Verdict found();
  // Of all stages with that name: they had work to do, on a CPU or waiting for one; or they slept.
  testing::AssertionResult works(const std::string& name) const;
  testing::AssertionResult sleeps(const std::string& name) const;
  testing::AssertionResult hardly_runs(const std::string& name) const;
  // Nobody did anything.
  testing::AssertionResult all_sleep() const;
  testing::AssertionResult have_their_cpus() const;  // nobody waits for one
  // "stage gzip", "idle"
  static std::string text_of(const Verdict& bottleneck, const Pipeline& view);
  // The same as text_of(found()).
  std::string verdict();
  // Shares, for a test that failed; and as recorded_pipelines_test.cpp reads them.
  static std::string details_of(const Pipeline& view);

  std::shared_ptr<const Snapshot> tick();
  std::shared_ptr<const Snapshot> until(const std::function<bool(const Snapshot&)>& is_so);
  pid_t pid_of(const std::string& name);  // of a stage that is there
  const std::string& folder() const { return folder_; }

  std::unique_ptr<Watcher> watcher;
  std::shared_ptr<const Snapshot> last;

 private:
  void open_books();
  testing::AssertionResult all_of(const std::string& name,
                                  const std::function<bool(const SchedstatWindow&)>& is_so) const;

  std::string folder_;
  pid_t root_ = 0;
  std::map<pid_t, SchedstatWindow> books_;  // of the stages, over what found() went by
  const ToldOnFailure told_{[this] {
    return last && last->watched ? details_of(*last->watched) : std::string("no pipeline");
  }};
};

}  // namespace pipetop
