// bf16 in LLVM's code for CPUs.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilewright::compiler {

/// Lets bf16 be i16 in registers. Nothing computes in bf16; but LLVM keeps a bf16 that is chosen, or goes from block to block,
/// as an f32 and rounds it back: by an instruction that flushes subnormals to zero where the processor has one, else by a call
/// of a function that a kernel has not.
class BrainFloatsAsIntegers : public llvm::PassInfoMixin<BrainFloatsAsIntegers> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tilewright::compiler
