// `tilewright run`: one kernel on arrays in .npy files, timed.
#include "compiler/tools/tilewright/Arguments.h"
#include "compiler/tools/tilewright/Commands.h"
#include "compiler/tools/tilewright/Runtime.h"
#include "compiler/tools/tilewright/Terminal.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace tilewright::tools {

namespace {

struct RunOptions {
  KernelOptions kernel;
  ArgumentOptions arguments;
  int repeat = 1;
  int threads = 0;
};

/// What `run --remarks` hears of the library. Diagnostics of the compiler end with a line break, and say themselves what they are.
void printMessage(void *, tw_log_level level, const char *message) {
  std::string text = message;
  if (text.ends_with('\n'))
    printRendered(text);
  else
    std::fprintf(stderr, "tilewright: %s: %s\n", level == TW_LOG_ERROR ? "error" : "warning", message);
}

ContextHandle createContext(const RunOptions &options) {
  tw_context_options settings{};
  settings.struct_size = sizeof settings;
  settings.threads = options.threads;
  settings.target = options.kernel.target.c_str();
  settings.colour = wantsColour(stderr);
  if (options.kernel.remarks) {
    settings.log = printMessage;
    settings.log_level = TW_LOG_WARNING;
  }
  tw_context *context = nullptr;
  tw_error *error = nullptr;
  if (tw_status status = tw_context_create(&settings, &context, &error); status != TW_OK) {
    std::string message = tw_error_message(error);
    if (status != TW_INVALID_ARGUMENT || options.kernel.target == "cpu")
      report(status, error);
    tw_error_release(error);
    throw usageError("--target " + options.kernel.target + ": " + message);
  }
  return ContextHandle(context);
}

ModuleHandle checkModule(tw_context *context, const std::string &path) {
  std::string text = readFile(path);
  tw_module *module = nullptr;
  call([&](tw_error **error) {
    return tw_module_from_text(context, path == "-" ? "<stdin>" : path.c_str(), text.data(), text.size(), nullptr, &module,
                               error);
  });
  printRendered(tw_module_warnings(module));
  return ModuleHandle(module);
}

KernelHandle chooseKernel(tw_module *module, const KernelOptions &options) {
  std::string list;
  for (size_t n = 0; n < tw_module_kernel_count(module); ++n)
    list += (n ? ", " : "") + std::string(tw_module_kernel_name(module, n));
  if (options.kernel.empty() && tw_module_kernel_count(module) > 1)
    throw usageError(options.file + " has several kernels: choose one with --kernel", "it has " + list);
  tw_kernel *kernel = nullptr;
  const char *name = options.kernel.empty() ? nullptr : options.kernel.c_str();
  call([&](tw_error **error) { return tw_module_kernel(module, name, &kernel, error); });
  return KernelHandle(kernel);
}

/// tw_specialization and the memory that it refers to.
struct Specialization {
  std::vector<std::pair<std::string, std::string>> bindings;
  std::vector<std::pair<std::string, int64_t>> dimensions;
  std::vector<tw_binding> bindingList;
  std::vector<tw_dimension> dimensionList;
  tw_specialization value{};

  explicit Specialization(const KernelOptions &options) : bindings(options.bindings()), dimensions(options.dimensions()) {
    for (const auto &[name, text] : bindings)
      bindingList.push_back({name.c_str(), text.c_str()});
    for (const auto &[name, extent] : dimensions)
      dimensionList.push_back({name.c_str(), extent});
    value.struct_size = sizeof value;
    value.bindings = bindingList.data();
    value.binding_count = bindingList.size();
    value.dimensions = dimensionList.data();
    value.dimension_count = dimensionList.size();
    value.target = options.target.c_str();
    value.schedule = options.schedule.c_str();
    value.checked = options.checked;
    value.remarks = options.remarks;
  }
  Specialization(const Specialization &) = delete;
  Specialization &operator=(const Specialization &) = delete;
};

LaunchableHandle prepare(tw_kernel *kernel, const Specialization &specialization, Arguments &arguments,
                         const DeviceArrays &device) {
  std::vector<tw_argument> list = arguments.list();
  device.redirect(list);
  tw_launchable *launchable = nullptr;
  call([&](tw_error **error) {
    return tw_prepare(kernel, &specialization.value, list.data(), list.size(), &launchable, error);
  });
  return LaunchableHandle(launchable);
}

/// Launches `repeat` times from the same initial values; returns the seconds that each took, sorted.
std::vector<double> launch(tw_launchable *launchable, Arguments &arguments, DeviceArrays &device, int repeat) {
  if (repeat > 1)
    arguments.keepInitialValues();
  std::vector<double> seconds;
  for (int n = 0; n < repeat; ++n) {
    if (n > 0)
      arguments.restoreInitialValues(device);
    int64_t nanoseconds = 0;
    call([&](tw_error **error) { return tw_time_launches(launchable, nullptr, 0, 1, nullptr, &nanoseconds, error); });
    seconds.push_back(static_cast<double>(nanoseconds) * 1e-9);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

std::string duration(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(text, sizeof text, "%.3f ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  return text;
}

/// "104.86 GFLOP/s, ", or nothing for a kernel without products.
std::string productRate(const tw_launchable_info &info, double seconds) {
  if (info.operations_kind == TW_OPERATIONS_NONE)
    return {};
  if (info.operations_kind == TW_OPERATIONS_UNKNOWN)
    return "GFLOP/s not known (memory decides how many products there are), ";
  char text[64];
  std::snprintf(text, sizeof text, "%s%.2f GFLOP/s (%.17g operations), ",
                info.operations_kind == TW_OPERATIONS_AT_MOST ? "at most " : "", info.operations / seconds * 1e-9,
                info.operations);
  return text;
}

void printReport(const tw_launchable *launchable, const char *target, const std::vector<double> &seconds, size_t bytes) {
  const tw_launchable_info &info = *tw_launchable_get_info(launchable);
  std::printf("kernel   %s", info.kernel);
  for (size_t n = 0; n < info.tunable_count; ++n)
    std::printf("%s %s=%lld", n ? "" : ":", info.tunables[n].name, static_cast<long long>(info.tunables[n].value));
  std::printf("\ntarget   %s (%s), %s%d thread%s", target, info.processor,
              std::string_view(target) == "cpu" ? "" : "blocks of ", info.threads, info.threads == 1 ? "" : "s");
  if (info.tile_count >= 0)
    std::printf(", %lld tile%s", static_cast<long long>(info.tile_count), info.tile_count == 1 ? "" : "s");
  std::printf("\ncompile  %s%s\n", duration(static_cast<double>(info.compile_nanoseconds) * 1e-9).c_str(),
              info.from_cache ? ", once: it was in the cache" : "");

  double median = (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2;
  std::printf("time     %s", duration(median).c_str());
  if (seconds.size() > 1)
    std::printf(" (median of %zu launches, %s to %s)", seconds.size(), duration(seconds.front()).c_str(),
                duration(seconds.back()).c_str());
  std::printf("\nrate     %s%.2f GB/s\n", productRate(info, median).c_str(), static_cast<double>(bytes) / median * 1e-9);
}

void run(const RunOptions &options) {
  ContextHandle context = createContext(options);
  ModuleHandle module = checkModule(context.get(), options.kernel.file);
  KernelHandle kernel = chooseKernel(module.get(), options.kernel);
  Signature signature(kernel.get(), options.kernel);
  Specialization specialization(options.kernel);

  Arguments arguments(options.arguments, signature);
  arguments.allocateOutputs(kernel.get(), specialization.value);
  DeviceArrays device(context.get(), arguments.arrays());
  LaunchableHandle launchable = prepare(kernel.get(), specialization, arguments, device);
  std::vector<double> seconds = launch(launchable.get(), arguments, device, options.repeat);
  device.download();

  arguments.checkGuards();
  arguments.saveOutputs();
  printReport(launchable.get(), tw_context_device(context.get())->target, seconds, arguments.byteCount());
}

} // namespace

void addRunCommand(CLI::App &program) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *command = program.add_subcommand("run", "Run a kernel on arrays in .npy files and print its time");
  options->kernel.addTo(*command);
  options->arguments.addTo(*command);
  command->add_option("--repeat", options->repeat, "Launches, each from the same initial values; the median time is printed")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Threads that a launch may use; 0: all processors")
      ->check(CLI::Range(0, 1024))
      ->type_name("N")
      ->capture_default_str();
  command->footer(
      "GFLOP/s: 2 operations for each multiply-add of the kernel's `dot`s, as they are written; nothing for a kernel "
      "without. GB/s: every\n"
      "argument moved once.\n"
      "Optional parameters that are not named are absent. The shapes of outputs follow from the other arguments "
      "and from --dim.\n"
      ".npy files hold f64 f32 f16 i64 i32 i16 i8 u8 bool as NumPy has them, and bf16 and f8 as uint16 and uint8 "
      "(say so on input:\n"
      "x=x.npy:bf16). A suffix on a file of another float type converts it. With --slice or --transpose, --out "
      "writes the whole\n"
      "array.\n"
      "Examples:\n"
      "  tilewright run add.tile --in 'a=[1, 2, 3]:f32' --in 'b=[10, 20, 30]:f32' --out c=-\n"
      "  tilewright run linear.tile --in x=x.npy --in w=w.npy --out y=y.npy --bind act=gelu\n"
      "  tilewright run linear.tile --random x=f32[1024,1024]:1 --random w=f32[1024,1024]:2 --repeat 20");
  command->callback([options] { run(*options); });
}

} // namespace tilewright::tools
