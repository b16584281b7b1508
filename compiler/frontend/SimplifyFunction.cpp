#include "compiler/frontend/SimplifyFunction.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilewright::frontend {

using namespace typed;

namespace {

template <typename Visit> void forEachUse(const Expr &expr, const Visit &visit) {
  if (expr.kind == ExprKind::Symbol)
    visit(expr.symbol);
  for (const Expr *operand : expr.operands)
    forEachUse(*operand, visit);
}

template <typename Visit> void forEachStatement(const Block &block, const Visit &visit) {
  for (const Statement *statement : block) {
    visit(*statement);
    forEachStatement(statement->body, visit);
  }
}

class Simplification {
public:
  Simplification(Function &function, TreeBuilder &tree) : function(function), tree(tree) {}

  void run() {
    findNeeded();
    function.body = withoutUnused(function.body);
    forEachStatement(function.body, [this](const Statement &statement) {
      if (statement.value)
        forEachUse(*statement.value, [this](const Symbol *symbol) { ++uses[symbol]; });
      if (statement.kind == StatementKind::Assign)
        assigned.insert(statement.symbols[0]);
    });
    for (const Expr *result : function.results)
      forEachUse(*result, [this](const Symbol *symbol) { ++uses[symbol]; });
    function.body = withoutNames(function.body, &function.results);
  }

private:
  bool isNeeded(const Statement &statement) const {
    if (statement.kind == StatementKind::For)
      return std::any_of(statement.body.begin(), statement.body.end(),
                         [this](const Statement *inner) { return isNeeded(*inner); });
    return std::any_of(statement.symbols.begin(), statement.symbols.end(),
                       [this](const Symbol *symbol) { return needed.contains(symbol); });
  }

  void findNeeded() {
    auto need = [this](const Symbol *symbol) { needed.insert(symbol); };
    for (const Expr *result : function.results)
      forEachUse(*result, need);
    for (size_t before = ~size_t{0}; before != needed.size();) {
      before = needed.size();
      forEachStatement(function.body, [&](const Statement &statement) {
        if (statement.value && isNeeded(statement))
          forEachUse(*statement.value, need);
      });
    }
  }

  Block withoutUnused(const Block &block) {
    Block kept;
    for (const Statement *statement : block) {
      if (!isNeeded(*statement))
        continue;
      kept.push_back(statement->kind == StatementKind::For ? withBody(*statement, withoutUnused(statement->body)) : statement);
    }
    return kept;
  }

  const Statement *withBody(const Statement &loop, Block body) {
    Statement &copy = tree.makeStatement(loop.kind, loop.where);
    copy.axis = loop.axis;
    copy.body = std::move(body);
    return &copy;
  }

  bool readsAssigned(const Expr &expr) const {
    bool reads = false;
    forEachUse(expr, [&](const Symbol *symbol) { reads |= assigned.contains(symbol); });
    return reads;
  }

  bool isReplaceable(const Statement &statement, const Expr &value, unsigned usesHere) {
    const Symbol *symbol = statement.symbols[0];
    bool isUsedOnceHere = uses[symbol] == 1 && usesHere == 1;
    return statement.symbols.size() == 1 && !assigned.contains(symbol) && statement.kind != StatementKind::Assign &&
           (isUsedOnceHere || isConstant(value)) && !readsAssigned(value);
  }

  /// How often the block itself, not a loop in it, uses each name.
  std::map<const Symbol *, unsigned> usesIn(const Block &block, const std::vector<const Expr *> *results) {
    std::map<const Symbol *, unsigned> here;
    auto count = [&](const Symbol *symbol) { ++here[symbol]; };
    for (const Statement *statement : block)
      if (statement->value)
        forEachUse(*statement->value, count);
    for (size_t i = 0; results && i < results->size(); ++i)
      forEachUse(*(*results)[i], count);
    return here;
  }

  Block withoutNames(const Block &block, std::vector<const Expr *> *results) {
    std::map<const Symbol *, unsigned> here = usesIn(block, results);
    Block kept;
    for (const Statement *statement : block) {
      if (statement->kind == StatementKind::For) {
        kept.push_back(withBody(*statement, withoutNames(statement->body, nullptr)));
        continue;
      }
      const Expr *value = substituted(*statement->value);
      if (isReplaceable(*statement, *value, here[statement->symbols[0]])) {
        replacements[statement->symbols[0]] = value;
        continue;
      }
      Statement &copy = tree.makeStatement(statement->kind, statement->where);
      copy.symbols = statement->symbols;
      copy.assignment = statement->assignment;
      copy.value = value;
      kept.push_back(&copy);
    }
    for (size_t i = 0; results && i < results->size(); ++i)
      (*results)[i] = substituted(*(*results)[i]);
    return kept;
  }

  const Expr *substituted(const Expr &expr) {
    if (expr.kind == ExprKind::Symbol) {
      auto replacement = replacements.find(expr.symbol);
      if (replacement == replacements.end())
        return &expr;
      const Expr &value = *replacement->second;
      return isConstant(value) ? &(tree.make(value.kind, value.type, value.where) = value) : &value; // trees share no nodes
    }
    std::vector<const Expr *> operands;
    for (const Expr *operand : expr.operands)
      operands.push_back(substituted(*operand));
    if (operands == expr.operands)
      return &expr;
    if (expr.kind == ExprKind::Elementwise) // perhaps of constants now
      return tree.elementwise(expr.op, std::move(operands), expr.where, expr.precision);
    Expr &copy = tree.make(expr.kind, expr.type, expr.where);
    copy = expr;
    copy.operands = std::move(operands);
    return &copy;
  }

  Function &function;
  TreeBuilder &tree;
  std::set<const Symbol *> needed;
  std::set<const Symbol *> assigned;
  std::map<const Symbol *, unsigned> uses;
  std::map<const Symbol *, const Expr *> replacements;
};

} // namespace

void simplifyFunction(Function &function, TreeBuilder &tree) {
  Simplification(function, tree).run();
}

} // namespace tilewright::frontend
