// Sums by shuffles, through shared memory, and over blocks by an atomic; a histogram; a scan by ballots.
extern "C" __global__ void reduce_sum(const float *x, float *sum, int n) {
  extern __shared__ float partial[];
  float value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    value += x[i];
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffff, value, offset);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      value += __shfl_xor_sync(0xffffffff, value, offset);
    if (threadIdx.x == 0)
      atomicAdd(sum, value);
  }
}

extern "C" __global__ void histogram(const unsigned char *x, unsigned *counts, int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i])
      atomicAdd(&counts[i], local[i]);
}

// y gets the positive elements of each warp's 32, in order; counts their number.
extern "C" __global__ void compact(const int *x, int *y, int *counts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int value = x[i];
  unsigned positive = __ballot_sync(0xffffffff, value > 0);
  if (value > 0)
    y[i - lane + __popc(positive & ((1u << lane) - 1))] = value;
  if (lane == 0)
    counts[i / 32] = __popc(positive);
}
