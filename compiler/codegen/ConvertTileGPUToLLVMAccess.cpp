// Loads and stores of views.
//
// No branch for a load. What does not exist is read from sixteen bytes of zeros instead of its own address, so a tile is a row
// of loads without control flow between them, all in flight at once, and it is zero where nothing is.
//
// Vectors. Registers that are neighbours along the contiguous dimension are one access of up to 16 bytes, where the view's
// alignment and what is known of the index's start allow. All elements of such a group exist, or none, if the span's length is a
// multiple of it. Only the last tile of a row can have another length; that is asked once for a tile, and it then goes element
// by element.

#include "compiler/analysis/LinearForm.h"
#include "compiler/codegen/ConvertTileGPUToLLVMPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::gpu {

namespace {

/// How registers are grouped to vectors.
struct Vectors {
  int64_t width = 1;
  Value isWhole; ///< no group exists in part; null: that is certain
};

int64_t divisorOf(Emitter &emitter, const LinearForm &form) {
  int64_t divisor = int64_t(1) << 30;
  for (const Monomial &term : form) {
    int64_t own = term.axis ? emitter.divisorOfStart(term.axis) : term.scalars.empty() ? term.factor : 1;
    if (own != 0)
      divisor = std::min<int64_t>(divisor, own & -own);
  }
  return divisor;
}

Vectors chooseVectors(Emitter &emitter, const View &view, Type place, ValueRange indices, ValueRange spans, ArrayRef<bool> compare) {
  if (!tile::isTile(place) || view.unitStride < 0 || compare[view.unitStride])
    return {};
  StringAttr name = unitStrideAxis(view.unitStride, indices);
  if (!name)
    return {};
  int64_t bytes = bytesOf(view.element());
  int64_t most = std::min<int64_t>(16, view.type.getAlignment()) / bytes;
  most = std::min(most, divisorOf(emitter, *linearForm(indices[view.unitStride])));
  if (most <= 1)
    return {};
  auto dimension = static_cast<unsigned>(tile::positionOfAxis(place, name));
  int64_t width = layout::vectorWidth(layoutAttr(place).getValue(), dimension, most);
  if (width <= 1)
    return {};
  const Axis &axis = emitter.axis(name, spans);
  if (axis.isFull)
    return axis.capacity % width == 0 ? Vectors{width, {}} : Vectors{};
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value rest = arith::AndIOp::create(builder, axis.length, emitter.constant32(width - 1));
  return {width, arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, rest, emitter.constant32(0))};
}

/// The registers of each access.
using Groups = std::vector<std::vector<int64_t>>;

/// Accesses of `width` neighbours along the contiguous dimension.
Groups groupsOf(Emitter &emitter, const View &view, Type place, ValueRange indices, int64_t width) {
  if (!tile::isTile(place))
    return {{0}};
  layout::DistributedLayout layout = layoutAttr(place).getValue();
  if (width == 1) {
    Groups groups;
    for (int64_t number = 0; number < layout.registers(); ++number)
      groups.push_back({number});
    return groups;
  }
  auto dimension = static_cast<unsigned>(tile::positionOfAxis(place, unitStrideAxis(view.unitStride, indices)));
  return layout::vectorRegisters(layout, dimension, width);
}

Type accessType(Type element, size_t width) {
  Type storage = storageOf(element);
  return width == 1 ? storage : Type(VectorType::get({static_cast<int64_t>(width)}, storage));
}

/// Stored elements as what one access moves.
Value packedElements(Emitter &emitter, ArrayRef<Value> elements) {
  if (elements.size() == 1)
    return elements.front();
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value vector = LLVM::PoisonOp::create(builder, VectorType::get({static_cast<int64_t>(elements.size())}, elements.front().getType()));
  for (auto [position, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(builder, vector, element, emitter.constant32(static_cast<int64_t>(position)));
  return vector;
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Loads
// --------------------------------------------------------------------------------------------------------------------

namespace {

class LoadEmitter {
public:
  LoadEmitter(Emitter &emitter, tile::LoadOp op)
      : emitter(emitter), op(op), builder(emitter.builder), view(emitter.view(op.getView())), type(op.getType()),
        places(emitter, view, type, op.getIndices(), op.getSpans(), op.getCompare()) {
    if (op.getOtherwise()) {
      otherwise = emitter.registers(op.getOtherwise());
      if (tile::isTile(type))
        otherwiseMap = emitter.registerMap(op.getOtherwise().getType(), type);
    }
  }

  void run() {
    Vectors vectors = chooseVectors(emitter, view, type, op.getIndices(), op.getSpans(), op.getCompare());
    Groups groups = groupsOf(emitter, view, type, op.getIndices(), vectors.width);
    if (!vectors.isWhole)
      return setResult(groups, loadVectors(groups));
    // Vectors leave the branch: of single elements LLVM would make the loads of both arms one, element by element.
    SmallVector<Type> types(groups.size(), accessType(view.element(), static_cast<size_t>(vectors.width)));
    auto branch = scf::IfOp::create(builder, types, vectors.isWhole, /*addThenBlock=*/true, /*addElseBlock=*/true);
    for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(block);
      scf::YieldOp::create(builder, block == branch.thenBlock() ? loadVectors(groups) : loadElements(groups));
      places.forget();
    }
    setResult(groups, Registers(branch.getResults()));
  }

protected:
  Emitter &emitter;
  tile::LoadOp op;
  ImplicitLocOpBuilder &builder;
  const View &view;
  Type type;
  Places places;
  Registers otherwise;
  SmallVector<int64_t> otherwiseMap;

  /// One access for each group.
  Registers loadVectors(const Groups &groups) {
    return llvm::map_to_vector(groups, [&](const auto &group) { return loadGroup(group); });
  }

  /// The same values, each element by an access of its own.
  Registers loadElements(const Groups &groups) {
    return llvm::map_to_vector(groups, [&](const auto &group) {
      SmallVector<Value> elements = llvm::map_to_vector(group, [&](int64_t number) { return loadGroup({number}); });
      return packedElements(emitter, elements);
    });
  }

  void setResult(const Groups &groups, ArrayRef<Value> loaded) {
    Registers results(groups.size() * groups.front().size());
    for (auto [group, vector] : llvm::zip(groups, loaded))
      takeApart(group, vector, results);
    emitter.setRegisters(op.getResult(), std::move(results));
  }

  /// The elements of one access.
  void takeApart(ArrayRef<int64_t> group, Value vector, Registers &results) {
    Value inside = otherwise.empty() ? Value() : places.inside(group.front());
    for (auto [position, number] : llvm::enumerate(group)) {
      Value element = vector;
      if (group.size() > 1)
        element = LLVM::ExtractElementOp::create(builder, vector, emitter.constant32(static_cast<int64_t>(position)));
      element = fromStorage(builder, builder.getLoc(), element, getElementTypeOrSelf(type));
      if (inside)
        element = arith::SelectOp::create(builder, inside, element, otherwise[otherwiseMap.empty() ? 0 : otherwiseMap[number]]);
      results[number] = element;
    }
  }

  Value loadGroup(ArrayRef<int64_t> group) {
    Value inside = places.inside(group.front());
    Value condition = emitter.logicalAnd(inside, places.exists(group.front()));
    Value address = places.address(group.front());
    if (condition)
      address = arith::SelectOp::create(builder, condition, address, emitter.zeros());
    bool isConstant = view.type.getAccess() == tile::Access::In; // nothing writes it while the kernel runs
    auto alignment = static_cast<unsigned>(bytesOf(view.element()) * static_cast<int64_t>(group.size()));
    alignment = std::min<unsigned>(alignment, static_cast<unsigned>(view.type.getAlignment()));
    return LLVM::LoadOp::create(builder, accessType(view.element(), group.size()), address, alignment, /*isVolatile=*/false,
                                /*isNonTemporal=*/false, /*isInvariant=*/isConstant);
  }
};

} // namespace

void emitLoad(Emitter &emitter, tile::LoadOp op) {
  LoadEmitter(emitter, op).run();
}

/// Vectors only where every one of them exists in whole or not at all: a branch for each would cost more than it saves.
class DeferredLoad : private LoadEmitter {
public:
  DeferredLoad(Emitter &emitter, tile::LoadOp op) : LoadEmitter(emitter, op) {
    Vectors vectors = chooseVectors(emitter, view, type, op.getIndices(), op.getSpans(), op.getCompare());
    groups = groupsOf(emitter, view, type, op.getIndices(), vectors.isWhole ? 1 : vectors.width);
    known.resize(layoutAttr(type).getValue().registers());
    for (const auto &[number, group] : llvm::enumerate(groups))
      for (int64_t element : group)
        groupOf[element] = number;
  }

  Value element(int64_t number) {
    if (!known[number])
      takeApart(groups[groupOf[number]], loadGroup(groups[groupOf[number]]), known);
    return known[number];
  }

private:
  Groups groups;
  llvm::DenseMap<int64_t, size_t> groupOf;
  Registers known;
};

std::shared_ptr<DeferredLoad> deferLoad(Emitter &emitter, tile::LoadOp op) {
  return std::make_shared<DeferredLoad>(emitter, op);
}

std::shared_ptr<DeferredLoad> copyOf(const DeferredLoad &load) {
  return std::make_shared<DeferredLoad>(load);
}

Value loadElement(DeferredLoad &load, int64_t registerNumber) {
  return load.element(registerNumber);
}

// --------------------------------------------------------------------------------------------------------------------
// Asynchronous copies
// --------------------------------------------------------------------------------------------------------------------

/// Each thread copies groups of 16, 8 or 4 bytes; of the last group of a row only what exists, the rest is filled with zeros.
void emitAsyncLoad(Emitter &emitter, tilegpu::AsyncLoadOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  const View &view = emitter.view(op.getView());
  tilegpu::BufferType buffer = op.getBuffer().getType();
  Type place = tile::withLayout(buffer.getTile(), op.getLayout());
  SmallVector<bool> compare(op.getIndices().size(), false);
  Places places(emitter, view, place, op.getIndices(), op.getSpans(), compare);
  StringAttr name = unitStrideAxis(view.unitStride, op.getIndices());
  auto dimension = static_cast<unsigned>(tile::positionOfAxis(place, name));
  layout::DistributedLayout layout = op.getLayout().getValue();
  int64_t bytes = buffer.getElementBytes(), width = layout::vectorWidth(layout, dimension, 16 / bytes);
  // Spans of the other axes: of the contiguous one a part may exist.
  SmallVector<Value> otherSpans;
  for (Value span : op.getSpans())
    if (cast<tile::SpanType>(span.getType()).getAxis() != name)
      otherSpans.push_back(span);
  const Axis &axis = emitter.axis(name, op.getSpans());
  Value owner = emitter.isOwner(op.getLayout());
  emitter.when(owner, [&] {
    for (const std::vector<int64_t> &group : layout::vectorRegisters(layout, dimension, width)) {
      Value first = emitter.coordinate(op.getLayout(), group.front(), dimension);
      Value exists = emitter.logicalAnd(op.getEnabled() ? emitter.scalar(op.getEnabled()) : Value(),
                                        emitter.existence(place, group.front(), otherSpans));
      Value size = emitter.constant32(width * bytes);
      if (!axis.isFull || tilegpu::paddedExtent(axis.capacity) != axis.capacity) {
        Value left = emitter.mul(emitter.sub(axis.length, first), emitter.constant32(bytes));
        size = emitter.max(emitter.min(left, size), emitter.constant32(0));
        Value some = arith::CmpIOp::create(builder, arith::CmpIPredicate::sgt, left, emitter.constant32(0));
        exists = emitter.logicalAnd(exists, some);
      }
      Value source = places.address(group.front());
      if (exists) {
        source = arith::SelectOp::create(builder, exists, source, emitter.zeros());
        size = arith::SelectOp::create(builder, exists, size, emitter.constant32(0));
      }
      SmallVector<Value> coordinates;
      for (StringAttr axis : tile::axesOf(buffer.getTile()))
        coordinates.push_back(emitter.coordinate(op.getLayout(), group.front(), static_cast<unsigned>(tile::positionOfAxis(place, axis))));
      Value destination = emitter.advance(bufferAddress(emitter, op.getBuffer()), bufferOffset(emitter, buffer, coordinates));
      auto modifier = width * bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
      NVVM::CpAsyncOp::create(builder, destination, source, static_cast<uint32_t>(width * bytes), modifier, size);
    }
  });
}

// --------------------------------------------------------------------------------------------------------------------
// Stores
// --------------------------------------------------------------------------------------------------------------------

namespace {

class StoreEmitter {
public:
  StoreEmitter(Emitter &emitter, tile::StoreOp op)
      : emitter(emitter), op(op), builder(emitter.builder), view(emitter.view(op.getView())), place(tilegpu::placeType(op, op.getSpans(), view.element())),
        places(emitter, view, place, op.getIndices(), op.getSpans(), op.getCompare()),
        values(emitter.registers(op.getValue())) {
    if (tile::isTile(place))
      map = emitter.registerMap(op.getValue().getType(), place);
    else
      map = {0};
  }

  void run() {
    Vectors vectors = chooseVectors(emitter, view, place, op.getIndices(), op.getSpans(), op.getCompare());
    if (!vectors.isWhole)
      return store(vectors.width);
    auto branch = scf::IfOp::create(builder, vectors.isWhole, /*withElseRegion=*/true);
    for (auto [block, width] : {std::pair(branch.thenBlock(), vectors.width), std::pair(branch.elseBlock(), int64_t(1))}) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(block);
      store(width);
      places.forget();
    }
  }

private:
  Emitter &emitter;
  tile::StoreOp op;
  ImplicitLocOpBuilder &builder;
  const View &view;
  Type place;
  Places places;
  Registers values;
  SmallVector<int64_t> map;

  void store(int64_t width) {
    Value owner = speaksFor(emitter, place);
    for (const auto &group : groupsOf(emitter, view, place, op.getIndices(), width)) {
      Value condition = emitter.logicalAnd(places.inside(group.front()), places.exists(group.front()));
      condition = emitter.logicalAnd(owner, condition);
      Value address = places.address(group.front());
      emitter.when(condition, [&] { storeGroup(group, address); });
    }
  }

  void storeGroup(ArrayRef<int64_t> group, Value address) {
    SmallVector<Value> elements =
        llvm::map_to_vector(group, [&](int64_t number) { return toStorage(builder, builder.getLoc(), values[map[number]]); });
    Value value = packedElements(emitter, elements);
    auto alignment = static_cast<unsigned>(bytesOf(view.element()) * static_cast<int64_t>(group.size()));
    alignment = std::min<unsigned>(alignment, static_cast<unsigned>(view.type.getAlignment()));
    LLVM::StoreOp::create(builder, value, address, alignment);
  }
};

} // namespace

void emitStore(Emitter &emitter, tile::StoreOp op) {
  StoreEmitter(emitter, op).run();
  emitStoreCount(emitter, op);
}

} // namespace tilewright::gpu
