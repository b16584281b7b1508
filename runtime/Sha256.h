// SHA-256 (FIPS 180-4): cache keys, and the hash that each blob in the cache carries.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::runtime {

class Sha256 {
public:
  Sha256 &update(std::string_view bytes);
  /// 32 bytes. The object is used up.
  std::string digest();

private:
  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending = {};
  size_t pendingBytes = 0;
  uint64_t totalBytes = 0;
};

inline std::string sha256(std::string_view bytes) {
  return Sha256().update(bytes).digest();
}

/// Lower case, two digits for each byte.
std::string hexadecimal(std::string_view bytes);

} // namespace tilewright::runtime
