// What the handles of the C interface are.
#pragma once

#include "runtime/Launchable.h"
#include "runtime/Module.h"
#include "tilewright/runtime_c.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

struct tw_context {
  explicit tw_context(std::shared_ptr<tilewright::runtime::Context> of) : context(std::move(of)) {
    if (!context->device)
      return;
    const tilewright::runtime::GpuProperties &properties = context->device->properties();
    device = {properties.target.c_str(),  properties.name.c_str(),        properties.architecture.c_str(),
              properties.multiprocessors, properties.sharedBytesPerBlock, properties.memoryBytes};
  }

  std::shared_ptr<tilewright::runtime::Context> context;
  tw_device_info device = {"cpu", "", "", 0, 0, 0};
  std::mutex readyMutex;
  std::map<std::string_view, std::shared_ptr<tilewright::runtime::Module>>
      ready; ///< by file; here, since a module keeps its Context
};

struct tw_module {
  std::shared_ptr<tilewright::runtime::Module> module;
};

struct tw_kernel {
  std::shared_ptr<tilewright::runtime::Module> module; ///< owns the signature
  const tilewright::runtime::Signature *signature;

  // The signature again, in C.
  std::vector<std::vector<tw_dimension_info>> dimensions;
  std::vector<std::string> defaultTexts;
  std::vector<tw_parameter_info> parameters;
  std::vector<std::vector<const char *>> dtypes;
  std::vector<tw_static_info> statics;
};

struct tw_launchable {
  std::unique_ptr<tilewright::runtime::Launchable> launchable;
  std::vector<tw_chosen_tunable> tunables;
  std::vector<tw_dimension> dimensions;
  tw_launchable_info info = {};
};
