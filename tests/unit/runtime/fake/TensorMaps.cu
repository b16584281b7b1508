// Code for a Hopper GPU that loads by tensor maps or has resident blocks (compiler_c.h: "GPU code").
// TensorMaps.ptx is made of it by   nvcc -ptx -arch=sm_90 -lineinfo TensorMaps.cu
template <int count> struct Slots {
  long long slot[count];
};
struct alignas(64) TensorMap {
  char bytes[128];
};

enum { MESSAGES = 0, MESSAGE_WORDS = 1, T = 2, HEAD = 6 };

extern __shared__ __align__(1024) unsigned char box[]; // so that the swizzles begin where it does

// Loads a box of `bytes` at COORDINATES, which are the operands behind, and waits for it.
#define LOAD(dimensions, map, bytes, ...)                                                                                      \
  __shared__ unsigned long long barrier;                                                                                       \
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);                                                                  \
  if (threadIdx.x == 0) {                                                                                                      \
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");                                                    \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                                               \
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"((unsigned)(bytes)) : "memory");            \
    asm volatile("cp.async.bulk.tensor." dimensions                                                                            \
                 ".shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {" COORDINATES "}], [%2];" ::"r"(            \
                     (unsigned)__cvta_generic_to_shared(box)),                                                                 \
                 "l"(&map), "r"(at), __VA_ARGS__                                                                               \
                 : "memory");                                                                                                  \
  }                                                                                                                            \
  __syncthreads();                                                                                                             \
  asm volatile("{\n.reg .pred p;\nwait:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra wait;\n}" ::"r"(at) : "memory")

// kernel boxes(x: T[R, C], y: out i8[N, B], c: i32, r: i32) over (n in N by 1): y[n] has the bytes of x's box at (c, r·n).
enum { X = HEAD, Y = HEAD + 5, C = HEAD + 10, R = HEAD + 11 };
__device__ static void write(const long long *slot, int y) {
  char *to = (char *)slot[y] + blockIdx.x * slot[y + 3];
  for (long long b = threadIdx.x; b < slot[y + 2]; b += blockDim.x)
    to[b] = box[b];
}
#define COORDINATES "%3, %4"
extern "C" __global__ void boxes_tiles(Slots<HEAD + 16> arguments, const __grid_constant__ TensorMap map) {
  const long long *slot = arguments.slot;
  LOAD("2d", map, slot[Y + 2], "r"((int)slot[C]), "r"((int)(slot[R] * blockIdx.x)));
  write(slot, Y);
}
#undef COORDINATES

// The same of x: T[M..., C] with two dimensions in M: y[n] has x's box at (c, r, n).
#define COORDINATES "%3, %4, %5"
extern "C" __global__ void boxes3_tiles(Slots<HEAD + 18> arguments, const __grid_constant__ TensorMap map) {
  const long long *slot = arguments.slot;
  LOAD("3d", map, slot[Y + 4], "r"((int)slot[C + 2]), "r"((int)slot[R + 2]), "r"((int)blockIdx.x));
  write(slot, Y + 2);
}
#undef COORDINATES

// kernel copy(x: T[R, C], y: out T[R, C], bytes: i32) over (n in 1): y's first box is x's. A map each, y's is the first.
extern "C" __global__ void copy_tiles(Slots<HEAD + 13> arguments, const __grid_constant__ TensorMap to,
                                      const __grid_constant__ TensorMap from) {
#define COORDINATES "%3, %3"
  LOAD("2d", from, (int)arguments.slot[C], "r"(0));
#undef COORDINATES
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %2}], [%1];" ::"l"(&to),
                 "r"((unsigned)__cvta_generic_to_shared(box)), "r"(0)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}

// kernel who(y: out i64[N]) over (n in N by 1) with resident blocks: y[n] is the block that ran n. Each tile reports its number.
extern "C" __global__ void who_tiles(Slots<HEAD + 4> arguments) {
  const long long *slot = arguments.slot;
  unsigned long long *buffer = (unsigned long long *)slot[MESSAGES];
  if (threadIdx.x)
    return;
  for (long long n = blockIdx.x; n < slot[T]; n += gridDim.x) {
    ((long long *)slot[HEAD])[n] = blockIdx.x;
    if (!buffer)
      continue;
    unsigned long long at = atomicAdd(buffer, 3ull) + 2;
    if (at + 3 > slot[MESSAGE_WORDS])
      continue;
    buffer[at] = 0;
    buffer[at + 1] = 1;
    buffer[at + 2] = n;
  }
}
