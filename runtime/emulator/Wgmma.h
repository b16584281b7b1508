// wgmma: products of a warpgroup that are under way.
//
// The four warps of a warpgroup issue the same instructions in the same order; an instruction begins when all have. What it
// reads in shared memory and in registers is read, and its result appears, when a warp's wgmma.wait_group covers it, for all
// four warps at once: that is as late as the hardware may do it. Until a warp's own wait, its accumulators must not be touched
// and its registers with A not written; the shared memory is in use until the wait of somebody who then tells the writer.
//
// A shared-memory operand is described by 64 bits: its address, two strides and a swizzle (WgmmaOperand below). Eight rows of
// 16 bytes, or of the swizzle's span, are its unit:
//   K-major      row r, 16-byte column j of k:   r/8·stride + r%8·span + j·16     (without swizzle: j·leading)
//   MN-major     16-byte column u of rows, k:    k/8·stride + k%8·span + u%s·16 + u/s·leading, s pieces in a span
//                                                (without swizzle: u·stride + k/8·leading + k%8·16)
// and where a byte is kept follows from its address as for tensor copies (swizzled in TensorMap.h).
#pragma once

#include "runtime/emulator/Shadow.h"
#include "runtime/emulator/TensorMap.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace tilewright::runtime::emulator {

class Block;
class Warp;
struct Instruction;

struct WgmmaOperand {
  uint32_t address = 0;
  uint32_t leading = 0, stride = 0;
  Swizzle swizzle = Swizzle::None;

  /// Of a descriptor's bits; a message if they are none.
  static std::optional<WgmmaOperand> decode(uint64_t bits, std::string &message);
  /// Where 16 bytes are kept: of row `row` from byte 16·column of k on, or if isMnMajor of k = `row` from row 16·column/size
  /// on.
  uint32_t place(unsigned row, unsigned column, bool isMnMajor) const;
};

/// What an instruction computes, in its detail and detail2.
struct WgmmaShape {
  unsigned n = 0;
  Type a = Type::None, b = Type::None, d = Type::None;
  bool isRegisterA = false;
  bool isMnMajorA = false, isMnMajorB = false;
  bool isNegated = false; // one of imm-scale-a and imm-scale-b is -1
  bool saturates = false;

  unsigned k() const { return 32 / bytesOf(a); }
  static WgmmaShape of(const Instruction &instruction);
  void store(Instruction &instruction) const;
};

class Warpgroup {
public:
  Warpgroup(Block &block, unsigned number, uint16_t party) : block(block), number(number), party(party) {}

  /// A warp issues its next instruction, with these descriptors. False: a fault was reported.
  bool issue(Warp &warp, const Instruction &instruction, uint64_t a, uint64_t b, bool accumulates);
  void commit(Warp &warp);
  /// Whether all that a warp's wait for all but `left` groups covers has begun; if so, it is done.
  bool wait(Warp &warp, uint32_t left);
  /// How many instructions of a warp are in the groups that its last wait has covered.
  uint64_t coveredOf(const Warp &warp) const { return members[memberOf(warp)].covered; }
  uint64_t issuedBy(const Warp &warp) const { return members[memberOf(warp)].issued; }

private:
  struct Operation {
    const Instruction *instruction;
    uint64_t a, b;
    bool accumulates;
    uint32_t joined = 0; // by warp of the group
  };
  struct Member {
    uint64_t issued = 0;
    std::vector<uint64_t> groups; // instructions issued before each commit
    uint64_t covered = 0;
  };
  static unsigned memberOf(const Warp &warp);
  bool readOperand(Warp &warp, const Instruction &instruction, const WgmmaOperand &operand, unsigned rows, bool isMnMajor,
                   Type type, std::string_view name, bool isFirst);
  void compute(const Operation &operation);

  Block &block;
  const unsigned number; // in the block
  const uint16_t party;
  std::deque<Operation> operations; // that are not done
  uint64_t done = 0;                // operations before
  std::array<Member, 4> members;
};

} // namespace tilewright::runtime::emulator
