// A kernel for the CPU, bound to shapes: everything that can be done before the addresses are known is done, so that a launch
// only fills slots and calls code.
//
// How a launch is cut. The code runs tiles in any order and in parallel. An output that tiles share (a sum over the grid) is
// formed in chunks: each chunk of consecutive tiles sums into memory of its own, on one thread, and the chunks are added in
// their order. The number of chunks is a function of the shapes alone, never of the threads, so the result has the same bits on
// every machine: as many as there are tiles, at most 16, fewer if their memory would pass 256 MiB. Sixteen keep sixteen threads
// busy, and what the last step adds stays small beside the work itself. Without sums there is nothing to fix, and tiles are
// handed out as threads come free.
//
// A launch whose tiles take less time than waking a thread runs on the caller.
#pragma once

#include "runtime/Context.h"
#include "runtime/Dimensions.h"
#include "runtime/LoadedKernel.h"
#include "runtime/Specialization.h"
#include "runtime/cpu/AlignedBuffer.h"
#include "runtime/cpu/FreeList.h"
#include "runtime/cpu/TileCost.h"

#include <memory>
#include <span>
#include <vector>

namespace tilewright::runtime {

class CpuLaunchable {
public:
  static Result<std::unique_ptr<CpuLaunchable>> create(std::shared_ptr<Context> context,
                                                       std::shared_ptr<const LoadedKernel> kernel, const Call &call,
                                                       const SpecializationRequest &request);

  /// values: empty, or one for each parameter. Any number of threads at once.
  Status launch(std::span<const tw_value> values);

  int64_t elapsedNanoseconds() const { return elapsed.load(std::memory_order_relaxed); }

  // What tw_launchable_info tells.
  const Artifact &artifact() const { return kernel->artifact; }
  const LoadedKernel &loaded() const { return *kernel; }
  const std::vector<std::pair<std::string, int64_t>> &dimensions() const { return namedDimensions; }
  int64_t tiles() const { return tileCount; }
  int64_t chunks() const { return chunkCount(tileCount); }
  int threads() const { return threadCount; }
  int64_t scratchBytes() const { return static_cast<int64_t>(scratchStride); }
  int64_t partialSumBytes() const { return chunks() * sumBytes; }
  int64_t workspaceBytes() const;
  const DotOperations &operations() const { return dotOperations; }

private:
  /// What one running launch needs for itself.
  struct Workspace {
    std::vector<int64_t> arguments;
    std::vector<Interval> scalars;
    LaunchProgram::Workspace checks;
    AlignedBuffer scratch;     ///< scratchStride for each thread
    AlignedBuffer partialSums; ///< sumBytes for each chunk
    AlignedBuffer coordinates; ///< of listed grids: grows to the largest grid seen
  };
  class Reporter;
  struct Loan;

  CpuLaunchable(std::shared_ptr<Context> context, std::shared_ptr<const LoadedKernel> kernel)
      : context(std::move(context)), kernel(std::move(kernel)) {}
  Status bind(const Call &call, const SpecializationRequest &request);
  Status checkFacts(const Call &call) const;
  void layOutSlots(const Arguments &given);
  void planGrid();

  std::unique_ptr<Workspace> makeWorkspace() const;
  int64_t chunkCount(int64_t tiles) const; ///< of unknown (negative) tiles: the most there can be

  Status checkOverlaps(const int64_t *arguments, bool mayBeMissing) const;
  Status setAddress(size_t parameter, void *address, Workspace &workspace) const;
  Status setScalar(size_t parameter, tw_value value, Workspace &workspace, bool &changed) const;
  Status setValues(std::span<const tw_value> values, Workspace &workspace) const;
  void callTiles(Workspace &workspace, int64_t first, int64_t last, int64_t chunk, int thread) const;
  void runTiles(Workspace &workspace, int64_t tiles, bool parallel);
  void runChunks(Workspace &workspace, int64_t tiles, bool parallel);
  void finishSums(Workspace &workspace, int64_t chunks, bool parallel) const;
  /// body(first, last, thread): on the pool, or here and now.
  template <typename Body> void forEach(int64_t count, int64_t grain, bool parallel, const Body &body) const;

  std::shared_ptr<Context> context;
  std::shared_ptr<const LoadedKernel> kernel;
  std::vector<BoundView> views;                          ///< by parameter
  std::vector<int64_t> arguments;                        ///< the slots, as prepared
  std::vector<size_t> slots;                             ///< by parameter: its first slot
  std::vector<int64_t> extents;                          ///< of the named dimensions, by slot
  std::vector<Interval> scalars;                         ///< as prepared, by position
  std::vector<std::pair<size_t, size_t>> mustNotOverlap; ///< pairs of parameters
  std::vector<std::pair<std::string, int64_t>> namedDimensions;
  int64_t tileCount = -1; ///< as prepared; negative: memory decides
  int64_t mostTiles = -1; ///< of any launch; negative: not known
  int64_t sumBytes = 0;   ///< of all sums of one chunk
  size_t scratchStride = 0;
  int threadCount = 1;
  bool inOrder = false; ///< the kernel prints: on the caller, so that the output is in the order of the tiles
  DotOperations dotOperations;
  TileCost tileCost;
  FreeList<Workspace> workspaces;
  std::atomic<int64_t> elapsed = 0;
};

} // namespace tilewright::runtime
