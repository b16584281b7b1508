#include "compiler/codegen/ConvertTileGPUToLLVMExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::gpu {

using layout::DistributedLayout;

// --------------------------------------------------------------------------------------------------------------------
// Bits
// --------------------------------------------------------------------------------------------------------------------

CoordinateBits::CoordinateBits(const DistributedLayout &layout) {
  std::vector<int64_t> atom = layout.atomShape();
  for (int64_t extent : atom)
    places.emplace_back(llvm::Log2_64(static_cast<uint64_t>(extent)), BitPlace{Level::Register, ~0u});
  DistributedLayout::Bases bases = layout.bases();
  auto deal = [&](ArrayRef<DistributedLayout::Basis> list, Level level) {
    uint64_t idle = 0;
    for (auto [bit, basis] : llvm::enumerate(list)) {
      auto isSet = [](int64_t coordinate) { return coordinate != 0; };
      auto set = llvm::find_if(basis, isSet);
      if (set == basis.end()) {
        idle |= uint64_t(1) << bit;
        continue;
      }
      assert(llvm::isPowerOf2_64(*set) && llvm::count_if(basis, isSet) == 1 && "a bit of a place is one bit of one coordinate");
      BitPlace &place = places[set - basis.begin()][llvm::Log2_64(*set)];
      assert(place.bit == ~0u && "a bit of a coordinate is at one place");
      place = {level, static_cast<unsigned>(bit)};
    }
    return idle;
  };
  deal(bases.registers, Level::Register);
  idleLanes = deal(bases.lanes, Level::Lane);
  idleWarps = deal(bases.warps, Level::Warp);
}

/// Those bits of `number` that are in `mask` and in `taken`, each at its rank within `mask`: what a mask of neighbours would be
/// a shift.
static Value gatherBits(Emitter &emitter, Value number, uint64_t mask, uint64_t taken) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value result = emitter.constant32(0);
  for (unsigned first = 0; mask >> first;) {
    if (((mask & taken) >> first & 1) == 0) {
      ++first;
      continue;
    }
    unsigned count = llvm::countr_one((mask & taken) >> first);
    unsigned rank = llvm::popcount(mask & ((uint64_t(1) << first) - 1));
    Value bits = builder.createOrFold<arith::ShRUIOp>(number, emitter.constant32(first));
    bits = builder.createOrFold<arith::AndIOp>(bits, emitter.constant32((int64_t(1) << count) - 1));
    result = emitter.add(result, emitter.mul(bits, emitter.constant32(int64_t(1) << rank)));
    first += count;
  }
  return result;
}

/// As gatherBits, of a constant.
static int64_t gatherBits(uint64_t number, uint64_t mask) {
  int64_t result = 0;
  unsigned rank = 0;
  for (unsigned bit = 0; mask >> bit; ++bit)
    if (mask >> bit & 1)
      result |= static_cast<int64_t>(number >> bit & 1) << rank++;
  return result;
}

// --------------------------------------------------------------------------------------------------------------------
// Shuffles
// --------------------------------------------------------------------------------------------------------------------

Value shuffle(Emitter &emitter, NVVM::ShflKind kind, Value element, Value operand) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Type type = element.getType(), i32 = builder.getI32Type();
  auto move = [&](Value word) -> Value {
    return NVVM::ShflOp::create(builder, word.getType(), emitter.constant32(-1), word, operand, emitter.constant32(31), kind,
                                UnitAttr());
  };
  if (type.isF32() || type.isInteger(32))
    return move(element);
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 64) { // two words, which are registers of their own
    Value words = LLVM::BitcastOp::create(builder, VectorType::get({2}, i32), element);
    for (int64_t half : {0, 1}) {
      Value position = emitter.constant32(half);
      Value word = LLVM::ExtractElementOp::create(builder, words, position);
      words = LLVM::InsertElementOp::create(builder, words, move(word), position);
    }
    return LLVM::BitcastOp::create(builder, type, words);
  }
  Type bits = builder.getIntegerType(width);
  Value narrow = type == bits ? element : arith::BitcastOp::create(builder, bits, element).getResult();
  Value moved = arith::TruncIOp::create(builder, bits, move(arith::ExtUIOp::create(builder, i32, narrow)));
  return type == bits ? moved : arith::BitcastOp::create(builder, type, moved).getResult();
}

States shuffle(Emitter &emitter, NVVM::ShflKind kind, const States &states, Value operand) {
  States moved;
  for (Value state : states)
    moved.push_back(shuffle(emitter, kind, state, operand));
  return moved;
}

// --------------------------------------------------------------------------------------------------------------------
// Shared memory
// --------------------------------------------------------------------------------------------------------------------

// Lanes are neighbours, so that a warp's access meets each bank once; then registers, then warps.

/// If a lane has no neighbours LLVM joins its loads, also to a vector that is longer than what is loaded: what it then reads
/// for nothing must have been written, or it looks like a fault. So there are places for whole vectors, and they are written.
static int64_t placesOf(int64_t registers, uint64_t lanes, Type element) {
  if (lanes != 0)
    return registers;
  int64_t vector = 16 / bytesOf(element);
  return registers < vector ? static_cast<int64_t>(llvm::PowerOf2Ceil(registers)) : llvm::alignTo(registers, vector);
}

Passage::Passage(uint64_t lanes, uint64_t laneValue, uint64_t warps, uint64_t warpValue, int64_t registers,
                 ArrayRef<Type> elements)
    : lanes(lanes), laneValue(laneValue), warps(warps), warpValue(warpValue), registers(registers) {
  for (Type element : elements) {
    int64_t places = placesOf(registers, lanes, element);
    states.push_back({element, byteCount, places});
    int64_t bytes = (places << llvm::popcount(lanes) << llvm::popcount(warps)) * bytesOf(element);
    byteCount += static_cast<int64_t>(llvm::alignTo(static_cast<uint64_t>(bytes), 16));
  }
}

States Passage::places(Emitter &emitter, Value address, uint64_t changed, uint64_t bits) const {
  Value warp = gatherBits(emitter, emitter.warp(), warps, ~changed);
  Value lane = gatherBits(emitter, emitter.lane(), lanes, ~uint64_t(0));
  States result;
  for (const State &state : states) {
    int64_t bytes = bytesOf(state.element), warpBytes = (state.registers << llvm::popcount(lanes)) * bytes;
    Value place = emitter.add(emitter.mul(warp, emitter.constant32(warpBytes)), emitter.mul(lane, emitter.constant32(bytes)));
    Value own = matchPattern(place, m_Zero()) ? address : emitter.advance(address, place);
    result.push_back(emitter.advance(own, state.offset + gatherBits(bits, warps) * warpBytes));
  }
  return result;
}

/// Whether the bits of a number outside of `mask` are `value`; null if there are none.
static Value haveValue(Emitter &emitter, Value number, uint64_t all, uint64_t mask, uint64_t value) {
  if ((all & ~mask) == 0)
    return {};
  ImplicitLocOpBuilder &builder = emitter.builder;
  Value others = builder.createOrFold<arith::AndIOp>(number, emitter.constant32(static_cast<int64_t>(all & ~mask)));
  return builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, others, emitter.constant32(static_cast<int64_t>(value)));
}

Value Passage::isWriter(Emitter &emitter, uint64_t writers) const {
  auto allWarps = static_cast<uint64_t>(emitter.warps() - 1);
  return emitter.logicalAnd(haveValue(emitter, emitter.lane(), layout::lanesOfWarp - 1, lanes, laneValue),
                            haveValue(emitter, emitter.warp(), allWarps, warps | writers, warpValue));
}

void Passage::store(Emitter &emitter, Value value, Value first, int64_t place) const {
  ImplicitLocOpBuilder &builder = emitter.builder;
  int64_t bytes = bytesOf(value.getType());
  LLVM::StoreOp::create(builder, toStorage(builder, builder.getLoc(), value),
                        emitter.advance(first, (place << llvm::popcount(lanes)) * bytes), static_cast<unsigned>(bytes));
}

SmallVector<States> Passage::load(Emitter &emitter, const States &first, int64_t count) const {
  ImplicitLocOpBuilder &builder = emitter.builder;
  SmallVector<States> values(count);
  for (auto [number, row] : llvm::enumerate(values))
    for (auto [place, state] : llvm::zip(first, states)) {
      int64_t bytes = bytesOf(state.element);
      Value at = emitter.advance(place, (static_cast<int64_t>(number) << llvm::popcount(lanes)) * bytes);
      Value stored = LLVM::LoadOp::create(builder, storageOf(state.element), at, static_cast<unsigned>(bytes));
      row.push_back(fromStorage(builder, builder.getLoc(), stored, state.element));
    }
  return values;
}

void Passage::write(Emitter &emitter, Value address, ArrayRef<States> values) const {
  emitter.when(isWriter(emitter, 0), [&] {
    States first = places(emitter, address, 0, 0);
    for (auto [number, state] : llvm::enumerate(states))
      for (int64_t place = 0; place < state.registers; ++place)
        store(emitter, values[std::min(place, registers - 1)][number], first[number], place);
  });
}

SmallVector<States> Passage::read(Emitter &emitter, Value address, uint64_t changed, uint64_t bits) const {
  return load(emitter, places(emitter, address, changed, bits), registers);
}

// --------------------------------------------------------------------------------------------------------------------
// Parts
// --------------------------------------------------------------------------------------------------------------------

bool Passage::isDense() const {
  return llvm::all_of(states, [&](const State &state) { return state.registers == registers; });
}

States Passage::startsOf(Emitter &emitter, const Part &part, const States &all) const {
  States result;
  for (auto [place, state] : llvm::zip(all, states)) {
    int64_t bytes = bytesOf(state.element) << llvm::popcount(lanes);
    result.push_back(emitter.advance(place, emitter.mul(part.first, emitter.constant32(bytes))));
  }
  return result;
}

void Passage::write(Emitter &emitter, Value address, ArrayRef<States> values, const Part &part, uint64_t writers) const {
  emitter.when(isWriter(emitter, writers), [&] {
    States first = startsOf(emitter, part, places(emitter, address, 0, 0));
    for (int64_t number = 0; number < part.count; ++number)
      for (auto [value, place] : llvm::zip(values[number], first))
        store(emitter, value, place, number);
  });
}

SmallVector<States> Passage::read(Emitter &emitter, Value address, const Part &part, uint64_t changed, uint64_t bits) const {
  return load(emitter, startsOf(emitter, part, places(emitter, address, changed, bits)), part.count);
}

// --------------------------------------------------------------------------------------------------------------------
// Combiners
// --------------------------------------------------------------------------------------------------------------------

States inlined(Emitter &emitter, Block &combiner, const States &earlier, const States &later, bool mayContract) {
  IRMapping mapping;
  mapping.map(combiner.getArguments().take_front(earlier.size()), earlier);
  mapping.map(combiner.getArguments().take_back(later.size()), later);
  auto replacement = [&](Value value) { return mapping.contains(value) ? mapping.lookup(value) : emitter.scalar(value); };
  for (Operation &op : combiner.without_terminator()) {
    for (Value operand : op.getOperands())
      mapping.map(operand, replacement(operand));
    Operation *copy = emitter.builder.clone(op, mapping);
    if (auto math = dyn_cast<arith::ArithFastMathInterface>(copy); math && !mayContract)
      copy->setAttr(math.getFastMathAttrName(), arith::FastMathFlagsAttr::get(copy->getContext(), arith::FastMathFlags::none));
  }
  return llvm::map_to_vector<2>(combiner.getTerminator()->getOperands(), replacement);
}

} // namespace tilewright::gpu
