// `y[i, j] = x[i, j] - sum(x[i, j], over j)` with `j in N by BN` subtracts the sum of a tile. A newcomer means that of the row.
//
// The value of such a reduction is followed through expressions and `let` to a store with `=`. Over a loop's span a variable
// ends the search: it is declared outside of the loop and collects the tiles' parts, as in `m = max(m, max(s, over j))`; and a
// cumulative sum is right there beside what such a variable brings from the tiles before. A grid has nothing outside of its
// tiles, so over its spans variables are followed too. A function that reduces `over` an axis is looked into. `any` and `all` are for skipping work, and a length that is written, `by
// 32`, is part of what the author means.
#include "compiler/frontend/PartialReduction.h"

#include <map>
#include <set>

namespace tilewright::frontend {

using typed::Axis;
using typed::Expr;
using typed::ExprKind;
using typed::Statement;
using typed::StatementKind;

namespace {

/// A reduction and the span, with a chosen length, that it goes over.
struct Partial {
  const Expr *reduction = nullptr;
  const Axis *axis = nullptr;
};

bool isReduction(const Expr &expr, bool ofGrid) {
  switch (expr.kind) {
  case ExprKind::Reduce:
    return expr.reduction != typed::Reduction::Any && expr.reduction != typed::Reduction::All;
  case ExprKind::ArgReduce:
  case ExprKind::Fold:
  case ExprKind::Dot:
    return true;
  case ExprKind::CumulativeSum:
  case ExprKind::Scan:
    return ofGrid;
  default:
    return false;
  }
}

class Search {
public:
  explicit Search(Diagnostics &diagnostics) : diagnostics(diagnostics) {}

  void visit(const typed::Block &block) {
    for (const Statement *statement : block) {
      if (statement->kind == StatementKind::Store)
        visitStore(*statement);
      else
        visitSymbols(*statement);
      visit(statement->condition);
      visit(statement->body);
      visit(statement->elseBody);
    }
  }

private:
  void visitSymbols(const Statement &statement) {
    if (!statement.value || statement.symbols.empty())
      return;
    Partial partial = search(statement.value);
    bool isFollowed = statement.kind == StatementKind::Let || (partial.axis && partial.axis->origin == Axis::Origin::Grid);
    if (partial.reduction && isFollowed)
      for (const typed::Symbol *symbol : statement.symbols)
        found.emplace(symbol, partial);
  }

  void visitStore(const Statement &statement) {
    if (statement.store != typed::StoreKind::Set || statement.atomic || !statement.value)
      return;
    Partial partial = search(statement.value);
    if (!partial.reduction || !told.insert(partial.reduction).second)
      return;
    const std::string &axis = partial.axis->name, &tunable = partial.axis->tunable;
    diagnostics
        .warning(partial.reduction->where,
                 "this goes over one tile of `" + axis + "`, so what is stored depends on the block size `" + tunable + "`")
        .note(statement.where, "it is stored here")
        .note(partial.axis->where, "`" + axis + "` is declared here")
        .help("for the whole dimension sum up over a loop first, or take `span(…)`; for blocks of a certain length write it: "
              "`by 32`");
  }

  Partial search(const Expr *value) {
    seen.clear();
    return find(value);
  }

  Partial find(const Expr *expr) {
    if (!expr || !seen.insert(expr).second) // what was seen held none, else the search had ended
      return {};
    if (expr->kind == ExprKind::Symbol) {
      auto known = found.find(expr->symbol);
      return known == found.end() ? Partial{} : known->second;
    }
    for (const Axis *axis : expr->axes)
      if (!axis->tunable.empty() && isReduction(*expr, axis->origin == Axis::Origin::Grid))
        return {expr, axis};
    for (const Expr *operand : expr->operands)
      if (Partial partial = find(operand); partial.reduction)
        return partial;
    return expr->kind == ExprKind::Call ? findInside(*expr->callee) : Partial{};
  }

  /// The result of a function: its body is of one choice of axes, those of this call.
  Partial findInside(const typed::Function &function) {
    auto [known, isNew] = results.try_emplace(&function);
    if (!isNew)
      return known->second;
    std::set<const Expr *> outside = std::move(seen);
    visit(function.body);
    Partial partial;
    for (const Expr *result : function.results)
      if (!partial.reduction)
        partial = search(result);
    seen = std::move(outside);
    return results[&function] = partial;
  }

  Diagnostics &diagnostics;
  std::map<const typed::Symbol *, Partial> found;
  std::map<const typed::Function *, Partial> results;
  std::set<const Expr *> seen; ///< by the search that runs
  std::set<const Expr *> told;
};

} // namespace

void warnOfPartialReductions(const typed::Kernel &kernel, Diagnostics &diagnostics) {
  Search(diagnostics).visit(kernel.body);
}

} // namespace tilewright::frontend
