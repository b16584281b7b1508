// The code of an artifact for a GPU, loaded.
#pragma once

#include "runtime/Artifact.h"
#include "runtime/gpu/GpuDevice.h"

#include <memory>

namespace tilewright::runtime {

struct GpuKernel {
  std::shared_ptr<GpuDevice> device;
  std::shared_ptr<GpuModule> module;
  std::unique_ptr<GpuFunction> tiles;
  std::unique_ptr<GpuFunction> begin, finish; ///< null: there is nothing to do

  static Result<std::unique_ptr<GpuKernel>> load(const Artifact &artifact, std::shared_ptr<GpuDevice> device,
                                                 const GpuLoading &loading);
};

/// Whether a device of the one architecture executes code for the other: "sm_90a" only its own and what every sm_90 and older
/// one executes.
bool executes(std::string_view device, std::string_view code);

} // namespace tilewright::runtime
