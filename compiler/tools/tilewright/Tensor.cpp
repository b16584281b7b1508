#include "compiler/tools/tilewright/Tensor.h"

#include "compiler/tools/tilewright/CommandError.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tilewright::tools {
namespace {

constexpr std::byte guardByte{0xa5};

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape) {
  return NpyHeader{{}, false, shape, 0}.strides();
}

size_t bytesOf(DType dtype, const std::vector<int64_t> &shape) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  size_t bytes = byteWidth(dtype);
  for (int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(extent), &bytes))
      throw failure("an array is larger than any memory");
  return bytes;
}

/// The elements of an array with these strides, in C order.
std::vector<std::byte> gather(const std::byte *data, const std::vector<int64_t> &shape, const std::vector<int64_t> &strides,
                              size_t width, size_t bytes) {
  std::vector<std::byte> result(bytes);
  std::vector<int64_t> index(shape.size(), 0);
  int64_t position = 0;
  for (size_t at = 0; at < bytes; at += width) {
    std::memcpy(result.data() + at, data + position * static_cast<int64_t>(width), width);
    for (size_t n = shape.size(); n-- > 0;) {
      position += strides[n];
      if (++index[n] < shape[n])
        break;
      position -= index[n] * strides[n];
      index[n] = 0;
    }
  }
  return result;
}

/// A generator that needs no state between elements (Steele, Lea and Flood's SplitMix64).
uint64_t scramble(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Which dtype a file's elements become, and whether they are it already, bit for bit.
struct Interpretation {
  DType dtype;
  bool isRaw;
};

Interpretation interpret(NpyType type, const FileSpec &file, std::optional<DType> wanted, const std::string &name) {
  if (file.dtype && holdsRaw(type, *file.dtype))
    return {*file.dtype, true};
  if (!file.dtype && wanted && holdsRaw(type, *wanted))
    return {*wanted, true};
  std::optional<DType> held = dtypeOf(type);
  if (!held)
    throw failure("`" + name + "`: " + file.path + " holds " + tools::name(type) + ", which no dtype of the language matches",
                  type.bytes == 2 ? "if it is bf16, say so: --in " + name + "=" + file.path + ":bf16"
                                  : "convert it: np.save(path, array.astype(np.int64))");
  if (file.dtype && !(isFloat(*held) && isFloat(*file.dtype)))
    throw failure("`" + name + "`: " + file.path + " holds " + tools::name(type) + ", which is not taken as " +
                      tools::name(*file.dtype),
                  tools::name(*file.dtype) + " is kept as " + tools::name(npyType(*file.dtype)) + " in .npy files");
  return {file.dtype.value_or(*held), !file.dtype};
}

} // namespace

Buffer::Buffer(size_t bytes) : bytes(bytes) {
  size_t total = (bytes + 2 * guardBytes + 4095) / 4096 * 4096;
  memory.reset(bytes > total ? nullptr : static_cast<std::byte *>(std::aligned_alloc(4096, total)));
  if (!memory)
    throw failure("there is no memory for an array of " + std::to_string(bytes) + " bytes");
  std::fill_n(memory.get(), guardBytes, guardByte);
  std::fill_n(data() + bytes, guardBytes, guardByte);
}

bool Buffer::guardsAreIntact() const {
  auto isZoneIntact = [](const std::byte *zone) {
    return std::all_of(zone, zone + guardBytes, [](std::byte value) { return value == guardByte; });
  };
  return isZoneIntact(memory.get()) && isZoneIntact(data() + bytes);
}

Tensor::Tensor(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides)
    : dtype(dtype), arrayShape(shape), arrayStrides(strides), memory(bytesOf(dtype, shape)), shape(std::move(shape)),
      strides(std::move(strides)) {}

Tensor::Tensor(DType dtype, const std::vector<int64_t> &shape) : Tensor(dtype, shape, rowMajorStrides(shape)) {
  std::fill_n(memory.data(), memory.size(), std::byte{0});
}

int64_t Tensor::elementCount() const {
  return NpyHeader{{}, false, shape, 0}.elementCount();
}

void Tensor::slice(const std::vector<Slice> &slices, const std::string &name) {
  if (slices.size() > shape.size())
    throw failure("--slice " + name + " has " + std::to_string(slices.size()) + " dimensions, the array " +
                  std::to_string(shape.size()));
  for (size_t n = 0; n < slices.size(); ++n) {
    const Slice &part = slices[n];
    int64_t extent = shape[n], step = part.step;
    // Python's rules: bounds count from the end if negative, and are then moved into the array.
    auto bound = [&](std::optional<int64_t> given, int64_t otherwise) {
      if (!given)
        return otherwise;
      int64_t value = *given < 0 ? *given + extent : *given;
      return step > 0 ? std::clamp<int64_t>(value, 0, extent) : std::clamp<int64_t>(value, -1, extent - 1);
    };
    int64_t start = bound(part.start, step > 0 ? 0 : extent - 1);
    int64_t stop = bound(part.stop, step > 0 ? extent : -1);
    int64_t distance = step > 0 ? stop - start : start - stop;
    shape[n] = distance <= 0 ? 0 : (distance - 1) / std::abs(step) + 1;
    if (shape[n] > 0)
      offset += start * strides[n];
    strides[n] *= step;
  }
  if (elementCount() == 0)
    offset = 0; // of nothing: any address serves
}

void Tensor::transpose(const std::vector<int64_t> &order, const std::string &name) {
  if (order.size() != shape.size())
    throw failure("--transpose " + name + " has " + std::to_string(order.size()) + " dimensions, the array " +
                  std::to_string(shape.size()));
  std::vector<int64_t> oldShape = shape, oldStrides = strides;
  for (size_t n = 0; n < order.size(); ++n) {
    shape[n] = oldShape[static_cast<size_t>(order[n])];
    strides[n] = oldStrides[static_cast<size_t>(order[n])];
  }
}

void Tensor::poison() {
  std::fill_n(memory.data(), memory.size(), std::byte{dtype == DType::Bool ? uint8_t{1} : uint8_t{0xff}});
}

Tensor loadTensor(const FileSpec &file, std::optional<DType> wanted, const std::string &name) {
  NpyHeader header = readNpyHeader(file.path);
  Interpretation as = interpret(header.type, file, wanted, name);
  Tensor tensor(as.dtype, header.shape, header.strides());
  if (as.isRaw) {
    readNpyData(file.path, header, tensor.memory.data());
    return tensor;
  }
  auto count = static_cast<size_t>(header.elementCount());
  std::vector<std::byte> raw(count * header.type.bytes);
  readNpyData(file.path, header, raw.data());
  convert(*dtypeOf(header.type), raw.data(), as.dtype, tensor.memory.data(), count);
  return tensor;
}

Tensor randomTensor(const RandomSpec &spec) {
  Tensor tensor(spec.dtype, spec.shape);
  auto count = static_cast<size_t>(tensor.elementCount());
  uint64_t state = scramble(spec.seed + 0x9e3779b97f4a7c15);
  for (size_t n = 0; n < count; ++n) {
    uint64_t bits = scramble(state + n * 0x9e3779b97f4a7c15);
    std::byte *element = tensor.memory.data() + n * byteWidth(spec.dtype);
    if (isFloat(spec.dtype)) {
      // 24 bits, so that the number is exact in f32 and f64 alike.
      double value = static_cast<double>(bits >> 40) * 0x1p-23 - 1;
      convert(DType::F64, &value, spec.dtype, element, 1);
    } else {
      int64_t value = spec.dtype == DType::Bool ? static_cast<int64_t>(bits >> 63) : static_cast<int64_t>(bits >> 56) - 128;
      convert(DType::I64, &value, spec.dtype, element, 1);
    }
  }
  return tensor;
}

void saveTensor(const Tensor &tensor, const FileSpec &file) {
  size_t width = byteWidth(tensor.dtype), bytes = tensor.memory.size();
  const std::byte *data = tensor.memory.data();
  std::vector<std::byte> ordered;
  if (tensor.arrayStrides != rowMajorStrides(tensor.arrayShape)) {
    ordered = gather(data, tensor.arrayShape, tensor.arrayStrides, width, bytes);
    data = ordered.data();
  }
  DType dtype = file.dtype.value_or(tensor.dtype);
  std::vector<std::byte> converted;
  if (dtype != tensor.dtype) {
    converted.resize(bytes / width * byteWidth(dtype));
    convert(tensor.dtype, data, dtype, converted.data(), bytes / width);
    data = converted.data();
  }
  writeNpy(file.path, npyType(dtype), tensor.arrayShape, data);
}

} // namespace tilewright::tools
