#include "runtime/Sha256.h"

#include "runtime/Sha256Block.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::runtime;

static void take(uint32_t *state, const unsigned char *blocks, size_t count) {
  static const Sha256Blocks hardware = sha256BlocksInHardware();
  (hardware ? hardware : takeSha256Blocks)(state, blocks, count);
}

Sha256 &Sha256::update(std::string_view bytes) {
  totalBytes += bytes.size();
  while (!bytes.empty()) {
    if (pendingBytes == 0 && bytes.size() >= pending.size()) {
      size_t count = bytes.size() / pending.size();
      take(state.data(), reinterpret_cast<const unsigned char *>(bytes.data()), count);
      bytes.remove_prefix(count * pending.size());
      continue;
    }
    size_t taken = std::min(bytes.size(), pending.size() - pendingBytes);
    std::memcpy(pending.data() + pendingBytes, bytes.data(), taken);
    bytes.remove_prefix(taken);
    pendingBytes += taken;
    if (pendingBytes == pending.size()) {
      take(state.data(), pending.data(), 1);
      pendingBytes = 0;
    }
  }
  return *this;
}

std::string Sha256::digest() {
  uint64_t bits = totalBytes * 8;
  std::string padding(1 + (119 - totalBytes % 64) % 64, '\0');
  padding[0] = '\x80';
  for (int shift = 56; shift >= 0; shift -= 8)
    padding.push_back(static_cast<char>(bits >> shift));
  update(padding);
  std::string result;
  for (uint32_t word : state)
    for (int shift = 24; shift >= 0; shift -= 8)
      result.push_back(static_cast<char>(word >> shift));
  return result;
}

std::string tilewright::runtime::hexadecimal(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string result;
  for (unsigned char byte : bytes) {
    result.push_back(digits[byte >> 4]);
    result.push_back(digits[byte & 15]);
  }
  return result;
}
