// convert-tile-to-linalg: from a tile.kernel to the functions of a CPU object (tw_cpu_entry_points in compiler_c.h).
//
//   1. planBuffers        which tiles get memory                                          Plan
//   2. SumPlan, Grid      how outputs are summed, how tiles are numbered                  Sums, Grid
//   3. five functions     each written by an Emitter, which binds the arguments' slots    Emitter
//        count, list      loops over the grid's ranges                                    Grid
//        begin, finish    partial sums, counts of stores                                  Sums
//        tiles            the kernel's body, for each tile                                Nests, Reductions, Dots, Control,
//        Reports

#include "compiler/codegen/ConvertTileToLinalgGrid.h"
#include "compiler/codegen/ConvertTileToLinalgPlan.h"
#include "compiler/codegen/ConvertTileToLinalgSums.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_CONVERTTILETOLINALG
#include "compiler/transforms/Passes.h.inc"

namespace {

using Body = llvm::function_ref<LogicalResult(cpu::Emitter &)>;

class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, const SumPlan &sums, cpu::Settings settings)
      : kernel(kernel), sums(sums), settings(settings), grid(kernel) {}

  LogicalResult run(ModuleOp module) {
    Builder builder(module.getContext());
    Type i64 = builder.getI64Type(), pointer = LLVM::LLVMPointerType::get(module.getContext());
    auto count = [&](cpu::Emitter &emitter) { return emitCount(emitter, grid); };
    auto list = [&](cpu::Emitter &emitter) { return emitList(emitter, grid); };
    auto begin = [&](cpu::Emitter &emitter) { return cpu::emitBegin(emitter), success(); };
    auto tiles = [&](cpu::Emitter &emitter) {
      cpu::bindPartialSums(emitter, emitter.function.getArgument(3));
      return emitTiles(emitter, grid);
    };
    auto finish = [&](cpu::Emitter &emitter) { return cpu::emitFinish(emitter), success(); };
    return failure(failed(emitFunction("tw_cpu_count", {pointer}, i64, count)) ||
                   (!grid.isProduct && failed(emitFunction("tw_cpu_list", {pointer, pointer}, {}, list))) ||
                   failed(emitFunction("tw_cpu_begin", {pointer, i64}, {}, begin)) ||
                   failed(emitFunction("tw_cpu_tiles", {pointer, i64, i64, i64, pointer}, {}, tiles)) ||
                   failed(emitFunction("tw_cpu_finish", {pointer, i64, i64, i64, i64}, {}, finish)) ||
                   failed(describe(module)));
  }

private:
  LogicalResult emitFunction(StringRef name, TypeRange arguments, TypeRange results, Body body) {
    OpBuilder builder(kernel);
    auto function = func::FuncOp::create(builder, kernel.getLoc(), name, builder.getFunctionType(arguments, results));
    function.addEntryBlock();
    cpu::Emitter emitter(kernel, function, sums, settings);
    if (failed(body(emitter)))
      return failure();
    if (results.empty()) {
      emitter.builder.setInsertionPointToEnd(&function.getBody().front());
      func::ReturnOp::create(emitter.builder);
    }
    emitter.eraseUnused();
    return success();
  }

  LogicalResult describe(ModuleOp module) {
    module->setAttr("tilewright.grid", StringAttr::get(module.getContext(), grid.isProduct ? "product" : "listed"));
    module->setAttr("tilewright.sums", sums.describe(kernel));
    return success();
  }

  tile::KernelOp kernel;
  const SumPlan &sums;
  cpu::Settings settings;
  cpu::Grid grid;
};

struct ConvertTileToLinalg : impl::ConvertTileToLinalgBase<ConvertTileToLinalg> {
  using ConvertTileToLinalgBase::ConvertTileToLinalgBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>()))
      if (failed(lower(kernel)))
        return signalPassFailure();
  }

  LogicalResult lower(tile::KernelOp kernel) {
    cpu::planBuffers(kernel);
    if (planOnly)
      return success();
    FailureOr<SumPlan> sums = SumPlan::create(kernel);
    cpu::Settings settings{reference, fuseMultiplyAdd && !reference, reference ? 0 : static_cast<int64_t>(streamedBytes)};
    if (failed(sums) || failed(KernelLowering(kernel, *sums, settings).run(getOperation())))
      return failure();
    kernel.erase();
    return success();
  }
};

} // namespace
} // namespace tilewright
