// The emulator as a device to launch on. Launches are done when they return; streams mean nothing. What the emulator finds
// wrong is a status: its message is the report's first line, its diagnostics the whole report.
#pragma once

#include "runtime/gpu/GpuDevice.h"

namespace tilewright::runtime {

/// architecture: "sm_80" … ; "": sm_90a. threads: blocks that run at once. The order in which warps run is random if
/// $TILEWRIGHT_EMULATOR_SEED is a number.
Result<std::shared_ptr<GpuDevice>> openEmulator(const std::string &architecture, int threads);

} // namespace tilewright::runtime
