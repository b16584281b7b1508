// From the typed tree to the tile dialect: the kernel, its parameters and its grid.
//
//   kernel twice(a: f32[N], c: out f32[N])         tile.kernel @twice(%a: …, %c: …, %N: i64) dimensions = 1 {
//   over (n in N by 256) {                           %c0 = arith.constant 0 : i64
//     c[n] = a[n] + a[n];                     ⇒      tile.parallel "n" %n: !tile.span<"n", 256> in %c0 to %N {
//   }                                                  %t = tile.index %n … tile.load … arith.addf … tile.store
//                                                    }
//                                                  }
//
// What is emitted is plain: each use of a span makes its index tile anew, each product starts from zeros. Canonicalization and
// CSE clean up, so nothing here remembers what it has emitted.
#include "compiler/frontend/EmitTileEmitter.h"

#include "dialects/Tile/PackRuns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>

using namespace mlir;

namespace tilewright::frontend {

using namespace typed;

EmittedKernel emitTile(const Kernel &kernel, const EmitOptions &options, MLIRContext &context) {
  return TileEmitter(kernel, options, context).emit();
}

TileEmitter::TileEmitter(const Kernel &kernel, const EmitOptions &options, MLIRContext &context)
    : kernel(kernel), options(options), context(context), builder(&context), where(UnknownLoc::get(&context)) {
  context.loadDialect<tile::TileDialect>(); // and those that it depends on
}

EmittedKernel TileEmitter::emit() {
  where = location(kernel.where);
  result.module = ModuleOp::create(where);
  builder.setInsertionPointToEnd(result.module->getBody());
  emitKernel();
  if (failed || mlir::failed(verify(*result.module)))
    result.module = {};
  return std::move(result);
}

// --------------------------------------------------------------------------------------------------------------------
// The kernel around the body
// --------------------------------------------------------------------------------------------------------------------

namespace {

bool isPresent(const View &view) {
  return view.presence != View::Presence::Absent;
}

tile::Access accessOf(const View &view) {
  switch (view.access) {
  case ast::Parameter::Access::In:
    return tile::Access::In;
  case ast::Parameter::Access::Out:
    return tile::Access::Out;
  case ast::Parameter::Access::InOut:
    return tile::Access::InOut;
  }
  return tile::Access::In;
}

/// Its name, or the number that it is known to be.
std::string dimensionText(const Kernel &kernel, const ViewDimension &dimension) {
  if (dimension.kind == ast::Dimension::Kind::Expression && dimension.value && dimension.value->kind == ExprKind::Constant)
    return std::to_string(dimension.value->integer);
  if (auto fixed = kernel.constants.find(dimension.name); fixed != kernel.constants.end())
    return std::to_string(fixed->second);
  return dimension.kind == ast::Dimension::Kind::Pack ? dimension.name + "..." : dimension.name;
}

} // namespace

void TileEmitter::emitKernel() {
  SmallVector<StringRef> names(kernel.dimensions.begin(), kernel.dimensions.end());
  std::vector<std::pair<unsigned, StringRef>> parameters;
  for (const auto &view : kernel.views)
    if (isPresent(*view))
      parameters.emplace_back(view->parameter, view->name);
  for (const auto &scalar : kernel.scalars)
    parameters.emplace_back(scalar->parameter, scalar->name);
  std::sort(parameters.begin(), parameters.end());
  for (auto [position, parameter] : llvm::enumerate(parameters))
    names.insert(names.begin() + position, parameter.second);

  kernelOp = tile::KernelOp::create(builder, where, kernel.name, builder.getStrArrayAttr(names), kernel.dimensions.size(),
                                    kernel.checkedMode);
  kernelOp.getBody().emplaceBlock();
  for (size_t i = 0; i < names.size(); ++i)
    kernelOp.getBody().addArgument(builder.getI64Type(), where); // bindArguments sets the types of the parameters
  bindArguments(kernelOp);
  builder.setInsertionPointToEnd(&kernelOp.getBlock());
  emitGrid(0);
}

void TileEmitter::bindArguments(tile::KernelOp op) {
  SmallVector<int64_t> packRuns(op.getBlock().getNumArguments(), 1);
  for (const auto &view : kernel.views) {
    if (!isPresent(*view))
      continue;
    BlockArgument argument = op.getArgument(view->name);
    argument.setType(viewType(*view));
    if (auto known = options.views.find(view->name); known != options.views.end())
      packRuns[argument.getArgNumber()] = known->second.packRun;
    argument.setLoc(location(view->where));
    views[view.get()] = argument;
  }
  for (const auto &scalar : kernel.scalars) {
    BlockArgument argument = op.getArgument(scalar->name);
    argument.setType(elementType(scalar->dtype));
    argument.setLoc(location(scalar->where));
    scalars[scalar.get()] = argument;
  }
  for (const std::string &name : kernel.dimensions)
    dimensions[name] = op.getArgument(name);
  if (llvm::any_of(packRuns, [](int64_t run) { return run > 1; }))
    op->setAttr(packRunsName, builder.getDenseI64ArrayAttr(packRuns));
}

tile::ViewType TileEmitter::viewType(const View &view) {
  SmallVector<Attribute> dims;
  for (const ViewDimension &dimension : view.dimensions)
    dims.push_back(builder.getStringAttr(dimensionText(kernel, dimension)));
  ViewFacts facts{
      .unitStrideDimension = static_cast<int64_t>(dims.size()) - 1, .packRank = 1, .alignment = byteWidth(view.dtype), .packRun = 1};
  if (auto known = options.views.find(view.name); known != options.views.end())
    facts = known->second;
  Type element = view.dtype == DType::Bool ? builder.getI8Type() : elementType(view.dtype);
  return tile::ViewType::get(&context, element, builder.getArrayAttr(dims), accessOf(view), facts.unitStrideDimension,
                             facts.packRank, facts.alignment);
}

/// The grid's variables from `level` on, then the body.
void TileEmitter::emitGrid(size_t level) {
  if (level == kernel.grid.size())
    return emitBlock(kernel.body);
  const GridLevel &grid = kernel.grid[level];
  ++effectFreeDepth;
  emitBlock(grid.prelude);
  Value low = emitIndex(*grid.axis->low), high = emitIndex(*grid.axis->high);
  --effectFreeDepth;
  where = location(grid.axis->where);
  auto parallel = tile::ParallelOp::create(builder, where, low, high, grid.axis->uniqueName);
  mlir::Block &block = parallel.getBody().emplaceBlock();
  axes[grid.axis] = block.addArgument(grid.axis->isSpan ? Type(spanType(*grid.axis)) : builder.getI64Type(), where);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&block);
  enclosing.push_back(grid.axis);
  emitGrid(level + 1);
  enclosing.pop_back();
  tile::YieldOp::create(builder, location(grid.axis->where));
}

// --------------------------------------------------------------------------------------------------------------------
// Types, places, faults
// --------------------------------------------------------------------------------------------------------------------

Type TileEmitter::elementType(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return builder.getF64Type();
  case DType::F32:
    return builder.getF32Type();
  case DType::F16:
    return builder.getF16Type();
  case DType::BF16:
    return builder.getBF16Type();
  case DType::F8E4M3:
    return Float8E4M3FNType::get(&context);
  case DType::F8E5M2:
    return Float8E5M2Type::get(&context);
  case DType::I64:
    return builder.getI64Type();
  case DType::I32:
    return builder.getI32Type();
  case DType::I16:
    return builder.getIntegerType(16);
  case DType::I8:
  case DType::U8:
    return builder.getI8Type();
  case DType::Bool:
    return builder.getI1Type();
  }
  return builder.getI1Type();
}

int64_t TileEmitter::capacityOf(const Axis &axis) {
  if (axis.capacity)
    return *axis.capacity;
  if (auto given = options.capacities.find(axis.tunable); given != options.capacities.end())
    return given->second;
  fail(axis.where, llvm::Twine("the tunable ") + axis.tunable + " has no value");
  return 1;
}

tile::SpanType TileEmitter::spanType(const Axis &axis) {
  return tile::SpanType::get(&context, builder.getStringAttr(axis.uniqueName), capacityOf(axis));
}

Type TileEmitter::typeOf(const TileType &type) {
  SmallVector<tile::SpanType> spans = llvm::map_to_vector(type.axes, [&](const Axis *axis) { return spanType(*axis); });
  return tile::tileType(elementType(type.dtype), spans);
}

Location TileEmitter::location(SourceRange range) {
  if (!range.valid())
    return UnknownLoc::get(&context);
  Source::Position position = range.source->locate(range.begin);
  return FileLineColLoc::get(&context, range.source->name(), position.line, position.column);
}

void TileEmitter::fail(SourceRange range, const llvm::Twine &text) {
  emitError(location(range)) << text.str();
  failed = true;
}

} // namespace tilewright::frontend
