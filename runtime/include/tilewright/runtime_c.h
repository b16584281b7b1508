/* The C interface of Tilewright: compile tile kernels at run time and launch them.
 *
 *   tw_context_create ─► tw_module_from_text / _from_file ─► tw_module_kernel ─► tw_prepare ─► tw_launch, as often as wanted
 *
 *   tw_error *error = NULL;
 *   tw_context *context; tw_module *module; tw_kernel *kernel; tw_launchable *add;
 *   tw_context_create(NULL, &context, &error);
 *   tw_module_from_file(context, "add.tile", NULL, &module, &error);
 *   tw_module_kernel(module, "add", &kernel, &error);
 *   int64_t n[] = {1000};
 *   tw_argument arguments[] = {tw_view("a", a, TW_F32, 1, n), tw_view("b", b, TW_F32, 1, n), tw_view("c", c, TW_F32, 1, n)};
 *   if (tw_prepare(kernel, NULL, arguments, 3, &add, &error) == TW_OK) tw_launch(add, NULL, 0, &error);
 *
 * Errors. Every function that can fail returns a tw_status and has a last parameter `tw_error **error`. It may be null; otherwise
 *   *error is set to null on success and to an error that the caller releases (tw_error_release) on failure. Results are written
 *   only on success. No exception leaves the library, nothing ends the process.
 * Ownership. A handle is released by its own …_release function, which allows null. A handle keeps alive what it was made from: the
 *   order of releases does not matter. Texts and structures that a handle returns live as long as the handle. Texts and arrays
 *   that are passed in are copied, except the memory that views point to.
 * Threads. Every function may be called from any thread, and several at once on the same handle, except that a handle must not be
 *   in use while it is released.
 * Units. Shapes and strides count elements, sizes called …_bytes bytes, times nanoseconds. Texts are UTF-8 and end in a null byte.
 * Versions. Structures that the caller fills begin with struct_size = sizeof(the structure) as the caller knows it; fields beyond
 *   it have their default, which is 0 in every field. Structures that the library returns by pointer may grow at their end.
 */
#ifndef TILEWRIGHT_RUNTIME_C_H
#define TILEWRIGHT_RUNTIME_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TW_API __attribute__((visibility("default")))

/* C++ then knows that an enum from a C program may hold any number. */
#ifdef __cplusplus
#define TW_ENUM_BASE : int32_t
#else
#define TW_ENUM_BASE
#endif

/* Raised when something here changes so that programs must be compiled again. */
#define TW_RUNTIME_INTERFACE_VERSION 1

/* A view has 1 to 5 dimensions as passed. */
#define TW_MAX_RANK 5

/* ---- Status and errors ------------------------------------------------------------------------------------------------- */

typedef enum tw_status TW_ENUM_BASE {
  TW_OK = 0,
  TW_INVALID_SOURCE = 1,       /* the kernel's text is wrong: the diagnostics say where and why */
  TW_INVALID_ARGUMENT = 2,     /* a wrong call: null, an unknown name, a wrong dtype, rank, static or tunable */
  TW_INVALID_SHAPE = 3,        /* dimensions that disagree, or that no view binds */
  TW_CHECK_FAILED = 4,         /* a launch check: require, an index out of range, coinciding places, overlapping arguments */
  TW_ASSERTION_FAILED = 5,     /* checked mode: an assert, or a promise of uniqueness, was broken while the kernel ran */
  TW_UNSUPPORTED = 6,          /* a legal kernel that this target or machine cannot run */
  TW_NOT_FOUND = 7,            /* a file, an import or a kernel's name */
  TW_COMPILER_UNAVAILABLE = 8, /* libtilewright-compiler is needed, and is absent or of another version */
  TW_COMPILATION_FAILED = 9,   /* the compiler failed on a legal kernel, and survived */
  TW_DAMAGED_ARTIFACT = 10,    /* an artifact that cannot be what a compiler wrote */
  TW_OUT_OF_MEMORY = 11,
  TW_INTERNAL_ERROR = 12,      /* our fault: please report */
  TW_DEVICE_FAULT = 13         /* the GPU's driver failed, or the emulator found a fault in a kernel (its report: the diagnostics) */
} tw_status;

/* What went wrong, as a value. */
typedef struct tw_error tw_error;

TW_API tw_status tw_error_status(const tw_error *error);        /* null: TW_OK */
TW_API const char *tw_error_message(const tw_error *error);     /* one line, no final period; null: "" */
TW_API const char *tw_error_diagnostics(const tw_error *error); /* the compiler's messages with source lines, or ""; many lines */
TW_API void tw_error_release(tw_error *error);
TW_API const char *tw_status_name(tw_status status); /* "invalid shape" */

TW_API const char *tw_version(void);             /* "0.1.0" */
TW_API uint32_t tw_runtime_interface_version(void); /* compare with TW_RUNTIME_INTERFACE_VERSION */

/* ---- Dtypes ------------------------------------------------------------------------------------------------------------ */

typedef enum tw_dtype TW_ENUM_BASE {
  TW_NO_DTYPE = 0,
  TW_F64 = 1, TW_F32 = 2, TW_F16 = 3, TW_BF16 = 4,
  TW_F8E4M3 = 5, /* finite only (OCP e4m3fn) */
  TW_F8E5M2 = 6,
  TW_I64 = 7, TW_I32 = 8, TW_I16 = 9, TW_I8 = 10, TW_U8 = 11,
  TW_BOOL = 12   /* one byte, 0 or 1 */
} tw_dtype;

TW_API size_t tw_dtype_bytes(tw_dtype dtype);     /* 0 for TW_NO_DTYPE */
TW_API const char *tw_dtype_name(tw_dtype dtype); /* "f32"; "" for TW_NO_DTYPE */
TW_API tw_dtype tw_dtype_named(const char *name); /* TW_NO_DTYPE if there is none of this name */
TW_API tw_dtype tw_dtype_accumulator(tw_dtype dtype); /* accum(T) of the language: f32, f64, i32 or i64 */

/* ---- Context ----------------------------------------------------------------------------------------------------------- */

/* A thread pool, a cache of compiled kernels, and the way to the compiler. Most programs need one. */
typedef struct tw_context tw_context;

typedef enum tw_log_level TW_ENUM_BASE { TW_LOG_DEBUG = 0, TW_LOG_INFO = 1, TW_LOG_WARNING = 2, TW_LOG_ERROR = 3, TW_LOG_OFF = 4 } tw_log_level;

/* Called from any thread, one call at a time for each context. */
typedef void (*tw_log_function)(void *user, tw_log_level level, const char *message);

typedef enum tw_report_kind TW_ENUM_BASE { TW_REPORT_PRINT = 0, TW_REPORT_ASSERT = 1 } tw_report_kind;

/* What a kernel's print, or failed assert, said. */
typedef struct tw_report {
  tw_report_kind kind;
  const char *kernel;
  const char *where; /* "file:line:column" */
  const char *text;  /* the texts and values, formatted */
} tw_report;

/* Called while a launch runs, from any of its threads, one call at a time for each context. It must not launch. */
typedef void (*tw_report_function)(void *user, const tw_report *report);

typedef struct tw_context_options {
  size_t struct_size;
  /* Path of libtilewright-compiler. Null: $TILEWRIGHT_COMPILER_LIBRARY, then beside libtilewright, then the loader's search path.
   * It is loaded when a kernel is in no cache, not before. If $TILEWRIGHT_COMPILE is "process" when the context is created, each
   * kernel is compiled in a process of its own, so that nothing the compiler does can end this one. */
  const char *compiler_library;
  /* Threads that one launch may use, the caller included; 0: $TILEWRIGHT_THREADS, or as many as this process may run at once.
   * Results do not depend on it. */
  int32_t threads;
  /* The folder of the disk cache. Null: the user's ($TILEWRIGHT_CACHE_DIR, which may be "off"; $XDG_CACHE_HOME/tilewright;
   * ~/.cache/tilewright); "": none. It must be the user's own and closed to others (0700; made so if it is not there): it holds code. */
  const char *cache_directory;
  /* Where warnings go; null: to stderr, from the level in $TILEWRIGHT_LOG (debug, info, warning, error, off) or warning on. */
  tw_log_function log;
  void *log_user;
  tw_log_level log_level; /* with `log`: what it is called for */
  /* print and assert of kernels; null: prints go to stdout, a line each. Failed asserts also make tw_launch fail. */
  tw_report_function report;
  void *report_user;
  /* 1: terminal colours in diagnostics. */
  int32_t colour;
  /* What the disk cache may hold before the least recently used goes; 0: 512 MiB. */
  int64_t cache_bytes;
  /* What kernels are compiled for and run on, unless a specialization says otherwise. Null: "cpu". Also "cuda" (the CUDA context
   * that is current on the calling thread, else the primary one of device 0), "cuda:N" (the primary one of device N), "emulator"
   * and "emulator:sm_80" (PTX executed on the CPU and checked, as a device of that architecture; sm_90a without one). With a GPU or
   * the emulator the memory of views is the device's: see "Devices and device memory". */
  const char *target;
} tw_context_options;

TW_API tw_status tw_context_create(const tw_context_options *options /* may be null */, tw_context **context, tw_error **error);
TW_API void tw_context_release(tw_context *context);
TW_API int32_t tw_context_threads(const tw_context *context);

typedef struct tw_context_statistics {
  size_t struct_size;
  uint64_t compilations;  /* kernels compiled */
  uint64_t cache_hits;    /* prepared from the memory cache, or by waiting for another thread's compilation of the same */
  uint64_t cached_kernels;
  uint64_t compile_nanoseconds; /* sum */
  uint64_t disk_hits;           /* kernels loaded from the disk cache */
} tw_context_statistics;

TW_API tw_status tw_context_get_statistics(const tw_context *context, tw_context_statistics *statistics, tw_error **error);

/* The compiler's tw_compiler_information (JSON), for tools: loads the compiler. The caller frees *json by tw_text_release. */
TW_API tw_status tw_context_compiler_information(tw_context *context, char **json, tw_error **error);
TW_API void tw_text_release(char *text);

/* ---- Devices and device memory ----------------------------------------------------------------------------------------- */

typedef struct tw_device_info {
  const char *target;             /* "cpu", "cuda:0", "emulator": what a context is created for */
  const char *name;               /* of the product; "" for the CPU */
  const char *architecture;       /* "sm_90a": what kernels are compiled for; "" for the CPU */
  int32_t multiprocessors;        /* 0 for the CPU */
  int64_t shared_bytes_per_block; /* the most that a kernel may use */
  int64_t memory_bytes;           /* 0: not known */
} tw_device_info;

/* What the context was created for. */
TW_API const tw_device_info *tw_context_device(const tw_context *context);
/* JSON, for tools: {"devices": [{"target", "name", "architecture", "multiprocessors", "shared_bytes_per_block", "memory_bytes"}],
 * "cuda": "" | why there is no CUDA device}. The caller frees *json by tw_text_release. */
TW_API tw_status tw_devices(char **json, tw_error **error);

/* For hosts that have no way of their own to device memory; those that have one (cuMemAlloc, cudaMalloc, a framework) pass what it
 * gives. On the CPU the same functions serve host memory. Addresses are aligned to 256 bytes. `stream`: see tw_launch_on_stream. A
 * copy's host memory may be used again when the call returns. */
TW_API tw_status tw_memory_allocate(tw_context *context, size_t bytes, void **address, tw_error **error);
TW_API tw_status tw_memory_free(tw_context *context, void *address /* null is allowed */, tw_error **error);
TW_API tw_status tw_memory_copy_to_device(tw_context *context, void *to, const void *from, size_t bytes, void *stream,
                                          tw_error **error);
TW_API tw_status tw_memory_copy_to_host(tw_context *context, void *to, const void *from, size_t bytes, void *stream,
                                        tw_error **error);
TW_API tw_status tw_memory_fill(tw_context *context, void *to, uint8_t value, size_t bytes, void *stream, tw_error **error);
/* Returns when everything that was put into the stream is done. What failed there meanwhile is told here. */
TW_API tw_status tw_synchronize(tw_context *context, void *stream, tw_error **error);

/* ---- The disk cache ---------------------------------------------------------------------------------------------------- */

/* For tools: contexts use the cache by themselves. `directory` is chosen as tw_context_options::cache_directory is; TW_NOT_FOUND
 * if that means none. Programs may be using the cache meanwhile. */

/* JSON: {"directory", "file_bytes", "entries": [{"key", "kind": "artifact" | "module" (what the compiler says about a source) |
 * "cubin" (a kernel's code for a GPU) | "ptx" (its CUDA functions) | "version" (what a ptxas says of itself), "name", "target",
 * "compile_nanoseconds", "build" (of the compiler, or what else made it), "bytes", "created", "used"}]}, the most recently used first;
 * times in seconds since 1970. The caller frees *json by tw_text_release. */
TW_API tw_status tw_cache_list(const char *directory, char **json, tw_error **error);
/* One entry, with "warnings" and "contents" (an artifact's metadata, a module's kernels). key: its first hexadecimal digits. */
TW_API tw_status tw_cache_show(const char *directory, const char *key, char **json, tw_error **error);
/* Removes the least recently used until the rest has at most `bytes` bytes. *removed (may be null): how many entries went. */
TW_API tw_status tw_cache_prune(const char *directory, int64_t bytes, int64_t *removed, tw_error **error);
/* Removes everything, also from a damaged file. */
TW_API tw_status tw_cache_clear(const char *directory, tw_error **error);

/* ---- Modules and kernels ----------------------------------------------------------------------------------------------- */

/* A checked source text with one or more kernels. */
typedef struct tw_module tw_module;
/* One kernel of a module, not yet specialized. */
typedef struct tw_kernel tw_kernel;

/* Answers `import "path";` written in `importer` (the name or path of the importing text), and likewise `from "path";` of an `extern`
 * function and `#include "path"` in the file that it names (`importer` is then that name). Returns 1 and sets *text and *length
 * (they must stay valid until the call that checks the module returns), or 0 if there is no such file. */
typedef int (*tw_import_function)(void *user, const char *path, const char *importer, const char **text, size_t *length);

typedef struct tw_module_options {
  size_t struct_size;
  /* Null: files, relative to the importing file's folder, then as they are. (The standard library's files need no answer.) */
  tw_import_function import;
  void *import_user;
} tw_module_options;

/* `name` stands in diagnostics, and imports are resolved relative to it. length: bytes, or SIZE_MAX for strlen(text).
 * A wrong text gives TW_INVALID_SOURCE and an error with diagnostics. */
TW_API tw_status tw_module_from_text(tw_context *context, const char *name, const char *text, size_t length,
                                     const tw_module_options *options /* may be null */, tw_module **module, tw_error **error);
TW_API tw_status tw_module_from_file(tw_context *context, const char *path, const tw_module_options *options /* may be null */,
                                     tw_module **module, tw_error **error);
/* The kernels that are part of the library: "linear.tile", "projection.tile", "norm.tile", "softmax.tile", "attention.tile". Checked
 * once for each context, so asking again is cheap. Another name gives TW_NOT_FOUND. tilewright/kernels.h calls them from C++. */
TW_API tw_status tw_module_ready_kernels(tw_context *context, const char *file, tw_module **module, tw_error **error);
TW_API void tw_module_release(tw_module *module);

TW_API const char *tw_module_warnings(const tw_module *module); /* rendered; "" if there are none */
TW_API size_t tw_module_kernel_count(const tw_module *module);
TW_API const char *tw_module_kernel_name(const tw_module *module, size_t index); /* null if out of range */

/* name null: the module's only kernel; an error that lists them if there are several. */
TW_API tw_status tw_module_kernel(tw_module *module, const char *name, tw_kernel **kernel, tw_error **error);
TW_API void tw_kernel_release(tw_kernel *kernel);

/* ---- Signatures -------------------------------------------------------------------------------------------------------- */

typedef enum tw_parameter_kind TW_ENUM_BASE { TW_PARAMETER_VIEW = 0, TW_PARAMETER_SCALAR = 1 } tw_parameter_kind;
typedef enum tw_access TW_ENUM_BASE { TW_ACCESS_IN = 0, TW_ACCESS_OUT = 1, TW_ACCESS_INOUT = 2 } tw_access;

typedef enum tw_dimension_kind TW_ENUM_BASE {
  TW_DIMENSION_NAME = 0,       /* K: bound by its first occurrence, checked at the others */
  TW_DIMENSION_PACK = 1,       /* M...: any number of dimensions, one index */
  TW_DIMENSION_EXPRESSION = 2, /* 2 * F: checked */
  TW_DIMENSION_DEFINITION = 3  /* P = (H - R) / 2 + 1: checked, and has a name */
} tw_dimension_kind;

typedef struct tw_dimension_info {
  tw_dimension_kind kind;
  const char *name; /* "" for an expression */
  const char *text; /* as written: "K", "M...", "2 * F" */
} tw_dimension_info;

typedef struct tw_parameter_info {
  const char *name;
  tw_parameter_kind kind;
  tw_access access;  /* of a view */
  const char *dtype; /* "f32", "T", "accum(T)" */
  int32_t optional;  /* 1: a view that may be absent, or a scalar that has a default */
  size_t dimension_count;
  const tw_dimension_info *dimensions;
  /* The default of a scalar: "" if it has none, else its text; real and integer hold it, as its dtype wants. */
  const char *default_text;
  double default_real;
  int64_t default_integer;
} tw_parameter_info;

typedef enum tw_static_kind TW_ENUM_BASE { TW_STATIC_TYPE = 0, TW_STATIC_FUNCTION = 1, TW_STATIC_CONSTANT = 2 } tw_static_kind;

typedef struct tw_static_info {
  const char *name;
  tw_static_kind kind;
  size_t dtype_count;          /* a type: what it may be; a constant: its dtype */
  const char *const *dtypes;
  const char *default_text;    /* "" if it has none */
  int32_t is_dimension;        /* 1: a constant that names a dimension, bound from the shapes */
} tw_static_info;

TW_API const char *tw_kernel_name(const tw_kernel *kernel);
TW_API const char *tw_kernel_documentation(const tw_kernel *kernel); /* its `///` lines, or "" */
TW_API size_t tw_kernel_parameter_count(const tw_kernel *kernel);
TW_API const tw_parameter_info *tw_kernel_parameter(const tw_kernel *kernel, size_t index); /* null if out of range */
TW_API size_t tw_kernel_static_count(const tw_kernel *kernel);
TW_API const tw_static_info *tw_kernel_static(const tw_kernel *kernel, size_t index); /* null if out of range */
TW_API size_t tw_kernel_tunable_count(const tw_kernel *kernel);
TW_API const char *tw_kernel_tunable(const tw_kernel *kernel, size_t index); /* null if out of range */

/* ---- Arguments --------------------------------------------------------------------------------------------------------- */

typedef enum tw_argument_kind TW_ENUM_BASE { TW_ARGUMENT_VIEW = 0, TW_ARGUMENT_INTEGER = 1, TW_ARGUMENT_REAL = 2 } tw_argument_kind;

#define TW_MEMORY_UNKNOWN 0
#define TW_MEMORY_HOST 1
#define TW_MEMORY_CUDA 2

/* The argument of one parameter. Any order; parameters that are not named are absent (views) or have their default (scalars). */
typedef struct tw_argument {
  const char *parameter;
  tw_argument_kind kind;
  /* A view: strided memory. Nothing changes what is read, nor is a written element anyone else's, while a launch runs. */
  tw_dtype dtype;
  int32_t rank;                 /* 1 to TW_MAX_RANK */
  void *data;                   /* element 0, …, 0. Null in tw_prepare: given at launch. Null at launch: only if it has no element */
  int64_t shape[TW_MAX_RANK];   /* >= 0 */
  int64_t strides[TW_MAX_RANK]; /* in elements, any sign */
  /* A promise: this address, and all that are given at launch, are multiples of so many bytes (a power of two). 0: for the CPU the
   * element's size is promised, which every usual array keeps; code for 64 can be better, and is then another specialization. For a
   * GPU the alignment of `data`, up to 16 bytes, is (16 if it is null): what device memory begins with always is. */
  int32_t alignment;
  /* Whose memory it is: TW_MEMORY_UNKNOWN (the caller answers for it), TW_MEMORY_HOST, TW_MEMORY_CUDA + the number of the device. What is
   * known is checked against what the kernel runs on. */
  int32_t memory;
  /* A scalar: converted to the parameter's dtype. An integer also serves a float parameter; a real serves an integer one only if it
   * is integral. bool is 0 or 1. */
  int64_t integer;
  double real;
} tw_argument;

/* A row-major (contiguous) view. A rank outside 1..TW_MAX_RANK is kept, and refused by tw_prepare; so is a null shape, as negative
 * extents. */
TW_API tw_argument tw_view(const char *parameter, void *data, tw_dtype dtype, int32_t rank, const int64_t *shape);
/* strides null: row-major. */
TW_API tw_argument tw_strided_view(const char *parameter, void *data, tw_dtype dtype, int32_t rank, const int64_t *shape,
                                   const int64_t *strides);
TW_API tw_argument tw_integer(const char *parameter, int64_t value);
TW_API tw_argument tw_real(const char *parameter, double value);

/* A view of a DLPack tensor (no copy, no ownership taken: the tensor must outlive the launches). `tensor` is a DLTensor * or a
 * DLManagedTensor * (whose first member is one). Its memory is the CPU's, a CUDA device's, or pinned or shared between them. */
TW_API tw_status tw_view_from_dlpack(const char *parameter, const void *tensor, tw_argument *argument, tw_error **error);
/* The same for a DLManagedTensorVersioned * of major version 1. Its read-only flag is for the caller to obey: nothing here keeps it. */
TW_API tw_status tw_view_from_dlpack_versioned(const char *parameter, const void *managed_tensor, tw_argument *argument,
                                               tw_error **error);

/* ---- Specialization, shapes -------------------------------------------------------------------------------------------- */

typedef struct tw_binding {
  const char *name;
  const char *value;
} tw_binding;

typedef struct tw_dimension {
  const char *name;
  int64_t extent;
} tw_dimension;

/* How a kernel is to be specialized. Type statics that are not bound are inferred from the dtypes of the views, constants that name
 * a dimension from the shapes, others have their default; tunables that are not bound are chosen by the compiler. */
typedef struct tw_specialization {
  size_t struct_size;
  /* Statics and tunables by name, in any order: T=f32, act=gelu, D=128, BM=64. */
  const tw_binding *bindings;
  size_t binding_count;
  /* Dimensions by name: they must agree with the views; needed only for names that no given view binds. */
  const tw_dimension *dimensions;
  size_t dimension_count;
  const char *target;   /* null: what the context was created for. "cpu" is possible in every context */
  const char *schedule; /* null or "": the compiler's; "reference": one element at a time, dots in f64;
                           for sm_90a fields of a product's schedule ("stages=4,registers=24/240"), or "plain" */
  int32_t checked;      /* 1: checked mode (asserts run, promises of uniqueness are verified) */
  int32_t remarks;      /* 1: the log is also told what of the kernel the target runs slower than it could */
} tw_specialization;

/* What is known of one parameter's view before it exists. */
typedef struct tw_view_type {
  int32_t present; /* 0: a scalar, or a view that was asked for by nobody (see tw_infer_views) */
  tw_dtype dtype;
  int32_t rank;
  int64_t shape[TW_MAX_RANK];
} tw_view_type;

/* Dtypes and shapes of all views from those that are given, so that outputs can be allocated: from bound dimensions, expressions,
 * definitions, explicit dimensions and (for dtypes) statics. M... has the dimensions of the first given view that has it.
 * `wanted` names further views (typically the outputs) to work out: of a view with an argument in `arguments` the result repeats
 * it, of one that is neither given nor wanted `present` is 0. wanted null: every view that is not optional.
 * types: one for each parameter of the kernel, in order. Needs no compilation. */
TW_API tw_status tw_infer_views(const tw_kernel *kernel, const tw_specialization *specialization /* may be null */,
                                const tw_argument *arguments, size_t argument_count, const char *const *wanted,
                                size_t wanted_count, tw_view_type *types, tw_error **error);

/* ---- Prepare and launch ------------------------------------------------------------------------------------------------ */

/* A kernel compiled for, bound to and checked against one set of shapes, strides and alignments. */
typedef struct tw_launchable tw_launchable;

/* Binds dimensions, specializes, compiles (or finds it done: one compilation for each specialization, however many threads ask),
 * runs the launch checks and takes all memory that launches need. The addresses and scalars given here are the defaults of
 * tw_launch. */
TW_API tw_status tw_prepare(tw_kernel *kernel, const tw_specialization *specialization /* may be null */,
                            const tw_argument *arguments, size_t argument_count, tw_launchable **launchable, tw_error **error);
TW_API void tw_launchable_release(tw_launchable *launchable);

/* The value of one parameter for one launch. */
typedef union tw_value {
  void *pointer;   /* a view */
  int64_t integer; /* a scalar of an integer dtype, or bool */
  double real;     /* a scalar of a float dtype: rounded to it */
} tw_value;

/* Runs the kernel and returns when its results are in memory; on a GPU it puts it into the default stream. values: one for each
 * parameter of the kernel, in order (what stands for an absent view is ignored); or null: as prepared. It does not compile or lock,
 * nor allocate, except that a second launch of the same launchable while one runs may take memory of its own, which is then kept.
 * Addresses must be aligned as promised; checks that depend on addresses or on scalars that changed run again.
 * After TW_ASSERTION_FAILED the outputs are unspecified, but nothing outside the views was touched. */
TW_API tw_status tw_launch(tw_launchable *launchable, const tw_value *values, size_t value_count, tw_error **error);

/* The same in a stream of the caller's: a CUstream or cudaStream_t (null: the default one), which the CPU and the emulator ignore.
 * The kernel runs in the stream's order, and the call returns before it is done. It allocates, waits for and locks nothing, and may
 * be captured into a CUDA graph, except that
 *   - a kernel that prints or asserts is waited for;
 *   - launches of one launchable whose kernel sums over tiles (partial_sum_bytes > 0) share the memory of the partial sums. Within
 *     one stream they are kept apart (by a lock while they are put into it); in several streams at once each needs a launchable of
 *     its own.
 * A launchable that was captured must outlive the graph. */
TW_API tw_status tw_launch_on_stream(tw_launchable *launchable, const tw_value *values, size_t value_count, void *stream,
                                     tw_error **error);
/* How long `launches` launches one after another take on the device, in all: waits for them. */
TW_API tw_status tw_time_launches(tw_launchable *launchable, const tw_value *values, size_t value_count, int32_t launches,
                                  void *stream, int64_t *nanoseconds, tw_error **error);

typedef struct tw_chosen_tunable {
  const char *name;
  int64_t value;
} tw_chosen_tunable;

/* How well the number of operations is known. */
typedef enum tw_operation_count_kind TW_ENUM_BASE {
  TW_OPERATIONS_NONE = 0,    /* there is no `dot` in the kernel */
  TW_OPERATIONS_EXACT = 1,
  TW_OPERATIONS_AT_MOST = 2, /* memory decides, in an `if` or in the end of a range, how many of them run */
  TW_OPERATIONS_UNKNOWN = 3  /* memory decides, and sets no limit that is known beforehand: a `while`, a grid read from memory */
} tw_operation_count_kind;

typedef struct tw_launchable_info {
  const char *kernel;
  const char *target;
  const char *processor;
  size_t tunable_count;
  const tw_chosen_tunable *tunables;
  size_t dimension_count; /* every named dimension and its extent; constants too */
  const tw_dimension *dimensions;
  int64_t tile_count;         /* -1: memory decides */
  int64_t chunk_count;        /* parts that sum apart, see "sums" in compiler_c.h; 1 without sums. At most so many if tile_count < 0 */
  int64_t scratch_bytes;      /* for each thread */
  int64_t partial_sum_bytes;  /* for all chunks */
  int64_t workspace_bytes;    /* all memory that one running launch holds */
  int32_t threads;            /* what one launch may use at most; 1: it runs on the caller. On a GPU: of a block */
  int32_t checked;
  int32_t from_cache;         /* 1: tw_prepare did not compile */
  int64_t compile_nanoseconds; /* of the compilation that made this code, whoever asked for it */
  int64_t prepare_nanoseconds; /* of tw_prepare, compilation included */
  size_t artifact_bytes;
  /* Multiplications and additions of the kernel's products (`dot`) as written, tile by tile, 2 for each pair of elements: 2 · M · N · K
   * for a linear layer. With the scalars as prepared. What surrounds the products is not counted. 0 if none or unknown. */
  double operations;
  tw_operation_count_kind operations_kind;
} tw_launchable_info;

TW_API const tw_launchable_info *tw_launchable_get_info(const tw_launchable *launchable);
/* How long the latest finished launch took; 0 before the first, and of launches that are not waited for (tw_time_launches). */
TW_API int64_t tw_launchable_elapsed_nanoseconds(const tw_launchable *launchable);

#ifdef __cplusplus
}
#endif
#endif
