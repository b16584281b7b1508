// Products that warpgroups start and wait for.
//
// A descriptor says where an operand lies in shared memory (PTX ISA, "Matrix descriptor"): the address without its last four bits,
// the distances of the 8-row groups, 1,024 bytes under a swizzle of 128 bytes, and of the panels if the operand spans several of them
// along rows or columns. A step of 16 along the summed axis is a step of the address: 32 bytes within a panel, 2,048 where the summed
// axis is not the contiguous one. The swizzle is of address bits, so such steps need no more than the sum.
//
// Results are in flight until the wait that covers them. Its assembly takes them and gives them back, so that no reader can be moved
// before it.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

using tilegpu::BufferType;

namespace {

constexpr int64_t panelBytes = 128, groupBytes = 8 * panelBytes, stepElements = 16, blockRows = 64;

/// An operand as descriptors name it.
struct Operand {
  BufferType buffer;
  bool isDepthContiguous;
  int64_t panelPitch; ///< bytes from one panel to the next
  Value descriptor;   ///< i64, of the first element

  /// What a step along the summed axis, and a place along the other, add to the descriptor.
  int64_t offset(int64_t step, int64_t place) const {
    int64_t bytes = isDepthContiguous ? (step / 4) * panelPitch + (step % 4) * 32 + place * panelBytes
                                      : (place / 64) * panelPitch + step * stepElements * panelBytes;
    return bytes >> 4;
  }
};

class WgmmaEmitter {
public:
  WgmmaEmitter(Emitter &emitter, tilegpu::WgmmaOp op)
      : emitter(emitter), op(op), builder(emitter.builder), type(op.getResult().getType()) {
    layout::DistributedLayout layout = layoutAttr(type).getValue();
    columns = layout.shape()[1];
    std::map<std::pair<int64_t, int64_t>, int64_t> registerAt;
    for (int64_t number = 0; number < layout.registers(); ++number) {
      layout::Coordinates element = layout.elementAt({number, 0, 0});
      registerAt[{element[0], element[1]}] = number;
    }
    for (auto [place, number] : registerAt) {
      auto [row, column] = place;
      if (column != 0 || row % 16 != 0)
        continue;
      Block &block = blocks.emplace_back(Block{row, {}});
      for (int64_t first = 0; first < columns; first += 8)
        for (int64_t half : {0, 8})
          for (int64_t next : {0, 1})
            block.registers.push_back(registerAt.at({row + half, first + next}));
    }
    for (StringAttr axis : tile::axesOf(op.getLhs().getType().getTile()))
      if (tile::positionOfAxis(op.getRhs().getType().getTile(), axis) >= 0)
        depthAxis = axis;
  }

  void run() {
    // Warpgroups of a group share its tile: each has 64 rows of every block of rows.
    Value warpgroup = builder.createOrFold<arith::ShRUIOp>(emitter.warp(), emitter.constant32(2));
    Operand lhs = makeOperand(op.getLhs(), emitter.warps() > 4 ? warpgroup : Value()), rhs = makeOperand(op.getRhs(), {});
    RankedTensorType lhsTile = lhs.buffer.getTile();
    int64_t depth = tilegpu::paddedExtent(lhsTile.getDimSize(tile::positionOfAxis(lhsTile, depthAxis)));
    Registers result(layoutAttr(type).getValue().registers());
    auto structType = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(columns / 2, builder.getF32Type()));
    SmallVector<Value> sums;
    for (const Block &block : blocks) {
      Value sum = LLVM::UndefOp::create(builder, structType);
      if (op.getAccumulator()) {
        Registers accumulator = emitter.registers(op.getAccumulator());
        for (auto [position, number] : llvm::enumerate(block.registers))
          sum = LLVM::InsertValueOp::create(builder, sum, accumulator[number], static_cast<int64_t>(position));
      }
      sums.push_back(sum);
    }
    NVVM::WgmmaFenceAlignedOp::create(builder);
    for (int64_t step = 0; step < depth / stepElements; ++step)
      for (auto [block, sum] : llvm::zip(blocks, sums))
        sum = multiply(lhs, rhs, step, block.row, sum, /*isFirst=*/step == 0 && !op.getAccumulator());
    NVVM::WgmmaGroupSyncAlignedOp::create(builder);
    for (auto [block, sum] : llvm::zip(blocks, sums))
      for (auto [position, number] : llvm::enumerate(block.registers))
        result[number] = LLVM::ExtractValueOp::create(builder, sum, static_cast<int64_t>(position));
    emitter.setRegisters(op.getResult(), std::move(result));
  }

private:
  /// What one instruction forms: 64 rows over a warpgroup.
  struct Block {
    int64_t row; ///< what the registers add to the warps' rows
    SmallVector<int64_t> registers; ///< in the instruction's order
  };

  Emitter &emitter;
  tilegpu::WgmmaOp op;
  ImplicitLocOpBuilder &builder;
  Type type;
  int64_t columns = 0;
  SmallVector<Block> blocks;
  StringAttr depthAxis;

  /// `part`: which 64 rows of the buffer's are this thread's (null: the first).
  Operand makeOperand(Value value, Value part) {
    auto buffer = cast<BufferType>(value.getType());
    int64_t contiguous = buffer.getContiguous();
    bool isDepthContiguous = tile::axesOf(buffer.getTile())[contiguous] == depthAxis;
    Operand operand{buffer, isDepthContiguous, buffer.getPaddedShape()[1 - contiguous] * panelBytes, {}};
    Value address = LLVM::PtrToIntOp::create(builder, builder.getI32Type(), bufferAddress(emitter, value));
    if (part)
      address = emitter.add(address, emitter.mul(part, emitter.constant32(isDepthContiguous ? blockRows * panelBytes : operand.panelPitch)));
    address = arith::AndIOp::create(builder, address, emitter.constant32(0x3ffff));
    address = emitter.toI64(arith::ShRUIOp::create(builder, address, emitter.constant32(4)));
    int64_t leading = isDepthContiguous ? 0 : operand.panelPitch;
    int64_t fields = (int64_t(1) << 62) | ((groupBytes >> 4) << 32) | ((leading >> 4) << 16);
    operand.descriptor = arith::OrIOp::create(builder, address, emitter.constant(fields));
    return operand;
  }

  Value multiply(const Operand &lhs, const Operand &rhs, int64_t step, int64_t row, Value sum, bool isFirst) {
    // Rows of a block of registers: as many as the group's warps have, 64 for each warpgroup.
    auto layoutOf = [](const Operand &operand, NVVM::MMALayout contiguous, NVVM::MMALayout other) { return operand.isDepthContiguous ? contiguous : other; };
    Value a = emitter.add(lhs.descriptor, emitter.constant(lhs.offset(step, row))), b = emitter.add(rhs.descriptor, emitter.constant(rhs.offset(step, 0)));
    auto types = lhs.buffer.getTile().getElementType().isBF16() ? NVVM::WGMMATypes::bf16 : NVVM::WGMMATypes::f16;
    auto shape = NVVM::MMAShapeAttr::get(builder.getContext(), 64, static_cast<int>(columns), 16);
    return NVVM::WgmmaMmaAsyncOp::create(builder, sum.getType(), sum, a, b, shape, types, types, NVVM::WGMMATypes::f32,
                                         isFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
                                         layoutOf(lhs, NVVM::MMALayout::row, NVVM::MMALayout::col), layoutOf(rhs, NVVM::MMALayout::col, NVVM::MMALayout::row),
                                         NVVM::MMAIntOverflowAttr());
  }
};

} // namespace

void emitWgmma(Emitter &emitter, tilegpu::WgmmaOp op) {
  WgmmaEmitter(emitter, op).run();
}

void emitWgmmaWait(Emitter &emitter, tilegpu::WgmmaWaitOp op) {
  ImplicitLocOpBuilder &builder = emitter.builder;
  if (op.getAccumulators().empty()) {
    NVVM::WgmmaWaitGroupSyncOp::create(builder, static_cast<uint64_t>(op.getPending()));
    return;
  }
  Registers all;
  for (Value accumulator : op.getAccumulators())
    llvm::append_range(all, emitter.registers(accumulator));
  std::string constraints;
  for (size_t number = 0; number < all.size(); ++number)
    constraints += number == 0 ? "=f" : ",=f";
  for (size_t number = 0; number < all.size(); ++number)
    constraints += "," + std::to_string(number);
  auto structType = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(all.size(), builder.getF32Type()));
  Value waited = LLVM::InlineAsmOp::create(builder, structType, all, "wgmma.wait_group.sync.aligned 0;", constraints, /*has_side_effects=*/true,
                                           /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                           LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
                     .getRes();
  int64_t position = 0;
  for (Value value : op.getValues()) {
    Registers registers;
    for (int64_t number = 0; number < layoutAttr(value.getType()).getValue().registers(); ++number)
      registers.push_back(LLVM::ExtractValueOp::create(builder, waited, position++));
    emitter.setRegisters(value, std::move(registers));
  }
}

} // namespace tilewright::gpu
