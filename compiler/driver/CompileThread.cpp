// LLVM ends the process on errors that it calls fatal. Its handler must not return, so the handler jumps back to the start of the
// compile thread. Nothing between is unwound: what was allocated leaks, locks of LLVM's globals taken at that moment would stay
// taken (none is held where the back end selects instructions). No signal handler is installed.

#include "compiler/driver/CompileThread.h"

#include "llvm/Support/ErrorHandling.h"

#include <csetjmp>
#include <cstring>
#include <exception>
#include <mutex>
#include <pthread.h>

namespace tilewright::compiler {

namespace {

constexpr size_t stackBytes = 64u << 20;

thread_local std::jmp_buf *returnPoint = nullptr;
thread_local char fatalMessage[512];

void onFatalError(void *, const char *reason, bool) {
  std::strncpy(fatalMessage, *reason ? reason : "LLVM gave no reason", sizeof fatalMessage - 1);
  if (returnPoint)
    std::longjmp(*returnPoint, 1);
}

struct Work {
  const std::function<void()> *function;
  char message[sizeof fatalMessage];

  void say(const char *text) { std::strncpy(message, text, sizeof message - 1); }
};

void *threadMain(void *argument) {
  auto *work = static_cast<Work *>(argument);
  std::jmp_buf here;
  returnPoint = &here;
  if (setjmp(here) == 0) {
    try {
      (*work->function)();
    } catch (const std::exception &exception) {
      work->say(*exception.what() ? exception.what() : "an exception without a text");
    } catch (...) {
      work->say("an unknown exception");
    }
  } else {
    work->say(fatalMessage);
  }
  returnPoint = nullptr;
  return nullptr;
}

} // namespace

std::string runOnCompileThread(const std::function<void()> &work) {
  // The compiler's copy of LLVM is its own (hidden symbols), so the handler is not taken from the host.
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::remove_fatal_error_handler();
    llvm::install_fatal_error_handler(onFatalError);
    llvm::install_bad_alloc_error_handler(onFatalError);
  });

  Work shared{&work, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, threadMain, &shared);
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return std::string("cannot start the compile thread: ") + std::strerror(error);
  pthread_join(thread, nullptr);
  return shared.message;
}

} // namespace tilewright::compiler
