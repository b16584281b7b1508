// A PTX module, decoded: what the parser makes and the warps execute.
//
// The parser does all the looking up once. Every scalar operand is the place of 32 lanes' values: in the warp's registers, in
// the program's constants (an immediate is written out 32 times), or in the special registers of the warp or block. So an
// executor is a loop over lanes that never asks what kind of operand it has. A register of n bytes takes 32·n consecutive
// bytes; a predicate is one mask of 4.
//
// Registers, call parameters and .local variables have fixed places per function, not per call: lanes that are in a function at
// different times own different columns, so only recursion would need more, and the parser refuses it.
#pragma once

#include "runtime/emulator/Report.h"
#include "runtime/emulator/Types.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::runtime::emulator {

class Warp;
struct Instruction;
struct Opcode;

inline constexpr unsigned warpSize = 32;
inline constexpr uint32_t allLanes = ~0u;
inline constexpr unsigned warpsPerGroup = 4; // a warpgroup

/// What a warp does after an executor.
enum class Outcome : uint8_t {
  Next,    // goes on behind the instruction
  Jumped,  // the executor has set where the lanes go on
  Waiting, // the lanes stay at the instruction until someone wakes them
  Fault,   // the executor has reported one
};

/// Executes an instruction for the lanes whose guard holds (never none).
using Executor = Outcome (*)(Warp &, const Instruction &, uint32_t lanes);

enum class Space : uint8_t { Generic, Global, Const, Shared, SharedCluster, Local, Parameter };

enum class Bank : uint8_t { Registers, Constants, Warp, Block };

enum class Special : uint8_t {
#define SPECIAL(name, text, bank, bytes) name,
#include "runtime/emulator/SpecialRegisters.def"
#undef SPECIAL
  Count
};

constexpr uint32_t offsetOf(Special special) {
  return static_cast<uint32_t>(special) * warpSize * 8;
}

struct Operand {
  enum class Kind : uint8_t { None, Lanes, Address, Constant, Code };

  Kind kind = Kind::None;
  Bank bank = Bank::Registers;
  uint8_t bytes = 0;    // per lane; 0: a predicate
  bool negated = false; // a predicate read as its opposite
  bool isSink = false;  // `_`: nothing is written
  bool isWritten = false;
  bool isVariable = false; // Address: the base is a variable, of the space below
  Space space = Space::Generic;
  uint32_t offset = 0; // Lanes, Address (of the base): the place in the bank
  int64_t value = 0;   // Address: displacement; Constant: the constant; Code: an instruction or branch table
};

/// What an instruction needs of the lanes that are not with it.
enum class Convergence : uint8_t {
  None,
  Aligned, // all lanes of the warp that have not exited must execute it together
  Mask,    // all lanes that its member mask (the last operand) names
};

struct Guard {
  uint32_t offset = ~0u; // of the predicate; ~0: the instruction has none
  bool negated = false;
};

struct Instruction {
  Executor execute = nullptr;
  const Opcode *opcode = nullptr;
  Guard guard;
  uint32_t firstOperand = 0; // in Program::operands; vectors are flattened
  uint8_t operandCount = 0;  // as written: a vector counts once
  uint8_t start[8] = {};     // of operand k, from firstOperand
  uint8_t width[8] = {};     // elements of operand k
  Convergence convergence = Convergence::None;
  Space space = Space::Generic;
  bool touchesMatrix = false; // it accesses registers that some wgmma uses, and is none
  uint32_t detail = 0;        // what the opcode's binder puts here
  uint32_t detail2 = 0;
  uint32_t file = 0, line = 0; // .loc; line 0: none
  uint32_t ptxLine = 0;
  uint32_t function = 0;
  const Operand *operands = nullptr;

  const Operand &operand(unsigned k, unsigned element = 0) const { return operands[start[k] + element]; }
};

struct Variable {
  std::string name;
  Space space = Space::Global;
  uint32_t alignment = 1;
  uint64_t bytes = 0;
  bool isExtern = false;           // of Shared: the dynamic part
  std::vector<std::byte> initial;  // empty: zeros
  uint64_t address = 0;            // Shared: offset; Global, Const: given when the module is loaded
  std::vector<uint32_t> functions; // that use it
};

/// A constant, or bytes of a variable's initial value, that hold an address known when the module is loaded.
struct Relocation {
  enum class Target : uint8_t { Constant, Variable };
  Target where = Target::Constant;
  uint32_t holder = 0; // Variable: which
  uint32_t offset = 0;
  uint32_t bytes = 8;
  uint32_t variable = 0;
  int64_t addend = 0;
};

struct Parameter {
  std::string name;
  uint32_t alignment = 1;
  uint32_t bytes = 0;
  uint32_t offset = 0; // entry: in the parameter buffer; function: in local memory
};

struct Function {
  std::string name;
  bool isEntry = false;
  bool isDefined = false;
  uint32_t begin = 0, end = 0; // instructions
  std::vector<Parameter> parameters, results;
  uint32_t parameterBytes = 0;
  uint32_t registerBytes = 0; // an entry's: with those of all functions below
  uint32_t localBytes = 0;
  uint32_t sharedBytes = 0;   // an entry's variables, from sharedBase on
  uint32_t dynamicOffset = 0; // an entry's: where dynamic shared memory begins
  Index3 maxThreads, requiredThreads, requiredCluster;
  uint32_t minBlocks = 0, maxRegisters = 0, mostClusterBlocks = 0;
  std::vector<uint32_t> callees;
};

/// A call: what is copied from the caller's local memory to the callee's before it, and back after it.
struct Call {
  uint32_t function = 0;
  std::vector<uint32_t> arguments, results; // places in the caller's local memory
};

/// Shared memory begins here, so that an address made of nothing is a fault; the hardware reserves as much since sm_90.
inline constexpr uint32_t sharedBase = 1024;

struct Program {
  std::string name;
  std::string source;
  std::string target;      // "sm_80"
  unsigned version = 0;    // 10·major + minor
  unsigned capability = 0; // 80
  std::map<uint32_t, std::string> files;
  std::vector<Instruction> code;
  std::vector<Operand> operands;
  std::vector<std::byte> constants;
  std::vector<std::vector<uint32_t>> branchTables;
  std::vector<Call> calls;
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<Relocation> relocations;
  /// Where the operands `_` write to: 32 lanes of 16 bytes at the beginning of every register file.
  static constexpr uint32_t sinkBytes = warpSize * 16;

  const Function *entry(std::string_view name) const;
};

} // namespace tilewright::runtime::emulator
