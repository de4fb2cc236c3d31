// What a build without the tools for BPF has instead of the sampler and the readers.
#include "engine/base/error.h"
#include "engine/observe/pipe_scanner.h"
#include "engine/observe/refusals.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/sampler.h"
#include "engine/observe/sched_reader.h"
#include "engine/observe/stage_observer.h"
#include "engine/observe/symbols.h"

namespace pipetop::observe {
namespace {

[[noreturn]] void refuse() { throw Error(kBuiltWithoutBpf, Exit::unsupported); }

}  // namespace

std::vector<CodeRange> own_code() { return {}; }
std::unique_ptr<Sampler> make_sampler(uint32_t, int, Whose) { refuse(); }
std::unique_ptr<SchedReader> make_sched_reader(OccupancyMaps, uint32_t, Whose) { refuse(); }
std::unique_ptr<RingReader> make_ring_reader(int) { refuse(); }
std::unique_ptr<ForeignRings> make_foreign_rings() { refuse(); }
std::unique_ptr<PipeScanner> make_bpf_pipe_scanner() { refuse(); }
std::unique_ptr<StageObserver> make_stage_observer() { refuse(); }

Reading<CounterCost> measure_counter_cost(BpfCounters) {
  return Reading<CounterCost>::unavailable(kBuiltWithoutBpf);
}

}  // namespace pipetop::observe
