// MLIR text, compiled by the pipeline's last phases for the processor at hand, and loaded.
#pragma once

#include "compiler/pipeline/Target.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::test {

/// Functions with `llvm.emit_c_interface`, callable through descriptors (StridedView).
class LoadedText {
public:
  /// Null, with a reason, if a step fails. That includes undefined symbols: no library may be needed.
  static std::unique_ptr<LoadedText> compile(const std::string &text, std::string &error,
                                             const compiler::CpuTarget &target = compiler::CpuTarget::host());
  ~LoadedText();

  int64_t getScratchBytes() const { return scratchBytes; }

  template <typename... Arguments> void call(const std::string &name, Arguments... arguments) const {
    reinterpret_cast<void (*)(Arguments...)>(find("_mlir_ciface_" + name))(arguments...);
  }

private:
  void *find(const std::string &symbol) const;

  void *library = nullptr;
  int64_t scratchBytes = 0;
};

/// What MLIR passes for a memref of any rank: two pointers, the offset, the sizes, the strides.
class StridedView {
public:
  StridedView(void *data, const std::vector<int64_t> &sizes);
  /// The argument for LoadedText::call.
  void *get() { return words.data(); }

private:
  std::vector<int64_t> words;
};

} // namespace tilewright::test
