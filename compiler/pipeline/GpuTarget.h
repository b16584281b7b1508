// What the compiler must know of a GPU: facts, no decisions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilewright::compiler {

/// An architecture that PTX is made for. Code for `sm_90a` runs on devices of capability 9.0 and no others; code for `sm_80` on
/// all later ones too.
struct GpuTarget {
  std::string_view name; ///< of the architecture, LLVM's and ptxas' name: `sm_90a`
  unsigned capability;   ///< 90 for compute capability 9.0
  bool isSpecific;       ///< an `a` architecture: runs on this capability alone, may use what is promised to no other
  unsigned ptxVersion;   ///< the lowest that LLVM takes for it, 80 for 8.0; instructions may need a higher one

  unsigned sharedBytesPerBlock;          ///< dynamic shared memory that a block may opt in to
  unsigned sharedBytesPerMultiprocessor; ///< of which each resident block costs 1 KiB beside its own
  unsigned registersPerMultiprocessor;   ///< of 32 bits; a block has no more, a thread at most 255
  unsigned threadsPerMultiprocessor;
  unsigned blocksPerMultiprocessor;

  bool multipliesF8;               ///< mma.sync on f8e4m3 and f8e5m2
  bool convertsF8;                 ///< f8 <-> f16, f32 -> f8
  bool storesMatrices;             ///< stmatrix
  bool copiesTiles;                ///< TMA: cp.async.bulk.tensor, and mbarriers that count bytes
  bool hasClusters;                ///< of blocks, with each other's shared memory
  bool multipliesFromShared;       ///< wgmma
  bool movesRegistersBetweenWarps; ///< setmaxnreg
  bool reducesFloats;              ///< redux.sync on f32

  /// The architecture of that name; `sm_90` is taken for `sm_90a`, `sm_100` and `sm_120` likewise.
  static std::optional<GpuTarget> named(std::string_view text);
  /// The names that `named` knows, for messages: "sm_80, sm_86, …".
  static std::string names();
};

} // namespace tilewright::compiler
