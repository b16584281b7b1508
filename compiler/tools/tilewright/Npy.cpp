#include "compiler/tools/tilewright/Npy.h"

#include "compiler/tools/tilewright/CommandError.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::tools {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t largestHeader = 1 << 20; // NumPy itself stops at 10,000 bytes
constexpr size_t largestRank = 64;

/// A reader of the dict literal. It knows just what NumPy writes: strings, True, False, and tuples of integers.
class HeaderParser {
public:
  HeaderParser(std::string_view text, const std::string &file) : rest(text), file(file) {}

  void parse(NpyHeader &header) {
    expect('{');
    bool haveType = false, haveOrder = false, haveShape = false;
    while (!accept('}')) {
      std::string key = parseString();
      expect(':');
      if (key == "descr")
        header.type = parseType(), haveType = true;
      else if (key == "fortran_order")
        header.fortranOrder = parseBoolean(), haveOrder = true;
      else if (key == "shape")
        header.shape = parseShape(), haveShape = true;
      else
        throw damaged("its header has an unknown key '" + key + "'");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!haveType || !haveOrder || !haveShape)
      throw damaged("its header lacks one of 'descr', 'fortran_order', 'shape'");
  }

private:
  CommandError damaged(const std::string &why) const { return failure(file + " is not a valid .npy file: " + why); }

  void skipBlanks() {
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n' || rest.front() == '\t'))
      rest.remove_prefix(1);
  }
  bool accept(char c) {
    skipBlanks();
    if (rest.empty() || rest.front() != c)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      throw damaged(std::string("its header has no '") + c + "' where one is expected");
  }
  bool acceptWord(std::string_view word) {
    skipBlanks();
    if (rest.substr(0, word.size()) != word)
      return false;
    rest.remove_prefix(word.size());
    return true;
  }

  std::string parseString() {
    skipBlanks();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      throw damaged("its header has no string where one is expected");
    size_t end = rest.find(rest.front(), 1);
    if (end == std::string_view::npos)
      throw damaged("its header ends within a string");
    std::string text(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return text;
  }

  bool parseBoolean() {
    if (acceptWord("True"))
      return true;
    if (acceptWord("False"))
      return false;
    throw damaged("'fortran_order' is neither True nor False");
  }

  NpyType parseType() {
    skipBlanks();
    if (!rest.empty() && rest.front() == '[')
      throw failure(file + " holds a structured dtype", "save one field: np.save(path, array['field'])");
    std::string descr = parseString();
    if (!descr.empty() && descr[0] == '>')
      throw failure(file + " is big-endian ('" + descr + "')",
                    "convert it: np.save(path, array.astype(array.dtype.newbyteorder('<')))");
    std::optional<NpyType> type = typeNamed(descr);
    if (!type)
      throw failure(file + " holds dtype '" + descr + "', which no dtype of the language matches",
                    "convert it: np.save(path, array.astype(np.float32))");
    return *type;
  }

  static std::optional<NpyType> typeNamed(std::string_view descr) {
    if (descr.size() != 3 || (descr[0] != '<' && descr[0] != '|' && descr[0] != '='))
      return std::nullopt;
    unsigned bytes = static_cast<unsigned>(descr[2] - '0');
    bool isPowerOfTwo = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    switch (descr[1]) {
    case 'b':
      return bytes == 1 ? std::optional(NpyType{NpyKind::Boolean, 1}) : std::nullopt;
    case 'i':
      return isPowerOfTwo ? std::optional(NpyType{NpyKind::Signed, bytes}) : std::nullopt;
    case 'u':
      return isPowerOfTwo ? std::optional(NpyType{NpyKind::Unsigned, bytes}) : std::nullopt;
    case 'f':
      return isPowerOfTwo && bytes != 1 ? std::optional(NpyType{NpyKind::Float, bytes}) : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  std::vector<int64_t> parseShape() {
    expect('(');
    std::vector<int64_t> shape;
    while (!accept(')')) {
      skipBlanks();
      int64_t extent = 0;
      auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (error != std::errc() || extent < 0)
        throw damaged("'shape' is not a tuple of sizes");
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      acceptWord("L"); // Python 2 wrote long integers so
      shape.push_back(extent);
      if (shape.size() > largestRank)
        throw damaged("it has more than " + std::to_string(largestRank) + " dimensions");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view rest;
  const std::string &file;
};

uint32_t littleEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Then the sizes of the other dimensions may be anything: their product is never formed.
bool hasNoElement(const std::vector<int64_t> &shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

/// The bytes that a shape needs, or nothing if they do not fit an i64.
std::optional<int64_t> byteCount(const NpyHeader &header) {
  if (hasNoElement(header.shape))
    return 0;
  int64_t bytes = header.type.bytes;
  for (int64_t extent : header.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  return bytes;
}

/// A file descriptor that closes itself.
class File {
public:
  File(const std::string &path, int flags, mode_t mode = 0) : descriptor(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  bool isOpen() const { return descriptor >= 0; }
  int get() const { return descriptor; }

private:
  int descriptor;
};

/// A file that cannot be opened is a fault of the command line that names it.
CommandError openFailure(const std::string &path) {
  return usageError("cannot open " + path + ": " + std::strerror(errno));
}

CommandError ioFailure(const std::string &what, const std::string &path) {
  return failure("cannot " + what + " " + path + ": " + std::strerror(errno));
}

/// Reads up to `size` bytes at `offset`; fewer only at the end of the file.
size_t readFully(const File &file, const std::string &path, void *data, size_t size, size_t offset) {
  size_t done = 0;
  while (done < size) {
    ssize_t got = ::pread(file.get(), static_cast<char *>(data) + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw ioFailure("read", path);
    if (got == 0)
      break;
    done += static_cast<size_t>(got);
  }
  return done;
}

bool writeFully(const File &file, const void *data, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t put = ::write(file.get(), static_cast<const char *>(data) + done, size - done);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    done += static_cast<size_t>(put);
  }
  return true;
}

} // namespace

std::string name(NpyType type) {
  std::string bits = std::to_string(8 * type.bytes);
  switch (type.kind) {
  case NpyKind::Boolean:
    return "bool";
  case NpyKind::Signed:
    return "int" + bits;
  case NpyKind::Unsigned:
    return "uint" + bits;
  case NpyKind::Float:
    return "float" + bits;
  }
  return "?";
}

int64_t NpyHeader::elementCount() const {
  if (hasNoElement(shape))
    return 0;
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::vector<int64_t> NpyHeader::strides() const {
  std::vector<int64_t> strides(shape.size(), 1);
  if (hasNoElement(shape))
    return strides;
  uint64_t stride = 1; // wraps for shapes that no memory holds
  for (size_t n = 0; n < shape.size(); ++n) {
    size_t dimension = fortranOrder ? n : shape.size() - 1 - n;
    strides[dimension] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(shape[dimension]);
  }
  return strides;
}

NpyHeader parseNpyHeader(std::string_view file, size_t fileSize, const std::string &name) {
  auto damaged = [&](const std::string &why) { return failure(name + " is not a valid .npy file: " + why); };
  if (file.substr(0, magic.size()) != magic || file.size() < magic.size() + 2)
    throw damaged("it does not begin with \\x93NUMPY");
  unsigned version = static_cast<unsigned char>(file[magic.size()]);
  if (version < 1 || version > 3)
    throw damaged("its format version is " + std::to_string(version) + ", known are 1 to 3");

  size_t lengthOffset = magic.size() + 2, lengthBytes = version == 1 ? 2 : 4;
  if (file.size() < lengthOffset + lengthBytes)
    throw damaged("it ends within its header");
  size_t length = littleEndian(file.substr(lengthOffset, lengthBytes));
  size_t textOffset = lengthOffset + lengthBytes;
  if (length > largestHeader)
    throw damaged("its header claims " + std::to_string(length) + " bytes");
  if (file.size() - textOffset < length)
    throw damaged("it ends within its header");

  NpyHeader header;
  header.dataOffset = textOffset + length;
  HeaderParser(file.substr(textOffset, length), name).parse(header);

  std::optional<int64_t> needed = byteCount(header);
  size_t present = fileSize - header.dataOffset;
  if (!needed || static_cast<uint64_t>(*needed) > present)
    throw damaged("its shape needs " + (needed ? std::to_string(*needed) : std::string("more than 2^63")) +
                  " bytes of data, the file has " + std::to_string(present));
  return header;
}

std::string npyHeader(NpyType type, const std::vector<int64_t> &shape) {
  std::string descr = (type.bytes == 1 ? "|" : "<") + std::string(1, static_cast<char>(type.kind)) + std::to_string(type.bytes);
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (size_t n = 0; n < shape.size(); ++n)
    text += (n ? ", " : "") + std::to_string(shape[n]);
  text += shape.size() == 1 ? ",), }" : "), }";

  size_t prefix = magic.size() + 2 + 2;
  size_t total = (prefix + text.size() + 1 + 63) / 64 * 64;
  text.append(total - prefix - text.size() - 1, ' ');
  text += '\n';

  std::string header(magic);
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

NpyHeader readNpyHeader(const std::string &path) {
  File file(path, O_RDONLY);
  struct stat status;
  if (!file.isOpen() || ::fstat(file.get(), &status) != 0)
    throw openFailure(path);
  if (!S_ISREG(status.st_mode))
    throw failure(path + " is not a regular file");
  auto size = static_cast<size_t>(status.st_size);
  std::string beginning(std::min(size, largestHeader + 16), '\0');
  beginning.resize(readFully(file, path, beginning.data(), beginning.size(), 0));
  return parseNpyHeader(beginning, size, path);
}

void readNpyData(const std::string &path, const NpyHeader &header, void *data) {
  File file(path, O_RDONLY);
  if (!file.isOpen())
    throw openFailure(path);
  auto size = static_cast<size_t>(header.elementCount()) * header.type.bytes;
  if (readFully(file, path, data, size, header.dataOffset) != size)
    throw failure(path + " ended while it was read");
}

void writeNpy(const std::string &path, NpyType type, const std::vector<int64_t> &shape, const void *data) {
  std::string header = npyHeader(type, shape);
  size_t size = type.bytes;
  for (int64_t extent : shape)
    size *= static_cast<size_t>(extent);

  // Devices and pipes (`--out y=/dev/stdout`) cannot be replaced by a rename.
  struct stat status;
  bool isSpecial = ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  std::string target = isSpecial ? path : path + ".part" + std::to_string(::getpid());
  File file(target, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (!file.isOpen())
    throw ioFailure("write", path);
  bool written = writeFully(file, header.data(), header.size()) && writeFully(file, data, size);
  if (written && !isSpecial)
    written = ::rename(target.c_str(), path.c_str()) == 0;
  if (!written) {
    CommandError error = ioFailure("write", path);
    if (!isSpecial)
      ::unlink(target.c_str());
    throw error;
  }
}

} // namespace tilewright::tools
