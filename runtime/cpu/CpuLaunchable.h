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
#include "runtime/Launchable.h"
#include "runtime/cpu/AlignedBuffer.h"
#include "runtime/cpu/FreeList.h"
#include "runtime/cpu/TileCost.h"

#include <memory>
#include <span>

namespace tilewright::runtime {

class CpuLaunchable : public Launchable {
public:
  static Result<std::unique_ptr<Launchable>> create(std::shared_ptr<Context> context,
                                                    std::shared_ptr<const LoadedKernel> kernel, const Call &call,
                                                    const SpecializationRequest &request);

  Status launch(std::span<const tw_value> values, void *stream) override;
  Result<int64_t> timeNanoseconds(std::span<const tw_value> values, int launches, void *stream) override;
  LaunchFigures figures() const override;

private:
  /// What one running launch needs for itself.
  struct Workspace {
    BoundKernel::Workspace values;
    AlignedBuffer scratch;     ///< scratchStride for each thread
    AlignedBuffer partialSums; ///< for each chunk
    AlignedBuffer coordinates; ///< of listed grids: grows to the largest grid seen
  };

  CpuLaunchable(std::shared_ptr<Context> context, BoundKernel kernel);
  void planGrid();

  const tw_cpu_entry_points &entry() const { return kernel.loaded().entry; }
  std::unique_ptr<Workspace> makeWorkspace() const;
  int64_t chunkCount(int64_t tiles) const; ///< of unknown (negative) tiles: the most there can be

  void callTiles(Workspace &workspace, int64_t first, int64_t last, int64_t chunk, int thread) const;
  void runTiles(Workspace &workspace, int64_t tiles, bool parallel);
  void runChunks(Workspace &workspace, int64_t tiles, bool parallel);
  void finishSums(Workspace &workspace, int64_t chunks, bool parallel) const;
  /// body(first, last, thread): on the pool, or here and now.
  template <typename Body> void forEach(int64_t count, int64_t grain, bool parallel, const Body &body) const;

  std::shared_ptr<Context> context;
  int64_t tileCount = -1; ///< as prepared; negative: memory decides
  int64_t mostTiles = -1; ///< of any launch; negative: not known
  size_t scratchStride = 0;
  int threadCount = 1;
  bool inOrder = false; ///< the kernel prints: on the caller, so that the output is in the order of the tiles
  TileCost tileCost;
  FreeList<Workspace> workspaces;
};

} // namespace tilewright::runtime
