// Language §3.14. The derivative of a function `f` is evaluated in double precision and compared with a difference quotient, or
// its text is compared, or the error that refuses it.
#include "compiler/frontend/Derivative.h"

#include "tests/unit/frontend/Fixtures.h"

#include <cmath>

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::typed;

namespace {

// --------------------------------------------------------------------------------------------------------------------
// An evaluator of functions on scalars
// --------------------------------------------------------------------------------------------------------------------

double evaluate(const Function &function, const std::vector<double> &arguments);

class Evaluator {
public:
  void run(const Block &block) {
    for (const Statement *statement : block) {
      if (statement->kind != StatementKind::For) {
        values[statement->symbols[0]] = value(*statement->value);
        continue;
      }
      for (int64_t i = statement->axis->low->integer; i < statement->axis->high->integer; ++i) {
        axes[statement->axis] = static_cast<double>(i);
        run(statement->body);
      }
    }
  }

  double value(const Expr &expr) {
    std::vector<double> operands;
    for (const Expr *operand : expr.operands)
      operands.push_back(value(*operand));
    switch (expr.kind) {
    case ExprKind::Constant:
      return isFloat(expr.type.dtype) ? expr.real : static_cast<double>(expr.integer);
    case ExprKind::Symbol:
      return values.at(expr.symbol);
    case ExprKind::AxisIndex:
      return axes.at(expr.axis);
    case ExprKind::Cast:
      return isInteger(expr.type.dtype) ? std::trunc(operands[0]) : operands[0];
    case ExprKind::Call:
      return evaluate(*expr.callee, operands);
    default:
      return operation(expr.op, operands);
    }
  }

  std::map<const Symbol *, double> values;

private:
  static double operation(Op op, const std::vector<double> &x) {
    switch (op) {
    case Op::Add:
      return x[0] + x[1];
    case Op::Subtract:
      return x[0] - x[1];
    case Op::Multiply:
      return x[0] * x[1];
    case Op::Divide:
      return x[0] / x[1];
    case Op::Negate:
      return -x[0];
    case Op::Absolute:
      return std::abs(x[0]);
    case Op::Max:
      return std::max(x[0], x[1]);
    case Op::Min:
      return std::min(x[0], x[1]);
    case Op::Equal:
      return x[0] == x[1];
    case Op::NotEqual:
      return x[0] != x[1];
    case Op::Less:
      return x[0] < x[1];
    case Op::LessEqual:
      return x[0] <= x[1];
    case Op::Greater:
      return x[0] > x[1];
    case Op::GreaterEqual:
      return x[0] >= x[1];
    case Op::And:
      return x[0] != 0 && x[1] != 0;
    case Op::Or:
      return x[0] != 0 || x[1] != 0;
    case Op::Not:
      return x[0] == 0;
    case Op::Select:
      return x[0] != 0 ? x[1] : x[2];
    case Op::FusedMultiplyAdd:
      return x[0] * x[1] + x[2];
    case Op::Floor:
      return std::floor(x[0]);
    case Op::Ceil:
      return std::ceil(x[0]);
    case Op::Round:
      return std::nearbyint(x[0]);
    case Op::Power:
      return std::pow(x[0], x[1]);
    case Op::Exp:
      return std::exp(x[0]);
    case Op::Exp2:
      return std::exp2(x[0]);
    case Op::Log:
      return std::log(x[0]);
    case Op::Log2:
      return std::log2(x[0]);
    case Op::Log1p:
      return std::log1p(x[0]);
    case Op::SquareRoot:
      return std::sqrt(x[0]);
    case Op::ReciprocalSquareRoot:
      return 1 / std::sqrt(x[0]);
    case Op::Sin:
      return std::sin(x[0]);
    case Op::Cos:
      return std::cos(x[0]);
    case Op::Tanh:
      return std::tanh(x[0]);
    case Op::Erf:
      return std::erf(x[0]);
    case Op::Sigmoid:
      return 1 / (1 + std::exp(-x[0]));
    default:
      ADD_FAILURE() << "an operation that the evaluator lacks";
      return 0;
    }
  }

  std::map<const Axis *, double> axes;
};

double evaluate(const Function &function, const std::vector<double> &arguments) {
  Evaluator evaluator;
  for (size_t i = 0; i < arguments.size(); ++i)
    evaluator.values[function.parameters[i]] = arguments[i];
  evaluator.run(function.body);
  return evaluator.value(*function.results[0]);
}

// --------------------------------------------------------------------------------------------------------------------
// Kernels with a derivative in them
// --------------------------------------------------------------------------------------------------------------------

/// `f` and its derivatives by each of its parameters.
struct Derived {
  std::unique_ptr<Module> module;
  std::unique_ptr<Kernel> kernel;
  std::string errors;
  unsigned parameterCount;

  const Function *named(const std::string &name) const {
    for (const Function &function : kernel->functions)
      if (function.name == name)
        return &function;
    return nullptr;
  }
  const Function &original() const { return *named("f"); }
  const Function &by(unsigned parameter) const {
    return *named(parameterCount == 1 ? "deriv(f)" : "deriv(f, " + std::to_string(parameter) + ")");
  }
  double at(const std::vector<double> &arguments, unsigned parameter = 0) const { return evaluate(by(parameter), arguments); }
};

/// `functions` declares a function f of float parameters.
Derived derive(const std::string &functions, unsigned parameterCount = 1) {
  std::string arguments = "x[i]", uses = "f(x[i]";
  for (unsigned i = 1; i < parameterCount; ++i)
    arguments += ", x[i]", uses += ", x[i]";
  uses += ")";
  for (unsigned i = 0; i < parameterCount; ++i)
    uses += " + deriv(f" + (parameterCount > 1 ? ", " + std::to_string(i) : std::string()) + ")(" + arguments + ")";
  Derived result;
  result.parameterCount = parameterCount;
  Diagnostics diagnostics;
  result.module =
      Module::check("test.tile", functions + "\nkernel k(x: f32[N], y: out f32[N]) over (i in N) { y[i] = " + uses + "; }",
                    noImports, diagnostics);
  if (!diagnostics.hasErrors())
    result.kernel = result.module->specialize("k", {}, diagnostics);
  for (const Diagnostic &diagnostic : diagnostics.all())
    result.errors += diagnostic.message + "\n";
  return result;
}

/// The derivatives by all parameters agree with difference quotients at the points.
void expectRightAt(const std::string &functions, const std::vector<std::vector<double>> &points) {
  unsigned count = static_cast<unsigned>(points.front().size());
  Derived derived = derive(functions, count);
  ASSERT_EQ(derived.errors, "");
  for (const std::vector<double> &point : points)
    for (unsigned parameter = 0; parameter < count; ++parameter) {
      constexpr double step = 1e-5;
      std::vector<double> above = point, below = point;
      above[parameter] += step;
      below[parameter] -= step;
      double quotient = (evaluate(derived.original(), above) - evaluate(derived.original(), below)) / (2 * step);
      EXPECT_NEAR(derived.at(point, parameter), quotient, 1e-5 * (1 + std::abs(quotient)))
          << functions << " by parameter " << parameter << " at " << point[0];
    }
}

void expectRight(const std::string &functions, const std::vector<double> &points = {-1.7, -0.4, 0.3, 2.2}) {
  std::vector<std::vector<double>> lists;
  for (double point : points)
    lists.push_back({point});
  expectRightAt(functions, lists);
}

/// `use` stands in a kernel with i in N by 16, x[i] of f32 and n[i] of i32.
void expectError(const std::string &functions, const std::string &use, const std::string &message) {
  Diagnostics diagnostics;
  Module::check("test.tile",
                functions + "\nkernel k(x: f32[N], n: i32[N], y: out f32[N]) over (i in N by 16) { y[i] = " + use + "; }",
                noImports, diagnostics);
  std::string errors;
  for (const Diagnostic &diagnostic : diagnostics.all())
    errors += diagnostic.message + "\n";
  EXPECT_EQ(errors, message + "\n");
}

const std::vector<double> positive = {0.2, 0.9, 1.6, 3.5};

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// Every operation
// --------------------------------------------------------------------------------------------------------------------

TEST(Derivative, OfArithmetic) {
  expectRight("fn f(x: f32) -> f32 = (3 * x - 2) * x + x / 4 - -x;");
  expectRight("fn f(x: f32) -> f32 = (x + 1) / (x * x + 2);");
  expectRightAt("fn f(x: f32, y: f32) -> f32 = x * y - x / y + y / x;", {{0.5, 2.0}, {-1.5, 0.7}, {2.0, -3.0}});
  expectRightAt("fn f(x: f32, y: f32, z: f32) -> f32 = fma(x, y, z * z);", {{0.5, 2.0, -1.0}});
}

TEST(Derivative, OfMathFunctions) {
  for (const char *name : {"exp", "exp2", "sin", "cos", "tanh", "erf", "sigmoid"})
    expectRight("fn f(x: f32) -> f32 = " + std::string(name) + "(2 * x);");
  for (const char *name : {"log", "log2", "log1p", "sqrt", "rsqrt"})
    expectRight("fn f(x: f32) -> f32 = " + std::string(name) + "(3 * x);", positive);
}

TEST(Derivative, OfPowers) {
  expectRight("fn f(x: f32) -> f32 = pow(x, 3) + pow(x, 2) + pow(x, 1);");
  expectRight("fn f(x: f32) -> f32 = pow(2, x);");
  expectRightAt("fn f(x: f32, y: f32) -> f32 = pow(x, y);", {{0.5, 2.0}, {1.5, -0.7}, {2.0, 0.0}});
}

TEST(Derivative, OfPowersIsZeroAtZeroAndNotNaN) {
  Derived derived = derive("fn f(x: f32, y: f32) -> f32 = pow(x, y);", 2);
  EXPECT_EQ(derived.at({0.0, 2.0}, 0), 0.0);
  EXPECT_EQ(derived.at({0.0, 0.0}, 0), 0.0);
  EXPECT_EQ(derived.at({0.0, 2.0}, 1), 0.0);
}

TEST(Derivative, OfChoices) {
  expectRight("fn f(x: f32) -> f32 = where(x > 1, x * x, 3 * x);");
  expectRight("fn f(x: f32) -> f32 = max(x, x * x) + min(x, 0.5) + abs(x);");
  expectRight("fn f(x: f32) -> f32 = clamp(x, -1, 1);");
}

TEST(Derivative, AtKinks) {
  EXPECT_EQ(derive("fn f(x: f32) -> f32 = max(x, 0);").at({0}), 0.0);
  EXPECT_EQ(derive("fn f(x: f32) -> f32 = max(0, x);").at({0}), 1.0);
  EXPECT_EQ(derive("fn f(x: f32) -> f32 = min(x, 0);").at({0}), 0.0);
  EXPECT_EQ(derive("fn f(x: f32) -> f32 = abs(x);").at({0}), 0.0);
}

TEST(Derivative, OfStepsIsZero) {
  for (const char *name : {"floor", "ceil", "round"})
    EXPECT_EQ(print(*derive("fn f(x: f32) -> f32 = " + std::string(name) + "(x);").kernel).find("let"), std::string::npos);
  EXPECT_EQ(derive("fn f(x: f32) -> f32 = floor(x) + f32(x > 0);").at({0.5}), 0.0);
}

TEST(Derivative, OfCasts) {
  expectRight("fn f(x: f32) -> f32 = f32(bf16(x)) * x;");
  expectRight("fn f(x: f32) -> f32 = f32(sin(f64(x)) * 2);");
  expectRight("fn f(x: f32) -> f32 = x * f32(i32(x));", {0.3, 1.4, -1.7});
}

// --------------------------------------------------------------------------------------------------------------------
// Statements and calls
// --------------------------------------------------------------------------------------------------------------------

TEST(Derivative, ThroughNames) {
  expectRight("fn f(x: f32) -> f32 { let a = x * x; let b = sin(a); return a * b + b; }");
}

TEST(Derivative, ThroughVariables) {
  expectRight("fn f(x: f32) -> f32 { var a = x; a = a * a; a += x; a *= x; let b = a; a = 2 * b; return a * x; }");
}

TEST(Derivative, ThroughLoops) {
  expectRight(
      "fn f(x: f32) -> f32 { var p: f32 = 1; var s: f32 = 0; for i in 0..5 { p = p * x; s += p / f32(i + 1); } return s; }");
  expectRight(
      "fn f(x: f32) -> f32 { var y = x; for i in 0..3 { for j in 0..2 { y = y - (y * y - x) / (2 + f32(j)); } } return y; }",
      positive);
}

TEST(Derivative, ThroughVariablesThatBecomeActiveLaterInALoop) {
  expectRight("fn f(x: f32) -> f32 { var a: f32 = 1; var b: f32 = 2; for i in 0..4 { a = a + b; b = b * x; } return a; }");
}

TEST(Derivative, ThroughCalls) {
  expectRightAt("fn silu(x: f32) -> f32 = x * sigmoid(x);\nfn f(gate: f32, up: f32) -> f32 = silu(gate) * up;",
                {{0.5, 2.0}, {-1.5, 0.7}});
  expectRight("fn g(a: f32, b: f32) -> f32 = a * sin(b);\nfn f(x: f32) -> f32 = g(x * x, g(x, 2));");
}

TEST(Derivative, UsesTheAuthorsRule) {
  Derived derived = derive("fn softplus(x: f32) -> f32 = max(x, 0) + log1p(exp(-abs(x)));\n"
                           "deriv softplus(x) = sigmoid(x);\n"
                           "fn f(x: f32) -> f32 = 2 * softplus(x);");
  EXPECT_EQ(derived.errors, "");
  EXPECT_EQ(derived.at({0}), 1.0); // by differentiation it would be 0 at the kink
}

TEST(Derivative, OfADerivative) {
  Diagnostics diagnostics;
  auto module = Module::check("test.tile",
                              "fn f(x: f32) -> f32 = x * x * sin(x);\n"
                              "kernel k(x: f32[N], y: out f32[N]) over (i in N) { y[i] = deriv(deriv(f))(x[i]); }",
                              noImports, diagnostics);
  auto kernel = module->specialize("k", {}, diagnostics);
  ASSERT_FALSE(diagnostics.hasErrors()) << render(diagnostics);
  const Function &second = kernel->functions.back();
  double x = 0.7;
  EXPECT_EQ(second.name, "deriv(deriv(f))");
  EXPECT_NEAR(evaluate(second, {x}), 2 * std::sin(x) + 4 * x * std::cos(x) - x * x * std::sin(x), 1e-9);
}

// --------------------------------------------------------------------------------------------------------------------
// What is left of the tree
// --------------------------------------------------------------------------------------------------------------------

/// The lines of `print` that belong to the derivative.
std::string textOf(const Derived &derived, const std::string &name) {
  std::string all = print(*derived.kernel);
  size_t begin = all.find("fn " + name + "(");
  size_t end = all.find("return", begin);
  return begin == std::string::npos ? "" : all.substr(begin, all.find('\n', end) + 1 - begin);
}

TEST(Derivative, OfALinearFunctionIsAConstant) {
  EXPECT_EQ(textOf(derive("fn f(x: f32) -> f32 = 3 * x + 1;"), "deriv(f)"), "fn deriv(f)(x: f32)\n    return 3.0\n");
}

TEST(Derivative, ByAParameterThatDoesNotMatterIsZeroWithoutCode) {
  Derived derived = derive("fn f(x: f32, y: f32) -> f32 { let a = sin(x); return a * a + floor(y); }", 2);
  EXPECT_EQ(textOf(derived, "deriv(f, 1)"), "fn deriv(f, 1)(x: f32, y: f32)\n    return 0.0\n");
}

TEST(Derivative, ComputesSharedValuesOnce) {
  EXPECT_EQ(textOf(derive("fn f(x: f32) -> f32 = x * sigmoid(x);"), "deriv(f)"),
            "fn deriv(f)(x: f32)\n"
            "    let value1: f32 = sigmoid(x)\n"
            "    return (value1 + (x * (value1 * (1.0 - value1))))\n");
}

TEST(Derivative, LeavesOutStatementsThatOnlyTheOriginalNeeds) {
  EXPECT_EQ(textOf(derive("fn f(x: f32) -> f32 { let unneeded = exp(x); var a = x; a += 2; return a * 2 + floor(unneeded); }"),
                   "deriv(f)"),
            "fn deriv(f)(x: f32)\n"
            "    return 2.0\n");
}

// --------------------------------------------------------------------------------------------------------------------
// What has no derivative
// --------------------------------------------------------------------------------------------------------------------

TEST(Derivative, RefusesIntegerParameters) {
  expectError("fn f(x: f32, n: i32) -> f32 = x * f32(n);", "deriv(f, 0)(x[i], n[i])",
              "cannot differentiate `f`: its parameter `n` is i32, not a float");
}

TEST(Derivative, RefusesIntegerResults) {
  expectError("fn f(x: f32) -> i32 = i32(x);", "f32(deriv(f)(x[i]))",
              "cannot differentiate `f`: its result is i32, not a float");
}

TEST(Derivative, RefusesRandomNumbers) {
  expectError("fn f(x: f32) -> f32 = x * random(1, 2);", "deriv(f)(x[i])",
              "cannot differentiate `f`: a random number has no derivative");
}

TEST(Derivative, RefusesCallsWithSeveralResults) {
  expectError("fn g(x: f32) -> (f32, f32) = (x, 2 * x);\nfn f(x: f32) -> f32 { let (a, b) = g(x); return a * b; }",
              "deriv(f)(x[i])", "cannot differentiate `f`: `g` has several results");
}
