#include "tui/print/tests/ladder_result.h"

#include <utility>

#include "engine/experiment/tests/ladder_example.h"
#include "tui/print/tests/example.h"

namespace pipetop::tui {
namespace {

Ladder measured() {
  Ladder ladder = ladder_of({{2, 1.25, 8}, {2, 1.25, 12}});
  ladder.options.seed = 42;
  const Snapshot like = example_result().end;
  for (LadderRun& run : ladder.runs) {
    Trial& trial = run.trial;
    trial.settings = ladder.options.rungs[run.rung].settings;
    for (Snapshot* s : {&trial.begin, &trial.end}) {
      s->requested = s->effective.settings = trial.settings;
      s->effective.pipe.bytes = 65536;
      s->host = like.host;
    }
    trial.end.workers = like.workers;
    const auto share = [](double x) { return Reading<double>::of(x); };
    trial.end.workers[0].shares = {share(0.9), share(0), share(0.1)};  // of the last second
    trial.segment.roles[0].shares = {share(0.5), share(0.25), share(0.25)};
    trial.end.throughput.current.rate = like.throughput.current.rate;
    trial.begin.workers[0].context_switches = Reading<uint64_t>::of(200);
  }
  return ladder;
}

}  // namespace

LadderReport example_ladder() { return report(measured()); }

LadderReport spoilt_ladder() {
  Ladder ladder = measured();
  ladder.options.rungs[0].title =
      "<write> & \"read\", with a title that is too long for its place, "
      "and for a second line of it as well";
  ladder.runs.pop_back();
  ladder.runs.pop_back();
  ladder.runs.erase(ladder.runs.begin() + 1);
  ladder.runs[0].trial.steal_share = Reading<double>::of(0.22);
  ladder.runs[1].trial.end.effective.mismatches = {{"pipe_size", "4MiB", "1MiB", "too <large>"}};
  ladder.options.knobs = "--pipe_size 4MiB";
  ladder.ended_by_signal = 2;
  return report(std::move(ladder));
}

}  // namespace pipetop::tui
