// Numbers as people read them: short, and of constant width. Those that are parsed again are in
// text.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pipetop {

std::string rate_text(double rate);              // "3.71", "62.5", "128"
std::string percent_text(double share);          // "39.1", "100"
std::string whole_percent_text(double share);    // "39 %", "<1 %"
std::string count_text(double count);            // "17", "1.3 k", "532 k", "1.20 M"
std::string grouped_text(uint64_t count);        // "2,983"
std::string bytes_text(double bytes);            // "128 KiB", "1.5 MiB"
std::string short_bytes_text(double bytes);      // "128K", "1.5M"
std::string byte_rate_text(double bytes_per_s);  // "1.23 GiB/s", "12.3 KiB/s"
// What a workload counts: "128 KiB", "1.20 M rules".
std::string items_text(double count, std::string_view items);
std::string elapsed_text(uint64_t ns);  // "00:01:12"
std::string age_text(uint64_t ns);      // "12s", "3m", "5h", "12d"
std::string ratio_text(double ratio);   // "×4.7"
// Compares two rates as rate_text() shows them, so that the three agree.
std::string ratio_of_shown(double now, double before);
std::string change_text(double shares);                       // in points: "+12.0", "-0.3", "0.0"
std::string seconds_text(uint64_t ns, int decimals = 1);      // "12.4 s"
std::string counted(uint64_t count, std::string_view thing);  // "1 round", "2 rounds"

}  // namespace pipetop
