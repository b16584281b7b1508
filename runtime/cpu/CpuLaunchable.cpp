#include "runtime/cpu/CpuLaunchable.h"

#include "runtime/Overlap.h"
#include "runtime/Text.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace tilewright::runtime;

namespace {

constexpr int64_t mostChunks = 16;
constexpr int64_t mostPartialSumBytes = int64_t(256) << 20;
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

int64_t slotOf(const void *address) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(address));
}
void *addressIn(int64_t slot) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(slot)); // NOLINT(performance-no-int-to-ptr): slots hold addresses
}

} // namespace

// ---- Reports of running kernels ---------------------------------------------------------------------------------------------

/// Receives the prints and failed asserts of one launch.
class CpuLaunchable::Reporter {
public:
  Reporter(Context &context, const Artifact &artifact) : context(context), artifact(artifact) {}

  static void receive(void *self, int64_t message, const int64_t *values, int64_t count) {
    try {
      static_cast<Reporter *>(self)->take(message, std::span(values, static_cast<size_t>(std::max<int64_t>(count, 0))));
    } catch (...) { // out of memory; it must not pass through the kernel
    }
  }

  Status outcome() {
    if (!failed.load(std::memory_order_relaxed))
      return {};
    std::string all;
    for (const Failure &failure : failures)
      all += failure.text + '\n';
    return Status(TW_ASSERTION_FAILED, failures.empty() ? std::string("an assertion failed") : failures.front().text, all);
  }

private:
  struct Failure {
    int64_t message;
    std::vector<int64_t> values; ///< those of the position first
    std::string text;

    friend auto operator<=>(const Failure &, const Failure &) = default;
  };
  static constexpr size_t mostFailures = 16;

  void take(int64_t number, std::span<const int64_t> values) {
    if (number < 0 || static_cast<size_t>(number) >= artifact.messages.size())
      return;
    const Message &message = artifact.messages[static_cast<size_t>(number)];
    std::string text;
    size_t next = 0;
    for (const MessagePart &part : message.parts) {
      if (part.dtype == TW_NO_DTYPE)
        text += part.text;
      else if (next < values.size())
        appendValue(text, values[next++], part.dtype);
    }
    if (message.kind == TW_REPORT_ASSERT) {
      failed.store(true, std::memory_order_relaxed);
      auto count = static_cast<size_t>(std::clamp<int64_t>(message.positionCount, 0, static_cast<int64_t>(values.size())));
      std::vector<int64_t> ordered(values.end() - static_cast<std::ptrdiff_t>(count), values.end());
      ordered.insert(ordered.end(), values.begin(), values.end() - static_cast<std::ptrdiff_t>(count));
      keep({number, std::move(ordered), concat(message.where, ": assertion failed", text.empty() ? "" : ": ", text)});
    }
    context.report({message.kind, artifact.signature.name.c_str(), message.where.c_str(), text.c_str()});
  }

  /// Threads come in any order: the first failures are those of the first messages, and of the first places of the grid.
  void keep(Failure failure) {
    std::lock_guard lock(mutex);
    failures.insert(std::upper_bound(failures.begin(), failures.end(), failure), failure);
    if (failures.size() > mostFailures)
      failures.pop_back();
  }

  static void appendValue(std::string &to, int64_t slot, tw_dtype dtype) {
    Scalar value = decode(slot, dtype);
    if (dtype == TW_BOOL)
      to += value.integer ? "true" : "false";
    else if (dtype == TW_F64)
      append(to, value.real);
    else if (value.isReal)
      append(to, static_cast<float>(value.real)); // as short as the dtype allows
    else
      append(to, value.integer);
  }

  Context &context;
  const Artifact &artifact;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::vector<Failure> failures; ///< in order
};

// ---- Preparing --------------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<CpuLaunchable>> CpuLaunchable::create(std::shared_ptr<Context> context,
                                                             std::shared_ptr<const LoadedKernel> kernel, const Call &call,
                                                             const SpecializationRequest &request) {
  std::unique_ptr<CpuLaunchable> launchable(new CpuLaunchable(std::move(context), std::move(kernel)));
  if (Status status = launchable->bind(call, request); !status.ok())
    return status;
  return launchable;
}

/// The compiler must have compiled what it was asked for.
Status CpuLaunchable::checkFacts(const Call &call) const {
  const Artifact &artifact = kernel->artifact;
  if (artifact.signature.parameters.size() != call.views.size())
    return Status(TW_DAMAGED_ARTIFACT, concat("the artifact of kernel ", artifact.signature.name, " has other parameters"));
  for (size_t index = 0; index < call.views.size(); ++index) {
    const Parameter &parameter = artifact.signature.parameters[index];
    if (!parameter.isView())
      continue;
    const std::optional<ViewArgument> &view = call.arguments.views[index];
    const ViewFacts &facts = call.views[index].facts;
    bool fits = view.has_value() == artifact.present[index];
    if (fits && view)
      fits = view->dtype == dtypeNamed(parameter.dtype) && artifact.packRank[index] == facts.packRank &&
             artifact.alignment[index] <= facts.alignment &&
             (artifact.unitStride[index] < 0 || artifact.unitStride[index] == facts.unitStrideDimension);
    if (!fits)
      return Status(TW_DAMAGED_ARTIFACT,
                    concat("the artifact of kernel ", artifact.signature.name, " is for another view ", parameter.name));
  }
  return {};
}

Status CpuLaunchable::bind(const Call &call, const SpecializationRequest &request) {
  if (Status status = checkFacts(call); !status.ok())
    return status;
  const Artifact &artifact = kernel->artifact;
  std::vector<std::pair<std::string, int64_t>> given; // an artifact may know fewer names: only those that it uses
  for (const auto &dimension : request.dimensions)
    if (std::find(artifact.signature.dimensionNames.begin(), artifact.signature.dimensionNames.end(), dimension.first) !=
        artifact.signature.dimensionNames.end())
      given.push_back(dimension);
  Result<Dimensions> dimensions = Dimensions::bind(artifact.signature, call.arguments, given, artifact.constants);
  if (!dimensions.ok())
    return dimensions.takeStatus();
  for (size_t slot = 0; slot < artifact.signature.dimensionNames.size(); ++slot) {
    const BoundDimension &dimension = dimensions->all()[slot];
    if (slot < artifact.slotCount) {
      if (!dimension.bound)
        return Status(TW_INVALID_SHAPE, concat("dimension ", artifact.signature.dimensionNames[slot], " of kernel ",
                                               artifact.signature.name, " is bound by no view that is given"));
      extents.push_back(dimension.extent);
    }
    if (dimension.bound)
      namedDimensions.emplace_back(artifact.signature.dimensionNames[slot], dimension.extent);
  }
  views = call.views;
  for (size_t index = 0; index < views.size(); ++index) {
    const Parameter &parameter = artifact.signature.parameters[index];
    if (!parameter.isWritten() || !artifact.present[index])
      continue;
    if (Answer answer = overlapsItself(views[index]); answer != Answer::No)
      return Status(TW_CHECK_FAILED, concat("parameter ", parameter.name, ": is written, and ",
                                            answer == Answer::Yes ? "has several elements at one address"
                                                                  : "cannot be shown to have its elements apart",
                                            " (check its strides)"));
    for (size_t other = 0; other < views.size(); ++other) {
      const Parameter &otherParameter = artifact.signature.parameters[other];
      if (other != index && otherParameter.isView() && artifact.present[other] &&
          !(otherParameter.isWritten() && other < index))
        mustNotOverlap.emplace_back(index, other);
    }
  }
  for (const Parameter &parameter : artifact.signature.parameters) {
    if (parameter.isView())
      continue;
    const std::optional<Scalar> &scalar = call.arguments.scalars[parameter.scalar];
    tw_dtype dtype = dtypeNamed(parameter.dtype);
    std::optional<int64_t> slot = scalar ? encode(*scalar, dtype) : std::nullopt;
    if (!slot)
      return Status(TW_INVALID_ARGUMENT, concat("parameter ", parameter.name, ": has no value of ", parameter.dtype));
    scalars.push_back(Interval::of(decode(*slot, dtype)));
  }
  LaunchProgram::Workspace checks = artifact.program.makeWorkspace();
  if (Status status = artifact.program.check(extents, scalars, views, checks, /*onlyWhatScalarsDecide=*/false); !status.ok())
    return status;
  layOutSlots(call.arguments);
  if (Status status = checkOverlaps(arguments.data(), /*mayBeMissing=*/true); !status.ok())
    return status;
  planGrid();
  workspaces.giveBack(makeWorkspace());
  return {};
}

void CpuLaunchable::layOutSlots(const Arguments &given) {
  const Artifact &artifact = kernel->artifact;
  arguments.assign(firstSlot, 0);
  arguments[reportSlot] = slotOf(reinterpret_cast<const void *>(&Reporter::receive));
  for (size_t index = 0; index < views.size(); ++index) {
    const Parameter &parameter = artifact.signature.parameters[index];
    slots.push_back(arguments.size());
    if (!parameter.isView()) {
      arguments.push_back(*encode(*given.scalars[parameter.scalar], dtypeNamed(parameter.dtype)));
    } else if (artifact.present[index]) {
      const BoundView &view = views[index];
      arguments.push_back(slotOf(view.data));
      arguments.insert(arguments.end(), view.extents, view.extents + view.rank);
      arguments.insert(arguments.end(), view.strides, view.strides + view.rank);
    }
  }
  arguments.insert(arguments.end(), extents.begin(), extents.end());
}

void CpuLaunchable::planGrid() {
  const Artifact &artifact = kernel->artifact;
  if (!artifact.isListed)
    tileCount = std::max<int64_t>(kernel->entry.count(arguments.data()), 0);
  for (const Sum &sum : artifact.sums)
    sumBytes += static_cast<int64_t>(
        AlignedBuffer::rounded(static_cast<size_t>(views[sum.parameter].elements()) * tw_dtype_bytes(sum.dtype)));
  scratchStride = AlignedBuffer::rounded(static_cast<size_t>(artifact.scratchBytes));
  inOrder = std::any_of(artifact.messages.begin(), artifact.messages.end(),
                        [](const Message &message) { return message.kind == TW_REPORT_PRINT; });
  dotOperations = artifact.program.dotOperations(extents, scalars);
  tileCost.begin(dotOperations.count, tileCount);
  // A grid that memory or scalars decide may be larger at launch than now.
  bool mayGrow = artifact.isListed || artifact.signature.scalarCount > 0;
  mostTiles = mayGrow ? -1 : tileCount;
  threadCount = !inOrder && (mayGrow || tileCount > 1) ? context->pool.threads() : 1;
}

std::unique_ptr<CpuLaunchable::Workspace> CpuLaunchable::makeWorkspace() const {
  auto workspace = std::make_unique<Workspace>();
  workspace->arguments = arguments;
  workspace->scalars = scalars;
  workspace->checks = kernel->artifact.program.makeWorkspace();
  workspace->scratch = AlignedBuffer(scratchStride * static_cast<size_t>(threadCount));
  workspace->partialSums = AlignedBuffer(static_cast<size_t>(chunkCount(mostTiles) * sumBytes));
  return workspace;
}

int64_t CpuLaunchable::workspaceBytes() const {
  return static_cast<int64_t>(scratchStride) * threadCount + chunkCount(mostTiles) * sumBytes +
         static_cast<int64_t>(arguments.size() * sizeof(int64_t));
}

int64_t CpuLaunchable::chunkCount(int64_t tiles) const {
  if (sumBytes == 0)
    return 1;
  int64_t chunks = tiles < 0 ? mostChunks : std::min(tiles, mostChunks);
  return std::max<int64_t>(1, std::min(chunks, mostPartialSumBytes / sumBytes));
}

/// Addresses are those in the slots. At prepare some may be missing (null), which overlap nothing yet.
Status CpuLaunchable::checkOverlaps(const int64_t *slotsToCheck, bool mayBeMissing) const {
  for (auto [written, other] : mustNotOverlap) {
    const void *a = addressIn(slotsToCheck[slots[written]]), *b = addressIn(slotsToCheck[slots[other]]);
    if ((mayBeMissing && (!a || !b)) || overlaps(views[written], a, views[other], b) != Answer::Yes)
      continue;
    const std::vector<Parameter> &parameters = kernel->artifact.signature.parameters;
    return Status(TW_CHECK_FAILED, concat("parameters ", parameters[written].name, " and ", parameters[other].name,
                                          ": share memory, and ", parameters[written].name, " is written"));
  }
  return {};
}

// ---- Launching --------------------------------------------------------------------------------------------------------------

/// A workspace for the time of one launch.
struct CpuLaunchable::Loan {
  explicit Loan(CpuLaunchable &from) : from(from), workspace(from.workspaces.take()) {
    if (!workspace)
      workspace = from.makeWorkspace();
  }
  ~Loan() { from.workspaces.giveBack(std::move(workspace)); }

  CpuLaunchable &from;
  std::unique_ptr<Workspace> workspace;
};

Status CpuLaunchable::setAddress(size_t parameter, void *address, Workspace &workspace) const {
  const BoundView &view = views[parameter];
  const std::string &name = kernel->artifact.signature.parameters[parameter].name;
  if (!address && view.elements() != 0)
    return Status(TW_INVALID_ARGUMENT, concat("parameter ", name, ": the address is null, and the view has ", view.elements(),
                                              view.elements() == 1 ? " element" : " elements"));
  if ((reinterpret_cast<uintptr_t>(address) & static_cast<uintptr_t>(view.facts.alignment - 1)) != 0)
    return Status(TW_INVALID_ARGUMENT, concat("parameter ", name, ": the address is not a multiple of ", view.facts.alignment,
                                              ", which was promised when the launch was prepared"));
  workspace.arguments[slots[parameter]] = slotOf(address);
  return {};
}

Status CpuLaunchable::setScalar(size_t parameter, tw_value value, Workspace &workspace, bool &changed) const {
  const Parameter &which = kernel->artifact.signature.parameters[parameter];
  tw_dtype dtype = dtypeNamed(which.dtype);
  Scalar scalar = isFloat(dtype) ? Scalar{true, 0, value.real} : Scalar{false, value.integer, 0};
  std::optional<int64_t> slot = encode(scalar, dtype);
  if (!slot)
    return Status(TW_INVALID_ARGUMENT,
                  concat("parameter ", which.name, ": ", value.integer, " is not a value of ", which.dtype));
  workspace.arguments[slots[parameter]] = *slot;
  workspace.scalars[which.scalar] = Interval::of(decode(*slot, dtype));
  changed |= *slot != arguments[slots[parameter]];
  return {};
}

Status CpuLaunchable::setValues(std::span<const tw_value> values, Workspace &workspace) const {
  const std::vector<Parameter> &parameters = kernel->artifact.signature.parameters;
  if (!values.empty() && values.size() != parameters.size())
    return Status(TW_INVALID_ARGUMENT, concat("a launch of kernel ", kernel->artifact.signature.name, " takes ",
                                              parameters.size(), " values, and was given ", values.size()));
  bool scalarsChanged = false;
  for (size_t index = 0; index < parameters.size(); ++index) {
    Status status;
    if (!parameters[index].isView()) {
      if (!values.empty())
        status = setScalar(index, values[index], workspace, scalarsChanged);
      else {
        workspace.arguments[slots[index]] = arguments[slots[index]];
        workspace.scalars[parameters[index].scalar] = scalars[parameters[index].scalar];
      }
    } else if (kernel->artifact.present[index]) {
      status = setAddress(index, values.empty() ? views[index].data : values[index].pointer, workspace);
    }
    if (!status.ok())
      return status;
  }
  if (scalarsChanged && kernel->artifact.program.dependsOnScalars())
    if (Status status = kernel->artifact.program.check(extents, workspace.scalars, views, workspace.checks,
                                                       /*onlyWhatScalarsDecide=*/true);
        !status.ok())
      return status;
  return values.empty() ? Status() : checkOverlaps(workspace.arguments.data(), /*mayBeMissing=*/false);
}

Status CpuLaunchable::launch(std::span<const tw_value> values) {
  auto begin = std::chrono::steady_clock::now();
  Loan loan(*this);
  Workspace &workspace = *loan.workspace;
  if (Status status = setValues(values, workspace); !status.ok())
    return status;

  [[maybe_unused]] StandardFloatingPoint settings;
  Reporter reporter(*context, kernel->artifact);
  int64_t *slotsOfThis = workspace.arguments.data();
  slotsOfThis[reportContextSlot] = slotOf(&reporter);
  slotsOfThis[partialSumsSlot] = slotOf(workspace.partialSums.data());
  int64_t tiles = std::max<int64_t>(kernel->entry.count(slotsOfThis), 0);
  if (kernel->artifact.isListed) {
    size_t bytes = static_cast<size_t>(tiles) * 2 * sizeof(int64_t) * kernel->artifact.gridVariables; // (first, end) of each
    if (bytes > workspace.coordinates.size())
      workspace.coordinates = AlignedBuffer(std::max(bytes, 2 * workspace.coordinates.size()));
    slotsOfThis[coordinatesSlot] = slotOf(workspace.coordinates.data());
    kernel->entry.list(slotsOfThis, reinterpret_cast<int64_t *>(workspace.coordinates.data()));
  }
  bool parallel = threadCount > 1 && tileCost.areWorthThreads(tiles);
  if (kernel->artifact.sums.empty())
    runTiles(workspace, tiles, parallel);
  else
    runChunks(workspace, tiles, parallel);
  elapsed.store((std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1), std::memory_order_relaxed);
  return reporter.outcome();
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
  kernel->entry.tiles(workspace.arguments.data(), first, last, chunk,
                      workspace.scratch.data() + static_cast<size_t>(thread) * scratchStride);
}

void CpuLaunchable::runTiles(Workspace &workspace, int64_t tiles, bool parallel) {
  kernel->entry.begin(workspace.arguments.data(), 0);
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
  forEach(chunks, 1, parallel && sumBytes > elementsOfOneFinish, [&](int64_t first, int64_t last, int) {
    for (int64_t chunk = first; chunk < last; ++chunk)
      kernel->entry.begin(workspace.arguments.data(), chunk);
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
  const Artifact &artifact = kernel->artifact;
  for (size_t sum = 0; sum < artifact.sums.size(); ++sum)
    forEach(views[artifact.sums[sum].parameter].elements(), elementsOfOneFinish, parallel,
            [&](int64_t first, int64_t last, int) {
              kernel->entry.finish(workspace.arguments.data(), static_cast<int64_t>(sum), first, last, chunks);
            });
}
