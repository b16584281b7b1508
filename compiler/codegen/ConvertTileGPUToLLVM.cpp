// convert-tilegpu-to-llvm: from a tile.kernel with layouts to the entry points of a GPU module (compiler_c.h, "GPU code").
//
//   tiles            the kernel's body, for the tiles of a block       Grid, then a file for each topic (Emitter.h)
//   begin, finish    partial sums, outputs that are only added to      Sums

#include "compiler/codegen/ConvertTileGPUToLLVMGrid.h"

#include "compiler/analysis/LinearForm.h"
#include "compiler/analysis/SumPlan.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Iterators.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_CONVERTTILEGPUTOLLVM
#include "compiler/transforms/Passes.h.inc"

namespace {

constexpr int64_t helperThreads = 256; // of begin and finish (compiler_c.h)

class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, SumPlan plan) : kernel(kernel), sums(std::move(plan)), grid(kernel), builder(kernel.getContext()) {}

  LogicalResult run(ModuleOp module) {
    std::string name = kernel.getSymName().str();
    int64_t threads = layout::lanesOfWarp * tilegpu::warpsOf(kernel);
    auto roles = kernel.getBlock().getOps<tilegpu::RolesOp>();
    if (!roles.empty()) {
      constexpr int64_t threadsOfWarpgroup = 128;
      threads = threads * static_cast<int64_t>((*roles.begin()).getGroups()) + threadsOfWarpgroup;
    }
    if (failed(emitFunction(name, threads, tensorMaps().size(), [](gpu::Emitter &emitter) { return gpu::emitTiles(emitter); })))
      return failure();
    // ptxas takes setmaxnreg to heart only where it knows how many blocks there are.
    if (!roles.empty())
      module.lookupSymbol(name)->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(1));
    if (auto blocks = kernel->getAttrOfType<IntegerAttr>(tilegpu::blocksName))
      module.lookupSymbol(name)->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(static_cast<int32_t>(blocks.getInt())));
    SmallVector<NamedAttribute> entries{builder.getNamedAttr("tiles", builder.getStringAttr(name))};
    auto helper = [&](StringRef suffix, bool isNeeded, void (*emit)(gpu::Emitter &)) {
      if (!isNeeded)
        return success();
      entries.push_back(builder.getNamedAttr(suffix, builder.getStringAttr(name + "_" + suffix.str())));
      return emitFunction(name + "_" + suffix.str(), helperThreads, 0, [&](gpu::Emitter &emitter) { return emit(emitter), success(); });
    };
    bool initializes = llvm::any_of(sums.direct, [](const Sum &sum) { return sum.getViewType().getAccess() == tile::Access::Out; });
    if (failed(helper("begin", initializes || !sums.partial.empty(), gpu::emitBegin)) ||
        failed(helper("finish", !sums.partial.empty(), gpu::emitFinish)))
      return failure();
    describe(module, threads, builder.getDictionaryAttr(entries));
    return success();
  }

private:
  tile::KernelOp kernel;
  SumPlan sums;
  gpu::Grid grid;
  Builder builder;

  int64_t slotCount() {
    int64_t slots = gpu::Slot::FirstParameter;
    for (BlockArgument argument : kernel.getBlock().getArguments()) {
      auto view = dyn_cast<tile::ViewType>(argument.getType());
      slots += view ? 1 + 2 * (view.getRank() + view.getPackRank() - 1) : 1;
    }
    return slots;
  }

  SmallVector<tilegpu::TensorMapOp> tensorMaps() { return llvm::to_vector(kernel.getBlock().getOps<tilegpu::TensorMapOp>()); }

  LogicalResult emitFunction(const std::string &name, int64_t threads, size_t maps, llvm::function_ref<LogicalResult(gpu::Emitter &)> body) {
    OpBuilder at(kernel);
    MLIRContext *context = kernel.getContext();
    auto pointer = LLVM::LLVMPointerType::get(context);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), SmallVector<Type>(1 + maps, pointer));
    auto function = LLVM::LLVMFuncOp::create(at, kernel.getLoc(), name, type);
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), at.getUnitAttr());
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), at.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
    function.setArgAttr(0, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(LLVM::LLVMArrayType::get(at.getI64Type(), slotCount())));
    function.setArgAttr(0, NVVM::NVVMDialect::getGridConstantAttrName(), at.getUnitAttr());
    function.setArgAttr(0, LLVM::LLVMDialect::getAlignAttrName(), at.getI64IntegerAttr(8));
    constexpr int64_t mapBytes = 128, mapAlignment = 64; // without the alignment LLVM would say 1, and nothing complain
    for (unsigned number = 1; number <= maps; ++number) {
      function.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(LLVM::LLVMArrayType::get(at.getI8Type(), mapBytes)));
      function.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(), at.getUnitAttr());
      function.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(), at.getI64IntegerAttr(mapAlignment));
    }
    function.addEntryBlock(at);
    gpu::Emitter emitter(kernel, function, sums);
    if (failed(body(emitter)))
      return failure();
    function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
    return gpu::lowerExternalCalls(function);
  }

  /// What an artifact must say of the code.
  void describe(ModuleOp module, int64_t threads, DictionaryAttr entries) {
    SmallVector<StringRef> axes;
    for (tile::ParallelOp variable : grid.numbered)
      axes.push_back(variable.getAxis());
    auto sharedBytes = kernel->getAttrOfType<IntegerAttr>(tilegpu::sharedBytesName);
    module->setAttr("tilewright.grid", builder.getStringAttr(grid.nested.empty() ? "product" : "nested"));
    module->setAttr("tilewright.grid_axes", builder.getStrArrayAttr(axes));
    module->setAttr("tilewright.sums", sums.describe(kernel));
    module->setAttr("tilewright.threads", builder.getI64IntegerAttr(threads));
    module->setAttr("tilewright.shared_bytes", builder.getI64IntegerAttr(sharedBytes ? sharedBytes.getInt() : 0));
    module->setAttr("tilewright.message_words", builder.getI64IntegerAttr(gpu::messageWords(kernel, sums)));
    module->setAttr("tilewright.entries", entries);
    module->setAttr("tilewright.tensor_maps", describeMaps());
    module->setAttr("tilewright.cluster_blocks", builder.getI64IntegerAttr(gpu::blocksOfCluster(kernel)));
    module->setAttr("tilewright.resident_blocks", builder.getI64IntegerAttr(kernel.getBlock().getOps<tilegpu::RolesOp>().empty() ? 0 : 1));
  }

  ArrayAttr describeMaps() {
    SmallVector<Attribute> maps;
    for (tilegpu::TensorMapOp map : tensorMaps())
      maps.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr("view", kernel.getNames()[cast<BlockArgument>(map.getView()).getArgNumber()]), builder.getNamedAttr("order", map.getOrderAttr()),
           builder.getNamedAttr("box", map.getBoxAttr()), builder.getNamedAttr("swizzle", map.getSwizzleAttr()),
           builder.getNamedAttr("tf32", builder.getBoolAttr(map.getTf32()))}));
    return builder.getArrayAttr(maps);
  }
};

struct ConvertTileGPUToLLVM : impl::ConvertTileGPUToLLVMBase<ConvertTileGPUToLLVM> {
  using ConvertTileGPUToLLVMBase::ConvertTileGPUToLLVMBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      FailureOr<SumPlan> sums = SumPlan::create(kernel);
      if (failed(sums) || failed(KernelLowering(kernel, *sums).run(getOperation())))
        return signalPassFailure();
      kernel.erase();
    }
  }
};

} // namespace
} // namespace tilewright
