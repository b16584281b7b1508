#include "compiler/analysis/ComputedOperand.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright {

namespace {

int64_t rankOf(Type tile) {
  return static_cast<int64_t>(tile::axesOf(tile).size());
}

bool isElementwise(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 1 && isPure(op) &&
         (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) || isa<tile::CastOp, tile::FloorDivOp, tile::FloorModOp>(op));
}

class Collector {
public:
  Collector(tile::ForOp loop, Location &where, std::string &why) : loop(loop), where(where), why(why) {}

  ComputedOperand found;

  bool visit(Value value) {
    if (!seen.insert(value).second)
      return true;
    Operation *op = value.getDefiningOp();
    if (!tile::isTile(value.getType()) && !(op && loop->isAncestor(op)))
      return true;
    if (!op)
      return refuse(value.getLoc(), "its operand is computed of what a loop carries");
    if (auto load = dyn_cast<tile::LoadOp>(op))
      return visitLoad(load);
    bool isScalar = !tile::isTile(value.getType()) && isPure(op) && op->getNumRegions() == 0;
    if (!isScalar && !isa<tile::IndexOp, tile::BroadcastOp>(op) && !isElementwise(op))
      return refuse(op->getLoc(), "its operand is computed by more than elementwise operations");
    return llvm::all_of(op->getOperands(), [&](Value operand) { return visit(operand); });
  }

private:
  tile::ForOp loop;
  Location &where;
  std::string &why;
  llvm::DenseSet<Value> seen;

  bool refuse(Location location, std::string reason) {
    where = location;
    why = std::move(reason);
    return false;
  }

  bool visitLoad(tile::LoadOp load) {
    if (load.getView().getType().getAccess() != tile::Access::In)
      return refuse(load.getLoc(), "its operand is computed of a view that the kernel writes");
    int64_t rank = tile::isTile(load.getType()) ? rankOf(load.getType()) : 0;
    if (rank == 2) {
      if (load->getParentOp() != loop)
        return refuse(load.getLoc(), "its operand is, or is computed of, a tile that is not loaded in its loop");
      found.tiles.push_back(load);
      return true;
    }
    if (rank > 2)
      return refuse(load.getLoc(), "its operand is computed of a tile of more than two axes");
    found.others.push_back(load);
    return llvm::all_of(load->getOperands(), [&](Value operand) { return visit(operand); });
  }
};

/// Values of scalar copies of an expression's operations, by folding.
class ZeroFolder {
public:
  explicit ZeroFolder(StringAttr axis) : axis(axis) {}
  // Copies use one another.
  ~ZeroFolder() { copies.dropAllReferences(); }

  Attribute fold(Value value) {
    auto [entry, isNew] = known.try_emplace(value, Attribute());
    if (!isNew)
      return entry->second;
    Attribute result = compute(value);
    known[value] = result;
    return result;
  }

private:
  StringAttr axis;
  Block copies;
  llvm::DenseMap<Value, Attribute> known;

  Attribute compute(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    Type element = getElementTypeOrSelf(value.getType());
    OpBuilder builder(value.getContext());
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      bool isAlong = tile::isTile(load.getType()) && tile::positionOfAxis(load.getType(), axis) >= 0 && !load.getOtherwise();
      return isAlong ? builder.getZeroAttr(element) : Attribute();
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      return splat ? splat.getSplatValue<Attribute>() : Attribute(constant.getValue());
    }
    if (isa<tile::BroadcastOp>(op))
      return fold(op->getOperand(0));
    if (!isElementwise(op))
      return {};
    builder.setInsertionPointToEnd(&copies);
    SmallVector<Attribute> attributes;
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      auto attribute = dyn_cast_or_null<TypedAttr>(fold(operand));
      if (!attribute)
        return {};
      attributes.push_back(attribute);
      operands.push_back(arith::ConstantOp::create(builder, op->getLoc(), attribute));
    }
    Operation *copy = op->cloneWithoutRegions();
    copy->setOperands(operands);
    copy->getResult(0).setType(element);
    builder.insert(copy);
    SmallVector<OpFoldResult> results;
    if (failed(copy->fold(attributes, results)) || results.empty())
      return {};
    if (auto attribute = dyn_cast<Attribute>(results.front()))
      return attribute;
    auto position = llvm::find(operands, cast<Value>(results.front()));
    return position == operands.end() ? Attribute() : attributes[position - operands.begin()];
  }
};

} // namespace

std::optional<ComputedOperand> computedOperand(Value operand, tile::ForOp loop, Location &where, std::string &why) {
  Collector collector(loop, where, why);
  if (!collector.visit(operand))
    return std::nullopt;
  if (!collector.found.tiles.empty())
    return collector.found;
  where = operand.getLoc();
  why = "its operand is not computed of tiles that are loaded in its loop";
  return std::nullopt;
}

bool isFiniteOfZeros(Value operand, StringAttr axis) {
  auto value = dyn_cast_or_null<FloatAttr>(ZeroFolder(axis).fold(operand));
  return value && value.getValue().isFinite();
}

} // namespace tilewright
