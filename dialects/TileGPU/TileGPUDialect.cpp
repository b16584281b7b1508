#include "dialects/TileGPU/TileGPU.h"

#include "dialects/TileGPU/TileGPUDialect.cpp.inc"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {

/// Layouts are long: each is printed once, at the top.
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &stream) const final {
    if (!isa<DistributedAttr>(attribute))
      return AliasResult::NoAlias;
    stream << "layout";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void TileGPUDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/TileGPU/TileGPUOps.cpp.inc"
      >();
  addInterfaces<Aliases>();
}

} // namespace tilewright::tilegpu
