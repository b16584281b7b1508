// From the typed tree to the tile dialect.
#pragma once

#include "compiler/frontend/TypedTree.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tilewright::frontend {

/// What is known of a view when its kernel is compiled (see tw_compiler_view_facts).
struct ViewFacts {
  int64_t unitStrideDimension = -1;
  int64_t packRank = 1;
  int64_t alignment = 1;
  int64_t packRun = 1;
};

struct EmitOptions {
  std::map<std::string, ViewFacts> views;    ///< views without an entry are contiguous, with M... merged
  std::map<std::string, int64_t> capacities; ///< of every tunable
};

/// A text, or the dtype of a value.
struct MessagePart {
  std::string text;
  std::optional<DType> dtype;
};

/// What a print, a failed assert or another failed check says; its position in EmittedKernel::messages is the `message` of
/// tile.print, tile.assert and tile.store. The parts are joined as they are.
struct Message {
  bool isAssert = false;
  std::vector<MessagePart> parts;
  SourceRange where;
  size_t positionCount = 0; ///< how many of the values, the last ones, are the position in the grid
};

/// An external function and the callee of its tile.call_external.
struct ExternalCallee {
  std::string symbol;
  const typed::Function *function = nullptr;
};

struct EmittedKernel {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< one tile.kernel, verified
  std::vector<Message> messages;
  std::vector<ExternalCallee> externals; ///< one for each declaration, in the order of their first calls
};

/// Emits one kernel. Every tunable needs a capacity. Locations are the source's lines. Functions are inlined, variables become
/// values carried by tile.for, scf.while and scf.if. The module is null if the IR does not verify, which is our fault; the
/// context's diagnostic handler has the reason.
EmittedKernel emitTile(const typed::Kernel &kernel, const EmitOptions &options, mlir::MLIRContext &context);

} // namespace tilewright::frontend
