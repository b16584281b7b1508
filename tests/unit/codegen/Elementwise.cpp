#include "tests/unit/codegen/Elementwise.h"

#include "compiler/codegen/EmitPTX.h"
#include "compiler/pipeline/Pipeline.h"
#include "dialects/Tile/Tile.h"
#include "runtime/emulator/Device.h"
#include "tests/unit/codegen/LoadedText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include "gtest/gtest.h"

namespace tilewright::test {

namespace {

class OnCpu : public Elementwise {
public:
  explicit OnCpu(std::unique_ptr<LoadedText> code) : code(std::move(code)) {}

  static std::string text(const Formula &formula) {
    std::string in = "memref<?x" + formula.in + ", strided<[1]>>", out = "memref<?x" + formula.out + ", strided<[1]>>";
    return "func.func @f(%x: " + in + ", %y: " + in + ", %z: " + out +
           ", %n: index) attributes {llvm.emit_c_interface} {\n  %c0 = arith.constant 0 : index\n"
           "  %c1 = arith.constant 1 : index\n  scf.for %i = %c0 to %n step %c1 {\n    %a = memref.load %x[%i] : " +
           in + "\n    %b = memref.load %y[%i] : " + in + "\n" + formula.body + "\n    memref.store %r, %z[%i] : " + out +
           "\n  }\n  return\n}\n";
  }

private:
  void run(void *a, void *b, void *r, size_t count, size_t, size_t) override {
    auto size = static_cast<int64_t>(count);
    StridedView x(a, {size}), y(b, {size}), z(r, {size});
    code->call("f", x.get(), y.get(), z.get(), size);
  }

  std::unique_ptr<LoadedText> code;
};

namespace emulator = runtime::emulator;

constexpr uint32_t threadsPerBlock = 256;

/// One thread computes one element.
class OnGpu : public Elementwise {
public:
  static std::unique_ptr<Elementwise> compile(const Formula &formula, const compiler::GpuTarget &target, std::string &error) {
    std::optional<std::string> ptx = emit(text(formula), target, error);
    if (!ptx)
      return nullptr;
    auto result = std::make_unique<OnGpu>();
    auto module = result->device.load("formula.ptx", *ptx);
    if (!module.ok()) {
      error = module.status().message();
      return nullptr;
    }
    result->module = *module;
    return result;
  }

private:
  /// LLVM has no f8: it is loaded and stored as an integer.
  static bool isF8(const std::string &type) { return type.starts_with("f8"); }
  static std::string memoryType(const std::string &type) { return isF8(type) ? "i8" : type; }
  static std::string load(const std::string &name, const std::string &pointer, const std::string &type) {
    std::string memory = memoryType(type), loaded = isF8(type) ? name + "_code" : name;
    std::string text = "    " + name + "_p = llvm.getelementptr " + pointer + "[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, " +
                       memory + "\n    " + loaded + " = llvm.load " + name + "_p : !llvm.ptr<1> -> " + memory + "\n";
    return isF8(type) ? text + "    " + name + " = arith.bitcast " + loaded + " : i8 to " + type + "\n" : text;
  }

  static std::string text(const Formula &formula) {
    std::string out = memoryType(formula.out), result = isF8(formula.out) ? "%r_code" : "%r";
    return "llvm.func @f(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>, %z: !llvm.ptr<1>, %n: i64) attributes {nvvm.kernel} {\n"
           "  %c256 = arith.constant 256 : i64\n"
           "  %thread = nvvm.read.ptx.sreg.tid.x : i32\n  %block = nvvm.read.ptx.sreg.ctaid.x : i32\n"
           "  %thread_wide = arith.extui %thread : i32 to i64\n  %block_wide = arith.extui %block : i32 to i64\n"
           "  %first = arith.muli %block_wide, %c256 : i64\n  %i = arith.addi %first, %thread_wide : i64\n"
           "  %exists = arith.cmpi slt, %i, %n : i64\n  scf.if %exists {\n" +
           load("%a", "%x", formula.in) + load("%b", "%y", formula.in) + formula.body + "\n" +
           (isF8(formula.out) ? "    %r_code = arith.bitcast %r : " + formula.out + " to i8\n" : "") +
           "    %q = llvm.getelementptr %z[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, " + out + "\n    llvm.store " + result +
           ", %q : " + out + ", !llvm.ptr<1>\n  }\n  llvm.return\n}\n";
  }

  static std::optional<std::string> emit(const std::string &text, const compiler::GpuTarget &target, std::string &error) {
    mlir::DialectRegistry registry;
    registry.insert<tile::TileDialect, mlir::arith::ArithDialect, mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                    mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    error = "MLIR's passes failed";
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    mlir::PassManager passes(&context);
    compiler::addGpuToLLVMPasses(passes, target);
    if (!module || mlir::failed(passes.run(*module)))
      return std::nullopt;
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> code = compiler::translateForGpu(*module, llvmContext);
    return code ? compiler::emitPTX(*code, target, error) : std::nullopt;
  }

  uint64_t upload(const void *data, size_t bytes) {
    uint64_t address = *device.allocate(bytes);
    EXPECT_TRUE(device.copyToDevice(address, data, bytes).ok());
    return address;
  }

  void run(void *a, void *b, void *r, size_t count, size_t inBytes, size_t outBytes) override {
    if (count == 0)
      return;
    uint64_t x = upload(a, count * inBytes), y = upload(b, count * inBytes), z = upload(r, count * outBytes);
    emulator::ParameterBuffer parameters;
    for (uint64_t parameter : {x, y, z, uint64_t(count)})
      parameters.add(parameter);
    auto blocks = static_cast<uint32_t>((count + threadsPerBlock - 1) / threadsPerBlock);
    auto report = device.launch(*module, "f", {.grid = {blocks}, .block = {threadsPerBlock}}, parameters.get());
    ASSERT_TRUE(report.ok()) << report.status().message();
    EXPECT_TRUE(report->ok()) << report->text();
    EXPECT_TRUE(device.copyToHost(r, z, count * outBytes).ok());
    for (uint64_t address : {x, y, z})
      EXPECT_TRUE(device.free(address).ok());
  }

  emulator::Device device;
  std::shared_ptr<emulator::Module> module;
};

} // namespace

Processor processorNamed(const std::string &name) {
  if (name == "cpu")
    return compiler::CpuTarget::host();
  return compiler::GpuTarget::named(name).value();
}

std::unique_ptr<Elementwise> Elementwise::compile(const Formula &formula, const Processor &processor, std::string &error) {
  if (const auto *gpu = std::get_if<compiler::GpuTarget>(&processor))
    return OnGpu::compile(formula, *gpu, error);
  std::unique_ptr<LoadedText> code = LoadedText::compile(OnCpu::text(formula), error, std::get<compiler::CpuTarget>(processor));
  return code ? std::make_unique<OnCpu>(std::move(code)) : nullptr;
}

} // namespace tilewright::test
