// Loops of different lengths, a switch, calls, local arrays, 64-bit division.
__device__ __noinline__ int collatz(unsigned long long value) {
  int steps = 0;
  while (value != 1) {
    value = value & 1 ? 3 * value + 1 : value / 2;
    ++steps;
  }
  return steps;
}

extern "C" __global__ void collatz_steps(int *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    steps[i] = collatz(i + 1);
}

extern "C" __global__ void switched(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int v = x[i], table[8];
  for (int k = 0; k < 8; ++k)
    table[k] = v * k;
  switch (v % 7) {
  case 0: y[i] = v + 1; break;
  case 1: y[i] = v * v; break;
  case 2: y[i] = table[v & 7]; break;
  case 3: y[i] = __clz(v); break;
  case 4: y[i] = v / (i + 1); break;
  case 5: y[i] = __brev(v); break;
  default: y[i] = -v;
  }
}

extern "C" __global__ void divide(const long long *a, const long long *b, long long *quotient, long long *remainder, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    quotient[i] = a[i] / b[i];
    remainder[i] = a[i] % b[i];
  }
}
