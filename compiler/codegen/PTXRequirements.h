// What LLVM IR needs of a GPU, found before LLVM's code generator meets it: "Cannot select" ends the process.
#pragma once

#include <optional>
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::compiler {

struct GpuTarget;

/// An attribute of functions that the runtime will put into the module: they may be called without being defined.
inline constexpr char externalFunctionAttribute[] = "tilewright-external";

/// The lowest PTX version for the target and the module's hardware intrinsics, 80 for 8.0; nothing (with a reason) if the
/// target lacks one of them.
std::optional<unsigned> requiredPTXVersion(const llvm::Module &module, const GpuTarget &target, std::string &error);

/// Whether every instruction can be selected: no function of a library, no intrinsic that needs one. If not, `error` says
/// which, and where.
bool isSelectable(const llvm::Module &module, std::string &error);

} // namespace tilewright::compiler
