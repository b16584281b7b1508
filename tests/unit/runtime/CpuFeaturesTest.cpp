#include "runtime/CpuFeatures.h"

#include "runtime/Text.h"
#include "tests/unit/runtime/TestSupport.h"

#include <fstream>
#include <sstream>
#include <thread>

using namespace tilewright::runtime;

TEST(CpuFeatures, ThatNobodyHasAreAbsent) {
  std::vector<std::string> features = {"quantum"};
  EXPECT_EQ(featuresAbsentHere(features), features);
}

#if defined(__x86_64__)
// What the kernel tells is another reading of the same words.
TEST(CpuFeatures, AreThoseThatTheKernelLists) {
  std::ifstream file("/proc/cpuinfo");
  std::string flags;
  for (std::string line; flags.empty() && std::getline(file, line);)
    if (line.starts_with("flags"))
      flags = line + " ";
  ASSERT_FALSE(flags.empty());
  const std::pair<const char *, const char *> names[] = {
      {"sse3", "pni"},          {"sse4.1", "sse4_1"}, {"popcnt", "popcnt"}, {"avx", "avx"},          {"avx2", "avx2"},
      {"fma", "fma"},           {"f16c", "f16c"},     {"bmi2", "bmi2"},     {"lzcnt", "abm"},        {"avx512f", "avx512f"},
      {"avx512vl", "avx512vl"}, {"sse4a", "sse4a"},   {"fma4", "fma4"},     {"amx-tile", "amx_tile"}};
  for (auto [ours, kernels] : names) {
    std::vector<std::string> features = {ours};
    EXPECT_EQ(featuresAbsentHere(features).empty(), flags.find(concat(' ', kernels, ' ')) != std::string::npos) << ours;
  }
}
#endif

// A key made on one core must be found from another.
TEST(CpuFeatures, TheProcessorIsTheSameOnEveryCore) {
  std::string here = processorIdentity();
  EXPECT_GT(here.size(), 8u);
  for (int core = 0; core < 64; ++core)
    std::thread([&] {
      cpu_set_t only;
      CPU_ZERO(&only);
      CPU_SET(core, &only);
      if (sched_setaffinity(0, sizeof(only), &only) == 0) {
        EXPECT_EQ(processorIdentity(), here) << "core " << core;
      }
    }).join();
}
