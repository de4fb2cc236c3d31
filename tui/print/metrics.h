// What `pipetop export` serves: totals of the machine's pipelines, in the formats of Prometheus.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/watch/pipeline_totals.h"

namespace pipetop::tui {

enum class MetricsFormat : uint8_t { prometheus, open_metrics };

// "text/plain; version=0.0.4; charset=utf-8".
std::string_view content_type(MetricsFormat format);

// By a request's header Accept: OpenMetrics only if it is asked for, and not less than plain text.
MetricsFormat format_accepted(std::string_view accept);

// The exporter itself.
struct ExporterState {
  double cpu_s = 0;         // used so far
  double memory_bytes = 0;  // resident
  double start_s = 0;       // since 1970
  uint64_t failed_passes = 0, failed_writes = 0;
};

std::string metrics_text(const PipelineTotals& totals, const ExporterState& state,
                         MetricsFormat format);

}  // namespace pipetop::tui
