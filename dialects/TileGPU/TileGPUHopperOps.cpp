// What the operations of TileGPUHopperOps.td demand of their operands. Each demand has the label of its manual page.
#include "dialects/TileGPU/TileGPU.h"

#include "dialects/Layout/MatrixLayouts.h"

#include "mlir/IR/OpImplementation.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright::tilegpu {

// --------------------------------------------------------------------------------------------------------------------
// Roles
// --------------------------------------------------------------------------------------------------------------------

LogicalResult RolesOp::verify() {
  // roles_c1
  int64_t groups = getGroups(), warps = warpsOf(cast<tile::KernelOp>((*this)->getParentOp()));
  if (groups < 1 || groups > 2 || warps % 4 != 0)
    return emitOpError() << "expects one or two groups of whole warpgroups, not " << groups << " of " << warps << " warps";
  // roles_c2
  if (std::string why = whyNotRegisters(getRegisters()); !why.empty())
    return emitOpError() << why;
  return success();
}

bool isOfBlock(Value buffer) {
  if (auto stage = buffer.getDefiningOp<StageOp>())
    buffer = stage.getBuffer();
  Operation *parent = buffer.getParentBlock()->getParentOp();
  return isa<tile::KernelOp>(parent) && llvm::any_of(parent->getRegion(0).front(), [](Operation &op) { return isa<RolesOp>(op); });
}

// --------------------------------------------------------------------------------------------------------------------
// Clusters
// --------------------------------------------------------------------------------------------------------------------

int64_t ClusterSumOp::getSplit() {
  return paddedShape(getAccumulator().getType())[1] / paddedShape(getType())[1];
}

SmallVector<int64_t> ClusterSumOp::getPieces() {
  constexpr int64_t pieceBytes = 16, lanes = 32;
  int64_t threads = lanes * distributedLayout(getAccumulator().getType()).warps(), share = 4;
  for (int64_t extent : paddedShape(getType()))
    share *= extent;
  int64_t left = share / (threads * pieceBytes);
  SmallVector<int64_t> pieces;
  for (Value buffer : getBuffers()) {
    pieces.push_back(std::min(left, cast<BufferType>(buffer.getType()).getBytes() / (getSplit() * threads * pieceBytes)));
    left -= pieces.back();
  }
  return pieces;
}

LogicalResult ClusterSumOp::verify() {
  // cluster_sum_c1
  auto from = cast<RankedTensorType>(getAccumulator().getType()), to = cast<RankedTensorType>(getType());
  bool isSame = from.getElementType() == to.getElementType() && from.getElementType().getIntOrFloatBitWidth() == 32 && from.getRank() == 2 && to.getRank() == 2 &&
                tile::axesOf(from) == tile::axesOf(to) && from.getDimSize(0) == to.getDimSize(0);
  if (!isSame || !llvm::is_contained({2 * to.getDimSize(1), 4 * to.getDimSize(1), 8 * to.getDimSize(1)}, from.getDimSize(1)))
    return emitOpError() << "expects tiles of 32-bit elements with two axes, of which the operand has 2, 4 or 8 times as many columns, not " << from << " and " << to;
  for (RankedTensorType tile : {from, to})
    if (tile::layoutOf(tile) && !isWgmmaAccumulator(tile))
      return emitOpError() << "expects tiles in the layout of an accumulator of wgmma, not " << tile;
  // cluster_sum_c2
  if (!getParts())
    return success();
  if (!tile::layoutOf(from))
    return emitOpError() << "expects accumulators in the layout of wgmma, of which parts are added up, not " << from;
  if (!getReady() || !getFree() || !getParity() || getReady().getType().getCount() != 1 || getFree().getType().getCount() != 1)
    return emitOpError() << "expects one barrier that says that all is there, and one that it has been read";
  constexpr int64_t pieceBytes = 16, lanes = 32;
  int64_t room = 0, needed = paddedShape(to)[0] * paddedShape(to)[1] * 4;
  for (int64_t pieces : getPieces())
    room += pieces * pieceBytes * lanes * distributedLayout(from).warps();
  if (room < needed)
    return emitOpError() << "expects buffers with room for a share of " << needed << " bytes from each block, not for " << room;
  return success();
}

// --------------------------------------------------------------------------------------------------------------------
// Tensor copies
// --------------------------------------------------------------------------------------------------------------------

static int64_t bytesOf(Type element) {
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

/// Whether a dimension of memory is one of a pack's, and not its last.
static bool isOuterPartOfPack(tile::ViewType view, int64_t dimension) {
  int64_t first = view.getPackDimension();
  return view.getPackRank() > 1 && dimension >= first && dimension < first + view.getPackRank() - 1;
}

LogicalResult TensorMapOp::verify() {
  tile::ViewType view = getView().getType();
  int64_t rank = view.getRank() + view.getPackRank() - 1;
  // tensor_map_c1
  SmallVector<int64_t> sorted(getOrder());
  llvm::sort(sorted);
  bool isPermutation = rank <= 5 && sorted.size() == static_cast<size_t>(rank);
  for (auto [position, dimension] : llvm::enumerate(sorted))
    isPermutation = isPermutation && dimension == static_cast<int64_t>(position);
  if (!isPermutation)
    return emitOpError() << "expects an order of the " << rank << " dimensions of memory (at most 5), each named once";
  // The view's dimension of stride 1; a pack stands for as many dimensions of memory as packRank, of which the last is its unit one.
  int64_t unit = view.getUnitStride();
  int64_t pack = view.getPackRank() > 1 ? view.getPackDimension() : -1;
  if (unit >= 0 && pack >= 0 && unit >= pack)
    unit += view.getPackRank() - 1;
  if (unit < 0 || getOrder()[0] != unit)
    return emitOpError() << "expects the dimension of stride 1 to be the first of the order";
  // tensor_map_c2
  if (getBox().size() != getOrder().size() || llvm::any_of(getBox(), [](int64_t extent) { return extent < 1 || extent > 256; }))
    return emitOpError() << "expects a box of " << rank << " extents from 1 to 256";
  int64_t bytes = getBox()[0] * bytesOf(view.getElement()), swizzle = static_cast<int64_t>(getSwizzle());
  if (!llvm::is_contained(ArrayRef<int64_t>{0, 32, 64, 128}, swizzle) || bytes % 16 != 0 || (swizzle != 0 && bytes > swizzle))
    return emitOpError() << "expects a swizzle of 0, 32, 64 or 128, and a box whose first extent is a multiple of 16 bytes, no more than the swizzle, not "
                         << bytes << " bytes with swizzle " << swizzle;
  // tensor_map_c3
  if (view.getAlignment() < 16)
    return emitOpError() << "expects a view aligned to 16 bytes, not to " << view.getAlignment();
  // tensor_map_c4
  for (auto [dimension, extent] : llvm::zip(getOrder(), getBox()))
    if (isOuterPartOfPack(view, dimension) && extent != 1)
      return emitOpError() << "expects a box with one index in dimension " << dimension << " of memory, which only the last of its pack may exceed, not " << extent;
  // tensor_map_c5
  if (getTf32() && !view.getElement().isF32())
    return emitOpError() << "expects a view of f32 to round to tf32, not of " << view.getElement();
  return success();
}

SmallVector<int64_t> TensorMapOp::getPositions() {
  SmallVector<int64_t> positions;
  for (auto [position, dimension] : llvm::enumerate(getOrder()))
    if (!isOuterPartOfPack(getView().getType(), dimension))
      positions.push_back(static_cast<int64_t>(position));
  return positions;
}

SmallVector<int64_t> TensorMapOp::getExtents() {
  return llvm::map_to_vector(getPositions(), [&](int64_t position) { return getBox()[position]; });
}

static TensorMapOp mapOf(Value map) {
  return map.getDefiningOp<TensorMapOp>();
}

LogicalResult TmaLoadOp::verify() {
  // tma_load_c1
  TensorMapOp map = mapOf(getMap());
  if (!map || map.getPositions().size() != getCoordinates().size())
    return emitOpError() << "expects the map of a tilegpu.tensor_map, and a coordinate for each of its dimensions";
  // tma_load_c2
  BufferType buffer = getBuffer().getType();
  int64_t rows = 1, elements = 1;
  for (int64_t extent : map.getBox().drop_front())
    rows *= extent;
  for (int64_t extent : buffer.getPaddedShape())
    elements *= extent;
  int64_t width = buffer.getPaddedShape()[buffer.getContiguous()];
  bool isInParts = map.getView().getType().getPackRank() > 1;
  if (buffer.getStages() != 1 || buffer.getSwizzle() != static_cast<int64_t>(map.getSwizzle()) || width % map.getBox()[0] != 0 ||
      (isInParts ? elements % (rows * width) != 0 : rows * width != elements))
    return emitOpError() << "expects a buffer of one stage with swizzle " << map.getSwizzle() << " and " << rows << " rows of whole boxes of "
                         << map.getBox()[0] << " elements, not " << buffer;
  return success();
}

constexpr int64_t sliceRowBytes = 128;

/// Whether a warp's part of a tile can go through a buffer, 16 rows and 128 bytes at a time.
static bool isStaging(BufferType buffer, RankedTensorType tile, int64_t warps) {
  RankedTensorType staged = buffer.getTile();
  return staged.getElementType() == tile.getElementType() && staged.getRank() == 2 && staged.getDimSize(0) == 16 * warps && staged.getDimSize(1) == sliceRowBytes / bytesOf(tile.getElementType()) &&
         buffer.getContiguous() == 1 && buffer.getSwizzle() == 128;
}

/// Whether there is a map for each width of what a warp has of 16 rows, with its boxes, and a coordinate for each of their dimensions.
static bool areMapsOfSlices(ValueRange maps, size_t coordinates, uint64_t rowDimension, int64_t columns, int64_t elementBytes) {
  SmallVector<int64_t> widths;
  int64_t whole = sliceRowBytes / elementBytes;
  for (int64_t width : {whole, whole / 2, whole / 4})
    if (width == whole ? columns >= whole : (columns % whole & width) != 0)
      widths.push_back(width);
  bool fits = maps.size() == widths.size() && static_cast<int64_t>(rowDimension) > 0 && columns % 16 == 0;
  for (auto [map, width] : llvm::zip(maps, widths)) {
    TensorMapOp op = mapOf(map);
    SmallVector<int64_t> extents = op ? op.getExtents() : SmallVector<int64_t>();
    fits = fits && extents.size() == coordinates && extents[0] == width && static_cast<int64_t>(op.getSwizzle()) == elementBytes * width && rowDimension < extents.size() &&
           extents[rowDimension] == 16;
  }
  return fits;
}

LogicalResult TmaFetchOp::verify() {
  // tma_fetch_c1
  auto tile = cast<RankedTensorType>(getResult().getType());
  int64_t bits = tile.getElementTypeBitWidth(), elementBytes = bits / 8;
  if ((bits != 16 && bits != 32) || !isWgmmaAccumulator(tile))
    return emitOpError() << "expects a tile of elements of 16 or 32 bits in the layout of an accumulator of wgmma, not " << tile;
  // tma_fetch_c2
  BufferType pieces = getPieces().getType();
  int64_t warps = int64_t(1) << distributedLayout(tile).bases().warps.size(), ofGroup = warps * pieces.getStages(), barriers = getBarriers().getType().getCount();
  if (!isStaging(pieces, tile, warps))
    return emitOpError() << "expects pieces of " << 16 * warps << " x " << sliceRowBytes / elementBytes << " elements of " << tile.getElementType() << " with swizzle 128, not " << pieces;
  if (barriers != ofGroup && barriers != 2 * ofGroup)
    return emitOpError() << "expects " << ofGroup << " barriers, one for each stage and warp, or twice as many for two groups, not " << barriers;
  // tma_fetch_c3
  int64_t columns = paddedExtent(tile.getDimSize(1));
  if (!areMapsOfSlices(getMaps(), getCoordinates().size(), getRowDimension(), columns, elementBytes))
    return emitOpError() << "expects a map for each width of pieces (128, 64 and 32 bytes) of " << columns << " columns, with boxes of 16 rows, and a coordinate for each dimension";
  return success();
}

LogicalResult ClearAbsentOp::verify() {
  // clear_absent_c1
  BufferType buffer = getBuffer().getType();
  ArrayRef<StringAttr> axes = tile::axesOf(buffer.getTile());
  if (buffer.getStages() != 1 || axes.size() != 2 || axes[1 - buffer.getContiguous()] != getSpan().getType().getAxis())
    return emitOpError() << "expects a buffer of one stage and two dimensions, of which the span's is not contiguous, not " << buffer;
  return success();
}

LogicalResult TmaStoreOp::verify() {
  // tma_store_c1
  auto value = cast<RankedTensorType>(getValue().getType());
  if (value.getElementTypeBitWidth() != 16 || !isWgmmaAccumulator(value))
    return emitOpError() << "expects a tile of elements of 16 bits in the layout of an accumulator of wgmma, not " << value;
  // tma_store_c2
  BufferType staging = getStaging().getType();
  int64_t warps = int64_t(1) << distributedLayout(value).bases().warps.size();
  if (!isStaging(staging, value, warps))
    return emitOpError() << "expects staging for " << 16 * warps << " x 64 elements of " << value.getElementType() << " with swizzle 128, not " << staging;
  // tma_store_c3
  int64_t columns = paddedExtent(value.getDimSize(1));
  if (!areMapsOfSlices(getMaps(), getCoordinates().size(), getRowDimension(), columns, 2))
    return emitOpError() << "expects a map for each width of slices (64, 32, 16) of " << columns << " columns, with boxes of 16 rows, and a coordinate for each dimension";
  // tma_store_c4
  for (Operation *user : getStaging().getUsers()) {
    auto fetch = dyn_cast<TmaFetchOp>(user);
    if (!fetch)
      continue;
    if (fetch->getBlock() != (*this)->getBlock() || fetch.getResult().getType() != value || getAdd() || getMayMiss() || !llvm::hasNItems(getStaging().getUsers(), 2))
      return emitOpError() << "expects of a tma_fetch through its staging buffer that it fetches a " << value << " in the same block, that nothing else goes through the buffer, and that the store neither adds nor may miss the view";
  }
  return success();
}

// --------------------------------------------------------------------------------------------------------------------
// Products
// --------------------------------------------------------------------------------------------------------------------

std::optional<layout::DistributedLayout> wgmmaAccumulator(int64_t rows, int64_t columns, int64_t warps, std::string *why) {
  std::string ignored;
  std::string &reason = why ? *why : ignored;
  if (warps % 4 != 0 || columns % 8 != 0 || columns > 256) {
    reason = "wgmma takes whole warpgroups and a multiple of 8 columns, at most 256";
    return std::nullopt;
  }
  return layout::mmaAccumulatorLayout(rows, columns, {warps, 1}, &reason);
}

bool isWgmmaAccumulator(Type tile) {
  auto attribute = dyn_cast_or_null<DistributedAttr>(tile::isTile(tile) ? tile::layoutOf(tile) : Attribute());
  if (!attribute || attribute.getShape().size() != 2)
    return false;
  layout::DistributedLayout layout = attribute.getValue();
  int64_t warps = int64_t(1) << layout.bases().warps.size();
  std::optional<layout::DistributedLayout> wanted = wgmmaAccumulator(layout.shape()[0], layout.shape()[1], warps);
  return wanted && DistributedAttr::get(tile.getContext(), *wanted) == attribute;
}

std::optional<layout::DistributedLayout> wgmmaOperand(int64_t rows, int64_t depth, int64_t warps, std::string *why) {
  constexpr int64_t step = 16;
  if (warps % 4 != 0 || depth % step != 0) {
    if (why)
      *why = "wgmma takes an operand in registers of whole warpgroups, and steps of 16 along the summed axis";
    return std::nullopt;
  }
  // A's fragments have the places of C's for m16: a thread's registers of two blocks of 8 columns are one fragment.
  return layout::mmaAccumulatorLayout(rows, depth, {warps, 1}, why);
}

bool isWgmmaOperand(Type tile, StringAttr rowAxis) {
  auto attribute = dyn_cast_or_null<DistributedAttr>(tile::isTile(tile) ? tile::layoutOf(tile) : Attribute());
  int64_t rows = tile::isTile(tile) ? tile::positionOfAxis(tile, rowAxis) : -1;
  if (!attribute || attribute.getShape().size() != 2 || rows < 0)
    return false;
  layout::DistributedLayout layout = attribute.getValue();
  if (rows == 1)
    layout = layout.transposed({1, 0});
  int64_t warps = int64_t(1) << layout.bases().warps.size();
  std::optional<layout::DistributedLayout> wanted = wgmmaOperand(layout.shape()[0], layout.shape()[1], warps);
  return wanted && DistributedAttr::get(tile.getContext(), *wanted) == DistributedAttr::get(tile.getContext(), layout);
}

static bool isF8(Type element) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(element);
}

bool isPromoted(Type operand, tile::DotPrecision precision) {
  return isF8(getElementTypeOrSelf(operand)) && precision != tile::DotPrecision::Fast;
}

static bool isOperand(BufferType buffer, StringAttr depth) {
  Type element = buffer.getTile().getElementType();
  bool isDepthContiguous = tile::axesOf(buffer.getTile())[buffer.getContiguous()] == depth;
  bool isElement = element.isBF16() || element.isF16() || (isDepthContiguous && (element.isF32() || isF8(element) || element.isInteger(8)));
  return buffer.getStages() == 1 && buffer.getSwizzle() == 128 && isElement;
}

LogicalResult WgmmaOp::verify() {
  // wgmma_c1
  BufferType lhs = getLhs().getType(), rhs = getRhs().getType();
  Type result = getResult().getType();
  SmallVector<StringAttr> common;
  for (StringAttr axis : tile::axesOf(lhs.getTile()))
    if (tile::positionOfAxis(rhs.getTile(), axis) >= 0)
      common.push_back(axis);
  bool keepsOthers = true;
  for (auto [buffer, dimension] : {std::pair(lhs, 0), std::pair(rhs, 1)})
    for (StringAttr axis : tile::axesOf(buffer.getTile()))
      if (tile::positionOfAxis(lhs.getTile(), axis) < 0 || tile::positionOfAxis(rhs.getTile(), axis) < 0)
        keepsOthers = keepsOthers && tile::positionOfAxis(result, axis) == dimension;
  Type left = lhs.getTile().getElementType(), right = rhs.getTile().getElementType();
  if (common.size() != 1 || !isOperand(lhs, common[0]) || !isOperand(rhs, common[0]) || (left != right && !(isF8(left) && isF8(right))) || !keepsOthers)
    return emitOpError() << "expects two buffers of one stage and swizzle 128 of one type of 16-bit floats, or of f32, f8 or i8 with the summed axis contiguous, "
                            "with one axis in common and the result's others, not "
                         << lhs << " and " << rhs;
  // wgmma_c2
  Type sum = left.isInteger(8) ? Type(IntegerType::get(getContext(), 32)) : Type(Float32Type::get(getContext()));
  if (getElementTypeOrSelf(result) != sum || !isWgmmaAccumulator(result))
    return emitOpError() << "expects a result of " << sum << " in the layout of an accumulator of wgmma, not " << result;
  if (int64_t columns = cast<DistributedAttr>(tile::layoutOf(result)).getShape()[1]; left.isInteger(8) && columns > 24 && columns % 16 != 0)
    return emitOpError() << "expects a multiple of 16 columns of i8, or 8 or 24, not " << columns;
  if (getAccumulator() && getAccumulator().getType() != result)
    return emitOpError() << "expects an accumulator of the result's type, not " << getAccumulator().getType();
  return success();
}

/// What both forms of wgmma say: operands, then types.
template <typename Lhs> static ParseResult parseProduct(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands(2);
  Lhs lhs;
  BufferType rhs;
  Type type;
  if (parser.parseOperand(operands[0]) || parser.parseComma() || parser.parseOperand(operands[1]))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("onto")) && parser.parseOperand(operands.emplace_back()))
    return failure();
  llvm::SMLoc where = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(lhs) || parser.parseComma() || parser.parseType(rhs) ||
      parser.parseArrow() || parser.parseType(type))
    return failure();
  SmallVector<Type> types{lhs, rhs};
  types.resize(operands.size(), type);
  result.addTypes(type);
  return parser.resolveOperands(operands, types, where, result.operands);
}

template <typename Op> static void printProduct(OpAsmPrinter &printer, Op op, ArrayRef<StringRef> printed = {}) {
  printer << ' ' << op.getLhs() << ", " << op.getRhs();
  if (op.getAccumulator())
    printer << " onto " << op.getAccumulator();
  printer.printOptionalAttrDict(op->getAttrs(), printed);
  printer << " : " << op.getLhs().getType() << ", " << op.getRhs().getType() << " -> " << op.getResult().getType();
}

ParseResult WgmmaOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseProduct<BufferType>(parser, result);
}

void WgmmaOp::print(OpAsmPrinter &printer) {
  printProduct(printer, *this);
}

LogicalResult WgmmaRegistersOp::verify() {
  BufferType rhs = getRhs().getType();
  Type lhs = getLhs().getType(), result = getResult().getType();
  // wgmma_registers_c3
  if (!getElementTypeOrSelf(result).isF32() || !isWgmmaAccumulator(result))
    return emitOpError() << "expects a result of f32 in the layout of an accumulator of wgmma, not " << result;
  if (getAccumulator() && getAccumulator().getType() != result)
    return emitOpError() << "expects an accumulator of the result's type, not " << getAccumulator().getType();
  StringAttr rows = tile::axesOf(result)[0], columns = tile::axesOf(result)[1];
  // wgmma_registers_c1
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(lhs));
  if (!element || element.getWidth() != 16 || !isWgmmaOperand(lhs, rows) || distributedLayout(lhs).bases().warps.size() != distributedLayout(result).bases().warps.size() ||
      paddedShape(lhs)[tile::positionOfAxis(lhs, rows)] != paddedShape(result)[0])
    return emitOpError() << "expects a tile of 16-bit floats in the layout of an operand of wgmma, with the result's rows over its warps, not " << lhs;
  // wgmma_registers_c2
  StringAttr depth = tile::axesOf(lhs)[1 - tile::positionOfAxis(lhs, rows)];
  int64_t summed = tile::positionOfAxis(rhs.getTile(), depth);
  bool hasAxes = tile::axesOf(rhs.getTile()).size() == 2 && summed >= 0 && tile::positionOfAxis(rhs.getTile(), columns) >= 0;
  if (!isOperand(rhs, depth) || rhs.getTile().getElementType() != element || !hasAxes ||
      rhs.getPaddedShape()[summed] != paddedShape(lhs)[tile::positionOfAxis(lhs, depth)] || rhs.getPaddedShape()[1 - summed] != paddedShape(result)[1])
    return emitOpError() << "expects a buffer of one stage, swizzle 128 and elements of " << element << " whose axes are " << depth << ", as in the tile, and "
                         << columns << ", as in the result, not " << rhs;
  return success();
}

ParseResult WgmmaRegistersOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalKeyword("stepwise")))
    result.addAttribute(getStepwiseAttrName(result.name), parser.getBuilder().getUnitAttr());
  return parseProduct<Type>(parser, result);
}

void WgmmaRegistersOp::print(OpAsmPrinter &printer) {
  if (getStepwise())
    printer << " stepwise";
  printProduct(printer, *this, {getStepwiseAttrName()});
}

std::optional<Type> pairsOf(Type tile) {
  if (!tile::isTile(tile) || getElementTypeOrSelf(tile).getIntOrFloatBitWidth() != 16 || !isa<FloatType>(getElementTypeOrSelf(tile)) ||
      !isWgmmaOperand(tile, tile::axesOf(tile)[0]))
    return std::nullopt;
  // The neighbour along the columns is a register's bit, which goes; what else adds columns adds half as many.
  layout::DistributedLayout whole = distributedLayout(tile);
  layout::DistributedLayout::Bases bases = whole.bases();
  std::erase(bases.registers, layout::DistributedLayout::Basis{0, 1});
  for (auto *list : {&bases.registers, &bases.lanes, &bases.warps})
    for (layout::DistributedLayout::Basis &basis : *list)
      basis[1] /= 2;
  std::string why;
  std::optional<layout::DistributedLayout> pairs = layout::DistributedLayout::create({whole.shape()[0], whole.shape()[1] / 2}, bases, &why);
  if (!pairs)
    return std::nullopt;
  auto tensor = cast<RankedTensorType>(tile);
  auto halved = RankedTensorType::get({tensor.getDimSize(0), whole.shape()[1] / 2}, IntegerType::get(tile.getContext(), 32), tensor.getEncoding());
  return withLayout(halved, *pairs);
}

LogicalResult PackPairsOp::verify() {
  // pack_pairs_c1
  std::optional<Type> pairs = pairsOf(getOperand().getType());
  if (!pairs || *pairs != getResult().getType())
    return emitOpError() << "expects an operand of wgmma in registers and its pairs, not " << getOperand().getType() << " and " << getResult().getType();
  return success();
}

LogicalResult UnpackPairsOp::verify() {
  // unpack_pairs_c1
  std::optional<Type> pairs = pairsOf(getResult().getType());
  if (!pairs || *pairs != getOperand().getType())
    return emitOpError() << "expects the pairs of an operand of wgmma in registers, not " << getOperand().getType() << " of " << getResult().getType();
  return success();
}

LogicalResult WgmmaWaitOp::verify() {
  // wgmma_wait_c1
  if (getAccumulators().getTypes() != getValues().getTypes())
    return emitOpError("expects results of the operands' types");
  return success();
}

} // namespace tilewright::tilegpu
