// cp.async.bulk.tensor: boxes of a tensor in global memory, as a tensor map describes it, to and from shared memory.
//
// A box is dense in shared memory, dimension 0 innermost, its 16-byte pieces exchanged by the map's swizzle. Elements outside
// the tensor are zeros (or NaN) when loaded, count like others, and are left out when stored.
#include "runtime/Text.h"
#include "runtime/emulator/Atomic.h"
#include "runtime/emulator/BulkAccess.h"
#include "runtime/emulator/TensorMap.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// The part of a box's row that is inside the tensor.
struct Row {
  uint32_t offset = 0;       // of the row in the box, in bytes
  uint32_t skipped = 0;      // bytes before the part
  uint32_t bytes = 0;        // of the part; 0: nothing is inside
  std::byte *data = nullptr; // in global memory
};

/// A box at coordinates, checked: its rows with their places in global memory.
struct Box {
  TensorMapRequest map;
  uint32_t rowBytes = 0;
  uint32_t bytes = 0;
  std::vector<Row> rows;
};

constexpr uint32_t tensorAlignment = 128; // of shared memory

bool readMap(const Issuer &issuer, const Operand &operand, TensorMapRequest &request) {
  Warp &warp = *issuer.warp;
  const Instruction &instruction = *issuer.instruction;
  uint64_t address = warp.address(operand, issuer.lane);
  TensorMap map;
  for (uint64_t half : {0, 64}) {
    const std::byte *from = warp.access(instruction, issuer.lane, operand.isVariable ? operand.space : Space::Generic,
                                        address + half, 64, ReadAccess);
    if (!from)
      return false;
    memcpy(map.bytes.data() + half, from, 64);
  }
  std::optional<TensorMapRequest> decoded = decodeTensorMap(map);
  if (!decoded) {
    warp.fault(FaultKind::Illegal, instruction, issuer.lane, "there is no tensor map at this address", address);
    return false;
  }
  request = *decoded;
  if (request.rank == instruction.detail)
    return true;
  warp.fault(FaultKind::Illegal, instruction, issuer.lane,
             concat("a copy of ", instruction.detail, " dimensions with a tensor map of ", request.rank), address);
  return false;
}

/// Elements that the box has in a dimension.
uint32_t countIn(const TensorMapRequest &map, unsigned k) {
  return (map.box[k] + map.elementStrides[k] - 1) / map.elementStrides[k];
}

/// One row: its elements inside the tensor, whose memory must be there.
bool addRow(const Issuer &issuer, Box &box, const std::array<int64_t, mostDimensions> &at, uint8_t bits) {
  const TensorMapRequest &map = box.map;
  Row row;
  row.offset = static_cast<uint32_t>(box.rows.size()) * box.rowBytes;
  bool isInside = true;
  uint64_t address = map.address;
  for (unsigned k = 1; k < map.rank; ++k) {
    isInside &= at[k] >= 0 && at[k] < static_cast<int64_t>(map.extents[k]);
    address += static_cast<uint64_t>(at[k]) * map.strides[k - 1];
  }
  uint32_t element = bytesOf(map.type);
  int64_t first = std::max<int64_t>(at[0], 0), extent = static_cast<int64_t>(map.extents[0]);
  // An H200 clips what it writes to whole pieces of 16 bytes: of a row that ends within one, all of it is written.
  constexpr int64_t pieceBytes = 16;
  if (bits & WriteAccess)
    extent = (extent * element + pieceBytes - 1) / pieceBytes * pieceBytes / element;
  int64_t end = std::min(at[0] + static_cast<int64_t>(map.box[0]), extent);
  if (isInside && first < end) {
    row.skipped = static_cast<uint32_t>(first - at[0]) * element;
    row.bytes = static_cast<uint32_t>(end - first) * element;
    row.data = issuer.warp->globalAccess(*issuer.instruction, issuer.lane, address + static_cast<uint64_t>(first) * element,
                                         row.bytes, bits);
    if (!row.data)
      return false;
  }
  box.rows.push_back(row);
  return true;
}

/// The box that a tensor operand names. False: a fault was reported.
bool readBox(const Issuer &issuer, unsigned operand, uint8_t bits, Box &box) {
  const Instruction &instruction = *issuer.instruction;
  if (!readMap(issuer, instruction.operand(operand), box.map))
    return false;
  const TensorMapRequest &map = box.map;
  box.rowBytes = map.box[0] * bytesOf(map.type);
  std::array<int64_t, mostDimensions> origin{};
  uint32_t rows = 1;
  for (unsigned k = 0; k < map.rank; ++k) {
    origin[k] = static_cast<int32_t>(issuer.warp->value(instruction.operand(operand, 1 + k), issuer.lane));
    // Loads may begin before the tensor. Of a store an H200 then stops with "an illegal instruction was encountered".
    if (origin[k] < 0 && (bits & WriteAccess)) {
      issuer.warp->fault(FaultKind::Illegal, instruction, issuer.lane,
                         concat("a store by a tensor copy begins at the negative coordinate ", origin[k], " of dimension ", k), 0);
      return false;
    }
    rows *= k > 0 ? countIn(map, k) : 1;
  }
  box.bytes = rows * box.rowBytes;
  for (uint32_t number = 0; number < rows; ++number) {
    std::array<int64_t, mostDimensions> at = origin;
    for (uint32_t k = 1, rest = number; k < map.rank; rest /= countIn(map, k++))
      at[k] += static_cast<int64_t>(rest % countIn(map, k)) * map.elementStrides[k];
    if (!addRow(issuer, box, at, bits))
      return false;
  }
  return true;
}

/// visit(offset in the box, place in shared memory) for each 16 bytes of the box; `shared` is a block's memory at address 0.
template <typename Visit> void forEachPiece(const Box &box, std::byte *shared, uint32_t address, Visit visit) {
  for (uint32_t at = 0; at < box.bytes; at += 16)
    visit(at, shared + swizzled(address + at, box.map.swizzle));
}

/// f32 as a copy of a TF32 tensor leaves it: to nearest, halves away from zero.
void roundToTF32(std::vector<std::byte> &bytes) {
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint32_t)) {
    uint32_t bits;
    memcpy(&bits, bytes.data() + at, sizeof(bits));
    constexpr uint32_t infinity = 0x7f800000, lowBits = 0x1fff;
    bits = (bits & infinity) == infinity ? bits : (bits + (lowBits + 1) / 2) & ~lowBits;
    memcpy(bytes.data() + at, &bits, sizeof(bits));
  }
}

std::vector<std::byte> gather(const Box &box) {
  std::vector<std::byte> bytes(box.bytes, std::byte(box.map.fillsNaN ? 0xff : 0));
  for (const Row &row : box.rows)
    if (row.bytes)
      memcpy(bytes.data() + row.offset + row.skipped, row.data, row.bytes);
  if (box.map.type == Type::TF32)
    roundToTF32(bytes);
  return bytes;
}

bool loadBox(const Issuer &issuer) {
  const Instruction &instruction = *issuer.instruction;
  auto box = std::make_shared<Box>();
  BulkTarget first;
  if (!readBox(issuer, 1, ReadAccess, *box) || !findTarget(issuer, 0, 2, box->bytes, tensorAlignment, first))
    return false;
  auto loadTo = [&](const BulkTarget &target) {
    if (!beginWrite(issuer, target, box->bytes))
      return false;
    std::byte *shared = target.place.data - target.place.address;
    issueLoad(issuer, target, box->bytes, [box, shared, address = target.place.address] {
      std::vector<std::byte> bytes = gather(*box);
      forEachPiece(*box, shared, address, [&](uint32_t at, std::byte *place) { memcpy(place, bytes.data() + at, 16); });
    });
    return true;
  };
  if (!instruction.detail2)
    return loadTo(first);
  uint32_t mask = static_cast<uint32_t>(issuer.warp->value(instruction.operand(3), issuer.lane));
  return forEachTarget(issuer, mask, box->bytes, first, loadTo);
}

void scatter(const Box &box, const std::vector<std::byte> &bytes) {
  for (const Row &row : box.rows)
    if (row.bytes)
      memcpy(row.data, bytes.data() + row.offset + row.skipped, row.bytes);
}

void reduce(const Box &box, const std::vector<std::byte> &bytes, AtomicOperation operation) {
  uint32_t element = bytesOf(box.map.type);
  for (const Row &row : box.rows)
    for (uint32_t at = 0; at < row.bytes; at += element) {
      uint64_t value = 0;
      memcpy(&value, bytes.data() + row.offset + row.skipped + at, element);
      atomicUpdate(row.data + at, operation, box.map.type, value);
    }
}

/// detail2: 1 + the operation, if it reduces.
bool storeBox(const Issuer &issuer) {
  const Instruction &instruction = *issuer.instruction;
  Warp &warp = *issuer.warp;
  auto box = std::make_shared<Box>();
  SharedPlace source;
  uint8_t bits = instruction.detail2 ? WriteAccess | StrongAccess : WriteAccess;
  if (!readBox(issuer, 0, bits, *box) ||
      !warp.sharedAddress(instruction, issuer.lane, warp.address(instruction.operand(1), issuer.lane), box->bytes,
                          tensorAlignment, source))
    return false;
  if (instruction.detail2 && bytesOf(box->map.type) < 2) {
    warp.fault(FaultKind::Illegal, instruction, issuer.lane, "a reducing copy with a tensor of bytes");
    return false;
  }
  Bulk &bulk = warp.block.cluster.bulk;
  if (!beginRead(issuer, source, box->bytes, bulk.readerOf(issuer)))
    return false;
  auto held = std::make_shared<std::vector<std::byte>>(box->bytes);
  auto read = [box, held, shared = source.data - source.address, address = source.address] {
    forEachPiece(*box, shared, address, [&](uint32_t at, std::byte *place) { memcpy(held->data() + at, place, 16); });
  };
  auto write = [box, held, operation = instruction.detail2] {
    if (operation)
      reduce(*box, *held, static_cast<AtomicOperation>(operation - 1));
    else
      scatter(*box, *held);
  };
  bulk.issue(BulkStore{issuer, std::move(read), std::move(write)});
  return true;
}

template <bool (*copy)(const Issuer &)> Outcome tensorCopy(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  for (unsigned lane : lanesOf(lanes))
    if (!copy({&warp, &instruction, lane}))
      return Outcome::Fault;
  return Outcome::Next;
}

Outcome prefetch(Warp &, const Instruction &, uint32_t) {
  return Outcome::Next;
}

/// Puts the number of dimensions into `detail`; false if the operand has another number.
bool takeRank(const Mnemonic &mnemonic, Instruction &instruction, unsigned operand) {
  std::string_view rank = mnemonic.oneOf("1d 2d 3d 4d 5d");
  if (rank.empty())
    return false;
  instruction.detail = static_cast<uint32_t>(rank[0] - '0');
  return instruction.operandCount == 0 || instruction.width[operand] == instruction.detail + 1;
}

} // namespace

namespace tilewright::runtime::emulator {

Executor bindTensorCopy(const Mnemonic &mnemonic, Instruction &instruction) {
  instruction.space = destinationOf(mnemonic);
  bool toGlobal = instruction.space == Space::Global;
  if (!takeRank(mnemonic, instruction, toGlobal ? 0 : 1))
    return nullptr;
  if (toGlobal) {
    instruction.space = Space::Shared; // of the source
    bool fits = instruction.operandCount == 0 || instruction.operandCount == (mnemonic.has("L2::cache_hint") ? 3 : 2);
    return mnemonic.has("shared::cta") && mnemonic.has("bulk_group") && fits ? &tensorCopy<storeBox> : nullptr;
  }
  instruction.detail2 = mnemonic.has("multicast::cluster");
  unsigned operands = 3 + instruction.detail2 + mnemonic.has("L2::cache_hint");
  bool fits = instruction.operandCount == 0 || instruction.operandCount == operands;
  return mnemonic.has("global") && mnemonic.has("mbarrier::complete_tx::bytes") && fits ? &tensorCopy<loadBox> : nullptr;
}

Executor bindTensorReduce(const Mnemonic &mnemonic, Instruction &instruction) {
  std::optional<AtomicOperation> operation = atomicOperationOf(mnemonic);
  if (!operation || !takeRank(mnemonic, instruction, 0) || destinationOf(mnemonic) != Space::Global)
    return nullptr;
  instruction.space = Space::Shared;
  instruction.detail2 = static_cast<uint32_t>(*operation) + 1;
  return mnemonic.has("bulk_group") ? &tensorCopy<storeBox> : nullptr;
}

Executor bindTensorPrefetch(const Mnemonic &mnemonic, Instruction &instruction) {
  return takeRank(mnemonic, instruction, 0) ? &prefetch : nullptr;
}

} // namespace tilewright::runtime::emulator
