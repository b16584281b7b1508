#include "tests/unit/codegen/LoadedText.h"

#include "compiler/codegen/EmitLLVM.h"
#include "compiler/codegen/EmitObject.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewright::test {

namespace {

/// The module in the LLVM dialect, or null.
mlir::OwningOpRef<mlir::ModuleOp> lower(const std::string &text, mlir::MLIRContext &context,
                                        const compiler::CpuTarget &target) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return {};
  mlir::PassManager passes(&context);
  compiler::addLinalgToLLVMPasses(passes, target, compiler::CpuSchedule::Fast);
  return mlir::succeeded(passes.run(*module)) ? std::move(module) : mlir::OwningOpRef<mlir::ModuleOp>();
}

void *load(const std::string &sharedObject) {
  int file = memfd_create("tilewright-test", MFD_CLOEXEC);
  if (file < 0 || write(file, sharedObject.data(), sharedObject.size()) != static_cast<ssize_t>(sharedObject.size()))
    return nullptr;
  void *library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  return library;
}

} // namespace

std::unique_ptr<LoadedText> LoadedText::compile(const std::string &text, std::string &error,
                                                const compiler::CpuTarget &target) {
  mlir::DialectRegistry registry;
  registry.insert<tile::TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
  mlir::MLIRContext context(registry);
  error = "MLIR's passes failed";
  mlir::OwningOpRef<mlir::ModuleOp> module = lower(text, context, target);
  std::unique_ptr<llvm::TargetMachine> machine = module ? compiler::createTargetMachine(target, error) : nullptr;
  if (!machine)
    return nullptr;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code = compiler::translateToLLVM(*module, llvmContext, target, *machine);
  if (!code)
    return nullptr;
  compiler::optimize(*code, *machine, /*vectorize=*/true);
  std::optional<std::string> object = compiler::emitObject(*code, *machine, compiler::ObjectForm::Object, error);
  std::optional<std::string> sharedObject = object ? compiler::linkSharedObject(*object, error) : std::nullopt;
  if (!sharedObject)
    return nullptr;
  auto result = std::make_unique<LoadedText>();
  if (auto bytes = (*module)->getAttrOfType<mlir::IntegerAttr>("tilewright.scratch_bytes"))
    result->scratchBytes = bytes.getInt();
  result->library = load(*sharedObject);
  if (!result->library)
    error = dlerror();
  return result->library ? std::move(result) : nullptr;
}

LoadedText::~LoadedText() {
  if (library)
    dlclose(library);
}

void *LoadedText::find(const std::string &symbol) const {
  return dlsym(library, symbol.c_str());
}

StridedView::StridedView(void *data, const std::vector<int64_t> &sizes) {
  words = {reinterpret_cast<int64_t>(data), reinterpret_cast<int64_t>(data), 0};
  words.insert(words.end(), sizes.begin(), sizes.end());
  words.resize(words.size() + sizes.size());
  int64_t stride = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    words[words.size() - 1 - i] = stride;
    stride *= sizes[sizes.size() - 1 - i];
  }
}

} // namespace tilewright::test
