#include "compiler/analysis/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

// --------------------------------------------------------------------------------------------------------------------
// Linear forms
// --------------------------------------------------------------------------------------------------------------------

namespace {

LinearForm negated(LinearForm form) {
  for (Monomial &term : form)
    term.factor = -term.factor;
  return form;
}

bool isConstant(const LinearForm &form) {
  return llvm::none_of(form, [](const Monomial &term) { return term.axis != nullptr; });
}

std::optional<LinearForm> product(const LinearForm &lhs, const LinearForm &rhs) {
  if (!isConstant(lhs) && !isConstant(rhs))
    return std::nullopt;
  LinearForm result;
  for (const Monomial &a : lhs)
    for (const Monomial &b : rhs) {
      Monomial term{a.factor * b.factor, a.scalars, a.axis ? a.axis : b.axis};
      term.scalars.append(b.scalars);
      result.push_back(term);
    }
  return result;
}

LinearForm constantForm(int64_t value) {
  return {Monomial{value, {}, {}}};
}

std::optional<LinearForm> sum(std::optional<LinearForm> lhs, std::optional<LinearForm> rhs) {
  if (!lhs || !rhs)
    return std::nullopt;
  lhs->append(*rhs);
  return lhs;
}

} // namespace

std::optional<LinearForm> linearForm(Value index) {
  APInt value;
  if (matchPattern(index, m_ConstantInt(&value)))
    return constantForm(value.getSExtValue());
  if (!tile::isTile(index.getType()))
    return LinearForm{Monomial{1, {index}, {}}};
  Operation *definition = index.getDefiningOp();
  if (!definition || definition->hasAttr(materializeName))
    return std::nullopt;
  using Form = std::optional<LinearForm>;
  return llvm::TypeSwitch<Operation *, Form>(definition)
      .Case([](tile::IndexOp op) -> Form { return LinearForm{Monomial{1, {}, op.getSpan().getType().getAxis()}}; })
      .Case([](tile::BroadcastOp op) -> Form { return linearForm(op.getOperand()); })
      .Case([](arith::AddIOp op) -> Form { return sum(linearForm(op.getLhs()), linearForm(op.getRhs())); })
      .Case([](arith::SubIOp op) -> Form {
        Form rhs = linearForm(op.getRhs());
        return rhs ? sum(linearForm(op.getLhs()), negated(*rhs)) : std::nullopt;
      })
      .Case([](arith::MulIOp op) -> Form {
        Form lhs = linearForm(op.getLhs()), rhs = linearForm(op.getRhs());
        return lhs && rhs ? product(*lhs, *rhs) : std::nullopt;
      })
      .Default([](Operation *) -> Form { return std::nullopt; });
}

// --------------------------------------------------------------------------------------------------------------------
// Plain accesses
// --------------------------------------------------------------------------------------------------------------------

int64_t splitDimension(tile::ViewType view) {
  return view.getPackRank() > 1 ? view.getPackDimension() : -1;
}

int64_t packRun(Value view) {
  auto argument = cast<BlockArgument>(view);
  auto runs = argument.getOwner()->getParentOp()->getAttrOfType<DenseI64ArrayAttr>(packRunsName);
  return runs ? runs[argument.getArgNumber()] : 1;
}

int64_t unitDimension(tile::ViewType view) {
  return view.getUnitStride() == splitDimension(view) ? -1 : view.getUnitStride();
}

bool isPlain(ValueRange indices, ArrayRef<bool> compare, int64_t splitDimension) {
  if (llvm::is_contained(compare, true))
    return false;
  for (auto [dimension, index] : llvm::enumerate(indices)) {
    std::optional<LinearForm> form = linearForm(index);
    bool isSplit = static_cast<int64_t>(dimension) == splitDimension; // taken apart by division
    if (!form || (isSplit && !isConstant(*form)))
      return false;
  }
  return true;
}

bool isPlain(tile::LoadOp load) {
  return !load.getOtherwise() && isPlain(load.getIndices(), load.getCompare(), splitDimension(load.getView().getType()));
}

namespace {

/// The axis that a form steps along by one index, or null.
StringAttr singleUnitAxis(const LinearForm &form) {
  StringAttr axis;
  for (const Monomial &term : form) {
    if (!term.axis)
      continue;
    if (axis || term.factor != 1 || !term.scalars.empty())
      return {};
    axis = term.axis;
  }
  return axis;
}

bool mentions(Value index, StringAttr axis) {
  return tile::positionOfAxis(index.getType(), axis) >= 0;
}

} // namespace

bool namesElementsOnce(ValueRange indices, ValueRange spans) {
  return llvm::all_of(spans, [&](Value span) {
    return llvm::any_of(indices, [&](Value index) {
      std::optional<LinearForm> form = linearForm(index);
      return form && singleUnitAxis(*form) == cast<tile::SpanType>(span.getType()).getAxis();
    });
  });
}

StringAttr unitStrideAxis(int64_t unitDimension, ValueRange indices) {
  if (unitDimension < 0)
    return {};
  std::optional<LinearForm> form = linearForm(indices[unitDimension]);
  StringAttr axis = form ? singleUnitAxis(*form) : StringAttr();
  if (!axis)
    return {};
  for (auto [dimension, index] : llvm::enumerate(indices))
    if (static_cast<int64_t>(dimension) != unitDimension && mentions(index, axis))
      return {};
  return axis;
}

} // namespace tilewright
