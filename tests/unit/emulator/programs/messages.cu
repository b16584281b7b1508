// printf and assert.
#include <assert.h>
#include <stdio.h>

extern "C" __global__ void greet(int *x) {
  printf("thread %d of %s has %5.2f and %llu%%\n", threadIdx.x, "block", threadIdx.x * 0.5, 1ull << 40);
  x[threadIdx.x] = 1;
}

extern "C" __global__ void check(const int *x) { assert(x[threadIdx.x] < 10); }
