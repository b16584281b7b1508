// The dump of a typed kernel: one line for each statement, expressions fully parenthesized, every conversion visible.
#include "compiler/frontend/TypedTree.h"

#include "compiler/frontend/Numbers.h"

namespace tilewright::frontend::typed {

namespace {

std::string_view spelling(Op op) {
  switch (op) {
  case Op::Add:
    return "+";
  case Op::Subtract:
    return "-";
  case Op::Multiply:
    return "*";
  case Op::Divide:
    return "/";
  case Op::Remainder:
    return "%";
  case Op::Negate:
    return "neg";
  case Op::Absolute:
    return "abs";
  case Op::Max:
    return "max";
  case Op::Min:
    return "min";
  case Op::And:
    return "&";
  case Op::Or:
    return "|";
  case Op::Xor:
    return "^";
  case Op::Not:
    return "not";
  case Op::ShiftLeft:
    return "<<";
  case Op::ShiftRight:
    return ">>";
  case Op::Equal:
    return "==";
  case Op::NotEqual:
    return "!=";
  case Op::Less:
    return "<";
  case Op::LessEqual:
    return "<=";
  case Op::Greater:
    return ">";
  case Op::GreaterEqual:
    return ">=";
  case Op::Select:
    return "where";
  case Op::FusedMultiplyAdd:
    return "fma";
  case Op::Floor:
    return "floor";
  case Op::Ceil:
    return "ceil";
  case Op::Round:
    return "round";
  case Op::Power:
    return "pow";
  case Op::Exp:
    return "exp";
  case Op::Exp2:
    return "exp2";
  case Op::Log:
    return "log";
  case Op::Log2:
    return "log2";
  case Op::Log1p:
    return "log1p";
  case Op::SquareRoot:
    return "sqrt";
  case Op::ReciprocalSquareRoot:
    return "rsqrt";
  case Op::Sin:
    return "sin";
  case Op::Cos:
    return "cos";
  case Op::Tanh:
    return "tanh";
  case Op::Erf:
    return "erf";
  case Op::Sigmoid:
    return "sigmoid";
  }
  return "?";
}

std::string_view spelling(Reduction reduction) {
  switch (reduction) {
  case Reduction::Sum:
    return "sum";
  case Reduction::Max:
    return "max";
  case Reduction::Min:
    return "min";
  case Reduction::Any:
    return "any";
  case Reduction::All:
    return "all";
  }
  return "?";
}

std::string_view spelling(Precision precision) {
  switch (precision) {
  case Precision::Default:
    return "";
  case Precision::Fast:
    return ", precision = fast";
  case Precision::TF32:
    return ", precision = tf32";
  case Precision::TF32x3:
    return ", precision = tf32x3";
  }
  return "";
}

std::string_view spelling(StoreKind kind) {
  switch (kind) {
  case StoreKind::Set:
    return "=";
  case StoreKind::Add:
    return "+=";
  case StoreKind::Max:
    return "max=";
  case StoreKind::Min:
    return "min=";
  }
  return "?";
}

/// Types with the unique names of their axes.
std::string typeText(const TileType &type) {
  std::string text(name(type.dtype));
  for (size_t i = 0; i < type.axes.size(); ++i)
    text += (i == 0 ? "[" : ", ") + type.axes[i]->uniqueName;
  return type.axes.empty() ? text : text + "]";
}

class Printer {
public:
  std::string print(const Kernel &kernel) {
    header(kernel);
    for (const Function &function : kernel.functions)
      if (!function.results.empty() || function.external || function.opaque)
        this->function(function);
    for (const GridLevel &level : kernel.grid) {
      statements(level.prelude);
      line("grid " + axisText(*level.axis));
    }
    statements(kernel.body);
    indent = 0;
    return std::move(text);
  }

private:
  void line(const std::string &content) { text += std::string(indent * 2, ' ') + content + "\n"; }

  void header(const Kernel &kernel) {
    std::string statics;
    for (const auto &[name, value] : kernel.statics)
      statics += (statics.empty() ? "<" : ", ") + name + " = " + value;
    line("kernel " + kernel.name + (statics.empty() ? "" : statics + ">") + (kernel.checkedMode ? " checked" : ""));
    indent = 1;
    for (const auto &view : kernel.views)
      line("view " + view->name + ": " + viewType(*view));
    for (const auto &scalar : kernel.scalars)
      line("scalar " + scalar->name + ": " + std::string(name(scalar->dtype)) +
           (scalar->realDefault ? " = " + toText(static_cast<float>(*scalar->realDefault)) : "") +
           (scalar->integerDefault ? " = " + std::to_string(*scalar->integerDefault) : ""));
    for (const std::string &dimension : kernel.dimensions)
      line("dimension " + dimension);
    for (const auto &tunable : kernel.tunables)
      line("tunable " + tunable->name + tunableText(*tunable));
    for (const Axis &axis : kernel.axes)
      if (axis.origin == Axis::Origin::WholeSpan)
        line("span " + axisText(axis));
    for (const Requirement &requirement : kernel.requirements)
      line("require " + expression(*requirement.condition) +
           (requirement.text.empty() ? "" : ", \"" + requirement.text + "\""));
  }

  static std::string tunableText(const Tunable &tunable) {
    std::string content;
    for (int64_t value : tunable.allowed)
      content += (content.empty() ? " in [" : ", ") + std::to_string(value);
    if (!content.empty())
      content += "]";
    return tunable.value ? content + " = " + std::to_string(*tunable.value) : content;
  }

  std::string viewType(const View &view) {
    std::string content = view.access == ast::Parameter::Access::In    ? "in "
                          : view.access == ast::Parameter::Access::Out ? "out "
                                                                       : "inout ";
    content += std::string(name(view.dtype)) + "[";
    for (size_t i = 0; i < view.dimensions.size(); ++i) {
      const ViewDimension &dimension = view.dimensions[i];
      content += i == 0 ? "" : ", ";
      content += dimension.name + (dimension.kind == ast::Dimension::Kind::Pack ? "..." : "");
      if (dimension.value)
        content += (dimension.kind == ast::Dimension::Kind::Definition ? " = " : "") + expression(*dimension.value);
    }
    content += "]";
    if (view.optional)
      content += view.presence == View::Presence::Present  ? "? present"
                 : view.presence == View::Presence::Absent ? "? absent"
                                                           : "?";
    return content;
  }

  std::string axisText(const Axis &axis) {
    std::string content = axis.uniqueName + " in ";
    content += axis.parent ? axis.parent->uniqueName : expression(*axis.low) + ".." + expression(*axis.high);
    if (!axis.tunable.empty())
      content += " by " + axis.tunable + (axis.capacity ? " = " + std::to_string(*axis.capacity) : "");
    else if (axis.isSpan)
      content += " by " + (axis.capacity ? std::to_string(*axis.capacity) : std::string("?"));
    return axis.partitionOf ? content + " partition of " + axis.partitionOf->uniqueName : content;
  }

  void function(const Function &function) {
    std::string parameters;
    for (const Symbol *parameter : function.parameters)
      parameters += (parameters.empty() ? "" : ", ") + parameter->name + ": " + typeText(parameter->type);
    line("fn " + function.name + "(" + parameters + ")" +
         (function.external ? " external \"" + function.external->path + "\""
          : function.opaque ? " opaque"
                            : ""));
    ++indent;
    statements(function.body);
    std::string results;
    for (const Expr *result : function.results)
      results += (results.empty() ? "" : ", ") + expression(*result);
    if (!results.empty())
      line("return " + results);
    --indent;
  }

  void statements(const Block &block) {
    for (const Statement *each : block)
      statement(*each);
  }

  void nested(const Block &block) {
    ++indent;
    statements(block);
    --indent;
  }

  void statement(const Statement &statement) {
    switch (statement.kind) {
    case StatementKind::Let:
      return line("let " + symbols(statement, true) + " = " + expression(*statement.value));
    case StatementKind::Var:
      return line("var " + symbols(statement, true) + " = " + expression(*statement.value));
    case StatementKind::Assign:
      return line(symbols(statement, false) + " = " + expression(*statement.value));
    case StatementKind::Store:
      return line(store(statement));
    case StatementKind::For:
      line("for " + axisText(*statement.axis));
      return nested(statement.body);
    case StatementKind::While:
      nested(statement.condition);
      line("while " + expression(*statement.value));
      return nested(statement.body);
    case StatementKind::If:
      line("if " + expression(*statement.value));
      nested(statement.body);
      if (!statement.elseBody.empty()) {
        line("else");
        nested(statement.elseBody);
      }
      return;
    case StatementKind::Print:
      return line("print(" + parts(statement) + ")");
    case StatementKind::Assert:
      return line("assert(" + expression(*statement.value) + (statement.parts.empty() ? "" : ", " + parts(statement)) + ")");
    }
  }

  static std::string symbols(const Statement &statement, bool withTypes) {
    std::string content;
    for (const Symbol *symbol : statement.symbols)
      content += (content.empty() ? "" : ", ") + symbol->name + (withTypes ? ": " + typeText(symbol->type) : "");
    return statement.symbols.size() > 1 ? "(" + content + ")" : content;
  }

  std::string store(const Statement &statement) {
    std::string content = statement.atomic ? "atomic " : "";
    if (statement.fetched)
      content = "let " + statement.fetched->name + ": " + typeText(statement.fetched->type) + " = " + content;
    return content + statement.view->name + "[" + list(statement.indices) + (statement.dropOutside ? ", else drop" : "") +
           "] " + std::string(spelling(statement.store)) + " " + expression(*statement.value);
  }

  std::string parts(const Statement &statement) {
    std::string content;
    for (const PrintPart &part : statement.parts)
      content += (content.empty() ? "" : ", ") + (part.value ? expression(*part.value) : "\"" + part.text + "\"");
    return content;
  }

  std::string list(const std::vector<const Expr *> &operands) {
    std::string content;
    for (const Expr *operand : operands)
      content += (content.empty() ? "" : ", ") + expression(*operand);
    return content;
  }

  static std::string over(const Expr &expr) {
    std::string content = ", over ";
    for (size_t i = 0; i < expr.axes.size(); ++i)
      content += (i ? ", " : "") + expr.axes[i]->uniqueName;
    return content;
  }

  static std::string constant(const Expr &expr) {
    if (isFloat(expr.type.dtype))
      return expr.type.dtype == DType::F64 ? toText(expr.real) : toText(static_cast<float>(expr.real));
    if (expr.type.dtype == DType::Bool)
      return expr.integer ? "true" : "false";
    return std::to_string(expr.integer);
  }

  std::string elementwise(const Expr &expr) {
    std::string_view op = spelling(expr.op);
    bool isWord = op[0] >= 'a' && op[0] <= 'z';
    if (isWord)
      return std::string(op) + "(" + list(expr.operands) + std::string(spelling(expr.precision)) + ")";
    return "(" + expression(*expr.operands[0]) + " " + std::string(op) + " " + expression(*expr.operands[1]) + ")";
  }

  std::string expression(const Expr &expr) {
    switch (expr.kind) {
    case ExprKind::Constant:
      return constant(expr);
    case ExprKind::Dimension:
      return expr.name;
    case ExprKind::Scalar:
      return expr.scalar->name;
    case ExprKind::Presence:
      return "present(" + expr.view->name + ")";
    case ExprKind::Symbol:
      return expr.symbol->name;
    case ExprKind::AxisIndex:
      return expr.axis->uniqueName;
    case ExprKind::AxisStart:
      return expr.axis->uniqueName + ".start";
    case ExprKind::AxisEnd:
      return expr.axis->uniqueName + ".end";
    case ExprKind::Elementwise:
      return elementwise(expr);
    case ExprKind::Cast:
      return std::string(name(expr.type.dtype)) + "(" + expression(*expr.operands[0]) + ")";
    case ExprKind::Load:
      return expr.view->name + "[" + list(expr.operands) + (expr.otherwise ? ", else " + expression(*expr.otherwise) : "") +
             "]";
    case ExprKind::Reduce:
      return std::string(spelling(expr.reduction)) + "(" + list(expr.operands) + over(expr) + ")";
    case ExprKind::ArgReduce:
      return "arg" + std::string(spelling(expr.reduction)) + "(" + list(expr.operands) + over(expr) + ")";
    case ExprKind::CumulativeSum:
      return "cumsum(" + list(expr.operands) + over(expr) + ")";
    case ExprKind::Dot:
      return "dot(" + list(expr.operands) + over(expr) + std::string(spelling(expr.precision)) + ")";
    case ExprKind::Fold:
      return "reduce(" + expr.callee->name + ", " + list(expr.operands) + over(expr) + ")";
    case ExprKind::Scan:
      return "scan(" + expr.callee->name + ", " + list(expr.operands) + over(expr) + ")";
    case ExprKind::Call:
      return expr.callee->name + "(" + list(expr.operands) + ")";
    case ExprKind::RandomBits:
      return "random_bits(" + list(expr.operands) + ")";
    }
    return "?";
  }

  std::string text;
  unsigned indent = 0;
};

} // namespace

std::string print(const Kernel &kernel) {
  return Printer().print(kernel);
}

} // namespace tilewright::frontend::typed
