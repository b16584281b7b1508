// Outputs that are added to, and the counts of checked mode (ConvertTileToLinalgSums.cpp tells of both).
//
//   begin            partial sums of all chunks <- 0, outputs that are only added to in place <- 0
//   tiles, block c   partial sums of chunk c += …
//   finish           y[…] <- round(old + partial sums of chunk 0 + chunk 1 + …)
//
// Whose turn. Within a tile an element has one owner, who reads, adds and writes: no atomic operation, and the order of the
// additions is that of the program. Only where several elements of one tile may meet at a place (y[i + r], y[ids[n]]) does that
// not hold. What any order gives the same result for (integers; max and min) is then done by atomic operations. Floats are
// added register by register: the threads show each other where they want to add what, and the first of those who want the same
// place adds all of it, in the order of the threads.

#include "compiler/codegen/ConvertTileGPUToLLVMPlaces.h"

#include "compiler/analysis/LinearForm.h"
#include "compiler/analysis/SumPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

// --------------------------------------------------------------------------------------------------------------------
// The memory of partial sums
// --------------------------------------------------------------------------------------------------------------------

static constexpr int64_t sumAlignment = 64;

static Value numberOfElements(Emitter &emitter, const View &view) {
  Value count = emitter.constant(1);
  for (Value extent : view.extents)
    count = emitter.mul(count, extent);
  return count;
}

namespace {

/// The partial sums in slot 3: for each chunk those of all sums, each from a multiple of 64 bytes on, row-major.
class SumMemory {
public:
  explicit SumMemory(Emitter &emitter) : emitter(emitter), total(emitter.constant(0)) {
    for (const Sum &sum : emitter.sums.partial) {
      offsets.push_back(total);
      Value size = emitter.mul(numberOfElements(emitter, emitter.view(sum.view)), emitter.constant(bytesOf(sum.type)));
      Value rounded = emitter.builder.createOrFold<arith::AndIOp>(emitter.add(size, emitter.constant(sumAlignment - 1)),
                                                                  emitter.constant(-sumAlignment));
      total = emitter.add(total, rounded);
    }
  }

  Value chunkBytes() { return total; }

  /// Element 0 of a sum's first chunk, or of all that there is: ptr<1>.
  Value start(Value offset) {
    Type pointer = LLVM::LLVMPointerType::get(emitter.builder.getContext(), 1);
    return LLVM::IntToPtrOp::create(emitter.builder, pointer, emitter.add(emitter.loadSlot(Slot::PartialSums), offset));
  }
  Value start(size_t number) { return start(offsets[number]); }

  /// A chunk's partial sums, as a view with the output's dimensions: a pack is one of them.
  View view(size_t number, Value chunk) {
    const Sum &sum = emitter.sums.partial[number];
    const View &output = emitter.view(sum.view);
    int64_t rank = sum.getViewType().getRank();
    auto type =
        tile::ViewType::get(emitter.builder.getContext(), sum.type, sum.getViewType().getDims(), tile::Access::InOut, rank - 1,
                            /*pack_rank=*/1, bytesOf(sum.type));
    Value base = start(emitter.add(emitter.mul(chunk, total), offsets[number]));
    View result{base, {}, SmallVector<Value>(rank), unitDimension(type), splitDimension(type), 1, type};
    for (int64_t dimension = 0; dimension < rank; ++dimension)
      result.extents.push_back(extentOf(emitter, output, dimension));
    Value stride = emitter.constant(1);
    for (int64_t dimension = rank - 1; dimension >= 0; --dimension) {
      result.strides[dimension] = stride;
      stride = emitter.mul(stride, result.extents[dimension]);
    }
    return result;
  }

private:
  Emitter &emitter;
  SmallVector<Value> offsets;
  Value total;
};

} // namespace

void bindPartialSums(Emitter &emitter, Value chunk) {
  SumMemory sums(emitter);
  for (size_t number = 0; number < emitter.sums.partial.size(); ++number)
    emitter.partialSums.insert({emitter.sums.partial[number].view, sums.view(number, chunk)});
}

// --------------------------------------------------------------------------------------------------------------------
// Elements
// --------------------------------------------------------------------------------------------------------------------

static Value converted(Emitter &emitter, Value value, Type type, bool sourceUnsigned, bool resultUnsigned) {
  if (value.getType() == type)
    return value;
  return tile::CastOp::create(emitter.builder, type, value, sourceUnsigned, resultUnsigned);
}

static Value loadElement(Emitter &emitter, Type element, Value address) {
  Value stored = LLVM::LoadOp::create(emitter.builder, storageOf(element), address, static_cast<unsigned>(bytesOf(element)));
  return fromStorage(emitter.builder, emitter.builder.getLoc(), stored, element);
}

static void storeElement(Emitter &emitter, Value element, Value address) {
  Value stored = toStorage(emitter.builder, emitter.builder.getLoc(), element);
  LLVM::StoreOp::create(emitter.builder, stored, address, static_cast<unsigned>(bytesOf(element.getType())));
}

// --------------------------------------------------------------------------------------------------------------------
// Atomic operations
// --------------------------------------------------------------------------------------------------------------------

static Value atomic(Emitter &emitter, LLVM::AtomicBinOp kind, Value address, Value value) {
  return LLVM::AtomicRMWOp::create(emitter.builder, kind, address, value, LLVM::AtomicOrdering::monotonic, "device");
}

/// The maximum or minimum of floats has no instruction, but their bits are ordered as integers are: those of numbers from +0
/// on as signed ones, those of the others backwards, as unsigned ones. Nan must win. A new one is made the largest of all for a
/// maximum, the least for a minimum. One that is there, of whatever sign, is left there, and so is what is beyond the value
/// already, which spares many atomic operations where many threads meet. Nobody makes such an element need a change again.
static Value changeExtreme(Emitter &emitter, bool isMax, Value address, Value value) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto type = cast<FloatType>(value.getType());
  Type bitsType = builder.getIntegerType(type.getWidth());
  Value old = LLVM::LoadOp::create(builder, type, address, static_cast<unsigned>(bytesOf(type)), /*isVolatile=*/false,
                                   /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                   LLVM::AtomicOrdering::monotonic, "device");
  Value isNan = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, old, old);
  Value isBeyond = arith::CmpFOp::create(builder, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, old, value);
  Value isDone = arith::OrIOp::create(builder, isNan, isBeyond);
  auto branch = scf::IfOp::create(builder, TypeRange(type), isDone, /*addThenBlock=*/true, /*addElseBlock=*/true);

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, old);
  builder.setInsertionPointToEnd(branch.elseBlock());
  Value nan = emitter.constant(builder.getFloatAttr(type, APFloat::getQNaN(type.getFloatSemantics(), /*Negative=*/!isMax)));
  Value isValueNan = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, value, value);
  Value ordered = arith::SelectOp::create(builder, isValueNan, nan, value);
  Value bits = arith::BitcastOp::create(builder, bitsType, ordered);
  Value zero = emitter.constant(builder.getIntegerAttr(bitsType, 0));
  Value isNegative = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, bits, zero);
  auto sign = scf::IfOp::create(builder, TypeRange(bitsType), isNegative, /*addThenBlock=*/true, /*addElseBlock=*/true);
  scf::YieldOp::create(builder, arith::BitcastOp::create(builder, type, sign.getResult(0)).getResult());
  builder.setInsertionPointToEnd(sign.thenBlock());
  scf::YieldOp::create(builder, atomic(emitter, isMax ? LLVM::AtomicBinOp::umin : LLVM::AtomicBinOp::umax, address, bits));
  builder.setInsertionPointToEnd(sign.elseBlock());
  scf::YieldOp::create(builder, atomic(emitter, isMax ? LLVM::AtomicBinOp::max : LLVM::AtomicBinOp::min, address, bits));
  return branch.getResult(0);
}

/// Combines an element of 4 or 8 bytes with a value; gives what it was.
static Value changeAtomically(Emitter &emitter, tile::Reduction kind, Value address, Value value) {
  bool isFloat = isa<FloatType>(value.getType());
  switch (kind) {
  case tile::Reduction::Add:
    return atomic(emitter, isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add, address, value);
  case tile::Reduction::Max:
    return isFloat ? changeExtreme(emitter, true, address, value) : atomic(emitter, LLVM::AtomicBinOp::max, address, value);
  case tile::Reduction::Min:
    return isFloat ? changeExtreme(emitter, false, address, value) : atomic(emitter, LLVM::AtomicBinOp::min, address, value);
  default:
    llvm_unreachable("accumulate_c7, atomic_rmw_c7");
  }
}

// --------------------------------------------------------------------------------------------------------------------
// Writes
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// What writes of a tile have in common: for each register its place, its value, and whether this thread is to do it.
class Writer {
public:
  template <typename WriteOp>
  Writer(Emitter &emitter, WriteOp op, const View &view)
      : emitter(emitter), builder(emitter.builder), view(view), place(tilegpu::placeType(op, op.getSpans(), view.element())),
        places(emitter, view, place, op.getIndices(), op.getSpans(), op.getCompare()), owner(speaksFor(emitter, place)),
        values(emitter.registers(op.getValue())) {
    if (tile::isTile(place))
      map = emitter.registerMap(op.getValue().getType(), place);
    else
      map = {0};
  }

  int64_t registers() const { return static_cast<int64_t>(map.size()); }
  Value value(int64_t number) { return values[map[number]]; }
  Value address(int64_t number) { return places.address(number); }
  Value condition(int64_t number) {
    return emitter.logicalAnd(owner, emitter.logicalAnd(places.inside(number), places.exists(number)));
  }

protected:
  Emitter &emitter;
  ImplicitLocOpBuilder &builder;
  const View &view;
  Type place;
  Places places;
  Value owner;
  Registers values;
  SmallVector<int64_t> map;
};

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// accumulate
// --------------------------------------------------------------------------------------------------------------------

/// Whether elements of the tile may meet at one place of the view.
static bool mayMeet(tile::AccumulateOp op) {
  return !op.getSpans().empty() && !namesElementsOnce(op.getIndices(), op.getSpans());
}

/// Whether atomic operations on memory of a type give what any order of the program does.
static bool isOrderFree(tile::AccumulateOp op, Type memory) {
  bool fits = memory == getElementTypeOrSelf(op.getValue().getType()); // an accumulator: 4 or 8 bytes
  return fits && (!isa<FloatType>(memory) || op.getKind() != tile::Reduction::Add);
}

namespace {

class AccumulateEmitter : Writer {
public:
  AccumulateEmitter(Emitter &emitter, tile::AccumulateOp op, const View &view) : Writer(emitter, op, view), op(op) {}

  void run() {
    if (!mayMeet(op))
      addOwned();
    else if (isOrderFree(op, view.element()))
      addAtomically();
    else
      addInTurn();
  }

private:
  tile::AccumulateOp op;

  Value widened(Value old) {
    return converted(emitter, old, getElementTypeOrSelf(op.getValue().getType()), op.getIsUnsigned(), false);
  }
  Value rounded(Value sum) { return converted(emitter, sum, view.element(), false, op.getIsUnsigned()); }

  /// All loads of a few registers before their stores, so that they wait for memory together.
  void addOwned() {
    constexpr int64_t together = 16;
    for (int64_t first = 0; first < registers(); first += together) {
      int64_t last = std::min(first + together, registers());
      struct Element {
        Value condition, address, next;
      };
      SmallVector<Element> elements;
      for (int64_t number = first; number < last; ++number) {
        Element &element = elements.emplace_back(Element{condition(number), address(number), {}});
        Value source = element.address;
        if (element.condition)
          source = arith::SelectOp::create(builder, element.condition, source, emitter.zeros());
        element.next = loadElement(emitter, view.element(), source);
      }
      for (auto [position, element] : llvm::enumerate(elements)) {
        Value old = element.next;
        element.next = rounded(combine(emitter, op.getKind(), widened(old), value(first + static_cast<int64_t>(position))));
      }
      for (Element &element : elements)
        emitter.when(element.condition, [&] { storeElement(emitter, element.next, element.address); });
    }
  }

  void addAtomically() {
    for (int64_t number = 0; number < registers(); ++number) {
      Value where = address(number);
      emitter.when(condition(number), [&] { changeAtomically(emitter, op.getKind(), where, value(number)); });
    }
  }

  /// In shared memory: for each thread an address, or 0, and behind all of them the values.
  void addInTurn() {
    Value addresses = emitter.scratch(op);
    Value others = emitter.advance(addresses, emitter.warps() * layout::lanesOfWarp * 8);
    int64_t bytes = bytesOf(op.getValue().getType());
    auto placeOf = [&](Value base, Value thread, int64_t size) {
      return emitter.advance(base, emitter.mul(thread, emitter.constant32(size)));
    };
    for (int64_t number = 0; number < registers(); ++number) {
      Value exists = condition(number), where = address(number);
      Value mine = LLVM::PtrToIntOp::create(builder, builder.getI64Type(), where);
      if (exists)
        mine = arith::SelectOp::create(builder, exists, mine, emitter.constant(0));
      LLVM::StoreOp::create(builder, mine, placeOf(addresses, emitter.thread(), 8), 8);
      storeElement(emitter, value(number), placeOf(others, emitter.thread(), bytes));
      emitter.barrier();
      emitter.when(exists, [&] {
        Value old = widened(loadElement(emitter, view.element(), where));
        auto [total, isFirst] = addShown(old, mine, [&](Value thread) {
          Value address = LLVM::LoadOp::create(builder, builder.getI64Type(), placeOf(addresses, thread, 8), 8);
          return std::pair(address, loadElement(emitter, old.getType(), placeOf(others, thread, bytes)));
        });
        // Of those that are not the first, what they read while it stores is not used.
        emitter.when(isFirst, [&] { storeElement(emitter, rounded(total), where); });
      });
      emitter.barrier(); // all have seen what was shown, and written what they had to
    }
  }

  /// What an element becomes when all that is shown for its address is added, and whether this thread is the first to show it.
  std::pair<Value, Value> addShown(Value old, Value mine, llvm::function_ref<std::pair<Value, Value>(Value)> shownBy) {
    Value yes = emitter.constant(builder.getBoolAttr(true));
    auto loop = scf::ForOp::create(builder, emitter.constant32(0), emitter.constant32(emitter.warps() * layout::lanesOfWarp),
                                   emitter.constant32(1), ValueRange{old, yes});
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value thread = loop.getInductionVar(), total = loop.getRegionIterArg(0);
    auto [address, shown] = shownBy(thread);
    Value isSame = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, address, mine);
    Value next = arith::SelectOp::create(builder, isSame, combine(emitter, op.getKind(), total, shown), total);
    Value isNotBefore = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, thread, emitter.thread());
    Value isOther = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, address, mine);
    Value isFirst = arith::AndIOp::create(builder, loop.getRegionIterArg(1),
                                          arith::OrIOp::create(builder, isNotBefore, isOther).getResult());
    scf::YieldOp::create(builder, ValueRange{next, isFirst});
    return {loop.getResult(0), loop.getResult(1)};
  }
};

} // namespace

void emitAccumulate(Emitter &emitter, tile::AccumulateOp op) {
  bool isPartial = emitter.sums.isPartial(op.getView());
  const View &view = isPartial ? emitter.partialSums.find(op.getView())->second : emitter.view(op.getView());
  AccumulateEmitter(emitter, op, view).run();
}

/// Counts are integers, so their sum is the same in any order.
void emitStoreCount(Emitter &emitter, tile::StoreOp op) {
  if (!emitter.sums.isPartial(op.getView()))
    return;
  const View &counts = emitter.partialSums.find(op.getView())->second;
  Writer writer(emitter, op, counts);
  for (int64_t number = 0; number < writer.registers(); ++number) {
    Value where = writer.address(number);
    emitter.when(writer.condition(number), [&] { atomic(emitter, LLVM::AtomicBinOp::add, where, emitter.constant32(1)); });
  }
}

// --------------------------------------------------------------------------------------------------------------------
// atomic_rmw
// --------------------------------------------------------------------------------------------------------------------

/// Whether what one thread gets others must have too.
static bool hasReplicas(Type tile) {
  return !tile::isTile(tile) || layoutAttr(tile).getValue().hasReplicas();
}

static int64_t replicaBytes(Type tile) {
  int64_t elements = 1;
  if (tile::isTile(tile))
    for (int64_t extent : tilegpu::paddedShape(tile))
      elements *= extent;
  return elements * bytesOf(tile);
}

/// Gives what the owners of a tile's elements have to all who hold them: by shared memory, row-major.
static Registers toReplicas(Emitter &emitter, Operation *op, Type tile, Value owner, ArrayRef<Value> values) {
  Value memory = emitter.scratch(op);
  Type element = getElementTypeOrSelf(tile);
  auto addressOfRegister = [&](int64_t number) {
    Value offset = emitter.constant32(0);
    if (tile::isTile(tile))
      for (auto [dimension, extent] : llvm::enumerate(tilegpu::paddedShape(tile)))
        offset = emitter.add(emitter.mul(offset, emitter.constant32(extent)),
                             emitter.coordinate(layoutAttr(tile), number, static_cast<unsigned>(dimension)));
    return emitter.advance(memory, emitter.mul(offset, emitter.constant32(bytesOf(element))));
  };
  SmallVector<Value> addresses;
  for (size_t number = 0; number < values.size(); ++number)
    addresses.push_back(addressOfRegister(static_cast<int64_t>(number)));
  emitter.when(owner, [&] {
    for (auto [address, value] : llvm::zip(addresses, values))
      storeElement(emitter, value, address);
  });
  emitter.barrier();
  return llvm::map_to_vector(addresses, [&](Value address) { return loadElement(emitter, element, address); });
}

namespace {

class AtomicEmitter : Writer {
public:
  AtomicEmitter(Emitter &emitter, tile::AtomicRMWOp op) : Writer(emitter, op, emitter.view(op.getView())), op(op) {}

  void run() {
    Registers olds;
    for (int64_t number = 0; number < registers(); ++number)
      olds.push_back(change(number));
    if (!op.getOld())
      return;
    Type type = op.getOld().getType();
    emitter.setRegisters(op.getOld(), hasReplicas(type) ? toReplicas(emitter, op, type, owner, olds) : olds);
  }

private:
  tile::AtomicRMWOp op;

  /// Changes an element; gives what it was, or 0 if it is not this thread's or not inside.
  Value change(int64_t number) {
    Value where = address(number), isMine = condition(number);
    auto apply = [&] { return changeAtomically(emitter, op.getKind(), where, value(number)); };
    if (!isMine)
      return apply();
    auto branch = scf::IfOp::create(builder, TypeRange(view.element()), isMine, /*addThenBlock=*/true, /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(builder, apply());
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, emitter.constant(cast<TypedAttr>(builder.getZeroAttr(view.element()))));
    return branch.getResult(0);
  }
};

} // namespace

void emitAtomicRMW(Emitter &emitter, tile::AtomicRMWOp op) {
  AtomicEmitter(emitter, op).run();
}

/// What an accumulate changes: partial sums, or the view's own elements.
static Type memoryOf(tile::AccumulateOp op) {
  FailureOr<SumPlan> sums = SumPlan::create(op->getParentOfType<tile::KernelOp>());
  bool isPartial = succeeded(sums) && sums->isPartial(op.getView());
  return isPartial ? getElementTypeOrSelf(op.getValue().getType()) : op.getView().getType().getElement();
}

int64_t sumScratchBytes(Operation *op) {
  if (auto accumulate = dyn_cast<tile::AccumulateOp>(op)) {
    if (!mayMeet(accumulate) || isOrderFree(accumulate, memoryOf(accumulate)))
      return 0;
    int64_t threads = tilegpu::warpsOf(op->getParentOfType<tile::KernelOp>()) * layout::lanesOfWarp;
    return threads * (8 + bytesOf(accumulate.getValue().getType()));
  }
  if (auto change = dyn_cast<tile::AtomicRMWOp>(op))
    return change.getOld() && hasReplicas(change.getOld().getType()) ? replicaBytes(change.getOld().getType()) : 0;
  return 0;
}

// --------------------------------------------------------------------------------------------------------------------
// begin
// --------------------------------------------------------------------------------------------------------------------

/// Runs `body` for each number below `count`, by all threads of a launch.
static void forEach(Emitter &emitter, Value count, llvm::function_ref<void(Value)> body) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Type i32 = builder.getI32Type();
  Value width = emitter.toI64(NVVM::BlockDimXOp::create(builder, i32));
  Value block = emitter.toI64(NVVM::BlockIdXOp::create(builder, i32)),
        blocks = emitter.toI64(NVVM::GridDimXOp::create(builder, i32));
  Value first = emitter.add(emitter.mul(block, width), emitter.toI64(emitter.thread()));
  auto loop = scf::ForOp::create(builder, first, count, emitter.mul(blocks, width));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// What a sum starts from, in the accumulator's type. Of integers the limits are those of the view's dtype.
static Value startOf(Emitter &emitter, const Sum &sum) {
  Type element = sum.getViewType().getElement();
  if (isa<FloatType>(element) || sum.kind == tile::Reduction::Add)
    return identity(emitter, sum.kind, sum.type);
  tile::Reduction kind = sum.kind;
  if (sum.isUnsigned)
    kind = isMaximum(kind) ? tile::Reduction::UMax : tile::Reduction::UMin;
  return converted(emitter, identity(emitter, kind, element), sum.type, sum.isUnsigned, false);
}

/// The indices of the element with a row-major number.
static SmallVector<Value> unflattened(Emitter &emitter, const View &view, Value number) {
  int64_t rank = view.type.getRank();
  SmallVector<Value> indices(rank);
  for (int64_t dimension = rank - 1; dimension > 0; --dimension) {
    Value extent = extentOf(emitter, view, dimension);
    indices[dimension] = emitter.builder.createOrFold<arith::RemUIOp>(number, extent);
    number = emitter.builder.createOrFold<arith::DivUIOp>(number, extent);
  }
  indices[0] = number;
  return indices;
}

/// Zeros are all alike: 16 bytes at a time, whose sum and chunk they are in does not matter.
static void fillWithZeros(Emitter &emitter, SumMemory &sums) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto type = VectorType::get({4}, builder.getI32Type());
  Value zero = emitter.constant(DenseElementsAttr::get(type, builder.getI32IntegerAttr(0)));
  Value start = sums.start(emitter.constant(0));
  Value bytes = emitter.mul(emitter.loadSlot(Slot::ChunkCount), sums.chunkBytes());
  forEach(emitter, builder.createOrFold<arith::ShRUIOp>(bytes, emitter.constant(4)), [&](Value number) {
    LLVM::StoreOp::create(builder, zero, emitter.advance(start, emitter.mul(number, emitter.constant(16))), 16);
  });
}

static void fillPartialSums(Emitter &emitter, SumMemory &sums, size_t number) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const Sum &sum = emitter.sums.partial[number];
  Value start = startOf(emitter, sum), chunks = emitter.loadSlot(Slot::ChunkCount), memory = sums.start(number);
  forEach(emitter, numberOfElements(emitter, emitter.view(sum.view)), [&](Value element) {
    Value place = emitter.advance(memory, emitter.mul(element, emitter.constant(bytesOf(sum.type))));
    auto loop = scf::ForOp::create(builder, emitter.constant(0), chunks, emitter.constant(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    storeElement(emitter, start, emitter.advance(place, emitter.mul(loop.getInductionVar(), sums.chunkBytes())));
  });
}

void emitBegin(Emitter &emitter) {
  SumMemory sums(emitter);
  if (llvm::all_of(emitter.sums.partial, [](const Sum &sum) { return sum.kind == tile::Reduction::Add; })) {
    if (!emitter.sums.partial.empty())
      fillWithZeros(emitter, sums);
  } else {
    for (size_t number = 0; number < emitter.sums.partial.size(); ++number)
      fillPartialSums(emitter, sums, number);
  }
  for (const Sum &sum : emitter.sums.direct) {
    if (sum.getViewType().getAccess() != tile::Access::Out)
      continue;
    const View &view = emitter.view(sum.view);
    Value start = converted(emitter, startOf(emitter, sum), view.element(), false, sum.isUnsigned);
    forEach(emitter, numberOfElements(emitter, view),
            [&](Value number) { storeElement(emitter, start, addressOf(emitter, view, unflattened(emitter, view, number))); });
  }
}

// --------------------------------------------------------------------------------------------------------------------
// finish
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// An element's sum over all chunks, in their order. The loads of several chunks do not wait for each other.
class ChunkSum {
public:
  ChunkSum(Emitter &emitter, tile::Reduction kind, Type type, Value stride)
      : emitter(emitter), builder(emitter.builder), kind(kind), type(type), stride(stride) {}

  /// `memory` is the element in the first chunk.
  Value total(Value start, Value memory) {
    Value chunks = emitter.loadSlot(Slot::ChunkCount);
    Value whole = builder.createOrFold<arith::AndIOp>(chunks, emitter.constant(-together));
    return add(add(start, memory, emitter.constant(0), whole, together), memory, whole, chunks, 1);
  }

private:
  static constexpr int64_t together = 16;

  Emitter &emitter;
  ImplicitLocOpBuilder &builder;
  tile::Reduction kind;
  Type type;
  Value stride; ///< bytes from chunk to chunk

  Value add(Value start, Value memory, Value first, Value last, int64_t step) {
    auto loop = scf::ForOp::create(builder, first, last, emitter.constant(step), start);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value place = emitter.advance(memory, emitter.mul(loop.getInductionVar(), stride));
    SmallVector<Value> values;
    for (int64_t number = 0; number < step; ++number) {
      values.push_back(loadElement(emitter, type, place));
      place = emitter.advance(place, stride);
    }
    Value sum = loop.getRegionIterArg(0);
    for (Value value : values)
      sum = combine(emitter, kind, sum, value);
    scf::YieldOp::create(builder, sum);
    return loop.getResult(0);
  }
};

} // namespace

static void finishElement(Emitter &emitter, SumMemory &sums, size_t number, Value memory, Value element) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const Sum &sum = emitter.sums.partial[number];
  const View &view = emitter.view(sum.view);
  SmallVector<Value> indices = unflattened(emitter, view, element);
  Value place = emitter.advance(memory, emitter.mul(element, emitter.constant(bytesOf(sum.type))));
  ChunkSum chunkSum(emitter, sum.kind, sum.type, sums.chunkBytes());
  Value start = startOf(emitter, sum);
  if (sum.countMessage) {
    Value count = chunkSum.total(start, place);
    Value isAgain = arith::CmpIOp::create(builder, arith::CmpIPredicate::sgt, count, emitter.constant32(1));
    indices.push_back(count);
    return emitter.when(isAgain, [&] { emitReport(emitter, *sum.countMessage, indices); });
  }
  Value address = addressOf(emitter, view, indices);
  if (sum.getViewType().getAccess() == tile::Access::InOut)
    start = converted(emitter, loadElement(emitter, view.element(), address), sum.type, sum.isUnsigned, false);
  storeElement(emitter, converted(emitter, chunkSum.total(start, place), view.element(), false, sum.isUnsigned), address);
}

void emitFinish(Emitter &emitter) {
  SumMemory sums(emitter);
  for (size_t number = 0; number < emitter.sums.partial.size(); ++number) {
    Value memory = sums.start(number);
    forEach(emitter, numberOfElements(emitter, emitter.view(emitter.sums.partial[number].view)),
            [&](Value element) { finishElement(emitter, sums, number, memory, element); });
  }
}

} // namespace tilewright::gpu
