#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"
using namespace mlir;
namespace tilewright::gpu {
void emitDot(Emitter &, tilegpu::DotOp) {}
}
