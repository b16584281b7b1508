// How executors are made: a loop over 32 lanes, and a function of one lane's values as a type.
#pragma once

#include "runtime/emulator/Mnemonic.h"
#include "runtime/emulator/Warp.h"

#include <tuple>
#include <type_traits>
#include <utility>

// A destination may be one of the sources, of the same lane: nothing that keeps the loop from being vectorized.
#if defined(__clang__)
#define TILEWRIGHT_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define TILEWRIGHT_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace tilewright::runtime::emulator {

template <typename Function, typename Result, typename... Sources, size_t... index>
inline Outcome applyAt(Warp &warp, const Instruction &instruction, uint32_t lanes, std::index_sequence<index...>) {
  Result *result = warp.out<Result>(instruction.operand(0));
  std::tuple<const Sources *...> sources{warp.in<Sources>(instruction.operand(1 + index))...};
  if (lanes == allLanes) {
    TILEWRIGHT_LANE_LOOP
    for (unsigned lane = 0; lane < warpSize; ++lane)
      result[lane] = Function()(std::get<index>(sources)[lane]...);
  } else {
    for (unsigned lane : lanesOf(lanes))
      result[lane] = Function()(std::get<index>(sources)[lane]...);
  }
  return Outcome::Next;
}

/// The executor of d = Function(a, b, …) for scalar operands of these types.
template <typename Function, typename Result, typename... Sources>
Outcome apply(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  return applyAt<Function, Result, Sources...>(warp, instruction, lanes, std::index_sequence_for<Sources...>());
}

/// visit(T()) for the integer type; bits are unsigned. Null for other types.
template <typename Visit> Executor byInteger(Type type, Visit visit) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    return visit(uint16_t());
  case Type::S16:
    return visit(int16_t());
  case Type::U32:
  case Type::B32:
    return visit(uint32_t());
  case Type::S32:
    return visit(int32_t());
  case Type::U64:
  case Type::B64:
    return visit(uint64_t());
  case Type::S64:
    return visit(int64_t());
  default:
    return nullptr;
  }
}

/// visit(std::bool_constant) for a bool known only here.
template <typename Visit> Executor byBool(bool value, Visit visit) {
  return value ? visit(std::true_type()) : visit(std::false_type());
}

template <typename T> using Unsigned = std::make_unsigned_t<T>;

} // namespace tilewright::runtime::emulator
