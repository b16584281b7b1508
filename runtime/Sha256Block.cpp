#include "runtime/Sha256Block.h"

#include <bit>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

using namespace tilewright::runtime;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static constexpr uint32_t roundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static void takeBlock(uint32_t *state, const unsigned char *block) {
  uint32_t words[64];
  for (int index = 0; index < 16; ++index)
    words[index] = uint32_t(block[4 * index]) << 24 | uint32_t(block[4 * index + 1]) << 16 |
                   uint32_t(block[4 * index + 2]) << 8 | uint32_t(block[4 * index + 3]);
  for (int index = 16; index < 64; ++index) {
    uint32_t early = words[index - 15], late = words[index - 2];
    words[index] = words[index - 16] + words[index - 7] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3) +
                   (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10);
  }
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (int index = 0; index < 64; ++index) {
    uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                     roundConstants[index] + words[index];
    uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  uint32_t results[] = {a, b, c, d, e, f, g, h};
  for (int index = 0; index < 8; ++index)
    state[index] += results[index];
}

void tilewright::runtime::takeSha256Blocks(uint32_t *state, const unsigned char *blocks, size_t count) {
  for (size_t index = 0; index < count; ++index)
    takeBlock(state, blocks + 64 * index);
}

#ifdef __x86_64__

// The instructions keep the state as (a, b, e, f) and (c, d, g, h), highest first, do two rounds at a time, and compute four
// words of the message at a time (Intel, "Intel SHA Extensions", 2013).
__attribute__((target("sha,sse4.1"))) static void takeBlocksInHardware(uint32_t *state, const unsigned char *blocks,
                                                                       size_t count) {
  auto *halves = reinterpret_cast<__m128i *>(state);
  const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xb1), hgfe = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; count > 0; --count, blocks += 64) {
    __m128i before[2] = {abef, cdgh}, words[4];
    for (int index = 0; index < 4; ++index)
      words[index] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i *>(blocks) + index), bigEndian);
    for (int index = 0; index < 16; ++index) {
      __m128i &oldest = words[index % 4], &second = words[(index + 1) % 4], &third = words[(index + 2) % 4],
              &newest = words[(index + 3) % 4];
      __m128i sums = _mm_add_epi32(oldest, _mm_loadu_si128(reinterpret_cast<const __m128i *>(roundConstants) + index));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0e));
      __m128i early = _mm_add_epi32(_mm_sha256msg1_epu32(oldest, second), _mm_alignr_epi8(newest, third, 4));
      oldest = _mm_sha256msg2_epu32(early, newest);
    }
    abef = _mm_add_epi32(abef, before[0]);
    cdgh = _mm_add_epi32(cdgh, before[1]);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(halves, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(halves + 1, _mm_alignr_epi8(dchg, feba, 8));
}

Sha256Blocks tilewright::runtime::sha256BlocksInHardware() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  bool hasSha = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_SHA);
  bool hasSse = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_SSE4_1) && (ecx & bit_SSSE3);
  return hasSha && hasSse ? takeBlocksInHardware : nullptr;
}

#else

Sha256Blocks tilewright::runtime::sha256BlocksInHardware() {
  return nullptr;
}

#endif
