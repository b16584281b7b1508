#include "dialects/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "dialects/Tile/TileDialect.cpp.inc"

namespace tilewright::tile {

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Tile/TileOps.cpp.inc"
      >();
}

/// What a fold found, as an operation.
mlir::Operation *TileDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value, mlir::Type type,
                                                  mlir::Location location) {
  return mlir::arith::ConstantOp::materialize(builder, value, type, location);
}

} // namespace tilewright::tile
