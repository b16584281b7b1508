#include "runtime/emulator/TensorMap.h"

#include "runtime/Text.h"

#include <cstring>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// What the 128 bytes hold.
struct Content {
  uint64_t mark;
  uint64_t address;
  uint64_t extents[mostDimensions];
  uint64_t strides[mostDimensions - 1];
  uint16_t box[mostDimensions];
  uint8_t elementStrides[mostDimensions];
  uint8_t type;
  uint8_t rank;
  uint8_t swizzle;
  uint8_t fillsNaN;
};
static_assert(sizeof(Content) <= sizeof(TensorMap));

constexpr uint64_t itsMark = 0x70616d726f736e74; // "tnsormap"

Status refuse(std::string message) {
  return Status(TW_INVALID_ARGUMENT, concat("tensor map: ", message));
}

bool isElementType(Type type) {
  switch (type) {
  case Type::U8:
  case Type::U16:
  case Type::U32:
  case Type::S32:
  case Type::U64:
  case Type::S64:
  case Type::F16:
  case Type::F32:
  case Type::F64:
  case Type::BF16:
  case Type::TF32:
    return true;
  default:
    return false;
  }
}

Status checkAddress(uint64_t address) {
  return address % 16 ? refuse(concat("the address ", address, " is not a multiple of 16")) : Status();
}

Status checkDimension(const TensorMapRequest &request, unsigned k) {
  if (request.extents[k] == 0 || request.extents[k] > uint64_t(1) << 32)
    return refuse(concat("extent ", k, " is ", request.extents[k], "; 1 to 2^32 are allowed"));
  if (request.box[k] == 0 || request.box[k] > 256)
    return refuse(concat("the box has ", request.box[k], " elements in dimension ", k, "; 1 to 256 are allowed"));
  if (k > 0 && (request.elementStrides[k] == 0 || request.elementStrides[k] > 8))
    return refuse(concat("element stride ", k, " is ", request.elementStrides[k], "; 1 to 8 are allowed"));
  if (k > 0 && (request.strides[k - 1] % 16 || request.strides[k - 1] >= uint64_t(1) << 40))
    return refuse(concat("the stride of dimension ", k, " is ", request.strides[k - 1],
                         " bytes; multiples of 16 below 2^40 are allowed"));
  return {};
}

} // namespace

Result<TensorMap> tilewright::runtime::emulator::encodeTensorMap(const TensorMapRequest &request) {
  if (!isElementType(request.type))
    return refuse(concat("elements of type ", facts(request.type).text));
  if (request.rank == 0 || request.rank > mostDimensions)
    return refuse(concat(request.rank, " dimensions; 1 to ", mostDimensions, " are allowed"));
  if (Status status = checkAddress(request.address); !status.ok())
    return status;
  for (unsigned k = 0; k < request.rank; ++k)
    if (Status status = checkDimension(request, k); !status.ok())
      return status;
  uint32_t inner = request.box[0] * bytesOf(request.type);
  if (inner % 16)
    return refuse(concat("the box's rows have ", inner, " bytes, which is not a multiple of 16"));
  if (request.swizzle != Swizzle::None && inner > spanOf(request.swizzle))
    return refuse(concat("the box's rows have ", inner, " bytes, more than the swizzle's ", spanOf(request.swizzle)));
  if (request.fillsNaN && !isFloat(request.type))
    return refuse("a fill of NaN for elements that are integers");
  Content content{};
  content.mark = itsMark;
  content.address = request.address;
  for (unsigned k = 0; k < request.rank; ++k) {
    content.extents[k] = request.extents[k];
    content.box[k] = static_cast<uint16_t>(request.box[k]);
    // The innermost dimension has none.
    content.elementStrides[k] = static_cast<uint8_t>(k == 0 ? 1 : request.elementStrides[k]);
    if (k > 0)
      content.strides[k - 1] = request.strides[k - 1];
  }
  content.type = static_cast<uint8_t>(request.type);
  content.rank = static_cast<uint8_t>(request.rank);
  content.swizzle = static_cast<uint8_t>(request.swizzle);
  content.fillsNaN = request.fillsNaN;
  TensorMap map;
  memcpy(map.bytes.data(), &content, sizeof(content));
  return map;
}

Status tilewright::runtime::emulator::replaceTensorMapAddress(TensorMap &map, uint64_t address) {
  if (!decodeTensorMap(map))
    return refuse("these 128 bytes are none");
  if (Status status = checkAddress(address); !status.ok())
    return status;
  memcpy(map.bytes.data() + offsetof(Content, address), &address, sizeof(address));
  return {};
}

std::optional<TensorMapRequest> tilewright::runtime::emulator::decodeTensorMap(const TensorMap &map) {
  Content content;
  memcpy(&content, map.bytes.data(), sizeof(content));
  if (content.mark != itsMark)
    return std::nullopt;
  TensorMapRequest request;
  request.type = static_cast<Type>(content.type);
  request.rank = content.rank;
  request.address = content.address;
  for (unsigned k = 0; k < content.rank; ++k) {
    request.extents[k] = content.extents[k];
    request.box[k] = content.box[k];
    request.elementStrides[k] = content.elementStrides[k];
    if (k > 0)
      request.strides[k - 1] = content.strides[k - 1];
  }
  request.swizzle = static_cast<Swizzle>(content.swizzle);
  request.fillsNaN = content.fillsNaN;
  return request;
}
