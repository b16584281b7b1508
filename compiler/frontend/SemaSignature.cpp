// What a host must know of a kernel before anything is compiled: its statics and tunables.
#include "compiler/frontend/ModuleData.h"

#include <algorithm>

namespace tilewright::frontend {

namespace {

/// Collects the names after `by` and the names that a kernel declares.
class TunableFinder {
public:
  explicit TunableFinder(const ast::KernelDeclaration &kernel) {
    for (const ast::StaticParameter &parameter : kernel.statics)
      declared.insert(parameter.name.text);
    for (const ast::Parameter &parameter : kernel.parameters) {
      declared.insert(parameter.name.text);
      for (const ast::Dimension &dimension : parameter.dimensions)
        if (dimension.name)
          declared.insert(dimension.name->text);
    }
    inGrid = true;
    visit(kernel.grid);
    inGrid = false;
    visit(kernel.body);
  }

  std::set<std::string> tunables(const FileScope &file) const {
    std::set<std::string> names;
    for (const std::string &name : gridBlockSizes) // what the body declares is not visible there
      if (!file.names.count(name) && !findBuiltin(name))
        names.insert(name);
    for (const std::string &name : blockSizes)
      if (!declared.count(name) && !file.names.count(name) && !findBuiltin(name))
        names.insert(name);
    return names;
  }

private:
  void visit(const std::vector<ast::AxisDeclaration> &axes) {
    for (const ast::AxisDeclaration &axis : axes) {
      if (const auto *name = ast::dynAs<ast::NameExpression>(axis.by.get()))
        if (!declared.count(name->name) || !inGrid)
          (inGrid ? gridBlockSizes : blockSizes).insert(name->name);
      declared.insert(axis.name.text); // visible from the next range on
    }
  }
  void visit(const ast::Block &block) {
    for (const ast::StatementPtr &statement : block.statements)
      visit(*statement);
  }
  void visit(const ast::Statement &statement) {
    switch (statement.kind) {
    case ast::Statement::Kind::Let:
      declared.insert(ast::as<ast::LetStatement>(statement).name.text);
      return;
    case ast::Statement::Kind::Var:
      declared.insert(ast::as<ast::VarStatement>(statement).name.text);
      return;
    case ast::Statement::Kind::LetTuple:
      for (const ast::Name &name : ast::as<ast::LetTupleStatement>(statement).names)
        declared.insert(name.text);
      return;
    case ast::Statement::Kind::For:
      visit(ast::as<ast::ForStatement>(statement).axes);
      return visit(ast::as<ast::ForStatement>(statement).body);
    case ast::Statement::Kind::While:
      return visit(ast::as<ast::WhileStatement>(statement).body);
    case ast::Statement::Kind::If: {
      const auto &branch = ast::as<ast::IfStatement>(statement);
      visit(branch.thenBlock);
      if (branch.elseBlock)
        visit(*branch.elseBlock);
      return;
    }
    default:
      return;
    }
  }

  std::set<std::string> declared;
  std::set<std::string> blockSizes; ///< in the body
  std::set<std::string> gridBlockSizes;
  bool inGrid = false;
};

void addMembers(std::vector<DType> &members, std::initializer_list<DType> more) {
  for (DType dtype : more)
    if (std::find(members.begin(), members.end(), dtype) == members.end())
      members.push_back(dtype);
}

bool isDimensionOf(const ast::KernelDeclaration &kernel, const std::string &name) {
  for (const ast::Parameter &parameter : kernel.parameters)
    for (const ast::Dimension &dimension : parameter.dimensions)
      if (dimension.name && dimension.name->text == name)
        return true;
  return false;
}

std::string sourceText(SourceRange where) {
  return std::string(where.source->text().substr(where.begin, where.end - where.begin));
}

} // namespace

std::vector<DType> membersOf(const ast::StaticParameter &parameter) {
  std::vector<DType> members;
  for (const ast::TypeClass &alternative : parameter.classes)
    switch (alternative.kind) {
    case ast::TypeClass::Kind::Float:
      addMembers(members, {DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2});
      break;
    case ast::TypeClass::Kind::Real:
      addMembers(members, {DType::F32, DType::F64});
      break;
    case ast::TypeClass::Kind::Integer:
      addMembers(members, {DType::I64, DType::I32, DType::I16, DType::I8, DType::U8});
      break;
    case ast::TypeClass::Kind::Number:
      addMembers(members, {DType::F32, DType::F64, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2, DType::I64,
                           DType::I32, DType::I16, DType::I8, DType::U8});
      break;
    case ast::TypeClass::Kind::DType:
      if (alternative.dtype.builtin)
        addMembers(members, {*alternative.dtype.builtin});
      break;
    }
  return members;
}

KernelSignature signatureOf(const ast::KernelDeclaration &kernel, const FileScope &file) {
  KernelSignature signature;
  signature.name = kernel.name.text;
  signature.documentation = kernel.documentation;
  signature.declaration = &kernel;
  signature.tunables = TunableFinder(kernel).tunables(file);
  for (const ast::StaticParameter &parameter : kernel.statics) {
    KernelSignature::Static entry;
    entry.name = parameter.name.text;
    entry.kind = parameter.kind;
    if (parameter.kind == ast::StaticParameter::Kind::Type)
      entry.dtypes = membersOf(parameter);
    else if (parameter.kind == ast::StaticParameter::Kind::Constant && parameter.constantType &&
             parameter.constantType->builtin)
      entry.dtypes = {*parameter.constantType->builtin};
    if (parameter.defaultValue)
      entry.defaultText = sourceText(parameter.defaultValue->where);
    entry.isDimension = parameter.kind == ast::StaticParameter::Kind::Constant && isDimensionOf(kernel, parameter.name.text);
    signature.statics.push_back(std::move(entry));
  }
  return signature;
}

} // namespace tilewright::frontend
