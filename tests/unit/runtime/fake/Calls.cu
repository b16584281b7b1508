// Code that calls a function in CUDA C++ (compiler_c.h: "cuda"), and what NVRTC makes of the function.
//   kernel hashed(x: i32[N], y: out i32[N]) over (n in N by 64) { y[n] = hash(x[n]); }
// Calls.ptx   nvcc -ptx -arch=sm_80 -rdc=true -DCALLER Calls.cu -o Calls.ptx
// Hash.ptx    nvcc -ptx -arch=sm_80 -rdc=true Calls.cu -o Hash.ptx
#ifdef CALLER
extern "C" __device__ int tw_cuda_hash(int);
enum { HEAD = 6 };
struct Slots {
  long long slot[HEAD + 7];
};
extern "C" __global__ void hashed_tiles(Slots arguments) {
  const int *x = (const int *)arguments.slot[HEAD];
  int *y = (int *)arguments.slot[HEAD + 3];
  for (long long n = 64ll * blockIdx.x + threadIdx.x; n < 64ll * blockIdx.x + 64 && n < arguments.slot[HEAD + 6]; n += blockDim.x)
    y[n] = tw_cuda_hash(x[n]);
}
#else
__device__ int mixed(int x, int y) {
  return x * 31 + y;
}
extern "C" __device__ int tw_cuda_hash(int x) {
  return mixed(x, 7) ^ 5;
}
#endif
