/* kernel ranges(first: i64[E], y: out i64[N]) over (e in E - 1, i in first[e]..first[e + 1] by 3) { y[i] = e; } */
#include <stdint.h>

enum { FIRST = 4, Y = 7, E = 10, N = 11, TILE = 3 };

int64_t tw_cpu_count(const int64_t *arguments) {
  const int64_t *first = (const int64_t *)arguments[FIRST];
  int64_t count = 0;
  for (int64_t e = 0; e < arguments[E] - 1; ++e)
    count += first[e + 1] > first[e] ? (first[e + 1] - first[e] + TILE - 1) / TILE : 0;
  return count;
}

void tw_cpu_list(const int64_t *arguments, int64_t *coordinates) {
  const int64_t *first = (const int64_t *)arguments[FIRST];
  for (int64_t e = 0; e < arguments[E] - 1; ++e)
    for (int64_t i = first[e]; i < first[e + 1]; i += TILE) {
      *coordinates++ = e;
      *coordinates++ = e + 1;
      *coordinates++ = i;
      *coordinates++ = i + TILE < first[e + 1] ? i + TILE : first[e + 1];
    }
}

void tw_cpu_begin(const int64_t *arguments, int64_t chunk) {}

void tw_cpu_tiles(const int64_t *arguments, int64_t first, int64_t last, int64_t chunk, void *scratch) {
  const int64_t *coordinates = (const int64_t *)arguments[2];
  int64_t *y = (int64_t *)arguments[Y];
  for (int64_t tile = first; tile < last; ++tile)
    for (int64_t i = coordinates[4 * tile + 2]; i < coordinates[4 * tile + 3]; ++i)
      y[i] = coordinates[4 * tile];
}
