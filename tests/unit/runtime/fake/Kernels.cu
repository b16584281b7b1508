// Code for a GPU as a compiler would make it (compiler_c.h: "GPU code"), for the kernels of Add.c, Sum.c, Listed.c and Report.c.
// Kernels.ptx is made of it by   nvcc -ptx -arch=sm_80 -lineinfo Kernels.cu
template <int count> struct Slots {
  long long slot[count];
};

enum { MESSAGES = 0, MESSAGE_WORDS = 1, T = 2, SUMS = 3, CHUNKS = 4, HEAD = 6 };

// kernel add<T: f32>(a: T[N...], b: T[N...], c: out T[N...]) over (n in N by 64) { c[n] = T(a[n] + b[n]); }
extern "C" __global__ void add_tiles(Slots<HEAD + 10> arguments) {
  const long long *slot = arguments.slot;
  const float *a = (const float *)slot[HEAD], *b = (const float *)slot[HEAD + 3];
  float *c = (float *)slot[HEAD + 6];
  for (long long n = 64ll * blockIdx.x + threadIdx.x; n < 64ll * blockIdx.x + 64 && n < slot[HEAD + 9]; n += blockDim.x)
    c[n * slot[HEAD + 8]] = a[n * slot[HEAD + 2]] + b[n * slot[HEAD + 5]];
}

// The same, and writes far behind the end of c.
extern "C" __global__ void overrun_tiles(Slots<HEAD + 10> arguments) {
  float *c = (float *)arguments.slot[HEAD + 6];
  c[(1ll << 20) + threadIdx.x] = 1;
}

// kernel column_sum(x: f32[M, N], s: out f32[N], scale: f32) over (i in M by 1) { s[j] += scale * x[i, j]; }
enum { X = HEAD, S = HEAD + 5, SCALE = HEAD + 8, M = HEAD + 9, N = HEAD + 10 };
__device__ static float *partial(const long long *slot, long long chunk) {
  return (float *)(slot[SUMS] + chunk * ((slot[N] * 4 + 63) / 64 * 64));
}
extern "C" __global__ void sum_begin(Slots<HEAD + 11> arguments) {
  const long long *slot = arguments.slot;
  for (long long n = blockIdx.x * 256ll + threadIdx.x; n < slot[CHUNKS] * slot[N]; n += gridDim.x * 256ll)
    partial(slot, n / slot[N])[n % slot[N]] = 0;
}
extern "C" __global__ void sum_tiles(Slots<HEAD + 11> arguments) {
  const long long *slot = arguments.slot;
  const float *x = (const float *)slot[X];
  float scale = __int_as_float((int)slot[SCALE]);
  long long chunk = blockIdx.x, first = slot[T] * chunk / slot[CHUNKS], last = slot[T] * (chunk + 1) / slot[CHUNKS];
  for (long long j = threadIdx.x; j < slot[N]; j += blockDim.x)
    for (long long i = first; i < last; ++i)
      partial(slot, chunk)[j] += scale * x[i * slot[X + 3] + j * slot[X + 4]];
}
extern "C" __global__ void sum_finish(Slots<HEAD + 11> arguments) {
  const long long *slot = arguments.slot;
  for (long long j = blockIdx.x * 256ll + threadIdx.x; j < slot[N]; j += gridDim.x * 256ll) {
    float total = 0;
    for (long long chunk = 0; chunk < slot[CHUNKS]; ++chunk)
      total += partial(slot, chunk)[j];
    ((float *)slot[S])[j * slot[S + 2]] = total;
  }
}

// kernel ranges(first: i64[E], y: out i64[N]) over (e in E - 1, i in first[e]..first[e + 1] by 3) { y[i] = e; }
extern "C" __global__ void ranges_tiles(Slots<HEAD + 8> arguments) {
  const long long *first = (const long long *)arguments.slot[HEAD];
  long long *y = (long long *)arguments.slot[HEAD + 3];
  for (long long i = first[blockIdx.x] + 3 * blockIdx.y; i < first[blockIdx.x + 1]; i += 3 * gridDim.y)
    for (long long n = i; n < i + 3 && n < first[blockIdx.x + 1]; ++n)
      if (threadIdx.x == 0)
        y[n] = blockIdx.x;
}

// kernel talk(limit: i32, x: i32[N]) over (i in N by 1) { print("tile ", i, x[i]); assert(i < limit, "too far:", i); }
// The blocks write in an order that is not the grid's: tile 0 is the last block's. Values are in the low bytes, with ones above.
__device__ static void report(const long long *slot, long long message, long long first, int second, int count) {
  unsigned long long *buffer = (unsigned long long *)slot[MESSAGES];
  unsigned long long at = atomicAdd(buffer, 2ull + count) + 2;
  if (at + 2 + count > slot[MESSAGE_WORDS])
    return;
  buffer[at] = message;
  buffer[at + 1] = count;
  if (count == 2)
    buffer[at + 2] = 0xffffffff00000000ull | (unsigned)second;
  buffer[at + 1 + count] = first;
}
extern "C" __global__ void talk_tiles(Slots<HEAD + 5> arguments) {
  const long long *slot = arguments.slot;
  if (threadIdx.x)
    return;
  long long i = slot[T] - 1 - blockIdx.x;
  report(slot, 0, i, ((const int *)slot[HEAD + 1])[i], 2);
  if (i >= (int)slot[HEAD])
    report(slot, 1, i, 0, 1);
}

// The same, and says what it prints `limit` times.
extern "C" __global__ void repeat_tiles(Slots<HEAD + 5> arguments) {
  const long long *slot = arguments.slot;
  for (int n = 0; threadIdx.x == 0 && n < (int)slot[HEAD]; ++n)
    report(slot, 0, blockIdx.x, n, 2);
}

// Reports, and writes where nothing is.
extern "C" __global__ void stumble_tiles(Slots<HEAD + 5> arguments) {
  const long long *slot = arguments.slot;
  if (threadIdx.x)
    return;
  report(slot, 0, blockIdx.x, 5, 2);
  *(volatile int *)(slot[HEAD + 1] + (1ll << 30)) = 1;
}
