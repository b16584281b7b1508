/* The seam between the compiler and the runtime: the only header of the compiler that the runtime includes.
 *
 * libtilewright-compiler exports these functions and nothing else; libtilewright loads it when an artifact is in no cache. All
 * handles are opaque; every function may be called from any thread, and a module from several at once. No function ends the
 * process or throws. Texts are UTF-8; lengths are in bytes.
 *
 * Below the functions stands the format of an artifact and the calling convention of CPU code, since both sides rely on them.
 */
#ifndef TILEWRIGHT_COMPILER_C_H
#define TILEWRIGHT_COMPILER_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TW_COMPILER_API __attribute__((visibility("default")))

/* Raised whenever a function, the artifact format or the calling convention changes. */
#define TW_COMPILER_INTERFACE_VERSION 8

typedef enum tw_compiler_status {
  TW_COMPILER_OK = 0,
  TW_COMPILER_INVALID_SOURCE = 1,   /* the author's fault: diagnostics say where and why */
  TW_COMPILER_INVALID_OPTIONS = 2,  /* the host's fault: an unknown kernel, static, target, stage or schedule */
  TW_COMPILER_UNSUPPORTED = 3,      /* a legal kernel that this target cannot run */
  TW_COMPILER_FAILED = 4            /* a fault of the compiler or of LLVM, survived */
} tw_compiler_status;

typedef struct tw_compiler_module tw_compiler_module; /* a parsed and checked source text */
typedef struct tw_compiler_text tw_compiler_text;     /* bytes owned by the compiler */

/* Answers an import, the file of an extern function or what that one includes in quotes: returns 1 and sets text and length (valid until the next call or the end of tw_compiler_check), or 0. */
typedef int (*tw_compiler_import)(void *context, const char *path, const char *importer, const char **text, size_t *length);

typedef struct tw_compiler_binding {
  const char *name;
  const char *value;
} tw_compiler_binding;

/* What is known of a view when its kernel is compiled. Views without an entry are contiguous, with M... merged. */
typedef struct tw_compiler_view_facts {
  const char *parameter;
  int32_t unit_stride_dimension; /* the declared dimension (M... counts once) whose stride is 1 element, or -1 */
  int32_t pack_rank;             /* how many dimensions M... stands for after those whose strides merge were merged; >= 1 */
  int32_t alignment;             /* of the address and of all other strides, in bytes; a power of two. On a GPU 16 also promises what
                                    a tensor map needs: extents of at most 2^32; strides of dimensions with more than one index that
                                    are positive and below 2^40 bytes */
  int32_t pack_run;              /* the largest power of two, at most 128, that divides the last of the dimensions that M... stands for: as
                                    many indices, from a multiple of it on, are one distance apart; 1 if they are fewer than 16, M is 2^31 or more, or
                                    pack_rank is 1, or for the CPU */
} tw_compiler_view_facts;

/* Everything that decides the artifact, and what is said about it, besides the source. It is the cache key, whole. */
typedef struct tw_compiler_options {
  uint32_t struct_size; /* sizeof(tw_compiler_options) */
  const char *kernel;
  const char *target;                  /* "cpu", "cpu:<LLVM processor name>", or a GPU architecture: "sm_80" … "sm_120a" */
  const tw_compiler_binding *statics;  /* T=f32, act=gelu, D=128 */
  size_t static_count;
  const tw_compiler_binding *tunables; /* BM=64; those not named are chosen */
  size_t tunable_count;
  const char *const *present_views;    /* the optional views that are given */
  size_t present_view_count;
  const tw_compiler_view_facts *views;
  size_t view_count;
  const tw_compiler_binding *dimension_hints; /* M=1024: sizes to choose tunables for; they do not specialize */
  size_t dimension_hint_count;
  const char *schedule;                /* "" or "reference"; for sm_90a also fields of a product's schedule, "stages=4,registers=24/240", or "plain" */
  int32_t checked_mode;
  int32_t remarks;                     /* 1: the diagnostics also say what of the kernel this target runs slower than it could */
} tw_compiler_options;

TW_COMPILER_API uint32_t tw_compiler_interface_version(void);
/* Identifies this build of the compiler: part of every cache key. The library also carries it in an ELF note (this name, this type;
 * the description is the id and a null byte), so that a key can be made without loading the library. */
#define TW_COMPILER_NOTE_NAME "Tilewright"
#define TW_COMPILER_NOTE_BUILD_ID 1u
TW_COMPILER_API const char *tw_compiler_build_id(void);

TW_COMPILER_API const char *tw_compiler_text_data(const tw_compiler_text *text);
TW_COMPILER_API size_t tw_compiler_text_size(const tw_compiler_text *text);
TW_COMPILER_API void tw_compiler_text_release(tw_compiler_text *text); /* null is allowed */

/* Parses and checks a source text. *diagnostics receives the rendered messages (also warnings after success), *module the module
 * (null unless TW_COMPILER_OK). The caller releases both. colour: 1 for terminal colours in the messages. */
TW_COMPILER_API tw_compiler_status tw_compiler_check(const char *name, const char *text, size_t length,
                                                     tw_compiler_import import_function, void *import_context, int colour,
                                                     tw_compiler_module **module, tw_compiler_text **diagnostics);
TW_COMPILER_API void tw_compiler_module_release(tw_compiler_module *module); /* null is allowed */

/* JSON: {"kernels": [SIGNATURE…]} (see below). */
TW_COMPILER_API tw_compiler_status tw_compiler_describe(const tw_compiler_module *module, tw_compiler_text **json);

/* Compiles one specialization to an artifact. */
TW_COMPILER_API tw_compiler_status tw_compiler_compile(const tw_compiler_module *module, const tw_compiler_options *options,
                                                       tw_compiler_text **artifact, tw_compiler_text **diagnostics);

/* One stage of the lowering, for people: "ast", "tunables" (what is chosen for dimension_hints; hints of the same choice give the same artifact), "tile", "linalg" (CPU), "tilegpu" (GPU), "llvm", "asm" (also "ptx") are texts, "object" (CPU) is
 * an ELF object. */
TW_COMPILER_API tw_compiler_status tw_compiler_emit(const tw_compiler_module *module, const tw_compiler_options *options,
                                                    const char *stage, tw_compiler_text **output, tw_compiler_text **diagnostics);

/* The canonical formatting of a source text. */
TW_COMPILER_API tw_compiler_status tw_compiler_format(const char *name, const char *text, size_t length, int colour,
                                                      tw_compiler_text **formatted, tw_compiler_text **diagnostics);

/* JSON: {"version", "llvm", "targets": [{"name", "processor", "features"}], "limits": {…}}. */
TW_COMPILER_API tw_compiler_status tw_compiler_information(tw_compiler_text **json);

/* ---------------------------------------------------------------------------------------------------------------------
 * Artifact: a file or a block of memory.
 *
 *   offset 0   8 bytes  "TWARTIF1"
 *   offset 8   u64      length of the metadata in bytes (little endian, as all numbers)
 *   offset 16  u64      length of the code in bytes
 *   offset 24           metadata, JSON; then the code: for the CPU an ELF shared object that needs memcpy,
 *                       memmove and memset of the process, and nothing else; for a GPU the text of a PTX module
 *
 * SIGNATURE (also the head of the metadata, there with every dtype resolved):
 *   {"name": "linear", "documentation": "…",
 *    "statics":    [{"name": "T", "kind": "type" | "function" | "constant", "dtypes": ["f32", …], "default": "identity" | null,
 *                    "dimension": false}],
 *    "parameters": [{"name": "x", "kind": "view", "access": "in" | "out" | "inout", "dtype": "T" | "f32" | "accum(T)",
 *                    "optional": false,
 *                    "dimensions": [{"kind": "pack" | "name" | "expression" | "definition", "name": "M", "value": EXPR}]},
 *                   {"name": "eps", "kind": "scalar", "dtype": "f32", "default": 1e-05 | null}],
 *    "tunables": ["BM", …]}
 *
 * The metadata adds
 *   "target": "cpu", "processor": "znver4", "checked": false,
 *   "features": ["avx2", …]                      of TW_X86_FEATURES: what the code may use; a processor without one cannot run it
 *   "present": {"b": true, …}                    every optional view
 *   "unit_stride": {"x": 1, …}, "pack_rank": {"x": 1, …}, "alignment": {…}, "pack_run": {…}    every present view
 *   "constants": {"D": 128}, "dimensions": ["M", "K", "N"]     run-time extents, in slot order
 *   "chosen": {"BM": 64, …}                      every tunable
 *   "values":   [EXPR…]                          shared subexpressions; {"value": n} refers to one
 *   "axes":     [{"name": "i", "low": EXPR, "high": EXPR, "span": true, "by": 64 | null, "parent": null | name}]
 *                 by: how many indices a piece has (the last one may be shorter); null: all, or without span one
 *   "require":  [{"condition": EXPR, "text": "…", "where": WHERE}]
 *   "accesses": [{"view": "x", "dimension": 0, "index": EXPR, "store": false, "inside": ["i", …], "where": WHERE}]
 *                 its interval must lie in 0 .. extent, unless an axis that it is inside is empty
 *   "places":   [{"view": "y", "dimension": 0, "constant": EXPR, "terms": [{"axis": "i", "coefficient": EXPR}],
 *                 "inside": ["i", …], "where": WHERE}]
 *                 mixed radix: with the terms sorted by |coefficient|, each must exceed the reach of those before it, the sum of
 *                 |coefficient| · (length of its axis − 1); unless an axis that the store is inside is empty
 *   "disjoint": [{"view": "y", "dimensions": [{"first": EXPR, "second": EXPR}…], "where": WHERE, "other": WHERE}]
 *                 in some dimension the two intervals must not meet
 *   "dots":     [{"tile": ["i", "j", "k"], "inside": ["i", …], "runs": "always" | "perhaps" | "unknown", "where": WHERE}]
 *                 a product as written: for each combination of the pieces of the axes that it is inside, one multiply-add for
 *                 each combination of the indices of its tile's axes (in their pieces, if they are inside); perhaps: or none;
 *                 unknown: any number of times. What the code computes twice, or shares, does not count
 *   "sums":     [{"view": "db", "kind": "add" | "max" | "min" | "count", "dtype": "f32"}]
 *                 outputs that tiles share (see finish); "count", in checked mode: how often each element of an output is written,
 *                 which finish only compares with 1
 *   "grid": "product" | "listed", "grid_variables": how many, "scratch": bytes for each thread
 *   "messages": [{"kind": "print" | "assert", "parts": [{"text": "…"} | {"dtype": "f32"}…], "position": 2, "where": WHERE}]
 *                 parts are joined as they are; an "assert" is any check that failed; the last values are the position in the grid
 *
 * EXPR, evaluated by the host exactly or by intervals:
 *   5 | 1.5 | true | {"dim": "K"} | {"scalar": "eps"} | {"axis": "i"} (any of its indices) | {"start": "i"} | {"end": "i"}
 *   | {"value": n} | {"unknown": "i32"} (anything of that dtype) | {"op": NAME, "args": [EXPR…]}
 *   NAME: add subtract multiply divide (integers: rounds down, by 0 gives 0) remainder negate absolute min max union (either)
 *         equal not_equal less less_equal greater greater_equal and or not select  and every dtype (a cast)
 *   Integer operations are those of i64; a cast stands above one whose dtype is narrower. The union with an index of an empty
 *   axis is the other operand. In the SIGNATUREs of tw_compiler_describe {"dim": name} may also name a constant static.
 * WHERE: "file:line:column".
 *
 * CPU code: the shared object exports the functions of tw_cpu_entry_points under the names given beside them. `arguments` is an
 * array of 64-bit slots:
 *
 *   slot 0                      tw_cpu_report function
 *   slot 1                      its context
 *   slot 2                      listed grids: address of the coordinates written by `list`; else unused
 *   slot 3                      address of the partial sums (see begin); else unused
 *   then for each parameter in order
 *     view, present             address of element 0; extents (one each declared dimension; M...: pack_rank of them);
 *                               strides in elements (likewise)
 *     view, absent              nothing
 *     scalar                    its value in the low bytes
 *   then for each name of "dimensions" its extent.
 *
 * A launch is: begin(chunk) for every chunk; tiles(first, last, chunk) for every chunk's range of tiles, chunks in any order and
 * in parallel, each on one thread; finish for every element of every sum. Without sums one chunk serves, its tiles may be split
 * freely over threads, and begin is still called once (it initializes `out` views that are only accumulated into).
 * Partial sums of chunk c and sum s: an array of the view's elements, row-major by its extents, in the sum's dtype, at
 * slot 3 + c · (bytes of all sums) + (bytes of the sums before s), each sum's bytes rounded up to a multiple of 64.
 * ------------------------------------------------------------------------------------------------------------------- */

/* ---------------------------------------------------------------------------------------------------------------------
 * GPU code. The metadata of an artifact for a GPU has "target": "cuda", "processor": "sm_90a" (the architecture), no features, and
 *   "grid": "product" | "nested"
 *   "grid_axes": ["i", "j"]       the outermost variables of the grid whose ranges the host can compute from "axes"; of a product
 *                                 grid all of them. T is the product of their numbers of pieces (1 without any)
 *   "threads": 128                of a block of the entry "tiles"
 *   "shared_bytes": 49152         dynamic shared memory of such a block
 *   "entries": {"tiles": NAME, "begin": NAME | null, "finish": NAME | null}
 *   "message_words": 0 | n        the largest number of words that one tile may report at once; 0: the kernel reports nothing
 *   "resident_blocks": 0 | n      n: "tiles" runs with no more blocks than n on each multiprocessor, all of them at once (see below)
 *   "cluster_blocks": 1 | n       n, at most 8: so many blocks, a cluster, have a tile together; they are resident
 *   "tensor_maps": [{"view": P, "order": [1, 0], "box": [64, 128], "swizzle": 0 | 32 | 64 | 128}]      at most 24
 *                                 what "tiles" takes besides its slots. P: the number of a parameter, a view that is present and
 *                                 aligned to 16. order: all its dimensions of memory (as many as the slots have extents of it, at
 *                                 most 5), fastest first; the first one has stride 1. box: how many elements of each, in this
 *                                 order, one copy moves, 1 to 256; those of the first are a multiple of 16 bytes, and no more
 *                                 than the swizzle's
 *   "cuda": null | {"text": "…", "headers": [{"name": "hash.cuh", "text": "…"}]}
 *                                 a translation unit in CUDA C++, which may include the headers, that defines the functions which the
 *                                 code declares as .extern .func: extern "C" __device__ functions, whose arguments and results
 *                                 have 32 or 64 bits (a narrower one is in the low bits of an int; several results are a structure).
 *                                 The runtime compiles it and puts its functions into the module
 *
 * Every entry has one parameter, a structure by value: an array of 64-bit slots. After it "tiles" has one for each of
 * "tensor_maps", in their order: a structure of 128 bytes, aligned to 64, which is the CUtensorMap of the view's address, extents and
 * strides, tiled and not interleaved, with L2 promotion to 256 bytes and zeros outside. Its elements have the view's dtype, or, with "tf32", tf32; those of
 * f8, i8 and bool are u8, those of i16 u16. A view without elements has a map of one element, at coordinates 0, which no other map
 * shares: it is loaded as zero, and what is stored there is lost.
 *
 *   slot 0                      address of the message buffer, or 0
 *   slot 1                      its size in words of 8 bytes
 *   slot 2                      T
 *   slot 3                      address of the partial sums (laid out as for the CPU), or 0
 *   slot 4                      C, the number of chunks; 1 without sums
 *   slot 5                      0
 *   then as for the CPU         views, scalars, dimensions
 *
 * A launch is, in the order of a stream: "begin" (if there is one) with any number of blocks of 256 threads, which initializes the
 * partial sums of all chunks and the `out` views that are only accumulated into; "tiles"; "finish" (if there is one) with any
 * number of blocks of 256 threads, which combines the chunks in their order.
 * "tiles" runs with (T, Y, 1) blocks without sums, else with (C, 1, 1) blocks, of which block c runs the tiles T·c/C … T·(c+1)/C − 1.
 * With resident blocks (in a product grid, without sums) it runs with (B, 1, 1) blocks, B the smaller of T and n times the device's
 * multiprocessors, and which block runs which of the T tiles is the code's; the message buffer has room for all of them. Of clusters of c blocks B is c times
 * the smaller of T and what whole clusters make of the device's blocks, at least one, and the launch has clusters of (c, 1, 1) blocks.
 * The pieces of grid_axes are numbered row-major, the last varying fastest; which block runs which tile is the code's.
 * Y is 1 for a product grid; for a nested one it is the host's choice: the Y blocks share the tiles that remain within one of the T.
 *
 * Message buffer: word 0 counts the words used after the first two, or wanted if they exceed the size; word 1 is unused; then
 * records, each of them the message's number, the number n of its values, and n values in the low bytes of a word each. The host
 * zeroes words 0 and 1 before a launch.
 * ------------------------------------------------------------------------------------------------------------------- */

/* A print or a failed check: the message's number and its values, each in the low bytes of a slot. */
typedef void (*tw_cpu_report)(void *context, int64_t message, const int64_t *values, int64_t count);

typedef struct tw_cpu_entry_points {
  int64_t (*count)(const int64_t *arguments);                       /* tw_cpu_count: number of tiles */
  void (*list)(const int64_t *arguments, int64_t *coordinates);     /* tw_cpu_list: listed grids only: (first, end) of each of
                                                                       the "grid_variables" for each tile */
  void (*begin)(const int64_t *arguments, int64_t chunk);           /* tw_cpu_begin */
  void (*tiles)(const int64_t *arguments, int64_t first, int64_t last, int64_t chunk, void *scratch); /* tw_cpu_tiles; scratch is
                                                                       aligned to 64 bytes */
  void (*finish)(const int64_t *arguments, int64_t sum, int64_t first, int64_t last, int64_t chunks); /* tw_cpu_finish: elements
                                                                       first..last of a sum, over all chunks in order */
} tw_cpu_entry_points;

/* The instruction set extensions of x86-64 that code may use: LLVM's name, where CPUID tells of it (leaf, subleaf, register, bit), and
 * which of its registers the operating system must save (bits of XCR0). Where the table is silent (other architectures), artifacts
 * name no features. */
#define TW_X86_SAVES_AVX 0x6u
#define TW_X86_SAVES_AVX512 0xe6u
#define TW_X86_SAVES_AMX 0x60000u
#define TW_X86_FEATURES(FEATURE)                                                                                               \
  FEATURE("sse3", 1, 0, ecx, 0, 0)                                                                                             \
  FEATURE("pclmul", 1, 0, ecx, 1, 0)                                                                                           \
  FEATURE("ssse3", 1, 0, ecx, 9, 0)                                                                                            \
  FEATURE("fma", 1, 0, ecx, 12, TW_X86_SAVES_AVX)                                                                              \
  FEATURE("cx16", 1, 0, ecx, 13, 0)                                                                                            \
  FEATURE("sse4.1", 1, 0, ecx, 19, 0)                                                                                          \
  FEATURE("sse4.2", 1, 0, ecx, 20, 0)                                                                                          \
  FEATURE("movbe", 1, 0, ecx, 22, 0)                                                                                           \
  FEATURE("popcnt", 1, 0, ecx, 23, 0)                                                                                          \
  FEATURE("aes", 1, 0, ecx, 25, 0)                                                                                             \
  FEATURE("avx", 1, 0, ecx, 28, TW_X86_SAVES_AVX)                                                                              \
  FEATURE("f16c", 1, 0, ecx, 29, TW_X86_SAVES_AVX)                                                                             \
  FEATURE("bmi", 7, 0, ebx, 3, 0)                                                                                              \
  FEATURE("avx2", 7, 0, ebx, 5, TW_X86_SAVES_AVX)                                                                              \
  FEATURE("bmi2", 7, 0, ebx, 8, 0)                                                                                             \
  FEATURE("avx512f", 7, 0, ebx, 16, TW_X86_SAVES_AVX512)                                                                       \
  FEATURE("avx512dq", 7, 0, ebx, 17, TW_X86_SAVES_AVX512)                                                                      \
  FEATURE("adx", 7, 0, ebx, 19, 0)                                                                                             \
  FEATURE("avx512ifma", 7, 0, ebx, 21, TW_X86_SAVES_AVX512)                                                                    \
  FEATURE("avx512cd", 7, 0, ebx, 28, TW_X86_SAVES_AVX512)                                                                      \
  FEATURE("sha", 7, 0, ebx, 29, 0)                                                                                             \
  FEATURE("avx512bw", 7, 0, ebx, 30, TW_X86_SAVES_AVX512)                                                                      \
  FEATURE("avx512vl", 7, 0, ebx, 31, TW_X86_SAVES_AVX512)                                                                      \
  FEATURE("avx512vbmi", 7, 0, ecx, 1, TW_X86_SAVES_AVX512)                                                                     \
  FEATURE("avx512vbmi2", 7, 0, ecx, 6, TW_X86_SAVES_AVX512)                                                                    \
  FEATURE("gfni", 7, 0, ecx, 8, 0)                                                                                             \
  FEATURE("vaes", 7, 0, ecx, 9, TW_X86_SAVES_AVX)                                                                              \
  FEATURE("vpclmulqdq", 7, 0, ecx, 10, TW_X86_SAVES_AVX)                                                                       \
  FEATURE("avx512vnni", 7, 0, ecx, 11, TW_X86_SAVES_AVX512)                                                                    \
  FEATURE("avx512bitalg", 7, 0, ecx, 12, TW_X86_SAVES_AVX512)                                                                  \
  FEATURE("avx512vpopcntdq", 7, 0, ecx, 14, TW_X86_SAVES_AVX512)                                                               \
  FEATURE("avx512vp2intersect", 7, 0, edx, 8, TW_X86_SAVES_AVX512)                                                             \
  FEATURE("amx-bf16", 7, 0, edx, 22, TW_X86_SAVES_AMX)                                                                         \
  FEATURE("avx512fp16", 7, 0, edx, 23, TW_X86_SAVES_AVX512)                                                                    \
  FEATURE("amx-tile", 7, 0, edx, 24, TW_X86_SAVES_AMX)                                                                         \
  FEATURE("amx-int8", 7, 0, edx, 25, TW_X86_SAVES_AMX)                                                                         \
  FEATURE("avxvnni", 7, 1, eax, 4, TW_X86_SAVES_AVX)                                                                           \
  FEATURE("avx512bf16", 7, 1, eax, 5, TW_X86_SAVES_AVX512)                                                                     \
  FEATURE("avxifma", 7, 1, eax, 23, TW_X86_SAVES_AVX)                                                                          \
  FEATURE("avxvnniint8", 7, 1, edx, 4, TW_X86_SAVES_AVX)                                                                       \
  FEATURE("avxneconvert", 7, 1, edx, 5, TW_X86_SAVES_AVX)                                                                      \
  FEATURE("avxvnniint16", 7, 1, edx, 10, TW_X86_SAVES_AVX)                                                                     \
  FEATURE("lzcnt", 0x80000001, 0, ecx, 5, 0)                                                                                   \
  FEATURE("sse4a", 0x80000001, 0, ecx, 6, 0)                                                                                   \
  FEATURE("xop", 0x80000001, 0, ecx, 11, TW_X86_SAVES_AVX)                                                                     \
  FEATURE("fma4", 0x80000001, 0, ecx, 16, TW_X86_SAVES_AVX)                                                                    \
  FEATURE("tbm", 0x80000001, 0, ecx, 21, 0)

#ifdef __cplusplus
}
#endif
#endif
