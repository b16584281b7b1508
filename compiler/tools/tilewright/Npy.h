// NumPy's file format, .npy, versions 1 to 3.
//
//   "\x93NUMPY" major minor | length of the header, u16 (v1) or u32 | a Python dict literal, padded with blanks | the data
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//
// Arrays in Fortran order are not copied: their strides say what they are. Big-endian data, structured dtypes and objects are
// refused. A damaged or hostile file gives an error, whatever its header claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::tools {

enum class NpyKind : char { Boolean = 'b', Signed = 'i', Unsigned = 'u', Float = 'f' };

struct NpyType {
  NpyKind kind = NpyKind::Float;
  unsigned bytes = 4;

  friend bool operator==(const NpyType &, const NpyType &) = default;
};
std::string name(NpyType type); ///< NumPy's own: "float32", "uint16", "bool"

struct NpyHeader {
  NpyType type;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  size_t dataOffset = 0; ///< from the start of the file

  int64_t elementCount() const;
  std::vector<int64_t> strides() const; ///< in elements
};

/// Reads a header. `file` is the file's contents, or enough of its beginning; `fileSize` its whole size, against which the
/// claimed shape is checked. Throws CommandError; `name` is the file's name for its message.
NpyHeader parseNpyHeader(std::string_view file, size_t fileSize, const std::string &name);

/// A version 1 header for data in C order, padded so that the data is aligned to 64 bytes.
std::string npyHeader(NpyType type, const std::vector<int64_t> &shape);

/// Reads a file's header.
NpyHeader readNpyHeader(const std::string &path);
/// Reads the data that `header` describes into `data`, which has room for it.
void readNpyData(const std::string &path, const NpyHeader &header, void *data);
/// Writes an array in C order. The file appears whole or not at all.
void writeNpy(const std::string &path, NpyType type, const std::vector<int64_t> &shape, const void *data);

} // namespace tilewright::tools
