#include "compiler/driver/Compiler.h"

#include "compiler/codegen/EmitLLVM.h"
#include "compiler/codegen/EmitObject.h"
#include "compiler/codegen/EmitPTX.h"
#include "compiler/driver/Artifact.h"
#include "compiler/driver/ChooseTunables.h"
#include "compiler/driver/CompileThread.h"
#include "compiler/driver/CudaSource.h"
#include "compiler/pipeline/GpuTarget.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/RunPhase.h"
#include "compiler/transforms/ScheduleRequest.h"
#include "compiler/pipeline/Target.h"
#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/TileGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>

namespace tilewright::compiler {

using namespace frontend;

std::optional<Stage> stageNamed(const std::string &name) {
  static const std::map<std::string, Stage> stages = {{"ast", Stage::AST},        {"tunables", Stage::Tunables}, {"tile", Stage::Tile},
                                                      {"linalg", Stage::Linalg},  {"tilegpu", Stage::TileGPU},
                                                      {"llvm", Stage::LLVM},      {"ptx", Stage::Assembly},
                                                      {"asm", Stage::Assembly},   {"object", Stage::Object}};
  auto found = stages.find(name);
  return found == stages.end() ? std::nullopt : std::optional<Stage>(found->second);
}

namespace {

/// One compilation: what the steps share.
class Compilation {
public:
  Compilation(const Module &module, const Options &options, Stage stage, bool colour)
      : module(module), options(options), stage(stage), colour(colour) {}

  Result run() {
    if (!checkOptions() || !specialize())
      return finish();
    if (stage == Stage::AST) {
      result.output = typed::print(*kernel);
      return finish();
    }
    if (stage == Stage::Tunables) {
      printTunables();
      return finish();
    }
    openContext();
    if (gpu)
      compileForGpu();
    else if (emit() && lowerToLinalg() && lowerToLLVM())
      emitMachineCode();
    return finish();
  }

private:
  const Module &module;
  const Options &options;
  Stage stage;
  bool colour;

  Result result;
  Diagnostics diagnostics;
  CpuTarget target;
  std::optional<GpuTarget> gpu; ///< instead
  TunableSizes sizes = TunableSizes::forCpu();
  CpuSchedule schedule = CpuSchedule::Fast;
  std::unique_ptr<typed::Kernel> kernel;
  std::map<std::string, int64_t> capacities;
  int64_t split = 1; ///< over how many blocks the model splits a tile
  static constexpr int64_t multiprocessors = 132; ///< of the devices with wgmma that there are
  std::unique_ptr<mlir::MLIRContext> context;
  EmittedKernel emitted;
  nlohmann::ordered_json cuda; ///< that the kernel's external functions come from
  std::string internalErrors; ///< what MLIR says of IR that we made wrongly
  std::vector<std::pair<SourceRange, std::string>> remarks; ///< of the last lowering

  bool fail(Outcome outcome, const std::string &message) {
    result.outcome = outcome;
    result.diagnostics += "error: " + message + "\n";
    return false;
  }

  Result finish() {
    for (const auto &[where, text] : remarks)
      diagnostics.remark(where, text);
    result.diagnostics = render(diagnostics, colour) + result.diagnostics;
    if (diagnostics.hasErrors() && result.outcome == Outcome::Done)
      result.outcome = Outcome::InvalidSource;
    return std::move(result);
  }

  bool checkOptions() {
    gpu = GpuTarget::named(options.target);
    if (gpu) {
      sizes = gpu->multipliesFromShared ? TunableSizes::forScheduledGpu(multiprocessors) : TunableSizes::forGpu();
      return checkGpuOptions();
    }
    if (stage == Stage::TileGPU)
      return fail(Outcome::InvalidOptions, "the stage `tilegpu` is one of GPU targets, not of `" + options.target + "`");
    std::string processor = options.target.starts_with("cpu:") ? options.target.substr(4) : "";
    if (options.target != "cpu" && processor.empty())
      return fail(Outcome::InvalidOptions, "unknown target `" + options.target + "` (this build has `cpu`, `cpu:PROCESSOR`, " + GpuTarget::names() + ")");
    target = CpuTarget::named(processor);
    if (target.processor.empty())
      return fail(Outcome::InvalidOptions, "unknown processor `" + processor + "` (LLVM's names are meant: `znver4`, `skylake-avx512`)");
    if (options.schedule == "reference")
      schedule = CpuSchedule::Reference;
    else if (!options.schedule.empty())
      return fail(Outcome::InvalidOptions, "unknown schedule `" + options.schedule + "` (leave it empty, or `reference`)");
    return true;
  }

  bool checkGpuOptions() {
    if (stage == Stage::Linalg || stage == Stage::Object)
      return fail(Outcome::InvalidOptions, "`" + options.target + "` has no stage of that name (it has ast, tile, tilegpu, llvm and ptx)");
    if (options.schedule.empty())
      return true;
    if (!gpu->multipliesFromShared)
      return fail(Outcome::InvalidOptions, "unknown schedule `" + options.schedule + "` for `" + options.target + "`, whose warps have no roles (leave it empty)");
    std::string why;
    std::optional<ScheduleRequest> request = ScheduleRequest::parse(options.schedule, why);
    if (!request)
      return fail(Outcome::InvalidOptions, "unknown schedule `" + options.schedule + "`: " + why);
    sizes = TunableSizes::forScheduledGpu(multiprocessors, request->split.value_or(1));
    return true;
  }

  bool specialize() {
    Specialization specialization{options.statics, options.presentViews, options.tunables, options.checkedMode};
    kernel = module.specialize(options.kernel, specialization, diagnostics);
    if (!kernel)
      return false;
    auto chosen = chooseTunables(*kernel, options.dimensionHints, sizes, diagnostics, &split);
    if (!chosen)
      return false;
    capacities = *chosen;
    // Once more with every size known: limits on tiles and requirements on tunables are decided now.
    specialization.tunables = capacities;
    kernel = module.specialize(options.kernel, specialization, diagnostics);
    return kernel && (gpu || refuseExternalFunctions());
  }

  /// A line for each choice that the later steps may take: the second is for a product that warps with roles cannot form.
  void printTunables() {
    auto print = [&](const std::string &head) {
      std::string line;
      for (const auto &[name, size] : capacities)
        line += (line.empty() ? head : ", ") + name + " = " + std::to_string(size);
      result.output += line + "\n";
    };
    print("");
    if (!sizes.productTile)
      return;
    sizes = TunableSizes::forGpu();
    if (specialize())
      print("plain: ");
  }

  bool refuseExternalFunctions() {
    for (const typed::Expr &expr : kernel->expressions)
      if (expr.callee && expr.callee->external) {
        diagnostics
            .error(expr.where, "`" + expr.callee->name + "` is a CUDA function, and the target `" + options.target + "` has none")
            .note(expr.callee->where, "declared here")
            .help("compile for a GPU (`cuda`, `emulator`), or give the kernel a function of the language");
        return false;
      }
    return true;
  }

  void openContext() {
    // Starting threads costs more than one kernel's passes could gain from them.
    mlir::DialectRegistry registry;
    if (gpu)
      registerGpuTranslations(registry);
    context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
    if (gpu)
      context->loadDialect<tilegpu::TileGPUDialect, mlir::NVVM::NVVMDialect>();
    context->loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                         mlir::linalg::LinalgDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                         mlir::memref::MemRefDialect, mlir::scf::SCFDialect, mlir::ub::UBDialect, mlir::vector::VectorDialect>();
    context->getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
        llvm::raw_string_ostream stream(internalErrors);
        stream << diagnostic.getLocation() << ": " << diagnostic << "\n";
      } else if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark && options.remarks) {
        remarks.emplace_back(sourceRange(diagnostic.getLocation()), diagnostic.str());
      }
      return mlir::success();
    });
  }

  /// The expression of the source that an operation was made from; invalid if there is none.
  SourceRange sourceRange(mlir::Location location) {
    auto place = location->findInstanceOf<mlir::FileLineColLoc>();
    SourceRange found;
    if (!place)
      return found;
    for (const typed::Expr &expr : kernel->expressions) {
      if (!expr.where.valid() || expr.where.source->name() != place.getFilename().getValue())
        continue;
      Source::Position begin = expr.where.source->locate(expr.where.begin);
      bool isThere = begin.line == place.getLine() && begin.column == place.getColumn();
      // Others may begin where it does: dot(…) in dot(…) * scale.
      if (isThere && (!found.valid() || expr.where.end < found.end))
        found = expr.where;
    }
    return found;
  }

  bool compilerFault(const std::string &step) {
    return fail(Outcome::Failed, "the compiler made a mistake in " + step + " of kernel `" + options.kernel +
                                     "`; please report it with the source\n" + internalErrors);
  }

  void printModule() {
    llvm::raw_string_ostream stream(result.output);
    emitted.module->print(stream);
    stream << "\n";
  }

  bool emit() {
    remarks.clear();
    EmitOptions emitOptions{options.views, capacities};
    emitted = emitTile(*kernel, emitOptions, *context);
    if (!emitted.module)
      return compilerFault("the tile dialect");
    if (gpu && !findCudaSource())
      return false;
    if (!runPasses("the tile passes", addTilePasses))
      return false;
    if (stage == Stage::Tile)
      printModule();
    return stage != Stage::Tile;
  }

  bool findCudaSource() {
    std::optional<nlohmann::ordered_json> found = cudaSource(emitted.externals, diagnostics);
    if (found)
      cuda = std::move(*found);
    return found.has_value();
  }

  bool runPasses(const std::string &step, const std::function<void(mlir::OpPassManager &)> &add) {
    return runPhase(*emitted.module, add) || compilerFault(step);
  }

  bool lowerToLinalg() {
    if (!runPasses("the lowering to linalg", [&](mlir::OpPassManager &passes) { addTileToLinalgPasses(passes, target, schedule); }))
      return false;
    if (stage == Stage::Linalg)
      printModule();
    return stage != Stage::Linalg;
  }

  bool lowerToLLVM() {
    return runPasses("the lowering to LLVM",
                     [&](mlir::OpPassManager &passes) { addLinalgToLLVMPasses(passes, target, schedule); });
  }

  void compileForGpu() {
    if (!emit() || !lowerToTileGPU())
      return;
    if (auto why = emitted.module->getOperation()->getAttrOfType<mlir::StringAttr>(tilegpu::refusedScheduleName)) {
      fail(Outcome::InvalidOptions, "the product of kernel `" + options.kernel + "` cannot have the schedule `" + options.schedule + "`: " + why.getValue().str());
      return;
    }
    // A tile for several blocks is none for one.
    if (options.schedule.empty() && split > 1 && !isSplit()) {
      sizes = TunableSizes::forScheduledGpu(multiprocessors, /*split=*/1);
      if (!specialize() || !emit() || !lowerToTileGPU())
        return;
    }
    // Sizes for warps with roles are no sizes for a kernel that has none.
    if (sizes.productTile && !isScheduled()) {
      sizes = TunableSizes::forGpu();
      if (!specialize() || !emit() || !lowerToTileGPU())
        return;
    }
    bool isAskedFor = !options.schedule.empty() && options.schedule != "plain";
    if (isAskedFor && !isScheduled()) {
      fail(Outcome::InvalidOptions, "the product of kernel `" + options.kernel + "` cannot have the schedule `" + options.schedule +
                                        "` with these tiles: there is too little shared memory; ask for fewer stages, or smaller tiles");
      return;
    }
    while (!fitsInSharedMemory())
      if (!chooseSmallerTiles() || !specialize() || !emit() || !lowerToTileGPU())
        return;
    if (stage == Stage::TileGPU)
      printModule();
    else if (lowerToThreads())
      emitPtx();
  }

  bool lowerToTileGPU() {
    return runPasses("the layouts", [&](mlir::OpPassManager &passes) { addTileToTileGPUPasses(passes, *gpu, options.schedule, split); });
  }

  int64_t sharedBytes() {
    int64_t bytes = 0;
    for (auto kernelOp : emitted.module->getOps<tile::KernelOp>())
      bytes = kernelOp->getAttrOfType<mlir::IntegerAttr>(tilegpu::sharedBytesName).getInt();
    return bytes;
  }

  bool isSplit() {
    return llvm::any_of(emitted.module->getOps<tile::KernelOp>(), [&](tile::KernelOp kernel) {
      auto schedule = kernel->getAttrOfType<tilegpu::ScheduleAttr>(tilegpu::scheduleName);
      return schedule && schedule.getSplit() == split;
    });
  }

  bool isScheduled() {
    return llvm::any_of(emitted.module->getOps<tile::KernelOp>(), [](tile::KernelOp kernel) { return kernel->hasAttr(tilegpu::scheduleName); });
  }

  bool fitsInSharedMemory() { return sharedBytes() <= gpu->sharedBytesPerBlock; }

  /// Halves what the largest buffers come from, in turns. False, and an error, when nothing is left to halve.
  bool chooseSmallerTiles() {
    int64_t *candidates[] = {&sizes.dotColumns, &sizes.dotRows, &sizes.contractedBytes};
    int64_t *largest = *std::max_element(std::begin(candidates), std::end(candidates), [](int64_t *a, int64_t *b) { return *a < *b; });
    if (*largest > 16) {
      *largest /= 2;
      return true;
    }
    std::string list;
    for (const auto &[name, size] : capacities)
      list += (list.empty() ? "" : ", ") + name + " = " + std::to_string(size);
    return fail(Outcome::Unsupported, "kernel `" + options.kernel + "` needs " + std::to_string(sharedBytes()) +
                                          " bytes of shared memory, and a block of " + std::string(gpu->name) + " has " +
                                          std::to_string(gpu->sharedBytesPerBlock) +
                                          (list.empty() ? "" : "; make its tiles smaller (" + list + ")"));
  }

  bool lowerToThreads() {
    return runPasses("the code of a thread", addTileGPUToThreadPasses) &&
           runPasses("the lowering to LLVM", [&](mlir::OpPassManager &passes) { addGpuToLLVMPasses(passes, *gpu); });
  }

  void emitPtx() {
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> llvmModule = translateForGpu(*emitted.module, llvmContext);
    if (!llvmModule) {
      compilerFault("the translation to LLVM IR");
      return;
    }
    std::string error;
    if (stage == Stage::LLVM) {
      if (!optimizeForGpu(*llvmModule, *gpu, error)) {
        fail(Outcome::Failed, error);
        return;
      }
      llvm::raw_string_ostream stream(result.output);
      llvmModule->print(stream, nullptr);
      return;
    }
    std::optional<std::string> ptx = emitPTX(*llvmModule, *gpu, error);
    if (!ptx) {
      fail(Outcome::Failed, error);
      return;
    }
    if (stage != Stage::Artifact) {
      result.output = std::move(*ptx);
      return;
    }
    ArtifactFacts facts{options, nullptr, &*gpu, capacities, emitted.messages, cuda};
    result.output = packArtifact(artifactMetadata(module, *kernel, facts, *emitted.module), *ptx);
  }

  void emitMachineCode() {
    std::string error;
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target, error);
    if (!machine) {
      fail(Outcome::InvalidOptions, error);
      return;
    }
    std::unique_ptr<llvm::Module> llvmModule = translateToLLVM(*emitted.module, llvmContext, target, *machine);
    if (!llvmModule) {
      compilerFault("the translation to LLVM IR");
      return;
    }
    optimize(*llvmModule, *machine, schedule == CpuSchedule::Fast);
    if (stage == Stage::LLVM) {
      llvm::raw_string_ostream stream(result.output);
      llvmModule->print(stream, nullptr);
      return;
    }
    auto form = stage == Stage::Assembly ? ObjectForm::Assembly : ObjectForm::Object;
    auto object = emitObject(*llvmModule, *machine, form, error);
    if (!object) {
      fail(Outcome::Failed, error);
      return;
    }
    if (stage != Stage::Artifact) {
      result.output = std::move(*object);
      return;
    }
    auto shared = linkSharedObject(*object, error);
    if (!shared) {
      fail(Outcome::Failed, error);
      return;
    }
    ArtifactFacts facts{options, &target, nullptr, capacities, emitted.messages, cuda};
    result.output = packArtifact(artifactMetadata(module, *kernel, facts, *emitted.module), *shared);
  }
};

} // namespace

Result compile(const Module &module, const Options &options, Stage stage, bool colour) {
  Result result;
  std::string fatal =
      runOnCompileThread([&] { result = Compilation(module, options, stage, colour).run(); });
  if (!fatal.empty()) {
    result = Result{};
    result.outcome = Outcome::Failed;
    result.diagnostics = "error: the compiler failed on kernel `" + options.kernel + "`; please report it with the source: " + fatal + "\n";
  }
  return result;
}

} // namespace tilewright::compiler
