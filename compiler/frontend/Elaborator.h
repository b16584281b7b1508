// Elaboration: from the syntax tree of a kernel and what its statics are bound to, to the typed tree.
//
// One object elaborates one kernel (or one function alone, or one top-level constant) into one arena. Its parts stand in the
// files that the sections below name. An expression that is wrong is reported once, where it stands, and becomes an error
// Value; whoever uses that stays silent, so that elaboration goes on and finds what else is wrong. Names whose declaration was
// wrong are poisoned in the same way.
#pragma once

#include "compiler/frontend/Arithmetic.h"
#include "compiler/frontend/ModuleData.h"

#include <functional>
#include <optional>
#include <set>

namespace tilewright::frontend {

/// What a kernel is elaborated for. A static without an entry takes its default; without one, in a check, a function is opaque
/// and a constant symbolic.
struct KernelBinding {
  bool isCheck = false;           ///< nothing is known but `statics`: optional views may or may not be there
  bool symbolicConstants = false; ///< integer statics are symbolic although they have defaults
  bool checkedMode = false;
  std::map<std::string, Value> statics; ///< DType, Function, or for constants Integer (bool: 0, 1) and Real
  std::set<std::string> presentViews;
  std::map<std::string, int64_t> tunables;
};

class Elaborator {
public:
  Elaborator(const ModuleData &module, typed::Kernel &kernel, Diagnostics &diagnostics)
      : module(module), kernel(kernel), diagnostics(diagnostics), tree(kernel), arithmetic(tree, diagnostics) {}

  /// SemaKernel.cpp
  void elaborateKernel(const KernelInfo &info, const FileScope &file, const KernelBinding &binding);
  /// A top-level constant's value: a literal, a constant tile, or an error.
  Value elaborateConstant(const ast::Expression &expression, const FileScope &file);
  /// A function that no kernel calls, for scalars of the first member of each class; and its derivative rule.
  /// (SemaInstances.cpp)
  void elaborateAlone(const FunctionInfo &info);
  /// Whether a function has the type of a function static; says why not through `diagnostics`. (SemaFunctions.cpp)
  bool hasType(const FunctionReference &function, const FunctionType &type);

  /// How many values a function takes, axes aside.
  static size_t arityOf(const FunctionValue &function);
  static FunctionReference derivativeOf(FunctionReference base, unsigned parameter);

  /// The declared functions that were elaborated.
  const std::set<const FunctionInfo *> &usedFunctions() const { return used; }
  /// After a check: a `require` of the kernel rules these statics out, so what is wrong with them does not matter.
  bool isExcluded() const { return excluded; }
  /// A name that was used may be declared in what could not be read: what depends on it was left out without a word.
  bool lacksNames() const { return nameIsLacking; }

private:
  using Expr = typed::Expr;
  using Axes = TreeBuilder::Axes;

  /// Where statements go and which names they see: a kernel's body, or a function's.
  struct Body {
    enum class Kind { Constant, Kernel, Function } kind;
    const FileScope *file;
    std::vector<Names> frames;
    typed::Block *block = nullptr;
    /// An elementwise function's arguments' axes. It is written for scalars and serves tiles, so its variables have them too.
    Axes argumentAxes = {};
    std::map<std::string, SourceRange> leftNames = {}; ///< of blocks that are finished: nothing sees them any more
  };

  // SemaScopes.cpp
  bool isTooDeep(SourceRange where);
  const Entity *lookup(std::string_view name) const;
  /// In the innermost frame; a clash is reported and poisons the name.
  void declare(const ast::Name &name, Entity entity);
  /// Ends the innermost frame; its names are kept for messages.
  void leaveFrame();
  void reportUnknown(const ast::Name &name);
  /// It may be declared in what could not be read, which is reported already.
  bool mayBeUnread(const std::string &name) const;
  std::string remedyForUnknown(const std::string &name) const;
  std::string spanOver(const std::string &size) const;
  std::vector<std::string_view> visibleNames() const;
  std::optional<DType> resolve(const ast::DTypeReference &reference);
  /// `candidates` are what may stand there besides dtypes and type statics.
  void reportUnknownDType(const ast::DTypeReference &reference, std::vector<std::string_view> candidates);
  const typed::Axis *resolveAxis(const ast::Name &name);
  std::optional<Axes> resolveAxes(const std::vector<ast::Name> &names);
  std::optional<typed::TileType> resolve(const ast::TileTypeReference &reference);
  /// Runs `work` with a frame of its own and statements going to `block`.
  void inBlock(typed::Block &block, const std::function<void()> &work);
  bool isFunctionBody() const { return body->kind == Body::Kind::Function; }

  // SemaNames.cpp: a branch that is not elaborated is checked for names only.
  void checkNames(const ast::Block &block);
  void checkNames(const ast::Statement &statement);
  void checkNames(const ast::Expression *expression);
  void checkAssignmentNames(const ast::AssignStatement &statement);
  void checkLoopNames(const ast::ForStatement &statement);
  void checkCallNames(const ast::CallExpression &call);
  void checkName(const ast::Name &name);
  void declarePoisoned(const ast::Name &name);

  // SemaExpressions.cpp
  Value expression(const ast::Expression &expression);
  /// May have several results.
  Value expressionOrCall(const ast::Expression &expression);
  Value elaborateExpression(const ast::Expression &expression);
  const Expr *tileOf(const ast::Expression &expression) { return arithmetic.tile(this->expression(expression)); }
  Value nameValue(const ast::NameExpression &name);
  Value entityValue(const Entity &entity, const ast::Name &name);
  Value dimensionValue(const ast::Name &name);
  Value viewPresence(const typed::View &view, SourceRange where);
  Value member(const ast::MemberExpression &member);
  Value boundOfSpan(const ast::MemberExpression &member);
  Value dtypeValue(const ast::DTypeReference &reference);
  /// A constant node of this arena, with this place.
  Value restated(const Value &value, SourceRange where);
  /// One bool for the whole tile, or null after an error; `keyword` is `if` or `while`.
  const Expr *condition(const ast::Expression &expression, std::string_view keyword);
  const Expr *conditionOf(const Value &value, SourceRange where, std::string_view keyword);
  bool reportAlwaysPresent(const ast::Expression &expression);
  /// The integer a scalar expression certainly has.
  std::optional<int64_t> constantInteger(const Expr &expr) const;
  /// Built from constants and, in a check, symbolic statics alone.
  bool isConstantExpression(const Expr &expr) const;

  // SemaCalls.cpp
  Value call(const ast::CallExpression &call);
  Value callBuiltin(const Builtin &builtin, const ast::CallExpression &call);
  Value callCast(DType dtype, const ast::CallExpression &call);
  Value callElementwise(const Builtin &builtin, const ast::CallExpression &call);
  Value callRandom(const Builtin &builtin, const ast::CallExpression &call);
  Value callDerivative(const ast::CallExpression &call);
  std::vector<Value> argumentsOf(const ast::CallExpression &call);
  bool checkArity(std::string_view name, size_t expected, const ast::CallExpression &call);
  bool checkNoOver(std::string_view name, const ast::CallExpression &call);
  /// The `precision` of a call, one of `allowed`. Other options, and other precisions, are reported.
  typed::Precision precisionOf(std::string_view name, const ast::CallExpression &call,
                               std::initializer_list<std::string_view> allowed);

  // SemaReductions.cpp
  Value callReduction(const Builtin &builtin, const ast::CallExpression &call);
  Value sum(const Expr &operand, const Axes &axes, SourceRange where);
  Value mean(const Expr &operand, const Axes &axes, SourceRange where);
  Value reduce(typed::Reduction reduction, const Expr &operand, const Axes &axes, SourceRange where);
  Value alongOneAxis(typed::ExprKind kind, typed::Reduction reduction, const Expr &operand, const Axes &axes,
                     SourceRange where);
  Value callDot(const ast::CallExpression &call);
  std::optional<DType> dotType(const Expr &left, const Expr &right, SourceRange where);
  Value callFold(const Builtin &builtin, const ast::CallExpression &call);
  std::vector<const Expr *> foldOperands(const FunctionReference &function, const std::vector<Value> &operands,
                                         std::string_view name, SourceRange where);
  /// False after an error: the tile lacks one of the axes.
  bool checkHasAxes(std::string_view name, const Expr &operand, const Axes &axes, const std::vector<ast::Name> &written);

  // SemaAccess.cpp
  struct Place {
    const typed::View *view = nullptr; ///< null after an error
    std::vector<const Expr *> indices;
    Axes axes;
  };
  Value load(const ast::IndexExpression &index);
  Place resolvePlace(const typed::View &view, const ast::Places &places);
  const typed::View *viewNamed(const ast::Name &name);
  bool checkPresent(const typed::View &view, SourceRange where);
  const Expr *elseValue(const typed::View &view, const ast::Places &places, const Axes &axes);
  void store(const ast::AssignStatement &statement, const typed::View &view, const ast::Name *fetched);
  const Expr *storedValue(const ast::AssignStatement &statement, const typed::View &view, const Axes &axes);
  bool checkAtomic(const ast::AssignStatement &statement, const typed::View &view);
  /// After the kernel: an `inout` is read only at the place where it is assigned.
  void checkInOutReads();

  // SemaStatements.cpp
  void statements(const ast::Block &block);
  void statement(const ast::Statement &statement);
  void let(const ast::LetStatement &statement);
  void letOldValue(const ast::LetStatement &statement);
  void letTuple(const ast::LetTupleStatement &statement);
  void letSpan(const ast::Name &name, const ast::CallExpression &call);
  void ifStatement(const ast::IfStatement &statement);
  void keptIf(const ast::IfStatement &statement, const Expr *condition);
  /// A check keeps the branches of such a condition, a specialization one of them.
  bool isDecidedBySpecialization(const Expr &expr) const;
  void forStatement(const ast::ForStatement &statement);
  void whileStatement(const ast::WhileStatement &statement);
  void require(const ast::RequireStatement &statement);
  bool isRequirable(const Expr &expr, bool &onTunables) const;
  bool dependsOnStatics(const ast::Expression &expression) const;
  void print(const ast::PrintStatement &statement);
  void assertStatement(const ast::AssertStatement &statement);
  std::vector<typed::PrintPart> printParts(const std::vector<ast::PrintArgument> &arguments, size_t first);
  typed::Statement &emit(typed::StatementKind kind, SourceRange where);
  /// The views that are present if the condition is `outcome`.
  std::set<const typed::View *> presentIf(const ast::Expression &condition, bool outcome) const;
  bool refusedInFunction(std::string_view what, SourceRange where);

  // SemaAssignments.cpp
  void var(const ast::VarStatement &statement);
  void assign(const ast::AssignStatement &statement, const ast::Name *fetched = nullptr);
  void assignVariable(const ast::AssignStatement &statement, const typed::Symbol &symbol);
  const Expr *assignedValue(const ast::AssignStatement &statement, const typed::Symbol &symbol, const Value &value);
  /// Declares what a `let` or `var` with a type names. Null after an error.
  const typed::Symbol *declareTyped(const ast::Name &name, const ast::TileTypeReference &type, const Value &value,
                                    typed::Symbol::Kind kind, SourceRange where);
  /// `where` is the value's place, if that is not where its expression stands.
  bool checkAxesWithin(const Expr &value, const Axes &axes, const std::string &holder, SourceRange declared,
                       SourceRange where = {});

  // SemaAxes.cpp
  const typed::Axis *declareAxis(const ast::AxisDeclaration &declaration, typed::Axis::Origin origin);
  bool resolveRange(const ast::AxisDeclaration &declaration, typed::Axis &axis);
  const Expr *rangeBound(const ast::Expression &expression);
  bool resolveBlockSize(const ast::Expression &by, typed::Axis &axis);
  typed::Tunable &tunable(const ast::Name &name);
  const typed::Axis *partitionedBy(const Expr &low, const Expr &high) const;
  std::string uniqueAxisName(const std::string &name);
  std::string dimensionNamed(const ast::Expression &expression) const;
  void tune(const ast::TuneStatement &statement);
  void finishTunables();
  void checkTileSizes();

  // SemaKernel.cpp
  void declareDimensions(const ast::KernelDeclaration &declaration);
  void declareDimension(const ast::Dimension &dimension);
  void declareParameters(const ast::KernelDeclaration &declaration);
  void declareView(const ast::Parameter &parameter, unsigned position);
  void declareScalar(const ast::Parameter &parameter, unsigned position);
  void resolveDimensions(const ast::KernelDeclaration &declaration);
  typed::ViewDimension resolveDimension(const ast::Dimension &dimension);
  bool isDimensionExpression(const Expr &expr) const;
  void checkDefinitions();
  void checkNotNegative(const typed::ViewDimension &dimension);
  void declareGrid(const ast::KernelDeclaration &declaration);

  // SemaStatics.cpp
  void bindStatics(const ast::KernelDeclaration &declaration);
  void bindTypeStatic(const ast::StaticParameter &parameter);
  void bindFunctionStatic(const ast::StaticParameter &parameter);
  void bindConstantStatic(const ast::StaticParameter &parameter);
  const Expr *constantOf(const ast::StaticParameter &parameter, DType dtype);
  std::optional<FunctionType> functionTypeOf(const ast::StaticParameter &parameter);

  // SemaFunctions.cpp
  /// The dtypes of a function's parameters and results for some arguments; results are empty where only an instance tells.
  struct Signature {
    std::vector<DType> parameters;
    std::vector<DType> results;
  };
  Value callFunction(const FunctionReference &function, const std::vector<Value> &arguments, const Axes &over,
                     SourceRange where);
  std::optional<Signature> signatureFor(const FunctionReference &function, const std::vector<Value> &arguments,
                                        SourceRange where);
  std::optional<Signature> declaredSignature(const FunctionInfo &info, const std::vector<Value> &arguments, SourceRange where);
  std::optional<DType> infer(const FunctionInfo &info, const ast::StaticParameter &parameter,
                             const std::vector<Value> &arguments, SourceRange where);
  bool checkArity(const FunctionValue &function, size_t arguments, size_t axes, SourceRange where);
  static bool takesAxes(const FunctionValue &function);
  bool declaredHasType(const FunctionInfo &info, const FunctionType &type);
  bool builtinHasType(const Builtin &builtin, const FunctionType &type);

  // SemaInstances.cpp
  const typed::Function *instantiate(const FunctionReference &function, const std::vector<typed::TileType> &types,
                                     const Axes &over, SourceRange where);
  const typed::Function *makeInstance(const FunctionReference &function, const std::vector<typed::TileType> &types,
                                      const Axes &over, SourceRange where);
  void noteCall(const FunctionValue &function, const std::vector<typed::TileType> &types, const Axes &over, SourceRange where,
                size_t firstFault);
  const typed::Function *declaredInstance(const FunctionInfo &info, const std::vector<typed::TileType> &types,
                                          const Axes &over);
  const typed::Function *bodilessInstance(const FunctionValue &function, const std::vector<typed::TileType> &types);
  const typed::Function *builtinInstance(const Builtin &builtin, const std::vector<typed::TileType> &types, SourceRange where);
  const typed::Function *derivativeInstance(const FunctionValue &function, const std::vector<typed::TileType> &types,
                                            SourceRange where);
  const typed::Function *ruleInstance(const FunctionInfo &info, const typed::Function &base, unsigned parameter);
  bool elaborateFunctionBody(const ast::FunctionDeclaration &declaration, typed::Function &function);
  bool elaborateResults(const ast::Expression &value, const std::vector<DType> &dtypes, const std::string &what,
                        typed::Function &function);
  bool nameResults(const Expr &call, const std::vector<DType> &dtypes, const std::string &what, typed::Function &function);
  bool checkResultAxes(const typed::Function &function, const Axes &visible);
  /// Declares the type statics of a function as its parameters' types bind them.
  void declareFunctionStatics(const FunctionInfo &info, const std::vector<DType> &parameters);
  std::vector<typed::TileType> resultTypesOf(const typed::Function &function, const std::vector<const Expr *> &arguments) const;

  const ModuleData &module;
  typed::Kernel &kernel;
  Diagnostics &diagnostics;
  TreeBuilder tree;
  Arithmetic arithmetic;

  Body *body = nullptr;
  const KernelBinding *binding = nullptr;
  const KernelInfo *kernelInfo = nullptr;

  std::map<const typed::Symbol *, const Expr *> letValues; ///< for constant expressions
  std::map<std::string, typed::Tunable *> tunables;        ///< those of `kernel`
  std::map<std::string, unsigned> axisNames;               ///< how often each name was wanted, so that all differ
  std::set<std::string> boundDimensions;                   ///< by a view that is present
  std::set<std::string> symbolicStatics;                   ///< constants whose value a check does not know
  std::map<const typed::View *, std::string> dtypeTexts;   ///< as declared: `T`
  std::set<const typed::View *> presentViews;              ///< guarded by an enclosing `if`
  std::vector<const ast::TuneStatement *> tunes;
  /// Expressions and blocks inside each other, through the functions that are called. Its limit bounds the stack of everything
  /// that walks a kernel with its functions inlined.
  unsigned depth = 0;
  static constexpr unsigned maxDepth = 1500;
  bool inRequirement = false;
  bool inBlockSize = false;
  bool inDimension = false;
  bool inGrid = false;
  bool excluded = false;              ///< see isExcluded
  mutable bool nameIsLacking = false; ///< see lacksNames
  unsigned fixedBranches = 0;         ///< enclosing `if`s that are decided
  unsigned runTimeConditions = 0;     ///< enclosing `if`s and `while`s of every specialization

  std::map<std::string, const typed::Function *> instances;
  std::map<const typed::Function *, FunctionReference> origins; ///< what an instance is an instance of
  std::map<const typed::Function *, std::vector<typed::TileType>> bodilessResults;
  std::map<const typed::Function *, size_t> inlinedSizes;  ///< operations, with those of the functions that it calls
  std::vector<std::pair<std::string, std::string>> active; ///< identity and name of the functions being elaborated
  std::set<const FunctionInfo *> used;
};

/// `a, b and c`, each between backquotes.
std::string listOf(const std::vector<std::string> &names, std::string_view conjunction = "and");
/// A hint for a misspelt name, or for none near enough what there is.
void suggest(Diagnostic &diagnostic, std::string_view misspelt, const std::vector<std::string_view> &candidates,
             std::string_view otherwise = {});

} // namespace tilewright::frontend
