#include "engine/tests/run_tests.h"

int main(int argc, char** argv) { return pipetop::run_tests(argc, argv); }
