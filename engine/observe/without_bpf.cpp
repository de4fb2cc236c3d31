// Sampler, SchedReader and RingReader in builds without the tools for BPF: they
// cannot be created.
#include "engine/base/error.h"
#include "engine/observe/capabilities.h"
#include "engine/observe/counter_cost.h"
#include "engine/observe/ring_reader.h"
#include "engine/observe/sampler.h"
#include "engine/observe/sched_reader.h"

namespace pipetop::observe {

class Sampler::Impl {};
class SchedReader::Impl {};
class RingReader::Impl {};

Sampler::Sampler(uint32_t, int) { throw Error(kBuiltWithoutBpf, Exit::unsupported); }
Sampler::~Sampler() = default;
const SamplingEvent& Sampler::event() const { std::abort(); }
void Sampler::watch(Role, std::span<const pid_t>) {}
void Sampler::watch_pipe(uint64_t) {}
void Sampler::request_copy(uint64_t, uint32_t) {}
void Sampler::run(bool) {}
void Sampler::count(BpfCounters) {}
uint32_t Sampler::cpus() const { return 0; }
void Sampler::drain(const std::function<void(const StackSample&)>&) {}
uint64_t Sampler::lost(Role) const { return 0; }
std::vector<OccupancyCounts> Sampler::occupancy_by_record() const { return {}; }

SchedReader::SchedReader(uint32_t) { throw Error(kBuiltWithoutBpf, Exit::unsupported); }
SchedReader::~SchedReader() = default;
void SchedReader::watch(Role, pid_t) {}
void SchedReader::run(bool) {}
void SchedReader::poll(uint64_t) {}
Reading<TaskTimes> SchedReader::times(Role) const { return {}; }
Reading<Sleeps> SchedReader::sleeps(Role) { return {}; }
std::span<const uint64_t> SchedReader::stack(Role, size_t) const { return {}; }

RingReader::RingReader(int) { throw Error(kBuiltWithoutBpf, Exit::unsupported); }
RingReader::~RingReader() = default;
void RingReader::learn_kinds(const Symbols&) {}
uint64_t RingReader::pipe_address() const { return 0; }
int RingReader::copies_fd() const { std::abort(); }
const ring_snapshot& RingReader::take_snapshot() { std::abort(); }
const ring_snapshot* RingReader::snapshot_of_tick() { std::abort(); }

Reading<std::vector<CounterCost>> measure_counter_cost() {
  return Reading<std::vector<CounterCost>>::unavailable(kBuiltWithoutBpf);
}

}  // namespace pipetop::observe
