#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"
using namespace mlir;
namespace tilewright::gpu {
Value combine(Emitter &, tile::Reduction, Value lhs, Value) { return lhs; }
Value identity(Emitter &, tile::Reduction, Type) { return {}; }
void emitReduce(Emitter &, tile::ReduceOp) {}
void emitArgReduce(Emitter &, tile::ArgReduceOp) {}
void emitFold(Emitter &, tile::FoldOp) {}
void emitScan(Emitter &, tile::ScanOp) {}
}
