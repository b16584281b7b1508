// Kernels through clang and LLVM's NVPTX back end, whose PTX differs from nvcc's: untyped registers, other spellings.
// softmax: a row per block of 128 threads. halves: f16 arithmetic and a call.
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
SHARED float tile[256];
static __attribute__((noinline)) float scaled(float x, int by) { return x * (float)by + 1.0f; }
__attribute__((device_kernel)) void softmax(GLOBAL const float *x, GLOBAL float *y, int n) {
  int t = __nvvm_read_ptx_sreg_tid_x(), row = __nvvm_read_ptx_sreg_ctaid_x();
  float m = -1e30f;
  for (int i = t; i < n; i += 128) { float v = x[row * n + i]; m = v > m ? v : m; }
  tile[t] = m;
  __nvvm_bar_sync(0);
  for (int step = 64; step > 0; step /= 2) {
    if (t < step) { float a = tile[t], b = tile[t + step]; tile[t] = a > b ? a : b; }
    __nvvm_bar_sync(0);
  }
  m = tile[0];
  float s = 0;
  for (int i = t; i < n; i += 128) s += __nvvm_ex2_approx_f((x[row * n + i] - m) * 1.44269504f);
  for (int offset = 16; offset > 0; offset /= 2)
    s += __builtin_bit_cast(float, __nvvm_shfl_sync_bfly_i32(-1, __builtin_bit_cast(int, s), offset, 31));
  if (t % 32 == 0) tile[128 + t / 32] = s;
  __nvvm_bar_sync(0);
  s = tile[128] + tile[129] + tile[130] + tile[131];
  for (int i = t; i < n; i += 128) y[row * n + i] = __nvvm_ex2_approx_f((x[row * n + i] - m) * 1.44269504f) / s;
}
__attribute__((device_kernel)) void halves(GLOBAL const _Float16 *x, GLOBAL _Float16 *y, long long n) {
  long long i = (long long)__nvvm_read_ptx_sreg_ctaid_x() * 128 + __nvvm_read_ptx_sreg_tid_x();
  if (i < n) y[i] = x[i] * x[i] + (_Float16)scaled(x[i], (int)(i % 5));
}
