#include "runtime/ViewFacts.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

using namespace tilewright::runtime;

namespace {

constexpr uint64_t widestAlignment = 64, widestGpuAlignment = 16;

struct Axis {
  int64_t extent;
  int64_t stride;
};

/// The fewest axes with the same elements in the same order; at least one.
int merge(const int64_t *shape, const int64_t *strides, int count, Axis *axes) {
  int rank = 0;
  for (int dimension = 0; dimension < count; ++dimension) {
    Axis next = {shape[dimension], strides[dimension]};
    if (next.extent == 0) {
      axes[0] = {0, 1};
      return 1;
    }
    if (next.extent == 1)
      continue;
    if (rank > 0 && axes[rank - 1].stride == next.stride * next.extent)
      axes[rank - 1] = {axes[rank - 1].extent * next.extent, next.stride};
    else
      axes[rank++] = next;
  }
  if (rank == 0)
    axes[rank++] = {1, 1};
  return rank;
}

uint64_t alignmentOf(uint64_t number) {
  return number == 0 ? widestAlignment : uint64_t(1) << std::countr_zero(number);
}

uint64_t cpuClass(uint64_t alignment, uint64_t element) {
  return alignment >= widestAlignment ? widestAlignment : std::min(alignment, element);
}

uint64_t gpuClass(uint64_t alignment, uint64_t element) {
  for (uint64_t bytes : {widestGpuAlignment, uint64_t(8), uint64_t(4)})
    if (alignment >= bytes && bytes >= element)
      return bytes;
  return std::min(alignment, element);
}

int32_t packRunOf(int64_t extent) {
  auto divisor = static_cast<int32_t>(std::min<uint64_t>(alignmentOf(static_cast<uint64_t>(extent)), ViewFacts::longestPackRun));
  return divisor >= ViewFacts::shortestPackRun ? divisor : 1;
}

/// Whether a tensor map can describe the view, if its address and its strides are multiples of 16 bytes. Any describes nothing.
bool fitsInTensorMap(const BoundView &view, int unitAxis) {
  constexpr int64_t mostExtent = int64_t(1) << 32, strideLimit = int64_t(1) << 40;
  if (std::find(view.extents, view.extents + view.rank, 0) != view.extents + view.rank)
    return true;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.extents[axis] > mostExtent)
      return false;
    bool isUsed = axis != unitAxis && view.extents[axis] > 1;
    if (isUsed && (view.strides[axis] <= 0 || view.strides[axis] >= strideLimit / view.elementBytes))
      return false;
  }
  return true;
}

} // namespace

/// A tensor copy writes rows in pieces of 16 bytes: of a row that ends within one, it would write what is behind the row (seen on an H200).
static bool hasWholePieces(const BoundView &view, int unitAxis) {
  return view.rank < 2 || unitAxis < 0 || view.extents[unitAxis] * view.elementBytes % static_cast<int64_t>(widestGpuAlignment) == 0;
}

int64_t BoundView::elements() const {
  int64_t product = 1;
  for (int dimension = 0; dimension < rank; ++dimension)
    product *= extents[dimension];
  return product;
}

BoundView tilewright::runtime::bindView(const Parameter &parameter, const ViewArgument &argument, AlignmentClasses classes) {
  BoundView view;
  view.data = argument.data;
  view.elementBytes = static_cast<int64_t>(tw_dtype_bytes(argument.dtype));
  view.declaredRank = static_cast<int>(parameter.dimensions.size());

  int given = 0;
  int lastAxis[TW_MAX_RANK + 1]; // of each declared dimension: the innermost of its axes
  for (int declared = 0; declared < view.declaredRank; ++declared) {
    bool isPack = static_cast<size_t>(declared) == parameter.packPosition;
    int count = isPack ? argument.rank + 1 - view.declaredRank : 1;
    Axis axes[TW_MAX_RANK + 1];
    int rank = merge(argument.shape + given, argument.strides + given, count, axes);
    given += count;
    if (isPack)
      view.facts.packRank = rank;
    view.declaredExtents[declared] = 1;
    for (int axis = 0; axis < rank; ++axis) {
      view.extents[view.rank] = axes[axis].extent;
      view.strides[view.rank] = axes[axis].stride;
      view.declaredExtents[declared] *= axes[axis].extent;
      ++view.rank;
    }
    if (constexpr int64_t indexLimit = int64_t(1) << 31; isPack && rank > 1 && classes == AlignmentClasses::Gpu && view.declaredExtents[declared] < indexLimit)
      view.facts.packRun = packRunOf(axes[rank - 1].extent);
    lastAxis[declared] = view.rank - 1;
  }

  // The last contiguous dimension that has more than one index; else the last of all, if its stride does not matter.
  int &unit = view.facts.unitStrideDimension;
  for (int declared = 0; declared < view.declaredRank; ++declared)
    if (view.strides[lastAxis[declared]] == 1 && view.extents[lastAxis[declared]] > 1)
      unit = declared;
  if (unit < 0 && view.extents[lastAxis[view.declaredRank - 1]] <= 1)
    unit = view.declaredRank - 1;

  uint64_t element = static_cast<uint64_t>(view.elementBytes);
  view.alignmentIsPromised = argument.alignment != 0 || classes == AlignmentClasses::Cpu;
  uint64_t assumed = classes == AlignmentClasses::Cpu ? element : widestGpuAlignment;
  uint64_t alignment = argument.alignment ? static_cast<uint64_t>(argument.alignment) : assumed;
  alignment = std::min(alignment, alignmentOf(reinterpret_cast<uint64_t>(argument.data)));
  int unitAxis = unit >= 0 ? lastAxis[unit] : -1;
  for (int axis = 0; axis < view.rank; ++axis) {
    bool isUnit = axis == unitAxis;
    if (view.extents[axis] <= 1)
      view.strides[axis] = isUnit ? 1 : 0;
    if (!isUnit)
      alignment = std::min(alignment, alignmentOf(static_cast<uint64_t>(std::abs(view.strides[axis]) * view.elementBytes)));
  }
  bool isMapped = fitsInTensorMap(view, unitAxis) && (!parameter.isWritten() || hasWholePieces(view, unitAxis));
  if (classes == AlignmentClasses::Gpu && !isMapped)
    alignment = std::min(alignment, widestGpuAlignment / 2);
  view.facts.alignment =
      static_cast<int32_t>(classes == AlignmentClasses::Cpu ? cpuClass(alignment, element) : gpuClass(alignment, element));
  return view;
}
