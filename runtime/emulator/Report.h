// What the emulator found: a fault is a value that names the kernel's source line, the thread, the address and, for a race,
// both parties. Nothing here ends the process.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime::emulator {

enum class FaultKind : uint8_t {
  OutOfBounds,   // an access outside every allocation, variable or window
  Misaligned,    // an address that the access's size does not divide
  ReadOnly,      // a write to constant memory
  Uninitialized, // a read of shared memory that nobody wrote
  Race,          // two threads' accesses to one place, one of them a write, that nothing orders
  InFlight,      // an access to what an asynchronous copy may still be writing
  Proxy,         // an asynchronous access to what ordinary instructions wrote, without a proxy fence between
  Peer,          // an access to the shared memory of a block of the cluster that may not have begun, or have ended
  Register,      // an access to a register that a wgmma in flight reads or writes
  Divergence,    // an instruction that all threads of a warp must reach together was reached by a part of them
  Barrier,       // a barrier or mbarrier used against its rules
  Deadlock,      // nobody can go on
  StepLimit,     // the launch executed more instructions than it was allowed
  Trap,          // the kernel executed trap
  Assertion,     // the kernel called __assertfail
  Illegal,       // an operand the instruction does not allow, or an operation that is not emulated
};

std::string_view nameOf(FaultKind kind);

struct Index3 {
  uint32_t x = 0, y = 0, z = 0;
  bool operator==(const Index3 &) const = default;
};

/// Where a thread stands: the kernel's source line if the PTX has .loc, the line of the PTX text always.
struct Place {
  std::string file;
  uint32_t line = 0;
  uint32_t ptxLine = 0;
  std::string ptxText;
  Index3 block;
  Index3 thread;

  std::string text() const;
};

/// Another thread that takes part in a fault: the earlier access of a race, or who waits where in a deadlock.
struct Party {
  Place place;
  std::string role;
};

struct Fault {
  FaultKind kind;
  std::string kernel;
  Place place;
  std::string message; // one line, no final period
  std::optional<uint64_t> address;
  std::vector<Party> parties;

  /// Several lines, the first of them complete in itself.
  std::string text() const;
};

} // namespace tilewright::runtime::emulator
