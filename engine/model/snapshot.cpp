#include "engine/model/snapshot.h"

namespace pipetop {

Segment::Segment() = default;
Segment::Segment(const Segment&) = default;
Segment::Segment(Segment&&) noexcept = default;
Segment& Segment::operator=(const Segment&) = default;
Segment& Segment::operator=(Segment&&) noexcept = default;
Segment::~Segment() = default;

Throughput::Throughput() = default;
Throughput::Throughput(const Throughput&) = default;
Throughput::Throughput(Throughput&&) noexcept = default;
Throughput& Throughput::operator=(const Throughput&) = default;
Throughput& Throughput::operator=(Throughput&&) noexcept = default;
Throughput::~Throughput() = default;

WorkerView::WorkerView() = default;
WorkerView::WorkerView(const WorkerView&) = default;
WorkerView::WorkerView(WorkerView&&) noexcept = default;
WorkerView& WorkerView::operator=(const WorkerView&) = default;
WorkerView& WorkerView::operator=(WorkerView&&) noexcept = default;
WorkerView::~WorkerView() = default;

Snapshot::Snapshot() = default;
Snapshot::Snapshot(const Snapshot&) = default;
Snapshot::Snapshot(Snapshot&&) noexcept = default;
Snapshot& Snapshot::operator=(const Snapshot&) = default;
Snapshot& Snapshot::operator=(Snapshot&&) noexcept = default;
Snapshot::~Snapshot() = default;

}  // namespace pipetop
