// Reads IR, runs passes, writes IR: the tool of the tests in tests/{tile,transforms,codegen}. `tile-opt --emit-ptx=sm_90a FILE`
// writes PTX.
#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/TileGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#ifdef TILEWRIGHT_HAS_PASSES
#include "compiler/tools/tile-opt/PrintPTX.h"
#include "compiler/transforms/Passes.h"
#endif

#include <string_view>

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tilewright::tile::TileDialect, tilewright::tilegpu::TileGPUDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::index::IndexDialect, mlir::LLVM::LLVMDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::ub::UBDialect, mlir::vector::VectorDialect>();
  mlir::registerTransformsPasses();
#ifdef TILEWRIGHT_HAS_PASSES
  tilewright::registerTilewrightPasses();
  tilewright::registerGpuToLLVM();
  if (argc == 3 && std::string_view(argv[1]).starts_with("--emit-ptx="))
    return tilewright::printPTX(argv[2], std::string_view(argv[1]).substr(11), registry);
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tilewright's optimizer driver\n", registry));
}
