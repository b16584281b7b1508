// Tilewright for C++20 programs: thin, header-only ownership and types over runtime_c.h.
//
//   auto context = tilewright::Context::create();
//   auto module = context->load("linear.tile");
//   auto kernel = module->kernel("linear");
//   auto linear = kernel->prepare({{"x", {x, {rows, 784}}}, {"w", {w, {256, 784}}}, {"y", {y, {rows, 256}}}},
//                                 {.bindings = {{"act", "gelu"}}});
//   if (!linear) return report(linear.error().message());
//   linear->launch();
//
// Every call that can fail returns a Result: test it, then use `*` or `->`; or ask for error(). Nothing throws but
// std::bad_alloc from the strings and vectors here. Handles are movable, not copyable, may be destroyed in any order, and are
// safe to use from several threads at once. Reading a Result that holds an error (or the error of one that holds a value) ends
// the program with a message: that is a fault of the program, not of its input.
#ifndef TILEWRIGHT_TILEWRIGHT_H
#define TILEWRIGHT_TILEWRIGHT_H

#include "tilewright/runtime_c.h"

#include <cassert>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tilewright {

// ---- Errors and results ---------------------------------------------------------------------------------------------------

/// What went wrong.
class Error {
public:
  /// Takes ownership.
  explicit Error(tw_error *raw) : raw(raw, &tw_error_release) {}

  tw_status status() const { return tw_error_status(raw.get()); }
  std::string_view message() const { return tw_error_message(raw.get()); }
  /// The compiler's messages with source lines, or "".
  std::string_view diagnostics() const { return tw_error_diagnostics(raw.get()); }

private:
  std::shared_ptr<tw_error> raw;
};

namespace detail {
[[noreturn]] inline void misuse(const char *what, std::string_view message) {
  std::fprintf(stderr, "tilewright: %s: %.*s\n", what, static_cast<int>(message.size()), message.data());
  std::abort();
}
} // namespace detail

/// A value, or the reason why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return content.index() == 0; }
  explicit operator bool() const { return ok(); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(value()); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }
  const Error &error() const {
    if (ok())
      detail::misuse("asked a successful result for its error", "");
    return std::get<1>(content);
  }

private:
  T &value() {
    if (!ok())
      detail::misuse("used a result that holds an error", std::get<1>(content).message());
    return std::get<0>(content);
  }
  const T &value() const { return const_cast<Result *>(this)->value(); }

  std::variant<T, Error> content;
};

/// Success, or the reason why not.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : failure(std::move(error)) {}

  bool ok() const { return std::holds_alternative<std::monostate>(failure); }
  explicit operator bool() const { return ok(); }
  const Error &error() const {
    if (ok())
      detail::misuse("asked a successful result for its error", "");
    return std::get<1>(failure);
  }

private:
  std::variant<std::monostate, Error> failure;
};

// ---- Views and arguments --------------------------------------------------------------------------------------------------

/// The dtype of a C++ type. Specialize it for your own 16-bit and 8-bit float types.
template <typename T> inline constexpr tw_dtype dtypeOf = TW_NO_DTYPE;
template <> inline constexpr tw_dtype dtypeOf<double> = TW_F64;
template <> inline constexpr tw_dtype dtypeOf<float> = TW_F32;
template <> inline constexpr tw_dtype dtypeOf<int64_t> = TW_I64;
template <> inline constexpr tw_dtype dtypeOf<int32_t> = TW_I32;
template <> inline constexpr tw_dtype dtypeOf<int16_t> = TW_I16;
template <> inline constexpr tw_dtype dtypeOf<int8_t> = TW_I8;
template <> inline constexpr tw_dtype dtypeOf<uint8_t> = TW_U8;
template <> inline constexpr tw_dtype dtypeOf<bool> = TW_BOOL;

/// Strided memory that someone else owns. Strides are in elements; without them the view is row-major.
class View {
public:
  View(void *data, tw_dtype dtype, std::span<const int64_t> shape, std::span<const int64_t> strides = {})
      : raw(tw_strided_view(nullptr, data, dtype, static_cast<int32_t>(shape.size()), shape.data(),
                            strides.empty() ? nullptr : strides.data())) {
    assert(strides.empty() || strides.size() == shape.size());
  }
  View(void *data, tw_dtype dtype, std::initializer_list<int64_t> shape, std::initializer_list<int64_t> strides = {})
      : View(data, dtype, std::span<const int64_t>(shape.begin(), shape.size()),
             std::span<const int64_t>(strides.begin(), strides.size())) {}
  /// The dtype follows from the pointer. Memory behind a pointer to const can only be the argument of an `in` parameter.
  template <typename T>
    requires(dtypeOf<std::remove_const_t<T>> != TW_NO_DTYPE)
  View(T *data, std::initializer_list<int64_t> shape, std::initializer_list<int64_t> strides = {})
      : View(const_cast<std::remove_const_t<T> *>(data), dtypeOf<std::remove_const_t<T>>, shape, strides) {}
  template <typename T>
    requires(dtypeOf<std::remove_const_t<T>> != TW_NO_DTYPE)
  View(T *data, std::span<const int64_t> shape, std::span<const int64_t> strides = {})
      : View(const_cast<std::remove_const_t<T> *>(data), dtypeOf<std::remove_const_t<T>>, shape, strides) {}

  /// A DLTensor * or DLManagedTensor *; the tensor keeps its owner.
  static Result<View> fromDLPack(const void *tensor) {
    View view;
    tw_error *error = nullptr;
    if (tw_view_from_dlpack(nullptr, tensor, &view.raw, &error) != TW_OK)
      return Error(error);
    return view;
  }

  /// Promises that this address, and those given at launch instead, are multiples of so many bytes.
  View &aligned(int32_t bytes) {
    raw.alignment = bytes;
    return *this;
  }

  void *data() const { return raw.data; }
  tw_dtype dtype() const { return raw.dtype; }
  std::span<const int64_t> shape() const { return {raw.shape, static_cast<size_t>(raw.rank)}; }
  std::span<const int64_t> strides() const { return {raw.strides, static_cast<size_t>(raw.rank)}; }

private:
  friend class Argument;
  View() = default;

  tw_argument raw = {};
};

/// The argument of one parameter: a view or a number.
class Argument {
public:
  Argument(std::string parameter, const View &view) : parameter(std::move(parameter)), content(view.raw) {}
  template <std::integral T>
  Argument(std::string parameter, T value)
      : parameter(std::move(parameter)), content(tw_integer(nullptr, static_cast<int64_t>(value))) {}
  template <std::floating_point T>
  Argument(std::string parameter, T value)
      : parameter(std::move(parameter)), content(tw_real(nullptr, static_cast<double>(value))) {}

  /// Valid while this argument lives.
  tw_argument raw() const {
    tw_argument result = content;
    result.parameter = parameter.c_str();
    return result;
  }

private:
  std::string parameter;
  tw_argument content;
};

/// How a kernel is specialized; see tw_specialization.
struct Specialization {
  std::vector<std::pair<std::string, std::string>> bindings = {};
  std::vector<std::pair<std::string, int64_t>> dimensions = {};
  std::string target = {};
  std::string schedule = {};
  bool checked = false;
  bool remarks = false;
};

namespace detail {

struct Deleter {
  void operator()(tw_context *handle) const { tw_context_release(handle); }
  void operator()(tw_module *handle) const { tw_module_release(handle); }
  void operator()(tw_kernel *handle) const { tw_kernel_release(handle); }
  void operator()(tw_launchable *handle) const { tw_launchable_release(handle); }
};
template <typename Raw> using Handle = std::unique_ptr<Raw, Deleter>;

/// The C form of a Specialization, which must outlive it.
class RawSpecialization {
public:
  explicit RawSpecialization(const Specialization &from) {
    for (const auto &[name, value] : from.bindings)
      bindings.push_back({name.c_str(), value.c_str()});
    for (const auto &[name, extent] : from.dimensions)
      dimensions.push_back({name.c_str(), extent});
    raw.struct_size = sizeof(raw);
    raw.bindings = bindings.data();
    raw.binding_count = bindings.size();
    raw.dimensions = dimensions.data();
    raw.dimension_count = dimensions.size();
    raw.target = from.target.empty() ? nullptr : from.target.c_str();
    raw.schedule = from.schedule.c_str();
    raw.checked = from.checked;
    raw.remarks = from.remarks;
  }
  RawSpecialization(const RawSpecialization &) = delete;
  RawSpecialization &operator=(const RawSpecialization &) = delete;

  tw_specialization raw = {};

private:
  std::vector<tw_binding> bindings;
  std::vector<tw_dimension> dimensions;
};

inline std::vector<tw_argument> rawArguments(std::span<const Argument> arguments) {
  std::vector<tw_argument> raw;
  for (const Argument &argument : arguments)
    raw.push_back(argument.raw());
  return raw;
}

} // namespace detail

// ---- Launchable, Kernel, Module, Context ----------------------------------------------------------------------------------

/// A kernel compiled for, bound to and checked against one set of shapes. See tw_prepare and tw_launch.
class Launchable {
public:
  explicit Launchable(tw_launchable *raw) : handle(raw) {}

  /// With the addresses and scalars given to prepare.
  Result<void> launch() { return launch(std::span<const tw_value>()); }
  /// One value for each parameter of the kernel, in order. stream: a CUstream; see tw_launch_on_stream.
  Result<void> launch(std::span<const tw_value> values, void *stream = nullptr) {
    tw_error *error = nullptr;
    if (tw_launch_on_stream(handle.get(), values.empty() ? nullptr : values.data(), values.size(), stream, &error) != TW_OK)
      return Error(error);
    return {};
  }
  /// Nanoseconds of so many launches one after another, on the device.
  Result<int64_t> time(int launches, void *stream = nullptr) {
    tw_error *error = nullptr;
    int64_t nanoseconds = 0;
    if (tw_time_launches(handle.get(), nullptr, 0, launches, stream, &nanoseconds, &error) != TW_OK)
      return Error(error);
    return nanoseconds;
  }

  const tw_launchable_info &info() const { return *tw_launchable_get_info(handle.get()); }
  int64_t elapsedNanoseconds() const { return tw_launchable_elapsed_nanoseconds(handle.get()); }
  tw_launchable *raw() const { return handle.get(); }

private:
  detail::Handle<tw_launchable> handle;
};

/// One kernel of a module.
class Kernel {
public:
  explicit Kernel(tw_kernel *raw) : handle(raw) {}

  std::string_view name() const { return tw_kernel_name(handle.get()); }
  std::string_view documentation() const { return tw_kernel_documentation(handle.get()); }
  size_t parameterCount() const { return tw_kernel_parameter_count(handle.get()); }
  const tw_parameter_info &parameter(size_t index) const { return *tw_kernel_parameter(handle.get(), index); }
  size_t staticCount() const { return tw_kernel_static_count(handle.get()); }
  const tw_static_info &staticInfo(size_t index) const { return *tw_kernel_static(handle.get(), index); }
  size_t tunableCount() const { return tw_kernel_tunable_count(handle.get()); }
  std::string_view tunable(size_t index) const { return tw_kernel_tunable(handle.get(), index); }

  Result<Launchable> prepare(std::span<const Argument> arguments, const Specialization &specialization = {}) const {
    std::vector<tw_argument> raw = detail::rawArguments(arguments);
    detail::RawSpecialization how(specialization);
    tw_launchable *launchable = nullptr;
    tw_error *error = nullptr;
    if (tw_prepare(handle.get(), &how.raw, raw.data(), raw.size(), &launchable, &error) != TW_OK)
      return Error(error);
    return Launchable(launchable);
  }
  Result<Launchable> prepare(std::initializer_list<Argument> arguments, const Specialization &specialization = {}) const {
    return prepare(std::span<const Argument>(arguments.begin(), arguments.size()), specialization);
  }

  /// Prepares and launches once; see prepare for many.
  Result<void> run(std::initializer_list<Argument> arguments, const Specialization &specialization = {}) const {
    Result<Launchable> launchable = prepare(arguments, specialization);
    if (!launchable)
      return launchable.error();
    return launchable->launch();
  }

  /// Dtype and shape of every parameter's view, in order, before outputs exist; see tw_infer_views.
  Result<std::vector<tw_view_type>> inferViews(std::span<const Argument> arguments,
                                               const Specialization &specialization = {}) const {
    std::vector<tw_argument> raw = detail::rawArguments(arguments);
    detail::RawSpecialization how(specialization);
    std::vector<tw_view_type> types(parameterCount());
    tw_error *error = nullptr;
    if (tw_infer_views(handle.get(), &how.raw, raw.data(), raw.size(), nullptr, 0, types.data(), &error) != TW_OK)
      return Error(error);
    return types;
  }
  Result<std::vector<tw_view_type>> inferViews(std::initializer_list<Argument> arguments,
                                               const Specialization &specialization = {}) const {
    return inferViews(std::span<const Argument>(arguments.begin(), arguments.size()), specialization);
  }

  tw_kernel *raw() const { return handle.get(); }

private:
  detail::Handle<tw_kernel> handle;
};

/// A checked source text.
class Module {
public:
  explicit Module(tw_module *raw) : handle(raw) {}

  std::string_view warnings() const { return tw_module_warnings(handle.get()); }
  std::vector<std::string> kernelNames() const {
    std::vector<std::string> names;
    for (size_t index = 0; index < tw_module_kernel_count(handle.get()); ++index)
      names.emplace_back(tw_module_kernel_name(handle.get(), index));
    return names;
  }
  /// No name: the only kernel.
  Result<Kernel> kernel(const std::string &name = {}) const {
    tw_kernel *kernel = nullptr;
    tw_error *error = nullptr;
    if (tw_module_kernel(handle.get(), name.empty() ? nullptr : name.c_str(), &kernel, &error) != TW_OK)
      return Error(error);
    return Kernel(kernel);
  }

  tw_module *raw() const { return handle.get(); }

private:
  detail::Handle<tw_module> handle;
};

/// Answers an import, or the file of an `extern` function or that one's includes: the text behind `path`, written in `importer`; or nothing. The text must live until the module is made.
using Import = std::function<const std::string *(std::string_view path, std::string_view importer)>;

/// See tw_context_options.
struct ContextOptions {
  std::string compilerLibrary = {};               ///< "": found by itself
  int threads = 0;                                ///< 0: as many as this process may run at once
  std::optional<std::string> cacheDirectory = {}; ///< "": no disk cache; nothing: the user's
  int64_t cacheBytes = 0;                         ///< 0: 512 MiB
  tw_log_function log = nullptr;
  void *logUser = nullptr;
  tw_log_level logLevel = TW_LOG_WARNING;
  tw_report_function report = nullptr;
  void *reportUser = nullptr;
  bool colour = false;
  std::string target = {}; ///< "": "cpu"; "cuda", "cuda:1", "emulator", "emulator:sm_80"
};

/// Memory of a context's device (of the host, for "cpu"), freed with its owner. Hosts with memory of their own need none of it.
class DeviceMemory {
public:
  DeviceMemory(std::shared_ptr<tw_context> context, void *address, size_t bytes)
      : memory(address, Free{std::move(context)}), size(bytes) {}

  void *data() const { return memory.get(); }
  template <typename T> T *as() const { return static_cast<T *>(data()); }
  size_t bytes() const { return size; }

  /// The whole of it. `from` may be used again when the call returns.
  Result<void> upload(const void *from, void *stream = nullptr) {
    tw_error *error = nullptr;
    if (tw_memory_copy_to_device(context(), data(), from, size, stream, &error) != TW_OK)
      return Error(error);
    return {};
  }
  /// The whole of it, when the stream has come so far.
  Result<void> download(void *to, void *stream = nullptr) const {
    tw_error *error = nullptr;
    if (tw_memory_copy_to_host(context(), to, data(), size, stream, &error) != TW_OK)
      return Error(error);
    return {};
  }
  Result<void> fill(uint8_t value, void *stream = nullptr) {
    tw_error *error = nullptr;
    if (tw_memory_fill(context(), data(), value, size, stream, &error) != TW_OK)
      return Error(error);
    return {};
  }

private:
  struct Free {
    std::shared_ptr<tw_context> context;
    void operator()(void *start) const { tw_memory_free(context.get(), start, nullptr); }
  };
  tw_context *context() const { return memory.get_deleter().context.get(); }

  std::unique_ptr<void, Free> memory;
  size_t size;
};

/// A thread pool, a cache of compiled kernels, and the way to the compiler.
class Context {
public:
  explicit Context(tw_context *raw) : handle(raw, detail::Deleter()) {}
  Context(Context &&) = default;
  Context &operator=(Context &&) = default;

  static Result<Context> create(const ContextOptions &options = {}) {
    tw_context_options raw = {};
    raw.compiler_library = options.compilerLibrary.empty() ? nullptr : options.compilerLibrary.c_str();
    raw.threads = options.threads;
    raw.cache_directory = options.cacheDirectory ? options.cacheDirectory->c_str() : nullptr;
    raw.log = options.log;
    raw.log_user = options.logUser;
    raw.log_level = options.logLevel;
    raw.report = options.report;
    raw.report_user = options.reportUser;
    raw.colour = options.colour;
    raw.cache_bytes = options.cacheBytes;
    raw.target = options.target.empty() ? nullptr : options.target.c_str();
    return create(raw);
  }
  /// The same in C; struct_size need not be set. (A template, so that braces mean ContextOptions.)
  template <std::same_as<tw_context_options> Raw> static Result<Context> create(Raw raw) {
    raw.struct_size = sizeof(raw);
    tw_context *context = nullptr;
    tw_error *error = nullptr;
    if (tw_context_create(&raw, &context, &error) != TW_OK)
      return Error(error);
    return Context(context);
  }

  Result<Module> load(const std::string &path, const Import &import = {}) const {
    tw_module_options options = moduleOptions(import);
    tw_module *module = nullptr;
    tw_error *error = nullptr;
    if (tw_module_from_file(handle.get(), path.c_str(), &options, &module, &error) != TW_OK)
      return Error(error);
    return Module(module);
  }
  /// `name` stands in diagnostics.
  Result<Module> parse(const std::string &name, std::string_view text, const Import &import = {}) const {
    tw_module_options options = moduleOptions(import);
    tw_module *module = nullptr;
    tw_error *error = nullptr;
    if (tw_module_from_text(handle.get(), name.c_str(), text.data(), text.size(), &options, &module, &error) != TW_OK)
      return Error(error);
    return Module(module);
  }

  /// The library's own kernels, "linear.tile"; see tw_module_ready_kernels. tilewright/kernels.h calls them by name.
  Result<Module> readyKernels(const std::string &file) const {
    tw_module *module = nullptr;
    tw_error *error = nullptr;
    if (tw_module_ready_kernels(handle.get(), file.c_str(), &module, &error) != TW_OK)
      return Error(error);
    return Module(module);
  }

  /// What kernels are compiled for and run on.
  const tw_device_info &device() const { return *tw_context_device(handle.get()); }
  Result<DeviceMemory> allocate(size_t bytes) const {
    void *address = nullptr;
    tw_error *error = nullptr;
    if (tw_memory_allocate(handle.get(), bytes, &address, &error) != TW_OK)
      return Error(error);
    return DeviceMemory(handle, address, bytes);
  }
  /// Waits for everything in the stream.
  Result<void> synchronize(void *stream = nullptr) const {
    tw_error *error = nullptr;
    if (tw_synchronize(handle.get(), stream, &error) != TW_OK)
      return Error(error);
    return {};
  }

  int threads() const { return tw_context_threads(handle.get()); }
  tw_context_statistics statistics() const {
    tw_context_statistics statistics = {};
    statistics.struct_size = sizeof(statistics);
    tw_context_get_statistics(handle.get(), &statistics, nullptr);
    return statistics;
  }
  tw_context *raw() const { return handle.get(); }

private:
  static tw_module_options moduleOptions(const Import &import) {
    tw_module_options options = {};
    options.struct_size = sizeof(options);
    if (import) {
      options.import = [](void *user, const char *path, const char *importer, const char **text, size_t *length) {
        const std::string *found = (*static_cast<const Import *>(user))(path, importer);
        if (!found)
          return 0;
        *text = found->data();
        *length = found->size();
        return 1;
      };
      options.import_user = const_cast<Import *>(&import);
    }
    return options;
  }

  std::shared_ptr<tw_context> handle; ///< also of the memory that it allocated
};

} // namespace tilewright

#endif
