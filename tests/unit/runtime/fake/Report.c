/* kernel talk(limit: i32, x: f32[N]) over (i in N by 1) { print("tile", i, x[i]); assert(i < limit, "too far:", i); } */
#include <stdint.h>

enum { LIMIT = 4, X = 5, N = 8 };
typedef void (*report)(void *context, int64_t message, const int64_t *values, int64_t count);

int64_t tw_cpu_count(const int64_t *arguments) {
  return arguments[N];
}
void tw_cpu_begin(const int64_t *arguments, int64_t chunk) {}

void tw_cpu_tiles(const int64_t *arguments, int64_t first, int64_t last, int64_t chunk, void *scratch) {
  report say = (report)arguments[0];
  for (int64_t i = first; i < last; ++i) {
    int64_t values[2] = {i, ((const int32_t *)arguments[X])[i]};
    say((void *)arguments[1], 0, values, 2);
    if (i >= (int32_t)arguments[LIMIT])
      say((void *)arguments[1], 1, values, 1);
  }
}
