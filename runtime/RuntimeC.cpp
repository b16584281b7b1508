// runtime_c.h, implemented: handles around the runtime's classes. Exceptions end here, and nothing else happens here.

#include "runtime/ReadyKernels.h"
#include "runtime/RuntimeCErrors.h"
#include "runtime/RuntimeCHandles.h"
#include "runtime/Specialization.h"
#include "runtime/Target.h"
#include "runtime/Text.h"
#include "runtime/Version.h"
#include "runtime/cpu/CpuLaunchable.h"
#include "runtime/gpu/GpuLaunchable.h"
#include "tilewright/runtime_c.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

using namespace tilewright::runtime;

// ---- Errors -----------------------------------------------------------------------------------------------------------------

const tw_error tilewright::runtime::outOfMemory = {Status(TW_OUT_OF_MEMORY, "out of memory")};

tw_status tw_error_status(const tw_error *error) {
  return error ? error->status.code() : TW_OK;
}
const char *tw_error_message(const tw_error *error) {
  return error ? error->status.message().c_str() : "";
}
const char *tw_error_diagnostics(const tw_error *error) {
  return error ? error->status.diagnostics().c_str() : "";
}

void tw_error_release(tw_error *error) {
  if (error != &outOfMemory)
    delete error;
}

const char *tw_status_name(tw_status status) {
  static constexpr const char *names[] = {"ok",
                                          "invalid source",
                                          "invalid argument",
                                          "invalid shape",
                                          "check failed",
                                          "assertion failed",
                                          "unsupported",
                                          "not found",
                                          "compiler unavailable",
                                          "compilation failed",
                                          "damaged artifact",
                                          "out of memory",
                                          "internal error",
                                          "device fault"};
  size_t index = static_cast<size_t>(status);
  return index < std::size(names) ? names[index] : "unknown status";
}

const char *tw_version(void) {
  return TILEWRIGHT_VERSION;
}
uint32_t tw_runtime_interface_version(void) {
  return TW_RUNTIME_INTERFACE_VERSION;
}

// ---- Context ----------------------------------------------------------------------------------------------------------------

tw_status tw_context_create(const tw_context_options *options, tw_context **context, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!context)
      return isNull("context");
    Result<std::shared_ptr<Context>> result = Context::create(options);
    if (!result.ok())
      return result.takeStatus();
    *context = new tw_context(std::move(*result));
    return {};
  });
}

void tw_context_release(tw_context *context) {
  delete context;
}

int32_t tw_context_threads(const tw_context *context) {
  return context ? context->context->pool.threads() : 0;
}

tw_status tw_context_get_statistics(const tw_context *context, tw_context_statistics *statistics, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!context || !statistics)
      return isNull("context or statistics");
    if (statistics->struct_size < sizeof(size_t) || statistics->struct_size > 4096)
      return Status(TW_INVALID_ARGUMENT, "tw_context_statistics::struct_size is not set");
    size_t size = statistics->struct_size;
    tw_context_statistics known = context->context->statistics();
    known.struct_size = size;
    std::memset(statistics, 0, size);
    std::memcpy(statistics, &known, std::min(size, sizeof(known)));
    return {};
  });
}

tw_status tw_context_compiler_information(tw_context *context, char **json, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!context || !json)
      return isNull("context or json");
    Result<const CompilerSymbols *> compiler = context->context->compiler.get();
    if (!compiler.ok())
      return compiler.takeStatus();
    CompilerText information(**compiler);
    if ((*compiler)->information(&information.text) != TW_COMPILER_OK)
      return Status(TW_COMPILATION_FAILED, "the compiler does not tell about itself");
    return copyText(information.view(), json);
  });
}

void tw_text_release(char *text) {
  std::free(text);
}

// ---- Modules ----------------------------------------------------------------------------------------------------------------

static Status importOf(const tw_module_options *options, ImportFunction &import) {
  if (!options)
    return {};
  if (options->struct_size < sizeof(size_t) || options->struct_size > 4096)
    return Status(TW_INVALID_ARGUMENT, "tw_module_options::struct_size is not set");
  tw_module_options known = {};
  std::memcpy(&known, options, std::min(options->struct_size, sizeof(known)));
  import = {known.import, known.import_user};
  return {};
}

tw_status tw_module_from_text(tw_context *context, const char *name, const char *text, size_t length,
                              const tw_module_options *options, tw_module **module, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!context || !name || (!text && length) || !module)
      return isNull("context, name, text or module");
    ImportFunction import;
    if (Status status = importOf(options, import); !status.ok())
      return status;
    std::string_view view = !text                ? std::string_view()
                            : length == SIZE_MAX ? std::string_view(text)
                                                 : std::string_view(text, length);
    Result<std::shared_ptr<Module>> result = Module::fromText(context->context, name, view, import);
    if (!result.ok())
      return result.takeStatus();
    *module = new tw_module{std::move(*result)};
    return {};
  });
}

tw_status tw_module_from_file(tw_context *context, const char *path, const tw_module_options *options, tw_module **module,
                              tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!context || !path || !module)
      return isNull("context, path or module");
    ImportFunction import;
    if (Status status = importOf(options, import); !status.ok())
      return status;
    Result<std::shared_ptr<Module>> result = Module::fromFile(context->context, path, import);
    if (!result.ok())
      return result.takeStatus();
    *module = new tw_module{std::move(*result)};
    return {};
  });
}

tw_status tw_module_ready_kernels(tw_context *context, const char *file, tw_module **module, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!context || !file || !module)
      return isNull("context, file or module");
    std::vector<std::string> names;
    for (const ReadyKernels &ready : readyKernels())
      names.emplace_back(ready.file);
    auto found = std::find(names.begin(), names.end(), file);
    if (found == names.end())
      return Status(TW_NOT_FOUND, concat("there are no ready kernels ", file, suggestion(file, names)));
    const ReadyKernels &wanted = readyKernels()[static_cast<size_t>(found - names.begin())];
    std::lock_guard lock(context->readyMutex);
    std::shared_ptr<Module> &known = context->ready[wanted.file];
    if (!known) {
      Result<std::shared_ptr<Module>> checked = Module::fromText(context->context, *found, wanted.text, {});
      if (!checked.ok())
        return checked.takeStatus();
      known = std::move(*checked);
    }
    *module = new tw_module{known};
    return {};
  });
}

void tw_module_release(tw_module *module) {
  delete module;
}
const char *tw_module_warnings(const tw_module *module) {
  return module ? module->module->warnings.c_str() : "";
}
size_t tw_module_kernel_count(const tw_module *module) {
  return module ? module->module->kernels.size() : 0;
}
const char *tw_module_kernel_name(const tw_module *module, size_t index) {
  return index < tw_module_kernel_count(module) ? module->module->kernels[index].name.c_str() : nullptr;
}

// ---- Kernels ----------------------------------------------------------------------------------------------------------------

/// Fills the C form of the signature. Vectors of what is pointed to are complete before anything points into them.
static void describe(tw_kernel &kernel) {
  const Signature &signature = *kernel.signature;
  for (const Parameter &parameter : signature.parameters) {
    std::vector<tw_dimension_info> &dimensions = kernel.dimensions.emplace_back();
    for (const Dimension &dimension : parameter.dimensions)
      dimensions.push_back({dimension.kind, dimension.name.c_str(), dimension.text.c_str()});
    const std::optional<Scalar> &value = parameter.defaultValue;
    kernel.defaultTexts.push_back(!value                      ? std::string()
                                  : value->isReal             ? concat(value->real)
                                  : parameter.dtype == "bool" ? std::string(value->integer ? "true" : "false")
                                                              : std::to_string(value->integer));
  }
  for (size_t index = 0; index < signature.parameters.size(); ++index) {
    const Parameter &parameter = signature.parameters[index];
    const Scalar value = parameter.defaultValue.value_or(Scalar());
    tw_parameter_info info = {};
    info.name = parameter.name.c_str();
    info.kind = parameter.kind;
    info.access = parameter.access;
    info.dtype = parameter.dtype.c_str();
    info.optional = parameter.optional;
    info.dimension_count = kernel.dimensions[index].size();
    info.dimensions = kernel.dimensions[index].data();
    info.default_text = kernel.defaultTexts[index].c_str();
    info.default_real = value.isReal ? value.real : static_cast<double>(value.integer);
    info.default_integer = value.integer;
    kernel.parameters.push_back(info);
  }
  for (const Static &element : signature.statics) {
    std::vector<const char *> &dtypes = kernel.dtypes.emplace_back();
    for (const std::string &dtype : element.dtypes)
      dtypes.push_back(dtype.c_str());
  }
  for (size_t index = 0; index < signature.statics.size(); ++index) {
    const Static &element = signature.statics[index];
    kernel.statics.push_back({element.name.c_str(), element.kind, kernel.dtypes[index].size(), kernel.dtypes[index].data(),
                              element.defaultText.c_str(), element.isDimension});
  }
}

tw_status tw_module_kernel(tw_module *module, const char *name, tw_kernel **kernel, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!module || !kernel)
      return isNull("module or kernel");
    Result<const Signature *> signature = module->module->kernel(name);
    if (!signature.ok())
      return signature.takeStatus();
    auto result = std::make_unique<tw_kernel>();
    result->module = module->module;
    result->signature = *signature;
    describe(*result);
    *kernel = result.release();
    return {};
  });
}

void tw_kernel_release(tw_kernel *kernel) {
  delete kernel;
}
const char *tw_kernel_name(const tw_kernel *kernel) {
  return kernel ? kernel->signature->name.c_str() : "";
}
const char *tw_kernel_documentation(const tw_kernel *kernel) {
  return kernel ? kernel->signature->documentation.c_str() : "";
}
size_t tw_kernel_parameter_count(const tw_kernel *kernel) {
  return kernel ? kernel->parameters.size() : 0;
}
const tw_parameter_info *tw_kernel_parameter(const tw_kernel *kernel, size_t index) {
  return index < tw_kernel_parameter_count(kernel) ? &kernel->parameters[index] : nullptr;
}
size_t tw_kernel_static_count(const tw_kernel *kernel) {
  return kernel ? kernel->statics.size() : 0;
}
const tw_static_info *tw_kernel_static(const tw_kernel *kernel, size_t index) {
  return index < tw_kernel_static_count(kernel) ? &kernel->statics[index] : nullptr;
}
size_t tw_kernel_tunable_count(const tw_kernel *kernel) {
  return kernel ? kernel->signature->tunables.size() : 0;
}
const char *tw_kernel_tunable(const tw_kernel *kernel, size_t index) {
  return index < tw_kernel_tunable_count(kernel) ? kernel->signature->tunables[index].c_str() : nullptr;
}

// ---- Arguments --------------------------------------------------------------------------------------------------------------

tw_argument tw_strided_view(const char *parameter, void *data, tw_dtype dtype, int32_t rank, const int64_t *shape,
                            const int64_t *strides) {
  tw_argument argument = {};
  argument.parameter = parameter;
  argument.kind = TW_ARGUMENT_VIEW;
  argument.dtype = dtype;
  argument.rank = rank;
  argument.data = data;
  int64_t stride = 1;
  for (int32_t dimension = std::min(rank, TW_MAX_RANK); dimension-- > 0;) {
    argument.shape[dimension] = shape ? shape[dimension] : -1; // without a shape it must not pass for an empty view
    argument.strides[dimension] = strides ? strides[dimension] : stride;
    // A shape that is too large is refused later; here it must only not overflow.
    if (__builtin_mul_overflow(stride, std::max<int64_t>(argument.shape[dimension], 1), &stride))
      stride = INT64_MAX;
  }
  return argument;
}

tw_argument tw_view(const char *parameter, void *data, tw_dtype dtype, int32_t rank, const int64_t *shape) {
  return tw_strided_view(parameter, data, dtype, rank, shape, nullptr);
}

tw_argument tw_integer(const char *parameter, int64_t value) {
  tw_argument argument = {};
  argument.parameter = parameter;
  argument.kind = TW_ARGUMENT_INTEGER;
  argument.integer = value;
  return argument;
}

tw_argument tw_real(const char *parameter, double value) {
  tw_argument argument = {};
  argument.parameter = parameter;
  argument.kind = TW_ARGUMENT_REAL;
  argument.real = value;
  return argument;
}

/// Defined in DLPack.cpp.
namespace tilewright::runtime {
Status viewFromDLPack(const void *tensor, bool isVersioned, tw_argument &view);
}

static tw_status dlpack(const char *parameter, const void *tensor, bool isVersioned, tw_argument *argument, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!tensor || !argument)
      return isNull("tensor or argument");
    tw_argument view = {};
    view.parameter = parameter;
    view.kind = TW_ARGUMENT_VIEW;
    Status status = viewFromDLPack(tensor, isVersioned, view);
    if (status.ok())
      *argument = view;
    return status;
  });
}

tw_status tw_view_from_dlpack(const char *parameter, const void *tensor, tw_argument *argument, tw_error **error) {
  return dlpack(parameter, tensor, false, argument, error);
}

tw_status tw_view_from_dlpack_versioned(const char *parameter, const void *tensor, tw_argument *argument, tw_error **error) {
  return dlpack(parameter, tensor, true, argument, error);
}

// ---- Shapes, prepare, launch ------------------------------------------------------------------------------------------------

tw_status tw_infer_views(const tw_kernel *kernel, const tw_specialization *specialization, const tw_argument *arguments,
                         size_t argument_count, const char *const *wanted, size_t wanted_count, tw_view_type *types,
                         tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!kernel || (!arguments && argument_count) || !types)
      return isNull("kernel, arguments or types");
    Result<SpecializationRequest> request = SpecializationRequest::read(specialization);
    if (!request.ok())
      return request.takeStatus();
    Result<std::vector<tw_view_type>> result =
        inferViews(*kernel->signature, *request, std::span(arguments, argument_count), wanted, wanted_count);
    if (!result.ok())
      return result.takeStatus();
    std::copy(result->begin(), result->end(), types);
    return {};
  });
}

/// Fills what tw_launchable_get_info tells.
static void describe(tw_launchable &to, bool hit, int64_t prepareNanoseconds) {
  const BoundKernel &bound = to.launchable->bound();
  const Artifact &artifact = bound.artifact();
  const LaunchFigures figures = to.launchable->figures();
  for (const auto &[name, value] : artifact.chosen)
    to.tunables.push_back({name.c_str(), value});
  for (const auto &[name, extent] : bound.dimensions())
    to.dimensions.push_back({name.c_str(), extent});
  tw_launchable_info &info = to.info;
  info.kernel = artifact.signature.name.c_str();
  info.target = artifact.target.c_str();
  info.processor = artifact.processor.c_str();
  info.tunable_count = to.tunables.size();
  info.tunables = to.tunables.data();
  info.dimension_count = to.dimensions.size();
  info.dimensions = to.dimensions.data();
  info.tile_count = figures.tiles;
  info.chunk_count = figures.chunks;
  info.scratch_bytes = figures.scratchBytes;
  info.partial_sum_bytes = figures.partialSumBytes;
  info.workspace_bytes = figures.workspaceBytes;
  info.threads = figures.threads;
  info.checked = artifact.checked;
  info.from_cache = hit;
  info.compile_nanoseconds = bound.loaded().compileNanoseconds;
  info.prepare_nanoseconds = prepareNanoseconds;
  info.artifact_bytes = bound.loaded().artifactBytes;
  info.operations = bound.operations().count;
  info.operations_kind = bound.operations().kind;
}

tw_status tw_prepare(tw_kernel *kernel, const tw_specialization *specialization, const tw_argument *arguments,
                     size_t argument_count, tw_launchable **launchable, tw_error **error) {
  return guarded(error, [&]() -> Status {
    auto begin = std::chrono::steady_clock::now();
    if (!kernel || (!arguments && argument_count) || !launchable)
      return isNull("kernel, arguments or launchable");
    Result<SpecializationRequest> request = SpecializationRequest::read(specialization);
    if (!request.ok())
      return request.takeStatus();
    const std::shared_ptr<Context> &context = kernel->module->context;
    if (Status status = chooseTarget(*request, context->target, context->device.get()); !status.ok())
      return status;
    Result<Call> call = specialize(*kernel->signature, *request, std::span(arguments, argument_count));
    if (!call.ok())
      return call.takeStatus();
    if (Status status = checkMemory(*kernel->signature, call->arguments, request->isForGpu ? context->device.get() : nullptr);
        !status.ok())
      return status;
    bool hit = false;
    Result<std::shared_ptr<const LoadedKernel>> loaded = kernel->module->compile(call->specialization, hit);
    if (!loaded.ok())
      return loaded.takeStatus();
    Result<std::unique_ptr<Launchable>> bound = (*loaded)->gpu
                                                    ? GpuLaunchable::create(context, std::move(*loaded), *call, *request)
                                                    : CpuLaunchable::create(context, std::move(*loaded), *call, *request);
    if (!bound.ok())
      return bound.takeStatus();
    auto result = std::make_unique<tw_launchable>();
    result->launchable = std::move(*bound);
    describe(*result, hit, (std::chrono::steady_clock::now() - begin) / std::chrono::nanoseconds(1));
    *launchable = result.release();
    return {};
  });
}

void tw_launchable_release(tw_launchable *launchable) {
  delete launchable;
}

tw_status tw_launch(tw_launchable *launchable, const tw_value *values, size_t value_count, tw_error **error) {
  return tw_launch_on_stream(launchable, values, value_count, nullptr, error);
}

tw_status tw_launch_on_stream(tw_launchable *launchable, const tw_value *values, size_t value_count, void *stream,
                              tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!launchable)
      return isNull("launchable");
    return launchable->launchable->launch(std::span(values, values ? value_count : 0), stream);
  });
}

tw_status tw_time_launches(tw_launchable *launchable, const tw_value *values, size_t value_count, int32_t launches,
                           void *stream, int64_t *nanoseconds, tw_error **error) {
  return guarded(error, [&]() -> Status {
    if (!launchable || !nanoseconds)
      return isNull("launchable or nanoseconds");
    Result<int64_t> time =
        launchable->launchable->timeNanoseconds(std::span(values, values ? value_count : 0), launches, stream);
    if (time.ok())
      *nanoseconds = *time;
    return time.takeStatus();
  });
}

const tw_launchable_info *tw_launchable_get_info(const tw_launchable *launchable) {
  return launchable ? &launchable->info : nullptr;
}

int64_t tw_launchable_elapsed_nanoseconds(const tw_launchable *launchable) {
  return launchable ? launchable->launchable->elapsedNanoseconds() : 0;
}
