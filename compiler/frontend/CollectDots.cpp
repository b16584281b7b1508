#include "compiler/frontend/CollectDots.h"

#include <algorithm>
#include <set>

namespace tilewright::frontend {

using typed::Expr;
using typed::ExprKind;
using typed::Statement;
using typed::StatementKind;

namespace {

class DotCollector {
public:
  std::vector<DotSite> collect(const typed::Kernel &kernel) {
    for (const typed::GridLevel &level : kernel.grid) {
      walk(level.prelude);
      inside.push_back(level.axis);
    }
    walk(kernel.body);
    return std::move(sites);
  }

private:
  void walk(const typed::Block &block) {
    for (const Statement *statement : block)
      walk(*statement);
  }

  void walk(const Statement &statement) {
    DotSite::Runs before = runs;
    if (statement.kind == StatementKind::While)
      runs = DotSite::Runs::Unknown;
    walk(statement.condition);
    visit(statement.value);
    for (const Expr *index : statement.indices)
      visit(index);
    for (const typed::PrintPart &part : statement.parts)
      visit(part.value);
    if (statement.kind == StatementKind::If)
      runs = std::max(runs, DotSite::Runs::Perhaps);
    bool isFor = statement.kind == StatementKind::For;
    if (isFor)
      inside.push_back(statement.axis);
    walk(statement.body);
    if (isFor)
      inside.pop_back();
    walk(statement.elseBody);
    runs = before;
  }

  void visit(const Expr *expr) {
    if (!expr)
      return;
    for (const Expr *operand : expr->operands)
      visit(operand);
    visit(expr->otherwise);
    if (expr->kind == ExprKind::Dot)
      addSite(*expr);
    if (expr->kind == ExprKind::Call && !withoutDots.contains(expr->callee)) {
      size_t before = sites.size();
      walk(expr->callee->body);
      for (const Expr *result : expr->callee->results)
        visit(result);
      if (sites.size() == before)
        withoutDots.insert(expr->callee);
    }
  }

  void addSite(const Expr &dot) {
    DotSite site{&dot, dot.type.axes, inside, runs};
    site.tile.insert(site.tile.end(), dot.axes.begin(), dot.axes.end());
    sites.push_back(std::move(site));
  }

  std::vector<DotSite> sites;
  std::vector<const typed::Axis *> inside;
  DotSite::Runs runs = DotSite::Runs::Always;
  std::set<const typed::Function *> withoutDots; ///< almost all; calls may nest deeply
};

} // namespace

std::vector<DotSite> collectDots(const typed::Kernel &kernel) {
  return DotCollector().collect(kernel);
}

} // namespace tilewright::frontend
