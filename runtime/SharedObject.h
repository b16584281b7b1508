// An ELF shared object that is a block of memory: no file is written, and nothing is left behind when the process dies.
#pragma once

#include "runtime/Status.h"

#include <span>
#include <string>

namespace tilewright::runtime {

class SharedObject {
public:
  /// Bytes that are no shared object for this machine give TW_DAMAGED_ARTIFACT, a machine that does not run code from memory
  /// TW_UNSUPPORTED.
  static Result<SharedObject> load(std::span<const std::byte> bytes, const std::string &name);

  SharedObject() = default;
  SharedObject(SharedObject &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
  SharedObject &operator=(SharedObject &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~SharedObject();

  /// Null if there is no such symbol.
  void *find(const char *symbol) const;

private:
  void *handle = nullptr;
};

} // namespace tilewright::runtime
