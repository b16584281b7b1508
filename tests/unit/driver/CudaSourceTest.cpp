// What an artifact has of the CUDA functions that a kernel calls, and which kernels are refused. That the text compiles, and
// means what it should, tests/semantics tries with NVRTC.
#include "compiler/driver/Compiler.h"

#include "compiler/frontend/Sema.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstring>

using namespace tilewright::compiler;
using namespace tilewright::frontend;
using nlohmann::json;

namespace {

using Files = std::map<std::string, std::string>; ///< "name", or "name in includer"

Result compiled(const std::string &text, const Files &files, const std::string &target = "sm_80",
                const std::string &kernel = "k") {
  auto resolver = [&](const std::string &path, const std::string &importer) -> std::optional<std::string> {
    for (const std::string &name : {path + " in " + importer, path})
      if (auto found = files.find(name); found != files.end())
        return found->second;
    return std::nullopt;
  };
  Diagnostics diagnostics;
  std::unique_ptr<Module> module = Module::check("k.tile", text, resolver, diagnostics);
  EXPECT_FALSE(diagnostics.hasErrors()) << render(diagnostics);
  Options options;
  options.kernel = kernel;
  options.target = target;
  return compile(*module, options, Stage::Artifact, /*colour=*/false);
}

json metadataOf(const Result &result) {
  EXPECT_EQ(result.outcome, Outcome::Done) << result.diagnostics;
  uint64_t length = 0;
  if (result.output.size() < 24)
    return {};
  std::memcpy(&length, result.output.data() + 8, sizeof length);
  return json::parse(result.output.substr(24, length));
}

const std::string kernelText = "kernel k(x: i32[N], y: out i32[N])\nover (n in N by BN) { y[n] = hash(x[n]); }\n";
const std::string hashed = "extern \"cuda\" fn hash(x: i32) -> i32 from \"hash.cuh\";\n" + kernelText;

} // namespace

TEST(CudaSource, HasTheFilesAndACalleeForEachFunction) {
  json cuda =
      metadataOf(compiled(hashed, {{"hash.cuh", "# include \"bits.cuh\"\n#include <cuda_fp16.h>\n#include \"missing.h\"\n"},
                                   {"bits.cuh", "#include \"hash.cuh\"\n"},
                                   {"missing", "no file asks for it"}}))["cuda"];
  EXPECT_EQ(cuda["headers"], json::parse(R"([{"name": "bits.cuh", "text": "#include \"hash.cuh\"\n"},
    {"name": "hash.cuh", "text": "# include \"bits.cuh\"\n#include <cuda_fp16.h>\n#include \"missing.h\"\n"}])"));
  std::string text = cuda["text"];
  EXPECT_EQ(text.find("#line 1 \"k.tile\"\n#include \"hash.cuh\"\n"), 0u) << text;
  EXPECT_NE(text.find("#line 1 \"k.tile\"\nextern \"C\" __device__ int tw_cuda_hash(int x0) {\n#line 1 \"k.tile\"\n"
                      "  auto result = ::hash(tilewright::i32{x0});\n#line 1 \"k.tile\"\n  static_assert("),
            std::string::npos)
      << text;
}

TEST(CudaSource, IsOfTheFunctionsThatAKernelCalls) {
  std::string text = hashed + "kernel other(x: i32[N], y: out i32[N])\nover (n in N by BN) { y[n] = x[n]; }\n";
  json metadata = metadataOf(compiled(text, {}, "sm_80", "other")); // needs no hash.cuh
  ASSERT_TRUE(metadata.contains("cuda"));
  EXPECT_TRUE(metadata["cuda"].is_null());
}

TEST(CudaSource, ResultsAreAStructure) {
  json cuda = metadataOf(compiled("extern \"cuda\" fn both(x: f16, y: bool) -> (f64, u8) from \"both.cuh\";\n"
                                  "kernel k(x: f16[N], y: out f64[N], z: out u8[N])\n"
                                  "over (n in N by BN) { let (a, b) = both(x[n], true); y[n] = a; z[n] = b; }\n",
                                  {{"both.cuh", ""}}))["cuda"];
  std::string text = cuda["text"];
  EXPECT_EQ(text.find("#include <cuda_fp16.h>\n"), 0u) << text;
  EXPECT_NE(text.find("struct tw_cuda_both_results { double result0; int result1; };\n#line 1 \"k.tile\"\n"
                      "extern \"C\" __device__ tw_cuda_both_results tw_cuda_both(int x0, int x1) {\n#line 1 \"k.tile\"\n"
                      "  auto [result0, result1] = ::both(tilewright::f16{x0}, tilewright::boolean{x1});\n"),
            std::string::npos)
      << text;
}

TEST(CudaSource, NamesakesInImportedFilesAreTwoFunctions) {
  std::string file = "extern \"cuda\" fn f(x: TYPE) -> TYPE from \"f.cuh\";\n";
  auto of = [&](const std::string &type) {
    std::string text = file;
    for (size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE"))
      text.replace(at, 4, type);
    return text;
  };
  json cuda =
      metadataOf(compiled("import \"a.tile\" as a;\nimport \"b.tile\" as b;\nkernel k(x: i32[N], z: f32[N], y: out f32[N])\n"
                          "over (n in N by BN) { y[n] = b.f(z[n]) + f32(a.f(x[n]) + a.f(x[n] + 1)); }\n",
                          {{"a.tile", of("i32")}, {"b.tile", of("f32")}, {"f.cuh", ""}}))["cuda"];
  std::string text = cuda["text"];
  EXPECT_NE(text.find("#line 1 \"b.tile\"\nextern \"C\" __device__ float tw_cuda_f(float x0)"), std::string::npos) << text;
  EXPECT_NE(text.find("#line 1 \"a.tile\"\nextern \"C\" __device__ int tw_cuda2_f(int x0)"), std::string::npos) << text;
  EXPECT_EQ(cuda["headers"].size(), 1u);
}

TEST(CudaSource, NeedsTheFile) {
  Result result = compiled(hashed, {});
  EXPECT_EQ(result.outcome, Outcome::InvalidSource);
  EXPECT_EQ(result.diagnostics,
            "k.tile:1:43: error: cannot find the file `hash.cuh`, which has the CUDA function `hash`\n"
            "  1 | extern \"cuda\" fn hash(x: i32) -> i32 from \"hash.cuh\";\n"
            "    |                                           ^~~~~~~~~~\n"
            "hint: files are looked for beside the one that names them; a host that answers imports is asked for these too\n");
}

TEST(CudaSource, OneNameIsOneText) {
  Result result =
      compiled("extern \"cuda\" fn hash(x: i32) -> i32 from \"hash.cuh\";\nextern \"cuda\" fn mix(x: i32) -> i32 from "
               "\"mix.cuh\";\nkernel k(x: i32[N], y: out i32[N])\nover (n in N by BN) { y[n] = hash(mix(x[n])); }\n",
               {{"hash.cuh", "#include \"bits.cuh\""},
                {"mix.cuh", "#include \"bits.cuh\""},
                {"bits.cuh in hash.cuh", "one"},
                {"bits.cuh in mix.cuh", "two"}});
  EXPECT_EQ(result.outcome, Outcome::InvalidSource);
  EXPECT_NE(result.diagnostics.find("two files are included as `bits.cuh`, and the texts differ"), std::string::npos)
      << result.diagnostics;
}

TEST(CudaSource, AProcessorHasNoCudaFunctions) {
  Result result = compiled(hashed, {{"hash.cuh", ""}}, "cpu");
  EXPECT_EQ(result.outcome, Outcome::InvalidSource);
  EXPECT_NE(result.diagnostics.find("error: `hash` is a CUDA function, and the target `cpu` has none"), std::string::npos);
  EXPECT_NE(result.diagnostics.find("note: declared here"), std::string::npos);
  EXPECT_NE(
      result.diagnostics.find("hint: compile for a GPU (`cuda`, `emulator`), or give the kernel a function of the language"),
      std::string::npos)
      << result.diagnostics;
}
