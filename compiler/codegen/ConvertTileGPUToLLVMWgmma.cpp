// Products that warpgroups start and wait for.
//
// A descriptor says where an operand lies in shared memory (PTX ISA, "Matrix descriptor"): the address without its last four bits,
// the distances of the 8-row groups, 1,024 bytes under a swizzle of 128 bytes, and of the panels if the operand spans several of them
// along rows or columns. A step of an instruction along the summed axis, 32 bytes of elements, is a step of the address: 32 bytes within a
// panel, or 2,048 where the summed axis is not the contiguous one, which only elements of 16 bits may have. The swizzle is of address bits, so such steps need no more than the sum.
//
// An operand in registers (the rows') is four words for each 64 rows and step of 16. MLIR has no operation for it, so the instruction is assembly
// here. Its words are read until the wait that covers it; written step by step, each step's are computed when the step before in the
// same registers has been waited for.
//
// Results are in flight until the wait that covers them. Its assembly takes them and gives them back, so that no reader can be moved
// before it.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

using tilegpu::BufferType;

namespace {

constexpr int64_t panelBytes = 128, groupBytes = 8 * panelBytes, stepBytes = 32, blockRows = 64;
constexpr int64_t wordSteps = stepBytes / 2; ///< that a step of an operand in registers sums

NVVM::WGMMATypes unitsTypeOf(Type element) {
  if (element.isBF16())
    return NVVM::WGMMATypes::bf16;
  if (element.isF16())
    return NVVM::WGMMATypes::f16;
  if (element.isF32())
    return NVVM::WGMMATypes::tf32;
  if (isa<Float8E4M3FNType>(element))
    return NVVM::WGMMATypes::e4m3;
  return element.isInteger(8) ? NVVM::WGMMATypes::s8 : NVVM::WGMMATypes::e5m2;
}

/// An operand as descriptors name it.
struct Operand {
  BufferType buffer;
  bool isDepthContiguous;
  int64_t panelPitch; ///< bytes from one panel to the next
  Value descriptor;   ///< i64, of the first element

  /// What a step along the summed axis, and a place along the other, add to the descriptor.
  int64_t offset(int64_t step, int64_t place) const {
    int64_t bytes = isDepthContiguous ? (step / 4) * panelPitch + (step % 4) * 32 + place * panelBytes
                                      : (place / 64) * panelPitch + step * 16 * panelBytes;
    return bytes >> 4;
  }
};

/// Either form of wgmma: the rows' operand is a buffer or a tile.
struct Product {
  Value lhs;
  TypedValue<BufferType> rhs;
  Value accumulator, result;
  bool isStepwise;
};

class WgmmaEmitter {
public:
  WgmmaEmitter(Emitter &emitter, Product product) : emitter(emitter), op(product), builder(emitter.builder), type(op.result.getType()) {
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
    StringAttr columnAxis = tile::axesOf(type)[1];
    for (StringAttr axis : tile::axesOf(op.rhs.getType().getTile()))
      if (axis != columnAxis)
        depthAxis = axis;
    if (isInRegisters())
      findWords();
  }

  void run() {
    // Warpgroups of a group share its tile: each has 64 rows of every block of rows.
    Value warpgroup = builder.createOrFold<arith::ShRUIOp>(emitter.warp(), emitter.constant32(2));
    Operand lhs, rhs;
    if (!isInRegisters())
      lhs = makeOperand(op.lhs, emitter.warps() > 4 ? warpgroup : Value());
    rhs = makeOperand(op.rhs, {});
    RankedTensorType rhsTile = rhs.buffer.getTile();
    const int64_t stepElements = stepBytes / rhs.buffer.getElementBytes();
    int64_t steps = tilegpu::paddedExtent(rhsTile.getDimSize(tile::positionOfAxis(rhsTile, depthAxis))) / stepElements;
    Registers result(layoutAttr(type).getValue().registers());
    auto structType = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(columns / 2, getElementTypeOrSelf(type)));
    SmallVector<Value> sums;
    Registers accumulator = op.accumulator ? accumulators() : Registers();
    for (const Block &block : blocks) {
      Value sum = LLVM::UndefOp::create(builder, structType);
      if (op.accumulator) {
        for (auto [position, number] : llvm::enumerate(block.registers))
          sum = LLVM::InsertValueOp::create(builder, sum, accumulator[number], static_cast<int64_t>(position));
      }
      sums.push_back(sum);
    }
    if (isInRegisters() && !op.isStepwise)
      for (int64_t step = 0; step < steps; ++step)
        packStep(step);
    if (!op.isStepwise)
      NVVM::WgmmaFenceAlignedOp::create(builder);
    for (int64_t step = 0; step < steps; ++step) {
      bool isFirst = step == 0 && !op.accumulator;
      if (op.isStepwise)
        beginStep(step, steps);
      for (auto [block, sum] : llvm::zip(blocks, sums))
        sum = isInRegisters() ? multiplyRegisters(wordsOf(step, block), rhs, step, sum, isFirst) : multiply(lhs, rhs, step, block.row, sum, isFirst);
      if (op.isStepwise || step + 1 == steps)
        NVVM::WgmmaGroupSyncAlignedOp::create(builder);
    }
    for (auto [block, sum] : llvm::zip(blocks, sums))
      for (auto [position, number] : llvm::enumerate(block.registers))
        result[number] = LLVM::ExtractValueOp::create(builder, sum, static_cast<int64_t>(position));
    emitter.setRegisters(op.result, std::move(result));
  }

private:
  /// What one instruction forms: 64 rows over a warpgroup.
  struct Block {
    int64_t row; ///< what the registers add to the warps' rows
    SmallVector<int64_t> registers; ///< in the instruction's order
  };

  Emitter &emitter;
  Product op;
  ImplicitLocOpBuilder &builder;
  Type type;
  int64_t columns = 0;
  SmallVector<Block> blocks;
  StringAttr depthAxis;

  /// An accumulator that is computed may have equal elements (a bias of the columns), which LLVM would copy behind the fence; what assembly gives
  /// back are registers of their own.
  Registers accumulators() {
    Registers values = emitter.registers(op.accumulator);
    if (!op.accumulator.getDefiningOp() || isa<tilegpu::WgmmaOp, tilegpu::WgmmaRegistersOp, tilegpu::WgmmaWaitOp>(op.accumulator.getDefiningOp()))
      return values;
    std::string constraints;
    for (size_t number = 0; number < values.size(); ++number)
      constraints += number == 0 ? "=f" : ",=f";
    for (size_t number = 0; number < values.size(); ++number)
      constraints += "," + std::to_string(number);
    auto structType = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(values.size(), builder.getF32Type()));
    Value pinned = LLVM::InlineAsmOp::create(builder, structType, values, "", constraints, /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                             LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
                       .getRes();
    for (auto [number, value] : llvm::enumerate(values))
      value = LLVM::ExtractValueOp::create(builder, pinned, static_cast<int64_t>(number));
    return values;
  }

  // The rows' operand in registers --------------------------------------------------------------------------------------

  bool isInRegisters() const { return tile::isTile(op.lhs.getType()); }

  std::map<std::pair<int64_t, int64_t>, int64_t> operandRegisters; ///< by what they add to a warp's rows, and place along the summed axis
  std::map<std::pair<int64_t, int64_t>, SmallVector<Value>> words; ///< by step and row of a block

  void findWords() {
    layout::DistributedLayout layout = layoutAttr(op.lhs.getType()).getValue();
    auto depthDimension = static_cast<size_t>(tile::positionOfAxis(op.lhs.getType(), depthAxis));
    for (int64_t number = 0; number < layout.registers(); ++number) {
      layout::Coordinates element = layout.elementAt({number, 0, 0});
      operandRegisters[{element[1 - depthDimension], element[depthDimension]}] = number;
    }
  }

  void packStep(int64_t step) {
    for (const Block &block : blocks)
      for (int64_t column : {0, 8})
        for (int64_t half : {0, 8}) {
          std::pair<int64_t, int64_t> place{block.row + half, step * wordSteps + column};
          words[{step, block.row}].push_back(packedPair(emitter, op.lhs, operandRegisters.at(place), operandRegisters.at({place.first, place.second + 1})));
        }
  }

  /// Reads what a step is computed of: a step ahead, since reading takes as long as half of the computing; vectors, which come from global
  /// memory, for all steps at once.
  void readStep(int64_t step) {
    llvm::DenseSet<Operation *> seen;
    readStep(op.lhs, step, seen);
  }

  void readStep(Value value, int64_t step, llvm::DenseSet<Operation *> &seen) {
    Operation *source = value.getDefiningOp();
    if (!tile::isTile(value.getType()) || !source || source->getBlock() != op.result.getDefiningOp()->getBlock() || !seen.insert(source).second)
      return;
    if (isa<tile::LoadOp>(source)) {
      if (step == 0)
        emitter.registers(value);
    } else if (isa<tilegpu::LoadSharedOp>(source)) {
      bool hasRegistersOfOperand = tile::layoutOf(value.getType()) == tile::layoutOf(op.lhs.getType());
      for (auto [place, number] : operandRegisters)
        if (hasRegistersOfOperand && place.second / wordSteps == step)
          emitter.element(value, number);
    } else {
      for (Value operand : source->getOperands())
        readStep(operand, step, seen);
    }
  }

  ArrayRef<Value> wordsOf(int64_t step, const Block &block) { return words.at({step, block.row}); }

  /// The registers of a step are free when all but the later groups have been waited for.
  void beginStep(int64_t step, int64_t steps) {
    if (step == 0)
      readStep(0);
    if (op.accumulator)
      NVVM::WgmmaWaitGroupSyncOp::create(builder, static_cast<uint64_t>(steps - 1));
    if (step + 1 < steps)
      readStep(step + 1);
    packStep(step);
    NVVM::WgmmaFenceAlignedOp::create(builder);
  }

  /// Sums are operands and results of one assembly. Scale-d is a predicate: false for the first instruction of a sum.
  Value multiplyRegisters(ArrayRef<Value> a, const Operand &rhs, int64_t step, Value sum, bool isFirst) {
    int64_t count = columns / 2;
    SmallVector<Value> operands;
    std::string constraints, list;
    for (int64_t number = 0; number < count; ++number) {
      operands.push_back(LLVM::ExtractValueOp::create(builder, sum, number));
      constraints += number == 0 ? "=f" : ",=f";
      list += (number == 0 ? "$" : ", $") + std::to_string(number);
    }
    for (int64_t number = 0; number < count; ++number)
      constraints += "," + std::to_string(number);
    constraints += ",r,r,r,r,l";
    llvm::append_range(operands, a);
    operands.push_back(emitter.add(rhs.descriptor, emitter.constant(rhs.offset(step, 0))));
    auto numbered = [](int64_t number) { return "$" + std::to_string(number); };
    std::string element = rhs.buffer.getTile().getElementType().isBF16() ? "bf16" : "f16", text;
    if (isFirst)
      text += "{ .reg .pred p; setp.ne.b32 p, 0, 0; ";
    text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k16.f32." + element + "." + element + " {" + list + "}, {" + numbered(2 * count) + ", " +
            numbered(2 * count + 1) + ", " + numbered(2 * count + 2) + ", " + numbered(2 * count + 3) + "}, " + numbered(2 * count + 4) + ", " +
            (isFirst ? "p" : "1") + ", 1, 1, " + (rhs.isDepthContiguous ? "0" : "1") + ";";
    if (isFirst)
      text += " }";
    return LLVM::InlineAsmOp::create(builder, sum.getType(), operands, text, constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
                                     LLVM::TailCallKind::None, LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
        .getRes();
  }

  // Operands in shared memory -------------------------------------------------------------------------------------------

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
    NVVM::WGMMATypes typeA = unitsTypeOf(lhs.buffer.getTile().getElementType()), typeB = unitsTypeOf(rhs.buffer.getTile().getElementType());
    NVVM::WGMMATypes typeD = typeA == NVVM::WGMMATypes::s8 ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32;
    auto shape = NVVM::MMAShapeAttr::get(builder.getContext(), 64, static_cast<int>(columns), static_cast<int>(stepBytes / lhs.buffer.getElementBytes()));
    return NVVM::WgmmaMmaAsyncOp::create(builder, sum.getType(), sum, a, b, shape, typeA, typeB, typeD,
                                         isFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one, NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
                                         layoutOf(lhs, NVVM::MMALayout::row, NVVM::MMALayout::col), layoutOf(rhs, NVVM::MMALayout::col, NVVM::MMALayout::row),
                                         NVVM::MMAIntOverflowAttr());
  }
};

} // namespace

void emitWgmma(Emitter &emitter, tilegpu::WgmmaOp op) {
  WgmmaEmitter(emitter, {op.getLhs(), op.getRhs(), op.getAccumulator(), op.getResult(), /*isStepwise=*/false}).run();
}

void emitWgmmaRegisters(Emitter &emitter, tilegpu::WgmmaRegistersOp op) {
  WgmmaEmitter(emitter, {op.getLhs(), op.getRhs(), op.getAccumulator(), op.getResult(), op.getStepwise()}).run();
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
  for (Value value : all)
    constraints += value.getType().isF32() ? "=f," : "=r,";
  for (size_t number = 0; number < all.size(); ++number)
    constraints += (number > 0 ? "," : "") + std::to_string(number);
  auto structType = LLVM::LLVMStructType::getLiteral(builder.getContext(), llvm::map_to_vector(all, [](Value value) { return value.getType(); }));
  Value waited = LLVM::InlineAsmOp::create(builder, structType, all, "wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";", constraints, /*has_side_effects=*/true,
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
