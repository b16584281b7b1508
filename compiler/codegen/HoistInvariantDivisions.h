// Divisions under a condition, for LLVM's vectorizer.
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilewright::compiler {

/// Moves divisions of loop-invariant numbers by one that is never 0 in front of their loops. LLVM leaves those alone that stand
/// under a condition, and its vectorizer then executes them for a vector's first lane only: where that one's condition does not
/// hold, all lanes get poison (an access with `else` to a pack whose strides do not merge: the quotient is part of its
/// address).
class HoistInvariantDivisions : public llvm::PassInfoMixin<HoistInvariantDivisions> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright::compiler
