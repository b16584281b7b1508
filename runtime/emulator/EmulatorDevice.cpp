#include "runtime/emulator/EmulatorDevice.h"

#include "runtime/Text.h"
#include "runtime/emulator/Device.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <vector>

using namespace tilewright::runtime;

namespace {

struct Architecture {
  const char *name;
  unsigned capability;
  int64_t sharedKilobytes; ///< that a block may have
};

constexpr Architecture architectures[] = {{"sm_80", 80, 163},   {"sm_86", 86, 99},     {"sm_87", 87, 163},
                                          {"sm_89", 89, 99},    {"sm_90", 90, 227},    {"sm_90a", 90, 227},
                                          {"sm_100", 100, 227}, {"sm_100a", 100, 227}, {"sm_103a", 103, 227},
                                          {"sm_120", 120, 99},  {"sm_120a", 120, 99}};

/// Few: blocks for each of them are launched whatever the host has, and run one after another.
constexpr int multiprocessors = 4;

/// The emulator's device, which one thread at a time may use.
struct Machine {
  explicit Machine(emulator::DeviceLimits limits) : device(limits) {}

  std::mutex mutex;
  emulator::Device device;
};

struct EmulatorFunction : GpuFunction {
  EmulatorFunction(std::shared_ptr<emulator::Module> module, std::string name)
      : module(std::move(module)), name(std::move(name)) {}

  std::shared_ptr<emulator::Module> module;
  std::string name;
};

class EmulatorModule : public GpuModule {
public:
  EmulatorModule(std::shared_ptr<Machine> machine, std::shared_ptr<emulator::Module> module)
      : machine(std::move(machine)), module(std::move(module)) {}
  ~EmulatorModule() override {
    std::lock_guard lock(machine->mutex);
    (void)machine->device.unload(*module); // nobody is left to be told
  }

  Result<std::unique_ptr<GpuFunction>> function(const std::string &name, uint32_t) override {
    std::vector<std::string> names = module->kernels();
    if (std::find(names.begin(), names.end(), name) == names.end())
      return Status(TW_DAMAGED_ARTIFACT,
                    concat("the code of kernel ", module->program().name, " has no entry ", name, suggestion(name, names)));
    return std::unique_ptr<GpuFunction>(new EmulatorFunction(module, name));
  }

private:
  std::shared_ptr<Machine> machine;
  std::shared_ptr<emulator::Module> module;
};

/// Copies move bits, so what has no type of its own is a number of its size.
emulator::Type tensorTypeOf(tw_dtype dtype) {
  switch (dtype) {
  case TW_F64:
    return emulator::Type::F64;
  case TW_F32:
    return emulator::Type::F32;
  case TW_F16:
    return emulator::Type::F16;
  case TW_BF16:
    return emulator::Type::BF16;
  case TW_I64:
    return emulator::Type::S64;
  case TW_I32:
    return emulator::Type::S32;
  case TW_I16:
    return emulator::Type::U16;
  default:
    return emulator::Type::U8;
  }
}

emulator::Swizzle swizzleOf(unsigned bytes) {
  return bytes == 128  ? emulator::Swizzle::Bytes128
         : bytes == 64 ? emulator::Swizzle::Bytes64
         : bytes == 32 ? emulator::Swizzle::Bytes32
                       : emulator::Swizzle::None;
}

/// The parameters as an entry has them in memory.
Result<std::vector<std::byte>> layOut(const emulator::Function &entry, std::span<const GpuParameter> parameters) {
  auto refuse = [&](const std::string &what) { return Status(TW_INVALID_ARGUMENT, concat("kernel ", entry.name, what)); };
  if (entry.parameters.size() != parameters.size())
    return refuse(concat(" takes ", entry.parameters.size(), " parameters, and is given ", parameters.size()));
  std::vector<std::byte> bytes(entry.parameterBytes);
  for (size_t index = 0; index < parameters.size(); ++index) {
    const emulator::Parameter &declared = entry.parameters[index];
    if (parameters[index].size() < declared.bytes)
      return refuse(concat(": parameter ", index, " has ", declared.bytes, " bytes, and is given ", parameters[index].size()));
    memcpy(bytes.data() + declared.offset, parameters[index].data(), declared.bytes);
  }
  return bytes;
}

Status fault(const emulator::LaunchReport &report) {
  std::string text = report.text();
  return Status(TW_DEVICE_FAULT, text.substr(0, text.find('\n')), text);
}

class EmulatorDevice : public GpuDevice {
public:
  EmulatorDevice(const Architecture &architecture, const std::string &target, emulator::LaunchOptions options)
      : machine(std::make_shared<Machine>(
            emulator::DeviceLimits{static_cast<uint32_t>(architecture.sharedKilobytes) * 1024, 1024, architecture.capability})),
        options(std::move(options)) {
    known.target = target;
    known.name = concat("PTX emulator, ", this->options.threads, this->options.threads == 1 ? " thread" : " threads");
    known.architecture = architecture.name;
    known.multiprocessors = multiprocessors;
    known.threadsPerMultiprocessor = 1024;
    known.sharedBytesPerBlock = architecture.sharedKilobytes * 1024;
  }

  const GpuProperties &properties() const override { return known; }

  Result<GpuAddress> allocate(int64_t bytes) override {
    std::lock_guard lock(machine->mutex);
    return machine->device.allocate(static_cast<uint64_t>(bytes));
  }
  Status free(GpuAddress address) override {
    std::lock_guard lock(machine->mutex);
    return machine->device.free(address);
  }
  Status copyToDevice(GpuAddress to, const void *from, int64_t bytes, void *) override {
    std::lock_guard lock(machine->mutex);
    return bytes ? machine->device.copyToDevice(to, from, static_cast<uint64_t>(bytes)) : Status();
  }
  Status copyToHost(void *to, GpuAddress from, int64_t bytes, void *) override {
    std::lock_guard lock(machine->mutex);
    return bytes ? machine->device.copyToHost(to, from, static_cast<uint64_t>(bytes)) : Status();
  }
  Status fill(GpuAddress to, uint8_t value, int64_t bytes, void *) override {
    std::lock_guard lock(machine->mutex);
    return bytes ? machine->device.fill(to, value, static_cast<uint64_t>(bytes)) : Status();
  }

  Result<std::shared_ptr<GpuModule>> load(const std::string &name, std::string_view ptx, const GpuLoading &) override {
    std::lock_guard lock(machine->mutex);
    Result<std::shared_ptr<emulator::Module>> module = machine->device.load(name, std::string(ptx));
    if (!module.ok())
      return module.takeStatus();
    return std::shared_ptr<GpuModule>(new EmulatorModule(machine, std::move(*module)));
  }

  Status encodeTensorMap(const GpuTensor &tensor, GpuTensorMap &map) override {
    emulator::TensorMapRequest request;
    request.type = tensor.roundsToTF32 ? emulator::Type::TF32 : tensorTypeOf(tensor.dtype);
    request.rank = tensor.rank;
    request.address = tensor.address;
    request.extents = tensor.extents;
    request.strides = tensor.strides;
    request.box = tensor.box;
    request.swizzle = swizzleOf(tensor.swizzleBytes);
    Result<emulator::TensorMap> encoded = emulator::encodeTensorMap(request);
    if (encoded.ok())
      map.bytes = encoded->bytes;
    return encoded.takeStatus();
  }
  Status moveTensorMap(const GpuTensor &tensor, GpuTensorMap &map) override {
    emulator::TensorMap moved = {map.bytes};
    Status status = emulator::replaceTensorMapAddress(moved, tensor.address);
    if (status.ok())
      map.bytes = moved.bytes;
    return status;
  }

  Status launch(const GpuFunction &function, const GpuLaunchShape &shape, std::span<const GpuParameter> parameters,
                void *) override {
    const auto &which = static_cast<const EmulatorFunction &>(function);
    emulator::LaunchShape blocks = {
        {shape.grid.x, shape.grid.y, shape.grid.z}, {shape.threads}, shape.sharedBytes, {shape.clusterBlocks}};
    Result<std::vector<std::byte>> bytes = layOut(*which.module->program().entry(which.name), parameters);
    if (!bytes.ok())
      return bytes.takeStatus();
    std::lock_guard lock(machine->mutex);
    Result<emulator::LaunchReport> report = machine->device.launch(*which.module, which.name, blocks, *bytes, options);
    if (!report.ok())
      return report.takeStatus();
    return report->ok() ? Status() : fault(*report);
  }

  Status synchronize(void *) override { return {}; }

  Result<int64_t> timeNanoseconds(void *, const std::function<Status()> &work) override {
    auto begin = std::chrono::steady_clock::now();
    if (Status status = work(); !status.ok())
      return status;
    return int64_t((std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1));
  }

private:
  std::shared_ptr<Machine> machine;
  GpuProperties known;
  emulator::LaunchOptions options;
};

Status readSeed(std::optional<uint64_t> &seed) {
  const char *variable = std::getenv("TILEWRIGHT_EMULATOR_SEED");
  std::string_view text = variable ? variable : "";
  if (text.empty())
    return {};
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return Status(TW_INVALID_ARGUMENT, concat("$TILEWRIGHT_EMULATOR_SEED is `", text, "`, expected a number"));
  seed = value;
  return {};
}

} // namespace

Result<std::shared_ptr<GpuDevice>> tilewright::runtime::openEmulator(const std::string &wanted, int threads) {
  std::string name = wanted.empty() ? "sm_90a" : wanted;
  std::vector<std::string> names;
  for (const Architecture &architecture : architectures)
    names.emplace_back(architecture.name);
  auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    return Status(TW_INVALID_ARGUMENT, concat("the emulator has no architecture ", name, suggestion(name, names)));
  emulator::LaunchOptions options;
  options.threads = threads;
  if (Status status = readSeed(options.seed); !status.ok())
    return status;
  std::string target = wanted.empty() ? "emulator" : concat("emulator:", wanted);
  return std::shared_ptr<GpuDevice>(new EmulatorDevice(architectures[found - names.begin()], target, std::move(options)));
}
