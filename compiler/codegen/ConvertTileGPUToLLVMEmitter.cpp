#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "compiler/analysis/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::gpu {

using layout::DistributedLayout;
using tilegpu::DistributedAttr;

Emitter::Emitter(tile::KernelOp kernel, LLVM::LLVMFuncOp function, const SumPlan &sums)
    : kernel(kernel), function(function), sums(sums), builder(kernel.getLoc(), function.getContext()),
      warpCount(tilegpu::warpsOf(kernel)) {
  builder.setInsertionPointToStart(&function.getBody().front());
  entryMark = LLVM::ReturnOp::create(builder, ValueRange());
  builder.setInsertionPoint(entryMark);
  bindThread();
  bindArguments();
}

// --------------------------------------------------------------------------------------------------------------------
// Arithmetic
// --------------------------------------------------------------------------------------------------------------------

void Emitter::atEntry(llvm::function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(builder);
  Location location = builder.getLoc();
  builder.setLoc(kernel.getLoc());
  builder.setInsertionPointToStart(&function.getBody().front());
  body();
  builder.setLoc(location);
}

Value Emitter::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known)
    atEntry([&] { known = arith::ConstantOp::create(builder, value); });
  return known;
}
Value Emitter::constant(int64_t value) {
  return constant(builder.getI64IntegerAttr(value));
}
Value Emitter::constant32(int64_t value) {
  return constant(builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}
Value Emitter::add(Value lhs, Value rhs) {
  return builder.createOrFold<arith::AddIOp>(lhs, rhs);
}
Value Emitter::sub(Value lhs, Value rhs) {
  return builder.createOrFold<arith::SubIOp>(lhs, rhs);
}
Value Emitter::mul(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MulIOp>(lhs, rhs);
}
Value Emitter::min(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MinSIOp>(lhs, rhs);
}
Value Emitter::max(Value lhs, Value rhs) {
  return builder.createOrFold<arith::MaxSIOp>(lhs, rhs);
}
Value Emitter::logicalAnd(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return builder.createOrFold<arith::AndIOp>(lhs, rhs);
}
Value Emitter::toI64(Value value) {
  return builder.createOrFold<arith::ExtUIOp>(builder.getI64Type(), value);
}
Value Emitter::toI32(Value value) {
  return builder.createOrFold<arith::TruncIOp>(builder.getI32Type(), value);
}

Value Emitter::ceilDiv(Value low, Value high, int64_t step) {
  Value length = sub(max(high, low), low); // high - low may wrap where the range is empty
  if (step == 1)
    return length;
  return builder.createOrFold<arith::DivUIOp>(add(length, constant(step - 1)), constant(step));
}

void Emitter::when(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

void Emitter::whenAlone(Value condition, llvm::function_ref<void()> body) {
  llvm::DenseMap<Value, Registers> tilesBefore = tiles;
  llvm::DenseMap<Operation *, std::shared_ptr<DeferredLoad>> loadsBefore;
  for (const auto &[op, load] : loads)
    loadsBefore[op] = copyOf(*load);
  when(condition, body);
  tiles = std::move(tilesBefore);
  loads = std::move(loadsBefore);
}

// --------------------------------------------------------------------------------------------------------------------
// Arguments (compiler_c.h has the slots)
// --------------------------------------------------------------------------------------------------------------------

Value Emitter::loadSlot(int64_t slot) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value address = LLVM::GEPOp::create(builder, pointer, builder.getI64Type(), function.getArgument(0),
                                      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot)});
  return LLVM::LoadOp::create(builder, builder.getI64Type(), address, /*alignment=*/8);
}

/// Tensor maps are the parameters behind the slots, in the order of their operations.
void Emitter::bindTensorMap(tilegpu::TensorMapOp map) {
  unsigned number = 1;
  for (auto op : kernel.getBlock().getOps<tilegpu::TensorMapOp>()) {
    if (op == map)
      break;
    ++number;
  }
  Value parameter = function.getArgument(number);
  setScalar(map.getMap(), parameter);
  // The first copy would wait for the map's own way from memory.
  Value feeds = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, threadOfBlock(), constant32(feedingThread(*this)));
  // With a predicate it is assembly; of the intrinsic LLVM makes two, one of them of the parameter space.
  NVVM::PrefetchOp::create(builder, NVVM::PrefetchCacheLevelAttr(), NVVM::CacheEvictionPriorityAttr(), parameter, feeds,
                           /*tensormap=*/builder.getUnitAttr(), /*uniform=*/UnitAttr(), /*in_param_space=*/UnitAttr());
}

View Emitter::bindView(tile::ViewType type, int64_t &slot) {
  int64_t split = splitDimension(type), memoryRank = type.getRank() + type.getPackRank() - 1;
  View view{nullptr, {}, {}, unitDimension(type), split, type.getPackRank(), type};
  view.base = LLVM::IntToPtrOp::create(builder, LLVM::LLVMPointerType::get(builder.getContext(), 1), loadSlot(slot++));
  for (int64_t dimension = 0; dimension < memoryRank; ++dimension)
    view.extents.push_back(loadSlot(slot++));
  for (int64_t dimension = 0; dimension < memoryRank; ++dimension)
    view.strides.push_back(loadSlot(slot++));
  if (type.getUnitStride() >= 0) // worth more as a constant
    view.strides[view.lastMemoryDimension(type.getUnitStride())] = constant(1);
  return view;
}

void Emitter::bindArguments() {
  int64_t slot = Slot::FirstParameter;
  for (BlockArgument argument : kernel.getBlock().getArguments()) {
    Type type = argument.getType();
    if (auto viewType = dyn_cast<tile::ViewType>(type)) {
      views.try_emplace(argument, bindView(viewType, slot));
      continue;
    }
    Value word = loadSlot(slot++);
    unsigned bits = bytesOf(type) * 8;
    Value low = bits == 64 ? word : arith::TruncIOp::create(builder, builder.getIntegerType(bits), word).getResult();
    if (isa<FloatType>(type))
      low = arith::BitcastOp::create(builder, type, low);
    else if (type.isInteger(1))
      low = fromStorage(builder, builder.getLoc(), low, type);
    setScalar(argument, low);
  }
}

void Emitter::bindThread() {
  auto all = kernel.getBlock().getOps<tilegpu::RolesOp>();
  threadNumber = blockThreadNumber = NVVM::ThreadIdXOp::create(builder, builder.getI32Type());
  laneNumber = arith::AndIOp::create(builder, threadNumber, constant32(31));
  warpNumber = arith::ShRUIOp::create(builder, threadNumber, constant32(5));
  if (all.empty())
    return;
  // Groups are whole powers of two of warps. A shuffle tells ptxas that the number is the same in all lanes, so that descriptors stay
  // in uniform registers.
  roles = *all.begin();
  threadNumber = arith::AndIOp::create(builder, threadNumber, constant32(warpCount * layout::lanesOfWarp - 1));
  Value within = arith::AndIOp::create(builder, warpNumber, constant32(warpCount - 1));
  warpNumber = NVVM::ShflOp::create(builder, builder.getI32Type(), constant32(-1), within, constant32(0), constant32(31), NVVM::ShflKind::idx, UnitAttr());
}

void Emitter::arriveAt(Value barrier, Value threads) {
  // The intrinsic, which LLVM knows to be convergent; MLIR's operation is assembly, which it does not.
  LLVM::CallIntrinsicOp::create(builder, builder.getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count"), ValueRange{barrier, threads});
}

// --------------------------------------------------------------------------------------------------------------------
// Memory
// --------------------------------------------------------------------------------------------------------------------

Value Emitter::sharedMemory(int64_t offset) {
  static constexpr StringLiteral name = "tw_shared_memory";
  auto module = function->getParentOfType<ModuleOp>();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 3);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    // External and of no length: an internal one could be proved never to be written.
    LLVM::GlobalOp::create(builder, LLVM::LLVMArrayType::get(builder.getI8Type(), 0), /*isConstant=*/false,
                           LLVM::Linkage::External, name, Attribute(), /*alignment=*/1024, /*addrSpace=*/3);
  }
  Value base = LLVM::AddressOfOp::create(builder, pointer, name);
  return advance(base, offset);
}

Value Emitter::advance(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder, pointer.getType(), builder.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
}
Value Emitter::advance(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(builder, pointer.getType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value Emitter::zeros() {
  static constexpr StringLiteral name = "tw_zeros";
  auto module = function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = RankedTensorType::get({16}, builder.getI8Type());
    LLVM::GlobalOp::create(builder, LLVM::LLVMArrayType::get(builder.getI8Type(), 16), /*isConstant=*/true,
                           LLVM::Linkage::Internal, name, DenseElementsAttr::get(type, builder.getI8IntegerAttr(0)),
                           /*alignment=*/16, /*addrSpace=*/1);
  }
  return LLVM::AddressOfOp::create(builder, LLVM::LLVMPointerType::get(builder.getContext(), 1), name);
}

void Emitter::barrier() {
  if (!group) {
    NVVM::Barrier0Op::create(builder);
    return;
  }
  Value number = add(group, constant32(firstGroupBarrier));
  NVVM::BarrierOp::create(builder, Type(), number, constant32(warpCount * layout::lanesOfWarp), NVVM::BarrierReductionAttr(), Value());
}

Value Emitter::ownSharedMemory(int64_t offset) {
  Value address = sharedMemory(offset);
  if (auto bytes = roles ? roles->getAttrOfType<IntegerAttr>(tilegpu::groupBytesName) : IntegerAttr(); group && bytes && roles.getGroups() > 1)
    address = advance(address, mul(group, constant32(bytes.getInt())));
  return address;
}

Value Emitter::scratch(Operation *op) {
  return ownSharedMemory(op->getAttrOfType<IntegerAttr>(tilegpu::scratchOffsetName).getInt());
}

// --------------------------------------------------------------------------------------------------------------------
// Tiles
// --------------------------------------------------------------------------------------------------------------------

Registers Emitter::registers(Value value) {
  if (!tile::isTile(value.getType()))
    return {scalar(value)};
  if (deferred.contains(value))
    for (int64_t number = 0; number < layoutOf(layoutAttr(value.getType())).registers(); ++number)
      element(value, number);
  return tiles.find(value)->second;
}

// --------------------------------------------------------------------------------------------------------------------
// Elements one by one
//
// Between a product of 128 × 192 and its store lie several tiles of as many registers. Written operation by operation they would all be
// alive at a time; so in groups nothing elementwise is written before a store asks for an element, slice by slice.
// --------------------------------------------------------------------------------------------------------------------

bool Emitter::isDeferrable(Operation &op) {
  if ((!group && !isPreparer) || op.getNumResults() != 1 || op.getNumRegions() != 0 || !tile::isTile(op.getResult(0).getType()))
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getView().getType().getAccess() == tile::Access::In;
  // Of a buffer that nothing writes while the groups run but what barriers in shared memory guard.
  if (auto load = dyn_cast<tilegpu::LoadSharedOp>(op))
    return tilegpu::isOfBlock(load.getBuffer());
  if (isa<tile::BroadcastOp, tile::CastOp, tilegpu::ZeroAbsentOp>(op))
    return true;
  StringRef dialect = op.getDialect()->getNamespace();
  return (dialect == "arith" || dialect == "math") && !isa<arith::ConstantOp>(op) && isPure(&op);
}

Value Emitter::element(Value value, int64_t number) {
  if (!tile::isTile(value.getType()))
    return scalar(value);
  if (!deferred.contains(value))
    return tiles.find(value)->second[number];
  if (Value known = tiles.find(value)->second[number])
    return known;
  Location location = builder.getLoc();
  builder.setLoc(value.getLoc());
  Value computed = computeElement(value.getDefiningOp(), number);
  builder.setLoc(location);
  return tiles.find(value)->second[number] = computed;
}

Value Emitter::computeElement(Operation *op, int64_t number) {
  Value result = op->getResult(0);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return loadElement(*loads.find(op)->second, number);
  if (isa<tilegpu::TmaFetchOp>(op))
    return fetchedElement(*fetches.find(op)->second, number);
  if (auto load = dyn_cast<tilegpu::LoadSharedOp>(op)) {
    Registers registers = tiles.find(result)->second;
    loadSharedElements(*this, load, number, registers);
    tiles.find(result)->second = registers;
    return registers[number];
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    std::shared_ptr<SmallVector<int64_t>> &map = registerMaps[op];
    if (!map)
      map = std::make_shared<SmallVector<int64_t>>(registerMap(broadcast.getOperand().getType(), broadcast.getType()));
    return element(broadcast.getOperand(), (*map)[number]);
  }
  if (auto zero = dyn_cast<tilegpu::ZeroAbsentOp>(op)) {
    Value operand = element(zero.getOperand(), number), exists = existence(zero.getType(), number, zero.getSpans());
    Value nothing = constant(cast<TypedAttr>(builder.getZeroAttr(operand.getType())));
    return exists ? arith::SelectOp::create(builder, exists, operand, nothing).getResult() : operand;
  }
  SmallVector<Value> parts;
  for (Value operand : op->getOperands())
    parts.push_back(element(operand, number));
  Operation *scalarOp = op->cloneWithoutRegions();
  scalarOp->setOperands(parts);
  scalarOp->getResult(0).setType(getElementTypeOrSelf(result.getType()));
  builder.insert(scalarOp);
  return scalarOp->getResult(0);
}

void Emitter::force(Operation &op) {
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (deferred.contains(operand))
        registers(operand);
  });
}

void Emitter::finishFetches() {
  for (auto &[op, tile] : fetches) {
    builder.setLoc(op->getLoc());
    finishFetch(*tile);
  }
}

void Emitter::setRegisters(Value value, Registers registers) {
  if (!tile::isTile(value.getType()))
    return setScalar(value, registers.front());
  assert(static_cast<int64_t>(registers.size()) == layoutOf(layoutAttr(value.getType())).registers() &&
         "as many values as the layout has registers");
  tiles[value] = std::move(registers);
}

void Emitter::setVariable(Value variable, Value first, Value end, int64_t divisor, bool isFull) {
  auto span = dyn_cast<tile::SpanType>(variable.getType());
  if (!span)
    return setScalar(variable, first);
  Value length = isFull ? constant32(span.getCapacity()) : toI32(min(sub(end, first), constant(span.getCapacity())));
  divisors[span.getAxis()] = divisor;
  setAxis(variable, Axis{first, length, span.getCapacity(), isFull});
}

void Emitter::setAxis(Value span, Axis axis) {
  axes[span] = axis;
}

const Axis &Emitter::axis(StringAttr name, ValueRange spans) const {
  auto found = llvm::find_if(spans, [&](Value span) { return cast<tile::SpanType>(span.getType()).getAxis() == name; });
  return axis(*found);
}

const DistributedLayout &Emitter::layoutOf(DistributedAttr attribute) {
  std::shared_ptr<DistributedLayout> &known = layouts[attribute];
  if (!known)
    known = std::make_shared<DistributedLayout>(attribute.getValue());
  return *known;
}

/// Σ (bit b of `number`) · bases[b][dimension], which may be any exclusive or. Runs of bits that step by powers of two are
/// moved together.
static Value applyBases(Emitter &emitter, Value number, ArrayRef<DistributedLayout::Basis> bases, unsigned dimension) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value result;
  for (size_t first = 0; first < bases.size();) {
    int64_t step = bases[first][dimension];
    size_t last = first + 1;
    if (step == 0) {
      first = last;
      continue;
    }
    while (last < bases.size() && llvm::isPowerOf2_64(step) && bases[last][dimension] == step << (last - first))
      ++last;
    Value bits = number;
    if (first > 0)
      bits = builder.createOrFold<arith::ShRUIOp>(bits, emitter.constant32(static_cast<int64_t>(first)));
    bits = builder.createOrFold<arith::AndIOp>(bits, emitter.constant32((int64_t(1) << (last - first)) - 1));
    Value part = emitter.mul(bits, emitter.constant32(step));
    result = result ? builder.createOrFold<arith::XOrIOp>(result, part) : part;
    first = last;
  }
  return result;
}

Value Emitter::coordinate(DistributedAttr attribute, int64_t registerNumber, unsigned dimension) {
  const DistributedLayout &layout = layoutOf(attribute);
  SmallVector<Coordinate> &known = coordinates[attribute];
  if (known.empty())
    known.resize(layout.rank());
  Coordinate &coordinate = known[dimension];
  int64_t ofRegister = layout.elementAt({registerNumber, 0, 0})[dimension];
  if (Value value = coordinate.withRegister.lookup(ofRegister))
    return value;
  // At the start, where lane and warp are known: every use is behind it.
  OpBuilder::InsertionGuard guard(builder);
  Location location = builder.getLoc();
  builder.setLoc(kernel.getLoc());
  builder.setInsertionPointAfterValue(warpNumber);
  if (!coordinate.base) {
    DistributedLayout::Bases bases = layout.bases();
    Value lanes = applyBases(*this, laneNumber, bases.lanes, dimension);
    Value warps = applyBases(*this, warpNumber, bases.warps, dimension);
    coordinate.base = lanes && warps ? builder.createOrFold<arith::XOrIOp>(lanes, warps) : lanes ? lanes : warps ? warps : constant32(0);
    for (const auto *list : {&bases.lanes, &bases.warps})
      for (const DistributedLayout::Basis &basis : *list)
        coordinate.baseBits |= static_cast<uint64_t>(basis[dimension]);
  }
  bool isConstant = coordinate.base.getDefiningOp<arith::ConstantOp>() != nullptr; // which stands before all that is computed
  builder.setInsertionPointAfterValue(isConstant ? warpNumber : coordinate.base);
  // Repetitions are above all bits of the atom; within it most registers have bits of their own, and adding is what addresses
  // like.
  bool isDisjoint = (coordinate.baseBits & static_cast<uint64_t>(ofRegister)) == 0;
  int64_t atom = layout.atomShape()[dimension], within = ofRegister % atom, beyond = ofRegister - within;
  Value value = coordinate.base;
  if (isDisjoint)
    value = add(value, constant32(ofRegister));
  else
    value = add(builder.createOrFold<arith::XOrIOp>(value, constant32(within)), constant32(beyond));
  builder.setLoc(location);
  return coordinate.withRegister[ofRegister] = value;
}

Value Emitter::coordinateOfWarp(DistributedAttr attribute, int64_t registerNumber, unsigned dimension) {
  const DistributedLayout &layout = layoutOf(attribute);
  int64_t ofRegister = layout.elementAt({registerNumber, 0, 0})[dimension];
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(warpNumber);
  Value base = applyBases(*this, warpNumber, layout.bases().warps, dimension);
  // The registers of fragments have bits of their own.
  return base ? add(base, constant32(ofRegister)) : constant32(ofRegister);
}

Value Emitter::existence(Type tile, int64_t registerNumber, ValueRange spans) {
  Value result;
  for (Value span : spans) {
    StringAttr name = cast<tile::SpanType>(span.getType()).getAxis();
    int64_t dimension = tile::positionOfAxis(tile, name);
    if (dimension < 0)
      continue;
    const Axis &extent = axis(span);
    if (extent.isFull && tilegpu::paddedExtent(extent.capacity) == extent.capacity)
      continue;
    Value place = coordinate(layoutAttr(tile), registerNumber, static_cast<unsigned>(dimension));
    result = logicalAnd(result, builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, place, extent.length));
  }
  return result;
}

Value Emitter::isOwner(DistributedAttr attribute) {
  const DistributedLayout &layout = layoutOf(attribute);
  // A place that has only bits that add something new. holderOf gives the first holder, whose other bits are zero.
  const layout::LinearMap &map = layout.atom();
  std::vector<uint64_t> images;
  uint64_t idleLanes = 0, idleWarps = 0;
  unsigned registerBits = layout.atomRegisterBits();
  for (unsigned bit = 0; bit < map.inputBits(); ++bit) {
    images.push_back(map.bases()[bit]);
    if (layout::rankOf(images) == images.size())
      continue;
    images.pop_back();
    if (bit >= registerBits + layout::laneBits)
      idleWarps |= uint64_t(1) << (bit - registerBits - layout::laneBits);
    else if (bit >= registerBits)
      idleLanes |= uint64_t(1) << (bit - registerBits);
  }
  auto areZero = [&](Value number, uint64_t bits) -> Value {
    if (bits == 0)
      return {};
    Value masked = builder.createOrFold<arith::AndIOp>(number, constant32(static_cast<int64_t>(bits)));
    return builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, masked, constant32(0));
  };
  return logicalAnd(areZero(laneNumber, idleLanes), areZero(warpNumber, idleWarps));
}

SmallVector<int64_t> Emitter::registerMap(Type from, Type to) {
  if (!tile::isTile(from))
    return SmallVector<int64_t>(layoutOf(layoutAttr(to)).registers(), 0);
  const DistributedLayout &source = layoutOf(layoutAttr(from)), &destination = layoutOf(layoutAttr(to));
  std::map<layout::Coordinates, int64_t> known;
  for (int64_t number = 0; number < source.registers(); ++number)
    known.emplace(source.elementAt({number, 0, 0}), number);
  SmallVector<unsigned> dimensions;
  for (StringAttr axis : tile::axesOf(from))
    dimensions.push_back(static_cast<unsigned>(tile::positionOfAxis(to, axis)));
  SmallVector<int64_t> result;
  for (int64_t number = 0; number < destination.registers(); ++number) {
    layout::Coordinates element = destination.elementAt({number, 0, 0}), part;
    for (unsigned dimension : dimensions)
      part.push_back(element[dimension]);
    auto found = known.find(part);
    assert(found != known.end() && "the layouts do not fit");
    result.push_back(found->second);
  }
  return result;
}

// --------------------------------------------------------------------------------------------------------------------
// Types
// --------------------------------------------------------------------------------------------------------------------

int64_t bytesOf(Type element) {
  return std::max<int64_t>(1, getElementTypeOrSelf(element).getIntOrFloatBitWidth() / 8);
}

Type storageOf(Type element) {
  bool isByte = element.isInteger(1) || (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8);
  return isByte ? Type(IntegerType::get(element.getContext(), 8)) : element;
}

Value toStorage(OpBuilder &builder, Location location, Value element) {
  Type storage = storageOf(element.getType());
  if (element.getType() == storage)
    return element;
  if (element.getType().isInteger(1))
    return arith::ExtUIOp::create(builder, location, storage, element);
  return arith::BitcastOp::create(builder, location, storage, element);
}

Value fromStorage(OpBuilder &builder, Location location, Value stored, Type element) {
  if (stored.getType() == element)
    return stored;
  if (!element.isInteger(1))
    return arith::BitcastOp::create(builder, location, element, stored);
  Value zero = arith::ConstantIntOp::create(builder, location, stored.getType(), 0);
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, stored, zero);
}

DistributedAttr layoutAttr(Type tile) {
  return cast<DistributedAttr>(tile::layoutOf(tile));
}

// --------------------------------------------------------------------------------------------------------------------
// Operations
// --------------------------------------------------------------------------------------------------------------------

LogicalResult Emitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && !isa<tile::ParallelOp>(op) && failed(emit(op)))
      return failure();
  return success();
}

LogicalResult Emitter::emitSlice(ValueRange values) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> pending(values.begin(), values.end());
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (op && needed.insert(op).second)
      op->walk([&](Operation *inner) { llvm::append_range(pending, inner->getOperands()); });
  }
  for (Block *block = &kernel.getBlock(); block;) {
    Block *inner = nullptr;
    for (Operation &op : *block) {
      if (auto parallel = dyn_cast<tile::ParallelOp>(op))
        inner = &parallel.getBody().front();
      else if (auto parts = dyn_cast<tilegpu::RolesOp>(op))
        inner = &parts.getConsumers().front();
      else if (needed.contains(&op) && failed(emit(op)))
        return failure();
    }
    block = inner;
  }
  return success();
}

/// An elementwise operation, or one on scalars: once for each register.
LogicalResult Emitter::emitExpression(Operation &op) {
  if (op.getNumRegions() > 0 || op.getNumResults() != 1)
    return op.emitOpError("has no lowering for a GPU");
  Value result = op.getResult(0);
  if (!tile::isTile(result.getType())) {
    builder.clone(op, scalars);
    return success();
  }
  Type element = getElementTypeOrSelf(result.getType());
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<DenseElementsAttr>(constantOp.getValue()).getSplatValue<TypedAttr>();
    setRegisters(result, Registers(layoutOf(layoutAttr(result.getType())).registers(), constant(splat)));
    return success();
  }
  SmallVector<Registers> operands;
  for (Value operand : op.getOperands())
    operands.push_back(registers(operand));
  Registers results;
  for (int64_t number = 0; number < layoutOf(layoutAttr(result.getType())).registers(); ++number) {
    SmallVector<Value> parts;
    for (auto [operand, values] : llvm::zip(op.getOperands(), operands))
      parts.push_back(values[tile::isTile(operand.getType()) ? number : 0]);
    Operation *scalarOp = op.cloneWithoutRegions();
    scalarOp->setOperands(parts);
    scalarOp->getResult(0).setType(element);
    builder.insert(scalarOp);
    results.push_back(scalarOp->getResult(0));
  }
  setRegisters(result, std::move(results));
  return success();
}

static void emitIndex(Emitter &emitter, tile::IndexOp op) {
  const Axis &axis = emitter.axis(op.getSpan());
  Type type = op.getResult().getType();
  int64_t count = layoutAttr(type).getValue().registers();
  Registers results;
  for (int64_t number = 0; number < count; ++number)
    results.push_back(emitter.add(axis.start, emitter.toI64(emitter.coordinate(layoutAttr(type), number, 0))));
  emitter.setRegisters(op.getResult(), std::move(results));
}

static void emitBroadcast(Emitter &emitter, tile::BroadcastOp op) {
  Registers operand = emitter.registers(op.getOperand());
  Registers results;
  for (int64_t number : emitter.registerMap(op.getOperand().getType(), op.getType()))
    results.push_back(operand[number]);
  emitter.setRegisters(op.getResult(), std::move(results));
}

static void emitZeroAbsent(Emitter &emitter, tilegpu::ZeroAbsentOp op) {
  Registers results;
  Value zero = emitter.constant(cast<TypedAttr>(emitter.builder.getZeroAttr(getElementTypeOrSelf(op.getType()))));
  for (auto [number, value] : llvm::enumerate(emitter.registers(op.getOperand()))) {
    Value exists = emitter.existence(op.getType(), static_cast<int64_t>(number), op.getSpans());
    results.push_back(exists ? arith::SelectOp::create(emitter.builder, exists, value, zero).getResult() : value);
  }
  emitter.setRegisters(op.getResult(), std::move(results));
}

LogicalResult Emitter::emit(Operation &op) {
  if (!emitted.insert(&op).second)
    return success();
  builder.setLoc(op.getLoc());
  if (isDeferrable(op)) {
    Value result = op.getResult(0);
    deferred.insert(result);
    tiles[result] = Registers(layoutOf(layoutAttr(result.getType())).registers());
    if (auto load = dyn_cast<tile::LoadOp>(op))
      loads[&op] = deferLoad(*this, load);
    return success();
  }
  if (auto fetch = dyn_cast<tilegpu::TmaFetchOp>(op)) {
    Value result = fetch.getResult();
    deferred.insert(result);
    tiles[result] = Registers(layoutOf(layoutAttr(result.getType())).registers());
    fetches[&op] = startFetch(*this, fetch);
    return success();
  }
  if (!isa<tilegpu::TmaStoreOp, tilegpu::WgmmaRegistersOp, tilegpu::PackPairsOp>(op) && !(isPreparer && isa<tilegpu::StoreSharedOp>(op)))
    force(op);
  if (isa<tile::ForOp, scf::IfOp, scf::WhileOp>(op))
    return emitControl(*this, op);
  bool isKnown =
      llvm::TypeSwitch<Operation *, bool>(&op)
          .Case([&](tile::SpanOp span) {
            tile::SpanType type = span.getType();
            divisors[type.getAxis()] = int64_t(1) << 30;
            setAxis(span, Axis{constant(0), constant32(type.getCapacity()), type.getCapacity(), true});
            return true;
          })
          .Case([&](tile::SpanStartOp start) {
            return setScalar(start, axis(start.getSpan()).start), true;
          })
          .Case([&](tile::SpanEndOp end) {
            const Axis &span = axis(end.getSpan());
            return setScalar(end, add(span.start, toI64(span.length))), true;
          })
          .Case([&](tile::IndexOp op) { return emitIndex(*this, op), true; })
          .Case([&](tile::BroadcastOp op) { return emitBroadcast(*this, op), true; })
          .Case([&](tile::LoadOp op) { return emitLoad(*this, op), true; })
          .Case([&](tile::StoreOp op) { return emitStore(*this, op), true; })
          .Case([&](tile::CallExternalOp op) { return emitCallExternal(*this, op), true; })
          .Case([&](tile::AccumulateOp op) { return emitAccumulate(*this, op), true; })
          .Case([&](tile::AtomicRMWOp op) { return emitAtomicRMW(*this, op), true; })
          .Case([&](tile::ReduceOp op) { return emitReduce(*this, op), true; })
          .Case([&](tile::ArgReduceOp op) { return emitArgReduce(*this, op), true; })
          .Case([&](tile::FoldOp op) { return emitFold(*this, op), true; })
          .Case([&](tile::ScanOp op) { return emitScan(*this, op), true; })
          .Case([&](tile::PrintOp op) { return emitPrint(*this, op), true; })
          .Case([&](tile::AssertOp op) { return emitAssert(*this, op), true; })
          .Case([&](tilegpu::ConvertLayoutOp op) { return emitConvertLayout(*this, op), true; })
          .Case([&](tilegpu::ZeroAbsentOp op) { return emitZeroAbsent(*this, op), true; })
          .Case([&](tilegpu::AllocOp op) {
            return setScalar(op.getBuffer(), ownSharedMemory(static_cast<int64_t>(*op.getOffset()))), true;
          })
          .Case([&](tilegpu::StageOp op) {
            Value offset = mul(scalar(op.getNumber()), constant(op.getStage().getType().getStageBytes()));
            return setScalar(op.getStage(), advance(scalar(op.getBuffer()), offset)), true;
          })
          .Case([&](tilegpu::SpanAtOp op) {
            Value start = scalar(op.getStart()), capacity = constant(op.getSpan().getType().getCapacity());
            Value length = max(min(sub(scalar(op.getHigh()), start), capacity), constant(0));
            bool isFull = op->hasAttr(tilegpu::wholeSpansName);
            return setAxis(op.getSpan(), Axis{start, isFull ? toI32(capacity) : toI32(length), op.getSpan().getType().getCapacity(), isFull}), true;
          })
          .Case([&](tilegpu::StoreSharedOp op) { return emitStoreShared(*this, op), true; })
          .Case([&](tilegpu::LoadSharedOp op) {
            Registers loaded(layoutAttr(op.getType()).getValue().registers());
            for (size_t number = 0; number < loaded.size(); ++number)
              if (!loaded[number])
                loadSharedElements(*this, op, static_cast<int64_t>(number), loaded);
            return setRegisters(op.getResult(), std::move(loaded)), true;
          })
          .Case([&](tilegpu::AsyncLoadOp op) { return emitAsyncLoad(*this, op), true; })
          .Case([&](tilegpu::AsyncCommitOp) { return NVVM::CpAsyncCommitGroupOp::create(builder), true; })
          .Case([&](tilegpu::AsyncWaitOp op) {
            return NVVM::CpAsyncWaitGroupOp::create(builder, static_cast<uint32_t>(op.getPending())), true;
          })
          .Case([&](tilegpu::BarrierOp) { return barrier(), true; })
          .Case([&](tilegpu::DotOp op) { return emitDot(*this, op), true; })
          .Case([&](tilegpu::RolesOp) { return true; }) // Grid writes them
          .Case([&](tilegpu::TensorMapOp op) { return bindTensorMap(op), true; })
          .Case([&](tilegpu::TileOrdinalOp op) { return setScalar(op.getOrdinal(), tileOrdinal), true; })
          .Case([&](tilegpu::StepOrdinalOp op) { return setScalar(op.getOrdinal(), stepOrdinal), true; })
          .Case([&](tilegpu::CountStepsOp op) { return nextStepOrdinal = add(nextStepOrdinal, scalar(op.getCount())), true; })
          .Case([&](tilegpu::ClearAbsentOp op) { return emitClearAbsent(*this, op), true; })
          .Case([&](tilegpu::ClusterRankOp op) { return emitClusterRank(*this, op), true; })
          .Case([&](tilegpu::ClusterSumOp op) { return emitClusterSum(*this, op), true; })
          .Case([&](tilegpu::MbarriersOp op) { return emitMbarriers(*this, op), true; })
          .Case([&](tilegpu::MbarriersReadyOp) { return emitMbarriersReady(*this), true; })
          .Case([&](tilegpu::MbarrierWaitOp op) { return emitMbarrierWait(*this, op), true; })
          .Case([&](tilegpu::MbarrierArriveOp op) { return emitMbarrierArrive(*this, op), true; })
          .Case([&](tilegpu::TurnWaitOp op) { return emitTurn(*this, /*isWait=*/true, op.getWarpgroups(), /*isFirst=*/false), true; })
          .Case([&](tilegpu::TurnPassOp op) { return emitTurn(*this, /*isWait=*/false, op.getWarpgroups(), op.getFirst()), true; })
          .Case([&](tilegpu::PackPairsOp op) { return emitPackPairs(*this, op), true; })
          .Case([&](tilegpu::UnpackPairsOp op) { return emitUnpackPairs(*this, op), true; })
          .Case([&](tilegpu::TmaLoadOp op) { return emitTmaLoad(*this, op), true; })
          .Case([&](tilegpu::TmaStoreOp op) { return emitTmaStore(*this, op), true; })
          .Case([&](tilegpu::TmaStoreWaitOp) { return emitTmaStoreWait(*this), true; })
          .Case([&](tilegpu::WgmmaOp op) { return emitWgmma(*this, op), true; })
          .Case([&](tilegpu::WgmmaRegistersOp op) { return emitWgmmaRegisters(*this, op), true; })
          .Case([&](tilegpu::WgmmaWaitOp op) { return emitWgmmaWait(*this, op), true; })
          .Default([](Operation *) { return false; });
  return isKnown ? success() : emitExpression(op);
}

} // namespace tilewright::gpu
