// Instructions between the lanes of a warp.
//
// Each works on the lanes of one member mask; groups with different masks may be at the same instruction, and each has its own
// result.
#include "runtime/emulator/Block.h"
#include "runtime/emulator/Execute.h"

#include <algorithm>
#include <cmath>

using namespace tilewright::runtime::emulator;

namespace {

const Operand &maskOperand(const Instruction &instruction) {
  return instruction.operand(instruction.operandCount - 1u);
}

/// Calls visit(members that execute it) for each member mask among the lanes.
template <typename Visit> void forEachMask(Warp &warp, const Instruction &instruction, uint32_t lanes, Visit visit) {
  const uint32_t *masks = warp.in<uint32_t>(maskOperand(instruction));
  while (lanes) {
    uint32_t mask = masks[std::countr_zero(lanes)], members = 0;
    for (unsigned lane : lanesOf(lanes))
      members |= uint32_t(masks[lane] == mask) << lane;
    visit(members);
    lanes &= ~members;
  }
}

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

/// The lane a lane reads from, and whether it is in its segment; c holds the clamp (bits 0–4) and the segment's mask (bits
/// 8–12).
std::pair<unsigned, bool> sourceLane(Shuffle mode, unsigned lane, uint32_t b, uint32_t c) {
  int its = static_cast<int>(lane), segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31);
  int most = (its & segment) | (clamp & ~segment), least = its & segment, by = static_cast<int>(b & 31), from = 0;
  bool inRange = true;
  switch (mode) {
  case Shuffle::Up:
    from = its - by;
    inRange = from >= most;
    break;
  case Shuffle::Down:
    from = its + by;
    inRange = from <= most;
    break;
  case Shuffle::Butterfly:
    from = its ^ by;
    inRange = from <= most;
    break;
  case Shuffle::Index:
    from = least | (by & ~segment);
    inRange = from <= most;
    break;
  }
  return {static_cast<unsigned>(inRange ? from : its), inRange};
}

Outcome shuffle(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const uint32_t *a = warp.in<uint32_t>(instruction.operand(1)), *b = warp.in<uint32_t>(instruction.operand(2)),
                 *c = warp.in<uint32_t>(instruction.operand(3));
  uint32_t values[warpSize];
  std::copy_n(a, warpSize, values);
  uint32_t *result = warp.out<uint32_t>(instruction.operand(0, 0));
  uint32_t valid = 0;
  for (unsigned lane : lanesOf(lanes)) {
    auto [from, inRange] = sourceLane(static_cast<Shuffle>(instruction.detail), lane, b[lane], c[lane]);
    // From a lane that does not execute it the value is undefined; kernels may read it if they do not use it. This one shows.
    result[lane] = !inRange || lanes >> from & 1 ? values[from] : 0xffffffff;
    valid |= uint32_t(inRange) << lane;
  }
  if (!instruction.operand(0, 1).isSink)
    warp.setPredicate(instruction.operand(0, 1), valid, lanes);
  return Outcome::Next;
}

enum class Vote : uint8_t { All, Any, Uniform, Ballot };

Outcome vote(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint32_t predicate = warp.predicate(instruction.operand(1));
  Vote kind = static_cast<Vote>(instruction.detail);
  forEachMask(warp, instruction, lanes, [&](uint32_t members) {
    uint32_t yes = predicate & members;
    if (kind == Vote::Ballot) {
      for (unsigned lane : lanesOf(members))
        warp.out<uint32_t>(instruction.operand(0))[lane] = yes;
      return;
    }
    bool result = kind == Vote::All ? yes == members : kind == Vote::Any ? yes != 0 : yes == members || yes == 0;
    warp.setPredicate(instruction.operand(0), result ? allLanes : 0, members);
  });
  return Outcome::Next;
}

template <bool All> Outcome match(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint64_t values[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    values[lane] = warp.value(instruction.operand(1), lane);
  forEachMask(warp, instruction, lanes, [&](uint32_t members) {
    for (unsigned lane : lanesOf(members)) {
      uint32_t same = 0;
      for (unsigned other : lanesOf(members))
        same |= uint32_t(values[other] == values[lane]) << other;
      warp.out<uint32_t>(instruction.operand(0, 0))[lane] = !All ? same : same == members ? members : 0;
      if (All)
        warp.setPredicate(instruction.operand(0, 1), same == members ? allLanes : 0, 1u << lane);
    }
  });
  return Outcome::Next;
}

enum class Reduction : uint8_t { Add, Min, Max, And, Or, Xor };

template <typename T> T reduced(Reduction reduction, T a, T b) {
  switch (reduction) {
  case Reduction::Add:
    return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  case Reduction::Min:
    return std::min(a, b);
  case Reduction::Max:
    return std::max(a, b);
  case Reduction::And:
    return a & b;
  case Reduction::Or:
    return a | b;
  case Reduction::Xor:
    return a ^ b;
  }
  return a;
}

template <typename T> Outcome reduce(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  T values[warpSize];
  std::copy_n(warp.in<T>(instruction.operand(1)), warpSize, values);
  forEachMask(warp, instruction, lanes, [&](uint32_t members) {
    T result = values[std::countr_zero(members)];
    for (unsigned lane : lanesOf(members & (members - 1)))
      result = reduced(static_cast<Reduction>(instruction.detail), result, values[lane]);
    for (unsigned lane : lanesOf(members))
      warp.out<T>(instruction.operand(0))[lane] = result;
  });
  return Outcome::Next;
}

/// redux of f32: min and max, a NaN ignored unless .NaN (detail2).
Outcome reduceFloat(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  float values[warpSize];
  std::copy_n(warp.in<float>(instruction.operand(1)), warpSize, values);
  bool isMax = static_cast<Reduction>(instruction.detail) == Reduction::Max;
  forEachMask(warp, instruction, lanes, [&](uint32_t members) {
    float result = values[std::countr_zero(members)];
    bool hasNaN = result != result;
    for (unsigned lane : lanesOf(members)) {
      hasNaN |= values[lane] != values[lane];
      result = isMax ? std::fmax(result, values[lane]) : std::fmin(result, values[lane]);
    }
    if ((hasNaN && instruction.detail2) || result != result)
      result = std::bit_cast<float>(0x7fffffffu);
    for (unsigned lane : lanesOf(members))
      warp.out<float>(instruction.operand(0))[lane] = result;
  });
  return Outcome::Next;
}

Outcome activeMask(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes))
    warp.out<uint32_t>(instruction.operand(0))[lane] = lanes;
  return Outcome::Next;
}

/// The least lane of the mask is elected; PTX only says that one is.
Outcome elect(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  forEachMask(warp, instruction, lanes, [&](uint32_t members) {
    uint32_t leader = static_cast<uint32_t>(std::countr_zero(members));
    for (unsigned lane : lanesOf(members))
      warp.out<uint32_t>(instruction.operand(0, 0))[lane] = leader;
    warp.setPredicate(instruction.operand(0, 1), 1u << leader, members);
  });
  return Outcome::Next;
}

Outcome warpBarrier(Warp &warp, const Instruction &, uint32_t) {
  warp.orderLanes();
  return Outcome::Next;
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindShuffle(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = Convergence::Mask;
  std::string_view mode = mnemonic.oneOf("up down bfly idx");
  instruction.detail = static_cast<uint32_t>(mode == "up"     ? Shuffle::Up
                                             : mode == "down" ? Shuffle::Down
                                             : mode == "bfly" ? Shuffle::Butterfly
                                                              : Shuffle::Index);
  return mode.empty() || bytesOf(mnemonic.type()) != 4 ? nullptr : &shuffle;
}

Executor bindVote(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = Convergence::Mask;
  std::string_view kind = mnemonic.oneOf("all any uni ballot");
  instruction.detail = static_cast<uint32_t>(kind == "all"   ? Vote::All
                                             : kind == "any" ? Vote::Any
                                             : kind == "uni" ? Vote::Uniform
                                                             : Vote::Ballot);
  bool fits = kind == "ballot" ? mnemonic.type() == Type::B32 : mnemonic.type() == Type::Pred;
  return kind.empty() || !fits ? nullptr : &vote;
}

Executor bindMatchAny(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = Convergence::Mask;
  return bytesOf(mnemonic.type()) >= 4 ? &match<false> : nullptr;
}
Executor bindMatchAll(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = Convergence::Mask;
  return bytesOf(mnemonic.type()) >= 4 ? &match<true> : nullptr;
}

Executor bindRedux(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = Convergence::Mask;
  std::string_view name = mnemonic.oneOf("add min max and or xor");
  Reduction reduction = name == "add"   ? Reduction::Add
                        : name == "min" ? Reduction::Min
                        : name == "max" ? Reduction::Max
                        : name == "and" ? Reduction::And
                        : name == "or"  ? Reduction::Or
                                        : Reduction::Xor;
  instruction.detail = static_cast<uint32_t>(reduction);
  instruction.detail2 = mnemonic.has("NaN");
  if (name.empty())
    return nullptr;
  switch (mnemonic.type()) {
  case Type::S32:
    return &reduce<int32_t>;
  case Type::U32:
  case Type::B32:
    return &reduce<uint32_t>;
  case Type::F32:
    return reduction == Reduction::Min || reduction == Reduction::Max ? &reduceFloat : nullptr;
  default:
    return nullptr;
  }
}

Executor bindActiveMask(const Mnemonic &mnemonic, Instruction &) {
  return mnemonic.type() == Type::B32 ? &activeMask : nullptr;
}
Executor bindElect(const Mnemonic &, Instruction &instruction) {
  instruction.convergence = Convergence::Mask;
  return &elect;
}
Executor bindWarpBarrier(const Mnemonic &, Instruction &instruction) {
  instruction.convergence = Convergence::Mask;
  return &warpBarrier;
}

} // namespace tilewright::runtime::emulator
