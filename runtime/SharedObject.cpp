#include "runtime/SharedObject.h"

#include "runtime/Text.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {

#if defined(__x86_64__)
constexpr int ownMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int ownMachine = EM_AARCH64;
#endif

/// The loader trusts the headers it maps by, so those are looked at first.
const char *whatIsWrong(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header))
    return "it is too short for an ELF header";
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return "it is no ELF object";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != ownMachine)
    return "it is for another machine";
  if (header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0)
    return "it is no shared object";
  if (header.e_phoff > bytes.size() || header.e_phnum > (bytes.size() - header.e_phoff) / sizeof(Elf64_Phdr))
    return "its program headers lie outside";
  for (size_t index = 0; index < header.e_phnum; ++index) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes.data() + header.e_phoff + index * sizeof(segment), sizeof(segment));
    if (segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC)
      if (segment.p_offset > bytes.size() || segment.p_filesz > bytes.size() - segment.p_offset)
        return "a segment lies outside";
  }
  return nullptr;
}

/// A path to a descriptor that no earlier load has used. The loader knows libraries by their path first, and descriptors are
/// given again once they are closed: "/proc/self/fd/5" twice would be the same library twice. So a counter is spelled into the
/// path, in ways to write the same folder: a bit is "//" or "/./".
std::string uniquePath(int descriptor) {
  static std::atomic<uint64_t> loads = 0;
  std::string path = "/proc/self/fd";
  for (uint64_t number = ++loads; number != 0; number >>= 1)
    path += number & 1 ? "/." : "/";
  return concat(path, '/', descriptor);
}

/// Closes the descriptor when left: a mapping outlives it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};

int createMemoryFile(const char *name) {
#ifdef MFD_EXEC
  if (int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_EXEC); descriptor >= 0 || errno != EINVAL)
    return descriptor;
#endif
  return memfd_create(name, MFD_CLOEXEC);
}

bool writeAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

} // namespace

Result<SharedObject> SharedObject::load(std::span<const std::byte> bytes, const std::string &name) {
  if (const char *wrong = whatIsWrong(bytes))
    return Status(TW_DAMAGED_ARTIFACT, concat("the code of kernel ", name, " cannot be loaded: ", wrong));
  Descriptor file = {createMemoryFile(name.substr(0, 200).c_str())};
  if (file.number < 0 || !writeAll(file.number, bytes))
    return Status(errno == ENOMEM ? TW_OUT_OF_MEMORY : TW_UNSUPPORTED,
                  concat("the code of kernel ", name, " cannot be put into memory: ", std::strerror(errno)));
  SharedObject object;
  object.handle = dlopen(uniquePath(file.number).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object.handle)
    return Status(TW_DAMAGED_ARTIFACT, concat("the code of kernel ", name, " cannot be loaded: ", dlerror()));
  return object;
}

SharedObject::~SharedObject() {
  if (handle)
    dlclose(handle);
}

void *SharedObject::find(const char *symbol) const {
  return dlsym(handle, symbol);
}
