/* kernel add<T: f32>(a: T[N...], b: T[N...], c: out T[N...]) over (n in N by 4) { c[n] = T(a[n] + b[n]); }
 * as a compiler would make it for pack rank 1 and any strides. */
#include <stdint.h>

enum { A = 4, B = 7, C = 10, N = 13, TILE = 4 };

int64_t tw_cpu_count(const int64_t *arguments) {
  return (arguments[N] + TILE - 1) / TILE;
}

void tw_cpu_begin(const int64_t *arguments, int64_t chunk) {}

void tw_cpu_tiles(const int64_t *arguments, int64_t first, int64_t last, int64_t chunk, void *scratch) {
  const float *a = (const float *)arguments[A], *b = (const float *)arguments[B];
  float *c = (float *)arguments[C];
  int64_t end = last * TILE < arguments[N] ? last * TILE : arguments[N];
  for (int64_t n = first * TILE; n < end; ++n)
    c[n * arguments[C + 2]] = a[n * arguments[A + 2]] + b[n * arguments[B + 2]];
}
