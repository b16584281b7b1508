// From the options of `run` to the arguments of a launch.
#pragma once

#include "compiler/tools/tilewright/DeviceArrays.h"
#include "compiler/tools/tilewright/KernelOptions.h"
#include "compiler/tools/tilewright/Tensor.h"
#include "tilewright/runtime_c.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilewright::tools {

/// A kernel's parameters by name, and what --bind says of its dtypes.
class Signature {
public:
  Signature(const tw_kernel *kernel, const KernelOptions &options);

  std::string kernelName() const { return tw_kernel_name(kernel); }
  std::vector<const tw_parameter_info *> parameters() const;
  /// The parameter that an option names; throws a usage error if there is none.
  const tw_parameter_info &parameter(const std::string &option, const std::string &name) const;
  /// The same, if it must be a view.
  const tw_parameter_info &view(const std::string &option, const std::string &name) const;
  /// A parameter's dtype, where it is written in the kernel or bound by an option. Others are inferred from the arguments.
  std::optional<DType> knownDType(const tw_parameter_info &parameter) const;

private:
  const tw_kernel *kernel;
  std::map<std::string, std::string> bindings;
};

/// What the user gave, as texts.
struct ArgumentOptions {
  std::vector<std::string> inputs, outputs, randoms, slices, transposes;
  bool poison = false;

  void addTo(CLI::App &command);
};

/// The memory of every view that is present, and the scalars that were given.
class Arguments {
public:
  /// Reads and makes what was given.
  Arguments(const ArgumentOptions &options, const Signature &signature);

  /// Allocates the outputs that were not given, with the dtypes and shapes that follow from the rest.
  void allocateOutputs(const tw_kernel *kernel, const tw_specialization &specialization);
  /// For tw_prepare. It refers to this object.
  std::vector<tw_argument> list();
  /// The memory of the views, by parameter.
  std::map<std::string, Tensor> &arrays() { return tensors; }

  /// Keeps what `inout` views hold, to be put back before each further launch.
  void keepInitialValues();
  void restoreInitialValues(DeviceArrays &device);

  size_t byteCount() const; ///< of all views
  void checkGuards() const; ///< throws if a kernel wrote outside of its views' memory
  void saveOutputs() const;

private:
  void addView(const std::string &option, const std::string &name, Tensor tensor);
  void readInput(const std::string &text);
  void requireAllGiven() const;

  const Signature &signature;
  bool poison;
  std::map<std::string, Tensor> tensors;
  std::map<std::string, Scalar> scalars;
  std::map<std::string, FileSpec> outputFiles;
  std::map<std::string, std::vector<std::byte>> initialValues;
};

} // namespace tilewright::tools
