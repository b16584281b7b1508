// reduce, arg_reduce and fold: the elements along axes become one value that all threads have which hold a part of the result.
//
// A plan goes through the bits of the reduced coordinates. What differs in a bit of a register's number a thread combines
// alone; in a bit of the lane's, with a shuffle; in bits of the warp's, through shared memory. Lanes and warps that hold the
// same (idle bits) do the same. Where warps leave much for one another (eight rows of a thousand columns, summed over the rows), each
// combines a part of it for all: a thread that read everything had 128 values on their way, and spilled others.
//
//   reduce, arg_reduce   in any order: first registers, then lanes, then warps. What does not exist is replaced by the
//   identity. fold                 in the order of the axis: from its lowest bit to its highest, so that at each bit every
//   thread has the
//                        value of a block of neighbours, and two adjacent blocks become one. A block exists if its first index
//                        does.
//
// All threads must come to the same bits: what they branch on must be the same for all, or they would wait at different
// barriers. So threads that combine two values form the same expression of the same rounded operands. A sum in a thread may be
// contracted with the product that it sums (a·b + c rounds once); across lanes that would give fma(a, b, c·d) here and fma(c,
// d, a·b) there, and is not allowed.

#include "compiler/codegen/ConvertTileGPUToLLVMExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;

namespace tilewright::gpu {

using layout::DistributedLayout;

// --------------------------------------------------------------------------------------------------------------------
// Combining
// --------------------------------------------------------------------------------------------------------------------

static Value combine(Emitter &emitter, tile::Reduction kind, Value lhs, Value rhs, arith::FastMathFlags sumFlags) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  bool isFloat = isa<FloatType>(lhs.getType());
  // Of zeros that differ in sign any may be the result: the hardware's instructions say which, and need no others.
  auto flags = arith::FastMathFlags::nsz;
  switch (kind) {
  case tile::Reduction::Add:
    return isFloat ? arith::AddFOp::create(builder, lhs, rhs, sumFlags).getResult()
                   : arith::AddIOp::create(builder, lhs, rhs).getResult();
  case tile::Reduction::Max:
    return isFloat ? arith::MaximumFOp::create(builder, lhs, rhs, flags).getResult()
                   : arith::MaxSIOp::create(builder, lhs, rhs).getResult();
  case tile::Reduction::Min:
    return isFloat ? arith::MinimumFOp::create(builder, lhs, rhs, flags).getResult()
                   : arith::MinSIOp::create(builder, lhs, rhs).getResult();
  case tile::Reduction::UMax:
    return arith::MaxUIOp::create(builder, lhs, rhs);
  case tile::Reduction::UMin:
    return arith::MinUIOp::create(builder, lhs, rhs);
  case tile::Reduction::And:
    return arith::AndIOp::create(builder, lhs, rhs);
  case tile::Reduction::Or:
    return arith::OrIOp::create(builder, lhs, rhs);
  }
  llvm_unreachable("a reduction");
}

Value combine(Emitter &emitter, tile::Reduction kind, Value lhs, Value rhs) {
  return combine(emitter, kind, lhs, rhs, arith::FastMathFlags::contract);
}

static APInt integerIdentity(tile::Reduction kind, unsigned width) {
  switch (kind) {
  case tile::Reduction::Max:
    return APInt::getSignedMinValue(width);
  case tile::Reduction::Min:
    return APInt::getSignedMaxValue(width);
  case tile::Reduction::UMin:
  case tile::Reduction::And:
    return APInt::getMaxValue(width);
  default:
    return APInt(width, 0);
  }
}

Value identity(Emitter &emitter, tile::Reduction kind, Type type) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  auto real = dyn_cast<FloatType>(type);
  if (!real)
    return emitter.constant(builder.getIntegerAttr(type, integerIdentity(kind, type.getIntOrFloatBitWidth())));
  APFloat value = APFloat::getZero(real.getFloatSemantics());
  if (kind != tile::Reduction::Add)
    value = APFloat::getInf(real.getFloatSemantics(), /*Negative=*/kind == tile::Reduction::Max);
  return emitter.constant(builder.getFloatAttr(real, value));
}

/// In which type elements are combined: narrow floats in f32, narrow integers in i32, which is what the machine computes in and
/// what a shuffle moves.
static Type carrierOf(Type element) {
  if (element.getIntOrFloatBitWidth() >= 32)
    return element;
  MLIRContext *context = element.getContext();
  return isa<FloatType>(element) ? Type(Float32Type::get(context)) : IntegerType::get(context, 32);
}

static Value toCarrier(Emitter &emitter, tile::Reduction kind, Value element) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  Type carrier = carrierOf(element.getType());
  if (carrier == element.getType())
    return element;
  if (isa<FloatType>(carrier))
    return tile::CastOp::create(builder, carrier, element);
  bool isSigned = kind == tile::Reduction::Max || kind == tile::Reduction::Min || kind == tile::Reduction::Add;
  return isSigned ? arith::ExtSIOp::create(builder, carrier, element).getResult()
                  : arith::ExtUIOp::create(builder, carrier, element).getResult();
}

static Value fromCarrier(Emitter &emitter, Value value, Type element) {
  if (value.getType() == element)
    return value;
  if (isa<FloatType>(element))
    return tile::CastOp::create(emitter.builder, element, value);
  return arith::TruncIOp::create(emitter.builder, element, value);
}

// --------------------------------------------------------------------------------------------------------------------
// The plan
// --------------------------------------------------------------------------------------------------------------------

namespace {

struct Step {
  Level level;
  /// Registers: which one takes up which other (in this order), whose elements come later along the axis.
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  /// Lanes: one bit of the number. Warps: bits, the lowest of the coordinate first.
  SmallVector<unsigned> bits;
  unsigned coordinateBit = 0; ///< in order: bits of the coordinate that are combined before this step
  std::optional<Passage> passage;
  int64_t offset = 0; ///< of its shared memory in the operation's
  /// Where warps leave the parts that each of them combined; none: each combines everything.
  std::optional<Passage> results;
  int64_t resultsOffset = 0;
  /// Those that hold a value before this step.
  SmallVector<int64_t> live;
};

/// How the elements along some dimensions become one.
class Plan {
public:
  Plan(const DistributedLayout &layout, ArrayRef<unsigned> dimensions, ArrayRef<Type> states, bool isOrdered)
      : layout(layout), bits(layout), dimensions(dimensions), states(states), isOrdered(isOrdered), isLive(layout.registers(), true) {
    assert((!isOrdered || dimensions.size() == 1) && "an order is that of one axis");
    if (isOrdered)
      planInOrder(dimensions.front());
    else
      planByLevel();
  }

  std::vector<Step> steps;
  int64_t scratchBytes = 0;

private:
  void planByLevel() {
    addRegisters(groupsOf([](int64_t) { return true; }), 0);
    SmallVector<unsigned> warps;
    for (unsigned dimension : dimensions)
      for (BitPlace place : bits.along(dimension)) {
        if (place.level == Level::Lane)
          addLane(place.bit, 0);
        else if (place.level == Level::Warp)
          warps.push_back(place.bit);
      }
    if (!warps.empty())
      addWarps(warps, 0);
  }

  void planInOrder(unsigned dimension) {
    ArrayRef<BitPlace> places = bits.along(dimension);
    for (unsigned bit = 0; bit < places.size();) {
      unsigned next = bit + 1;
      if (places[bit].level == Level::Register) {
        addRegisters(pairsOf(places[bit].bit), bit);
      } else if (places[bit].level == Level::Lane) {
        addLane(places[bit].bit, bit);
      } else {
        SmallVector<unsigned> warps{places[bit].bit};
        for (; next < places.size() && places[next].level == Level::Warp; ++next)
          warps.push_back(places[next].bit);
        addWarps(warps, bit);
      }
      bit = next;
    }
    addRegisters(groupsOf([&](int64_t number) { return isLive[number]; }), places.size()); // the repetitions
  }

  using Groups = SmallVector<SmallVector<int64_t>>;

  /// Registers that differ only in the reduced dimensions, each group in the order of its elements.
  Groups groupsOf(llvm::function_ref<bool(int64_t)> isTaken) {
    std::map<layout::Coordinates, std::map<layout::Coordinates, int64_t>> sorted;
    for (int64_t number = 0; number < layout.registers(); ++number) {
      if (!isTaken(number))
        continue;
      layout::Coordinates kept = layout.elementAt({number, 0, 0}), reduced;
      for (unsigned dimension : dimensions)
        reduced.push_back(std::exchange(kept[dimension], 0));
      sorted[kept][reduced] = number;
    }
    Groups groups;
    for (auto &[kept, group] : sorted)
      groups.push_back(llvm::map_to_vector<6>(group, [](const auto &entry) { return entry.second; }));
    return groups;
  }

  Groups pairsOf(unsigned registerBit) {
    Groups groups;
    for (int64_t number = 0; number < layout.registers(); ++number)
      if (isLive[number] && (number >> registerBit & 1) == 0)
        groups.push_back({number, number | int64_t(1) << registerBit});
    return groups;
  }

  Step &add(Level level, unsigned coordinateBit) {
    Step &step = steps.emplace_back();
    step.level = level;
    step.coordinateBit = coordinateBit;
    for (int64_t number = 0; number < layout.registers(); ++number)
      if (isLive[number])
        step.live.push_back(number);
    return step;
  }

  /// Neighbours first, so that what can be computed side by side is.
  void addRegisters(const Groups &groups, unsigned coordinateBit) {
    if (llvm::all_of(groups, [](ArrayRef<int64_t> group) { return group.size() == 1; }))
      return;
    Step &step = add(Level::Register, coordinateBit);
    for (ArrayRef<int64_t> group : groups)
      for (size_t stride = 1; stride < group.size(); stride *= 2)
        for (size_t first = 0; first + stride < group.size(); first += 2 * stride) {
          step.pairs.emplace_back(group[first], group[first + stride]);
          isLive[group[first + stride]] = false;
        }
  }

  void addLane(unsigned bit, unsigned coordinateBit) {
    add(Level::Lane, coordinateBit).bits = {bit};
    combinedLanes |= uint64_t(1) << bit;
  }

  void addWarps(ArrayRef<unsigned> warps, unsigned coordinateBit) {
    Step &step = add(Level::Warp, coordinateBit);
    step.bits.assign(warps.begin(), warps.end());
    uint64_t lanes = (layout::lanesOfWarp - 1) & ~combinedLanes & ~bits.idle(Level::Lane);
    uint64_t all = static_cast<uint64_t>(layout.warps() - 1) & ~combinedWarps & ~bits.idle(Level::Warp);
    step.passage.emplace(lanes, 0, all, 0, static_cast<int64_t>(step.live.size()), states);
    step.offset = scratchBytes;
    scratchBytes += step.passage->bytes();
    uint64_t combined = 0;
    for (unsigned bit : warps)
      combined |= uint64_t(1) << bit;
    combinedWarps |= combined;
    auto registers = static_cast<int64_t>(step.live.size()), count = int64_t(1) << warps.size();
    if (isOrdered || registers % count != 0 || registers * (count - 2) < fewestSpared)
      return;
    Passage results(lanes, 0, all & ~combined, 0, registers, states);
    if (!step.passage->isDense() || !results.isDense())
      return;
    step.results = results;
    step.resultsOffset = scratchBytes;
    scratchBytes += results.bytes();
  }

  /// A thread reads all registers of all warps, or a part of them and then the results, which is as many as the registers of two
  /// warps. If it is spared so many values, that is worth a barrier.
  static constexpr int64_t fewestSpared = 64;

  const DistributedLayout &layout;
  CoordinateBits bits;
  ArrayRef<unsigned> dimensions;
  ArrayRef<Type> states;
  bool isOrdered;
  SmallVector<bool> isLive;
  uint64_t combinedLanes = 0, combinedWarps = 0;
};

/// What an operation reduces: its tile, and which dimensions of it.
struct Subject {
  Type tile;
  DistributedLayout layout;
  SmallVector<Value> spans;
  SmallVector<unsigned> dimensions; ///< of the spans' axes
  SmallVector<Type> states;
  bool isOrdered;

  Plan plan() const { return Plan(layout, dimensions, states, isOrdered); }
};

Subject subjectOf(Value operand, ValueRange spans, SmallVector<Type> states, bool isOrdered) {
  Type tile = operand.getType();
  auto dimensionOf = [&](Value span) {
    return static_cast<unsigned>(tile::positionOfAxis(tile, cast<tile::SpanType>(span.getType()).getAxis()));
  };
  return {tile, layoutAttr(tile).getValue(), llvm::to_vector(spans), llvm::map_to_vector(spans, dimensionOf), std::move(states), isOrdered};
}

Subject subjectOf(tile::ReduceOp op) {
  return subjectOf(op.getOperand(), op.getSpans(), {carrierOf(getElementTypeOrSelf(op.getOperand()))}, false);
}
Subject subjectOf(tile::ArgReduceOp op) {
  Type value = carrierOf(getElementTypeOrSelf(op.getOperand()));
  return subjectOf(op.getOperand(), op.getSpan(), {value, IntegerType::get(op.getContext(), 32)}, false);
}
Subject subjectOf(tile::FoldOp op) {
  auto states = llvm::map_to_vector(op.getStates(), [](Value state) { return getElementTypeOrSelf(state); });
  return subjectOf(op.getStates().front(), op.getSpan(), SmallVector<Type>(states), true);
}

// --------------------------------------------------------------------------------------------------------------------
// The steps
// --------------------------------------------------------------------------------------------------------------------

/// Of an earlier and a later block; of blocks of several threads if `isShared`, which all of them combine.
using Combine = llvm::function_ref<States(const States &, const States &, bool isShared)>;

class Reducer {
public:
  Reducer(Emitter &emitter, const Subject &subject, Operation *op, Combine combine)
      : emitter(emitter), builder(emitter.builder), subject(subject), op(op), combine(combine) {}

  /// For each register of the operand its states; afterwards those of a register of each of the result's elements.
  void run(SmallVector<States> &values) {
    Plan plan = subject.plan();
    if (plan.scratchBytes > 0)
      scratch = emitter.scratch(op);
    for (const Step &step : plan.steps) {
      if (step.level == Level::Register)
        combineRegisters(step, values);
      else if (step.level == Level::Lane)
        combineLanes(step, values);
      else
        combineWarps(step, values);
    }
  }

private:
  Emitter &emitter;
  ImplicitLocOpBuilder &builder;
  const Subject &subject;
  Operation *op;
  Combine combine;
  Value scratch;

  void combineRegisters(const Step &step, SmallVector<States> &values) {
    for (auto [earlier, later] : step.pairs) {
      Value exists = existence(later, step.coordinateBit, 0);
      values[earlier] = combineBlocks(values[earlier], values[later], exists, false);
    }
  }

  void combineLanes(const Step &step, SmallVector<States> &values) {
    unsigned bit = step.bits.front();
    Value isLater = subject.isOrdered ? isSet(emitter.lane(), bit) : Value();
    for (int64_t number : step.live) {
      const States &own = values[number];
      States other = shuffle(emitter, NVVM::ShflKind::bfly, own, emitter.constant32(int64_t(1) << bit));
      Value exists = existence(number, step.coordinateBit + 1, int64_t(1) << step.coordinateBit);
      if (isLater)
        values[number] = combineBlocks(selected(isLater, other, own), selected(isLater, own, other), exists, true);
      else
        values[number] = combine(own, other, true);
    }
  }

  /// What all warps left is combined in one order: by all threads, or, where it is much, of each register by one warp.
  void combineWarps(const Step &step, SmallVector<States> &values) {
    Value address = emitter.advance(scratch, step.offset);
    step.passage->write(emitter, address, llvm::map_to_vector(step.live, [&](int64_t number) { return values[number]; }));
    emitter.barrier();
    if (step.results)
      return combineParts(step, address, values);
    uint64_t changed = 0;
    for (unsigned bit : step.bits)
      changed |= uint64_t(1) << bit;
    int64_t count = int64_t(1) << step.bits.size();
    SmallVector<SmallVector<States>> blocks;
    for (int64_t block = 0; block < count; ++block)
      blocks.push_back(step.passage->read(emitter, address, changed, warpOfBlock(step, block)));
    for (auto [position, number] : llvm::enumerate(step.live)) {
      for (int64_t stride = 1; stride < count; stride *= 2)
        for (int64_t first = 0; first + stride < count; first += 2 * stride) {
          Value exists = existence(number, step.coordinateBit + static_cast<unsigned>(step.bits.size()),
                                   (first + stride) << step.coordinateBit);
          blocks[first][position] = combineBlocks(blocks[first][position], blocks[first + stride][position], exists, true);
        }
      values[number] = blocks.front()[position];
    }
  }

  /// The warp whose number among those that are combined is n combines the n-th part of the registers, for all of them.
  void combineParts(const Step &step, Value address, SmallVector<States> &values) {
    uint64_t changed = 0;
    Value number = emitter.constant32(0);
    for (auto [position, bit] : llvm::enumerate(step.bits)) {
      changed |= uint64_t(1) << bit;
      Value isOne = arith::AndIOp::create(builder, arith::ShRUIOp::create(builder, emitter.warp(), emitter.constant32(bit)), emitter.constant32(1));
      number = emitter.add(number, emitter.mul(isOne, emitter.constant32(int64_t(1) << position)));
    }
    int64_t count = int64_t(1) << step.bits.size(), length = static_cast<int64_t>(step.live.size()) / count;
    Passage::Part part{emitter.mul(number, emitter.constant32(length)), length};
    SmallVector<SmallVector<States>> blocks;
    for (int64_t block = 0; block < count; ++block)
      blocks.push_back(step.passage->read(emitter, address, part, changed, warpOfBlock(step, block)));
    for (int64_t stride = 1; stride < count; stride *= 2)
      for (int64_t first = 0; first + stride < count; first += 2 * stride)
        for (auto [earlier, later] : llvm::zip(blocks[first], blocks[first + stride]))
          earlier = combine(earlier, later, true);
    Value results = emitter.advance(scratch, step.resultsOffset);
    step.results->write(emitter, results, blocks.front(), part, changed);
    emitter.barrier();
    for (auto [number, states] : llvm::zip(step.live, step.results->read(emitter, results)))
      values[number] = states;
  }

  /// The bits of the warps' numbers in which the blocks differ that are combined.
  static uint64_t warpOfBlock(const Step &step, int64_t block) {
    uint64_t warp = 0;
    for (auto [position, bit] : llvm::enumerate(step.bits))
      warp |= static_cast<uint64_t>(block >> position & 1) << bit;
    return warp;
  }

  /// Whether the block at the register's coordinate, with its lowest bits replaced, begins before the span's end. Null: yes.
  Value existence(int64_t number, unsigned lowBits, int64_t replacement) {
    if (!subject.isOrdered)
      return {};
    unsigned dimension = subject.dimensions.front();
    const Axis &axis = emitter.axis(subject.spans.front());
    if (axis.isFull && axis.capacity == subject.layout.shape()[dimension])
      return {};
    Value first = emitter.coordinate(layoutAttr(subject.tile), number, dimension);
    first = builder.createOrFold<arith::AndIOp>(first, emitter.constant32(-(int64_t(1) << lowBits)));
    if (replacement != 0)
      first = emitter.add(first, emitter.constant32(replacement));
    return builder.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, first, axis.length);
  }

  States combineBlocks(const States &earlier, const States &later, Value exists, bool isShared) {
    States combined = combine(earlier, later, isShared);
    return exists ? selected(exists, combined, earlier) : combined;
  }

  States selected(Value condition, const States &yes, const States &no) {
    States result;
    for (auto [first, second] : llvm::zip(yes, no))
      result.push_back(builder.createOrFold<arith::SelectOp>(condition, first, second));
    return result;
  }

  Value isSet(Value number, unsigned bit) {
    Value masked = builder.createOrFold<arith::AndIOp>(number, emitter.constant32(int64_t(1) << bit));
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, masked, emitter.constant32(0));
  }
};

/// Gives a result one of the states.
void setResult(Emitter &emitter, const Subject &subject, Value result, ArrayRef<States> values,
               llvm::function_ref<Value(const States &)> element) {
  // The registers that are left have coordinates 0 along the reduced dimensions.
  int64_t count = tile::isTile(result.getType()) ? layoutAttr(result.getType()).getValue().registers() : 1;
  Registers results(count);
  SmallVector<int64_t> map = emitter.registerMap(result.getType(), subject.tile);
  for (int64_t number = 0; number < static_cast<int64_t>(map.size()); ++number) {
    layout::Coordinates at = subject.layout.elementAt({number, 0, 0});
    if (llvm::all_of(subject.dimensions, [&](unsigned dimension) { return at[dimension] == 0; }))
      results[map[number]] = element(values[number]);
  }
  emitter.setRegisters(result, std::move(results));
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Operations
// --------------------------------------------------------------------------------------------------------------------

/// Whether the elements that do not exist are zero already: those of a load are.
static bool isZeroWhereAbsent(Value value) {
  if (auto cast = value.getDefiningOp<tile::CastOp>())
    return isZeroWhereAbsent(cast.getOperand());
  if (auto convert = value.getDefiningOp<tilegpu::ConvertLayoutOp>())
    return isZeroWhereAbsent(convert.getOperand());
  auto load = value.getDefiningOp<tile::LoadOp>();
  return load && !load.getOtherwise();
}

/// The elements in the type they are combined in, and where they do not exist the identity.
static Registers neutralized(Emitter &emitter, tile::Reduction kind, Value operand, ValueRange spans) {
  Type type = operand.getType(), carrier = carrierOf(getElementTypeOrSelf(type));
  Value neutral = identity(emitter, kind, carrier);
  bool isZero = matchPattern(neutral, m_Zero()) || matchPattern(neutral, m_AnyZeroFloat());
  Registers result;
  for (auto [number, element] : llvm::enumerate(emitter.registers(operand))) {
    Value value = toCarrier(emitter, kind, element);
    Value exists =
        isZero && isZeroWhereAbsent(operand) ? Value() : emitter.existence(type, static_cast<int64_t>(number), spans);
    result.push_back(exists ? emitter.builder.createOrFold<arith::SelectOp>(exists, value, neutral) : value);
  }
  return result;
}

void emitReduce(Emitter &emitter, tile::ReduceOp op) {
  tile::Reduction kind = op.getKind();
  Subject subject = subjectOf(op);
  SmallVector<States> values;
  for (Value element : neutralized(emitter, kind, op.getOperand(), op.getSpans()))
    values.push_back({element});
  auto combineStates = [&](const States &lhs, const States &rhs, bool isShared) -> States {
    auto flags = isShared ? arith::FastMathFlags::none : arith::FastMathFlags::contract;
    return {combine(emitter, kind, lhs.front(), rhs.front(), flags)};
  };
  Reducer(emitter, subject, op, combineStates).run(values);
  Type element = getElementTypeOrSelf(op.getType());
  setResult(emitter, subject, op.getResult(), values,
            [&](const States &states) { return fromCarrier(emitter, states.front(), element); });
}

/// Whether `value` comes before `best`, wherever they are: it is better, or NaN and the other is not.
static Value isBetter(Emitter &emitter, tile::Reduction kind, Value value, Value best) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (!isa<FloatType>(value.getType())) {
    auto predicate = kind == tile::Reduction::Max    ? arith::CmpIPredicate::sgt
                     : kind == tile::Reduction::Min  ? arith::CmpIPredicate::slt
                     : kind == tile::Reduction::UMax ? arith::CmpIPredicate::ugt
                                                     : arith::CmpIPredicate::ult;
    return arith::CmpIOp::create(builder, predicate, value, best);
  }
  auto predicate = kind == tile::Reduction::Max ? arith::CmpFPredicate::UGT : arith::CmpFPredicate::ULT;
  Value betterOrNaN = arith::CmpFOp::create(builder, predicate, value, best);
  Value bestIsNumber = arith::CmpFOp::create(builder, arith::CmpFPredicate::ORD, best, best);
  return arith::AndIOp::create(builder, betterOrNaN, bestIsNumber);
}

/// What does not exist has the identity, which an element may equal; but it has a higher index, and of equals the lowest wins.
void emitArgReduce(Emitter &emitter, tile::ArgReduceOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  tile::Reduction kind = op.getKind();
  Subject subject = subjectOf(op);
  SmallVector<States> values;
  for (auto [number, element] : llvm::enumerate(neutralized(emitter, kind, op.getOperand(), op.getSpan()))) {
    Value place = emitter.coordinate(layoutAttr(subject.tile), static_cast<int64_t>(number), subject.dimensions.front());
    values.push_back({element, place});
  }
  auto combineStates = [&](const States &lhs, const States &rhs, bool isShared) -> States {
    Value takesRight = isBetter(emitter, kind, rhs[0], lhs[0]);
    if (isShared) { // the elements of threads lie between one another's
      Value isEarlier = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, rhs[1], lhs[1]);
      Value isWorse = isBetter(emitter, kind, lhs[0], rhs[0]);
      Value isNoWorse = arith::XOrIOp::create(builder, isWorse, emitter.constant(builder.getBoolAttr(true)));
      takesRight = arith::SelectOp::create(builder, isEarlier, isNoWorse, takesRight);
    }
    return {arith::SelectOp::create(builder, takesRight, rhs[0], lhs[0]),
            arith::SelectOp::create(builder, takesRight, rhs[1], lhs[1])};
  };
  Reducer(emitter, subject, op, combineStates).run(values);
  Value start = emitter.axis(op.getSpan()).start;
  setResult(emitter, subject, op.getResult(), values,
            [&](const States &states) { return emitter.add(start, emitter.toI64(states[1])); });
}

void emitFold(Emitter &emitter, tile::FoldOp op) {
  Subject subject = subjectOf(op);
  SmallVector<States> values(subject.layout.registers());
  for (Value state : op.getStates())
    for (auto [states, element] : llvm::zip(values, emitter.registers(state)))
      states.push_back(element);
  auto combineStates = [&](const States &earlier, const States &later, bool isShared) {
    return inlined(emitter, op.getCombiner().front(), earlier, later, /*mayContract=*/!isShared);
  };
  Reducer(emitter, subject, op, combineStates).run(values);
  for (auto [number, result] : llvm::enumerate(op.getResults()))
    setResult(emitter, subject, result, values, [&](const States &states) { return states[number]; });
}

int64_t reductionScratchBytes(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op).Case<tile::ReduceOp, tile::ArgReduceOp, tile::FoldOp>(
      [](auto reduction) { return subjectOf(reduction).plan().scratchBytes; });
}

} // namespace tilewright::gpu
