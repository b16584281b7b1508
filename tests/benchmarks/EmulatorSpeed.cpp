// The emulator's speed on one core, with the race detection and without it: in million lane-instructions per second, and for a
// product by wgmma in million multiplications.
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

TensorMap mapOf(Type type, uint64_t address, uint64_t rows, uint64_t columns, uint32_t boxRows, uint32_t boxColumns,
                Swizzle swizzle) {
  TensorMapRequest request;
  request.type = type;
  request.rank = 2;
  request.address = address;
  request.extents = {columns, rows};
  request.strides = {columns * bytesOf(type)};
  request.box = {boxColumns, boxRows};
  request.swizzle = swizzle;
  return *encodeTensorMap(request);
}

/// C = A·Bᵀ by bulk copies and wgmma, in tiles of 64×32.
void measurePingPong(uint32_t m, uint32_t n, uint32_t k, bool checkRaces) {
  Device device;
  auto module = device.load("pipeline.ptx", textOf("pipeline.ptx"));
  uint64_t bytes = uint64_t(4) << 20, memory[3];
  for (uint64_t &address : memory) {
    address = *device.allocate(bytes);
    (void)device.fill(address, 0, bytes);
  }
  ParameterBuffer parameters;
  parameters.add(mapOf(Type::BF16, memory[0], m, k, 64, 64, Swizzle::Bytes128));
  parameters.add(mapOf(Type::BF16, memory[1], n, k, 32, 64, Swizzle::Bytes128));
  parameters.add(mapOf(Type::F32, memory[2], m, n, 64, 32, Swizzle::None));
  for (uint32_t number : {n / 32, m / 64 * (n / 32), k / 64})
    parameters.add(number);
  LaunchOptions options;
  options.checkRaces = checkRaces;
  clock_t start = clock();
  auto report = device.launch(**module, "pingpong", {.grid = {4}, .block = {384}}, parameters.get(), options);
  double seconds = static_cast<double>(clock() - start) / CLOCKS_PER_SEC;
  if (!report.ok() || !report->ok()) {
    fprintf(stderr, "%s\n", report.ok() ? report->text().c_str() : report.status().message().c_str());
    return;
  }
  double products = static_cast<double>(m) * n * k / 1e6;
  printf("%-14s %-16s %8.1f M multiplications, %6.0f M/s\n", "pingpong", checkRaces ? "races checked" : "unchecked", products,
         products / seconds);
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
  if (count < 2 || std::string(arguments[1]) == "pingpong")
    for (bool checkRaces : {true, false})
      measurePingPong(512, 512, 1024, checkRaces);
}
