#include "compiler/driver/Artifact.h"

#include "compiler/frontend/LaunchProgram.h"
#include "compiler/pipeline/GpuTarget.h"
#include "compiler/pipeline/Target.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <cstring>

namespace tilewright::compiler {

using nlohmann::ordered_json;

/// Views without facts are contiguous: their last dimension has stride 1.
static ordered_json viewFacts(const frontend::typed::Kernel &kernel, const Options &options) {
  ordered_json unitStride = ordered_json::object(), packRank = ordered_json::object(), alignment = ordered_json::object(),
               packRun = ordered_json::object(), present = ordered_json::object();
  for (const auto &view : kernel.views) {
    bool isPresent = view->presence == frontend::typed::View::Presence::Present;
    if (view->optional)
      present[view->name] = isPresent;
    if (!isPresent)
      continue;
    frontend::ViewFacts facts{static_cast<int64_t>(view->dimensions.size()) - 1, 1, frontend::byteWidth(view->dtype), 1};
    if (auto given = options.views.find(view->name); given != options.views.end())
      facts = given->second;
    unitStride[view->name] = facts.unitStrideDimension;
    packRank[view->name] = facts.packRank;
    alignment[view->name] = facts.alignment;
    packRun[view->name] = facts.packRun;
  }
  return {{"present", present}, {"unit_stride", unitStride}, {"pack_rank", packRank}, {"alignment", alignment}, {"pack_run", packRun}};
}

static ordered_json messageTable(const std::vector<frontend::Message> &messages) {
  ordered_json table = ordered_json::array();
  for (const frontend::Message &message : messages) {
    ordered_json parts = ordered_json::array();
    for (const frontend::MessagePart &part : message.parts)
      parts.push_back(part.dtype ? ordered_json{{"dtype", frontend::name(*part.dtype)}} : ordered_json{{"text", part.text}});
    table.push_back({{"kind", message.isAssert ? "assert" : "print"},
                     {"parts", parts},
                     {"position", message.positionCount},
                     {"where", frontend::whereText(message.where)}});
  }
  return table;
}

/// What the lowering decided: attributes `tilewright.*` of the module.
static ordered_json loweringFacts(mlir::ModuleOp lowered) {
  ordered_json facts;
  auto grid = lowered->getAttrOfType<mlir::StringAttr>("tilewright.grid");
  facts["grid"] = grid ? grid.getValue().str() : "product";
  auto scratch = lowered->getAttrOfType<mlir::IntegerAttr>("tilewright.scratch_bytes");
  facts["scratch"] = scratch ? scratch.getInt() : 0;
  ordered_json sums = ordered_json::array();
  if (auto list = lowered->getAttrOfType<mlir::ArrayAttr>("tilewright.sums"))
    for (mlir::DictionaryAttr sum : list.getAsRange<mlir::DictionaryAttr>()) {
      ordered_json entry;
      for (const char *key : {"view", "kind", "dtype"})
        entry[key] = sum.getAs<mlir::StringAttr>(key).getValue().str();
      sums.push_back(entry);
    }
  facts["sums"] = sums;
  return facts;
}

/// What the code takes besides its slots: "tensor_maps" of compiler_c.h. Code knows views by name; absent ones have no number there.
static ordered_json tensorMaps(mlir::ModuleOp lowered, const ordered_json &parameters) {
  auto numberOf = [&](mlir::StringRef name) {
    for (size_t number = 0; number < parameters.size(); ++number)
      if (parameters[number]["name"] == name.str())
        return static_cast<int64_t>(number);
    return int64_t(-1);
  };
  ordered_json maps = ordered_json::array();
  if (auto list = lowered->getAttrOfType<mlir::ArrayAttr>("tilewright.tensor_maps"))
    for (mlir::DictionaryAttr map : list.getAsRange<mlir::DictionaryAttr>())
      maps.push_back({{"view", numberOf(map.getAs<mlir::StringAttr>("view").getValue())},
                      {"order", map.getAs<mlir::DenseI64ArrayAttr>("order").asArrayRef().vec()},
                      {"box", map.getAs<mlir::DenseI64ArrayAttr>("box").asArrayRef().vec()},
                      {"swizzle", map.getAs<mlir::IntegerAttr>("swizzle").getInt()},
                      {"tf32", map.getAs<mlir::BoolAttr>("tf32").getValue()}});
  return maps;
}

/// How the entry points of GPU code are launched.
static ordered_json gpuFacts(mlir::ModuleOp lowered, const ordered_json &parameters) {
  auto number = [&](mlir::StringRef name) {
    auto attribute = lowered->getAttrOfType<mlir::IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  ordered_json axes = ordered_json::array(), entries = {{"tiles", nullptr}, {"begin", nullptr}, {"finish", nullptr}};
  for (auto axis : lowered->getAttrOfType<mlir::ArrayAttr>("tilewright.grid_axes").getAsRange<mlir::StringAttr>())
    axes.push_back(axis.getValue().str());
  for (mlir::NamedAttribute entry : lowered->getAttrOfType<mlir::DictionaryAttr>("tilewright.entries"))
    entries[entry.getName().str()] = mlir::cast<mlir::StringAttr>(entry.getValue()).getValue().str();
  return {{"grid_axes", axes},
          {"threads", number("tilewright.threads")},
          {"shared_bytes", number("tilewright.shared_bytes")},
          {"message_words", number("tilewright.message_words")},
          {"resident_blocks", number("tilewright.resident_blocks")},
          {"cluster_blocks", std::max<int64_t>(1, number("tilewright.cluster_blocks"))},
          {"tensor_maps", tensorMaps(lowered, parameters)},
          {"entries", entries}};
}

std::string artifactMetadata(const frontend::Module &module, const frontend::typed::Kernel &kernel, const ArtifactFacts &facts,
                             mlir::ModuleOp lowered) {
  frontend::Diagnostics alreadyReported;
  ordered_json metadata =
      frontend::launchProgram(kernel, *module.signature(kernel.name), frontend::applyRangeRule(kernel, alreadyReported),
                              frontend::applyPlaceRule(kernel, alreadyReported));
  metadata["target"] = facts.gpu ? "cuda" : "cpu";
  metadata["processor"] = facts.gpu ? std::string(facts.gpu->name) : facts.cpu->processor;
  metadata["features"] = facts.gpu ? std::vector<std::string>{} : facts.cpu->extensions;
  metadata["checked"] = facts.options.checkedMode;
  metadata["chosen"] = facts.capacities;
  metadata.update(viewFacts(kernel, facts.options));
  metadata.update(loweringFacts(lowered));
  if (facts.gpu) {
    metadata.update(gpuFacts(lowered, metadata.at("parameters")));
    metadata["cuda"] = facts.cuda;
  }
  metadata["grid_variables"] = kernel.grid.size();
  metadata["messages"] = messageTable(facts.messages);
  // A file's name, which places begin with, may have any bytes.
  return metadata.dump(-1, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
}

std::string packArtifact(const std::string &metadata, const std::string &code) {
  std::string bytes = "TWARTIF1";
  for (uint64_t length : {static_cast<uint64_t>(metadata.size()), static_cast<uint64_t>(code.size())})
    for (unsigned byte = 0; byte < 8; ++byte)
      bytes.push_back(static_cast<char>(length >> (8 * byte)));
  return bytes + metadata + code;
}

} // namespace tilewright::compiler
