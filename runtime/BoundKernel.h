// A kernel bound to shapes, strides and scalars: what every target does alike. Its arguments are an array of 64-bit slots
// (compiler_c.h); how many slots come before the first parameter's is the target's.
#pragma once

#include "runtime/Dimensions.h"
#include "runtime/LoadedKernel.h"
#include "runtime/Specialization.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tilewright::runtime {

inline int64_t slotOf(const void *address) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(address));
}
inline void *addressIn(int64_t slot) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(slot)); // NOLINT(performance-no-int-to-ptr): slots hold addresses
}

class BoundKernel {
public:
  /// What one running launch sets for itself.
  struct Workspace {
    std::vector<int64_t> arguments;
    std::vector<Interval> scalars;
    LaunchProgram::Workspace checks;
    bool scalarsChanged = false; ///< against what was prepared
  };

  /// Binds, and runs the launch checks. The compiler must have compiled what it was asked for.
  static Result<BoundKernel> bind(std::shared_ptr<const LoadedKernel> kernel, const Call &call,
                                  const SpecializationRequest &request, size_t headSlots);

  Workspace makeWorkspace() const;
  /// values: empty (as prepared), or one for each parameter. Checks again what they decide.
  Status setValues(std::span<const tw_value> values, Workspace &workspace) const;

  const LoadedKernel &loaded() const { return *kernel; }
  const Artifact &artifact() const { return kernel->artifact; }
  const std::vector<BoundView> &views() const { return boundViews; }
  const std::vector<int64_t> &arguments() const { return preparedArguments; }
  std::span<const int64_t> extents() const { return boundExtents; }
  std::span<const Interval> scalars() const { return preparedScalars; }
  const std::vector<std::pair<std::string, int64_t>> &dimensions() const { return namedDimensions; }
  /// Of a parameter: a view's address, then its extents; a scalar's value.
  size_t firstSlot(size_t parameter) const { return slots[parameter]; }
  const DotOperations &operations() const { return dotOperations; }
  /// Of all sums of one chunk, each rounded up to 64 bytes.
  int64_t sumBytes() const { return bytesOfSums; }
  /// How many parts sum apart: as many as there are tiles, no more than `most` or than 256 MiB hold; 1 without sums. Of unknown
  /// (negative) tiles the most there can be.
  int64_t chunkCount(int64_t tiles, int64_t most) const;

private:
  explicit BoundKernel(std::shared_ptr<const LoadedKernel> kernel) : kernel(std::move(kernel)) {}
  Status bind(const Call &call, const SpecializationRequest &request, size_t headSlots);
  Status checkFacts(const Call &call) const;
  Status bindDimensions(const Call &call, const SpecializationRequest &request);
  Status bindViews(const Call &call);
  Status bindScalars(const Arguments &given);
  void measureSums();
  void layOutSlots(const Arguments &given, size_t headSlots);

  Status checkOverlaps(const int64_t *arguments, bool mayBeMissing) const;
  Status setAddress(size_t parameter, void *address, Workspace &workspace) const;
  Status setScalar(size_t parameter, tw_value value, Workspace &workspace) const;

  std::shared_ptr<const LoadedKernel> kernel;
  std::vector<BoundView> boundViews;                     ///< by parameter
  std::vector<int64_t> preparedArguments;                ///< the slots
  std::vector<size_t> slots;                             ///< by parameter: its first slot
  std::vector<int64_t> boundExtents;                     ///< of the named dimensions, by slot
  std::vector<Interval> preparedScalars;                 ///< by position
  std::vector<tw_dtype> scalarDtypes;                    ///< likewise: a launch looks up no name
  std::vector<std::pair<size_t, size_t>> mustNotOverlap; ///< pairs of parameters
  std::vector<std::pair<std::string, int64_t>> namedDimensions;
  int64_t bytesOfSums = 0;
  DotOperations dotOperations;
};

} // namespace tilewright::runtime
