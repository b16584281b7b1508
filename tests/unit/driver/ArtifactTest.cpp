// What the lowering decided, as attributes of the module, in the metadata of an artifact.
#include "compiler/driver/Artifact.h"

#include "compiler/frontend/Sema.h"
#include "compiler/pipeline/GpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace tilewright;
using nlohmann::json;

namespace {

/// The metadata of a copy for sm_90a, from a module with these attributes besides those that every one has.
json metadataOf(const std::string &attributes) {
  frontend::Diagnostics diagnostics;
  auto noImports = [](const std::string &, const std::string &) { return std::optional<std::string>(); };
  std::string text = "kernel copy(x: f32[M, N], y: out f32[M, N]) over (i in M by 64, j in N by 64) { y[i, j] = x[i, j]; }";
  std::unique_ptr<frontend::Module> module = frontend::Module::check("copy.tile", text, noImports, diagnostics);
  std::unique_ptr<frontend::typed::Kernel> kernel = module ? module->specialize("copy", {}, diagnostics) : nullptr;
  EXPECT_TRUE(kernel) << frontend::render(diagnostics);
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> lowered =
      mlir::parseSourceString<mlir::ModuleOp>("module attributes {tilewright.grid = \"product\", tilewright.grid_axes = "
                                              "[\"i\", \"j\"], tilewright.threads = 128 : i64, "
                                              "tilewright.shared_bytes = 49152 : i64, tilewright.entries = {tiles = \"copy\"}" +
                                                  attributes + "} {}",
                                              &context);
  if (!kernel || !lowered)
    return {};
  compiler::Options options;
  std::optional<compiler::GpuTarget> gpu = compiler::GpuTarget::named("sm_90a");
  std::map<std::string, int64_t> capacities;
  std::vector<frontend::Message> messages;
  return json::parse(compiler::artifactMetadata(*module, *kernel, {options, nullptr, &*gpu, capacities, messages, nlohmann::ordered_json()}, *lowered));
}

} // namespace

TEST(ArtifactMetadata, SaysHowAGpusCodeIsLaunched) {
  json metadata = metadataOf("");
  EXPECT_EQ(metadata["target"], "cuda");
  EXPECT_EQ(metadata["processor"], "sm_90a");
  EXPECT_EQ(metadata["grid_axes"], json({"i", "j"}));
  EXPECT_EQ(metadata["threads"], 128);
  EXPECT_EQ(metadata["shared_bytes"], 49152);
  EXPECT_EQ(metadata["entries"], json({{"tiles", "copy"}, {"begin", nullptr}, {"finish", nullptr}}));
  EXPECT_EQ(metadata["resident_blocks"], 0);
  EXPECT_EQ(metadata["cluster_blocks"], 1);
  EXPECT_EQ(metadata["tensor_maps"], json::array());
}

TEST(ArtifactMetadata, HasTheTensorMapsAndTheResidentBlocks) {
  json metadata = metadataOf(", tilewright.cluster_blocks = 4 : i64, tilewright.resident_blocks = 1 : i64, tilewright.tensor_maps = ["
                             "{view = \"x\", order = array<i64: 1, 0>, box = array<i64: 64, 128>, swizzle = 128 : i64, tf32 = true}, "
                             "{view = \"y\", order = array<i64: 0, 1>, box = array<i64: 16, 8>, swizzle = 0 : i64, tf32 = false}]");
  EXPECT_EQ(metadata["resident_blocks"], 1);
  EXPECT_EQ(metadata["cluster_blocks"], 4);
  EXPECT_EQ(metadata["tensor_maps"], json::parse(R"([{"view": 0, "order": [1, 0], "box": [64, 128], "swizzle": 128, "tf32": true},
                            {"view": 1, "order": [0, 1], "box": [16, 8], "swizzle": 0, "tf32": false}])"));
}
