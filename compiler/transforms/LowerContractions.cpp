// lower-contractions: products of tiles at the speed of a BLAS.
//
// out[i, j] += sum over k of x[i, k] w[j, k], for tiles of some hundred rows, columns and k, in three levels (Goto and van de
// Geijn, "Anatomy of high-performance matrix multiplication", 2008):
//
//   registers  A block of 8 rows x 32 columns of `out` stays in 16 vector registers while k runs: per k two vectors of w are
//              loaded, eight elements of x broadcast, and sixteen fma done. Enough of them are independent to hide their
//              latency, and loads are fewer than fma.
//   panels     So that these loads follow each other in memory, whatever the strides of x and w are, both are copied first
//              ("packed"), converted to the accumulator's type: w into panels [k][32], by transposing squares in registers if
//              it is contiguous along k; x into [8][k] or [k][8], whichever is a copy of vectors.
//   caches     One panel of w (32 KiB at a depth of 256) is packed at a time and meets all panels of x, which stay in the L2
//              cache (256 KiB for 256 rows) with the accumulator.
//
// Where an axis ends inside a block, the panel repeats the last row or column; the results there are written into the
// accumulator buffer beyond the existing elements, where garbage is allowed. A buffer that has no room for whole blocks gets a
// copy at its edge. k runs exactly over its extent: nothing that does not exist is multiplied.
//
// Which factor is "rows" and which "columns" follows from the accumulator alone (columns are its contiguous axis), so exchanged
// products cost the same. Further axes of the factors, and all but the longest of the summed ones, are loops around this.
//
// Measured against OpenBLAS's kernels for the same processor (EPYC with AVX-512; f32, 1024^3, one thread): 0.96 to 1.02 of
// SkylakeX with tiles from 128 x 128 to 512 x 512 and k by 256; with AVX2 alone 0.89 of Haswell, 0.93 with a number of rows
// that 6 divides.

#include "compiler/transforms/LowerContractionsBlocks.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "lower-contractions"

namespace tilewright {

#define GEN_PASS_DEF_LOWERCONTRACTIONS
#include "compiler/transforms/Passes.h.inc"

namespace linalg = mlir::linalg;
namespace memref = mlir::memref;

namespace {

using namespace contraction;

constexpr llvm::StringLiteral dotAttribute = "tilewright.dot";

class Lowering {
public:
  Lowering(mlir::OpBuilder &builder, const Contraction &contraction, const Blocking &blocking)
      : code(builder, builder.getInsertionPoint()->getLoc()), contraction(contraction), blocking(blocking),
        rowPacker(code, contraction, blocking, contraction.rows, contraction.row),
        columnPacker(code, contraction, blocking, contraction.columns, contraction.column), point(contraction.extents.size()) {}

  /// Packing and blocks inside loops over what is neither row nor column.
  void run() {
    rowPanels = allocateRowPanels();
    columnPanel = allocate({blocking.depth, blocking.columns});
    code.forEach(contraction.batch, contraction, point, [&] {
      code.forEach(contraction.outerSums, contraction, point, [&] { forEachDepth([&](Depth depth) { addProduct(depth); }); });
    });
  }

private:
  mlir::Value allocate(llvm::ArrayRef<int64_t> shape) {
    return memref::AllocOp::create(code.builder, code.loc, mlir::MemRefType::get(shape, contraction.element));
  }

  /// [outer rows …][panel][row][k], or with the last two exchanged.
  mlir::Value allocateRowPanels() {
    llvm::SmallVector<int64_t> shape;
    for (unsigned dim : contraction.outerRows)
      shape.push_back(contraction.capacities[dim]);
    shape.push_back(llvm::divideCeil(contraction.capacities[contraction.row], blocking.rows));
    bool isDepthMajor = rowPacker.isContiguousAlongFree();
    shape.push_back(isDepthMajor ? blocking.depth : blocking.rows);
    shape.push_back(isDepthMajor ? blocking.rows : blocking.depth);
    return allocate(shape);
  }

  void forEachDepth(llvm::function_ref<void(Depth)> body) {
    Expr extent = code.wrap(contraction.extents[contraction.sum]);
    int64_t capacity = contraction.capacities[contraction.sum];
    if (capacity != unknown && capacity <= blocking.depth)
      return body({code.index(0), extent});
    code.forEach(extent, blocking.depth,
                 [&](Expr start) { body({start, minimum(extent - start, code.index(blocking.depth))}); });
  }

  void addProduct(Depth depth) {
    forEachRowPanel([&](const Packer::Panel &panel, Expr row) { rowPacker.pack(panel, point, row, blocking.rows, depth); });
    code.forEach(contraction.outerColumns, contraction, point, [&] {
      code.forEach(contraction.extents[contraction.column], blocking.columns, [&](Expr column) {
        columnPacker.pack({columnPanel, {}, /*isDepthMajor=*/true}, point, column, blocking.columns, depth);
        forEachRowPanel([&](const Packer::Panel &panel, Expr row) {
          emitMicroKernel(code, contraction, blocking, panel, columnPanel, point, row, column, depth.length);
        });
      });
    });
  }

  void forEachRowPanel(llvm::function_ref<void(const Packer::Panel &, Expr)> body) {
    code.forEach(contraction.outerRows, contraction, point, [&] {
      Expr panels = quotientUp(code.wrap(contraction.extents[contraction.row]), blocking.rows);
      code.forEach(panels, 1, [&](Expr index) {
        Packer::Panel panel{rowPanels, {}, rowPacker.isContiguousAlongFree()};
        for (unsigned dim : contraction.outerRows)
          panel.prefix.push_back(point[dim]);
        panel.prefix.push_back(index);
        body(panel, index * blocking.rows);
      });
    });
  }

  Code code;
  const Contraction &contraction;
  const Blocking &blocking;
  Packer rowPacker, columnPacker;
  Point point;
  mlir::Value rowPanels, columnPanel;
};

void eraseUnused(llvm::ArrayRef<mlir::Value> values) {
  for (mlir::Value value : values)
    if (mlir::Operation *op = value.getDefiningOp(); op && mlir::isOpTriviallyDead(op))
      op->erase();
}

struct LowerContractions : impl::LowerContractionsBase<LowerContractions> {
  using LowerContractionsBase::LowerContractionsBase;

  void runOnOperation() override {
    llvm::SmallVector<linalg::GenericOp> products;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->hasAttr(dotAttribute))
        products.push_back(op);
    });
    for (linalg::GenericOp op : products)
      lower(op);
  }

  void lower(linalg::GenericOp op) {
    std::string whyNot;
    std::optional<Contraction> contraction = findContraction(op, whyNot);
    std::optional<Blocking> blocking;
    if (contraction)
      blocking = chooseBlocking(*contraction, vectorBits, whyNot);
    if (!blocking) {
      if (contraction)
        eraseUnused(contraction->extents);
      mlir::remark::missed(op.getLoc(), mlir::remark::RemarkOpts::name("plain loops").category(DEBUG_TYPE)) << whyNot;
      return;
    }
    mlir::OpBuilder builder(op);
    Lowering(builder, *contraction, *blocking).run();
    op.erase();
  }
};

} // namespace
} // namespace tilewright
