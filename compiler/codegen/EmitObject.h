// From LLVM IR to assembly, an object, and a shared object without undefined symbols.
#pragma once

#include <optional>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright::compiler {

enum class ObjectForm { Assembly, Object };

/// The text or bytes, or nothing (with a reason) if the target cannot emit that form.
std::optional<std::string> emitObject(llvm::Module &module, llvm::TargetMachine &machine, ObjectForm form, std::string &error);

/// Links an ELF object to a shared object. Its only undefined symbols may be memcpy, memmove and memset, which every process has
/// (LLVM makes calls of loops that fill and copy); any other is an error, since a kernel's code needs no library.
std::optional<std::string> linkSharedObject(const std::string &object, std::string &error);

} // namespace tilewright::compiler
