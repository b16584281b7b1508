#include "runtime/emulator/Device.h"

#include "runtime/Text.h"
#include "runtime/cpu/ThreadPool.h"
#include "runtime/emulator/Cluster.h"
#include "runtime/emulator/Parser.h"

#include <algorithm>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

template <typename Three> std::string text(const Three &index) {
  return concat('(', index.x, ", ", index.y, ", ", index.z, ')');
}

template <typename Three> uint64_t product(const Three &index) {
  return uint64_t(index.x) * index.y * index.z;
}

/// Runs all clusters; those whose faults are kept are the first in the order of the grid among the ones that ran.
LaunchReport runClusters(Launch &launch) {
  uint64_t clusters = product(launch.shape.grid) / product(launch.shape.cluster);
  std::mutex mutex;
  std::map<uint64_t, Fault> faults;
  auto runOne = [&](uint64_t number) {
    if (launch.stop.load(std::memory_order_relaxed))
      return;
    Cluster cluster(launch, number);
    cluster.run();
    if (!cluster.fault())
      return;
    std::lock_guard lock(mutex);
    faults.emplace(number, *cluster.fault());
  };
  if (launch.options.threads > 1) {
    ThreadPool pool(launch.options.threads);
    pool.forEach(static_cast<int64_t>(clusters), 1, [&](int64_t first, int64_t last, int) {
      for (int64_t number = first; number < last; ++number)
        runOne(static_cast<uint64_t>(number));
    });
  } else {
    for (uint64_t number = 0; number < clusters; ++number)
      runOne(number);
  }
  LaunchReport report;
  for (auto &[number, fault] : faults)
    report.faults.push_back(std::move(fault));
  report.warpInstructions = launch.steps.load();
  report.laneInstructions = launch.laneSteps.load();
  return report;
}

} // namespace

std::string LaunchReport::text() const {
  std::string result;
  for (const Fault &fault : faults)
    result += fault.text() + '\n';
  return result;
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> names;
  for (const Function &function : content->functions)
    if (function.isEntry && function.isDefined)
      names.push_back(function.name);
  return names;
}

Status Device::copyToDevice(uint64_t to, const void *from, uint64_t bytes) {
  Result<std::byte *> host = memory.host(to, bytes);
  if (!host.ok())
    return host.takeStatus();
  memcpy(*host, from, bytes);
  return {};
}

Status Device::copyToHost(void *to, uint64_t from, uint64_t bytes) {
  Result<std::byte *> host = memory.host(from, bytes);
  if (!host.ok())
    return host.takeStatus();
  memcpy(to, *host, bytes);
  return {};
}

Status Device::fill(uint64_t to, uint8_t value, uint64_t bytes) {
  Result<std::byte *> host = memory.host(to, bytes);
  if (!host.ok())
    return host.takeStatus();
  memset(*host, value, bytes);
  return {};
}

Result<std::shared_ptr<Module>> Device::load(std::string name, std::string text) {
  Result<Program> parsed = parse(std::move(name), std::move(text));
  if (!parsed.ok())
    return parsed.takeStatus();
  if (parsed->capability > limits.capability)
    return Status(TW_UNSUPPORTED,
                  concat(parsed->name, " is for ", parsed->target, ", the device is an sm_", limits.capability));
  auto module = std::make_shared<Module>();
  module->content = std::make_shared<Program>(std::move(*parsed));
  Program &program = *module->content;
  for (Variable &variable : program.variables) {
    if (variable.space == Space::Shared)
      continue;
    Result<uint64_t> address =
        memory.allocate(variable.bytes, concat("variable ", variable.name), variable.space == Space::Const);
    if (!address.ok())
      return address.takeStatus();
    module->variables.push_back(*address);
    variable.address = *address;
    std::byte *host = *memory.host(*address, variable.bytes);
    if (variable.initial.empty())
      memset(host, 0, variable.bytes);
    else
      memcpy(host, variable.initial.data(), variable.bytes);
  }
  for (const Relocation &relocation : program.relocations) {
    uint64_t value = program.variables[relocation.variable].address + static_cast<uint64_t>(relocation.addend);
    if (relocation.where == Relocation::Target::Constant) {
      for (unsigned lane = 0; lane < warpSize; ++lane)
        memcpy(program.constants.data() + relocation.offset + static_cast<size_t>(lane) * relocation.bytes, &value,
               relocation.bytes);
    } else {
      const Variable &holder = program.variables[relocation.holder];
      memcpy(*memory.host(holder.address + relocation.offset, relocation.bytes), &value, relocation.bytes);
    }
  }
  return module;
}

Status Device::unload(Module &module) {
  for (uint64_t address : module.variables)
    if (Status status = memory.remove(address); !status.ok())
      return status;
  module.variables.clear();
  return {};
}

Result<std::pair<uint64_t, uint64_t>> Device::variable(const Module &module, std::string_view name) const {
  for (const Variable &variable : module.program().variables)
    if (variable.name == name && variable.space != Space::Shared)
      return std::pair(variable.address, variable.bytes);
  return Status(TW_NOT_FOUND, concat("module ", module.program().name, " has no variable ", name));
}

Status Device::checkCluster(const Function &kernel, const LaunchShape &shape) const {
  auto refuse = [&](std::string what) { return Status(TW_INVALID_ARGUMENT, concat("kernel ", kernel.name, ": ", what)); };
  const Extent3 &cluster = shape.cluster;
  if (kernel.requiredCluster.x && text(cluster) != text(kernel.requiredCluster))
    return refuse(concat("clusters of ", text(cluster), " blocks; its .reqnctapercluster is ", text(kernel.requiredCluster)));
  if (product(cluster) == 0 || product(cluster) > limits.blocksPerCluster)
    return refuse(concat("clusters of ", text(cluster), " blocks; the device allows 1 to ", limits.blocksPerCluster));
  if (kernel.mostClusterBlocks && product(cluster) > kernel.mostClusterBlocks)
    return refuse(concat("clusters of ", product(cluster), " blocks; its .maxclusterrank is ", kernel.mostClusterBlocks));
  if (shape.grid.x % cluster.x || shape.grid.y % cluster.y || shape.grid.z % cluster.z)
    return refuse(concat("a grid of ", text(shape.grid), " blocks is not a whole number of clusters of ", text(cluster)));
  return {};
}

Status Device::checkLaunch(const Function &kernel, const LaunchShape &shape, std::span<const std::byte> parameters) const {
  uint64_t threads = product(shape.block);
  auto refuse = [&](std::string what) { return Status(TW_INVALID_ARGUMENT, concat("kernel ", kernel.name, ": ", what)); };
  if (product(shape.grid) == 0 || threads == 0)
    return refuse(concat("a grid of ", text(shape.grid), " blocks of ", text(shape.block), " threads has no thread"));
  if (threads > limits.threadsPerBlock)
    return refuse(concat(threads, " threads in a block; the device allows ", limits.threadsPerBlock));
  if (kernel.maxThreads.x && threads > product(kernel.maxThreads))
    return refuse(concat(threads, " threads in a block; its .maxntid is ", text(kernel.maxThreads)));
  if (kernel.requiredThreads.x && text(shape.block) != text(kernel.requiredThreads))
    return refuse(concat("blocks of ", text(shape.block), " threads; its .reqntid is ", text(kernel.requiredThreads)));
  if (Status status = checkCluster(kernel, shape); !status.ok())
    return status;
  uint64_t shared = kernel.dynamicOffset - sharedBase + uint64_t(shape.dynamicSharedBytes);
  if (shared > limits.sharedBytesPerBlock)
    return refuse(concat(shared, " bytes of shared memory; the device allows ", limits.sharedBytesPerBlock));
  if (parameters.size() < kernel.parameterBytes)
    return refuse(concat(parameters.size(), " bytes of parameters, it takes ", kernel.parameterBytes));
  return {};
}

Result<LaunchReport> Device::launch(const Module &module, std::string_view name, const LaunchShape &shape,
                                    std::span<const std::byte> parameters, const LaunchOptions &options) {
  const Function *kernel = module.program().entry(name);
  if (!kernel)
    return Status(TW_NOT_FOUND,
                  concat("module ", module.program().name, " has no kernel ", name, suggestion(name, module.kernels())));
  LaunchShape whole = shape;
  if (whole.cluster.x == 0 && kernel->requiredCluster.x)
    whole.cluster = {kernel->requiredCluster.x, kernel->requiredCluster.y, kernel->requiredCluster.z};
  else if (whole.cluster.x == 0)
    whole.cluster = {};
  if (Status status = checkLaunch(*kernel, whole, parameters); !status.ok())
    return status;
  Launch launch(module.program(), *kernel, memory, whole, options, parameters, launches++);
  return runClusters(launch);
}
