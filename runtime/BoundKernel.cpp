#include "runtime/BoundKernel.h"

#include "runtime/Overlap.h"
#include "runtime/Text.h"

#include <algorithm>

using namespace tilewright::runtime;

// ---- Preparing --------------------------------------------------------------------------------------------------------------

Result<BoundKernel> BoundKernel::bind(std::shared_ptr<const LoadedKernel> kernel, const Call &call,
                                      const SpecializationRequest &request, size_t headSlots) {
  BoundKernel bound(std::move(kernel));
  if (Status status = bound.bind(call, request, headSlots); !status.ok())
    return status;
  return bound;
}

Status BoundKernel::checkFacts(const Call &call) const {
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
             artifact.packRun[index] <= facts.packRun &&
             artifact.alignment[index] <= facts.alignment &&
             (artifact.unitStride[index] < 0 || artifact.unitStride[index] == facts.unitStrideDimension);
    if (!fits)
      return Status(TW_DAMAGED_ARTIFACT,
                    concat("the artifact of kernel ", artifact.signature.name, " is for another view ", parameter.name));
  }
  return {};
}

Status BoundKernel::bind(const Call &call, const SpecializationRequest &request, size_t headSlots) {
  if (Status status = checkFacts(call); !status.ok())
    return status;
  if (Status status = bindDimensions(call, request); !status.ok())
    return status;
  if (Status status = bindViews(call); !status.ok())
    return status;
  if (Status status = bindScalars(call.arguments); !status.ok())
    return status;
  LaunchProgram::Workspace checks = artifact().program.makeWorkspace();
  if (Status status =
          artifact().program.check(boundExtents, preparedScalars, boundViews, checks, /*onlyWhatScalarsDecide=*/false);
      !status.ok())
    return status;
  measureSums();
  layOutSlots(call.arguments, headSlots);
  if (Status status = checkOverlaps(preparedArguments.data(), /*mayBeMissing=*/true); !status.ok())
    return status;
  dotOperations = artifact().program.dotOperations(boundExtents, preparedScalars);
  return {};
}

Status BoundKernel::bindDimensions(const Call &call, const SpecializationRequest &request) {
  std::vector<std::pair<std::string, int64_t>> given; // an artifact may know fewer names: only those that it uses
  for (const auto &dimension : request.dimensions)
    if (std::find(artifact().signature.dimensionNames.begin(), artifact().signature.dimensionNames.end(), dimension.first) !=
        artifact().signature.dimensionNames.end())
      given.push_back(dimension);
  Result<Dimensions> dimensions = Dimensions::bind(artifact().signature, call.arguments, given, artifact().constants);
  if (!dimensions.ok())
    return dimensions.takeStatus();
  for (size_t slot = 0; slot < artifact().signature.dimensionNames.size(); ++slot) {
    const BoundDimension &dimension = dimensions->all()[slot];
    if (slot < artifact().slotCount) {
      if (!dimension.bound)
        return Status(TW_INVALID_SHAPE, concat("dimension ", artifact().signature.dimensionNames[slot], " of kernel ",
                                               artifact().signature.name, " is bound by no view that is given"));
      boundExtents.push_back(dimension.extent);
    }
    if (dimension.bound)
      namedDimensions.emplace_back(artifact().signature.dimensionNames[slot], dimension.extent);
  }
  return {};
}

Status BoundKernel::bindViews(const Call &call) {
  boundViews = call.views;
  for (size_t index = 0; index < boundViews.size(); ++index) {
    const Parameter &parameter = artifact().signature.parameters[index];
    if (!parameter.isWritten() || !artifact().present[index])
      continue;
    if (Answer answer = overlapsItself(boundViews[index]); answer != Answer::No)
      return Status(TW_CHECK_FAILED, concat("parameter ", parameter.name, ": is written, and ",
                                            answer == Answer::Yes ? "has several elements at one address"
                                                                  : "cannot be shown to have its elements apart",
                                            " (check its strides)"));
    for (size_t other = 0; other < boundViews.size(); ++other) {
      const Parameter &otherParameter = artifact().signature.parameters[other];
      if (other != index && otherParameter.isView() && artifact().present[other] &&
          !(otherParameter.isWritten() && other < index))
        mustNotOverlap.emplace_back(index, other);
    }
  }
  return {};
}

Status BoundKernel::bindScalars(const Arguments &given) {
  for (const Parameter &parameter : artifact().signature.parameters) {
    if (parameter.isView())
      continue;
    const std::optional<Scalar> &scalar = given.scalars[parameter.scalar];
    tw_dtype dtype = dtypeNamed(parameter.dtype);
    std::optional<int64_t> slot = scalar ? encode(*scalar, dtype) : std::nullopt;
    if (!slot)
      return Status(TW_INVALID_ARGUMENT, concat("parameter ", parameter.name, ": has no value of ", parameter.dtype));
    preparedScalars.push_back(Interval::of(decode(*slot, dtype)));
    scalarDtypes.push_back(dtype);
  }
  return {};
}

void BoundKernel::layOutSlots(const Arguments &given, size_t headSlots) {
  preparedArguments.assign(headSlots, 0);
  for (size_t index = 0; index < boundViews.size(); ++index) {
    const Parameter &parameter = artifact().signature.parameters[index];
    slots.push_back(preparedArguments.size());
    if (!parameter.isView()) {
      preparedArguments.push_back(*encode(*given.scalars[parameter.scalar], dtypeNamed(parameter.dtype)));
    } else if (artifact().present[index]) {
      const BoundView &view = boundViews[index];
      preparedArguments.push_back(slotOf(view.data));
      preparedArguments.insert(preparedArguments.end(), view.extents, view.extents + view.rank);
      preparedArguments.insert(preparedArguments.end(), view.strides, view.strides + view.rank);
    }
  }
  preparedArguments.insert(preparedArguments.end(), boundExtents.begin(), boundExtents.end());
}

BoundKernel::Workspace BoundKernel::makeWorkspace() const {
  return {preparedArguments, preparedScalars, artifact().program.makeWorkspace()};
}

void BoundKernel::measureSums() {
  for (const Sum &sum : artifact().sums) {
    int64_t ofOne = boundViews[sum.parameter].elements() * static_cast<int64_t>(tw_dtype_bytes(sum.dtype));
    bytesOfSums += (ofOne + 63) / 64 * 64;
  }
}

int64_t BoundKernel::chunkCount(int64_t tiles, int64_t most) const {
  constexpr int64_t mostBytes = int64_t(256) << 20;
  if (bytesOfSums == 0)
    return 1;
  int64_t chunks = tiles < 0 ? most : std::min(tiles, most);
  return std::max<int64_t>(1, std::min(chunks, mostBytes / bytesOfSums));
}

/// Addresses are those in the slots. At prepare some may be missing (null), which overlap nothing yet.
Status BoundKernel::checkOverlaps(const int64_t *slotsToCheck, bool mayBeMissing) const {
  for (auto [written, other] : mustNotOverlap) {
    const void *a = addressIn(slotsToCheck[slots[written]]), *b = addressIn(slotsToCheck[slots[other]]);
    if ((mayBeMissing && (!a || !b)) || overlaps(boundViews[written], a, boundViews[other], b) != Answer::Yes)
      continue;
    const std::vector<Parameter> &parameters = kernel->artifact.signature.parameters;
    return Status(TW_CHECK_FAILED, concat("parameters ", parameters[written].name, " and ", parameters[other].name,
                                          ": share memory, and ", parameters[written].name, " is written"));
  }
  return {};
}

// ---- Launching --------------------------------------------------------------------------------------------------------------

Status BoundKernel::setAddress(size_t parameter, void *address, Workspace &workspace) const {
  const BoundView &view = boundViews[parameter];
  const std::string &name = kernel->artifact.signature.parameters[parameter].name;
  if (!address && view.elements() != 0)
    return Status(TW_INVALID_ARGUMENT, concat("parameter ", name, ": the address is null, and the view has ", view.elements(),
                                              view.elements() == 1 ? " element" : " elements"));
  if ((reinterpret_cast<uintptr_t>(address) & static_cast<uintptr_t>(view.facts.alignment - 1)) != 0)
    return Status(TW_INVALID_ARGUMENT,
                  concat("parameter ", name, ": the address is not a multiple of ", view.facts.alignment,
                         view.alignmentIsPromised
                             ? ", which was promised when the launch was prepared"
                             : ", which the code was compiled for: prepare with this address, or promise no more "
                               "than it keeps (tw_argument::alignment)"));
  workspace.arguments[slots[parameter]] = slotOf(address);
  return {};
}

Status BoundKernel::setScalar(size_t parameter, tw_value value, Workspace &workspace) const {
  const Parameter &which = kernel->artifact.signature.parameters[parameter];
  tw_dtype dtype = scalarDtypes[which.scalar];
  Scalar scalar = isFloat(dtype) ? Scalar{true, 0, value.real} : Scalar{false, value.integer, 0};
  std::optional<int64_t> slot = encode(scalar, dtype);
  if (!slot)
    return Status(TW_INVALID_ARGUMENT,
                  concat("parameter ", which.name, ": ", value.integer, " is not a value of ", which.dtype));
  workspace.arguments[slots[parameter]] = *slot;
  workspace.scalars[which.scalar] = Interval::of(decode(*slot, dtype));
  workspace.scalarsChanged |= *slot != preparedArguments[slots[parameter]];
  return {};
}

Status BoundKernel::setValues(std::span<const tw_value> values, Workspace &workspace) const {
  const std::vector<Parameter> &parameters = kernel->artifact.signature.parameters;
  if (!values.empty() && values.size() != parameters.size())
    return Status(TW_INVALID_ARGUMENT, concat("a launch of kernel ", kernel->artifact.signature.name, " takes ",
                                              parameters.size(), " values, and was given ", values.size()));
  workspace.scalarsChanged = false;
  for (size_t index = 0; index < parameters.size(); ++index) {
    Status status;
    if (!parameters[index].isView()) {
      if (!values.empty())
        status = setScalar(index, values[index], workspace);
      else {
        workspace.arguments[slots[index]] = preparedArguments[slots[index]];
        workspace.scalars[parameters[index].scalar] = preparedScalars[parameters[index].scalar];
      }
    } else if (kernel->artifact.present[index]) {
      status = setAddress(index, values.empty() ? boundViews[index].data : values[index].pointer, workspace);
    }
    if (!status.ok())
      return status;
  }
  if (workspace.scalarsChanged && kernel->artifact.program.dependsOnScalars())
    if (Status status = kernel->artifact.program.check(boundExtents, workspace.scalars, boundViews, workspace.checks,
                                                       /*onlyWhatScalarsDecide=*/true);
        !status.ok())
      return status;
  return values.empty() ? Status() : checkOverlaps(workspace.arguments.data(), /*mayBeMissing=*/false);
}
