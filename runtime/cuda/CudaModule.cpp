#include "runtime/cuda/CudaModule.h"

#include "runtime/Text.h"
#include "runtime/cuda/AssemblerLog.h"
#include "runtime/cuda/Ptxas.h"

#include <array>
#include <chrono>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

void warnOf(const std::string &kernel, std::string_view log, const GpuLoading &loading) {
  for (const std::string &warning : warningsIn(log))
    loading.warn(concat("kernel ", kernel, ": the assembler says ", warning));
}

/// "Build cuda_13.0.r13.0/compiler.36424714_0"
std::string lastLine(std::string_view text) {
  while (text.ends_with('\n'))
    text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1)); // npos + 1 is 0
}

Result<Module> loadCode(const Driver &driver, const std::string &kernel, const std::string &code) {
  Module module = nullptr;
  if (Status status = driver.check(driver.moduleLoad(&module, code.data(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
      !status.ok())
    return Status(status.code(), concat("the code of kernel ", kernel, " cannot be loaded: ", status.message()));
  return module;
}

/// What ptxas --version says. The disk keeps it for the file: starting the program would take longer than all else that a
/// launch of a kernel from the disk cache needs.
Result<std::string> versionOf(const Ptxas &ptxas, const GpuLoading &loading) {
  std::optional<std::string> identity = ptxas.identity();
  std::string key = identity ? loading.keyOf(std::to_array<std::string_view>({"ptxas version", *identity})) : std::string();
  if (std::optional<DiskCacheEntry> entry = loading.find(key))
    return std::move(entry->bytes);
  Result<std::string> version = ptxas.version();
  if (version.ok())
    loading.store(key, {"version", "ptxas", "", lastLine(*version), "", 0, *version});
  return version;
}

/// From the disk, or made by ptxas.
Result<std::string> assembled(const Ptxas &ptxas, const std::string &kernel, std::string_view ptx,
                              const std::string &architecture, const GpuLoading &loading) {
  std::string version, key;
  if (loading.keeps()) { // else nobody needs to know the version, and asking takes a process
    Result<std::string> said = versionOf(ptxas, loading);
    if (!said.ok())
      return said.takeStatus();
    version = std::move(*said);
    key = loading.keyOf(std::to_array<std::string_view>({"cubin", version, architecture, ptx}));
  }
  if (std::optional<DiskCacheEntry> entry = loading.find(key)) {
    warnOf(kernel, entry->warnings, loading);
    return std::move(entry->bytes);
  }
  auto begin = std::chrono::steady_clock::now();
  Result<Assembly> assembly = ptxas.assemble(kernel, ptx, architecture);
  if (!assembly.ok())
    return assembly.takeStatus();
  int64_t nanoseconds = (std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1);
  warnOf(kernel, assembly->log, loading);
  loading.store(key, {"cubin", kernel, architecture, lastLine(version), assembly->log, nanoseconds, assembly->code});
  return std::move(assembly->code);
}

/// By the driver's own assembler.
Result<Module> loadText(const Driver &driver, const std::string &kernel, std::string_view ptx, const GpuLoading &loading) {
  std::string text(ptx); // ends in a null byte, which the driver needs
  std::array<char, 16'384> info = {}, error = {};
  auto number = [](uintptr_t value) {
    return reinterpret_cast<void *>(value); // NOLINT(performance-no-int-to-ptr): numbers travel so
  };
  int options[] = {infoLog, infoLogBytes, errorLog, errorLogBytes, logVerbose, generateLineInfo};
  void *values[] = {info.data(), number(info.size()), error.data(), number(error.size()), number(1), number(1)};
  Module module = nullptr;
  Code code = driver.moduleLoad(&module, text.c_str(), std::size(options), options, values);
  info.back() = error.back() = 0;
  if (Status status = driver.check(code, "cuModuleLoadDataEx"); !status.ok())
    return Status(status.code() == TW_OUT_OF_MEMORY ? TW_OUT_OF_MEMORY : TW_COMPILATION_FAILED,
                  concat("the CUDA driver cannot assemble kernel ", kernel, ": ", status.message(),
                         code == unsupportedPtxVersion ? ": install a newer driver, or a ptxas (TILEWRIGHT_PTXAS)" : ""),
                  error.data());
  warnOf(kernel, info.data(), loading);
  return module;
}

} // namespace

Result<std::shared_ptr<GpuModule>> CudaModule::load(std::shared_ptr<const CudaContext> context, const std::string &kernel,
                                                    std::string_view ptx, const std::string &architecture,
                                                    const GpuLoading &loading) {
  const Driver &driver = *context->driver;
  std::optional<Ptxas> ptxas = Ptxas::find();
  std::string code;
  if (ptxas) {
    Result<std::string> made = assembled(*ptxas, kernel, ptx, architecture, loading);
    if (!made.ok())
      return made.takeStatus();
    code = std::move(*made);
  }
  CurrentContext current(*context);
  if (!current.status.ok())
    return std::move(current.status);
  Result<Module> module = ptxas ? loadCode(driver, kernel, code) : loadText(driver, kernel, ptx, loading);
  if (!module.ok())
    return module.takeStatus();
  return std::shared_ptr<GpuModule>(new CudaModule(std::move(context), *module, kernel));
}

CudaModule::~CudaModule() {
  CurrentContext current(*context);
  if (current.status.ok())
    context->driver->moduleUnload(handle);
}

Result<std::unique_ptr<GpuFunction>> CudaModule::function(const std::string &name, uint32_t sharedBytes) {
  const Driver &driver = *context->driver;
  CurrentContext current(*context);
  if (!current.status.ok())
    return std::move(current.status);
  Function function = nullptr;
  if (Status status = driver.check(driver.moduleFunction(&function, handle, name.c_str()), "cuModuleGetFunction"); !status.ok())
    return Status(TW_DAMAGED_ARTIFACT, concat("the code of kernel ", kernel, " has no entry ", name, ": ", status.message()));
  if (sharedBytes > 0)
    if (Status status = driver.check(driver.functionAttribute(function, maxDynamicSharedBytes, static_cast<int>(sharedBytes)),
                                     "cuFuncSetAttribute");
        !status.ok())
      return Status(status.code(), concat("kernel ", kernel, " needs ", sharedBytes,
                                          " bytes of shared memory for a block: ", status.message()));
  return std::unique_ptr<GpuFunction>(new CudaFunction(function));
}
