// A CUDA driver over host memory, for the tests of runtime/cuda: it counts what it is asked, and runs the kernels of Kernels.cu
// that it knows by name on the CPU. fake_cuda_* steer it. A tensor map begins with its address.
#include "runtime/cuda/DriverTypes.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

using namespace tilewright::runtime::cuda;

namespace {

struct State {
  std::mutex mutex;
  bool isRecording = true;
  std::string calls;                // one a line
  std::map<std::string, int> codes; // what a function answers instead of working
  std::string infoLog;
  int devices = 2;
  int capability = 90;
  int openModules = 0, openMemory = 0, retained = 0;
};
State state;
thread_local std::vector<Context> stack;

void record(const std::string &call) {
  if (!state.isRecording)
    return;
  std::lock_guard lock(state.mutex);
  state.calls += call + '\n';
}

/// Notes the call; a code that was asked for instead of success.
int enter(const char *name, const std::string &detail = {}) {
  if (!state.isRecording)
    return 0;
  record(detail.empty() ? std::string(name) : name + (' ' + detail));
  std::lock_guard lock(state.mutex);
  auto code = state.codes.find(name);
  return code == state.codes.end() ? 0 : code->second;
}

Context contextOf(Device device) {
  static char contexts[16];
  return reinterpret_cast<Context>(contexts + device);
}

struct FakeModule {
  std::string image;
};
struct FakeFunction {
  std::string name;
  int sharedBytes = 0;
};

/// "(8, 5)"
template <typename Number> std::string list(const Number *numbers, unsigned count) {
  std::string text = "(";
  for (unsigned k = 0; k < count; ++k)
    text += (k ? ", " : "") + std::to_string(numbers[k]);
  return text + ')';
}

/// How many of an entry of TensorMaps.cu's parameters are tensor maps.
unsigned mapsOf(const std::string &entry) {
  return entry == "boxes_tiles" || entry == "boxes3_tiles" ? 1 : entry == "copy_tiles" ? 2 : 0;
}

enum { T = 2, SUMS = 3, CHUNKS = 4, HEAD = 6 };

void add(const long long *slot, const LaunchConfiguration &) {
  const float *a = reinterpret_cast<const float *>(slot[HEAD]), *b = reinterpret_cast<const float *>(slot[HEAD + 3]);
  float *c = reinterpret_cast<float *>(slot[HEAD + 6]);
  for (long long n = 0; n < slot[HEAD + 9]; ++n)
    c[n * slot[HEAD + 8]] = a[n * slot[HEAD + 2]] + b[n * slot[HEAD + 5]];
}

/// One element behind the end: not so far that this process would die of it.
void overrun(const long long *slot) {
  reinterpret_cast<float *>(slot[HEAD + 6])[slot[HEAD + 9]] = 1;
}

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

// ---- For the tests ----------------------------------------------------------------------------------------------------------

EXPORT const char *fake_cuda_take_calls(void) {
  static std::string taken;
  std::lock_guard lock(state.mutex);
  taken = std::move(state.calls);
  state.calls.clear();
  return taken.c_str();
}
EXPORT void fake_cuda_fail(const char *function, int code) {
  std::lock_guard lock(state.mutex);
  if (code)
    state.codes[function] = code;
  else
    state.codes.erase(function);
}
EXPORT void fake_cuda_say(const char *log) {
  state.infoLog = log;
}
EXPORT void fake_cuda_record(int wanted) {
  state.isRecording = wanted;
}
EXPORT void fake_cuda_make_current(int device) { // of this thread; negative: none
  stack.clear();
  if (device >= 0)
    stack.push_back(contextOf(device));
}
EXPORT int fake_cuda_open(void) {
  return state.openModules * 10'000 + state.openMemory * 100 + state.retained;
}

// ---- The driver -------------------------------------------------------------------------------------------------------------

EXPORT Code cuInit(unsigned) {
  return enter("cuInit");
}
EXPORT Code cuGetErrorName(Code code, const char **name) {
  *name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : nullptr;
  return *name ? 0 : 1;
}
EXPORT Code cuGetErrorString(Code code, const char **text) {
  *text = code == 2 ? "out of memory" : code == 700 ? "an illegal memory access was encountered" : nullptr;
  return *text ? 0 : 1;
}
EXPORT Code cuDeviceGetCount(int *count) {
  *count = state.devices;
  return 0;
}
EXPORT Code cuDeviceGet(Device *device, int ordinal) {
  *device = ordinal;
  return 0;
}
EXPORT Code cuDeviceGetName(char *name, int bytes, Device device) {
  std::strncpy(name, device ? "Fake H200, the second" : "Fake H200", static_cast<size_t>(bytes));
  return 0;
}
EXPORT Code cuDeviceGetAttribute(int *value, int attribute, Device) {
  *value = attribute == multiprocessorCount            ? 132
           : attribute == maxThreadsPerMultiprocessor  ? 2048
           : attribute == capabilityMajor              ? state.capability / 10
           : attribute == capabilityMinor              ? state.capability % 10
           : attribute == maxSharedMemoryPerBlockOptin ? 232'448
                                                       : -1;
  return 0;
}
EXPORT Code cuDeviceTotalMem_v2(size_t *bytes, Device) {
  *bytes = size_t(1) << 37;
  return 0;
}
EXPORT Code cuDevicePrimaryCtxRetain(Context *context, Device device) {
  ++state.retained;
  *context = contextOf(device);
  return enter("cuDevicePrimaryCtxRetain", std::to_string(device));
}
EXPORT Code cuDevicePrimaryCtxRelease_v2(Device device) {
  --state.retained;
  return enter("cuDevicePrimaryCtxRelease", std::to_string(device));
}
EXPORT Code cuCtxGetCurrent(Context *context) {
  *context = stack.empty() ? nullptr : stack.back();
  return 0;
}
EXPORT Code cuCtxGetDevice(Device *device) {
  for (Device candidate = 0; candidate < state.devices; ++candidate)
    if (!stack.empty() && stack.back() == contextOf(candidate)) {
      *device = candidate;
      return 0;
    }
  return 201;
}
EXPORT Code cuCtxPushCurrent_v2(Context context) {
  stack.push_back(context);
  return enter("cuCtxPushCurrent");
}
EXPORT Code cuCtxPopCurrent_v2(Context *context) {
  *context = stack.back();
  stack.pop_back();
  return 0;
}
EXPORT Code cuMemAlloc_v2(Address *address, size_t bytes) {
  if (int code = enter("cuMemAlloc", std::to_string(bytes)))
    return code;
  ++state.openMemory;
  *address = reinterpret_cast<Address>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return 0;
}
EXPORT Code cuMemFree_v2(Address address) {
  --state.openMemory;
  std::free(reinterpret_cast<void *>(address));
  return enter("cuMemFree");
}
EXPORT Code cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, Stream) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return enter("cuMemcpyHtoDAsync");
}
EXPORT Code cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, Stream) {
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return enter("cuMemcpyDtoHAsync");
}
EXPORT Code cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream) {
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return enter("cuMemsetD8Async");
}
EXPORT Code cuModuleLoadDataEx(Module *module, const void *image, unsigned count, int *options, void **values) {
  std::string text = static_cast<const char *>(image);
  if (int code = enter("cuModuleLoadDataEx", text.substr(0, text.find('\n')))) {
    for (unsigned index = 0; index < count; ++index)
      if (options[index] == errorLog)
        std::strcpy(static_cast<char *>(values[index]), "ptxas application ptx input, line 3; fatal : no");
    return code;
  }
  for (unsigned index = 0; index < count; ++index)
    if (options[index] == infoLog)
      std::strcpy(static_cast<char *>(values[index]), state.infoLog.c_str());
  ++state.openModules;
  *module = reinterpret_cast<Module>(new FakeModule{text});
  return 0;
}
EXPORT Code cuModuleUnload(Module module) {
  --state.openModules;
  delete reinterpret_cast<FakeModule *>(module);
  return enter("cuModuleUnload");
}
EXPORT Code cuModuleGetFunction(Function *function, Module, const char *name) {
  if (int code = enter("cuModuleGetFunction", name))
    return code;
  static std::map<std::string, FakeFunction> functions; // the module owns them; here nobody does
  std::lock_guard lock(state.mutex);
  FakeFunction &known = functions[name];
  known.name = name;
  *function = reinterpret_cast<Function>(&known);
  return 0;
}
EXPORT Code cuFuncSetAttribute(Function function, int attribute, int value) {
  if (attribute == maxDynamicSharedBytes)
    reinterpret_cast<FakeFunction *>(function)->sharedBytes = value;
  return enter("cuFuncSetAttribute", std::to_string(value));
}
EXPORT Code cuLaunchKernelEx(const LaunchConfiguration *how, Function function, void **parameters, void **extra) {
  const FakeFunction &which = *reinterpret_cast<FakeFunction *>(function);
  if (extra || stack.empty())
    return 1;
  std::string maps;
  if (state.isRecording)
    for (unsigned map = 0; map < mapsOf(which.name); ++map)
      maps += (map ? ", " : ", maps at ") + std::to_string(*static_cast<const uintptr_t *>(parameters[1 + map]));
  if (state.isRecording)
    if (int code =
            enter("cuLaunchKernelEx",
                  which.name + " (" + std::to_string(how->gridX) + ", " + std::to_string(how->gridY) + ", " +
                      std::to_string(how->gridZ) + ") x " + std::to_string(how->blockX) +
                      (how->sharedBytes ? ", " + std::to_string(how->sharedBytes) + " bytes" : "") +
                      (how->attributeCount ? ", cluster " + std::to_string(how->attributes[0].value.cluster.x) : "") + maps +
                      (how->stream ? ", stream " + std::to_string(reinterpret_cast<uintptr_t>(how->stream)) : "")))
      return code;
  if (which.name == "add_tiles" && state.isRecording)
    add(static_cast<const long long *>(parameters[0]), *how);
  if (which.name == "overrun_tiles")
    overrun(static_cast<const long long *>(parameters[0]));
  return 0;
}
#ifndef FAKE_WITHOUT_TENSOR_MAPS
EXPORT Code cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *extents,
                                   const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides, int interleave,
                                   int swizzle, int promotion, int fill) {
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0 || reinterpret_cast<uintptr_t>(address) % 16 != 0)
    return 1;
  std::memset(map, 0, 128);
  std::memcpy(map, &address, sizeof(address));
  if (!state.isRecording)
    return 0;
  return enter("cuTensorMapEncodeTiled",
               "type " + std::to_string(type) + " at " + std::to_string(reinterpret_cast<uintptr_t>(address)) + ' ' +
                   list(extents, rank) + " strides " + list(strides, rank - 1) + " box " + list(box, rank) + " each " +
                   list(elementStrides, rank) + " interleave " + std::to_string(interleave) + " swizzle " +
                   std::to_string(swizzle) + " promotion " + std::to_string(promotion) + " fill " + std::to_string(fill));
}
#endif
#ifndef FAKE_WITHOUT_REPLACEMENT
EXPORT Code cuTensorMapReplaceAddress(void *map, void *address) {
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0 || reinterpret_cast<uintptr_t>(address) % 16 != 0)
    return 1;
  std::memcpy(map, &address, sizeof(address));
  return state.isRecording ? enter("cuTensorMapReplaceAddress", std::to_string(reinterpret_cast<uintptr_t>(address))) : 0;
}
#endif
EXPORT Code cuStreamSynchronize(Stream) {
  return enter("cuStreamSynchronize");
}
EXPORT Code cuEventCreate(Event *event, unsigned) {
  *event = reinterpret_cast<Event>(new char);
  return 0;
}
EXPORT Code cuEventDestroy_v2(Event event) {
  delete reinterpret_cast<char *>(event);
  return 0;
}
EXPORT Code cuEventRecord(Event, Stream) {
  return enter("cuEventRecord");
}
EXPORT Code cuEventSynchronize(Event) {
  return enter("cuEventSynchronize");
}
EXPORT Code cuEventElapsedTime(float *milliseconds, Event, Event) {
  *milliseconds = 1.5f;
  return 0;
}
