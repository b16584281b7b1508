#include "Network.h"

#include <cmath>
#include <random>

using tilewright::Argument;
using tilewright::Result;
using tilewright::View;

namespace digits {

static constexpr float momentum = 0.9f;
static constexpr float decay = 1e-4f;

struct Network::Batch {
  int64_t count;
  std::vector<float> x, z1, y1, logits, dlogits, dy1, dz1;
  std::vector<int32_t> label;
  float loss = 0;
  int32_t correct = 0;

  explicit Batch(int64_t count)
      : count(count), x(static_cast<size_t>(count * pixels)), z1(static_cast<size_t>(count * hidden)), y1(z1.size()),
        logits(static_cast<size_t>(count * classes)), dlogits(logits.size()), dy1(z1.size()), dz1(z1.size()),
        label(static_cast<size_t>(count)) {}
};

Network::Network(tilewright::Module linear, tilewright::Module own) : linear(std::move(linear)), own(std::move(own)) {}

Result<std::unique_ptr<Network>> Network::create(tilewright::Context &context, const std::string &kernels,
                                                 const std::string &ownKernels, uint64_t seed) {
  auto linear = context.load(kernels + "/linear.tile");
  if (!linear)
    return linear.error();
  auto own = context.load(ownKernels);
  if (!own)
    return own.error();
  std::unique_ptr<Network> network(new Network(std::move(*linear), std::move(*own)));
  network->initialize(seed);
  return network;
}

/// Normal weights of variance 2 / fan-in (He et al., "Delving deep into rectifiers", 2015); biases 0.
void Network::initialize(uint64_t seed) {
  std::mt19937_64 generator(seed);
  auto uniform = [&] { return (static_cast<double>(generator() >> 11) + 0.5) * 0x1p-53; };
  auto fill = [&](std::vector<float> &weights, int64_t fanIn) {
    double deviation = std::sqrt(2.0 / static_cast<double>(fanIn));
    for (float &weight : weights) // Box and Muller; std::normal_distribution differs between libraries
      weight = static_cast<float>(deviation * std::sqrt(-2 * std::log(uniform())) * std::cos(2 * M_PI * uniform()));
  };
  fill(w1.value, pixels);
  fill(w2.value, hidden);
}

Result<void> Network::run(const tilewright::Module &module, const char *name, std::initializer_list<Argument> arguments,
                          const char *activation) {
  auto kernel = module.kernel(name);
  if (!kernel)
    return kernel.error();
  tilewright::Specialization specialization;
  if (activation)
    specialization.bindings = {{"act", activation}};
  return kernel->run(arguments, specialization);
}

Result<void> Network::forward(Batch &batch) {
  int64_t n = batch.count;
  if (auto done = run(linear, "linear",
                      {{"x", View(batch.x.data(), {n, pixels})},
                       {"w", View(w1.value.data(), {hidden, pixels})},
                       {"b", View(b1.value.data(), {hidden})},
                       {"y", View(batch.y1.data(), {n, hidden})},
                       {"z", View(batch.z1.data(), {n, hidden})}},
                      "gelu");
      !done)
    return done;
  return run(linear, "linear",
             {{"x", View(batch.y1.data(), {n, hidden})},
              {"w", View(w2.value.data(), {classes, hidden})},
              {"b", View(b2.value.data(), {classes})},
              {"y", View(batch.logits.data(), {n, classes})}});
}

Result<void> Network::loss(Batch &batch) {
  return run(own, "cross_entropy",
             {{"logits", View(batch.logits.data(), {batch.count, classes})},
              {"label", View(batch.label.data(), {batch.count})},
              {"dlogits", View(batch.dlogits.data(), {batch.count, classes})},
              {"loss", View(&batch.loss, {1})},
              {"correct", View(&batch.correct, {1})}});
}

/// From dlogits to the gradients of all parameters.
Result<void> Network::backward(Batch &batch) {
  int64_t n = batch.count;
  View dlogits(batch.dlogits.data(), {n, classes}), logits(batch.logits.data(), {n, classes});
  View y1(batch.y1.data(), {n, hidden}), z1(batch.z1.data(), {n, hidden}), dy1(batch.dy1.data(), {n, hidden});
  View dz1(batch.dz1.data(), {n, hidden});
  std::vector<float> copy(batch.dlogits.size()); // linear_dz writes dz besides the sums; for the identity it repeats dy

  if (auto done = run(linear, "linear_dw",
                      {{"dy", dlogits}, {"z", logits}, {"x", y1}, {"dw", View(w2.gradient.data(), {classes, hidden})}});
      !done)
    return done;
  if (auto done = run(linear, "linear_dz",
                      {{"dy", dlogits}, {"z", logits}, {"dz", View(copy.data(), {n, classes})}, {"db", View(b2.gradient.data(), {classes})}});
      !done)
    return done;
  if (auto done = run(linear, "linear_dx",
                      {{"dy", dlogits}, {"z", logits}, {"w", View(w2.value.data(), {classes, hidden})}, {"dx", dy1}});
      !done)
    return done;
  if (auto done = run(linear, "linear_dz", {{"dy", dy1}, {"z", z1}, {"dz", dz1}, {"db", View(b1.gradient.data(), {hidden})}}, "gelu");
      !done)
    return done;
  return run(linear, "linear_dw",
             {{"dy", dz1}, {"z", z1}, {"x", View(batch.x.data(), {n, pixels})}, {"dw", View(w1.gradient.data(), {hidden, pixels})}});
}

Result<void> Network::descend(float rate) {
  for (Parameter *parameter : {&w1, &b1, &w2, &b2}) {
    auto size = static_cast<int64_t>(parameter->value.size());
    auto done = run(own, "descend",
                    {{"w", View(parameter->value.data(), {size})},
                     {"v", View(parameter->velocity.data(), {size})},
                     {"g", View(parameter->gradient.data(), {size})},
                     {"rate", rate},
                     {"momentum", momentum},
                     {"decay", decay}});
    if (!done)
      return done;
  }
  return {};
}

Result<Score> Network::train(const Examples &examples, int64_t batchSize, float rate, uint64_t seed) {
  std::vector<int32_t> order(static_cast<size_t>(examples.count()));
  std::mt19937_64 generator(seed);
  for (size_t index = 0; index < order.size(); ++index) {
    size_t other = generator() % (index + 1);
    order[index] = order[other];
    order[other] = static_cast<int32_t>(index);
  }
  Batch batch(batchSize);
  Score score;
  int64_t batches = examples.count() / batchSize;
  for (int64_t step = 0; step < batches; ++step) {
    int32_t *chosen = order.data() + step * batchSize;
    for (int64_t row = 0; row < batchSize; ++row)
      batch.label[static_cast<size_t>(row)] = examples.labels[static_cast<size_t>(chosen[row])];
    if (auto done = run(own, "shifted_batch",
                        {{"images", View(examples.images.data(), {examples.count(), side, side})},
                         {"order", View(chosen, {batchSize})},
                         {"x", View(batch.x.data(), {batchSize, side, side})},
                         {"seed", static_cast<int64_t>(seed * 1000003 + static_cast<uint64_t>(step))}});
        !done)
      return done.error();
    if (auto done = forward(batch); !done)
      return done.error();
    if (auto done = loss(batch); !done)
      return done.error();
    if (auto done = backward(batch); !done)
      return done.error();
    if (auto done = descend(rate); !done)
      return done.error();
    score.loss += batch.loss / static_cast<double>(batches);
    score.accuracy += batch.correct / static_cast<double>(batches * batchSize);
  }
  return score;
}

Result<Score> Network::test(const Examples &examples) {
  Batch batch(examples.count());
  batch.x = examples.images;
  batch.label = examples.labels;
  if (auto done = forward(batch); !done)
    return done.error();
  if (auto done = loss(batch); !done)
    return done.error();
  return Score{batch.loss, batch.correct / static_cast<double>(examples.count())};
}

Result<std::vector<int32_t>> Network::classify(const Examples &examples) {
  Batch batch(examples.count());
  batch.x = examples.images;
  if (auto done = forward(batch); !done)
    return done.error();
  std::vector<int32_t> best(static_cast<size_t>(examples.count()));
  auto done = run(own, "most_likely", {{"logits", View(batch.logits.data(), {batch.count, classes})}, {"best", View(best.data(), {batch.count})}});
  if (!done)
    return done.error();
  return best;
}

} // namespace digits
