#include "runtime/Expression.h"

#include "runtime/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

using namespace tilewright::runtime;
using nlohmann::json;

namespace {

/// For messages. Only what is not nested: writing a tree out takes as much stack as it is deep.
std::string brief(const json &tree) {
  return tree.is_primitive() ? tree.dump() : std::string("an ") + tree.type_name();
}

struct OperationFacts {
  const char *name;
  Operation operation;
  unsigned arity;
  const char *spelling; ///< infix or prefix operator; empty: written as a function
  int precedence;       ///< the language's, loose to tight
};

constexpr OperationFacts operationFacts[] = {
    {"add", Operation::Add, 2, "+", 5},
    {"subtract", Operation::Subtract, 2, "-", 5},
    {"multiply", Operation::Multiply, 2, "*", 6},
    {"divide", Operation::Divide, 2, "/", 6},
    {"remainder", Operation::Remainder, 2, "%", 6},
    {"negate", Operation::Negate, 1, "-", 7},
    {"absolute", Operation::Absolute, 1, "", 8},
    {"min", Operation::Min, 2, "", 8},
    {"max", Operation::Max, 2, "", 8},
    {"union", Operation::Union, 2, "", 8},
    {"equal", Operation::Equal, 2, "==", 4},
    {"not_equal", Operation::NotEqual, 2, "!=", 4},
    {"less", Operation::Less, 2, "<", 4},
    {"less_equal", Operation::LessEqual, 2, "<=", 4},
    {"greater", Operation::Greater, 2, ">", 4},
    {"greater_equal", Operation::GreaterEqual, 2, ">=", 4},
    {"and", Operation::And, 2, "and", 2},
    {"or", Operation::Or, 2, "or", 1},
    {"not", Operation::Not, 1, "not ", 3},
    {"select", Operation::Select, 3, "", 8},
};
constexpr int tightest = 9;

const OperationFacts *operationNamed(const std::string &name) {
  for (const OperationFacts &facts : operationFacts)
    if (name == facts.name)
      return &facts;
  return nullptr;
}

struct Spelled {
  std::string text;
  int precedence = tightest;
};

std::string inside(const Spelled &operand, int precedence) {
  return operand.precedence < precedence ? concat('(', operand.text, ')') : operand.text;
}

/// The operands of ceildiv(a, b), which the compiler writes as -(-a / b).
const json *roundedUpDivision(const json &tree) {
  auto operand = [](const json &from, const char *operation) -> const json * {
    auto op = from.is_object() ? from.find("op") : from.end();
    if (op == from.end() || *op != operation)
      return nullptr;
    auto arguments = from.find("args");
    return arguments != from.end() && arguments->is_array() && !arguments->empty() ? &*arguments : nullptr;
  };
  const json *outer = operand(tree, "negate");
  const json *division = outer ? operand((*outer)[0], "divide") : nullptr;
  return division && operand((*division)[0], "negate") ? division : nullptr;
}

Spelled spell(const OperationFacts &facts, const std::vector<Spelled> &operands) {
  std::string_view symbol = facts.spelling;
  if (symbol.empty()) {
    std::string text = concat(facts.operation == Operation::Absolute ? "abs"
                              : facts.operation == Operation::Select ? "where"
                                                                     : facts.name,
                              '(');
    for (size_t index = 0; index < operands.size(); ++index)
      text += concat(index ? ", " : "", operands[index].text);
    return {text + ')', tightest};
  }
  if (facts.arity == 1)
    return {concat(symbol, inside(operands[0], facts.precedence)), facts.precedence};
  // Operators group to the left; comparisons do not chain.
  int left = facts.precedence + (facts.precedence == 4);
  return {concat(inside(operands[0], left), ' ', symbol, ' ', inside(operands[1], facts.precedence + 1)), facts.precedence};
}

} // namespace

class Expression::Builder {
public:
  Builder(const Scope &scope, Expression &result) : scope(scope), result(result) {}

  /// Appends the program of `tree`; false: `failure` says why not.
  bool build(const json &tree, Spelled &spelled, unsigned nesting = 0) {
    if (nesting > 1000)
      return fail("an expression is nested too deeply");
    if (tree.is_boolean())
      return constant(Interval::boolean(tree.get<bool>()), tree.get<bool>() ? "true" : "false", spelled);
    if (tree.is_number_integer())
      return constant(Interval::integer(tree.get<int64_t>()), std::to_string(tree.get<int64_t>()), spelled);
    if (tree.is_number_float())
      return constant(Interval::real(tree.get<double>()), concat(tree.get<double>()), spelled);
    if (!tree.is_object() || tree.empty())
      return fail(concat("not an expression: ", brief(tree)));
    if (auto op = tree.find("op"); op != tree.end() && op->is_string()) {
      auto arguments = tree.find("args");
      if (arguments == tree.end())
        return fail("an operation lacks its operands");
      if (!operation(op->get<std::string>(), *arguments, spelled, nesting))
        return false;
      if (const json *division = roundedUpDivision(tree))
        spelled = ceildiv((*division)[0]["args"][0], (*division)[1]);
      return true;
    }
    const std::string &key = tree.begin().key();
    const json &what = tree.begin().value();
    if (key == "value")
      return sharedValue(what, spelled);
    if (!what.is_string())
      return fail(concat("not an expression: ", brief(tree)));
    return leaf(key, what.get<std::string>(), spelled);
  }

  std::string failure;

private:
  bool fail(std::string message) {
    failure = std::move(message);
    return false;
  }

  bool emit(Instruction instruction, int growth) {
    depth += growth;
    if (depth > static_cast<int>(maxStack))
      return fail("an expression needs too many intermediate values");
    result.instructions.push_back(instruction);
    return true;
  }

  bool constant(Interval value, std::string text, Spelled &spelled) {
    spelled = {std::move(text), tightest};
    if (spelled.text.starts_with('-'))
      spelled.precedence = 7;
    result.constants.push_back(value);
    return emit({Code::Constant, Operation::Add, TW_NO_DTYPE, result.constants.size() - 1}, 1);
  }

  bool sharedValue(const json &what, Spelled &spelled) {
    if (!what.is_number_integer() || what.get<int64_t>() < 0 || what.get<uint64_t>() >= scope.values)
      return fail(concat("there is no shared value ", brief(what)));
    size_t index = what.get<size_t>();
    result.usedValues.push_back(index);
    spelled =
        index < scope.valueTexts.size() ? Spelled{scope.valueTexts[index], 0} : Spelled{concat("value ", index), tightest};
    return emit({Code::Value, Operation::Add, TW_NO_DTYPE, index}, 1);
  }

  bool read(Code code, const char *kind, const std::vector<std::string> &names, std::vector<size_t> &used,
            const std::string &name, std::string text, Spelled &spelled) {
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      return fail(concat("there is no ", kind, " named ", name));
    size_t index = static_cast<size_t>(found - names.begin());
    used.push_back(index);
    spelled = {std::move(text), tightest};
    return emit({code, Operation::Add, TW_NO_DTYPE, index}, 1);
  }

  bool leaf(const std::string &key, const std::string &name, Spelled &spelled) {
    if (key == "dim") {
      if (auto found = scope.constants.find(name); found != scope.constants.end())
        return constant(Interval::integer(found->second), name, spelled);
      return read(Code::Dimension, "dimension", scope.dimensions, result.usedDimensions, name, name, spelled);
    }
    if (key == "scalar")
      return read(Code::Scalar, "scalar", scope.scalars, result.usedScalars, name, name, spelled);
    if (key == "axis")
      return read(Code::Axis, "axis", scope.axes, result.usedAxes, name, name, spelled);
    if (key == "start")
      return read(Code::Start, "axis", scope.axes, result.usedAxes, name, name + ".start", spelled);
    if (key == "end")
      return read(Code::End, "axis", scope.axes, result.usedAxes, name, name + ".end", spelled);
    if (key == "unknown") {
      tw_dtype dtype = dtypeNamed(name);
      if (dtype == TW_NO_DTYPE)
        return fail(concat("there is no dtype named ", name));
      return constant(Interval::everything(dtype), concat("any ", name), spelled);
    }
    return fail(concat("an expression cannot be a ", key));
  }

  /// Only the spelling: the program is that of the division.
  Spelled ceildiv(const json &a, const json &b) const {
    auto text = [&](const json &tree) {
      Result<Expression> part = Expression::compile(tree, scope);
      return part.ok() ? part->text() : std::string("?");
    };
    return {concat("ceildiv(", text(a), ", ", text(b), ')'), tightest};
  }

  bool operation(const std::string &name, const json &arguments, Spelled &spelled, unsigned nesting) {
    const OperationFacts *facts = operationNamed(name);
    tw_dtype castTo = facts ? TW_NO_DTYPE : dtypeNamed(name);
    if (!facts && castTo == TW_NO_DTYPE)
      return fail(concat("there is no operation named ", name));
    size_t arity = facts ? facts->arity : 1;
    if (!arguments.is_array() || arguments.size() != arity)
      return fail(concat("operation ", name, " takes ", arity, arity == 1 ? " operand" : " operands"));
    std::vector<Spelled> operands(arity);
    for (size_t index = 0; index < arity; ++index)
      if (!build(arguments[index], operands[index], nesting + 1))
        return false;
    if (!facts) {
      spelled = {concat(name, '(', operands[0].text, ')'), tightest};
      return emit({Code::Cast, Operation::Cast, castTo}, 0);
    }
    spelled = spell(*facts, operands);
    Code code = arity == 1 ? Code::Unary : arity == 2 ? Code::Binary : Code::Select;
    return emit({code, facts->operation}, 1 - static_cast<int>(arity));
  }

  const Scope &scope;
  Expression &result;
  int depth = 0;
};

Result<Expression> Expression::compile(const json &tree, const Scope &scope) {
  Expression result;
  Builder builder(scope, result);
  Spelled spelled;
  if (!builder.build(tree, spelled))
    return Status(TW_DAMAGED_ARTIFACT, builder.failure);
  result.spelling = std::move(spelled.text);
  return result;
}

Interval Expression::evaluate(const Environment &environment) const {
  std::array<Interval, maxStack> stack;
  Interval *top = stack.data() - 1; // the builder has proved that it stays inside
  for (const Instruction &instruction : instructions) {
    switch (instruction.code) {
    case Code::Constant:
      *++top = constants[instruction.index];
      break;
    case Code::Dimension:
      *++top = Interval::integer(environment.dimensions[instruction.index]);
      break;
    case Code::Scalar:
      *++top = environment.scalars[instruction.index];
      break;
    case Code::Value:
      *++top = environment.values[instruction.index];
      break;
    // Of an axis that is certainly empty the interval is meaningless; who asks has looked.
    case Code::Axis:
    case Code::Start: {
      int64_t low = environment.axisLow[instruction.index].low, high = environment.axisHigh[instruction.index].high;
      bool isKnown = instruction.code == Code::Start && environment.isPiece && environment.isPiece[instruction.index];
      *++top = Interval::integers(low, high > low && !isKnown ? high - 1 : low);
      break;
    }
    case Code::End: {
      int64_t low = environment.axisLow[instruction.index].low, high = environment.axisHigh[instruction.index].high;
      bool isKnown = environment.isPiece && environment.isPiece[instruction.index];
      *++top = high > low ? Interval::integers(isKnown ? high : low + 1, high) : Interval::integer(low);
      break;
    }
    case Code::Unary:
      *top = unary(instruction.operation, *top);
      break;
    case Code::Cast:
      *top = cast(*top, instruction.dtype);
      break;
    case Code::Binary:
      --top;
      *top = binary(instruction.operation, top[0], top[1]);
      break;
    case Code::Select:
      top -= 2;
      *top = select(top[0], top[1], top[2]);
      break;
    }
  }
  return *top;
}
