// The lowering, in order: the compiler's table of contents.
#pragma once

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilewright::compiler {

struct CpuTarget;
struct GpuTarget;

/// How the CPU runs a kernel's tiles.
enum class CpuSchedule {
  Fast,     ///< packed, register-blocked products; vectorized loops
  Reference ///< the same IR, one element at a time, dots in f64 and in order: the oracle that the fast path is tested against
};

/// The tile dialect, cleaned up (still no target).
void addTilePasses(mlir::OpPassManager &passes);
/// tile → linalg on memrefs, tw_cpu_* functions.
void addTileToLinalgPasses(mlir::OpPassManager &passes, const CpuTarget &target, CpuSchedule schedule);
/// linalg on memrefs → the LLVM dialect.
void addLinalgToLLVMPasses(mlir::OpPassManager &passes, const CpuTarget &target, CpuSchedule schedule);
/// tile → tile with layouts and tilegpu: what is where, who waits for whom.
/// `schedule`: what is asked for in place of the default (ScheduleRequest.h); "" asks for nothing.
void addTileToTileGPUPasses(mlir::OpPassManager &passes, const GpuTarget &target, const std::string &schedule, int64_t split = 1);
/// tilegpu → the code of one thread: entry points of a GPU module.
void addTileGPUToThreadPasses(mlir::OpPassManager &passes);
/// The code of a GPU's threads → the LLVM dialect.
void addGpuToLLVMPasses(mlir::OpPassManager &passes, const GpuTarget &target);

} // namespace tilewright::compiler
