// scan: element k of the axis combines the elements up to k.
//
// Through the bits of the coordinate, from the lowest to the last that is a lane's or a warp's (Sklansky): before bit k every
// element has the combination of its block of 2^k from the block's start; then each block that is the upper one of two puts the
// total of the lower one, which is at its last element, in front of all its own. The lower one's last element is in another
// register, lane or warp: the total comes by renaming, a shuffle, or shared memory. Then every thread has a part of every
// block; it gets the totals of all at once, and puts them together itself.
//
// Existence does not matter: an element that exists combines only those before it, which exist too.

#include "compiler/codegen/ConvertTileGPUToLLVMExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;

namespace tilewright::gpu {

using layout::DistributedLayout;

namespace {

/// Blocks that lie side by side are joined, two by two at a bit of the coordinate, or at last all that are left.
struct Step {
  std::optional<BitPlace> place;       ///< none: all
  uint64_t lowLanes = 0, lowWarps = 0; ///< bits that are one in the last element of a block
  /// For each register that is in an upper block (in any but the first), the one with the total of the block before.
  SmallVector<std::pair<int64_t, int64_t>> totals;
  SmallVector<int64_t> sources; ///< each second register of `totals` once, earlier blocks first
  std::optional<Passage> passage;
  int64_t offset = 0;

  bool isAcrossWarps() const { return lowWarps != 0 || (place && place->level == Level::Warp); }
  bool isAcrossLanes() const { return lowLanes != 0 || (place && place->level == Level::Lane); }
};

class Plan {
public:
  Plan(const DistributedLayout &layout, unsigned dimension, ArrayRef<Type> states)
      : layout(layout), dimension(dimension), states(states), bits(layout) {
    ArrayRef<BitPlace> places = bits.along(dimension);
    size_t shared = places.size(); // bits up to the last one that threads differ in
    while (shared > 0 && places[shared - 1].level == Level::Register)
      --shared;
    Step low;
    int64_t lowRegisters = 0;
    for (BitPlace place : places.take_front(shared)) {
      addBit(low, lowRegisters, place);
      if (place.level == Level::Register)
        lowRegisters |= int64_t(1) << place.bit;
      else
        (place.level == Level::Lane ? low.lowLanes : low.lowWarps) |= uint64_t(1) << place.bit;
    }
    addBlocks(low, lowRegisters, static_cast<unsigned>(shared));
  }

  std::vector<Step> steps;
  int64_t scratchBytes = 0;

private:
  const DistributedLayout &layout;
  unsigned dimension;
  ArrayRef<Type> states;
  CoordinateBits bits;

  void addBit(Step step, int64_t lowRegisters, BitPlace place) {
    step.place = place;
    auto bit = place.level == Level::Register ? int64_t(1) << place.bit : 0;
    for (int64_t number = 0; number < layout.registers(); ++number)
      if (bit == 0 || (number & bit))
        step.totals.emplace_back(number, (number & ~bit) | lowRegisters);
    finish(std::move(step));
  }

  /// All blocks of 2^bits, of which every thread has its part of each.
  void addBlocks(Step step, int64_t lowRegisters, unsigned bits) {
    // By block, then by what else the coordinates are; the last of a block's registers has the total.
    std::map<int64_t, std::map<layout::Coordinates, int64_t>> blocks;
    for (int64_t number = 0; number < layout.registers(); ++number) {
      layout::Coordinates at = layout.elementAt({number, 0, 0});
      int64_t block = at[dimension] >> bits;
      at[dimension] &= (int64_t(1) << bits) - 1;
      blocks[block][at] = number;
    }
    for (auto before = blocks.begin(), block = std::next(before); block != blocks.end(); ++before, ++block)
      for (auto [at, number] : block->second)
        step.totals.emplace_back(number, before->second[at] | lowRegisters);
    if (!step.totals.empty())
      finish(std::move(step));
  }

  void finish(Step step) {
    for (auto [number, source] : step.totals)
      if (!llvm::is_contained(step.sources, source))
        step.sources.push_back(source);
    if (step.isAcrossWarps()) {
      auto told = [&](Level level, uint64_t all, uint64_t low) {
        uint64_t joined = step.place && step.place->level == level ? uint64_t(1) << step.place->bit : 0;
        return all & ~low & ~joined & ~bits.idle(level);
      };
      step.passage.emplace(told(Level::Lane, layout::lanesOfWarp - 1, step.lowLanes), step.lowLanes,
                           told(Level::Warp, static_cast<uint64_t>(layout.warps() - 1), step.lowWarps), step.lowWarps,
                           static_cast<int64_t>(step.sources.size()), states);
      step.offset = scratchBytes;
      scratchBytes += step.passage->bytes();
    }
    steps.push_back(std::move(step));
  }
};

/// What an operation scans.
struct Subject {
  DistributedLayout layout;
  unsigned dimension;
  SmallVector<Type> states;

  Plan plan() const { return Plan(layout, dimension, states); }
};

Subject subjectOf(tile::ScanOp op) {
  Type tile = op.getStates().front().getType();
  SmallVector<Type> states;
  for (Value state : op.getStates())
    states.push_back(getElementTypeOrSelf(state));
  return {layoutAttr(tile).getValue(), static_cast<unsigned>(tile::positionOfAxis(tile, op.getSpan().getType().getAxis())),
          states};
}

class Scanner {
public:
  Scanner(Emitter &emitter, tile::ScanOp op) : emitter(emitter), builder(emitter.builder), op(op), subject(subjectOf(op)) {
    values.resize(subject.layout.registers());
    for (Value state : op.getStates())
      for (auto [states, element] : llvm::zip(values, emitter.registers(state)))
        states.push_back(element);
  }

  void run() {
    Plan plan = subject.plan();
    if (plan.scratchBytes > 0)
      scratch = emitter.scratch(op);
    for (const Step &step : plan.steps) {
      std::map<int64_t, States> totals = fetch(step);
      if (step.place)
        join(step, totals);
      else
        joinAll(step, totals);
    }
    for (auto [number, result] : llvm::enumerate(op.getResults()))
      emitter.setRegisters(result, llvm::map_to_vector<6>(values, [&](const States &states) { return states[number]; }));
  }

private:
  Emitter &emitter;
  ImplicitLocOpBuilder &builder;
  tile::ScanOp op;
  Subject subject;
  SmallVector<States> values;
  Value scratch;

  /// The totals that the registers `sources` hold in the last thread of a thread's lower block.
  std::map<int64_t, States> fetch(const Step &step) {
    std::map<int64_t, States> totals;
    if (step.isAcrossWarps()) {
      Value address = emitter.advance(scratch, step.offset);
      step.passage->write(emitter, address, llvm::map_to_vector(step.sources, [&](int64_t source) { return values[source]; }));
      emitter.barrier();
      for (auto [source, states] : llvm::zip(step.sources, step.passage->read(emitter, address)))
        totals[source] = states;
      return totals;
    }
    Value lane = step.isAcrossLanes() ? lastLane(step) : Value();
    for (int64_t source : step.sources)
      totals[source] = lane ? shuffle(emitter, NVVM::ShflKind::idx, values[source], lane) : values[source];
    return totals;
  }

  Value lastLane(const Step &step) {
    int64_t joined = step.place && step.place->level == Level::Lane ? int64_t(1) << step.place->bit : 0;
    Value lane = builder.createOrFold<arith::AndIOp>(emitter.lane(), emitter.constant32(~joined));
    return builder.createOrFold<arith::OrIOp>(lane, emitter.constant32(static_cast<int64_t>(step.lowLanes)));
  }

  void join(const Step &step, std::map<int64_t, States> &totals) {
    Value isUpper; // null: the register's number says so
    if (step.place->level != Level::Register) {
      Value number = step.place->level == Level::Lane ? emitter.lane() : emitter.warp();
      Value bit = builder.createOrFold<arith::AndIOp>(number, emitter.constant32(int64_t(1) << step.place->bit));
      isUpper = arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, bit, emitter.constant32(0));
    }
    for (auto [number, source] : step.totals) {
      States joined = combine(totals[source], values[number]);
      if (isUpper)
        for (auto [state, own] : llvm::zip(joined, values[number]))
          state = arith::SelectOp::create(builder, isUpper, state, own);
      values[number] = joined;
    }
  }

  /// The totals are those of single blocks. In ascending order, each that has those before it makes the next complete.
  void joinAll(const Step &step, std::map<int64_t, States> &totals) {
    std::map<int64_t, int64_t> sourceBefore(step.totals.begin(), step.totals.end()); // of a source: that of the block before
    for (int64_t source : step.sources)
      if (auto before = sourceBefore.find(source); before != sourceBefore.end())
        totals[source] = combine(totals[before->second], totals[source]);
    for (auto [number, source] : step.totals)
      values[number] = combine(totals[source], values[number]);
  }

  States combine(const States &earlier, const States &later) {
    return inlined(emitter, op.getCombiner().front(), earlier, later, /*mayContract=*/true);
  }
};

} // namespace

void emitScan(Emitter &emitter, tile::ScanOp op) {
  Scanner(emitter, op).run();
}

int64_t scanScratchBytes(tile::ScanOp op) {
  return subjectOf(op).plan().scratchBytes;
}

} // namespace tilewright::gpu
