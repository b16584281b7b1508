#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::gpu {

int64_t scratchBytes(Operation *op, int64_t warps) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](tilegpu::ConvertLayoutOp op) { return convertLayoutScratchBytes(op); })
      .Case<tile::AccumulateOp, tile::AtomicRMWOp>([](auto op) { return sumScratchBytes(op); })
      .Case<tile::PrintOp, tile::AssertOp>([](auto op) { return reportScratchBytes(op); })
      .Default([](Operation *) { return 0; });
}

} // namespace tilewright::gpu
