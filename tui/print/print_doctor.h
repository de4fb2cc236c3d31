// What works on this machine, as a table or as JSON.
#pragma once

#include <span>
#include <string>

#include "engine/doctor/doctor.h"
#include "engine/model/snapshot.h"

namespace pipetop::tui {

// "Linux 6.18, AMD EPYC, 2 CPUs", with an end of line.
std::string host_line(const HostInfo& host);

std::string print_doctor_human(const HostInfo& host, std::span<const Check> checks);
std::string print_doctor_json(const HostInfo& host, std::span<const Check> checks);

}  // namespace pipetop::tui
