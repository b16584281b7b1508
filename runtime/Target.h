// What a context was created for, and what one call of prepare compiles for.
//
//   "cpu", "cpu:<LLVM processor name>"     the host's processor
//   "cuda", "cuda:1"                       a GPU, by the CUDA driver
//   "emulator", "emulator:sm_80"           the emulator, as a device of an architecture
#pragma once

#include "runtime/Specialization.h"
#include "runtime/gpu/GpuDevice.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// The device that a target names; null for the CPU. threads: what an emulator may use.
Result<std::shared_ptr<GpuDevice>> openDevice(const std::string &target, int threads);

/// Sets what the compiler is asked for: the context's target if the request names none. device: the context's.
Status chooseTarget(SpecializationRequest &request, const std::string &contextTarget, const GpuDevice *device);

/// Where it is known whose memory a view is, it must be that of what the kernel runs on. device: null for the CPU.
Status checkMemory(const Signature &signature, const Arguments &arguments, const GpuDevice *device);

/// Every device of this machine, the emulator included; what keeps CUDA's from being there.
std::vector<GpuProperties> devices(std::string &cudaTrouble);

} // namespace tilewright::runtime
