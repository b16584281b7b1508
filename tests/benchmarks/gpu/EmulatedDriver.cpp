// A CUDA driver over the emulator: the whole benchmark program runs on it without a GPU, with $TILEWRIGHT_CUDA_DRIVER naming it
// and TILEWRIGHT_PTXAS=off, so that it gets PTX. For tests: its times mean nothing.
//
// What is put into a stream is done at once. A stream that is captured keeps the launches instead. A kernel whose entry's name
// contains $EMULATED_DRIVER_SKIPS does nothing, as if it were wrong.
#include "runtime/emulator/Device.h"
#include "tests/benchmarks/gpu/Gpu.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

using tilewright::runtime::Status;
namespace emulator = tilewright::runtime::emulator;

namespace benchmarks {

namespace {

constexpr int fault = 719, invalidValue = 1, notFound = 500;

struct EmulatedFunction {
  std::shared_ptr<emulator::Module> module;
  std::string name;
  const emulator::Function *entry = nullptr; ///< null: of a cubin
};

struct EmulatedModule {
  std::shared_ptr<emulator::Module> module; ///< null: a cubin
  std::map<std::string, EmulatedFunction> functions;
};

struct EmulatedLaunch {
  EmulatedFunction *function;
  LaunchConfiguration configuration;
  std::vector<std::byte> parameters; ///< where the entry has them
  unsigned clusterBlocks = 1;
  std::vector<void *> pointers = {}; ///< to each of them
};

struct EmulatedGraph {
  std::vector<EmulatedLaunch> launches;
};

struct Machine {
  std::mutex mutex;
  emulator::Device device{emulator::DeviceLimits{227 * 1024, 1024, 90}};
  EmulatedGraph *captured = nullptr;
};

Machine &machine() {
  static Machine only;
  return only;
}

Context theContext() {
  static char context;
  return reinterpret_cast<Context>(&context);
}
thread_local std::vector<Context> stack;

Code codeOf(const Status &status) {
  if (status.ok())
    return success;
  std::fprintf(stderr, "the emulated driver: %s\n", status.message().c_str());
  return fault;
}

Code run(const EmulatedLaunch &launch) {
  const char *skipped = std::getenv("EMULATED_DRIVER_SKIPS");
  if (!launch.function->module)
    return success;
  if (skipped && launch.function->name.find(skipped) != std::string::npos)
    return success;
  const LaunchConfiguration &how = launch.configuration;
  emulator::LaunchShape shape = {{how.gridX, how.gridY, how.gridZ}, {how.blockX, how.blockY, how.blockZ}, how.sharedBytes};
  if (launch.clusterBlocks > 1)
    shape.cluster = {launch.clusterBlocks, 1, 1};
  emulator::LaunchOptions options;
  options.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  auto report = machine().device.launch(*launch.function->module, launch.function->name, shape, launch.parameters, options);
  if (!report.ok())
    return codeOf(report.takeStatus());
  if (!report->ok())
    std::fprintf(stderr, "the emulated driver: %s\n", report->text().c_str());
  return report->ok() ? success : fault;
}

} // namespace

} // namespace benchmarks

#define EXPORT extern "C" __attribute__((visibility("default")))
using namespace benchmarks;

EXPORT Code cuInit(unsigned) {
  return success;
}
EXPORT Code cuDriverGetVersion(int *version) {
  *version = 13'000;
  return success;
}
EXPORT Code cuGetErrorName(Code, const char **name) {
  *name = nullptr;
  return invalidValue;
}
EXPORT Code cuGetErrorString(Code, const char **text) {
  *text = nullptr;
  return invalidValue;
}

// ---- Devices and contexts ---------------------------------------------------------------------------------------------------

EXPORT Code cuDeviceGetCount(int *count) {
  *count = 1;
  return success;
}
EXPORT Code cuDeviceGet(Device *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? success : invalidValue;
}
EXPORT Code cuDeviceGetName(char *name, int bytes, Device) {
  std::snprintf(name, static_cast<size_t>(bytes), "%s", "PTX emulator");
  return success;
}
EXPORT Code cuDeviceGetAttribute(int *value, int attribute, Device) {
  const std::map<int, int> values = {{multiprocessorCount, 4},
                                     {maxThreadsPerMultiprocessor, 1024},
                                     {capabilityMajor, 9},
                                     {capabilityMinor, 0},
                                     {maxSharedMemoryPerBlockOptin, 227 * 1024}};
  auto found = values.find(attribute);
  if (found == values.end())
    return invalidValue;
  *value = found->second;
  return success;
}
EXPORT Code cuDeviceTotalMem_v2(size_t *bytes, Device) {
  *bytes = size_t(1) << 30;
  return success;
}
EXPORT Code cuDevicePrimaryCtxRetain(Context *context, Device) {
  *context = theContext();
  return success;
}
EXPORT Code cuDevicePrimaryCtxRelease_v2(Device) {
  return success;
}
EXPORT Code cuCtxSetCurrent(Context context) {
  stack.assign(1, context);
  return success;
}
EXPORT Code cuCtxGetCurrent(Context *context) {
  *context = stack.empty() ? nullptr : stack.back();
  return success;
}
EXPORT Code cuCtxGetDevice(Device *device) {
  *device = 0;
  return success;
}
EXPORT Code cuCtxPushCurrent_v2(Context context) {
  stack.push_back(context);
  return success;
}
EXPORT Code cuCtxPopCurrent_v2(Context *context) {
  *context = stack.back();
  stack.pop_back();
  return success;
}

// ---- Memory -----------------------------------------------------------------------------------------------------------------

EXPORT Code cuMemAlloc_v2(Address *address, size_t bytes) {
  std::lock_guard lock(machine().mutex);
  auto allocated = machine().device.allocate(bytes);
  if (!allocated.ok())
    return codeOf(allocated.takeStatus());
  *address = *allocated;
  return success;
}
EXPORT Code cuMemFree_v2(Address address) {
  std::lock_guard lock(machine().mutex);
  return codeOf(machine().device.free(address));
}
EXPORT Code cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream) {
  std::lock_guard lock(machine().mutex);
  return codeOf(machine().device.copyToDevice(to, from, bytes));
}
EXPORT Code cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream) {
  std::lock_guard lock(machine().mutex);
  return codeOf(machine().device.copyToHost(to, from, bytes));
}
EXPORT Code cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream) {
  std::lock_guard lock(machine().mutex);
  std::vector<std::byte> between(bytes);
  Code code = codeOf(machine().device.copyToHost(between.data(), from, bytes));
  return code == success ? codeOf(machine().device.copyToDevice(to, between.data(), bytes)) : code;
}
EXPORT Code cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream) {
  std::lock_guard lock(machine().mutex);
  return codeOf(machine().device.fill(to, value, bytes));
}

// ---- Code -------------------------------------------------------------------------------------------------------------------

EXPORT Code cuModuleLoadDataEx(Module *module, const void *image, unsigned, int *, void **) {
  std::lock_guard lock(machine().mutex);
  if (!std::memcmp(image,
                   "\x7f"
                   "ELF",
                   4)) {
    *module = reinterpret_cast<Module>(new EmulatedModule);
    return success;
  }
  auto loaded = machine().device.load("module", static_cast<const char *>(image));
  if (!loaded.ok())
    return codeOf(loaded.takeStatus());
  *module = reinterpret_cast<Module>(new EmulatedModule{std::move(*loaded), {}});
  return success;
}
EXPORT Code cuModuleUnload(Module module) {
  std::lock_guard lock(machine().mutex);
  auto *which = reinterpret_cast<EmulatedModule *>(module);
  Code code = which->module ? codeOf(machine().device.unload(*which->module)) : success;
  delete which;
  return code;
}
EXPORT Code cuModuleGetFunction(Function *function, Module module, const char *name) {
  auto *which = reinterpret_cast<EmulatedModule *>(module);
  const emulator::Function *entry = which->module ? which->module->program().entry(name) : nullptr;
  if (which->module && !entry)
    return notFound;
  EmulatedFunction &known = which->functions[name];
  known = {which->module, name, entry};
  *function = reinterpret_cast<Function>(&known);
  return success;
}
EXPORT Code cuFuncSetAttribute(Function, int, int) {
  return success;
}
EXPORT Code cuLaunchKernelEx(const LaunchConfiguration *how, Function function, void **parameters, void **extra) {
  if (extra || stack.empty())
    return invalidValue;
  auto *which = reinterpret_cast<EmulatedFunction *>(function);
  EmulatedLaunch launch = {which, *how, {}};
  if (which->entry) {
    launch.parameters.resize(which->entry->parameterBytes);
    for (size_t index = 0; index < which->entry->parameters.size(); ++index) {
      const emulator::Parameter &declared = which->entry->parameters[index];
      std::memcpy(launch.parameters.data() + declared.offset, parameters[index], declared.bytes);
    }
  }
  for (unsigned index = 0; index < how->attributeCount; ++index)
    if (how->attributes[index].id == clusterDimension)
      launch.clusterBlocks = how->attributes[index].value.cluster.x;
  std::lock_guard lock(machine().mutex);
  if (!machine().captured)
    return run(launch);
  machine().captured->launches.push_back(std::move(launch));
  return success;
}

// ---- Tensor maps ------------------------------------------------------------------------------------------------------------

EXPORT Code cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *extents, const uint64_t *strides,
                                   const uint32_t *box, const uint32_t *elementStrides, int, int swizzle, int, int) {
  using emulator::Type;
  constexpr Type types[] = {Type::U8, Type::U16, Type::U32, Type::S32, Type::U64, Type::S64, Type::F16, Type::F32, Type::F64, Type::BF16};
  if (type < 0 || static_cast<size_t>(type) >= std::size(types) || rank < 1 || rank > emulator::mostDimensions || swizzle < 0 || swizzle > 3)
    return invalidValue;
  emulator::TensorMapRequest request;
  request.type = types[type];
  request.rank = rank;
  request.address = reinterpret_cast<uint64_t>(address);
  std::copy(extents, extents + rank, request.extents.begin());
  std::copy(strides, strides + rank - 1, request.strides.begin());
  std::copy(box, box + rank, request.box.begin());
  std::copy(elementStrides, elementStrides + rank, request.elementStrides.begin());
  request.swizzle = static_cast<emulator::Swizzle>(swizzle);
  auto encoded = emulator::encodeTensorMap(request);
  if (!encoded.ok())
    return codeOf(encoded.takeStatus());
  std::memcpy(map, encoded->bytes.data(), encoded->bytes.size());
  return success;
}
EXPORT Code cuTensorMapReplaceAddress(void *map, void *address) {
  emulator::TensorMap moved;
  std::memcpy(moved.bytes.data(), map, moved.bytes.size());
  Code code = codeOf(emulator::replaceTensorMapAddress(moved, reinterpret_cast<uint64_t>(address)));
  std::memcpy(map, moved.bytes.data(), moved.bytes.size());
  return code;
}

// ---- Streams, events, graphs ------------------------------------------------------------------------------------------------

EXPORT Code cuStreamCreate(Stream *stream, unsigned) {
  *stream = reinterpret_cast<Stream>(new char);
  return success;
}
EXPORT Code cuStreamSynchronize(Stream) {
  return success;
}
EXPORT Code cuEventCreate(Event *event, unsigned) {
  *event = reinterpret_cast<Event>(new std::chrono::steady_clock::time_point);
  return success;
}
EXPORT Code cuEventDestroy_v2(Event event) {
  delete reinterpret_cast<std::chrono::steady_clock::time_point *>(event);
  return success;
}
EXPORT Code cuEventRecord(Event event, Stream) {
  *reinterpret_cast<std::chrono::steady_clock::time_point *>(event) = std::chrono::steady_clock::now();
  return success;
}
EXPORT Code cuEventSynchronize(Event) {
  return success;
}
EXPORT Code cuEventElapsedTime(float *milliseconds, Event begin, Event end) {
  auto time = [](Event event) { return *reinterpret_cast<std::chrono::steady_clock::time_point *>(event); };
  *milliseconds = std::chrono::duration<float, std::milli>(time(end) - time(begin)).count();
  return success;
}
EXPORT Code cuStreamBeginCapture_v2(Stream stream, int) {
  if (!stream || machine().captured)
    return invalidValue;
  machine().captured = new EmulatedGraph;
  return success;
}
EXPORT Code cuStreamEndCapture(Stream, Graph *graph) {
  if (!machine().captured)
    return invalidValue;
  *graph = reinterpret_cast<Graph>(std::exchange(machine().captured, nullptr));
  return success;
}
EXPORT Code cuGraphGetNodes(Graph graph, GraphNode *nodes, size_t *count) {
  auto &launches = reinterpret_cast<EmulatedGraph *>(graph)->launches;
  for (size_t index = 0; nodes && index < std::min(*count, launches.size()); ++index)
    nodes[index] = reinterpret_cast<GraphNode>(&launches[index]);
  *count = launches.size();
  return success;
}
EXPORT Code cuGraphKernelNodeGetParams_v2(GraphNode node, KernelNode *to) {
  auto *launch = reinterpret_cast<EmulatedLaunch *>(node);
  const LaunchConfiguration &how = launch->configuration;
  launch->pointers.assign(1, launch->parameters.data());
  if (launch->function->entry) {
    launch->pointers.clear();
    for (const emulator::Parameter &declared : launch->function->entry->parameters)
      launch->pointers.push_back(launch->parameters.data() + declared.offset);
  }
  *to = {reinterpret_cast<Function>(launch->function),
         how.gridX,
         how.gridY,
         how.gridZ,
         how.blockX,
         how.blockY,
         how.blockZ,
         how.sharedBytes,
         launch->pointers.data(),
         nullptr,
         nullptr,
         theContext()};
  return success;
}
EXPORT Code cuGraphKernelNodeGetAttribute(GraphNode node, int attribute, decltype(LaunchAttribute::value) *to) {
  if (attribute != clusterDimension)
    return invalidValue;
  to->cluster = {reinterpret_cast<EmulatedLaunch *>(node)->clusterBlocks, 1, 1};
  return success;
}
EXPORT Code cuGraphDestroy(Graph graph) {
  delete reinterpret_cast<EmulatedGraph *>(graph);
  return success;
}
