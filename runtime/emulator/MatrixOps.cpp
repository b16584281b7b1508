// Matrix instructions of a warp: ldmatrix, stmatrix, movmatrix, mma.
//
// Fragments: with lane = 4·g + t, a 32-bit register of A holds the elements of row g (+8 for every second register) and of
// columns E·t … E·t+E-1
// (+4·E for every second pair of registers), E being the elements in 32 bits; B's are its transpose with no second half of
// rows; C and D have two columns 2·t, 2·t+1 per row. Products are exact; sums are made in f64 and rounded once to D's type, so
// a result is nearer to the exact one than the hardware's, which cuts each addend to the greatest one's exponent.
#include "runtime/emulator/FloatMath.h"
#include "runtime/emulator/MemoryAccess.h"

using namespace tilewright::runtime::emulator;

namespace {

// 8×8 matrices of 16-bit elements: a row is 16 bytes at the address of one lane.

Outcome loadMatrix(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  bool transposed = instruction.detail2;
  uint16_t rows[4][8][8];
  for (uint32_t k = 0; k < instruction.detail * 8; ++k) {
    const std::byte *from =
        warp.access(instruction, k, instruction.space, warp.address(instruction.operand(1), k), 16, ReadAccess);
    if (!from)
      return Outcome::Fault;
    memcpy(rows[k / 8][k % 8], from, 16);
  }
  for (uint32_t matrix = 0; matrix < instruction.detail; ++matrix)
    for (unsigned lane : lanesOf(lanes)) {
      unsigned g = lane / 4, t = lane % 4;
      uint16_t low = transposed ? rows[matrix][2 * t][g] : rows[matrix][g][2 * t];
      uint16_t high = transposed ? rows[matrix][2 * t + 1][g] : rows[matrix][g][2 * t + 1];
      warp.out<uint32_t>(instruction.operand(0, matrix))[lane] = low | uint32_t(high) << 16;
    }
  return Outcome::Next;
}

/// The matrix whose fragments a register holds.
void gather(const uint32_t *fragments, uint16_t (&rows)[8][8], bool transposed) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned half = 0; half < 2; ++half) {
      unsigned row = lane / 4, column = lane % 4 * 2 + half;
      (transposed ? rows[column][row] : rows[row][column]) = static_cast<uint16_t>(fragments[lane] >> 16 * half);
    }
}

Outcome storeMatrix(Warp &warp, const Instruction &instruction, uint32_t) {
  for (uint32_t matrix = 0; matrix < instruction.detail; ++matrix) {
    uint16_t rows[8][8];
    gather(warp.in<uint32_t>(instruction.operand(1, matrix)), rows, instruction.detail2);
    for (unsigned row = 0; row < 8; ++row) {
      unsigned lane = matrix * 8 + row;
      std::byte *to = warp.access(instruction, lane, instruction.space, warp.address(instruction.operand(0), lane), 16,
                                  WriteAccess, rows[row]);
      if (!to)
        return Outcome::Fault;
      memcpy(to, rows[row], 16);
    }
  }
  return Outcome::Next;
}

Outcome moveMatrix(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  uint16_t rows[8][8];
  gather(warp.in<uint32_t>(instruction.operand(1)), rows, true);
  for (unsigned lane : lanesOf(lanes))
    warp.out<uint32_t>(instruction.operand(0))[lane] = rows[lane / 4][lane % 4 * 2] | uint32_t(rows[lane / 4][lane % 4 * 2 + 1])
                                                                                          << 16;
  return Outcome::Next;
}

// mma

// An element out of the lower bits of a register, by type; one type per class, so that the loops over elements have no switch.
struct ReadF16 {
  static double of(uint32_t bits) { return widenF16(static_cast<uint16_t>(bits)); }
};
struct ReadBF16 {
  static double of(uint32_t bits) { return widenBF16(static_cast<uint16_t>(bits)); }
};
struct ReadTF32 {
  // The hardware does not look at the lower 13 bits.
  static double of(uint32_t bits) { return std::bit_cast<float>(bits & 0xffffe000); }
};
struct ReadE4M3 {
  static double of(uint32_t bits) { return decode(formatE4M3, bits & 0xff); }
};
struct ReadE5M2 {
  static double of(uint32_t bits) { return decode(formatE5M2, bits & 0xff); }
};
struct ReadS8 {
  static int32_t of(uint32_t bits) { return static_cast<int8_t>(bits); }
};
struct ReadU8 {
  static int32_t of(uint32_t bits) { return static_cast<int32_t>(bits & 0xff); }
};

constexpr unsigned mostK = 32;

/// A (16×k) and B (k×8) out of the registers.
template <typename ReadA, typename ReadB, unsigned bits, typename T>
void readOperands(Warp &warp, const Instruction &instruction, unsigned k, T (&a)[16][mostK], T (&b)[mostK][8]) {
  constexpr unsigned perRegister = 32 / bits;
  unsigned blocks = k / (4 * perRegister); // pairs of A's registers; registers of B
  for (unsigned block = 0; block < blocks; ++block) {
    const uint32_t *low = warp.in<uint32_t>(instruction.operand(1, 2 * block));
    const uint32_t *high = warp.in<uint32_t>(instruction.operand(1, 2 * block + 1));
    const uint32_t *right = warp.in<uint32_t>(instruction.operand(2, block));
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      unsigned g = lane / 4, t = lane % 4;
      for (unsigned e = 0; e < perRegister; ++e) {
        unsigned column = block * 4 * perRegister + t * perRegister + e, shift = e * bits;
        a[g][column] = ReadA::of(low[lane] >> shift);
        a[g + 8][column] = ReadA::of(high[lane] >> shift);
        b[column][g] = ReadB::of(right[lane] >> shift);
      }
    }
  }
}

/// visit(register, lane, half-or-0, row, column) for each element of C and D; f32 and s32 have four registers, f16 two.
template <typename Visit> void forEachResult(Visit visit) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      visit(i, lane, lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2);
}

template <typename ReadA, typename ReadB, unsigned bits>
Outcome mmaFloat(Warp &warp, const Instruction &instruction, uint32_t) {
  unsigned k = instruction.detail;
  double a[16][mostK], b[mostK][8], sums[16][8];
  readOperands<ReadA, ReadB, bits>(warp, instruction, k, a, b);
  for (unsigned row = 0; row < 16; ++row) {
    double (&sum)[8] = sums[row];
    for (double &one : sum)
      one = 0;
    for (unsigned at = 0; at < k; ++at)
      for (unsigned column = 0; column < 8; ++column)
        sum[column] += a[row][at] * b[at][column];
  }
  bool halfC = instruction.width[3] == 2, halfD = instruction.width[0] == 2;
  forEachResult([&](unsigned i, unsigned lane, unsigned row, unsigned column) {
    double c = halfC ? widenF16(static_cast<uint16_t>(warp.in<uint32_t>(instruction.operand(3, i / 2))[lane] >> 16 * (i % 2)))
                     : warp.in<float>(instruction.operand(3, i))[lane];
    sums[row][column] += c;
  });
  forEachResult([&](unsigned i, unsigned lane, unsigned row, unsigned column) {
    if (!halfD) {
      warp.out<float>(instruction.operand(0, i))[lane] = finished<false, false>(static_cast<float>(sums[row][column]));
      return;
    }
    uint32_t &to = warp.out<uint32_t>(instruction.operand(0, i / 2))[lane];
    uint32_t rounded = encode(formatF16, sums[row][column], Rounding::NearestEven);
    to = i % 2 ? (to & 0xffff) | rounded << 16 : (to & 0xffff0000) | rounded;
  });
  return Outcome::Next;
}

template <typename ReadA, typename ReadB> Outcome mmaInteger(Warp &warp, const Instruction &instruction, uint32_t) {
  unsigned k = instruction.detail;
  bool saturates = instruction.detail2;
  int32_t a[16][mostK], b[mostK][8];
  readOperands<ReadA, ReadB, 8>(warp, instruction, k, a, b);
  int32_t results[4][warpSize];
  forEachResult([&](unsigned i, unsigned lane, unsigned row, unsigned column) {
    int64_t sum = warp.in<int32_t>(instruction.operand(3, i))[lane];
    for (unsigned at = 0; at < k; ++at)
      sum += int64_t(a[row][at]) * b[at][column];
    if (saturates)
      sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
    results[i][lane] = static_cast<int32_t>(sum);
  });
  for (unsigned i = 0; i < 4; ++i)
    memcpy(warp.out<int32_t>(instruction.operand(0, i)), results[i], sizeof(results[i]));
  return Outcome::Next;
}

/// m8n8k4 of f64: A and B have an element per lane.
Outcome mmaDouble(Warp &warp, const Instruction &instruction, uint32_t) {
  double a[warpSize], b[warpSize], results[2][warpSize];
  memcpy(a, warp.in<double>(instruction.operand(1)), sizeof(a));
  memcpy(b, warp.in<double>(instruction.operand(2)), sizeof(b));
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      double sum = warp.in<double>(instruction.operand(3, i))[lane];
      for (unsigned k = 0; k < 4; ++k)
        sum = std::fma(a[lane / 4 * 4 + k], b[(lane % 4 * 2 + i) * 4 + k], sum);
      results[i][lane] = sum;
    }
  for (unsigned i = 0; i < 2; ++i)
    memcpy(warp.out<double>(instruction.operand(0, i)), results[i], sizeof(results[i]));
  return Outcome::Next;
}

bool hasWidths(const Instruction &instruction, unsigned d, unsigned a, unsigned b, unsigned c) {
  return instruction.operandCount == 0 ||
         (instruction.width[0] == d && instruction.width[1] == a && instruction.width[2] == b && instruction.width[3] == c);
}

unsigned depthOf(const Mnemonic &mnemonic) {
  return mnemonic.has("m16n8k4")    ? 4
         : mnemonic.has("m16n8k8")  ? 8
         : mnemonic.has("m16n8k16") ? 16
         : mnemonic.has("m16n8k32") ? 32
                                    : 0;
}

unsigned resultRegisters(Type type) {
  return type == Type::F16 ? 2 : 4;
}

/// The sizes of k that PTX has for an element type.
bool hasDepth(Type type, unsigned k) {
  switch (type) {
  case Type::F16:
  case Type::BF16:
    return k == 8 || k == 16;
  case Type::TF32:
    return k == 4 || k == 8;
  case Type::S8:
  case Type::U8:
  case Type::E4M3:
  case Type::E5M2:
    return k == 16 || k == 32;
  default:
    return false;
  }
}

Executor floatExecutor(Type a, Type b) {
  switch (a) {
  case Type::F16:
    return &mmaFloat<ReadF16, ReadF16, 16>;
  case Type::BF16:
    return &mmaFloat<ReadBF16, ReadBF16, 16>;
  case Type::TF32:
    return &mmaFloat<ReadTF32, ReadTF32, 32>;
  case Type::E4M3:
    return b == Type::E4M3 ? &mmaFloat<ReadE4M3, ReadE4M3, 8> : &mmaFloat<ReadE4M3, ReadE5M2, 8>;
  default:
    return b == Type::E4M3 ? &mmaFloat<ReadE5M2, ReadE4M3, 8> : &mmaFloat<ReadE5M2, ReadE5M2, 8>;
  }
}

Executor integerExecutor(Type a, Type b) {
  if (a == Type::S8)
    return b == Type::S8 ? &mmaInteger<ReadS8, ReadS8> : &mmaInteger<ReadS8, ReadU8>;
  return b == Type::S8 ? &mmaInteger<ReadU8, ReadS8> : &mmaInteger<ReadU8, ReadU8>;
}

Executor bindMatrixMove(const Mnemonic &mnemonic, Instruction &instruction, unsigned registers, Executor executor) {
  instruction.convergence = Convergence::Aligned;
  instruction.detail = mnemonic.has("x4") ? 4 : mnemonic.has("x2") ? 2 : 1;
  instruction.detail2 = mnemonic.has("trans");
  instruction.space = spaceOf(mnemonic);
  bool fits = mnemonic.has("m8n8") && mnemonic.type() == Type::B16 &&
              (instruction.operandCount == 0 || instruction.width[registers] == instruction.detail);
  return fits ? executor : nullptr;
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindLoadMatrix(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindMatrixMove(mnemonic, instruction, 0, &loadMatrix);
}
Executor bindStoreMatrix(const Mnemonic &mnemonic, Instruction &instruction) {
  return bindMatrixMove(mnemonic, instruction, 1, &storeMatrix);
}
Executor bindMoveMatrix(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = Convergence::Aligned;
  return mnemonic.has("trans") && mnemonic.type() == Type::B16 ? &moveMatrix : nullptr;
}

Executor bindMma(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.convergence = Convergence::Aligned;
  if (mnemonic.types.size() != 4 || !mnemonic.has("row") || !mnemonic.has("col"))
    return nullptr;
  Type d = mnemonic.type(0), a = mnemonic.type(1), b = mnemonic.type(2), c = mnemonic.type(3);
  if (mnemonic.has("m8n8k4"))
    return d == Type::F64 && a == d && b == d && c == d && hasWidths(instruction, 2, 1, 1, 2) ? &mmaDouble : nullptr;
  unsigned k = depthOf(mnemonic);
  bool integers = a == Type::S8 || a == Type::U8;
  bool sameKind = integers ? b == Type::S8 || b == Type::U8 : facts(a).bits == 8 ? facts(b).bits == 8 && isFloat(b) : a == b;
  if (!hasDepth(a, k) || !sameKind)
    return nullptr;
  unsigned right = k * facts(a).bits / 128;
  instruction.detail = k;
  instruction.detail2 = mnemonic.has("satfinite");
  if (!hasWidths(instruction, resultRegisters(d), 2 * right, right, resultRegisters(c)))
    return nullptr;
  if (integers)
    return d == Type::S32 && c == Type::S32 ? integerExecutor(a, b) : nullptr;
  bool halfResult = a == Type::F16 || facts(a).bits == 8;
  bool fits = (d == Type::F32 || (halfResult && d == Type::F16)) && (c == Type::F32 || (halfResult && c == Type::F16));
  return fits ? floatExecutor(a, b) : nullptr;
}

} // namespace tilewright::runtime::emulator
