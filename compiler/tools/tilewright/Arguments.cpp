#include "compiler/tools/tilewright/Arguments.h"

#include "compiler/tools/tilewright/ArrayText.h"
#include "compiler/tools/tilewright/CommandError.h"
#include "compiler/tools/tilewright/Runtime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace tilewright::tools {
namespace {

bool isView(const tw_parameter_info &parameter) {
  return parameter.kind == TW_PARAMETER_VIEW;
}

tw_argument toArgument(const std::string &name, const Scalar &scalar) {
  return scalar.isInteger ? tw_integer(name.c_str(), scalar.integer) : tw_real(name.c_str(), scalar.real);
}

tw_argument toArgument(const std::string &name, Tensor &tensor) {
  return tw_strided_view(name.c_str(), tensor.viewData(), tw_dtype_named(tools::name(tensor.dtype).c_str()),
                         static_cast<int32_t>(tensor.shape.size()), tensor.shape.data(), tensor.strides.data());
}

bool isNumber(const std::string &text) {
  char *end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}

void checkRank(const Tensor &tensor, const std::string &name) {
  if (tensor.shape.empty() || tensor.shape.size() > TW_MAX_RANK)
    throw failure("`" + name + "` has " + std::to_string(tensor.shape.size()) + " dimensions; a view has 1 to " +
                  std::to_string(TW_MAX_RANK));
}

} // namespace

Signature::Signature(const tw_kernel *kernel, const KernelOptions &options) : kernel(kernel) {
  std::vector<std::string> known;
  for (size_t n = 0; n < tw_kernel_static_count(kernel); ++n)
    known.push_back(tw_kernel_static(kernel, n)->name);
  for (size_t n = 0; n < tw_kernel_tunable_count(kernel); ++n)
    known.push_back(tw_kernel_tunable(kernel, n));
  for (const auto &[name, value] : options.bindings()) {
    auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      reportUnknownName("--bind", name, "static or tunable", kernelName(), known);
    if (static_cast<size_t>(found - known.begin()) >= tw_kernel_static_count(kernel))
      checkTunable(name, value);
    bindings[name] = value;
  }
}

std::vector<const tw_parameter_info *> Signature::parameters() const {
  std::vector<const tw_parameter_info *> all;
  for (size_t n = 0; n < tw_kernel_parameter_count(kernel); ++n)
    all.push_back(tw_kernel_parameter(kernel, n));
  return all;
}

const tw_parameter_info &Signature::parameter(const std::string &option, const std::string &name) const {
  std::vector<std::string> known;
  for (const tw_parameter_info *parameter : parameters()) {
    if (parameter->name == name)
      return *parameter;
    known.push_back(parameter->name);
  }
  reportUnknownName(option, name, "parameter", kernelName(), known);
}

const tw_parameter_info &Signature::view(const std::string &option, const std::string &name) const {
  const tw_parameter_info &found = parameter(option, name);
  if (!isView(found))
    throw usageError(option + " " + name + ": `" + name + "` is a scalar", "give its value: --in " + name + "=1");
  return found;
}

std::optional<DType> Signature::knownDType(const tw_parameter_info &parameter) const {
  if (auto bound = bindings.find(parameter.dtype); bound != bindings.end())
    return dtypeNamed(bound->second);
  return dtypeNamed(parameter.dtype);
}

void ArgumentOptions::addTo(CLI::App &command) {
  command
      .add_option("--in", inputs,
                  "An argument: x=x.npy, x=x.npy:bf16, an array 'x=[[1, 2], [3, 4]]', or a scalar s=3.5. For an `out` view: "
                  "what its memory holds")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command
      .add_option("--out", outputs,
                  "Where a view is written after the launch: y=y.npy, y=y.npy:f32 to convert it, or y=- to print it")
      ->allow_extra_args(false)
      ->type_name("NAME=FILE");
  command
      .add_option("--random", randoms,
                  "Numbers in place of a file: x=f32[512,256]:SEED. Floats in [-1, 1), integers in -128..127")
      ->allow_extra_args(false)
      ->type_name("NAME=ARRAY");
  command.add_option("--slice", slices, "The part of an array that the kernel sees: x=1:9:2,: as in NumPy")
      ->allow_extra_args(false)
      ->type_name("NAME=SLICES");
  command
      .add_option("--transpose", transposes, "The order in which the kernel sees an array's dimensions: x=1,0 (after --slice)")
      ->allow_extra_args(false)
      ->type_name("NAME=ORDER");
  command.add_flag("--poison", poison, "Fill outputs with NaN (-1, true) before the launch; else with 0");
}

Arguments::Arguments(const ArgumentOptions &options, const Signature &signature)
    : signature(signature), poison(options.poison) {
  for (const std::string &text : options.inputs)
    readInput(text);
  for (const std::string &text : options.randoms) {
    RandomSpec spec = parseRandomSpec(text);
    signature.view("--random", spec.name);
    addView("--random", spec.name, randomTensor(spec));
  }
  auto given = [&](const std::string &option, const std::string &name) -> Tensor & {
    signature.view(option, name);
    auto found = tensors.find(name);
    if (found == tensors.end())
      throw usageError(option + " " + name + " needs an array: --in " + name + "=FILE.npy");
    return found->second;
  };
  for (const std::string &text : options.slices) {
    auto [name, value] = parseAssignment("--slice", text);
    given("--slice", name).slice(parseSlices(value), name);
  }
  for (const std::string &text : options.transposes) {
    auto [name, value] = parseAssignment("--transpose", text);
    given("--transpose", name).transpose(parsePermutation(value), name);
  }
  for (const std::string &text : options.outputs) {
    auto [name, value] = parseAssignment("--out", text);
    if (signature.view("--out", name).access == TW_ACCESS_IN)
      throw usageError("--out " + name + ": `" + name + "` is an input");
    FileSpec file = parseFileSpec(value);
    if (file.path == "-" && file.dtype)
      throw usageError("--out " + name + "=" + value + ": what is printed is not converted", "write --out " + name + "=-");
    if (!outputFiles.emplace(name, std::move(file)).second)
      throw usageError("--out gives `" + name + "` twice");
  }
  requireAllGiven();
}

void Arguments::addView(const std::string &option, const std::string &name, Tensor tensor) {
  checkRank(tensor, name);
  if (!tensors.emplace(name, std::move(tensor)).second)
    throw usageError(option + " " + name + ": `" + name + "` is given twice");
}

void Arguments::readInput(const std::string &text) {
  auto [name, value] = parseAssignment("--in", text);
  const tw_parameter_info &parameter = signature.parameter("--in", name);
  if (isView(parameter)) {
    std::optional<DType> wanted = signature.knownDType(parameter);
    bool isText = isArrayText(value);
    FileSpec file = isText ? FileSpec{value, std::nullopt} : parseFileSpec(value);
    if (!isText && isNumber(value) && ::access(value.c_str(), F_OK) != 0)
      throw usageError("--in " + name + ": `" + name + "` is a view, and " + value + " is a number",
                       "give a file, elements in brackets (--in '" + name + "=[" + value + "]') or --random " + name + "=f32[…]:1");
    Tensor tensor = isText ? tensorOfText(value, wanted, name) : loadTensor(file, wanted, name);
    if (wanted && *wanted != tensor.dtype)
      throw failure("`" + name + "` is a view of " + tools::name(*wanted) + ", and " + value + " holds " +
                        tools::name(tensor.dtype),
                    !isText && isFloat(*wanted) && isFloat(tensor.dtype)
                        ? "to convert it: --in " + name + "=" + file.path + ":" + tools::name(*wanted)
                        : "save an array of " + tools::name(*wanted));
    return addView("--in", name, std::move(tensor));
  }
  if (!scalars.emplace(name, parseScalar(name, value)).second)
    throw usageError("--in gives `" + name + "` twice");
}

void Arguments::requireAllGiven() const {
  for (const tw_parameter_info *parameter : signature.parameters()) {
    std::string name = parameter->name;
    if (parameter->optional || tensors.contains(name) || scalars.contains(name))
      continue;
    if (!isView(*parameter))
      throw usageError("`" + name + "` is not given", "give its value: --in " + name + "=1");
    if (parameter->access != TW_ACCESS_OUT)
      throw usageError("`" + name + "` is not given",
                       "give it: --in " + name + "=" + name + ".npy or --random " + name + "=f32[…]:1");
  }
}

void Arguments::allocateOutputs(const tw_kernel *kernel, const tw_specialization &specialization) {
  std::vector<const tw_parameter_info *> parameters = signature.parameters();
  std::vector<const char *> wanted;
  for (const tw_parameter_info *parameter : parameters)
    if (isView(*parameter) && !tensors.contains(parameter->name) &&
        (!parameter->optional || outputFiles.contains(parameter->name)))
      wanted.push_back(parameter->name);

  std::vector<tw_view_type> types(parameters.size());
  std::vector<tw_argument> given = list();
  const char *nothing = nullptr; // an empty list is not "every view"
  call([&](tw_error **error) {
    return tw_infer_views(kernel, &specialization, given.data(), given.size(), wanted.empty() ? &nothing : wanted.data(),
                          wanted.size(), types.data(), error);
  });
  for (size_t n = 0; n < parameters.size(); ++n) {
    if (!types[n].present || tensors.contains(parameters[n]->name))
      continue;
    std::optional<DType> dtype = dtypeNamed(tw_dtype_name(types[n].dtype));
    if (!dtype)
      throw failure(std::string("`") + parameters[n]->name + "` has a dtype that is not known here");
    Tensor tensor(*dtype, std::vector<int64_t>(types[n].shape, types[n].shape + types[n].rank));
    if (poison)
      tensor.poison();
    tensors.emplace(parameters[n]->name, std::move(tensor));
  }
}

std::vector<tw_argument> Arguments::list() {
  std::vector<tw_argument> arguments;
  for (auto &[name, tensor] : tensors)
    arguments.push_back(toArgument(name, tensor));
  for (auto &[name, scalar] : scalars)
    arguments.push_back(toArgument(name, scalar));
  return arguments;
}

void Arguments::keepInitialValues() {
  for (const tw_parameter_info *parameter : signature.parameters())
    if (auto found = tensors.find(parameter->name); found != tensors.end() && parameter->access == TW_ACCESS_INOUT) {
      const Buffer &memory = found->second.memory;
      initialValues[parameter->name].assign(memory.data(), memory.data() + memory.size());
    }
}

void Arguments::restoreInitialValues(DeviceArrays &device) {
  for (const auto &[name, value] : initialValues) {
    if (!value.empty())
      std::memcpy(tensors.at(name).memory.data(), value.data(), value.size());
    device.upload(name);
  }
}

size_t Arguments::byteCount() const {
  size_t bytes = 0;
  for (const auto &[name, tensor] : tensors)
    bytes += tensor.byteCount();
  return bytes;
}

void Arguments::checkGuards() const {
  for (const auto &[name, tensor] : tensors)
    if (!tensor.memory.guardsAreIntact())
      throw failure("the kernel wrote outside of the memory of `" + name + "`: this is a fault of the compiler");
}

void Arguments::saveOutputs() const {
  for (const auto &[name, file] : outputFiles)
    if (file.path == "-")
      std::fputs(textOfTensor(tensors.at(name), name).c_str(), stdout);
    else
      saveTensor(tensors.at(name), file);
}

} // namespace tilewright::tools
