// A test program that can also be a worker, as pipetop itself can.
#include <string_view>

#include "engine/process/worker_process.h"
#include "engine/tests/run_tests.h"
#include "engine/workload/table/workloads.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == pipetop::kWorkerProcess)
    return pipetop::worker_main(argc, argv);
  return pipetop::run_tests(argc, argv);
}
