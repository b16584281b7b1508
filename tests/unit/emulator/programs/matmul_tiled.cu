// c = a · b, tiles of 16×16 in shared memory; any sizes. With MISSING_BARRIER the second barrier is left out: a race.
template <bool hasSecondBarrier>
__device__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float tileA[16][16], tileB[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < k; start += 16) {
    tileA[threadIdx.y][threadIdx.x] = row < m && start + threadIdx.x < k ? a[row * k + start + threadIdx.x] : 0;
    tileB[threadIdx.y][threadIdx.x] = column < n && start + threadIdx.y < k ? b[(start + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += tileA[threadIdx.y][i] * tileB[i][threadIdx.x];
    if (hasSecondBarrier)
      __syncthreads();
  }
  if (row < m && column < n)
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int m, int n, int k) {
  matmul<true>(a, b, c, m, n, k);
}

extern "C" __global__ void matmul_missing_barrier(const float *a, const float *b, float *c, int m, int n, int k) {
  matmul<false>(a, b, c, m, n, k);
}
