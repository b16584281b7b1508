#include "runtime/CpuFeatures.h"

#include "runtime/Text.h"
#include "tilewright/compiler_c.h"

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sys/auxv.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace tilewright::runtime;

namespace {

std::string hexadecimal(uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof(text), "%llx.", static_cast<unsigned long long>(number));
  return text;
}

#if defined(__x86_64__)

struct CpuidWords {
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// Zeros where the processor has no such leaf.
CpuidWords cpuid(uint32_t leaf, uint32_t subleaf) {
  CpuidWords words;
  __get_cpuid_count(leaf, subleaf, &words.eax, &words.ebx, &words.ecx, &words.edx);
  return words;
}

/// Which registers the operating system saves when it switches threads.
uint64_t savedRegisters() {
  constexpr uint32_t osxsave = 1u << 27;
  if (!(cpuid(1, 0).ecx & osxsave))
    return 0;
  uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low | uint64_t(high) << 32;
}

bool isPresent(const std::string &feature) {
  [[maybe_unused]] auto has = [](uint32_t word, uint32_t bit, uint64_t saved) {
    return (word >> bit & 1) && (savedRegisters() & saved) == saved;
  };
#define TILEWRIGHT_FEATURE(name, leaf, subleaf, register, bit, saved)                                                          \
  if (feature == name)                                                                                                         \
    return has(cpuid(leaf, subleaf).register, bit, saved);
  TW_X86_FEATURES(TILEWRIGHT_FEATURE)
#undef TILEWRIGHT_FEATURE
  return false;
}

#else

bool isPresent(const std::string &) {
  return false;
}

#endif

} // namespace

std::vector<std::string> tilewright::runtime::featuresAbsentHere(std::span<const std::string> features) {
  std::vector<std::string> absent;
  for (const std::string &feature : features)
    if (!isPresent(feature))
      absent.push_back(feature);
  return absent;
}

std::string tilewright::runtime::processorIdentity() {
#if defined(__x86_64__)
  std::string identity = "x86-64 ";
  CpuidWords vendor = cpuid(0, 0);
  for (uint32_t word : {vendor.ebx, vendor.edx, vendor.ecx})
    identity += hexadecimal(word);
  CpuidWords model = cpuid(1, 0);
  for (uint32_t word : {model.eax, model.ecx, model.edx}) // ebx says which core is asked
    identity += hexadecimal(word);
  constexpr struct {
    uint32_t leaf, subleaf;
  } leaves[] = {{7, 0}, {7, 1}, {0xd, 1}, {0x14, 0}, {0x19, 0}, {0x1e, 1}, {0x24, 0}, {0x80000001, 0}, {0x80000008, 0}};
  for (auto [leaf, subleaf] : leaves) {
    CpuidWords words = cpuid(leaf, subleaf);
    // The other words of 0xd are sizes that depend on the state, those of 0x80000008 count cores and address bits.
    if (leaf == 0xd)
      identity += hexadecimal(words.eax);
    else if (leaf == 0x80000008)
      identity += hexadecimal(words.ebx);
    else
      for (uint32_t word : {words.eax, words.ebx, words.ecx, words.edx})
        identity += hexadecimal(word);
  }
  return identity + hexadecimal(savedRegisters());
#else
  std::string identity = concat("hwcap ", hexadecimal(getauxval(AT_HWCAP)), hexadecimal(getauxval(AT_HWCAP2)));
  std::string model;
  std::ifstream("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1") >> model;
  return identity + model;
#endif
}
