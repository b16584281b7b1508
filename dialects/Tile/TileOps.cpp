// The operations that hold regions: how they are written, what their regions must look like. TileVerifiers.cpp checks the
// others.
#include "dialects/Tile/Tile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#define GET_OP_CLASSES
#include "dialects/Tile/TileOps.cpp.inc"

using namespace mlir;

namespace tilewright::tile {

namespace {

using Arguments = SmallVector<OpAsmParser::Argument>;

bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

} // namespace

// --------------------------------------------------------------------------------------------------------------------
// kernel
// --------------------------------------------------------------------------------------------------------------------

BlockArgument KernelOp::getArgument(StringRef name) {
  for (auto [argument, its] : llvm::zip(getBlock().getArguments(), getNames().getAsRange<StringAttr>()))
    if (its.getValue() == name)
      return argument;
  return {};
}

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (auto [argument, name] : llvm::zip(region.getArguments(), getNames().getAsRange<StringAttr>()))
    setName(argument, name.getValue());
}

/// `@name(%x: type, …) dimensions = n checked? attributes? { … }`; the arguments' own names become `names`.
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  StringAttr symbol;
  Arguments arguments;
  int64_t dimensions = 0;
  if (parser.parseSymbolName(symbol, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseKeyword("dimensions") || parser.parseEqual() || parser.parseInteger(dimensions))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("checked")))
    result.addAttribute(getCheckedAttrName(result.name), builder.getUnitAttr());
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();

  SmallVector<StringRef> names;
  for (const OpAsmParser::Argument &argument : arguments)
    names.push_back(argument.ssaName.name.drop_front()); // without its %
  result.addAttribute(getNamesAttrName(result.name), builder.getStrArrayAttr(names));
  result.addAttribute(getDimensionsAttrName(result.name), builder.getI64IntegerAttr(dimensions));

  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getBlock().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") dimensions = " << getDimensions();
  if (getChecked())
    printer << " checked";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getNamesAttrName(), getDimensionsAttrName(), getCheckedAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verify() {
  auto arguments = getBlock().getArguments();
  // kernel_c1
  if (getNames().size() != arguments.size())
    return emitOpError() << "has " << arguments.size() << " arguments, but " << getNames().size() << " names";
  llvm::StringSet<> seen;
  for (auto name : getNames().getAsRange<StringAttr>()) {
    if (!isIdentifier(name.getValue()))
      return emitOpError() << "expects an argument's name to be an identifier, not " << name;
    if (!seen.insert(name.getValue()).second)
      return emitOpError() << "has two arguments with the name " << name;
  }
  // kernel_c2
  if (getDimensions() > arguments.size())
    return emitOpError() << "has " << arguments.size() << " arguments, but " << getDimensions() << " dimensions";
  for (BlockArgument dimension : getDimensionArguments())
    if (!dimension.getType().isInteger(64))
      return emitOpError() << "expects dimension " << getNames()[dimension.getArgNumber()] << " to be an i64, not "
                           << dimension.getType();
  // kernel_c3
  for (BlockArgument parameter : getParameterArguments())
    if (!isa<ViewType>(parameter.getType()) && !isScalar(parameter.getType()))
      return emitOpError() << "expects parameter " << getNames()[parameter.getArgNumber()] << " to be a view or a scalar, not "
                           << parameter.getType();
  return success();
}

// --------------------------------------------------------------------------------------------------------------------
// parallel and for
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// `"i" %i : type in %low to %high`
ParseResult parseRange(OpAsmParser &parser, OperationState &result, StringAttr axisName, Arguments &arguments) {
  StringAttr axis;
  OpAsmParser::UnresolvedOperand low, high;
  Type i64 = parser.getBuilder().getI64Type();
  return failure(parser.parseAttribute(axis, axisName, result.attributes) ||
                 parser.parseArgument(arguments.emplace_back(), /*allowType=*/true) || parser.parseKeyword("in") ||
                 parser.parseOperand(low) || parser.parseKeyword("to") || parser.parseOperand(high) ||
                 parser.resolveOperand(low, i64, result.operands) || parser.resolveOperand(high, i64, result.operands));
}

/// `carries (%a = %initial, …) : types`, or nothing.
ParseResult parseCarried(OpAsmParser &parser, OperationState &result, Arguments &arguments) {
  if (failed(parser.parseOptionalKeyword("carries")))
    return success();
  SmallVector<OpAsmParser::UnresolvedOperand> initial;
  llvm::SMLoc where = parser.getCurrentLocation();
  size_t first = arguments.size();
  auto parseOne = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(initial.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne) || parser.parseColonTypeList(result.types) ||
      parser.resolveOperands(initial, result.types, where, result.operands))
    return failure();
  for (auto [argument, type] : llvm::zip(llvm::drop_begin(arguments, first), result.types))
    argument.type = type;
  return success();
}

template <typename LoopOp>
ParseResult parseBody(OpAsmParser &parser, OperationState &result, ArrayRef<OpAsmParser::Argument> arguments) {
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body, arguments))
    return failure();
  LoopOp::ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

template <typename LoopOp> void printRange(LoopOp op, OpAsmPrinter &printer) {
  printer << ' ' << op.getAxisAttr() << ' ';
  printer.printRegionArgument(op.getInductionVariable());
  printer << " in " << op.getLow() << " to " << op.getHigh();
}

template <typename LoopOp> void printBody(LoopOp op, OpAsmPrinter &printer) {
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), {op.getAxisAttrName()});
  printer << ' ';
  bool yieldsValues = op.getBody().front().back().getNumOperands() > 0;
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/yieldsValues);
}

/// An induction variable is an i64 or a span over the operation's axis.
bool isInductionType(Type type, StringAttr axis) {
  if (auto span = dyn_cast<SpanType>(type))
    return span.getAxis() == axis;
  return type.isInteger(64);
}

/// The operation around `op` that makes the same axis, or null.
Operation *enclosingWithAxis(Operation *op, StringAttr axis) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (auto parallel = dyn_cast<ParallelOp>(parent); parallel && parallel.getAxisAttr() == axis)
      return parent;
    if (auto loop = dyn_cast<ForOp>(parent); loop && loop.getAxisAttr() == axis)
      return parent;
  }
  return nullptr;
}

template <typename LoopOp> LogicalResult verifyRange(LoopOp op) {
  // parallel_c1 for_c1
  Block &block = op.getBody().front();
  if (block.getNumArguments() == 0 || !isInductionType(block.getArgument(0).getType(), op.getAxisAttr())) {
    auto error = op.emitOpError() << "expects its region's first argument to be an i64 or a span over axis "
                                  << op.getAxisAttr();
    return block.getNumArguments() == 0 ? error : error << ", not " << block.getArgument(0).getType();
  }
  // parallel_c2 for_c2
  if (Operation *other = enclosingWithAxis(op, op.getAxisAttr())) {
    auto error = op.emitOpError() << "makes axis " << op.getAxisAttr() << ", which an enclosing operation makes too";
    error.attachNote(other->getLoc()) << "the other one is here";
    return error;
  }
  return success();
}

} // namespace

bool ParallelOp::isSpan() {
  return isa<SpanType>(getInductionVariable().getType());
}

void ParallelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() > 0)
    setName(region.getArgument(0), getAxis());
}

ParseResult ParallelOp::parse(OpAsmParser &parser, OperationState &result) {
  Arguments arguments;
  return failure(parseRange(parser, result, getAxisAttrName(result.name), arguments) ||
                 parseBody<ParallelOp>(parser, result, arguments));
}

void ParallelOp::print(OpAsmPrinter &printer) {
  printRange(*this, printer);
  printBody(*this, printer);
}

LogicalResult ParallelOp::verify() {
  if (failed(verifyRange(*this)))
    return failure();
  // parallel_c1
  if (getBody().getNumArguments() != 1)
    return emitOpError() << "expects its region to have one argument, not " << getBody().getNumArguments();
  // parallel_c3
  if (unsigned yielded = getBody().front().getTerminator()->getNumOperands())
    return emitOpError() << "expects its region to yield nothing, not " << yielded << " values";
  // parallel_c4
  Operation *parent = (*this)->getParentOp();
  bool isPart = parent->getDialect() != (*this)->getDialect() && isa_and_nonnull<KernelOp>(parent->getParentOp());
  if (!isa<KernelOp, ParallelOp>(parent) && !isPart)
    return emitOpError("expects to stand in a tile.kernel or a tile.parallel");
  return success();
}

bool ForOp::isSpan() {
  return isa<SpanType>(getInductionVariable().getType());
}

void ForOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  if (region.getNumArguments() > 0)
    setName(region.getArgument(0), getAxis());
}

SmallVector<Region *> ForOp::getLoopRegions() {
  return {&getBody()};
}
MutableArrayRef<OpOperand> ForOp::getInitsMutable() {
  return getInitialMutable();
}
Block::BlockArgListType ForOp::getRegionIterArgs() {
  return getCarried();
}
std::optional<MutableArrayRef<OpOperand>> ForOp::getYieldedValuesMutable() {
  return getBody().front().getTerminator()->getOpOperands();
}
std::optional<ResultRange> ForOp::getLoopResults() {
  return getResults();
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Arguments arguments;
  return failure(parseRange(parser, result, getAxisAttrName(result.name), arguments) ||
                 parseCarried(parser, result, arguments) || parseBody<ForOp>(parser, result, arguments));
}

void ForOp::print(OpAsmPrinter &printer) {
  printRange(*this, printer);
  if (!getInitial().empty()) {
    printer << " carries (";
    llvm::interleaveComma(llvm::zip(getCarried(), getInitial()), printer,
                          [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
    printer << ") : " << getInitial().getTypes();
  }
  printBody(*this, printer);
}

LogicalResult ForOp::verify() {
  if (failed(verifyRange(*this)))
    return failure();
  // for_c3
  TypeRange expected = getInitial().getTypes();
  auto check = [&](TypeRange found, StringRef what) -> LogicalResult {
    if (llvm::equal(found, expected))
      return success();
    return emitOpError() << "carries (" << expected << "), but its " << what << " are (" << found << ")";
  };
  return failure(failed(check(ValueRange(getCarried()).getTypes(), "region's arguments")) ||
                 failed(check(getBody().front().getTerminator()->getOperandTypes(), "yielded values")) ||
                 failed(check(getResultTypes(), "results")));
}

void SpanOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getSpan(), getSpan().getType().getAxis().getValue());
}

void YieldOp::build(OpBuilder &, OperationState &) {}

// --------------------------------------------------------------------------------------------------------------------
// fold and scan
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// `%a, %b over %k : (types), span -> (types) attributes? combine (%a1: f32, …) { … }`
template <typename CombineOp> ParseResult parseCombine(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> states;
  OpAsmParser::UnresolvedOperand span;
  SmallVector<Type> stateTypes;
  Type spanType;
  Arguments arguments;
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseOperandList(states) || parser.parseKeyword("over") || parser.parseOperand(span) || parser.parseColon() ||
      parser.parseLParen() || parser.parseTypeList(stateTypes) || parser.parseRParen() || parser.parseComma() ||
      parser.parseType(spanType) || parser.parseArrow() || parser.parseLParen() || parser.parseTypeList(result.types) ||
      parser.parseRParen() || parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseKeyword("combine") ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true))
    return failure();
  if (parser.resolveOperands(states, stateTypes, where, result.operands) ||
      parser.resolveOperand(span, spanType, result.operands))
    return failure();
  Region *combiner = result.addRegion();
  if (parser.parseRegion(*combiner, arguments))
    return failure();
  CombineOp::ensureTerminator(*combiner, parser.getBuilder(), result.location);
  return success();
}

template <typename CombineOp> void printCombine(CombineOp op, OpAsmPrinter &printer) {
  printer << ' ' << op.getStates() << " over " << op.getSpan() << " : (" << op.getStates().getTypes() << "), "
          << op.getSpan().getType() << " -> (" << op.getResultTypes() << ")";
  printer.printOptionalAttrDictWithKeyword(op->getAttrs());
  printer << " combine (";
  llvm::interleaveComma(op.getCombiner().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(op.getCombiner(), /*printEntryBlockArgs=*/false);
}

SmallVector<Type> elementTypes(TypeRange types) {
  return llvm::map_to_vector(types, [](Type type) { return getElementTypeOrSelf(type); });
}

template <typename CombineOp> LogicalResult verifyCombine(CombineOp op) {
  // fold_c1 scan_c1
  if (op.getStates().empty())
    return op.emitOpError("expects at least one state");
  Type first = op.getStates().front().getType();
  for (Type type : op.getStates().getTypes())
    if (withElement(type, getElementTypeOrSelf(first)) != first)
      return op.emitOpError() << "expects all states to have the same axes, but they are " << first << " and " << type;
  // fold_c2 scan_c2
  SpanType span = op.getSpan().getType();
  int64_t position = positionOfAxis(first, span.getAxis());
  if (position < 0 || cast<RankedTensorType>(first).getDimSize(position) != span.getCapacity())
    return op.emitOpError() << "expects the span's axis, " << span.getAxis() << " of capacity " << span.getCapacity()
                            << ", to be one of " << first;
  // fold_c3 scan_c3
  SmallVector<Type> state = elementTypes(op.getStates().getTypes());
  SmallVector<Type> twice = llvm::to_vector(llvm::concat<Type>(state, state));
  TypeRange arguments = op.getCombiner().getArgumentTypes();
  if (!llvm::equal(arguments, twice))
    return op.emitOpError() << "expects its region to take (" << twice << "), not (" << arguments << ")";
  TypeRange yielded = op.getCombiner().front().getTerminator()->getOperandTypes();
  if (!llvm::equal(yielded, state))
    return op.emitOpError() << "expects its region to yield (" << state << "), not (" << yielded << ")";
  return success();
}

/// Layouts are the target's business.
LogicalResult verifyResults(Operation *op, ArrayRef<Type> expected) {
  if (llvm::equal(op->getResultTypes(), expected, [](Type found, Type wanted) {
        return withLayout(found, {}) == withLayout(wanted, {});
      }))
    return success();
  return op->emitOpError() << "expects results of types (" << expected << "), not (" << op->getResultTypes() << ")";
}

} // namespace

ParseResult FoldOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseCombine<FoldOp>(parser, result);
}
void FoldOp::print(OpAsmPrinter &printer) {
  printCombine(*this, printer);
}
LogicalResult FoldOp::verify() {
  if (failed(verifyCombine(*this)))
    return failure();
  // fold_c4
  StringAttr axis = getSpan().getType().getAxis();
  return verifyResults(*this, llvm::map_to_vector(getStates().getTypes(), [&](Type type) { return withoutAxes(type, axis); }));
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseCombine<ScanOp>(parser, result);
}
void ScanOp::print(OpAsmPrinter &printer) {
  printCombine(*this, printer);
}
LogicalResult ScanOp::verify() {
  if (failed(verifyCombine(*this)))
    return failure();
  // scan_c4
  return verifyResults(*this, llvm::to_vector(getStates().getTypes()));
}

} // namespace tilewright::tile
