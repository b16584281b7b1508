#include "runtime/cpu/CpuLaunchable.h"

#include "runtime/Reporter.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace tilewright::runtime;

namespace {

constexpr int64_t mostChunks = 16;
constexpr int64_t elementsOfOneFinish = 32'768;

constexpr size_t reportSlot = 0, reportContextSlot = 1, coordinatesSlot = 2, partialSumsSlot = 3, firstSlot = 4;

/// Kernels count on IEEE arithmetic, denormals included, whatever the caller's thread (or a thread of the pool) is set to.
class StandardFloatingPoint {
#if defined(__x86_64__)
public:
  StandardFloatingPoint() : before(_mm_getcsr()) {
    if ((before & settings) != standard)
      _mm_setcsr((before & ~settings) | standard);
  }
  ~StandardFloatingPoint() {
    if ((before & settings) != standard)
      _mm_setcsr(before);
  }

private:
  // Rounding mode, exception masks, flush to zero, denormals are zero; not the exception flags.
  static constexpr unsigned settings = 0xffc0, standard = 0x1f80;
  unsigned before;
#endif
};

/// tw_cpu_report
void receive(void *reporter, int64_t message, const int64_t *values, int64_t count) {
  try {
    static_cast<Reporter *>(reporter)->take(message, std::span(values, static_cast<size_t>(std::max<int64_t>(count, 0))));
  } catch (...) { // out of memory; it must not pass through the kernel
  }
}

} // namespace

// ---- Preparing --------------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<Launchable>> CpuLaunchable::create(std::shared_ptr<Context> context,
                                                          std::shared_ptr<const LoadedKernel> kernel, const Call &call,
                                                          const SpecializationRequest &request) {
  Result<BoundKernel> bound = BoundKernel::bind(std::move(kernel), call, request, firstSlot);
  if (!bound.ok())
    return bound.takeStatus();
  return std::unique_ptr<Launchable>(new CpuLaunchable(std::move(context), std::move(*bound)));
}

CpuLaunchable::CpuLaunchable(std::shared_ptr<Context> context, BoundKernel kernel)
    : Launchable(std::move(kernel)), context(std::move(context)) {
  planGrid();
  workspaces.giveBack(makeWorkspace());
}

void CpuLaunchable::planGrid() {
  const Artifact &artifact = kernel.artifact();
  if (!artifact.isListed)
    tileCount = std::max<int64_t>(entry().count(kernel.arguments().data()), 0);
  scratchStride = AlignedBuffer::rounded(static_cast<size_t>(artifact.scratchBytes));
  inOrder = std::any_of(artifact.messages.begin(), artifact.messages.end(),
                        [](const Message &message) { return message.kind == TW_REPORT_PRINT; });
  tileCost.begin(kernel.operations().count, tileCount);
  // A grid that memory or scalars decide may be larger at launch than now.
  bool mayGrow = artifact.isListed || artifact.signature.scalarCount > 0;
  mostTiles = mayGrow ? -1 : tileCount;
  threadCount = !inOrder && (mayGrow || tileCount > 1) ? context->pool.threads() : 1;
}

std::unique_ptr<CpuLaunchable::Workspace> CpuLaunchable::makeWorkspace() const {
  auto workspace = std::make_unique<Workspace>();
  workspace->values = kernel.makeWorkspace();
  workspace->scratch = AlignedBuffer(scratchStride * static_cast<size_t>(threadCount));
  workspace->partialSums = AlignedBuffer(static_cast<size_t>(chunkCount(mostTiles) * kernel.sumBytes()));
  return workspace;
}

LaunchFigures CpuLaunchable::figures() const {
  LaunchFigures figures;
  figures.tiles = tileCount;
  figures.chunks = chunkCount(tileCount);
  figures.scratchBytes = static_cast<int64_t>(scratchStride);
  figures.partialSumBytes = figures.chunks * kernel.sumBytes();
  figures.workspaceBytes = static_cast<int64_t>(scratchStride) * threadCount + chunkCount(mostTiles) * kernel.sumBytes() +
                           static_cast<int64_t>(kernel.arguments().size() * sizeof(int64_t));
  figures.threads = threadCount;
  return figures;
}

int64_t CpuLaunchable::chunkCount(int64_t tiles) const {
  return kernel.chunkCount(tiles, mostChunks);
}

// ---- Launching --------------------------------------------------------------------------------------------------------------

Status CpuLaunchable::launch(std::span<const tw_value> values, void *) {
  auto begin = std::chrono::steady_clock::now();
  FreeList<Workspace>::Loan loan(workspaces, [&] { return makeWorkspace(); });
  Workspace &workspace = *loan;
  if (Status status = kernel.setValues(values, workspace.values); !status.ok())
    return status;

  [[maybe_unused]] StandardFloatingPoint settings;
  Reporter reporter(*context, kernel.artifact());
  int64_t *slotsOfThis = workspace.values.arguments.data();
  slotsOfThis[reportSlot] = slotOf(reinterpret_cast<const void *>(&receive));
  slotsOfThis[reportContextSlot] = slotOf(&reporter);
  slotsOfThis[partialSumsSlot] = slotOf(workspace.partialSums.data());
  int64_t tiles = std::max<int64_t>(entry().count(slotsOfThis), 0);
  if (kernel.artifact().isListed) {
    size_t bytes = static_cast<size_t>(tiles) * 2 * sizeof(int64_t) * kernel.artifact().gridVariables; // (first, end) of each
    if (bytes > workspace.coordinates.size())
      workspace.coordinates = AlignedBuffer(std::max(bytes, 2 * workspace.coordinates.size()));
    slotsOfThis[coordinatesSlot] = slotOf(workspace.coordinates.data());
    entry().list(slotsOfThis, reinterpret_cast<int64_t *>(workspace.coordinates.data()));
  }
  bool parallel = threadCount > 1 && tileCost.areWorthThreads(tiles);
  if (kernel.artifact().sums.empty())
    runTiles(workspace, tiles, parallel);
  else
    runChunks(workspace, tiles, parallel);
  elapsed.store((std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1), std::memory_order_relaxed);
  return reporter.outcome();
}

Result<int64_t> CpuLaunchable::timeNanoseconds(std::span<const tw_value> values, int launches, void *stream) {
  auto begin = std::chrono::steady_clock::now();
  if (Status status = launchAll(values, launches, stream); !status.ok())
    return status;
  return int64_t((std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1));
}

template <typename Body> void CpuLaunchable::forEach(int64_t count, int64_t grain, bool parallel, const Body &body) const {
  if (count <= 0)
    return;
  if (!parallel || count <= grain)
    return body(0, count, 0);
  context->pool.forEach(count, grain, [&](int64_t first, int64_t last, int thread) {
    [[maybe_unused]] StandardFloatingPoint settings;
    body(first, last, thread);
  });
}

void CpuLaunchable::callTiles(Workspace &workspace, int64_t first, int64_t last, int64_t chunk, int thread) const {
  entry().tiles(workspace.values.arguments.data(), first, last, chunk,
                workspace.scratch.data() + static_cast<size_t>(thread) * scratchStride);
}

void CpuLaunchable::runTiles(Workspace &workspace, int64_t tiles, bool parallel) {
  entry().begin(workspace.values.arguments.data(), 0);
  if (tiles == 1)
    return callTiles(workspace, 0, 1, 0, 0);
  TileCost::Measurement measurement(tileCost);
  int64_t grain = std::min(tileCost.tilesOfOnePart(), std::max<int64_t>(1, tiles / threadCount));
  forEach(tiles, grain, parallel, [&](int64_t first, int64_t last, int thread) {
    measurement.time([&] { callTiles(workspace, first, last, 0, thread); });
  });
  if (tiles > 1)
    measurement.learn(tiles);
}

void CpuLaunchable::runChunks(Workspace &workspace, int64_t tiles, bool parallel) {
  int64_t chunks = chunkCount(tiles);
  forEach(chunks, 1, parallel && kernel.sumBytes() > elementsOfOneFinish, [&](int64_t first, int64_t last, int) {
    for (int64_t chunk = first; chunk < last; ++chunk)
      entry().begin(workspace.values.arguments.data(), chunk);
  });
  TileCost::Measurement measurement(tileCost);
  forEach(tiles > 0 ? chunks : 0, 1, parallel, [&](int64_t first, int64_t last, int thread) {
    measurement.time([&] {
      for (int64_t chunk = first; chunk < last; ++chunk)
        callTiles(workspace, chunk * tiles / chunks, (chunk + 1) * tiles / chunks, chunk, thread);
    });
  });
  if (tiles > 0)
    measurement.learn(tiles);
  finishSums(workspace, chunks, parallel);
}

void CpuLaunchable::finishSums(Workspace &workspace, int64_t chunks, bool parallel) const {
  const Artifact &artifact = kernel.artifact();
  for (size_t sum = 0; sum < artifact.sums.size(); ++sum)
    forEach(kernel.views()[artifact.sums[sum].parameter].elements(), elementsOfOneFinish, parallel,
            [&](int64_t first, int64_t last, int) {
              entry().finish(workspace.values.arguments.data(), static_cast<int64_t>(sum), first, last, chunks);
            });
}
