// Products of two buffers in shared memory.
//
// Multiply-adds. A thread's registers are a grid of rows and columns; it reads, for a few steps of the summed axis at once, one
// vector for each row and one for each column, and adds the product of each pair.
//
// Tensor cores. mma.sync multiplies 16 × 8 elements over 32 bytes of depth: two chunks of 16 bytes, whatever the element is, so the
// fragments of all types come by one ldmatrix.x4 of four 8 × 16-byte matrices. Fragments of a row block serve all its columns:
// for each step all of A's and B's fragments are read, then multiplied.

#include "compiler/codegen/ConvertTileGPUToLLVMEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::gpu {

using layout::DistributedLayout;
using tilegpu::BufferType;

namespace {

// --------------------------------------------------------------------------------------------------------------------
// Multiply-adds
// --------------------------------------------------------------------------------------------------------------------

class FmaEmitter {
public:
  FmaEmitter(Emitter &emitter, tilegpu::DotOp op)
      : emitter(emitter), op(op), builder(emitter.builder), type(op.getType()), accumulators(emitter.registers(op.getAccumulator())) {
    for (StringAttr axis : op.getOver().getAsRange<StringAttr>())
      over.push_back(axis);
    lhs = makeOperand(op.getLhs(), op.getLhsUnsigned());
    rhs = makeOperand(op.getRhs(), op.getRhsUnsigned());
  }

  void run() {
    // The last summed axis is contiguous in both buffers and is read in vectors.
    int64_t depth = lhs.type.getPaddedShape().back();
    int64_t most = std::min<int64_t>(4, std::min(16 / lhs.type.getElementBytes(), 16 / rhs.type.getElementBytes()));
    steps = std::min(most, depth & -depth);
    SmallVector<Value> none;
    emitter.setRegisters(op.getResult(), loop(0, none, accumulators));
  }

private:
  struct Operand {
    BufferType type;
    Value address;
    bool isUnsigned = false;
    SmallVector<int64_t> representative; ///< by accumulator register: the first with the same element of this operand
  };

  Emitter &emitter;
  tilegpu::DotOp op;
  ImplicitLocOpBuilder &builder;
  Type type;
  Registers accumulators;
  SmallVector<StringAttr> over;
  Operand lhs, rhs;
  int64_t steps = 1;

  Operand makeOperand(Value buffer, bool isUnsigned) {
    Operand operand{cast<BufferType>(buffer.getType()), bufferAddress(emitter, buffer), isUnsigned, {}};
    if (!tile::isTile(type)) {
      operand.representative = {0};
      return operand;
    }
    DistributedLayout layout = layoutAttr(type).getValue();
    std::map<layout::Coordinates, int64_t> first;
    for (int64_t number = 0; number < layout.registers(); ++number) {
      layout::Coordinates element = layout.elementAt({number, 0, 0}), part;
      for (auto [dimension, axis] : llvm::enumerate(tile::axesOf(type)))
        if (tile::positionOfAxis(operand.type.getTile(), axis) >= 0)
          part.push_back(element[dimension]);
      operand.representative.push_back(first.try_emplace(part, number).first->second);
    }
    return operand;
  }

  /// Loops over the summed axes from `level` on; `indices` are those of the outer ones.
  Registers loop(size_t level, SmallVector<Value> &indices, Registers sums) {
    bool isLast = level + 1 == over.size();
    int64_t extent = tilegpu::paddedExtent(lhs.type.getTile().getDimSize(tile::positionOfAxis(lhs.type.getTile(), over[level])));
    auto loop = scf::ForOp::create(builder, emitter.constant32(0), emitter.constant32(extent),
                                   emitter.constant32(isLast ? steps : 1), sums);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    indices.push_back(loop.getInductionVar());
    Registers carried(loop.getRegionIterArgs());
    Registers next = isLast ? step(indices, carried) : this->loop(level + 1, indices, carried);
    scf::YieldOp::create(builder, next);
    indices.pop_back();
    return Registers(loop.getResults());
  }

  Value element(Value loaded, int64_t position, const Operand &operand) {
    Value value = loaded;
    if (steps > 1)
      value = LLVM::ExtractElementOp::create(builder, loaded, emitter.constant32(position));
    value = fromStorage(builder, builder.getLoc(), value, operand.type.getTile().getElementType());
    Type sum = getElementTypeOrSelf(type);
    if (value.getType() == sum)
      return value;
    return tile::CastOp::create(builder, sum, value, operand.isUnsigned, /*resultUnsigned=*/false);
  }

  /// The operand's elements for a register, at some steps.
  SmallVector<Value> read(const Operand &operand, int64_t number, ArrayRef<Value> indices) {
    SmallVector<Value> coordinates;
    for (StringAttr axis : tile::axesOf(operand.type.getTile())) {
      auto summed = llvm::find(over, axis);
      if (summed != over.end())
        coordinates.push_back(indices[summed - over.begin()]);
      else
        coordinates.push_back(emitter.coordinate(layoutAttr(type), number, static_cast<unsigned>(tile::positionOfAxis(type, axis))));
    }
    Type storage = storageOf(operand.type.getTile().getElementType());
    Type access = steps == 1 ? storage : Type(VectorType::get({steps}, storage));
    Value address = emitter.advance(operand.address, bufferOffset(emitter, operand.type, coordinates));
    Value loaded = LLVM::LoadOp::create(builder, access, address, static_cast<unsigned>(steps * operand.type.getElementBytes()));
    SmallVector<Value> elements;
    for (int64_t position = 0; position < steps; ++position)
      elements.push_back(element(loaded, position, operand));
    return elements;
  }

  Value multiplyAdd(Value a, Value b, Value sum) {
    if (isa<FloatType>(sum.getType()))
      return math::FmaOp::create(builder, a, b, sum);
    return arith::AddIOp::create(builder, arith::MulIOp::create(builder, a, b), sum);
  }

  Registers step(ArrayRef<Value> indices, Registers sums) {
    llvm::MapVector<int64_t, SmallVector<Value>> left, right;
    for (size_t number = 0; number < sums.size(); ++number) {
      for (auto [operand, read] : {std::pair(&lhs, &left), std::pair(&rhs, &right)}) {
        int64_t representative = operand->representative[number];
        if (!read->contains(representative))
          read->insert({representative, this->read(*operand, representative, indices)});
      }
    }
    for (int64_t position = 0; position < steps; ++position)
      for (size_t number = 0; number < sums.size(); ++number)
        sums[number] = multiplyAdd(left[lhs.representative[number]][position], right[rhs.representative[number]][position], sums[number]);
    return sums;
  }
};

// --------------------------------------------------------------------------------------------------------------------
// Tensor cores
// --------------------------------------------------------------------------------------------------------------------

/// The instruction for a pair of element types, by LLVM's name.
std::string mmaIntrinsic(Type lhs, Type rhs, bool lhsUnsigned, bool rhsUnsigned) {
  if (lhs.isBF16())
    return "llvm.nvvm.mma.m16n8k16.row.col.bf16";
  if (lhs.isF16())
    return "llvm.nvvm.mma.m16n8k16.row.col.f32.f32";
  if (lhs.isF32())
    return "llvm.nvvm.mma.m16n8k8.row.col.tf32";
  if (lhs.isInteger(8)) {
    std::string a = lhsUnsigned ? "u8" : "s8", b = rhsUnsigned ? "u8" : "s8";
    return "llvm.nvvm.mma.m16n8k32.row.col." + (a == b ? a : a + "." + b);
  }
  auto name = [](Type type) { return std::string(isa<Float8E4M3FNType>(type) ? "e4m3" : "e5m2"); };
  return "llvm.nvvm.mma.m16n8k32.row.col.f32." + name(lhs) + "." + name(rhs) + ".f32";
}

class MmaEmitter {
public:
  MmaEmitter(Emitter &emitter, tilegpu::DotOp op)
      : emitter(emitter), op(op), builder(emitter.builder), type(op.getType()), layout(layoutAttr(type).getValue()),
        lhs(op.getLhs().getType()), rhs(op.getRhs().getType()), sums(emitter.registers(op.getAccumulator())) {
    depthAxis = cast<StringAttr>(op.getOver()[0]);
    for (auto [dimension, axis] : llvm::enumerate(tile::axesOf(type)))
      (tile::positionOfAxis(lhs.getTile(), axis) >= 0 ? rowDimension : columnDimension) = static_cast<unsigned>(dimension);
    for (int64_t number = 0; number < layout.registers(); ++number) {
      layout::Coordinates element = layout.elementAt({number, 0, 0});
      int64_t row = element[rowDimension], column = element[columnDimension];
      registerAt[{row, column}] = number;
      if (row % 16 == 0)
        rowBlocks.insert({row, number});
      if (column % 8 == 0)
        columnBlocks.insert({column, number});
    }
  }

  void run() {
    Type element = lhs.getTile().getElementType();
    int64_t stepElements = 32 / lhs.getElementBytes();
    int64_t depth = tilegpu::paddedExtent(lhs.getTile().getDimSize(tile::positionOfAxis(lhs.getTile(), depthAxis)));
    intrinsic = mmaIntrinsic(element, rhs.getTile().getElementType(), op.getLhsUnsigned(), op.getRhsUnsigned());
    // f8: the units keep about 14 bits while they add, so sums of at most 128 products go into f32 sums.
    bool isF8 = isa<Float8E4M3FNType, Float8E5M2Type>(element);
    promoted = isF8 && op.getPrecision() != tile::DotPrecision::Fast;
    int64_t promotedSteps = 128 / stepElements, steps = depth / stepElements;
    if (steps <= mostUnrolledSteps) {
      Registers partial;
      for (int64_t number = 0; number < steps; ++number) {
        if (promoted && number % promotedSteps == 0)
          startPromoted(partial);
        step(emitter.constant32(number * stepElements), promoted ? partial : sums);
        if (promoted && (number + 1 == steps || (number + 1) % promotedSteps == 0))
          addPromoted(partial);
      }
    } else {
      // Groups of four steps: a panel of 128 bytes.
      int64_t group = 4;
      while (steps % group != 0)
        group /= 2;
      auto loop = scf::ForOp::create(builder, emitter.constant32(0), emitter.constant32(depth), emitter.constant32(group * stepElements), sums);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      sums = Registers(loop.getRegionIterArgs());
      Registers partial;
      if (promoted)
        startPromoted(partial);
      for (int64_t number = 0; number < group; ++number)
        step(emitter.add(loop.getInductionVar(), emitter.constant32(number * stepElements)), promoted ? partial : sums);
      if (promoted)
        addPromoted(partial);
      scf::YieldOp::create(builder, sums);
      sums = Registers(loop.getResults());
    }
    emitter.setRegisters(op.getResult(), std::move(sums));
  }

private:
  static constexpr int64_t mostUnrolledSteps = 8;

  Emitter &emitter;
  tilegpu::DotOp op;
  ImplicitLocOpBuilder &builder;
  Type type;
  DistributedLayout layout;
  BufferType lhs, rhs;
  Registers sums;
  StringAttr depthAxis;
  unsigned rowDimension = 0, columnDimension = 1;
  std::map<std::pair<int64_t, int64_t>, int64_t> registerAt; ///< by what registers add to row and column
  llvm::MapVector<int64_t, int64_t> rowBlocks, columnBlocks; ///< what they add, and a register with it
  std::string intrinsic;
  bool promoted = false;

  void startPromoted(Registers &partial) {
    partial.assign(sums.size(), emitter.constant(cast<TypedAttr>(builder.getZeroAttr(getElementTypeOrSelf(type)))));
  }
  void addPromoted(const Registers &partial) {
    for (auto [sum, part] : llvm::zip(sums, partial))
      sum = arith::AddFOp::create(builder, sum, part);
  }

  Value laneBits(int64_t shift, int64_t count) {
    Value bits = emitter.lane();
    if (shift > 0)
      bits = builder.createOrFold<arith::ShRUIOp>(bits, emitter.constant32(shift));
    return builder.createOrFold<arith::AndIOp>(bits, emitter.constant32((int64_t(1) << count) - 1));
  }

  /// Four registers by ldmatrix: the lane's row is at (free, depth) of a buffer, in elements.
  SmallVector<Value> loadMatrices(BufferType buffer, Value address, StringAttr free, Value freeIndex, Value depthIndex, bool transposed) {
    SmallVector<Value> coordinates;
    for (StringAttr axis : tile::axesOf(buffer.getTile()))
      coordinates.push_back(axis == free ? freeIndex : depthIndex);
    Value at = emitter.advance(address, bufferOffset(emitter, buffer, coordinates));
    Type i32 = builder.getI32Type();
    auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(4, i32));
    auto shape = NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
    Value loaded = NVVM::LdMatrixOp::create(builder, result, at, 4u, transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row, shape,
                                            NVVM::LdStMatrixEltType::B16);
    SmallVector<Value> words;
    for (int64_t number = 0; number < 4; ++number)
      words.push_back(LLVM::ExtractValueOp::create(builder, loaded, number));
    if (buffer.getTile().getElementType().isF32())
      for (Value &word : words)
        word = roundedToTF32(word);
    return words;
  }

  Value roundedToTF32(Value word) {
    Value value = arith::BitcastOp::create(builder, builder.getF32Type(), word);
    return LLVM::CallIntrinsicOp::create(builder, builder.getI32Type(), builder.getStringAttr("llvm.nvvm.f2tf32.rna"), ValueRange{value})
        .getResult(0);
  }

  bool isDepthContiguous(BufferType buffer) { return tile::axesOf(buffer.getTile())[buffer.getContiguous()] == depthAxis; }
  StringAttr freeAxis(BufferType buffer) {
    ArrayRef<StringAttr> axes = tile::axesOf(buffer.getTile());
    return axes[0] == depthAxis ? axes[1] : axes[0];
  }

  /// A: rows 0–7 and 8–15 at the first chunk of depth, then both at the second.
  SmallVector<Value> loadA(int64_t registerNumber, Value depth) {
    Value row = emitter.coordinateOfWarp(layoutAttr(type), registerNumber, rowDimension);
    Value low = laneBits(0, 3), second = emitter.mul(laneBits(3, 1), emitter.constant32(8)), far = laneBits(4, 1);
    Value chunk = emitter.mul(far, emitter.constant32(16 / lhs.getElementBytes()));
    Value address = bufferAddress(emitter, op.getLhs());
    if (isDepthContiguous(lhs))
      return loadMatrices(lhs, address, freeAxis(lhs), emitter.add(emitter.add(row, second), low), emitter.add(depth, chunk), false);
    // 8 steps of depth a matrix, 8 rows in 16 bytes.
    return loadMatrices(lhs, address, freeAxis(lhs), emitter.add(row, second), emitter.add(emitter.add(depth, chunk), low), true);
  }

  /// B of two blocks of columns: for each the first and the second chunk of depth.
  SmallVector<Value> loadB(int64_t first, int64_t second, Value depth) {
    Value column = emitter.coordinateOfWarp(layoutAttr(type), first, columnDimension);
    int64_t distance = layout.elementAt({second, 0, 0})[columnDimension] - layout.elementAt({first, 0, 0})[columnDimension];
    column = emitter.add(column, emitter.mul(laneBits(4, 1), emitter.constant32(distance)));
    Value low = laneBits(0, 3), chunk = emitter.mul(laneBits(3, 1), emitter.constant32(16 / rhs.getElementBytes()));
    Value address = bufferAddress(emitter, op.getRhs());
    if (isDepthContiguous(rhs))
      return loadMatrices(rhs, address, freeAxis(rhs), emitter.add(column, low), emitter.add(depth, chunk), false);
    return loadMatrices(rhs, address, freeAxis(rhs), column, emitter.add(emitter.add(depth, chunk), low), true);
  }

  Value asOperand(Value word) {
    if (!lhs.getTile().getElementType().isF16())
      return word;
    return LLVM::BitcastOp::create(builder, VectorType::get({2}, builder.getF16Type()), word);
  }

  void multiply(ArrayRef<Value> a, ArrayRef<Value> b, std::array<int64_t, 4> numbers, Registers &into) {
    SmallVector<Value> operands;
    for (Value word : a)
      operands.push_back(asOperand(word));
    for (Value word : b)
      operands.push_back(asOperand(word));
    for (int64_t number : numbers)
      operands.push_back(into[number]);
    auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(), SmallVector<Type>(4, getElementTypeOrSelf(type)));
    Value product = LLVM::CallIntrinsicOp::create(builder, result, builder.getStringAttr(intrinsic), operands).getResult(0);
    for (auto [position, number] : llvm::enumerate(numbers))
      into[number] = LLVM::ExtractValueOp::create(builder, product, static_cast<int64_t>(position));
  }

  void step(Value depth, Registers &into) {
    llvm::MapVector<int64_t, SmallVector<Value>> fragmentsOfA, fragmentsOfB;
    for (auto [row, number] : rowBlocks)
      fragmentsOfA.insert({row, loadA(number, depth)});
    auto columns = llvm::to_vector(columnBlocks);
    for (size_t position = 0; position < columns.size(); position += 2) {
      auto [firstColumn, first] = columns[position];
      auto [secondColumn, second] = columns[std::min(position + 1, columns.size() - 1)];
      SmallVector<Value> words = loadB(first, second, depth);
      fragmentsOfB.insert({firstColumn, {words[0], words[1]}});
      fragmentsOfB.insert({secondColumn, {words[2], words[3]}});
    }
    for (auto &[row, a] : fragmentsOfA)
      for (auto &[column, b] : fragmentsOfB)
        multiply(a, b,
                 {registerAt.at({row, column}), registerAt.at({row, column + 1}), registerAt.at({row + 8, column}),
                  registerAt.at({row + 8, column + 1})},
                 into);
  }
};

} // namespace

void emitDot(Emitter &emitter, tilegpu::DotOp op) {
  if (op.getKind() == tilegpu::DotKind::Mma)
    MmaEmitter(emitter, op).run();
  else
    FmaEmitter(emitter, op).run();
}

} // namespace tilewright::gpu
