// The shared memory that operations need while they run: what allocate-shared-memory asks, and each file says of its own.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::gpu {

int64_t scratchBytes(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](tilegpu::ConvertLayoutOp op) { return convertLayoutScratchBytes(op); })
      .Case<tile::ReduceOp, tile::ArgReduceOp, tile::FoldOp>([](auto op) { return reductionScratchBytes(op); })
      .Case([](tile::ScanOp op) { return scanScratchBytes(op); })
      .Case<tile::PrintOp, tile::AssertOp>([](auto op) { return reportScratchBytes(op); })
      .Case<tile::StoreOp, tile::AccumulateOp, tile::AtomicRMWOp>([](auto op) { return sumScratchBytes(op); })
      .Default([](Operation *) { return 0; });
}

} // namespace tilewright::gpu
