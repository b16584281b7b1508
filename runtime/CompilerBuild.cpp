#include "runtime/CompilerBuild.h"

#include "runtime/CompilerBuildId.h"
#include "tilewright/compiler_c.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

using namespace tilewright::runtime;

namespace {

constexpr size_t mostNoteBytes = 1 << 16;

/// A file that is read here and there.
class RandomFile {
public:
  explicit RandomFile(const std::string &path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  RandomFile(const RandomFile &) = delete;
  RandomFile &operator=(const RandomFile &) = delete;
  ~RandomFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  bool read(void *to, size_t bytes, uint64_t at) const {
    return descriptor >= 0 && pread(descriptor, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  }

private:
  int descriptor;
};

/// The build id in a segment of notes.
std::optional<std::string> findBuildId(const std::vector<char> &notes) {
  auto padded = [](uint64_t bytes) { return (bytes + 3) / 4 * 4; };
  for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes.data() + at, sizeof(note));
    uint64_t name = at + sizeof(note), description = name + padded(note.n_namesz);
    at = description + padded(note.n_descsz);
    if (at > notes.size())
      return std::nullopt;
    if (note.n_type == TW_COMPILER_NOTE_BUILD_ID && note.n_namesz == sizeof(TW_COMPILER_NOTE_NAME) && note.n_descsz > 1 &&
        std::memcmp(notes.data() + name, TW_COMPILER_NOTE_NAME, sizeof(TW_COMPILER_NOTE_NAME)) == 0)
      return std::string(notes.data() + description, strnlen(notes.data() + description, note.n_descsz));
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> tilewright::runtime::readBuildNote(const std::string &path) {
  RandomFile file(path);
  Elf64_Ehdr header;
  if (!file.read(&header, sizeof(header), 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  for (uint64_t index = 0; index < header.e_phnum; ++index) {
    Elf64_Phdr segment;
    if (!file.read(&segment, sizeof(segment), header.e_phoff + index * sizeof(segment)))
      return std::nullopt;
    if (segment.p_type != PT_NOTE || segment.p_filesz > mostNoteBytes)
      continue;
    std::vector<char> notes(segment.p_filesz);
    if (file.read(notes.data(), notes.size(), segment.p_offset))
      if (std::optional<std::string> found = findBuildId(notes))
        return found;
  }
  return std::nullopt;
}

std::string tilewright::runtime::ownBuildId() {
  return TILEWRIGHT_BUILD_ID;
}
