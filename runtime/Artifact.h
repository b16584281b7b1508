// An artifact: what the compiler makes of one specialization (format in compiler_c.h), read and validated.
//
// Nothing here trusts the bytes: lengths, names and numbers are checked, and what is wrong is a status. The code itself is
// trusted as the compiler's; a cache on disk keeps a hash of it.
#pragma once

#include "runtime/LaunchProgram.h"
#include "runtime/Signature.h"
#include "runtime/cuda/CudaSource.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace tilewright::runtime {

/// An output that tiles share: each chunk of tiles sums apart, then the parts are added. (Or how often an output is written.)
struct Sum {
  size_t parameter = 0;
  tw_dtype dtype = TW_F32;
};

struct MessagePart {
  std::string text;
  tw_dtype dtype = TW_NO_DTYPE; ///< TW_NO_DTYPE: a text; else a value
};

/// A print, or a check that failed. The parts are joined as they are.
struct Message {
  tw_report_kind kind = TW_REPORT_PRINT;
  std::vector<MessagePart> parts;
  std::string where;
  int64_t positionCount = 0; ///< how many of the values, the last ones, are the position in the grid
};

/// A tensor map that the entry `tiles` takes: of a view, in boxes.
struct ViewTensorMap {
  size_t parameter = 0;
  std::vector<int> order;    ///< the view's dimensions of memory, fastest first
  std::vector<uint32_t> box; ///< elements, in the same order
  unsigned swizzleBytes = 0; ///< 0, 32, 64, 128
  bool roundsToTF32 = false;
};

/// What only code for a GPU has (compiler_c.h: "GPU code").
struct GpuArtifact {
  std::string tiles, begin, finish; ///< entries; "": there is none
  int64_t threads = 0;              ///< of a block of `tiles`
  int64_t sharedBytes = 0;          ///< dynamic, of such a block
  int64_t messageWords = 0;         ///< the most that a tile reports at once; 0: the kernel reports nothing
  bool isNested = false;            ///< tiles remain within each of the grid axes'
  int64_t residentBlocks = 0;       ///< of a multiprocessor, which take tiles until none is left; 0: a block for each tile
  int64_t clusterBlocks = 1;        ///< that have a tile together: a launch has whole clusters
  std::vector<ViewTensorMap> tensorMaps;
  cuda::CudaSource functions; ///< in CUDA C++, which the code calls; an empty text: none
};

struct Artifact {
  Signature signature; ///< every dtype resolved; its dimension names start with the slots
  std::string target, processor;
  std::vector<std::string> features; ///< of the processor, which the code may use
  bool checked = false;
  std::vector<bool> present;       ///< by parameter; scalars are
  std::vector<int32_t> packRank;   ///< by parameter
  std::vector<int32_t> packRun;    ///< by parameter
  std::vector<int32_t> alignment;  ///< by parameter; 1 if nothing is said
  std::vector<int32_t> unitStride; ///< by parameter; -1: none
  std::map<std::string, int64_t> constants;
  size_t slotCount = 0; ///< of run-time extents
  std::vector<std::pair<std::string, int64_t>> chosen;
  std::vector<Sum> sums;
  bool isListed = false;
  size_t gridVariables = 0;
  int64_t scratchBytes = 0;
  std::vector<Message> messages;
  GpuArtifact gpu;
  LaunchProgram program;

  bool isForGpu() const { return target == "cuda"; }

  std::span<const std::byte> code; ///< points into the bytes that were parsed

  static Result<Artifact> parse(std::span<const std::byte> bytes);
};

} // namespace tilewright::runtime
