// The memory behind a view argument.
#pragma once

#include "compiler/tools/tilewright/ArgumentSpecs.h"
#include "compiler/tools/tilewright/DTypes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::tools {

/// Page-aligned memory between two guard zones. A kernel must leave them alone; `guardsAreIntact` tells whether it did.
class Buffer {
public:
  explicit Buffer(size_t bytes);

  std::byte *data() { return memory.get() + guardBytes; }
  const std::byte *data() const { return memory.get() + guardBytes; }
  size_t size() const { return bytes; }
  /// The memory and its guard zones: what a device gets a copy of.
  std::byte *allData() { return memory.get(); }
  const std::byte *allData() const { return memory.get(); }
  size_t allBytes() const { return bytes + 2 * guardBytes; }
  bool guardsAreIntact() const;

private:
  static constexpr size_t guardBytes = 4096;
  struct Free {
    void operator()(std::byte *pointer) const { std::free(pointer); }
  };

  size_t bytes;
  std::unique_ptr<std::byte, Free> memory;
};

/// An array in memory, and the part of it that the kernel sees as its view.
struct Tensor {
  DType dtype;
  std::vector<int64_t> arrayShape, arrayStrides; ///< all of it, in elements
  Buffer memory;
  int64_t offset = 0; ///< of the view's element 0, …, 0
  std::vector<int64_t> shape, strides;

  Tensor(DType dtype, std::vector<int64_t> shape, std::vector<int64_t> strides);
  /// A tensor in C order, all 0.
  Tensor(DType dtype, const std::vector<int64_t> &shape);

  void *viewData() { return memory.data() + offset * static_cast<int64_t>(byteWidth(dtype)); }
  int64_t elementCount() const; ///< of the view
  size_t byteCount() const { return static_cast<size_t>(elementCount()) * byteWidth(dtype); }

  /// Narrows the view as NumPy's basic slicing does. `name` is for the message.
  void slice(const std::vector<Slice> &slices, const std::string &name);
  /// Dimension n of the view becomes dimension order[n] of what it was.
  void transpose(const std::vector<int64_t> &order, const std::string &name);
  /// Fills the memory with all ones: NaN in every float format, -1, true.
  void poison();
};

/// Reads a .npy file. `wanted` is the dtype that the parameter must have, if that is known: it tells bf16 and f8 from raw
/// integers.
Tensor loadTensor(const FileSpec &file, std::optional<DType> wanted, const std::string &name);
/// Uniform numbers, the same for the same seed on every machine: floats in [-1, 1), integers in -128..127 (u8: 0..255).
Tensor randomTensor(const RandomSpec &spec);
/// Writes the whole array in C order, in its own dtype or the one that `file` names.
void saveTensor(const Tensor &tensor, const FileSpec &file);

} // namespace tilewright::tools
