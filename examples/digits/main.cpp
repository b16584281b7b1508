// Trains a small network on real handwritten digits, every tensor operation a tile kernel, and shows what it learned.
//
//   digits --data FOLDER [--curve FILE.svg] [--epochs N] [--seconds S]
//   digits --generated        without the digits: one fused linear layer on random data, checked against plain loops

#include "Curve.h"
#include "Data.h"
#include "Generated.h"
#include "Network.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>


namespace {

constexpr uint64_t seed = 2026;
constexpr int64_t trainCount = 8000;
constexpr int64_t batchSize = 100;

struct Settings {
  std::string data;
  std::string curve = "digits-learning-curve.svg";
  int epochs = 40;
  double seconds = 50; ///< no new epoch starts after it
  bool generated = false;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int report(const tilewright::Error &error) {
  std::fprintf(stderr, "error: %s\n%s", std::string(error.message()).c_str(), std::string(error.diagnostics()).c_str());
  return 1;
}

bool readSettings(int count, char **arguments, Settings &settings) {
  for (int index = 1; index < count; ++index) {
    std::string name = arguments[index];
    if (name == "--generated") {
      settings.generated = true;
      continue;
    }
    if (index + 1 == count)
      return false;
    const char *value = arguments[++index];
    if (name == "--data")
      settings.data = value;
    else if (name == "--curve")
      settings.curve = value;
    else if (name == "--epochs")
      settings.epochs = std::atoi(value);
    else if (name == "--seconds")
      settings.seconds = std::atof(value);
    else
      return false;
  }
  return settings.generated || !settings.data.empty();
}

/// High at first, then falling to nothing along half a cosine wave.
float rateOf(int epoch, int epochs) {
  return 0.05f * (1 + std::cos(3.14159265f * static_cast<float>(epoch) / static_cast<float>(epochs)));
}

void showProgress(int epoch, const digits::Score &train, const digits::Score &test, double seconds) {
  char bar[41] = "";
  std::memset(bar, '#', static_cast<size_t>(40 * std::max(0.0, (test.accuracy - 0.9) * 10)));
  std::printf("epoch %2d  loss %.4f  training %.2f %%  test %.2f %%  %5.1f s  |%-40s|\n", epoch, train.loss, 100 * train.accuracy,
              100 * test.accuracy, seconds, bar);
  std::fflush(stdout);
}

/// Some test pictures with what the network takes them for; wrong ones first, they are more interesting.
int showPictures(digits::Network &network, const digits::Examples &test) {
  auto predicted = network.classify(test);
  if (!predicted)
    return report(predicted.error());
  int wrong = 0, right = 0;
  for (int64_t index = 0; index < test.count() && wrong + right < 4; ++index) {
    int32_t label = test.labels[static_cast<size_t>(index)], prediction = (*predicted)[static_cast<size_t>(index)];
    int &shown = label == prediction ? right : wrong;
    if (shown == 2)
      continue;
    ++shown;
    std::printf("\n%s  is a %d, taken for a %d%s\n", digits::draw(test, index).c_str(), label, prediction,
                label == prediction ? "" : "  (wrong)");
  }
  return 0;
}

int trainOnDigits(tilewright::Context &context, const Settings &settings) {
  auto examples = digits::readExamples(settings.data);
  if (!examples)
    return 1;
  auto [train, test] = digits::split(*examples, trainCount, seed);
  std::printf("%lld handwritten digits: %lld to train, %lld to test; network %lld-%lld-%lld, %d threads\n",
              static_cast<long long>(examples->count()), static_cast<long long>(train.count()), static_cast<long long>(test.count()),
              static_cast<long long>(digits::pixels), static_cast<long long>(digits::hidden), static_cast<long long>(digits::classes),
              context.threads());

  auto network = digits::Network::create(context, TILEWRIGHT_KERNELS, DIGITS_KERNELS, seed);
  if (!network)
    return report(network.error());
  digits::Curve curve;
  double start = now();
  digits::Score last;
  for (int epoch = 0; epoch < settings.epochs && now() - start < settings.seconds; ++epoch) {
    auto trained = (*network)->train(train, batchSize, rateOf(epoch, settings.epochs), seed + static_cast<uint64_t>(epoch));
    if (!trained)
      return report(trained.error());
    auto tested = (*network)->test(test);
    if (!tested)
      return report(tested.error());
    last = *tested;
    curve.train.push_back(trained->accuracy);
    curve.test.push_back(tested->accuracy);
    showProgress(epoch + 1, *trained, *tested, now() - start);
  }
  if (int failed = showPictures(**network, test))
    return failed;
  if (!digits::writeSvg(settings.curve, curve)) {
    std::fprintf(stderr, "error: cannot write %s\n", settings.curve.c_str());
    return 1;
  }
  tw_context_statistics statistics = context.statistics();
  std::printf("\n%.2f %% of the test pictures are recognized, after %.1f s (of them %.2f s compiling %llu kernels); learning curve: %s\n",
              100 * last.accuracy, now() - start, static_cast<double>(statistics.compile_nanoseconds) * 1e-9,
              static_cast<unsigned long long>(statistics.compilations), settings.curve.c_str());
  return 0;
}

} // namespace

int main(int count, char **arguments) {
  Settings settings;
  if (!readSettings(count, arguments, settings)) {
    std::fprintf(stderr, "usage: digits --data FOLDER [--curve FILE.svg] [--epochs N] [--seconds S] | digits --generated\n");
    return 2;
  }
  auto context = tilewright::Context::create();
  if (!context)
    return report(context.error());
  return settings.generated ? digits::runOnGeneratedData(*context) : trainOnDigits(*context, settings);
}
