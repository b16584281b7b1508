// The last step of parsing: everything gets its place.
//
// Functions that are called lie before the entries in registers and local memory, so that one file serves every entry that
// calls them. Shared variables that one entry alone uses lie behind those that several use; dynamic shared memory follows an
// entry's last variable.
#include "runtime/emulator/Builder.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Virtual registers are many, memory is not.
constexpr uint32_t mostRegisterBytes = 1u << 28, mostLocalBytes = 512 * 1024;
constexpr uint64_t mostSharedBytes = 1 << 20;

class Layout {
public:
  Layout(Program &program, const std::vector<Builder::Fixup> &fixups, TokenStream &tokens)
      : program(program), fixups(fixups), tokens(tokens) {}

  bool run() {
    if (!checkSizes() || !checkCalls())
      return false;
    placeFrames();
    moveRegisters();
    markMatrixRegisters();
    placeShared();
    writeFixups();
    for (Instruction &instruction : program.code)
      instruction.operands = program.operands.data() + instruction.firstOperand;
    return true;
  }

private:
  /// Depth first: a function met again on its own path calls itself.
  bool checkCalls() {
    std::vector<Visit> visits(program.functions.size(), Visit::Not);
    for (uint32_t index = 0; index < program.functions.size(); ++index)
      if (!visit(index, visits))
        return false;
    return true;
  }

  enum class Visit : uint8_t { Not, OnPath, Done };

  bool visit(uint32_t index, std::vector<Visit> &visits) {
    if (visits[index] == Visit::OnPath)
      return tokens.fail(
          0, concat("function ", program.functions[index].name, " calls itself, which the emulator does not support"),
          TW_UNSUPPORTED);
    if (visits[index] == Visit::Done)
      return true;
    visits[index] = Visit::OnPath;
    for (uint32_t callee : program.functions[index].callees)
      if (!visit(callee, visits))
        return false;
    visits[index] = Visit::Done;
    return true;
  }

  bool checkSizes() {
    for (const Function &function : program.functions)
      if (function.registerBytes > mostRegisterBytes || function.localBytes > mostLocalBytes)
        return tokens.fail(0, concat("function ", function.name, " has ", function.registerBytes / (4 * warpSize),
                                     " registers and ", function.localBytes, " bytes of local memory, more than any GPU"));
    for (const Variable &variable : program.variables)
      if (variable.space == Space::Shared && variable.bytes > mostSharedBytes)
        return tokens.fail(0, concat("shared variable ", variable.name, " has ", variable.bytes, " bytes, more than any GPU"));
    return true;
  }

  void placeFrames() {
    uint32_t registers = Program::sinkBytes, locals = 0;
    for (bool entries : {false, true})
      for (Function &function : program.functions) {
        if (function.isEntry != entries)
          continue;
        registerBase.resize(program.functions.size());
        localBase.resize(program.functions.size());
        size_t index = static_cast<size_t>(&function - program.functions.data());
        registerBase[index] = registers;
        localBase[index] = locals;
        uint32_t registerEnd = static_cast<uint32_t>(alignUp(registers + function.registerBytes, 64));
        uint32_t localEnd = static_cast<uint32_t>(alignUp(locals + function.localBytes, 16));
        if (entries) {
          function.registerBytes = registerEnd;
          function.localBytes = localEnd;
          continue;
        }
        registers = registerEnd;
        locals = localEnd;
        for (auto *list : {&function.parameters, &function.results})
          for (Parameter &parameter : *list)
            parameter.offset += localBase[index];
      }
  }

  void moveRegisters() {
    for (Instruction &instruction : program.code) {
      uint32_t base = registerBase[instruction.function];
      if (instruction.guard.offset != ~0u)
        instruction.guard.offset += base;
      unsigned count = 0;
      for (unsigned k = 0; k < instruction.operandCount; ++k)
        count += instruction.width[k];
      for (unsigned k = 0; k < count; ++k) {
        Operand &operand = program.operands[instruction.firstOperand + k];
        if (operand.bank == Bank::Registers && !operand.isSink)
          operand.offset += base;
      }
      if (instruction.opcode->name == "call") {
        Call &call = program.calls[instruction.detail];
        for (auto *list : {&call.arguments, &call.results})
          for (uint32_t &place : *list)
            place += localBase[instruction.function];
      }
    }
  }

  /// visit(operand) for the registers of an instruction.
  template <typename Visit> void forEachRegister(const Instruction &instruction, unsigned first, unsigned last, Visit visit) {
    for (unsigned k = first; k < std::min<unsigned>(last, instruction.operandCount); ++k)
      for (unsigned element = 0; element < instruction.width[k]; ++element) {
        const Operand &operand = program.operands[instruction.firstOperand + instruction.start[k] + element];
        if (operand.bank == Bank::Registers && !operand.isSink && operand.bytes != 0)
          visit(operand);
      }
  }

  /// Finds the instructions that access accumulators or registers with A, so that only they are watched.
  void markMatrixRegisters() {
    std::vector<bool> isMatrix;
    auto isWgmma = [](const Instruction &instruction) { return instruction.opcode->name == "wgmma.mma_async"; };
    for (const Instruction &instruction : program.code)
      if (isWgmma(instruction))
        forEachRegister(instruction, 0, 2, [&](const Operand &operand) {
          if (operand.bytes == 4 && isMatrix.size() <= operand.offset / 64)
            isMatrix.resize(operand.offset / 64 + 1);
          if (operand.bytes == 4)
            isMatrix[operand.offset / 64] = true;
        });
    if (isMatrix.empty())
      return;
    for (Instruction &instruction : program.code)
      if (!isWgmma(instruction))
        forEachRegister(instruction, 0, instruction.operandCount, [&](const Operand &operand) {
          instruction.touchesMatrix |= operand.offset / 64 < isMatrix.size() && isMatrix[operand.offset / 64];
        });
  }

  bool isFixed(const Variable &variable) const {
    return variable.functions.size() > 1 ||
           std::any_of(variable.functions.begin(), variable.functions.end(),
                       [&](uint32_t function) { return !program.functions[function].isEntry; });
  }

  void place(Variable &variable, uint64_t &end) {
    variable.address = alignUp(end, variable.alignment);
    end = variable.address + variable.bytes;
  }

  void placeShared() {
    uint64_t fixedEnd = sharedBase;
    for (Variable &variable : program.variables)
      if (variable.space == Space::Shared && !variable.isExtern && isFixed(variable))
        place(variable, fixedEnd);
    uint64_t largest = fixedEnd;
    for (uint32_t index = 0; index < program.functions.size(); ++index) {
      Function &function = program.functions[index];
      uint64_t end = fixedEnd, alignment = 16;
      for (Variable &variable : program.variables) {
        bool isUsed = std::find(variable.functions.begin(), variable.functions.end(), index) != variable.functions.end();
        if (variable.space != Space::Shared || !isUsed)
          continue;
        if (variable.isExtern)
          alignment = std::max<uint64_t>(alignment, variable.alignment);
        else if (!isFixed(variable))
          place(variable, end);
      }
      function.sharedBytes = static_cast<uint32_t>(end - sharedBase);
      function.dynamicOffset = static_cast<uint32_t>(alignUp(end, alignment));
      largest = std::max<uint64_t>(largest, function.dynamicOffset);
    }
    if (std::any_of(fixups.begin(), fixups.end(),
                    [&](const auto &fixup) { return fixup.isDynamicShared && !program.functions[fixup.function].isEntry; }))
      for (Function &function : program.functions)
        function.dynamicOffset = static_cast<uint32_t>(largest);
  }

  void write(uint32_t constant, unsigned bytes, uint64_t value) {
    for (unsigned lane = 0; lane < warpSize; ++lane)
      memcpy(program.constants.data() + constant + static_cast<size_t>(lane) * bytes, &value, bytes);
  }

  void writeFixups() {
    for (const Builder::Fixup &fixup : fixups) {
      uint32_t base = fixup.isDynamicShared ? program.functions[fixup.function].dynamicOffset : localBase[fixup.function];
      write(fixup.constant, fixup.bytes, base + static_cast<uint64_t>(fixup.addend));
    }
    std::erase_if(program.relocations, [&](const Relocation &relocation) {
      const Variable &variable = program.variables[relocation.variable];
      if (variable.space != Space::Shared || relocation.where != Relocation::Target::Constant)
        return false;
      write(relocation.offset, relocation.bytes, variable.address + static_cast<uint64_t>(relocation.addend));
      return true;
    });
  }

  Program &program;
  const std::vector<Builder::Fixup> &fixups;
  TokenStream &tokens;
  std::vector<uint32_t> registerBase, localBase;
};

} // namespace

bool emulator::layOut(Program &program, const std::vector<Builder::Fixup> &fixups, TokenStream &tokens) {
  return Layout(program, fixups, tokens).run();
}
