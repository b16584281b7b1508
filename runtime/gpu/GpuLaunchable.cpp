#include "runtime/gpu/GpuLaunchable.h"

#include "runtime/Text.h"
#include "runtime/gpu/GpuKernel.h"

#include <algorithm>
#include <array>
#include <chrono>

using namespace tilewright::runtime;

namespace {

constexpr size_t messagesSlot = 0, messageWordsSlot = 1, tilesSlot = 2, partialSumsSlot = 3, chunksSlot = 4, firstSlot = 6;

constexpr int64_t mostTilesOfALaunch = INT32_MAX; // blocks in x
constexpr int64_t mostBlocksInY = 65'535;
constexpr int64_t mostChunks = 1024;
constexpr int64_t mostMessageWords = int64_t(2) << 20; // 16 MiB
constexpr int64_t reportsOfATile = 64;                 // for which there is room, of the largest
constexpr uint32_t elementThreads = 256;               // of a block of begin and finish
constexpr int64_t wavesOfBlocks = 4;

} // namespace

// ---- Preparing --------------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<Launchable>> GpuLaunchable::create(std::shared_ptr<Context> context,
                                                          std::shared_ptr<const LoadedKernel> kernel, const Call &call,
                                                          const SpecializationRequest &request) {
  Result<BoundKernel> bound = BoundKernel::bind(std::move(kernel), call, request, firstSlot);
  if (!bound.ok())
    return bound.takeStatus();
  std::unique_ptr<GpuLaunchable> launchable(new GpuLaunchable(std::move(context), std::move(*bound)));
  if (Status status = launchable->plan(); !status.ok())
    return status;
  return std::unique_ptr<Launchable>(std::move(launchable));
}

Status GpuLaunchable::plan() {
  const Artifact &artifact = kernel.artifact();
  const GpuProperties &properties = device().properties();
  Result<TensorMaps> maps = TensorMaps::make(kernel, code().device, standIns);
  if (!maps.ok())
    return maps.takeStatus();
  preparedMaps = std::move(*maps);
  auto workspace = std::make_unique<Workspace>(Workspace{kernel.makeWorkspace(), preparedMaps});
  Result<int64_t> tiles = countTiles(workspace->values);
  if (!tiles.ok())
    return tiles.takeStatus();
  tileCount = *tiles;
  mostTiles = artifact.program.gridDependsOnScalars() ? -1 : tileCount;

  int64_t blocksAtOnce =
      properties.multiprocessors * std::max<int64_t>(1, properties.threadsPerMultiprocessor / artifact.gpu.threads);
  if (artifact.gpu.isNested)
    nestedBlocks = static_cast<uint32_t>(
        std::clamp(wavesOfBlocks * blocksAtOnce / std::max<int64_t>(tileCount, 1), int64_t(1), mostBlocksInY));

  Result<DeviceBuffer> sums = DeviceBuffer::allocate(code().device, chunkCount(mostTiles) * kernel.sumBytes());
  if (!sums.ok())
    return sums.takeStatus();
  partialSums = std::move(*sums);

  int64_t elements = 1; // that begin and finish go over
  for (size_t index = 0; index < kernel.views().size(); ++index)
    if (artifact.signature.parameters[index].isWritten() && artifact.present[index])
      elements = std::max(elements, kernel.views()[index].elements());
  int64_t most = wavesOfBlocks * properties.multiprocessors * std::max(1, properties.threadsPerMultiprocessor / 256);
  elementBlocks = static_cast<uint32_t>(std::clamp((elements + elementThreads - 1) / elementThreads, int64_t(1), most));

  workspaces.giveBack(std::move(workspace));
  return planMessages();
}

Status GpuLaunchable::planMessages() {
  int64_t wordsOfATile = kernel.artifact().gpu.messageWords;
  if (wordsOfATile == 0)
    return {};
  bool isKnown = mostTiles >= 0 && !kernel.artifact().gpu.isNested;
  int64_t blocks = std::min(isKnown ? std::max<int64_t>(mostTiles, 1) : mostMessageWords, mostMessageWords);
  int64_t ofATile = std::min(reportsOfATile * wordsOfATile, mostMessageWords);
  Result<MessageBuffer> buffer = MessageBuffer::make(code().device, std::min(2 + blocks * ofATile, mostMessageWords));
  if (buffer.ok())
    messages = std::move(*buffer);
  return buffer.takeStatus();
}

LaunchFigures GpuLaunchable::figures() const {
  LaunchFigures figures;
  figures.tiles = kernel.artifact().gpu.isNested ? -1 : tileCount;
  figures.chunks = chunkCount(tileCount);
  figures.partialSumBytes = figures.chunks * kernel.sumBytes();
  figures.workspaceBytes = partialSums.size() + messages.bytes() + standIns.size() +
                           static_cast<int64_t>(kernel.arguments().size() * sizeof(int64_t) + preparedMaps.all().size_bytes());
  figures.threads = kernel.artifact().gpu.threads;
  return figures;
}

/// T, with the scalars of the workspace.
Result<int64_t> GpuLaunchable::countTiles(BoundKernel::Workspace &workspace) const {
  const Artifact &artifact = kernel.artifact();
  std::optional<int64_t> tiles = artifact.program.gridTiles(kernel.extents(), workspace.scalars, workspace.checks);
  if (!tiles)
    return Status(TW_DAMAGED_ARTIFACT,
                  concat("kernel ", artifact.signature.name, ": its grid has an axis whose range the host cannot compute"));
  if (*tiles > mostTilesOfALaunch)
    return Status(TW_UNSUPPORTED,
                  concat("kernel ", artifact.signature.name, " has ", *tiles, " tiles for these shapes, and a launch on a GPU ",
                         mostTilesOfALaunch, " at most: bind larger tunables"));
  return *tiles;
}

int64_t GpuLaunchable::chunkCount(int64_t tiles) const {
  return kernel.chunkCount(tiles, mostChunks);
}

// ---- Launching --------------------------------------------------------------------------------------------------------------

Status GpuLaunchable::launch(std::span<const tw_value> values, void *stream) {
  FreeList<Workspace>::Loan loan(workspaces,
                                 [&] { return std::make_unique<Workspace>(Workspace{kernel.makeWorkspace(), preparedMaps}); });
  BoundKernel::Workspace &workspace = (*loan).values;
  if (Status status = kernel.setValues(values, workspace); !status.ok())
    return status;
  if (Status status = (*loan).maps.follow(workspace.arguments, device()); !status.ok())
    return status;
  int64_t tiles = tileCount;
  if (workspace.scalarsChanged && mostTiles < 0) {
    Result<int64_t> counted = countTiles(workspace);
    if (!counted.ok())
      return counted.takeStatus();
    tiles = *counted;
  }
  workspace.arguments[messagesSlot] = static_cast<int64_t>(messages.address());
  workspace.arguments[messageWordsSlot] = messages.words();
  workspace.arguments[tilesSlot] = tiles;
  workspace.arguments[partialSumsSlot] = static_cast<int64_t>(partialSums.address());
  workspace.arguments[chunksSlot] = chunkCount(tiles);
  if (messages.words() > 0)
    return launchWithMessages(*loan, tiles, stream);
  if (partialSums.size() == 0)
    return launchParts(*loan, tiles, stream);
  std::lock_guard lock(sharedMemory);
  return launchParts(*loan, tiles, stream);
}

Result<int64_t> GpuLaunchable::timeNanoseconds(std::span<const tw_value> values, int launches, void *stream) {
  return device().timeNanoseconds(stream, [&] { return launchAll(values, launches, stream); });
}

GpuGrid GpuLaunchable::gridOf(int64_t tiles) const {
  const int64_t cluster = kernel.artifact().gpu.clusterBlocks;
  if (int64_t resident = kernel.artifact().gpu.residentBlocks * device().properties().multiprocessors; resident > 0)
    return {static_cast<uint32_t>(std::min(tiles, std::max<int64_t>(1, resident / cluster)) * cluster)};
  if (kernel.artifact().sums.empty())
    return {static_cast<uint32_t>(tiles), nestedBlocks};
  return {static_cast<uint32_t>(chunkCount(tiles))};
}

Status GpuLaunchable::launchParts(const Workspace &workspace, int64_t tiles, void *stream) const {
  const GpuParameter slots[] = {std::as_bytes(std::span(workspace.values.arguments))};
  const GpuLaunchShape overElements = {{elementBlocks}, elementThreads, 0, 1};
  if (code().begin)
    if (Status status = device().launch(*code().begin, overElements, slots, stream); !status.ok())
      return status;
  if (tiles > 0)
    if (Status status = launchTiles(workspace, tiles, stream); !status.ok())
      return status;
  return code().finish ? device().launch(*code().finish, overElements, slots, stream) : Status();
}

Status GpuLaunchable::launchTiles(const Workspace &workspace, int64_t tiles, void *stream) const {
  std::array<GpuParameter, mostGpuParameters> parameters;
  parameters[0] = std::as_bytes(std::span(workspace.values.arguments));
  size_t count = 1;
  for (const GpuTensorMap &map : workspace.maps.all())
    parameters[count++] = map.bytes;
  const GpuArtifact &gpu = kernel.artifact().gpu;
  GpuLaunchShape shape = {gridOf(tiles), static_cast<uint32_t>(gpu.threads), static_cast<uint32_t>(gpu.sharedBytes),
                          static_cast<uint32_t>(gpu.clusterBlocks)};
  return device().launch(*code().tiles, shape, std::span(parameters).first(count), stream);
}

Status GpuLaunchable::launchWithMessages(const Workspace &workspace, int64_t tiles, void *stream) {
  auto begin = std::chrono::steady_clock::now();
  std::lock_guard lock(sharedMemory);
  if (Status status = messages.clear(stream); !status.ok())
    return status;
  Status status = launchParts(workspace, tiles, stream);
  if (status.ok())
    status = device().synchronize(stream);
  elapsed.store((std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1), std::memory_order_relaxed);
  Reporter reporter(*context, kernel.artifact());
  int64_t lostWords = 0;
  Status delivered = messages.deliver(kernel.artifact(), reporter, stream, &lostWords); // also what came before a fault
  if (!status.ok())
    return status;
  return delivered.ok() ? outcomeOf(reporter, lostWords) : std::move(delivered);
}

Status GpuLaunchable::outcomeOf(const Reporter &reporter, int64_t lostWords) const {
  if (lostWords == 0)
    return reporter.outcome();
  const Artifact &artifact = kernel.artifact();
  std::string lost = concat("kernel ", artifact.signature.name, " reported more than its message buffer of ", messages.bytes(),
                            " bytes holds: ", lostWords * 8, " bytes of messages are lost");
  context->log.warning(lost);
  bool mayHaveFailed = std::any_of(artifact.messages.begin(), artifact.messages.end(),
                                   [](const Message &message) { return message.kind == TW_REPORT_ASSERT; });
  if (reporter.hasFailures() || !mayHaveFailed)
    return reporter.outcome();
  return Status(TW_ASSERTION_FAILED, concat(lost, ", and a failed assertion may be among them"));
}
