// Copies of the arguments' memory on the device that a kernel runs on. For the CPU there are none: kernels use the memory
// itself.
#pragma once

#include "compiler/tools/tilewright/Tensor.h"
#include "tilewright/runtime_c.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright::tools {

class DeviceArrays {
public:
  /// Copies them there. The tensors must outlive this.
  DeviceArrays(tw_context *context, std::map<std::string, Tensor> &tensors);
  ~DeviceArrays();
  DeviceArrays(const DeviceArrays &) = delete;
  DeviceArrays &operator=(const DeviceArrays &) = delete;

  /// Lets arguments of views point to the copies.
  void redirect(std::vector<tw_argument> &arguments) const;
  void upload();
  void upload(const std::string &name);
  void download();

private:
  /// What of a tensor's memory is copied: with its guard zones, if nothing else finds accesses outside of it.
  struct Copy {
    void *device;
    std::byte *host;
    size_t bytes;
  };

  tw_context *context;
  std::map<std::string, Copy> copies;
};

} // namespace tilewright::tools
