#include "compiler/frontend/PrintAST.h"

#include "compiler/frontend/Lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace tilewright::frontend {

namespace {

using namespace ast;

// --------------------------------------------------------------------------------------------------------------------
// Words
// --------------------------------------------------------------------------------------------------------------------

std::string_view nameOf(DType dtype) {
  switch (dtype) {
#define DTYPE(kind, text)                                                                                                      \
  case DType::kind:                                                                                                            \
    return text;
#include "compiler/frontend/Token.def"
  }
  return "?";
}

std::string_view nameOf(BinaryOperator op) {
  static constexpr std::string_view names[] = {"or", "and", "==", "!=", "<", "<=", ">", ">=", "|",
                                               "^",  "&",   "<<", ">>", "+", "-",  "*", "/",  "%"};
  return names[static_cast<size_t>(op)];
}

std::string_view nameOf(AssignOperator op) {
  static constexpr std::string_view names[] = {"=", "+=", "-=", "*=", "/=", "max=", "min="};
  return names[static_cast<size_t>(op)];
}

std::string_view nameOf(TypeClass::Kind kind) {
  static constexpr std::string_view names[] = {"float", "real", "integer", "number", "dtype"};
  return names[static_cast<size_t>(kind)];
}

/// The shortest decimal that reads back as the same value.
std::string textOf(double value) {
  if (std::isinf(value) || std::isnan(value))
    return std::isinf(value) ? "inf" : "nan";
  std::array<char, 32> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string quoted(const StringLiteral &literal) {
  std::string text = "\"";
  for (char c : literal.value) {
    if (c == '\n' || c == '\t')
      text += c == '\n' ? "\\n" : "\\t";
    else
      text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return text + "\"";
}

std::string textOf(const DTypeReference &dtype) {
  if (dtype.accumOf)
    return "accum(" + textOf(*dtype.accumOf) + ")";
  return dtype.builtin ? std::string(nameOf(*dtype.builtin)) : dtype.name;
}

template <typename Element, typename Text>
std::string joined(const std::vector<Element> &elements, std::string_view separator, Text text) {
  std::string result;
  for (const Element &element : elements)
    result += (result.empty() ? "" : std::string(separator)) + text(element);
  return result;
}

std::string names(const std::vector<Name> &list) {
  return joined(list, ", ", [](const Name &name) { return name.text; });
}

std::string dtypes(const std::vector<DTypeReference> &list) {
  return joined(list, ", ", [](const DTypeReference &dtype) { return textOf(dtype); });
}

std::string textOf(const TileTypeReference &type) {
  return textOf(type.dtype) + (type.axes.empty() ? "" : "[" + names(type.axes) + "]");
}

std::string results(const std::vector<DTypeReference> &list) {
  return list.size() == 1 ? dtypes(list) : "(" + dtypes(list) + ")";
}

/// What follows the name of a static and a colon.
std::string textOf(const StaticParameter &parameter) {
  switch (parameter.kind) {
  case StaticParameter::Kind::Type:
    return joined(parameter.classes, " | ", [](const TypeClass &alternative) {
      return alternative.kind == TypeClass::Kind::DType ? textOf(alternative.dtype) : std::string(nameOf(alternative.kind));
    });
  case StaticParameter::Kind::Function:
    return "fn(" + dtypes(parameter.functionParameters) + ") -> " + textOf(*parameter.functionResult);
  case StaticParameter::Kind::Constant:
    return textOf(*parameter.constantType);
  }
  return {};
}

// --------------------------------------------------------------------------------------------------------------------
// The printer
// --------------------------------------------------------------------------------------------------------------------

class Printer {
public:
  std::string print(const File &file);

private:
  /// A line; what is printed while the result lives stands further in.
  class Indented {
  public:
    explicit Indented(Printer &printer) : printer(printer) { printer.indentation += 2; }
    ~Indented() { printer.indentation -= 2; }
    Indented(const Indented &) = delete;

  private:
    Printer &printer;
  };
  [[nodiscard]] Indented node(const std::string &line) {
    leaf(line);
    return Indented(*this);
  }
  void leaf(const std::string &line) { text += std::string(indentation, ' ') + line + "\n"; }

  void printDocumentation(const std::string &documentation);
  void print(const Declaration &declaration);
  void printFunction(const FunctionDeclaration &function);
  void printKernel(const KernelDeclaration &kernel);
  void print(const StaticParameter &parameter);
  void print(const FunctionParameter &parameter);
  void print(const Parameter &parameter);
  void print(const Dimension &dimension);
  void print(const AxisDeclaration &axis);

  void print(const Statement &statement);
  void print(const Block &block, const std::string &role);
  void printIf(const IfStatement &statement);
  void printAssign(const AssignStatement &statement, const std::string &role);
  void printArguments(const std::vector<PrintArgument> &arguments);

  void print(const Expression &expression, const std::string &role = {});
  void printCall(const CallExpression &call, const std::string &role);
  void print(const Places &places);

  std::string text;
  size_t indentation = 0;
};

std::string Printer::print(const File &file) {
  for (const DeclarationPtr &declaration : file.declarations) {
    printDocumentation(declaration->documentation);
    print(*declaration);
  }
  return std::move(text);
}

// ---- Declarations --------------------------------------------------------------------------------------------------

void Printer::printDocumentation(const std::string &documentation) {
  for (size_t begin = 0; begin < documentation.size();) {
    size_t end = std::min(documentation.find('\n', begin), documentation.size());
    leaf("/// " + documentation.substr(begin, end - begin));
    begin = end + 1;
  }
}

void Printer::print(const Declaration &declaration) {
  switch (declaration.kind) {
  case Declaration::Kind::Import: {
    const auto &import = as<ImportDeclaration>(declaration);
    return leaf("import " + quoted(import.path) + (import.alias ? " as " + import.alias->text : ""));
  }
  case Declaration::Kind::Constant: {
    const auto &constant = as<ConstantDeclaration>(declaration);
    auto indented = node("constant " + constant.name.text);
    return print(*constant.value);
  }
  case Declaration::Kind::Function:
    return printFunction(as<FunctionDeclaration>(declaration));
  case Declaration::Kind::Derivative: {
    const auto &derivative = as<DerivativeDeclaration>(declaration);
    auto indented = node("derivative " + derivative.name.text + "(" + names(derivative.parameters) + ")");
    return print(*derivative.value);
  }
  case Declaration::Kind::Extern: {
    const auto &function = as<ExternDeclaration>(declaration);
    auto indented = node("extern " + quoted(function.language) + " function " + function.name.text + " -> " +
                         results(function.results) + " from " + quoted(function.path));
    for (const FunctionParameter &parameter : function.parameters)
      print(parameter);
    return;
  }
  case Declaration::Kind::Kernel:
    return printKernel(as<KernelDeclaration>(declaration));
  }
}

void Printer::printFunction(const FunctionDeclaration &function) {
  auto indented = node("function " + function.name.text + " -> " + results(function.results));
  for (const StaticParameter &parameter : function.statics)
    print(parameter);
  for (const FunctionParameter &parameter : function.parameters)
    print(parameter);
  if (function.expression)
    print(*function.expression, "value");
  else
    print(*function.body, "body");
}

void Printer::printKernel(const KernelDeclaration &kernel) {
  auto indented = node("kernel " + kernel.name.text);
  for (const StaticParameter &parameter : kernel.statics)
    print(parameter);
  for (const Parameter &parameter : kernel.parameters)
    print(parameter);
  {
    auto grid = node("over");
    for (const AxisDeclaration &axis : kernel.grid)
      print(axis);
  }
  print(kernel.body, "body");
}

void Printer::print(const StaticParameter &parameter) {
  auto indented = node("static " + parameter.name.text + ": " + textOf(parameter));
  if (parameter.defaultValue)
    print(*parameter.defaultValue, "default");
}

void Printer::print(const FunctionParameter &parameter) {
  leaf(parameter.over ? "over " + parameter.name.text : "parameter " + parameter.name.text + ": " + textOf(*parameter.dtype));
}

void Printer::print(const Parameter &parameter) {
  static constexpr std::string_view accesses[] = {"", "out ", "inout "};
  auto indented =
      node("parameter " + parameter.name.text + ": " + std::string(accesses[static_cast<size_t>(parameter.access)]) +
           textOf(parameter.dtype) + (parameter.isView ? " view" : "") + (parameter.optional ? " optional" : ""));
  for (const Dimension &dimension : parameter.dimensions)
    print(dimension);
  if (parameter.defaultValue)
    print(*parameter.defaultValue, "default");
}

void Printer::print(const Dimension &dimension) {
  bool named = dimension.name.has_value();
  std::string pack = dimension.kind == Dimension::Kind::Pack ? "..." : "";
  auto indented = node("dimension" + (named ? " " + dimension.name->text + pack : ""));
  if (dimension.value)
    print(*dimension.value);
}

void Printer::print(const AxisDeclaration &axis) {
  auto indented = node("axis " + axis.name.text);
  print(*axis.low, axis.high ? "from" : "in");
  if (axis.high)
    print(*axis.high, "to");
  if (axis.by)
    print(*axis.by, "by");
}

// ---- Statements ----------------------------------------------------------------------------------------------------

void Printer::print(const Block &block, const std::string &role) {
  auto indented = node(role);
  for (const StatementPtr &statement : block.statements)
    print(*statement);
}

void Printer::print(const Statement &statement) {
  switch (statement.kind) {
  case Statement::Kind::Let: {
    const auto &let = as<LetStatement>(statement);
    auto indented = node("let " + let.name.text + (let.type ? ": " + textOf(*let.type) : ""));
    return let.value ? print(*let.value) : printAssign(*let.atomicStore, "value: ");
  }
  case Statement::Kind::LetTuple: {
    const auto &let = as<LetTupleStatement>(statement);
    auto indented = node("let (" + names(let.names) + ")");
    return print(*let.value);
  }
  case Statement::Kind::Var: {
    const auto &var = as<VarStatement>(statement);
    auto indented = node("var " + var.name.text + (var.type ? ": " + textOf(*var.type) : ""));
    return print(*var.value);
  }
  case Statement::Kind::Assign:
    return printAssign(as<AssignStatement>(statement), "");
  case Statement::Kind::If:
    return printIf(as<IfStatement>(statement));
  case Statement::Kind::For: {
    auto indented = node("for");
    for (const AxisDeclaration &axis : as<ForStatement>(statement).axes)
      print(axis);
    return print(as<ForStatement>(statement).body, "body");
  }
  case Statement::Kind::While: {
    auto indented = node("while");
    print(*as<WhileStatement>(statement).condition, "condition");
    return print(as<WhileStatement>(statement).body, "body");
  }
  case Statement::Kind::Require: {
    const auto &require = as<RequireStatement>(statement);
    auto indented = node("require" + (require.text ? " " + quoted(*require.text) : ""));
    return print(*require.condition);
  }
  case Statement::Kind::Tune: {
    auto indented = node("tune " + as<TuneStatement>(statement).name.text);
    for (const ExpressionPtr &value : as<TuneStatement>(statement).values)
      print(*value);
    return;
  }
  case Statement::Kind::Print: {
    auto indented = node("print");
    return printArguments(as<PrintStatement>(statement).arguments);
  }
  case Statement::Kind::Assert: {
    auto indented = node("assert");
    return printArguments(as<AssertStatement>(statement).arguments);
  }
  case Statement::Kind::Return: {
    auto indented = node("return");
    return print(*as<ReturnStatement>(statement).value);
  }
  }
}

void Printer::printIf(const IfStatement &statement) {
  auto indented = node("if");
  print(*statement.condition, "condition");
  print(statement.thenBlock, "then");
  if (statement.elseBlock)
    print(*statement.elseBlock, "else");
}

void Printer::printAssign(const AssignStatement &statement, const std::string &role) {
  auto indented = node(role + (statement.atomic ? "atomic " : "") + "assign " + std::string(nameOf(statement.op)) + " " +
                       statement.target.text);
  if (statement.places)
    print(*statement.places);
  print(*statement.value, "value");
}

void Printer::printArguments(const std::vector<PrintArgument> &arguments) {
  for (const PrintArgument &argument : arguments) {
    if (argument.text)
      leaf("text " + quoted(*argument.text));
    else
      print(*argument.value);
  }
}

// ---- Expressions ---------------------------------------------------------------------------------------------------

/// `role` says what the expression is to its parent.
void Printer::print(const Expression &expression, const std::string &role) {
  std::string head = role.empty() ? "" : role + ": ";
  switch (expression.kind) {
  case Expression::Kind::Integer:
    return leaf(head + "integer " + std::to_string(as<IntegerExpression>(expression).value));
  case Expression::Kind::Float:
    return leaf(head + "float " + textOf(as<FloatExpression>(expression).value));
  case Expression::Kind::Boolean:
    return leaf(head + (as<BooleanExpression>(expression).value ? "true" : "false"));
  case Expression::Kind::Name:
    return leaf(head + "name " + as<NameExpression>(expression).name);
  case Expression::Kind::DType:
    return leaf(head + "dtype " + textOf(as<DTypeExpression>(expression).dtype));
  case Expression::Kind::Unary: {
    const auto &unary = as<UnaryExpression>(expression);
    auto indented = node(head + "unary " + (unary.op == UnaryOperator::Not ? "not" : "-"));
    return print(*unary.operand);
  }
  case Expression::Kind::Binary: {
    const auto &binary = as<BinaryExpression>(expression);
    auto indented = node(head + "binary " + std::string(nameOf(binary.op)));
    print(*binary.left);
    return print(*binary.right);
  }
  case Expression::Kind::Call:
    return printCall(as<CallExpression>(expression), head);
  case Expression::Kind::Index: {
    auto indented = node(head + "index");
    print(*as<IndexExpression>(expression).base, "base");
    return print(as<IndexExpression>(expression).places);
  }
  case Expression::Kind::Member: {
    auto indented = node(head + "member " + as<MemberExpression>(expression).member.text);
    return print(*as<MemberExpression>(expression).base);
  }
  case Expression::Kind::Tuple: {
    auto indented = node(head + "tuple");
    for (const ExpressionPtr &element : as<TupleExpression>(expression).elements)
      print(*element);
    return;
  }
  }
}

void Printer::printCall(const CallExpression &call, const std::string &head) {
  auto indented = node(head + "call");
  print(*call.callee, "callee");
  for (const ExpressionPtr &argument : call.arguments)
    print(*argument);
  if (!call.over.empty())
    leaf("over " + names(call.over));
  for (const auto &[name, value] : call.options)
    leaf("option " + name.text + " = " + value.text);
}

void Printer::print(const Places &places) {
  for (const ExpressionPtr &index : places.indices)
    print(*index, "place");
  if (places.elseKind == Places::Else::Drop)
    leaf("else: drop");
  if (places.elseKind == Places::Else::Value)
    print(*places.elseValue, "else");
}

} // namespace

std::string printAST(const File &file) {
  return Printer().print(file);
}

} // namespace tilewright::frontend
