// What happens to a kernel, in order. The front end has made a tile.kernel of the specialized source (EmitTile); what leaves
// here is one module in the LLVM dialect, which codegen/EmitLLVM.cpp and codegen/EmitObject.cpp take to machine code, and
// codegen/EmitPTX.cpp to PTX.

#include "compiler/pipeline/Pipeline.h"

#include "compiler/pipeline/GpuTarget.h"
#include "compiler/pipeline/Target.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tilewright::compiler {

// --------------------------------------------------------------------------------------------------------------------
// Phase 1: the tile dialect. No target is known here.
// --------------------------------------------------------------------------------------------------------------------

void addTilePasses(mlir::OpPassManager &passes) {
  // Inlined functions and derivatives repeat their primal computation; CSE finds it. Canonicalization folds constants, merges
  // broadcasts and gives a dot its accumulator.
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
}

// --------------------------------------------------------------------------------------------------------------------
// Phase 2: linalg on memrefs. From here on every loop runs exactly over the indices that exist.
// --------------------------------------------------------------------------------------------------------------------

void addTileToLinalgPasses(mlir::OpPassManager &passes, const CpuTarget &target, CpuSchedule schedule) {
  // On the tile dialect, where one loop is a copy of another but for its axis; a tile's second version is not the oracle's business.
  if (schedule == CpuSchedule::Fast)
    passes.addPass(createFuseSingleIterationLoops());
  ConvertTileToLinalgOptions options;
  options.fuseMultiplyAdd = target.fusesMultiplyAdd;
  options.reference = schedule == CpuSchedule::Reference;
  passes.addPass(createConvertTileToLinalg(options));
  // After this no op of the tile dialect is left but the scalar ones inside bodies (cast, floor_div, floor_mod, random_bits).
}

// --------------------------------------------------------------------------------------------------------------------
// Phase 3: loops, vectors, scalars, LLVM.
// --------------------------------------------------------------------------------------------------------------------

/// linalg → scf loops; products first, since they take whole nests.
static void addLoopPasses(mlir::OpPassManager &passes, const CpuTarget &target, CpuSchedule schedule) {
  if (schedule == CpuSchedule::Fast) {
    LowerContractionsOptions contractions;
    contractions.vectorBits = target.vectorBits;
    passes.addPass(createLowerContractions(contractions));
  }
  LowerLinalgToLoopsOptions loops;
  loops.reference = schedule == CpuSchedule::Reference;
  passes.addPass(createLowerLinalgToLoops(loops));
  // After the contractions: their panels are scratch too.
  passes.addPass(createAllocateScratch());
}

/// What no processor has an instruction for becomes arithmetic that the loop vectorizer can widen.
static void addScalarPasses(mlir::OpPassManager &passes, const CpuTarget &target) {
  // Math first: it computes narrow results by casts of its own.
  ExpandMathOptions math;
  math.fma = target.fusesMultiplyAdd;
  math.ldexp = target.scalesByPowers;
  passes.addPass(createExpandMath(math));
  ExpandCastsOptions casts;
  casts.f16c = target.convertsF16;
  passes.addPass(createExpandCasts(casts));
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
}

static void addLLVMPasses(mlir::OpPassManager &passes) {
  passes.addPass(mlir::createConvertVectorToSCFPass(mlir::VectorTransferToSCFOptions().enableFullUnroll()));
  passes.addPass(mlir::createLowerAffinePass());
  passes.addPass(mlir::memref::createExpandStridedMetadataPass());
  passes.addPass(mlir::createLowerAffinePass()); // the strided metadata's address arithmetic
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(mlir::createConvertVectorToLLVMPass());
  passes.addPass(mlir::createFinalizeMemRefToLLVMConversionPass());
  passes.addPass(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createConvertMathToLLVMPass());
  passes.addPass(mlir::createConvertIndexToLLVMPass());
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addPass(mlir::createUBToLLVMConversionPass());
  passes.addPass(mlir::createConvertFuncToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  // Descriptors are made and taken apart at every access; without this the buffers' roots are hidden from the next pass.
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  // Last: it names the buffer behind every address, so that LLVM's vectorizer needs no run-time overlap checks.
  passes.addPass(createAnnotateAliasScopes());
}

void addLinalgToLLVMPasses(mlir::OpPassManager &passes, const CpuTarget &target, CpuSchedule schedule) {
  addLoopPasses(passes, target, schedule);
  addScalarPasses(passes, target);
  addLLVMPasses(passes);
}

// --------------------------------------------------------------------------------------------------------------------
// GPU, phase 2: which thread holds what, and what is in shared memory. Tiles become tiles with layouts.
// --------------------------------------------------------------------------------------------------------------------

void addTileToTileGPUPasses(mlir::OpPassManager &passes, const GpuTarget &target, const std::string &requested, int64_t split) {
  // Before anybody counts axes.
  passes.addPass(createDropUnitAxes());
  // Of what a value is used for, nothing is hidden by layouts yet.
  passes.addPass(createChooseApproximations());
  // As on the CPU, on the tile dialect: rows that fit in a tile are read once.
  passes.addPass(createFuseSingleIterationLoops());
  // Before anything else looks at the order of loads and stores, but on the loops as they will be.
  passes.addPass(createReadBeforeWriting());
  // Whether warps get roles decides the layouts of everything around a product.
  if (target.multipliesFromShared) {
    PlanScheduleOptions schedule;
    schedule.schedule = requested;
    schedule.sharedBytes = target.sharedBytesPerBlock;
    schedule.split = split;
    passes.addPass(createPlanSchedule(schedule));
    passes.addPass(createSplitLoops());
    // While no layout says how many columns a tile has.
    passes.addPass(createSplitSums());
  }
  AssignLayoutsOptions layouts;
  layouts.capability = target.capability;
  passes.addPass(createAssignLayouts(layouts));
  // What was computed again for two uses in one layout is one value again.
  passes.addPass(mlir::createCSEPass());
  if (target.multipliesFromShared) {
    SpecializeWarpsOptions roles;
    roles.sharedBytes = target.sharedBytesPerBlock;
    passes.addPass(createSpecializeWarps(roles));
    SpecializeLoopsOptions loops;
    loops.sharedBytes = target.sharedBytesPerBlock;
    passes.addPass(createSpecializeLoops(loops));
  }
  // Which loads run ahead of their loop, then their copies and stages; before memory is given out, since stages need more of it.
  PlanPipelineOptions pipeline;
  pipeline.sharedBytes = target.sharedBytesPerBlock;
  pipeline.multiprocessorBytes = target.sharedBytesPerMultiprocessor;
  passes.addPass(createPlanPipeline(pipeline));
  passes.addPass(createExpandPipeline());
  passes.addPass(mlir::createCSEPass());
  // When every buffer and conversion is there.
  passes.addPass(createAllocateSharedMemory());
  // Last, since it speaks of places in memory.
  passes.addPass(createInsertBarriers());
}

// --------------------------------------------------------------------------------------------------------------------
// GPU, phase 3: the program of a thread.
// --------------------------------------------------------------------------------------------------------------------

void addTileGPUToThreadPasses(mlir::OpPassManager &passes) {
  passes.addPass(createConvertTileGPUToLLVM());
}

// --------------------------------------------------------------------------------------------------------------------
// GPU, last phase: the code of one thread. Kernels are llvm.func with the attributes of the NVVM dialect; in their bodies stand
// scalar operations (and vectors of 2) of arith, math, scf, cf, ub and tile, memory accesses of LLVM, instructions of NVVM.
// --------------------------------------------------------------------------------------------------------------------

void addGpuToLLVMPasses(mlir::OpPassManager &passes, const GpuTarget &target) {
  // Math first: it computes narrow results by casts of its own.
  ExpandMathOptions math;
  math.nvidia = true;
  passes.addPass(createExpandMath(math));
  ExpandCastsOptions casts;
  casts.nvidia = true;
  casts.f8 = target.convertsF8;
  passes.addPass(createExpandCasts(casts));
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(mlir::createSCFToControlFlowPass());
  passes.addPass(mlir::createConvertVectorToLLVMPass());
  passes.addPass(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createConvertMathToLLVMPass());
  passes.addPass(mlir::createConvertIndexToLLVMPass());
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addPass(mlir::createUBToLLVMConversionPass());
  passes.addPass(mlir::createConvertNVVMToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  // Lines of the source, for profilers and the emulator. Of the emission kinds only this one does not print `.target …, debug`,
  // under which ptxas ignores setmaxnreg.
  passes.addPass(mlir::LLVM::createDIScopeForLLVMFuncOpPass({mlir::LLVM::DIEmissionKind::DebugDirectivesOnly}));
}

} // namespace tilewright::compiler
