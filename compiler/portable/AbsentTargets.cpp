// The targets of LLVM that the compiler has no use for.
//
// lld initializes every target that LLVM was built with, which would link their code generators: 77 MB. These definitions stand for
// theirs, so those archives are not even opened.
#define ABSENT_TARGET(name)                                                                                                    \
  extern "C" void LLVMInitialize##name##TargetInfo() {}                                                                        \
  extern "C" void LLVMInitialize##name##Target() {}                                                                            \
  extern "C" void LLVMInitialize##name##TargetMC() {}                                                                          \
  extern "C" void LLVMInitialize##name##AsmPrinter() {}                                                                        \
  extern "C" void LLVMInitialize##name##AsmParser() {}
#include "compiler/portable/AbsentTargets.inc"
