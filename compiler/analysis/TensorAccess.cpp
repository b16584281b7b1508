#include "compiler/analysis/TensorAccess.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright {

const TensorAccess::Dimension *TensorAccess::along(StringAttr axis) const {
  auto found = llvm::find_if(dimensions, [&](const Dimension &dimension) { return dimension.axis == axis; });
  return found == dimensions.end() ? nullptr : found;
}

std::optional<TensorAccess> tensorAccess(tile::ViewType view, ValueRange indices, ArrayRef<bool> compare, std::string &why) {
  auto refuse = [&](std::string reason) -> std::optional<TensorAccess> {
    why = std::move(reason);
    return std::nullopt;
  };
  int64_t unit = unitDimension(view);
  constexpr int64_t mostDimensions = 5, neededAlignment = 16;
  if (view.getPackRank() > 1)
    return refuse("its rows are not one distance apart");
  if (unit < 0)
    return refuse("none of its dimensions is known to have stride 1");
  if (view.getAlignment() < neededAlignment)
    return refuse("its rows are not known to be aligned to 16 bytes");
  if (view.getRank() > mostDimensions || view.getRank() < 2)
    return refuse("it does not have 2 to 5 dimensions");
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
    if (dimension == unit)
      access.dimensions.insert(access.dimensions.begin(), here);
    else
      access.dimensions.push_back(here);
  }
  if (!access.dimensions.front().axis)
    return refuse("its dimension of stride 1 is not indexed by a span");
  return access;
}

bool coversDimension(const TensorAccess::Dimension &dimension, tile::ViewType view, Value low, Value high) {
  APInt first;
  auto argument = dyn_cast<BlockArgument>(high);
  auto kernel = argument ? dyn_cast<tile::KernelOp>(argument.getOwner()->getParentOp()) : tile::KernelOp();
  bool isWhole = dimension.axis && dimension.index.size() == 1 && matchPattern(low, m_ConstantInt(&first)) && first == 0;
  if (!isWhole || !kernel)
    return false;
  auto name = cast<StringAttr>(kernel.getNames()[argument.getArgNumber()]).getValue();
  StringRef extent = cast<StringAttr>(view.getDims()[dimension.number]).getValue();
  extent.consume_back("..."); // a pack of one dimension of memory
  return !name.empty() && extent == name;
}

} // namespace tilewright
