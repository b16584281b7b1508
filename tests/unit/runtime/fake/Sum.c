/* kernel column_sum(x: f32[M, N], s: out f32[N], scale: f32) over (i in M by 1) { s[j] += scale * x[i, j]; }
 * The scratch memory proves that each thread has its own: a tile writes it, and reads it back. */
#include <stdint.h>

enum { X = 4, S = 9, SCALE = 12, M = 13, N = 14 };

static int64_t sum_bytes(const int64_t *arguments) {
  return (arguments[N] * 4 + 63) / 64 * 64;
}
static float *partial(const int64_t *arguments, int64_t chunk) {
  return (float *)(arguments[3] + chunk * sum_bytes(arguments));
}

int64_t tw_cpu_count(const int64_t *arguments) {
  return arguments[M];
}

void tw_cpu_begin(const int64_t *arguments, int64_t chunk) {
  for (int64_t j = 0; j < arguments[N]; ++j)
    partial(arguments, chunk)[j] = 0;
}

void tw_cpu_tiles(const int64_t *arguments, int64_t first, int64_t last, int64_t chunk, void *scratch) {
  union {
    int32_t bits;
    float value;
  } scale = {(int32_t)arguments[SCALE]};
  const float *x = (const float *)arguments[X];
  volatile float *row = (volatile float *)scratch;
  for (int64_t i = first; i < last; ++i) {
    for (int64_t j = 0; j < arguments[N]; ++j)
      row[j % 16] = x[i * arguments[X + 3] + j * arguments[X + 4]], partial(arguments, chunk)[j] += scale.value * row[j % 16];
  }
}

void tw_cpu_finish(const int64_t *arguments, int64_t sum, int64_t first, int64_t last, int64_t chunks) {
  float *s = (float *)arguments[S];
  for (int64_t j = first; j < last; ++j) {
    float total = 0;
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      total += partial(arguments, chunk)[j];
    s[j * arguments[S + 2]] = total;
  }
}
