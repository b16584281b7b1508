// The ready kernels by name: neural-network operations, forward and backward, without a text to load.
//
//   namespace kernels = tilewright::kernels;
//   auto done = kernels::run(context, kernels::Linear{.x = View(x, {rows, 784}), .w = View(w, {256, 784}), .y = View(y, {rows,
//   256}),
//                                                     .b = View(b, {256}), .activation = "gelu"});
//   auto softmax = kernels::prepare(context, kernels::Softmax{.x = …, .y = …}); // then softmax->launch(), as often as wanted
//
// Each structure names the arguments of one kernel. Shapes stand beside them in the language's notation: M... is any number of
// dimensions, which must be the same number of elements everywhere; T is f32, f16, bf16, f8e4m3 or f8e5m2, one dtype for all
// views marked T. Views may have any strides, are read or written where they are, and outlive the launches. Sums are formed in
// f32 and rounded once to what they are stored in. A view written must not overlap another argument.
//
// Launchable::launch(values) takes one value for each parameter of the kernel in the order of its text, runtime/kernels/*.tile.
//
// Errors are values, those of Kernel::prepare: TW_INVALID_ARGUMENT for a dtype, a rank, or an activation that does not exist;
// TW_INVALID_SHAPE for dimensions that disagree; TW_CHECK_FAILED for overlapping arguments and broken requirements;
// TW_COMPILER_UNAVAILABLE. Every function may be called from several threads at once. The kernels' texts are part of the
// library (and installed as files, to read and to change): they are compiled once for each context and specialization.
#ifndef TILEWRIGHT_KERNELS_H
#define TILEWRIGHT_KERNELS_H

#include "tilewright/tilewright.h"

#include <cmath>

namespace tilewright::kernels {

namespace detail {

inline void add(std::vector<Argument> &list, const char *name, const View &view) {
  list.emplace_back(name, view);
}
inline void add(std::vector<Argument> &list, const char *name, const std::optional<View> &view) {
  if (view)
    list.emplace_back(name, *view);
}
inline void add(std::vector<Argument> &list, const char *name, double value) {
  list.emplace_back(name, value);
}
inline void addAll(std::vector<Argument> &) {}
template <typename Value, typename... Rest>
void addAll(std::vector<Argument> &list, const char *name, const Value &value, const Rest &...rest) {
  add(list, name, value);
  addAll(list, rest...);
}
/// list("x", x, "w", w, …): absent optional views are left out.
template <typename... Parts> std::vector<Argument> list(const Parts &...parts) {
  std::vector<Argument> result;
  addAll(result, parts...);
  return result;
}

using Bindings = std::vector<std::pair<std::string, std::string>>;

} // namespace detail

// An activation is a function of activations.tile or a built-in one: identity relu leaky_relu squared_relu gelu (by tanh)
// gelu_erf silu sigmoid tanh softplus smelu hard_swish mish. Gates: swiglu geglu reglu.

// ---- Linear layers --------------------------------------------------------------------------------------------------------

/// y = act(x · wᵀ + b) + r.
struct Linear {
  View x;                     ///< T[M..., K]
  View w;                     ///< T[N, K]
  View y;                     ///< written: T[M..., N]
  std::optional<View> b = {}; ///< T[N]
  std::optional<View> r = {}; ///< T[M..., N], a residual
  std::optional<View> z = {}; ///< written: T[M..., N], act's input, which the backward pass needs
  std::string activation = "identity";

  static constexpr const char *file = "linear.tile", *kernel = "linear";
  std::vector<Argument> arguments() const { return detail::list("x", x, "w", w, "y", y, "b", b, "r", r, "z", z); }
  detail::Bindings bindings() const { return {{"act", activation}}; }
};

/// dz = dy · act′(z), and db, the sum of dz over all rows.
struct LinearDz {
  View dy;                     ///< T[M..., N]
  View z;                      ///< T[M..., N], as Linear kept it
  View dz;                     ///< written: T[M..., N]
  std::optional<View> db = {}; ///< written: T[N]
  std::string activation = "identity";

  static constexpr const char *file = "linear.tile", *kernel = "linear_dz";
  std::vector<Argument> arguments() const { return detail::list("dy", dy, "z", z, "dz", dz, "db", db); }
  detail::Bindings bindings() const { return {{"act", activation}}; }
};

/// dx = (dy · act′(z)) · w. After LinearDz or GatedDz: give dz as dy and as z, with the activation identity.
struct LinearDx {
  View dy; ///< T[M..., N]
  View z;  ///< T[M..., N]
  View w;  ///< T[N, K]
  View dx; ///< written: T[M..., K]
  std::string activation = "identity";

  static constexpr const char *file = "linear.tile", *kernel = "linear_dx";
  std::vector<Argument> arguments() const { return detail::list("dy", dy, "z", z, "w", w, "dx", dx); }
  detail::Bindings bindings() const { return {{"act", activation}}; }
};

/// dw = (dy · act′(z))ᵀ · x; with accumulate it is added to what dw holds.
struct LinearDw {
  View dy; ///< T[M..., N]
  View z;  ///< T[M..., N]
  View x;  ///< T[M..., K]
  View dw; ///< written: G[N, K], of any float dtype G
  std::string activation = "identity";
  bool accumulate = false;

  static constexpr const char *file = "linear.tile", *kernel = "linear_dw";
  std::vector<Argument> arguments() const { return detail::list("dy", dy, "z", z, "x", x, "dw", dw); }
  detail::Bindings bindings() const { return {{"act", activation}, {"accumulate", accumulate ? "true" : "false"}}; }
};

/// y = gate(x · wgᵀ + bg, x · wuᵀ + bu): rows 0..F of w and b are wg and bg, F..2F wu and bu.
struct GatedLinear {
  View x;                     ///< T[M..., K]
  View w;                     ///< T[2 * F, K]
  View y;                     ///< written: T[M..., F]
  std::optional<View> b = {}; ///< T[2 * F]
  std::optional<View> z = {}; ///< written: T[M..., 2 * F], the gate's two inputs side by side
  std::string gate = "swiglu";

  static constexpr const char *file = "linear.tile", *kernel = "gated_linear";
  std::vector<Argument> arguments() const { return detail::list("x", x, "w", w, "y", y, "b", b, "z", z); }
  detail::Bindings bindings() const { return {{"gate", gate}}; }
};

/// dz = dy · gate′(z), by both of the gate's inputs.
struct GatedDz {
  View dy; ///< T[M..., F]
  View z;  ///< T[M..., 2 * F], as GatedLinear kept it
  View dz; ///< written: T[M..., 2 * F]
  std::string gate = "swiglu";

  static constexpr const char *file = "linear.tile", *kernel = "gated_dz";
  std::vector<Argument> arguments() const { return detail::list("dy", dy, "z", z, "dz", dz); }
  detail::Bindings bindings() const { return {{"gate", gate}}; }
};

// ---- Projections ----------------------------------------------------------------------------------------------------------

/// One product into several outputs: the first NQ columns of x · wᵀ + b are q, then NK for k, NV for v and NF for ff, which
/// alone has the activation.
struct Projection {
  View x;                     ///< T[B, C, S...], channels second
  View w;                     ///< T[NQ + NK + NV + NF, C]
  View q;                     ///< written: T[B, S, NQ], where S is the product of x's last dimensions
  View k;                     ///< written: T[B, S, NK]
  View v;                     ///< written: T[B, S, NV]
  View ff;                    ///< written: T[B, S, NF]
  std::optional<View> b = {}; ///< T[NQ + NK + NV + NF]
  std::string activation = "identity";

  static constexpr const char *file = "projection.tile", *kernel = "projection";
  std::vector<Argument> arguments() const { return detail::list("x", x, "w", w, "q", q, "k", k, "v", v, "ff", ff, "b", b); }
  detail::Bindings bindings() const { return {{"act", activation}}; }
};

/// Queries, keys and values in heads, with RMSNorm per head and rotary embedding (halves of a head are turned against each
/// other) on queries and keys. D is even.
struct Qkv {
  View x;       ///< T[B, C, S...]
  View w;       ///< T[(HQ + 2 * HK) * D, C]
  View gq;      ///< T[D], the norm's scale of queries
  View gk;      ///< T[D], of keys
  View cosines; ///< f32[S, D / 2]
  View sines;   ///< f32[S, D / 2]
  View q;       ///< written: T[B, HQ, S, D]
  View k;       ///< written: T[B, HK, S, D]
  View v;       ///< written: T[B, HK, S, D]
  double eps = 1e-5;

  static constexpr const char *file = "projection.tile", *kernel = "qkv";
  std::vector<Argument> arguments() const {
    return detail::list("x", x, "w", w, "gq", gq, "gk", gk, "co", cosines, "si", sines, "q", q, "k", k, "v", v, "eps", eps);
  }
  detail::Bindings bindings() const { return {}; }
};

// ---- Norms over the last dimension ----------------------------------------------------------------------------------------

/// y = (x − mean x) / √(var x + eps) · g + b.
struct LayerNorm {
  View x;                      ///< T[M..., D]
  View g;                      ///< T[D]
  View y;                      ///< written: T[M..., D]
  std::optional<View> b = {};  ///< T[D]
  std::optional<View> mu = {}; ///< written: f32[M...], the mean, for the backward pass
  std::optional<View> rs = {}; ///< written: f32[M...], the reciprocal deviation, for the backward pass
  double eps = 1e-5;

  static constexpr const char *file = "norm.tile", *kernel = "layer_norm";
  std::vector<Argument> arguments() const {
    return detail::list("x", x, "g", g, "y", y, "b", b, "mu", mu, "rs", rs, "eps", eps);
  }
  detail::Bindings bindings() const { return {}; }
};

/// The gradients of LayerNorm.
struct LayerNormBackward {
  View dy; ///< T[M..., D]
  View x;  ///< T[M..., D]
  View g;  ///< T[D]
  View mu; ///< f32[M...]
  View rs; ///< f32[M...]
  View dx; ///< written: T[M..., D]
  View dg; ///< written: f32[D]
  View db; ///< written: f32[D]

  static constexpr const char *file = "norm.tile", *kernel = "layer_norm_backward";
  std::vector<Argument> arguments() const {
    return detail::list("dy", dy, "x", x, "g", g, "mu", mu, "rs", rs, "dx", dx, "dg", dg, "db", db);
  }
  detail::Bindings bindings() const { return {}; }
};

/// y = x / √(mean x² + eps) · g.
struct RmsNorm {
  View x;                      ///< T[M..., D]
  View g;                      ///< T[D]
  View y;                      ///< written: T[M..., D]
  std::optional<View> rs = {}; ///< written: f32[M...], the reciprocal root, for the backward pass
  double eps = 1e-5;

  static constexpr const char *file = "norm.tile", *kernel = "rms_norm";
  std::vector<Argument> arguments() const { return detail::list("x", x, "g", g, "y", y, "rs", rs, "eps", eps); }
  detail::Bindings bindings() const { return {}; }
};

/// The gradients of RmsNorm.
struct RmsNormBackward {
  View dy; ///< T[M..., D]
  View x;  ///< T[M..., D]
  View g;  ///< T[D]
  View rs; ///< f32[M...]
  View dx; ///< written: T[M..., D]
  View dg; ///< written: f32[D]

  static constexpr const char *file = "norm.tile", *kernel = "rms_norm_backward";
  std::vector<Argument> arguments() const { return detail::list("dy", dy, "x", x, "g", g, "rs", rs, "dx", dx, "dg", dg); }
  detail::Bindings bindings() const { return {}; }
};

// ---- Softmax over the last dimension --------------------------------------------------------------------------------------

/// y = exp(x − max x) / Σ exp(x − max x).
struct Softmax {
  View x; ///< T[M..., N]
  View y; ///< written: T[M..., N]

  static constexpr const char *file = "softmax.tile", *kernel = "softmax";
  std::vector<Argument> arguments() const { return detail::list("x", x, "y", y); }
  detail::Bindings bindings() const { return {}; }
};

/// dx = y · (dy − Σ dy · y), where y is Softmax's result.
struct SoftmaxBackward {
  View dy; ///< T[M..., N]
  View y;  ///< T[M..., N]
  View dx; ///< written: T[M..., N]

  static constexpr const char *file = "softmax.tile", *kernel = "softmax_backward";
  std::vector<Argument> arguments() const { return detail::list("dy", dy, "y", y, "dx", dx); }
  detail::Bindings bindings() const { return {}; }
};

/// y = x − max x − log Σ exp(x − max x).
struct LogSoftmax {
  View x; ///< T[M..., N]
  View y; ///< written: T[M..., N]

  static constexpr const char *file = "softmax.tile", *kernel = "log_softmax";
  std::vector<Argument> arguments() const { return detail::list("x", x, "y", y); }
  detail::Bindings bindings() const { return {}; }
};

/// dx = dy − exp y · Σ dy, where y is LogSoftmax's result.
struct LogSoftmaxBackward {
  View dy; ///< T[M..., N]
  View y;  ///< T[M..., N]
  View dx; ///< written: T[M..., N]

  static constexpr const char *file = "softmax.tile", *kernel = "log_softmax_backward";
  std::vector<Argument> arguments() const { return detail::list("dy", dy, "y", y, "dx", dx); }
  detail::Bindings bindings() const { return {}; }
};

// ---- Attention ------------------------------------------------------------------------------------------------------------

/// o = softmax(scale · q · kᵀ) · v for each head. HQ / HK query heads share one key head. The queries are the last SQ of the
/// positions. (Its gradient is not among the ready kernels.)
struct Attention {
  View q;                           ///< T[B, HQ, SQ, D]
  View k;                           ///< T[B, HK, SK, D]
  View v;                           ///< T[B, HK, SK, D]
  View o;                           ///< written: T[B, HQ, SQ, D]
  std::optional<View> lengths = {}; ///< i32[B]: how many of the SK positions batch b has; absent: all
  std::optional<View> lse = {};     ///< written: f32[B, HQ, SQ], log Σ exp of each row
  std::optional<double> scale = {}; ///< absent: 1 / √D
  bool causal = false;              ///< a query sees the positions up to its own
  int64_t window = 0;               ///< > 0: and of those only so many, its own included

  static constexpr const char *file = "attention.tile", *kernel = "attention";
  std::vector<Argument> arguments() const {
    double channels = q.shape().empty() ? 1 : static_cast<double>(q.shape().back());
    return detail::list("q", q, "k", k, "v", v, "o", o, "len", lengths, "lse", lse, "scale",
                        scale.value_or(1 / std::sqrt(channels)));
  }
  detail::Bindings bindings() const { return {{"causal", causal ? "true" : "false"}, {"window", std::to_string(window)}}; }
};

// ---- Calling them ---------------------------------------------------------------------------------------------------------

/// Binds, compiles and checks a ready kernel; see Kernel::prepare. `how` may add what the structure has no name for: block
/// sizes, a target, the reference schedule, checked mode.
template <typename Ready> Result<Launchable> prepare(const Context &context, const Ready &ready, Specialization how = {}) {
  Result<Module> module = context.readyKernels(Ready::file);
  if (!module)
    return module.error();
  Result<Kernel> kernel = module->kernel(Ready::kernel);
  if (!kernel)
    return kernel.error();
  for (auto &binding : ready.bindings())
    how.bindings.push_back(binding);
  return kernel->prepare(std::span<const Argument>(ready.arguments()), how);
}

/// Prepares and launches once.
template <typename Ready> Result<void> run(const Context &context, const Ready &ready, Specialization how = {}) {
  Result<Launchable> launchable = prepare(context, ready, std::move(how));
  if (!launchable)
    return launchable.error();
  return launchable->launch();
}

} // namespace tilewright::kernels

#endif
