// A kernel for a GPU, bound to shapes: a launch fills slots and puts one to three kernels into the caller's stream.
//
// How a launch is cut. The host knows T, the number of tiles of the outermost axes. Without sums there is a block for each, and
// for a nested grid Y blocks that share what lies within, enough to fill the device several times over. Resident blocks are no
// more than the device runs at once, and take one tile after another. An output that tiles share is formed in C chunks, as on
// the CPU: each block sums consecutive tiles into memory of its own, and the chunks are added in their order. C is a function
// of the shapes alone, so that the result has the same bits on every device.
//
// A kernel that reports nothing is launched without an allocation, a lock or a wait, unless it sums: its launches then share
// the partial sums, so the parts of one must reach the stream together. One that prints or asserts is waited for.
#pragma once

#include "runtime/Context.h"
#include "runtime/Launchable.h"
#include "runtime/cpu/FreeList.h"
#include "runtime/gpu/MessageBuffer.h"
#include "runtime/gpu/TensorMaps.h"

#include <memory>
#include <mutex>
#include <span>

namespace tilewright::runtime {

class GpuLaunchable : public Launchable {
public:
  static Result<std::unique_ptr<Launchable>> create(std::shared_ptr<Context> context,
                                                    std::shared_ptr<const LoadedKernel> kernel, const Call &call,
                                                    const SpecializationRequest &request);

  Status launch(std::span<const tw_value> values, void *stream) override;
  Result<int64_t> timeNanoseconds(std::span<const tw_value> values, int launches, void *stream) override;
  LaunchFigures figures() const override;

private:
  GpuLaunchable(std::shared_ptr<Context> context, BoundKernel kernel)
      : Launchable(std::move(kernel)), context(std::move(context)) {}

  /// What one running launch sets for itself.
  struct Workspace {
    BoundKernel::Workspace values;
    TensorMaps maps;
  };

  Status plan();
  Status planMessages();

  Result<int64_t> countTiles(BoundKernel::Workspace &workspace) const;
  int64_t chunkCount(int64_t tiles) const; ///< of unknown (negative) tiles: the most there can be
  GpuGrid gridOf(int64_t tiles) const;

  Status launchParts(const Workspace &workspace, int64_t tiles, void *stream) const;
  Status launchTiles(const Workspace &workspace, int64_t tiles, void *stream) const;
  Status launchWithMessages(const Workspace &workspace, int64_t tiles, void *stream);
  Status outcomeOf(const Reporter &reporter, int64_t lostWords) const;

  const GpuKernel &code() const { return *kernel.loaded().gpu; }
  GpuDevice &device() const { return *code().device; }

  std::shared_ptr<Context> context;
  int64_t tileCount = 0; ///< as prepared
  int64_t mostTiles = 0; ///< of any launch; negative: not known
  uint32_t nestedBlocks = 1;
  uint32_t elementBlocks = 1; ///< of begin and finish
  DeviceBuffer partialSums;
  MessageBuffer messages;
  std::mutex sharedMemory; ///< of partialSums and messages
  DeviceBuffer standIns;   ///< of the maps
  TensorMaps preparedMaps; ///< those of a workspace begin as these
  FreeList<Workspace> workspaces;
};

} // namespace tilewright::runtime
