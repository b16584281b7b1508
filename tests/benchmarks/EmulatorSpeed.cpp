// The emulator's speed on one core, in million lane-instructions per second, with the race detection and without it.
// Usage: emulator-benchmark [KERNEL]
#include "runtime/emulator/Device.h"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>

using namespace tilewright::runtime::emulator;

namespace {

struct Case {
  const char *program, *kernel;
  LaunchShape shape;
  std::vector<int> sizes;
};

std::string textOf(const std::string &name) {
  std::stringstream text;
  text << std::ifstream(std::string(TILEWRIGHT_PROGRAM_FOLDER) + '/' + name).rdbuf();
  return text.str();
}

void measure(const Case &one, bool checkRaces) {
  Device device;
  auto module = device.load(one.program, textOf(one.program));
  const Function *kernel = module.ok() ? (*module)->program().entry(one.kernel) : nullptr;
  if (!kernel) {
    fprintf(stderr, "%s: no kernel %s: %s\n", one.program, one.kernel, module.ok() ? "" : module.status().message().c_str());
    return;
  }
  ParameterBuffer parameters;
  size_t buffers = kernel->parameters.size() - one.sizes.size();
  for (size_t k = 0; k < buffers; ++k) {
    auto memory = device.allocate(uint64_t(4) << 20);
    (void)device.fill(*memory, 0, uint64_t(4) << 20);
    parameters.add(*memory);
  }
  for (int size : one.sizes)
    parameters.add(size);
  LaunchOptions options;
  options.checkRaces = checkRaces;
  clock_t start = clock(); // processor time: other work on the machine does not count
  auto report = device.launch(**module, one.kernel, one.shape, parameters.get(), options);
  double seconds = static_cast<double>(clock() - start) / CLOCKS_PER_SEC;
  if (!report.ok() || !report->ok()) {
    fprintf(stderr, "%s\n", report.ok() ? report->text().c_str() : report.status().message().c_str());
    return;
  }
  printf("%-14s %-16s %8.1f M lane-instructions, %6.0f M/s, %5.0f ns per warp instruction\n", one.kernel,
         checkRaces ? "races checked" : "unchecked", static_cast<double>(report->laneInstructions) / 1e6,
         static_cast<double>(report->laneInstructions) / seconds / 1e6,
         seconds * 1e9 / static_cast<double>(report->warpInstructions));
}

} // namespace

int main(int count, char **arguments) {
  const Case cases[] = {
      {"vector_add.ptx", "vector_add", {.grid = {8192}, .block = {128}}, {1 << 20}},
      {"vector_add.ptx", "gelu", {.grid = {8192}, .block = {128}}, {1 << 20}},
      {"divergent.ptx", "collatz_steps", {.grid = {256}, .block = {128}}, {1 << 15}},
      {"reduce.ptx", "reduce_sum", {.grid = {64}, .block = {256}, .dynamicSharedBytes = 32}, {1 << 20}},
      {"matmul_tiled.ptx", "matmul_tiled", {.grid = {16, 16}, .block = {16, 16}}, {256, 256, 256}},
      {"matmul_mma.ptx", "matmul_mma", {.grid = {4, 6}, .block = {128}}, {384, 256, 1024}},
  };
  for (const Case &one : cases)
    if (count < 2 || std::string(arguments[1]) == one.kernel)
      for (bool checkRaces : {true, false})
        measure(one, checkRaces);
}
