// A 784-256-10 network whose every tensor operation is a tile kernel.
#pragma once

#include "Data.h"

#include "tilewright/tilewright.h"

#include <memory>
#include <string>
#include <vector>

namespace digits {

constexpr int64_t hidden = 256;

/// What one pass over some examples gave.
struct Score {
  double loss = 0;     ///< mean cross-entropy
  double accuracy = 0; ///< 0 to 1
};

/// Weights, their gradients and velocities, and the prepared kernels.
class Network {
public:
  /// Compiles nothing yet. `kernels` is the folder of the ready kernels (linear.tile).
  static tilewright::Result<std::unique_ptr<Network>> create(tilewright::Context &context, const std::string &kernels,
                                                             const std::string &ownKernels, uint64_t seed);

  /// One pass over the training examples in a new random order, in batches of `batch`, each picture moved at random.
  tilewright::Result<Score> train(const Examples &examples, int64_t batch, float rate, uint64_t seed);
  tilewright::Result<Score> test(const Examples &examples);
  /// The most likely class of each example.
  tilewright::Result<std::vector<int32_t>> classify(const Examples &examples);

private:
  /// A matrix or vector that is trained.
  struct Parameter {
    std::vector<float> value, gradient, velocity;
    explicit Parameter(int64_t size)
        : value(static_cast<size_t>(size)), gradient(static_cast<size_t>(size)), velocity(static_cast<size_t>(size)) {}
  };
  /// Activations of one batch and their gradients.
  struct Batch;

  Network(tilewright::Module linear, tilewright::Module own);
  void initialize(uint64_t seed);
  tilewright::Result<void> forward(Batch &batch);
  tilewright::Result<void> loss(Batch &batch);
  tilewright::Result<void> backward(Batch &batch);
  tilewright::Result<void> descend(float rate);
  tilewright::Result<void> run(const tilewright::Module &module, const char *kernel,
                               std::initializer_list<tilewright::Argument> arguments, const char *activation = nullptr);

  tilewright::Module linear, own;
  Parameter w1{hidden * pixels}, b1{hidden}, w2{classes * hidden}, b2{classes};
};

} // namespace digits
