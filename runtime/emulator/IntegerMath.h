// Integer helpers of the executors, and the carry chains that add, sub and mad hand to IntegerOps.cpp.
#pragma once

#include "runtime/emulator/Execute.h"

#include <limits>

namespace tilewright::runtime::emulator {

inline int32_t saturated(int64_t value) {
  constexpr int64_t least = std::numeric_limits<int32_t>::min(), greatest = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(value < least ? least : value > greatest ? greatest : value);
}

/// The upper half of a product.
template <typename T> T productHigh(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>(static_cast<__int128>(a) * b >> 64);
    else
      return static_cast<T>(static_cast<unsigned __int128>(a) * b >> 64);
  } else {
    return static_cast<T>((int64_t(a) * int64_t(b)) >> (8 * sizeof(T)));
  }
}
template <> inline uint32_t productHigh(uint32_t a, uint32_t b) {
  return static_cast<uint32_t>((uint64_t(a) * b) >> 32);
}

/// add.cc, addc, sub.cc, subc: hasCarryIn for those that end in c.
Executor bindCarry(const Mnemonic &mnemonic, Instruction &instruction, bool subtracts, bool hasCarryIn);
/// mad.cc and madc.
Executor bindMultiplyCarry(const Mnemonic &mnemonic, bool hasCarryIn);

} // namespace tilewright::runtime::emulator
