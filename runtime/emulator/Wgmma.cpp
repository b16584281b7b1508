#include "runtime/emulator/Wgmma.h"

#include "runtime/Text.h"
#include "runtime/emulator/Cluster.h"
#include "runtime/emulator/FloatMath.h"

#include <limits>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

constexpr unsigned pieceBytes = 16;
constexpr unsigned mostK = 32, mostN = 256;
constexpr uint32_t addressMask = (1 << 18) - 1;

/// How many pieces of 16 bytes an operand has in the direction of its rows and in the other one.
struct Pieces {
  unsigned rows, columns;
};
Pieces piecesOf(unsigned rows, unsigned k, unsigned elementBytes, bool isMnMajor) {
  return isMnMajor ? Pieces{k, rows * elementBytes / pieceBytes} : Pieces{rows, k * elementBytes / pieceBytes};
}

double elementOf(Type type, uint32_t bits) {
  switch (type) {
  case Type::F16:
    return widenF16(static_cast<uint16_t>(bits));
  case Type::BF16:
    return widenBF16(static_cast<uint16_t>(bits));
  case Type::TF32:
    return std::bit_cast<float>(bits & 0xffffe000); // the hardware does not look at the lower 13 bits
  case Type::E4M3:
    return decode(formatE4M3, bits);
  case Type::E5M2:
    return decode(formatE5M2, bits);
  case Type::S8:
    return static_cast<int8_t>(bits);
  default:
    return static_cast<double>(bits);
  }
}

/// visit(index, value) for the elements in so many bytes.
template <typename Visit> void forEachElement(Type type, const void *from, unsigned bytes, Visit visit) {
  unsigned size = bytesOf(type);
  for (unsigned index = 0; index < bytes / size; ++index) {
    uint32_t bits = 0;
    memcpy(&bits, static_cast<const std::byte *>(from) + index * size, size);
    visit(index, elementOf(type, bits));
  }
}

/// put(row, k, value) for all elements of an operand in shared memory.
template <typename Put>
void readShared(const Block &block, const WgmmaOperand &operand, unsigned rows, unsigned k, bool isMnMajor, Type type,
                Put put) {
  unsigned size = bytesOf(type), perPiece = pieceBytes / size;
  Pieces pieces = piecesOf(rows, k, size, isMnMajor);
  for (unsigned row = 0; row < pieces.rows; ++row)
    for (unsigned column = 0; column < pieces.columns; ++column) {
      const std::byte *from = block.shared.data() + (operand.place(row, column, isMnMajor) - sharedBase);
      forEachElement(type, from, pieceBytes, [&](unsigned index, double value) {
        if (isMnMajor)
          put(column * perPiece + index, row, value);
        else
          put(row, column * perPiece + index, value);
      });
    }
}

/// A out of the four registers of each of a warp's lanes, as for mma.
template <typename Put> void readRegisters(Warp &warp, const Instruction &instruction, Type type, Put put) {
  unsigned perRegister = 4 / bytesOf(type);
  for (unsigned number = 0; number < 4; ++number) {
    const uint32_t *from = warp.in<uint32_t>(instruction.operand(1, number));
    for (unsigned lane = 0; lane < warpSize; ++lane)
      forEachElement(type, from + lane, 4, [&](unsigned index, double value) {
        put(lane / 4 + number % 2 * 8, number / 2 * 4 * perRegister + lane % 4 * perRegister + index, value);
      });
  }
}

/// The sums of one row, exact as long as f64 holds them: for integers always, for floats nearly.
void multiplyRow(const double (&a)[mostK], const double (*b)[mostN], unsigned k, unsigned n, double (&sums)[mostN]) {
  constexpr unsigned step = 8;
  for (unsigned first = 0; first < n; first += step) {
    double part[step] = {};
    for (unsigned at = 0; at < k; ++at)
      for (unsigned column = 0; column < step; ++column)
        part[column] += a[at] * b[at][first + column];
    memcpy(sums + first, part, sizeof(part));
  }
}

/// Adds a row's sums to the accumulators of the warp that holds it, or replaces them.
void accumulateRow(Warp &warp, const Instruction &instruction, const WgmmaShape &shape, unsigned row, const double *sums,
                   bool accumulates) {
  for (unsigned column = 0; column < shape.n; ++column) {
    unsigned lane = row % 8 * 4 + column % 8 / 2, half = row / 8, e = column % 2;
    if (shape.d == Type::F16) {
      uint32_t &to = warp.out<uint32_t>(instruction.operand(0, column / 8 * 2 + half))[lane];
      double old = accumulates ? widenF16(static_cast<uint16_t>(to >> 16 * e)) : 0.0;
      uint32_t rounded = encode(formatF16, old + sums[column], Rounding::NearestEven);
      to = e ? (to & 0xffff) | rounded << 16 : (to & 0xffff0000) | rounded;
      continue;
    }
    const Operand &operand = instruction.operand(0, column / 8 * 4 + 2 * half + e);
    if (shape.d == Type::S32) {
      int32_t &to = warp.out<int32_t>(operand)[lane];
      int64_t sum = static_cast<int64_t>(sums[column]) + (accumulates ? to : 0);
      if (shape.saturates)
        sum = std::clamp<int64_t>(sum, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
      to = static_cast<int32_t>(sum);
    } else {
      float &to = warp.out<float>(operand)[lane];
      double old = accumulates ? static_cast<double>(to) : 0.0;
      to = finished<false, false>(static_cast<float>(old + sums[column]));
    }
  }
}

} // namespace

std::optional<WgmmaOperand> WgmmaOperand::decode(uint64_t bits, std::string &message) {
  // [0,14) address, [16,30) leading, [32,46) stride, all in 16 bytes; [49,52) base offset; [62,64) swizzle.
  constexpr uint64_t used = 0x3fff | uint64_t(0x3fff) << 16 | uint64_t(0x3fff) << 32 | uint64_t(7) << 49 | uint64_t(3) << 62;
  if (bits & ~used) {
    message = "a descriptor with bits set that mean nothing";
    return std::nullopt;
  }
  if (bits >> 49 & 7) {
    message = "a descriptor with a base offset, which is not emulated: the operand should begin where its swizzle does";
    return std::nullopt;
  }
  static constexpr Swizzle modes[] = {Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64, Swizzle::Bytes32};
  WgmmaOperand operand;
  operand.address = static_cast<uint32_t>(bits & 0x3fff) << 4;
  operand.leading = static_cast<uint32_t>(bits >> 16 & 0x3fff) << 4;
  operand.stride = static_cast<uint32_t>(bits >> 32 & 0x3fff) << 4;
  operand.swizzle = modes[bits >> 62];
  return operand;
}

uint32_t WgmmaOperand::place(unsigned row, unsigned column, bool isMnMajor) const {
  uint32_t span = spanOf(swizzle), pieces = span / pieceBytes, at = address + row % 8 * span;
  if (swizzle == Swizzle::None)
    at += isMnMajor ? column * stride + row / 8 * leading : row / 8 * stride + column * leading;
  else if (isMnMajor)
    at += row / 8 * stride + column % pieces * pieceBytes + column / pieces * leading;
  else
    at += row / 8 * stride + column * pieceBytes;
  return swizzled(at & addressMask, swizzle);
}

WgmmaShape WgmmaShape::of(const Instruction &instruction) {
  WgmmaShape shape;
  shape.n = instruction.detail & 0x1ff;
  shape.a = static_cast<Type>(instruction.detail >> 9 & 0x3f);
  shape.b = static_cast<Type>(instruction.detail >> 15 & 0x3f);
  shape.d = static_cast<Type>(instruction.detail >> 21 & 0x3f);
  uint32_t flags = instruction.detail2;
  shape.isRegisterA = flags & 1;
  shape.isMnMajorA = flags & 2;
  shape.isMnMajorB = flags & 4;
  shape.isNegated = flags & 8;
  shape.saturates = flags & 16;
  return shape;
}

void WgmmaShape::store(Instruction &instruction) const {
  instruction.detail = n | uint32_t(a) << 9 | uint32_t(b) << 15 | uint32_t(d) << 21;
  instruction.detail2 = uint32_t(isRegisterA) | uint32_t(isMnMajorA) << 1 | uint32_t(isMnMajorB) << 2 |
                        uint32_t(isNegated) << 3 | uint32_t(saturates) << 4;
}

bool Warpgroup::readOperand(Warp &warp, const Instruction &instruction, const WgmmaOperand &operand, unsigned rows,
                            bool isMnMajor, Type type, std::string_view name, bool isFirst) {
  bool checks = block.launch.options.checkRaces;
  Accessor as = warp.accessor(instruction, 0, 0);
  as.party = party;
  as.lane = Accessor::severalLanes;
  as.clock = static_cast<uint32_t>(members[memberOf(warp)].issued + 1);
  as.isAsync = true;
  as.step = warp.party;
  Actor who{as, warp.known, warp.party, Accessor::severalLanes, warp.lastSync, 0};
  Pieces pieces = piecesOf(rows, WgmmaShape::of(instruction).k(), bytesOf(type), isMnMajor);
  bool isAnyWritten = false;
  for (unsigned row = 0; row < pieces.rows; ++row)
    for (unsigned column = 0; column < pieces.columns; ++column) {
      uint32_t address = operand.place(row, column, isMnMajor), offset = address - sharedBase;
      if (address < sharedBase || offset + pieceBytes > block.shared.size()) {
        warp.fault(FaultKind::OutOfBounds, instruction, 0,
                   concat("the descriptor of ", name, " reaches shared address ", address, "; the block has ",
                          block.shared.size(), " bytes, from ", sharedBase, " on"),
                   address);
        return false;
      }
      if (!checks)
        continue;
      if (auto conflict = block.shadow.readOperand(offset, pieceBytes, who, isFirst))
        return warp.reportConflict(instruction, 0, address, *conflict, false);
      isAnyWritten = isAnyWritten || block.shadow.hasWritten(offset, pieceBytes);
    }
  if (!checks || isAnyWritten)
    return true;
  return warp.reportConflict(instruction, 0, operand.address, {Conflict::Kind::Uninitialized, {}, 0}, false);
}

bool Warpgroup::issue(Warp &warp, const Instruction &instruction, uint64_t a, uint64_t b, bool accumulates) {
  unsigned member = memberOf(warp);
  auto refuse = [&](FaultKind kind, std::string message) {
    warp.fault(kind, instruction, 0, std::move(message));
    return false;
  };
  WgmmaShape shape = WgmmaShape::of(instruction);
  size_t index = static_cast<size_t>(members[member].issued - done);
  bool isFirst = index == operations.size();
  if (isFirst)
    operations.push_back({&instruction, a, b, accumulates});
  Operation &operation = operations[index];
  if (operation.instruction != &instruction)
    return refuse(FaultKind::Divergence, "the warps of a warpgroup execute different wgmma instructions");
  if (operation.a != a || operation.b != b || operation.accumulates != accumulates)
    return refuse(FaultKind::Divergence, "the warps of a warpgroup execute wgmma with different descriptors or scale-d");
  std::string message;
  if (!shape.isRegisterA) {
    std::optional<WgmmaOperand> operand = WgmmaOperand::decode(a, message);
    if (!operand)
      return refuse(FaultKind::Illegal, std::move(message));
    if (!readOperand(warp, instruction, *operand, 64, shape.isMnMajorA, shape.a, "A", isFirst))
      return false;
  }
  std::optional<WgmmaOperand> operand = WgmmaOperand::decode(b, message);
  if (!operand)
    return refuse(FaultKind::Illegal, std::move(message));
  if (!readOperand(warp, instruction, *operand, shape.n, shape.isMnMajorB, shape.b, "B", isFirst))
    return false;
  operation.joined |= 1u << member;
  ++members[member].issued;
  for (unsigned other = 0; other < warpsPerGroup; ++other)
    block.warp(number * warpsPerGroup + other).wake(Wait::Kind::Warpgroup, number, false);
  return true;
}

void Warpgroup::commit(Warp &warp) {
  Member &member = members[memberOf(warp)];
  member.groups.push_back(member.issued);
}

bool Warpgroup::wait(Warp &warp, uint32_t left) {
  Member &member = members[memberOf(warp)];
  if (member.groups.size() <= left)
    return true;
  uint64_t end = member.groups[member.groups.size() - 1 - left];
  for (uint64_t at = done; at < end; ++at)
    if (operations[static_cast<size_t>(at - done)].joined != (1u << warpsPerGroup) - 1)
      return false;
  for (; done < end; ++done) {
    compute(operations.front());
    operations.pop_front();
  }
  member.covered = std::max(member.covered, end);
  member.groups.erase(member.groups.begin(), member.groups.end() - left);
  warp.known.clocks.raise(party, static_cast<uint32_t>(member.covered));
  return true;
}

void Warpgroup::compute(const Operation &operation) {
  const Instruction &instruction = *operation.instruction;
  WgmmaShape shape = WgmmaShape::of(instruction);
  static thread_local double a[64][mostK], b[mostK][mostN];
  std::string message;
  if (!shape.isRegisterA) {
    readShared(block, *WgmmaOperand::decode(operation.a, message), 64, shape.k(), shape.isMnMajorA, shape.a,
               [](unsigned row, unsigned k, double value) { a[row][k] = value; });
  } else {
    for (unsigned member = 0; member < warpsPerGroup; ++member)
      readRegisters(block.warp(number * warpsPerGroup + member), instruction, shape.a,
                    [&](unsigned row, unsigned k, double value) { a[member * 16 + row][k] = value; });
  }
  readShared(block, *WgmmaOperand::decode(operation.b, message), shape.n, shape.k(), shape.isMnMajorB, shape.b,
             [&](unsigned column, unsigned k, double value) { b[k][column] = shape.isNegated ? -value : value; });
  for (unsigned row = 0; row < 64; ++row) {
    double sums[mostN];
    multiplyRow(a[row], b, shape.k(), shape.n, sums);
    accumulateRow(block.warp(number * warpsPerGroup + row / 16), instruction, shape, row % 16, sums, operation.accumulates);
  }
}

unsigned Warpgroup::memberOf(const Warp &warp) {
  return warp.number % warpsPerGroup;
}
