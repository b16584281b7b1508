#include "compiler/tools/tilewright/KernelOptions.h"

#include "compiler/tools/tilewright/ArgumentSpecs.h"
#include "compiler/tools/tilewright/CommandError.h"

namespace tilewright::tools {

void KernelOptions::addTo(CLI::App &command) {
  command.add_option("FILE", file, "The source file; - is the standard input")->required()->type_name("");
  command.add_option("--kernel", kernel, "The kernel; not needed if the file has only one")->type_name("NAME");
  command
      .add_option("--target", target,
                  "What it is compiled for and run on: cpu, cuda, cuda:1, emulator (PTX executed on the CPU) or "
                  "emulator:sm_80; `compile` takes a GPU architecture: sm_90a")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_option("--bind", bindTexts, "Statics and tunables: T=f32,act=gelu,BM=64")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command.add_option("--dim", dimensionTexts, "Sizes of dimensions: N=1000")->allow_extra_args(false)->type_name("NAME=VALUE");
  command.add_option("--schedule", schedule,
                     "For the CPU `reference`: one element at a time, dots in f64. For sm_90a fields of the schedule of a product, such as "
                     "stages=4,registers=24/240,vectors=loaded,groups=1,warps=8,split=4; or `plain`")
      ->type_name("TEXT");
  command.add_flag("--checked", checked, "Checked mode: asserts run, promises of uniqueness are verified");
  command.add_flag("--remarks", remarks, "Say what the target runs slower than it could: products that use no tensor cores");
}

std::vector<std::pair<std::string, std::string>> KernelOptions::bindings() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string &text : bindTexts)
    for (auto &binding : parseAssignments("--bind", text)) {
      for (const auto &earlier : all)
        if (earlier.first == binding.first)
          throw usageError("--bind gives " + binding.first + " twice");
      all.push_back(std::move(binding));
    }
  return all;
}

std::vector<std::pair<std::string, int64_t>> KernelOptions::dimensions() const {
  std::vector<std::pair<std::string, int64_t>> all;
  for (const std::string &text : dimensionTexts)
    for (const auto &[name, size] : parseAssignments("--dim", text)) {
      int64_t extent = parseInteger("--dim " + name, size);
      if (extent < 0)
        throw usageError("--dim " + name + " expects a size, 0 or more, found " + size);
      all.emplace_back(name, extent);
    }
  return all;
}

void checkTunable(const std::string &name, const std::string &value) {
  if (parseInteger("--bind " + name, value) <= 0)
    throw usageError("--bind " + name + " expects a block size, 1 or more, found " + value);
}

void reportUnknownName(const std::string &option, const std::string &name, const std::string &what, const std::string &kernel,
                       const std::vector<std::string> &known) {
  std::string list;
  for (const std::string &candidate : known)
    list += (list.empty() ? "" : ", ") + candidate;
  throw usageError(option + " " + name + ": kernel `" + kernel + "` has no " + what + " of this name",
                   list.empty() ? "it has none" : "it has " + list);
}

} // namespace tilewright::tools
