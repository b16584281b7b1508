#include "compiler/codegen/EmitObject.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace tilewright::compiler {

std::optional<std::string> emitObject(llvm::Module &module, llvm::TargetMachine &machine, ObjectForm form, std::string &error) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  auto fileType = form == ObjectForm::Assembly ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, fileType)) {
    error = "LLVM's target cannot emit this kind of file";
    return std::nullopt;
  }
  passes.run(module);
  return bytes.str().str();
}

namespace {
/// Bytes that lld can open by name although they are in no file system.
class MemoryFile {
public:
  explicit MemoryFile(const std::string &bytes) : descriptor(memfd_create("tilewright-object", MFD_CLOEXEC)) {
    size_t written = 0;
    while (descriptor >= 0 && written < bytes.size()) {
      ssize_t count = ::write(descriptor, bytes.data() + written, bytes.size() - written);
      if (count <= 0)
        return;
      written += static_cast<size_t>(count);
    }
    complete = descriptor >= 0;
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  bool isComplete() const { return complete; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

private:
  int descriptor;
  bool complete = false;
};
} // namespace

/// The undefined symbols of an object that no process is sure to have.
static std::string missingSymbols(const std::string &object) {
  std::string missing;
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernel"));
  if (!file)
    return llvm::toString(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    bool isUndefined = *flags & llvm::object::SymbolRef::SF_Undefined;
    if (isUndefined && !name->empty() && *name != "memcpy" && *name != "memmove" && *name != "memset")
      missing += (missing.empty() ? "" : ", ") + name->str();
  }
  return missing;
}

std::optional<std::string> linkSharedObject(const std::string &object, std::string &error) {
  if (std::string missing = missingSymbols(object); !missing.empty()) {
    error = "the kernel's code needs functions that it does not bring along: " + missing;
    return std::nullopt;
  }
  MemoryFile input(object);
  if (!input.isComplete()) {
    error = "cannot create a file in memory for the linker";
    return std::nullopt;
  }
  // lld replaces its output by renaming, so the output cannot be a memory file.
  llvm::SmallString<128> output;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("tilewright", "so", output)) {
    error = "cannot create a temporary file for the linker: " + code.message();
    return std::nullopt;
  }
  llvm::FileRemover remover(output);
  std::string inputPath = input.path();
  std::string messages;
  llvm::raw_string_ostream messageStream(messages);
  {
    static std::mutex oneLinkAtATime; // lld keeps state in globals
    std::lock_guard<std::mutex> lock(oneLinkAtATime);
    lld::Result result = lld::lldMain({"ld.lld", "-shared", "--threads=1", "--hash-style=gnu", "-z", "noexecstack", "-s", "-o", output.c_str(), inputPath.c_str()},
                                      messageStream, messageStream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0) {
      error = "the linker refused the kernel's object: " + messages;
      return std::nullopt;
    }
  }
  auto linked = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!linked) {
    error = "cannot read the linker's output: " + linked.getError().message();
    return std::nullopt;
  }
  return (*linked)->getBuffer().str();
}

} // namespace tilewright::compiler
