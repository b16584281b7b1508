#include "compiler/tools/tilewright/DeviceArrays.h"

#include "compiler/tools/tilewright/Runtime.h"

#include <string_view>

namespace tilewright::tools {

DeviceArrays::DeviceArrays(tw_context *context, std::map<std::string, Tensor> &tensors) : context(context) {
  std::string_view target = tw_context_device(context)->target;
  if (target == "cpu")
    return;
  bool withGuards = !target.starts_with("emulator"); // which finds every access outside of an allocation
  for (auto &[name, tensor] : tensors) {
    Buffer &memory = tensor.memory;
    Copy copy = {nullptr, withGuards ? memory.allData() : memory.data(), withGuards ? memory.allBytes() : memory.size()};
    call([&](tw_error **error) { return tw_memory_allocate(context, copy.bytes, &copy.device, error); });
    copies.emplace(name, copy);
  }
  upload();
}

DeviceArrays::~DeviceArrays() {
  for (auto &[name, copy] : copies)
    tw_memory_free(context, copy.device, nullptr);
}

void DeviceArrays::redirect(std::vector<tw_argument> &arguments) const {
  for (tw_argument &argument : arguments)
    if (auto found = copies.find(argument.parameter); found != copies.end()) {
      const Copy &copy = found->second;
      argument.data = static_cast<std::byte *>(copy.device) + (static_cast<std::byte *>(argument.data) - copy.host);
    }
}

void DeviceArrays::upload() {
  for (const auto &[name, copy] : copies)
    upload(name);
}

void DeviceArrays::upload(const std::string &name) {
  auto found = copies.find(name);
  if (found == copies.end())
    return;
  const Copy &copy = found->second;
  call([&](tw_error **error) { return tw_memory_copy_to_device(context, copy.device, copy.host, copy.bytes, nullptr, error); });
}

void DeviceArrays::download() {
  for (const auto &[name, copy] : copies)
    call([&, &copy = copy](tw_error **error) {
      return tw_memory_copy_to_host(context, copy.host, copy.device, copy.bytes, nullptr, error);
    });
}

} // namespace tilewright::tools
