// What a running kernel says: prints, and the failed checks of checked mode.
//
// A message is a row of texts and values, joined as they are. It ends with the position: along the axes of what is reported the
// element's index, of all other variables of the grid and of loops around it the indices of this tile.
//
//   over (i in M by BM, j in N by BN) { for k in K by BK { assert(x[i, k] >= 0, "x =", x[i, k]); … } }
//   ⇒  x = -1.5 (i = 3, j = 32..64, k = 70)
#include "compiler/frontend/EmitTileEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::frontend {

using namespace typed;

/// A message while it is written, and its values: scalars, or tiles along `axes`.
struct TileEmitter::Report {
  std::vector<MessagePart> parts;
  Values values;
  SmallVector<bool> isUnsigned;
  Axes axes;

  /// Texts that stand side by side are one.
  void add(const std::string &text) {
    if (parts.empty() || parts.back().dtype)
      parts.push_back({text, {}});
    else
      parts.back().text += text;
  }

  void add(Value value, DType dtype) {
    parts.push_back({"", dtype});
    values.push_back(value);
    isUnsigned.push_back(dtype == DType::U8);
  }

  void goAlong(const Axes &added) {
    for (const Axis *axis : added)
      if (!llvm::is_contained(axes, axis))
        axes.push_back(axis);
  }
};

namespace {

/// Whether a space belongs between two parts, of which an empty text stands for a value: `"x =", x` has one, `"x = ", x` has
/// its own, and `"x[", n, "]"` needs none.
bool areSpaced(StringRef before, StringRef after) {
  bool isAfterOpening = !before.empty() && StringRef(" \t\n([{").contains(before.back());
  bool isBeforeClosing = !after.empty() && StringRef(" \t\n)]},.;:").contains(after.front());
  return !isAfterOpening && !isBeforeClosing;
}

} // namespace

int64_t TileEmitter::addMessage(Message message) {
  result.messages.push_back(std::move(message));
  return static_cast<int64_t>(result.messages.size()) - 1;
}

void TileEmitter::addParts(Report &report, const std::vector<PrintPart> &parts) {
  const PrintPart *before = nullptr;
  for (const PrintPart &part : parts) {
    if (!part.value && part.text.empty())
      continue;
    if (before && areSpaced(before->text, part.text))
      report.add(" ");
    if (part.value) {
      report.add(emit(*part.value), part.value->type.dtype);
      report.goAlong(part.value->type.axes);
    } else {
      report.add(part.text);
    }
    before = &part;
  }
}

/// Ends the report with its position.
int64_t TileEmitter::addMessage(bool isAssert, Report &report, SourceRange range) {
  size_t valuesBefore = report.values.size();
  Axes all = enclosing;
  for (const Axis *axis : report.axes)
    if (!llvm::is_contained(all, axis))
      all.push_back(axis);
  std::string separator = report.parts.empty() ? "(" : " (";
  for (const Axis *axis : all) {
    report.add(separator + axis->name + " = ");
    Value variable = axisValue(*axis);
    if (!axis->isSpan) {
      report.add(variable, DType::I64);
    } else if (llvm::is_contained(report.axes, axis)) {
      report.add(tile::IndexOp::create(builder, where, typeOf({DType::I64, {axis}}), variable), DType::I64);
    } else {
      report.add(tile::SpanStartOp::create(builder, where, variable), DType::I64);
      report.add("..");
      report.add(tile::SpanEndOp::create(builder, where, variable), DType::I64);
    }
    separator = ", ";
  }
  if (!all.empty())
    report.add(")");
  return addMessage({isAssert, std::move(report.parts), range, report.values.size() - valuesBefore});
}

void TileEmitter::emitPrint(const Statement &statement) {
  Report report;
  addParts(report, statement.parts);
  where = location(statement.where);
  int64_t message = addMessage(false, report, statement.where);
  tile::PrintOp::create(builder, where, message, report.values, spansOf(report.axes), report.isUnsigned);
}

void TileEmitter::emitAssert(const Statement &statement) {
  if (!kernel.checkedMode)
    return;
  Value condition = emit(*statement.value);
  Report report;
  report.goAlong(statement.value->type.axes);
  addParts(report, statement.parts);
  where = location(statement.where);
  int64_t message = addMessage(true, report, statement.where);
  tile::AssertOp::create(builder, where, message, condition, report.values, spansOf(report.axes));
}

/// Checked mode: an existing element that divides by 0 is reported. (The quotient is 0 all the same.)
void TileEmitter::checkDivisor(const Expr &divisor, Value value) {
  bool isSafe = divisor.kind == ExprKind::Constant && divisor.integer != 0;
  if (!kernel.checkedMode || isSafe || effectFreeDepth > 0)
    return;
  Value zero = constant(value.getType(), int64_t{0});
  Value isNonzero = arith::CmpIOp::create(builder, where, arith::CmpIPredicate::ne, value, zero);
  Report report;
  report.goAlong(divisor.type.axes);
  report.add("division by zero");
  int64_t message = addMessage(true, report, divisor.where);
  tile::AssertOp::create(builder, where, message, isNonzero, report.values, spansOf(report.axes));
}

/// `y[3, 0]` is written 2 times …: the values are those of tile.store's message.
IntegerAttr TileEmitter::promiseMessage(const Statement &store) {
  if (!kernel.checkedMode || !store.promisedUnique)
    return {};
  std::vector<MessagePart> parts;
  for (size_t dimension = 0; dimension < store.indices.size(); ++dimension) {
    parts.push_back({dimension == 0 ? "`" + store.view->name + "[" : ", ", {}});
    parts.push_back({"", DType::I64});
  }
  parts.push_back({"]` is written ", {}});
  parts.push_back({"", DType::I32});
  parts.push_back({" times: places that come from memory must all be different", {}});
  return builder.getI64IntegerAttr(addMessage({true, std::move(parts), store.where}));
}

} // namespace tilewright::frontend
