// The rules, and why.
//
// Memory. A warp's access is split into sectors of 32 bytes and lines of 128, and an instruction moves at most 16 bytes a thread.
// So a tile meets memory with as many neighbours in a thread as 16 bytes and the view's alignment allow (the most that any access
// with the same axes can have: a conversion costs more than a wide thread whose narrow elements need two instructions), the
// lanes next to one another along the contiguous axis, and the warps along the others, where a reduction along the contiguous
// axis does not have to leave its warp.
//
// Products. Tensor cores where the hardware has the operands' types; else register blocks: a thread holds 8 × 8 elements and reads
// 8 + 8 for 64 multiply-adds. Eight lanes have eight neighbouring columns, four of them neighbouring rows: in the swizzled buffers
// those lie in different banks. (Four neighbouring columns in a thread could be stored together, but eight lanes would read every
// fourth row of the buffer, in two banks' places: a product of 4096³ f32 took 5.9 ms so.)
//
// Blocks. A product by tensor cores waits at a barrier in every step; a second block on the multiprocessor works meanwhile. With 64
// accumulators a thread needs no more than 128 registers, of which a multiprocessor has 65,536. Kernels without products are bound by
// memory; the more warps there are, the more of it is asked for at a time.

#include "compiler/transforms/LayoutRules.h"

#include "compiler/analysis/LinearForm.h"
#include "compiler/analysis/TensorAccess.h"
#include "dialects/Layout/MatrixLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::tilegpu {

using layout::DistributedLayout;
using Basis = DistributedLayout::Basis;

static int64_t bytesOf(Type element) {
  return std::max<int64_t>(1, getElementTypeOrSelf(element).getIntOrFloatBitWidth() / 8);
}

static int64_t elementsOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

// --------------------------------------------------------------------------------------------------------------------
// Laying down bits
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// Gives the bits of each dimension, from the lowest up, to registers, lanes and warps.
class BitDealer {
public:
  explicit BitDealer(ArrayRef<int64_t> shape) : shape(shape.begin(), shape.end()), next(shape.size(), 1) {}

  int64_t left(unsigned dimension) const { return atom(dimension) / next[dimension]; }
  void registers(unsigned dimension, int64_t count) {
    for (; count > 1 && left(dimension) > 1; count /= 2)
      bases.registers.push_back(take(dimension));
  }
  /// Lanes along a dimension, as many as there are left of both.
  void lanes(unsigned dimension, int64_t most) {
    for (; most > 1 && left(dimension) > 1 && bases.lanes.size() < layout::laneBits; most /= 2)
      bases.lanes.push_back(take(dimension));
  }
  void warps(unsigned dimension, int64_t most, int64_t all) {
    for (; most > 1 && left(dimension) > 1 && (int64_t(1) << bases.warps.size()) < all; most /= 2)
      bases.warps.push_back(take(dimension));
  }
  /// What is left becomes registers; lanes and warps that got nothing hold what others do.
  DistributedLayout finish(ArrayRef<unsigned> order, int64_t warps) {
    for (unsigned dimension : order)
      registers(dimension, left(dimension));
    Basis nothing(shape.size(), 0);
    bases.lanes.resize(layout::laneBits, nothing);
    bases.warps.resize(llvm::Log2_64(warps), nothing);
    std::string why;
    auto result = DistributedLayout::create(shape, bases, &why);
    assert(result && "the bits of each dimension are dealt once");
    return *result;
  }

private:
  int64_t atom(unsigned dimension) const { return int64_t(1) << layout::splitExtent(shape[dimension]).bits; }
  Basis take(unsigned dimension) {
    Basis basis(shape.size(), 0);
    basis[dimension] = next[dimension];
    next[dimension] *= 2;
    return basis;
  }

  std::vector<int64_t> shape, next;
  DistributedLayout::Bases bases;
};

constexpr int64_t all = int64_t(1) << 40;

/// Neighbours along `fastest` in a thread, then in lanes; warps along the others.
DistributedLayout blocked(ArrayRef<int64_t> shape, unsigned fastest, int64_t vector, int64_t warps) {
  BitDealer dealer(shape);
  SmallVector<unsigned> order{fastest};
  for (unsigned dimension = shape.size(); dimension-- > 0;)
    if (dimension != fastest)
      order.push_back(dimension);
  dealer.registers(fastest, vector);
  for (unsigned dimension : order)
    dealer.lanes(dimension, all);
  for (unsigned dimension : llvm::reverse(order))
    dealer.warps(dimension, all, warps);
  return dealer.finish(order, warps);
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Memory
// --------------------------------------------------------------------------------------------------------------------

StringAttr contiguousAxisOf(tile::ViewType view, ValueRange indices) {
  return unitStrideAxis(unitDimension(view), indices);
}

LayoutRules::Access LayoutRules::accessOf(Type tile, StringAttr contiguousAxis) {
  Access access{{}, contiguousAxis ? contiguousAxis.str() : ""};
  for (StringAttr axis : tile::axesOf(tile))
    access.first.push_back(axis.str());
  llvm::sort(access.first);
  return access;
}

void LayoutRules::noteAccess(Type place, tile::ViewType view, ValueRange indices) {
  if (!tile::isTile(place))
    return;
  StringAttr axis = contiguousAxisOf(view, indices);
  int64_t vector = axis ? std::min<int64_t>(16, view.getAlignment()) / bytesOf(view.getElement()) : 1;
  int64_t &known = vectorElements[accessOf(place, axis)];
  known = std::max(known, std::max<int64_t>(1, vector));
}

DistributedLayout LayoutRules::forMemory(Type tile, StringAttr contiguousAxis) const {
  SmallVector<int64_t> shape = paddedShape(tile);
  int64_t position = contiguousAxis ? tile::positionOfAxis(tile, contiguousAxis) : -1;
  unsigned fastest = position < 0 ? shape.size() - 1 : position;
  auto known = vectorElements.find(accessOf(tile, contiguousAxis));
  int64_t vector = known == vectorElements.end() ? 1 : known->second;
  // Better a narrow access of all threads than a wide one of some.
  int64_t share = std::max<int64_t>(1, elementsOf(shape) / (layout::lanesOfWarp * warpCount));
  while (vector > share)
    vector /= 2;
  return blocked(shape, fastest, vector, warpCount);
}

DistributedLayout LayoutRules::byDefault(Type tile) const {
  // As the first access with these axes has it, so that a load of them needs no conversion.
  std::vector<std::string> axes = accessOf(tile, {}).first;
  for (const auto &[access, vector] : vectorElements)
    if (access.first == axes && !access.second.empty())
      return forMemory(tile, StringAttr::get(tile.getContext(), access.second));
  return forMemory(tile, {});
}

bool fillsSectors(const DistributedLayout &layout, unsigned dimension, int64_t elementBytes) {
  DistributedLayout::Bases bases = layout.bases();
  int64_t run = 1; // neighbours along the dimension that one access of a warp reaches: the vector of a thread, then its lanes
  auto extend = [&](ArrayRef<Basis> list) {
    for (bool found = true; found;) {
      found = llvm::any_of(list, [&](const Basis &basis) {
        return basis[dimension] == run && llvm::count(basis, 0) == static_cast<int64_t>(basis.size()) - 1;
      });
      run *= found ? 2 : 1;
    }
  };
  extend(bases.registers);
  run = std::min(run, std::max<int64_t>(1, 16 / elementBytes));
  extend(bases.lanes);
  return run * elementBytes >= 32 || run >= layout.shape()[dimension];
}

DistributedLayout projected(const DistributedLayout &layout, Type from, Type to) {
  DistributedLayout result = layout;
  SmallVector<StringAttr> axes(tile::axesOf(from));
  for (unsigned dimension = axes.size(); dimension-- > 0;)
    if (tile::positionOfAxis(to, axes[dimension]) < 0) {
      result = result.sliced(dimension);
      axes.erase(axes.begin() + dimension);
    }
  std::vector<unsigned> order;
  for (StringAttr axis : tile::axesOf(to))
    order.push_back(llvm::find(axes, axis) - axes.begin());
  return result.transposed(order);
}

// --------------------------------------------------------------------------------------------------------------------
// Products
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// The axes of a product by what they are in it.
struct DotAxes {
  SmallVector<StringAttr> batch, rows, columns, summed;

  explicit DotAxes(tile::DotOp dot) {
    Type lhs = dot.getLhs().getType(), rhs = dot.getRhs().getType();
    for (Value span : dot.getSpans())
      summed.push_back(cast<tile::SpanType>(span.getType()).getAxis());
    for (StringAttr axis : tile::axesOf(dot.getType())) {
      bool inLhs = tile::positionOfAxis(lhs, axis) >= 0, inRhs = tile::positionOfAxis(rhs, axis) >= 0;
      (inLhs && inRhs ? batch : inLhs ? rows : columns).push_back(axis);
    }
  }
};

int64_t paddedExtentOf(Type tile, StringAttr axis) {
  return paddedExtent(cast<RankedTensorType>(tile).getDimSize(tile::positionOfAxis(tile, axis)));
}

int64_t powerOfTwoPart(int64_t extent) {
  return int64_t(1) << layout::splitExtent(extent).bits;
}

/// Why tensor cores cannot form a product of these elements; empty if they can.
std::string whyNoMma(tile::DotOp dot, int64_t capability) {
  Type lhs = getElementTypeOrSelf(dot.getLhs()), rhs = getElementTypeOrSelf(dot.getRhs()), sum = getElementTypeOrSelf(dot.getType());
  bool isTF32 = dot.getPrecision() == tile::DotPrecision::TF32;
  auto isF8 = [](Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); };
  if (sum.isF32() && lhs == rhs && (lhs.isBF16() || lhs.isF16()))
    return "";
  if (sum.isF32() && lhs.isF32() && rhs.isF32())
    return isTF32 ? "" : "its operands are f32 and its precision is that of f32 (`precision = tf32` would do)";
  if (sum.isInteger(32) && lhs.isInteger(8) && rhs.isInteger(8))
    return "";
  if (sum.isF32() && isF8(lhs) && isF8(rhs))
    return capability >= 89 ? "" : "f8 operands need sm_89 or later";
  return "no tensor core instruction takes these element types";
}

/// A row of operand fragments: m16n8k(256 bits / element).
int64_t mmaDepth(Type element) {
  return 32 / bytesOf(element);
}

int64_t swizzleFor(int64_t contiguousBytes) {
  for (int64_t swizzle : {128, 64, 32})
    if (contiguousBytes % swizzle == 0)
      return swizzle;
  return 0;
}

/// A buffer for an operand with its axes in the given order, the last one contiguous.
BufferType bufferFor(Type operand, ArrayRef<StringAttr> axes) {
  auto tensor = cast<RankedTensorType>(operand);
  SmallVector<int64_t> shape;
  for (StringAttr axis : axes)
    shape.push_back(tensor.getDimSize(tile::positionOfAxis(operand, axis)));
  auto type = RankedTensorType::get(shape, tensor.getElementType(), tile::AxesAttr::get(operand.getContext(), axes));
  int64_t swizzle = axes.size() == 2 ? swizzleFor(paddedExtent(shape.back()) * bytesOf(operand)) : 0;
  return BufferType::get(operand.getContext(), type, axes.size() - 1, swizzle, 1);
}

} // namespace

/// Buffers as tensor copies fill them: panels of 128 bytes along the contiguous dimension of memory.
BufferType bufferForCopies(tile::LoadOp load) {
  std::string why;
  StringAttr contiguous =
      tensorAccess(load.getView().getType(), load.getIndices(), load.getCompare(), why, packRun(load.getView()))->dimensions.front().axis;
  ArrayRef<StringAttr> axes = tile::axesOf(load.getType());
  return bufferFor(load.getType(), axes[1] == contiguous ? SmallVector<StringAttr>{axes[0], axes[1]} : SmallVector<StringAttr>{axes[1], axes[0]});
}

std::optional<DistributedLayout> LayoutRules::forAccumulator(Type tile) const {
  SmallVector<int64_t> shape = paddedShape(tile);
  return wgmmaAccumulator(shape[0], shape[1], warpCount);
}

void LayoutRules::planScheduledDot(tile::DotOp dot) {
  SmallVector<int64_t> shape = paddedShape(dot.getType());
  std::optional<DistributedLayout> accumulator = wgmmaAccumulator(shape[0], shape[1], warpCount);
  assert(accumulator && "ScheduleRules chose a tile that has one");
  DotPlan plan{DotKind::Wgmma, *accumulator, {}, {}, "", {}};
  StringAttr rowAxis = tile::axesOf(dot.getType())[0];
  for (auto [operand, buffer] : {std::pair(dot.getLhs(), &plan.lhs), std::pair(dot.getRhs(), &plan.rhs)}) {
    if (auto load = operand.getDefiningOp<tile::LoadOp>()) {
      *buffer = bufferForCopies(load);
      continue;
    }
    // The buffer is for the plain way, if the product must take it in the end.
    int64_t rows = tile::positionOfAxis(operand.getType(), rowAxis);
    StringAttr depthAxis = tile::axesOf(operand.getType())[1 - rows];
    *buffer = bufferFor(operand.getType(), {rowAxis, depthAxis});
    plan.computed = wgmmaOperand(shape[0], paddedExtentOf(operand.getType(), depthAxis), warpCount);
    assert(plan.computed && "ScheduleRules chose a depth that has one");
    if (rows == 1)
      plan.computed = plan.computed->transposed({1, 0});
  }
  dots.try_emplace(dot, plan);
}

void LayoutRules::planDot(tile::DotOp dot) {
  if (isScheduled)
    return planScheduledDot(dot);
  DotAxes axes(dot);
  Type result = dot.getType();
  std::string why = whyNoMma(dot, capability);
  if (why.empty() && (axes.rows.size() != 1 || axes.columns.size() != 1 || axes.summed.size() != 1 || !axes.batch.empty()))
    why = "tensor cores take one axis of rows, one of columns and one that is summed";
  if (!tile::isTile(result)) {
    // A scalar product: every thread forms it.
    DotPlan plan{DotKind::Fma, blocked({1}, 0, 1, warpCount), bufferFor(dot.getLhs().getType(), axes.summed),
                 bufferFor(dot.getRhs().getType(), axes.summed), why, {}};
    dots.try_emplace(dot, plan);
    return;
  }
  SmallVector<int64_t> shape = paddedShape(result);
  if (why.empty()) {
    StringAttr row = axes.rows.front(), column = axes.columns.front(), depth = axes.summed.front();
    Type element = getElementTypeOrSelf(dot.getLhs());
    int64_t rows = powerOfTwoPart(paddedExtentOf(result, row)), columns = powerOfTwoPart(paddedExtentOf(result, column));
    int64_t depths = powerOfTwoPart(paddedExtentOf(dot.getLhs().getType(), depth));
    if (rows < 16 || columns < 8 || depths < mmaDepth(element))
      why = "its tile is smaller than the instruction's";
    else {
      // As square as can be, so that each warp reads as little as can be: rows / 16 and columns / 8 limit it.
      int64_t rowWarps = 1, columnWarps = 1;
      while (rowWarps * columnWarps < warpCount) {
        bool canRow = rowWarps * 32 <= rows, canColumn = columnWarps * 16 <= columns;
        bool rowIsLonger = rows / rowWarps >= columns / columnWarps;
        if (canRow && (rowIsLonger || !canColumn))
          rowWarps *= 2;
        else if (canColumn)
          columnWarps *= 2;
        else
          break;
      }
      if (rowWarps * columnWarps == warpCount) {
        auto accumulator = layout::mmaAccumulatorLayout(paddedExtentOf(result, row), paddedExtentOf(result, column),
                                                        {rowWarps, columnWarps}, &why);
        if (accumulator) {
          if (tile::positionOfAxis(result, row) == 1)
            accumulator = accumulator->transposed({1, 0});
          // Fragments of other types than 16-bit ones cannot be transposed on their way to registers.
          auto order = [&](Type operand, StringAttr free) -> SmallVector<StringAttr> {
            if (bytesOf(operand) == 2)
              return llvm::to_vector(tile::axesOf(operand));
            return {free, depth};
          };
          Type lhs = dot.getLhs().getType(), rhs = dot.getRhs().getType();
          dots.try_emplace(dot, DotPlan{DotKind::Mma, *accumulator, bufferFor(lhs, order(lhs, row)), bufferFor(rhs, order(rhs, column)), "", {}});
          return;
        }
      } else {
        why = "its tile is too small for the block's warps";
      }
    }
  }
  // Register blocks. Columns: eight lanes; rows: four; the warps as square as can be.
  auto positionOf = [&](StringAttr axis) -> unsigned { return tile::positionOfAxis(result, axis); };
  BitDealer dealer(shape);
  SmallVector<unsigned> order;
  for (StringAttr axis : llvm::reverse(axes.columns))
    order.push_back(positionOf(axis));
  size_t columnCount = order.size();
  for (StringAttr axis : llvm::reverse(axes.rows))
    order.push_back(positionOf(axis));
  for (StringAttr axis : llvm::reverse(axes.batch))
    order.push_back(positionOf(axis));
  if (columnCount > 0)
    dealer.lanes(order[0], 8);
  for (unsigned dimension : llvm::drop_begin(order, columnCount))
    dealer.lanes(dimension, all);
  for (unsigned dimension : order)
    dealer.lanes(dimension, all);
  int64_t rowWarps = int64_t(1) << ((llvm::Log2_64(warpCount) + 1) / 2);
  for (unsigned dimension : llvm::drop_begin(order, columnCount))
    dealer.warps(dimension, rowWarps, rowWarps);
  for (unsigned dimension : order)
    dealer.warps(dimension, all, warpCount);
  Type lhs = dot.getLhs().getType(), rhs = dot.getRhs().getType();
  // Both operands with the summed axes last, so that a thread reads several steps at once.
  auto kLast = [&](Type operand) {
    SmallVector<StringAttr> list;
    for (StringAttr axis : tile::axesOf(operand))
      if (!llvm::is_contained(axes.summed, axis))
        list.push_back(axis);
    llvm::append_range(list, axes.summed);
    return list;
  };
  dots.try_emplace(dot, DotPlan{DotKind::Fma, dealer.finish(order, warpCount), bufferFor(lhs, kLast(lhs)), bufferFor(rhs, kLast(rhs)), why, {}});
}

// --------------------------------------------------------------------------------------------------------------------
// The kernel
// --------------------------------------------------------------------------------------------------------------------

/// As many warps as leave a thread about 64 accumulators of all products, or 16 elements of other tiles.
static int64_t chooseWarps(tile::KernelOp kernel) {
  int64_t warps = 1, accumulators = 0;
  auto raise = [&](int64_t elements, int64_t elementsOfThread) {
    int64_t wanted = elements / (layout::lanesOfWarp * elementsOfThread);
    warps = std::max(warps, static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, wanted)))));
  };
  kernel.walk([&](tile::DotOp dot) { accumulators += tile::isTile(dot.getType()) ? elementsOf(paddedShape(dot.getType())) : 1; });
  bool hasDot = accumulators > 0;
  raise(accumulators, 64);
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (tile::isTile(result.getType()) && !isa<arith::ConstantOp>(op))
        raise(elementsOf(paddedShape(result.getType())), hasDot ? 128 : 16);
  });
  return std::min<int64_t>(warps, hasDot ? 8 : 16);
}

int64_t LayoutRules::blocks() const {
  if (isScheduled) // its warps have the registers of a whole multiprocessor
    return 0;
  constexpr int64_t registersOfMultiprocessor = 65536, registersOfThread = 128, mostAccumulators = 64;
  int64_t accumulators = 0;
  if (dots.empty()) {
    // Left to itself ptxas takes 80 registers for a softmax that does with 48, and fewer warps hide less of memory's latency:
    // 169 µs for 16384 × 4096 f32. With two large tiles from memory 48 are too few.
    constexpr int64_t lightRegisters = 48, lightWords = 16, mostBlocks = 16;
    if (wordsOfThread > lightWords || largeViews.size() > 1)
      return 0;
    return std::min(mostBlocks, registersOfMultiprocessor / (lightRegisters * layout::lanesOfWarp * warpCount));
  }
  for (const auto &[op, plan] : dots) {
    if (plan.kind != DotKind::Mma)
      return 0;
    accumulators += plan.accumulator.registers();
  }
  if (dots.size() > 1 || accumulators > mostAccumulators || epilogueTiles > 1) // more is alive than the accumulators
    return 0;
  return registersOfMultiprocessor / (registersOfThread * layout::lanesOfWarp * warpCount);
}

LayoutRules::LayoutRules(tile::KernelOp kernel, int64_t capability) : capability(capability) {
  auto schedule = kernel->getAttrOfType<ScheduleAttr>(scheduleName);
  isScheduled = schedule != nullptr;
  warpCount = schedule ? schedule.getWarps() : chooseWarps(kernel);
  auto isLarge = [&](Type tile) {
    return tile::isTile(tile) && elementsOf(paddedShape(tile)) >= 8 * layout::lanesOfWarp * warpCount;
  };
  kernel.walk([&](tile::LoadOp load) {
    if (!isLarge(load.getType()))
      return;
    largeViews.insert(load.getView());
    bool isOperand = llvm::all_of(load->getUsers(), [](Operation *user) { return isa<tile::DotOp>(user); });
    epilogueTiles += isOperand ? 0 : 1;
  });
  kernel.walk([&](Operation *op) {
    if (isa<tile::StoreOp, tile::AccumulateOp>(op))
      epilogueTiles += isLarge(op->getOperand(0).getType()) ? 1 : 0;
  });
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (tile::isTile(result.getType()) && !isa<arith::ConstantOp, tile::IndexOp>(op)) {
        int64_t words = llvm::divideCeil(bytesOf(result.getType()), 4) * elementsOf(paddedShape(result.getType()));
        wordsOfThread = std::max(wordsOfThread, words / (layout::lanesOfWarp * warpCount));
      }
  });
  kernel.walk([&](Operation *op) {
    auto place = [&](ValueRange spans, Type element) {
      return tile::tileType(element, llvm::map_to_vector(spans, [](Value span) { return cast<tile::SpanType>(span.getType()); }));
    };
    auto note = [&](auto access) {
      tile::ViewType view = access.getView().getType();
      noteAccess(place(access.getSpans(), view.getElement()), view, access.getIndices());
    };
    if (auto load = dyn_cast<tile::LoadOp>(op))
      note(load);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      note(store);
    else if (auto accumulate = dyn_cast<tile::AccumulateOp>(op))
      note(accumulate);
    else if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
      note(atomic);
    else if (auto dot = dyn_cast<tile::DotOp>(op))
      planDot(dot);
  });
}

} // namespace tilewright::tilegpu
