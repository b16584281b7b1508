#include "compiler/analysis/TensorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <vector>

using namespace mlir;

namespace tilewright {

const TensorAccess::Dimension *TensorAccess::along(StringAttr axis) const {
  auto found = llvm::find_if(dimensions, [&](const Dimension &dimension) { return dimension.axis == axis; });
  return found == dimensions.end() ? nullptr : found;
}

std::optional<TensorAccess> tensorAccess(tile::ViewType view, ValueRange indices, ArrayRef<bool> compare, std::string &why, int64_t run) {
  auto refuse = [&](std::string reason) -> std::optional<TensorAccess> {
    why = std::move(reason);
    return std::nullopt;
  };
  int64_t unit = view.getUnitStride(), split = splitDimension(view);
  constexpr int64_t mostDimensions = 5, neededAlignment = 16, shortestRun = 16;
  if (split >= 0 && run < shortestRun)
    return refuse("its rows are not one distance apart, and what lies between the jumps is not known to be a multiple of 16");
  if (unit < 0)
    return refuse("none of its dimensions is known to have stride 1");
  if (view.getAlignment() < neededAlignment)
    return refuse("its rows are not known to be aligned to 16 bytes");
  if (view.getRank() + view.getPackRank() - 1 > mostDimensions)
    return refuse("it has more than 5 dimensions");
  if (llvm::is_contained(compare, true))
    return refuse("its indices are compared with its extents");
  TensorAccess access;
  for (int64_t dimension = view.getRank(); dimension-- > 0;) {
    std::optional<LinearForm> form = linearForm(indices[dimension]);
    if (!form)
      return refuse("it is indexed by what is computed or loaded");
    TensorAccess::Dimension here{dimension, *form, {}};
    for (const Monomial &term : *form) {
      if (!term.axis)
        continue;
      if (here.axis)
        return refuse("one of its dimensions is indexed by two spans");
      if (term.factor != 1 || !term.scalars.empty())
        return refuse("one of its indices does not step by one");
      here.axis = term.axis;
    }
    if (here.axis && access.along(here.axis))
      return refuse("two of its dimensions are indexed by one span");
    if (dimension == split) {
      here.run = run;
      if (here.axis && here.index.size() > 1)
        return refuse("its rows are not one distance apart, and begin elsewhere than a span");
    }
    if (dimension == unit)
      access.dimensions.insert(access.dimensions.begin(), here);
    else
      access.dimensions.push_back(here);
  }
  if (!access.dimensions.front().axis)
    return refuse("its dimension of stride 1 is not indexed by a span");
  return access;
}

namespace {

/// A number that is not known when the kernel is compiled, as a sum of products; equal ones have equal keys.
using Polynomial = std::map<std::vector<void *>, int64_t>;

void add(Polynomial &sum, const Polynomial &other, int64_t factor) {
  for (const auto &[scalars, coefficient] : other)
    sum[scalars] += factor * coefficient;
}

Polynomial product(const Polynomial &lhs, const Polynomial &rhs) {
  Polynomial result;
  for (const auto &[left, coefficient] : lhs)
    for (const auto &[right, other] : rhs) {
      std::vector<void *> both(left);
      both.insert(both.end(), right.begin(), right.end());
      llvm::sort(both);
      result[both] += coefficient * other;
    }
  return result;
}

Polynomial polynomial(Value scalar) {
  APInt value;
  if (matchPattern(scalar, m_ConstantInt(&value)))
    return {{{}, value.getSExtValue()}};
  if (auto sum = scalar.getDefiningOp<arith::AddIOp>()) {
    Polynomial result = polynomial(sum.getLhs());
    add(result, polynomial(sum.getRhs()), 1);
    return result;
  }
  if (auto difference = scalar.getDefiningOp<arith::SubIOp>()) {
    Polynomial result = polynomial(difference.getLhs());
    add(result, polynomial(difference.getRhs()), -1);
    return result;
  }
  if (auto multiple = scalar.getDefiningOp<arith::MulIOp>())
    return product(polynomial(multiple.getLhs()), polynomial(multiple.getRhs()));
  return {{{scalar.getAsOpaquePointer()}, 1}};
}

/// The extent of a view's dimension: a constant, or a dimension of the kernel; nothing if it is computed.
std::optional<Polynomial> extentOf(tile::KernelOp kernel, tile::ViewType view, int64_t number) {
  StringRef name = cast<StringAttr>(view.getDims()[number]).getValue();
  name.consume_back("..."); // a pack, whose extent is that of all its parts
  int64_t constant = 0;
  if (!name.empty() && !name.getAsInteger(10, constant))
    return Polynomial{{{}, constant}};
  for (auto [argument, known] : llvm::zip(kernel.getBlock().getArguments(), kernel.getNames().getAsValueRange<StringAttr>()))
    if (!name.empty() && known == name && !isa<tile::ViewType>(argument.getType()))
      return polynomial(argument);
  return std::nullopt;
}

tile::KernelOp kernelOf(Value value) {
  Operation *op = value.getParentBlock()->getParentOp();
  return isa<tile::KernelOp>(op) ? cast<tile::KernelOp>(op) : op->getParentOfType<tile::KernelOp>();
}

} // namespace

bool endsWithDimension(const TensorAccess::Dimension &dimension, tile::ViewType view, Value high) {
  std::optional<Polynomial> extent = extentOf(kernelOf(high), view, dimension.number);
  return dimension.axis && dimension.index.size() == 1 && extent && *extent == polynomial(high);
}

bool reachesEnd(const TensorAccess::Dimension &dimension, tile::ViewType view, Value high) {
  tile::KernelOp kernel = kernelOf(high);
  std::optional<Polynomial> extent = extentOf(kernel, view, dimension.number);
  if (!extent)
    return false;
  Polynomial beyond = polynomial(high);
  add(beyond, *extent, -1);
  for (const Monomial &term : dimension.index) {
    Polynomial part{{{}, term.factor}};
    for (Value scalar : term.scalars)
      part = product(part, polynomial(scalar));
    if (!term.axis)
      add(beyond, part, 1);
  }
  // Extents are not negative; of other numbers nothing is known.
  llvm::DenseSet<void *> extents;
  for (BlockArgument argument : kernel.getDimensionArguments())
    extents.insert(argument.getAsOpaquePointer());
  return llvm::all_of(beyond, [&](const auto &term) {
    return term.second == 0 || (term.second > 0 && llvm::all_of(term.first, [&](void *scalar) { return extents.contains(scalar); }));
  });
}

bool coversDimension(const TensorAccess::Dimension &dimension, tile::ViewType view, Value low, Value high) {
  APInt first;
  return matchPattern(low, m_ConstantInt(&first)) && first == 0 && endsWithDimension(dimension, view, high);
}

} // namespace tilewright
