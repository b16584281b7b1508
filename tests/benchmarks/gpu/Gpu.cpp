#include "tests/benchmarks/gpu/Gpu.h"

#include <chrono>
#include <cstdlib>

namespace benchmarks {

namespace {

std::vector<std::string> driverPaths() {
  const char *named = std::getenv("TILEWRIGHT_CUDA_DRIVER");
  return {named && *named ? named : "libcuda.so.1"};
}

double milliseconds(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

Driver::Driver() : library(driverPaths(), "there is no NVIDIA GPU here: the CUDA driver cannot be loaded") {
#define SYMBOL(name, symbol, parameters) library.resolve(symbol, name);
#include "tests/benchmarks/gpu/DriverSymbols.def"
#undef SYMBOL
}

void Driver::check(Code code, const char *what) const {
  if (code == success)
    return;
  const char *name = nullptr;
  errorName(code, &name);
  throw Failure(std::string(what) + ": " + (name ? name : "error " + std::to_string(code)));
}

Gpu::Gpu(size_t flushBytes) : flushBytes(flushBytes) {
  initializeMilliseconds = milliseconds([&] { driver.check(driver.init(0), "cuInit"); });
  contextMilliseconds = milliseconds([&] {
    Device device = 0;
    Context context = nullptr;
    driver.check(driver.deviceGet(&device, 0), "cuDeviceGet");
    driver.check(driver.primaryContextRetain(&context, device), "cuDevicePrimaryCtxRetain");
    driver.check(driver.setCurrentContext(context), "cuCtxSetCurrent");
  });
  constexpr unsigned nonBlocking = 1; // the stream does not wait for the default one
  driver.check(driver.streamCreate(&stream, nonBlocking), "cuStreamCreate");
  for (Event *event : {&begin, &end})
    driver.check(driver.eventCreate(event, 0), "cuEventCreate");
}

int Gpu::version() const {
  int version = 0;
  driver.check(driver.driverVersion(&version), "cuDriverGetVersion");
  return version;
}

void Gpu::flush() {
  if (flushBytes == 0)
    return;
  if (!flushed)
    driver.check(driver.allocate(&flushed, flushBytes), "cuMemAlloc");
  driver.check(driver.fill(flushed, ++pattern, flushBytes, stream), "cuMemsetD8Async");
}

double Gpu::microseconds(const std::function<void()> &work) {
  flush();
  driver.check(driver.eventRecord(begin, stream), "cuEventRecord");
  work();
  driver.check(driver.eventRecord(end, stream), "cuEventRecord");
  driver.check(driver.eventSynchronize(end), "cuEventSynchronize");
  float milliseconds = 0;
  driver.check(driver.eventElapsed(&milliseconds, begin, end), "cuEventElapsedTime");
  return 1e3 * static_cast<double>(milliseconds);
}

} // namespace benchmarks
