// The emitter behind EmitTile.h: one object turns one typed kernel into one tile.kernel.
//
// A typed expression becomes one SSA value whose tensor type has the expression's axes in the expression's order. Variables
// have no place in SSA form: `values` holds what each symbol is at the point of emission, and a region that assigns to a
// variable from outside takes and gives it as a carried value (see AssignedVariables).
#pragma once

#include "compiler/frontend/EmitTile.h"
#include "compiler/frontend/TypedTree.h"

#include "dialects/Tile/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tilewright::frontend {

class TileEmitter {
public:
  TileEmitter(const typed::Kernel &kernel, const EmitOptions &options, mlir::MLIRContext &context);

  EmittedKernel emit();

private:
  using Expr = typed::Expr;
  using Axes = std::vector<const typed::Axis *>;
  using Values = llvm::SmallVector<mlir::Value>;

  // EmitTile.cpp: the kernel around the body
  void emitKernel();
  void bindArguments(tile::KernelOp op);
  void emitGrid(size_t level);
  tile::ViewType viewType(const typed::View &view);

  // EmitTile.cpp: types, places, faults
  mlir::Type elementType(DType dtype);
  int64_t capacityOf(const typed::Axis &axis);
  tile::SpanType spanType(const typed::Axis &axis);
  mlir::Type typeOf(const typed::TileType &type);
  mlir::Location location(SourceRange where);
  /// Something that no kernel brings here unless the compiler is wrong, or that this target lacks: reports it, and the emitted
  /// kernel will not be used.
  void fail(SourceRange where, const llvm::Twine &text);

  // EmitTileStatements.cpp
  void emitBlock(const typed::Block &block);
  void emitStatement(const typed::Statement &statement);
  void emitLet(const typed::Statement &statement);
  void emitStore(const typed::Statement &statement);
  void emitAccumulation(const typed::Statement &statement, mlir::Value value, mlir::ValueRange indices, mlir::ValueRange spans,
                        llvm::ArrayRef<bool> compare);
  void emitFor(const typed::Statement &statement);
  void emitWhile(const typed::Statement &statement);
  void emitIf(const typed::Statement &statement);
  Values currentValues(llvm::ArrayRef<const typed::Symbol *> symbols);
  void setValues(llvm::ArrayRef<const typed::Symbol *> symbols, mlir::ValueRange values);

  // EmitTileReports.cpp
  struct Report;
  void emitPrint(const typed::Statement &statement);
  void emitAssert(const typed::Statement &statement);
  void checkDivisor(const Expr &divisor, mlir::Value value);
  /// Checked mode: the message for elements that a store with promised places writes more than once; otherwise null.
  mlir::IntegerAttr promiseMessage(const typed::Statement &store);
  void addParts(Report &report, const std::vector<typed::PrintPart> &parts);
  int64_t addMessage(bool isAssert, Report &report, SourceRange where);
  int64_t addMessage(Message message);

  // EmitTileExpressions.cpp
  mlir::Value emit(const Expr &expr);
  /// All results of a Call, Fold or Scan; the one value of anything else.
  Values emitResults(const Expr &expr);
  mlir::Value emitConstant(const Expr &expr);
  mlir::Value emitDimension(const Expr &expr);
  mlir::Value emitSpanBound(const Expr &expr);
  mlir::Value emitLoad(const Expr &expr);
  mlir::Value emitReduce(const Expr &expr);
  mlir::Value emitCumulativeSum(const Expr &expr);
  mlir::Value emitDot(const Expr &expr);
  Values emitCall(const Expr &expr);
  Values emitCombine(const Expr &expr);
  /// One or more results. The arguments may have fewer axes than the results' types.
  Values emitCallOf(const typed::Function &function, mlir::ValueRange arguments);
  Values emitInlined(const typed::Function &function, mlir::ValueRange arguments);
  Values emitExternal(const typed::Function &function, mlir::ValueRange arguments);
  const std::string &symbolOf(const typed::Function &external);
  mlir::Value emitIndex(const Expr &expr);
  Values emitAll(const std::vector<const Expr *> &expressions);
  mlir::Value axisValue(const typed::Axis &axis);
  Values spansOf(const Axes &axes);

  // EmitTileElementwise.cpp
  mlir::Value emitElementwise(const Expr &expr);
  mlir::Value emitFloat(const Expr &expr, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value emitFloatFunction(const Expr &expr, mlir::Value operand);
  mlir::Value emitSigmoid(mlir::Value operand, bool fast);
  mlir::Value emitInteger(const Expr &expr, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value emitShift(typed::Op op, mlir::Value operand, mlir::Value count);
  mlir::Value emitComparison(typed::Op op, DType dtype, mlir::Value lhs, mlir::Value rhs);
  mlir::Value emitCast(mlir::Value value, DType from, DType to);
  /// The value with all of the type's axes, in its order.
  mlir::Value broadcast(mlir::Value value, const typed::TileType &type);
  /// A constant of `type` (a tile or scalar) that is the number everywhere.
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value constant(mlir::Type type, double value);

  const typed::Kernel &kernel;
  const EmitOptions &options;
  mlir::MLIRContext &context;
  mlir::OpBuilder builder;
  mlir::Location where; ///< of the statement or expression that is being emitted
  EmittedKernel result;
  tile::KernelOp kernelOp;
  bool failed = false;
  /// In the region of a fold or scan, and in the grid's ranges: no operation with an effect may stand there.
  unsigned effectFreeDepth = 0;
  Axes enclosing; ///< the variables of the grid and of the loops around the point of emission, outermost first

  llvm::DenseMap<const typed::Symbol *, mlir::Value> values;
  llvm::DenseMap<const typed::Axis *, mlir::Value> axes;
  llvm::DenseMap<const typed::View *, mlir::Value> views;
  llvm::DenseMap<const typed::ScalarParameter *, mlir::Value> scalars;
  llvm::StringMap<mlir::Value> dimensions;
};

/// The variables that a block assigns and does not declare, in the order of their first assignments.
std::vector<const typed::Symbol *> assignedVariables(std::initializer_list<const typed::Block *> blocks);

} // namespace tilewright::frontend
