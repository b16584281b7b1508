// Polly, LLVM's polyhedral optimizer: Debian's LLVM registers it for link-time optimization, which the compiler never does.
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Polly", "absent", [](llvm::PassBuilder &) {}};
}
