// What names mean while a file is checked: values, functions as values, and scopes.
#pragma once

#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Numbers.h"
#include "compiler/frontend/TypedTree.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::frontend {

struct FileScope;

/// A declared or external function, with its derivative rule if the author gave one.
struct FunctionInfo {
  std::string name;
  SourceRange where;                                     ///< of its name
  const ast::FunctionDeclaration *declaration = nullptr; ///< exactly one of these two is set
  const ast::ExternDeclaration *external = nullptr;
  const ExternalFile *externalFile = nullptr; ///< null: it was not found
  const FileScope *file = nullptr;
  const ast::DerivativeDeclaration *rule = nullptr;
  const FileScope *ruleFile = nullptr;

  const std::vector<ast::FunctionParameter> &parameters() const {
    return declaration ? declaration->parameters : external->parameters;
  }
  const std::vector<ast::DTypeReference> &results() const { return declaration ? declaration->results : external->results; }
};

/// The type of a function static: `fn(f32) -> f32`.
struct FunctionType {
  std::vector<DType> parameters;
  DType result = DType::F32;
  friend bool operator==(const FunctionType &, const FunctionType &) = default;
};
std::string toString(const FunctionType &type);

/// A function as a value: what a call calls, a static is bound to, `deriv` takes.
struct FunctionValue {
  enum class Kind {
    Declared,   ///< `info`
    Builtin,    ///< `builtin`
    Derivative, ///< of `base` by its parameter number `parameter`
    Opaque      ///< a function static that is not bound: only its type is known
  };
  Kind kind;
  std::string name; ///< as messages and dumps show it: `gelu`, `deriv(gelu)`
  const FunctionInfo *info = nullptr;
  const Builtin *builtin = nullptr;
  std::shared_ptr<const FunctionValue> base;
  unsigned parameter = 0;
  /// Set where a function type fixes the dtypes (a function static): arguments convert to these.
  std::optional<FunctionType> type;

  /// Equal for equal functions.
  std::string identity() const;
};
using FunctionReference = std::shared_ptr<const FunctionValue>;

/// What an expression is. Literals keep no type until they meet one.
struct Value {
  enum class Kind {
    Error,   ///< already reported: whoever uses it stays silent
    Integer, ///< a literal, or literals folded
    Real,
    Choice,  ///< `where(c, 1, 0)`: a choice between literals, `choice`, by the condition `tile`
    Tile,    ///< `tile`
    DType,   ///< `dtype`: T, f32
    Function ///< `function`
  };
  Kind kind = Kind::Error;
  SourceRange where;
  WideInteger integer = 0;
  double real = 0;
  const typed::Expr *tile = nullptr;
  DType dtype = DType::F32;
  FunctionReference function;
  std::shared_ptr<const std::pair<Value, Value>> choice;

  bool isError() const { return kind == Kind::Error; }
  bool isLiteral() const { return kind == Kind::Integer || kind == Kind::Real; }
  bool isUntyped() const { return isLiteral() || kind == Kind::Choice; }
  /// An untyped value that is a float if it meets nothing.
  bool hasReal() const {
    return kind == Kind::Real || (kind == Kind::Choice && (choice->first.hasReal() || choice->second.hasReal()));
  }

  static Value error(SourceRange where) { return of(Kind::Error, where); }
  static Value of(Kind kind, SourceRange where) {
    Value value;
    value.kind = kind;
    value.where = where;
    return value;
  }
  static Value ofInteger(WideInteger integer, SourceRange where) {
    Value value = of(Kind::Integer, where);
    value.integer = integer;
    return value;
  }
  static Value ofReal(double real, SourceRange where) {
    Value value = of(Kind::Real, where);
    value.real = real;
    return value;
  }
  static Value ofDType(DType dtype, SourceRange where) {
    Value value = of(Kind::DType, where);
    value.dtype = dtype;
    return value;
  }
  static Value ofFunction(FunctionReference function, SourceRange where) {
    Value value = of(Kind::Function, where);
    value.function = std::move(function);
    return value;
  }
  static Value ofChoice(const typed::Expr *condition, Value chosen, Value other, SourceRange where) {
    Value value = of(Kind::Choice, where);
    value.tile = condition;
    value.choice = std::make_shared<std::pair<Value, Value>>(std::move(chosen), std::move(other));
    return value;
  }
  /// A null tile stands for an error that was reported.
  static Value ofTile(const typed::Expr *tile, SourceRange where) {
    Value value = of(tile ? Kind::Tile : Kind::Error, where);
    value.tile = tile;
    return value;
  }
};

/// What a name stands for.
struct Entity {
  enum class Kind {
    Poisoned, ///< its declaration was wrong (reported), or it stands in a branch that is not elaborated
    Fixed,    ///< `value`: a constant, a function, a type static, a function static
    Constant, ///< a constant static: `value` is a Constant, or in a mere check its name
    Dimension,
    View,
    Scalar,
    Axis,
    Symbol,
    Alias ///< `import … as act`
  };
  Kind kind = Kind::Poisoned;
  SourceRange where;
  Value value;
  const typed::View *view = nullptr;
  const typed::ScalarParameter *scalar = nullptr;
  const typed::Axis *axis = nullptr;
  const typed::Symbol *symbol = nullptr;
  const FileScope *alias = nullptr;

  static Entity poisoned(SourceRange where) { return of(Kind::Poisoned, where); }
  static Entity of(Kind kind, SourceRange where) {
    Entity entity;
    entity.kind = kind;
    entity.where = where;
    return entity;
  }
  static Entity fixed(Value value, SourceRange where) {
    Entity entity = of(Kind::Fixed, where);
    entity.value = std::move(value);
    return entity;
  }
};

using Names = std::map<std::string, Entity, std::less<>>;

/// The names of a file: its own and the imported ones. Kernels are not among them: only the host names a kernel.
struct FileScope {
  const ast::File *file = nullptr;
  std::string path;
  bool isStandard = false; ///< of the standard library
  /// It, or what it imports, has errors: a name that it lacks may be declared in what could not be read.
  bool isIncomplete = false;
  Names names;
  std::vector<std::string> own; ///< those an import of this file brings
};

} // namespace tilewright::frontend
