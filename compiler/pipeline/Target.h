// What the compiler must know of a processor: facts, no decisions.
#pragma once

#include <string>
#include <vector>

namespace tilewright::compiler {

/// A CPU that code is made for.
struct CpuTarget {
  std::string triple;    ///< `x86_64-pc-linux-gnu`
  std::string processor; ///< LLVM's name: `znver4`
  std::string features;  ///< LLVM's feature string: `+avx2,-avx512f,…`
  unsigned vectorBits = 128; ///< the widest vectors of floats
  bool convertsF16 = false;  ///< instructions for f16 <-> f32
  bool fusesMultiplyAdd = false; ///< instructions for a · b + c with one rounding
  bool scalesByPowers = false;   ///< an instruction for a · 2^n with one rounding, on vectors (AVX-512's vscalef)
  std::vector<std::string> extensions; ///< of the instruction set, those of TW_X86_FEATURES: code for this target may use them

  /// The processor this runs on.
  static CpuTarget host();
  /// A processor by LLVM's name, with that processor's features; empty: the host. `processor` is empty in the result if LLVM does
  /// not know the name.
  static CpuTarget named(const std::string &processor);
};

} // namespace tilewright::compiler
