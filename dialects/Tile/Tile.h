// The tile dialect: everything a user of it includes. TileOps.td is its manual.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Tile/TileDialect.h.inc"
#include "dialects/Tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/TileAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/TileTypes.h.inc"

namespace tilewright::tile {

/// A tensor whose encoding is #tile.axes.
bool isTile(mlir::Type type);
/// The element type of one of the language's dtypes (u8 is i8, bool is i1).
bool isDType(mlir::Type type);
/// A dtype: a tile without axes.
bool isScalar(mlir::Type type);
bool isTileOrScalar(mlir::Type type);
/// A vector of a dtype: a piece of a tile, once a target has cut it.
bool isVector(mlir::Type type);
/// The axes of a tile, none for a scalar.
llvm::ArrayRef<mlir::StringAttr> axesOf(mlir::Type type);
/// The position of an axis in a tile, or -1.
int64_t positionOfAxis(mlir::Type type, mlir::StringAttr axis);
/// A tile over the given spans, or `element` alone if there are none.
mlir::Type tileType(mlir::Type element, llvm::ArrayRef<SpanType> spans);
/// A type with the same axes and another element type.
mlir::Type withElement(mlir::Type type, mlir::Type element);
/// The layout that a target gave a tile, or null; and the same tile with another one (null: none).
mlir::Attribute layoutOf(mlir::Type type);
mlir::Type withLayout(mlir::Type type, mlir::Attribute layout);
/// A type without some of its axes, and without a layout: its element type alone if no axis is left.
mlir::Type withoutAxes(mlir::Type type, llvm::ArrayRef<mlir::StringAttr> axes);

} // namespace tilewright::tile

#define GET_OP_CLASSES
#include "dialects/Tile/TileOps.h.inc"
