#include "tests/benchmarks/gpu/LinearKinds.h"

#include "tests/benchmarks/gpu/CublasLtTypes.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace benchmarks {

namespace {

constexpr const char *tf32Text = R"(import "activations.tile";
kernel linear<act: fn(f32) -> f32 = identity>(x: f32[M..., K], w: f32[N, K], b: f32[N]?, r: f32[M..., N]?, y: out f32[M..., N])
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k, precision = tf32); }
  if b { acc += b[j]; }
  var t = act(acc);
  if r { t += r[i, j]; }
  y[i, j] = t;
}
)";
constexpr const char *i8Text = R"(kernel linear(x: i8[M..., K], w: i8[N, K], y: out i32[M..., N])
over (i in M by BM, j in N by BN) {
  var acc: i32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k); }
  y[i, j] = acc;
}
)";
/// precision: of the product, as it is written there.
std::string f8TextWith(const char *precision) {
  return std::string(R"(import "activations.tile";
kernel linear<act: fn(f32) -> f32 = identity>(
    x: f8e4m3[M..., K], w: f8e4m3[N, K], b: bf16[N]?, r: bf16[M..., N]?, y: out bf16[M..., N], scale: f32)
over (i in M by BM, j in N by BN) {
  var acc: f32[i, j] = 0;
  for k in K by BK { acc += dot(x[i, k], w[j, k], over k)") + precision + R"(); }
  acc *= scale;
  if b { acc += b[j]; }
  var t = act(acc);
  if r { t += r[i, j]; }
  y[i, j] = bf16(t);
}
)";
}
const std::string f8Text = f8TextWith(""), fastF8Text = f8TextWith(", precision = fast"); // sums left to the units, as cuBLASLt leaves them

// The deviations: rounding to nearest of results that are spread over their binade has a relative error of 2^-p · 0.41, p = 8
// for bf16 and 11 for f16; tensor cores round or cut f32 operands to 11 bits, and add products of f8 in some 14.
namespace lt = cublaslt;
const Kind kinds[] = {
    {"bf16", TW_BF16, TW_BF16, 1, 2.5e-3, 0.97, lt::real16BF, lt::real16BF, lt::compute32F, lt::real32F, nullptr},
    {"f16", TW_F16, TW_F16, 1, 3.2e-4, 0.97, lt::real16F, lt::real16F, lt::compute32F, lt::real32F, nullptr},
    {"f32", TW_F32, TW_F32, 1, 1e-5, 0.80, lt::real32F, lt::real32F, lt::compute32FPedantic, lt::real32F, nullptr},
    {"tf32", TW_F32, TW_F32, 1, 2e-3, 0.95, lt::real32F, lt::real32F, lt::compute32FFastTF32, lt::real32F, tf32Text},
    {"i8", TW_I8, TW_I32, 40, 0, 0.95, lt::real8I, lt::real32I, lt::compute32I, lt::real32I, i8Text},
    {"f8", TW_F8E4M3, TW_BF16, 16, 1e-2, 0.75, lt::real8E4M3, lt::real16BF, lt::compute32F, lt::real32F, f8Text.c_str()},
    {"fast_f8", TW_F8E4M3, TW_BF16, 16, 1e-2, 0.90, lt::real8E4M3, lt::real16BF, lt::compute32F, lt::real32F, fastF8Text.c_str()},
};

double identity(double x) {
  return x;
}
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
double geluErf(double x) {
  return 0.5 * x * (1 + std::erf(x / std::sqrt(2)));
}
double relu(double x) {
  return std::max(x, 0.0);
}
double squaredRelu(double x) {
  return relu(x) * relu(x);
}
double silu(double x) {
  return x / (1 + std::exp(-x));
}

constexpr Epilogue epilogues[] = {
    {"none", "identity", identity, false, false, lt::epilogueNone},
    {"bias", "identity", identity, true, false, lt::epilogueBias},
    {"gelu", "gelu", gelu, true, false, lt::epilogueGeluBias},
    {"relu", "relu", relu, true, false, lt::epilogueReluBias},
    {"silu", "silu", silu, true, false, 0},
    {"squared_relu", "squared_relu", squaredRelu, true, false, 0},
    {"gelu_erf", "gelu_erf", geluErf, true, false, 0},
    {"residual", "identity", identity, true, true, 0},
};

} // namespace

std::span<const Kind> linearKinds() {
  return kinds;
}

std::span<const Epilogue> linearEpilogues() {
  return epilogues;
}

const Epilogue &biasAlone() {
  return epilogues[1];
}

} // namespace benchmarks
