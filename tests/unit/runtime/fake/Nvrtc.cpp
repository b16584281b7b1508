// An NVRTC for the tests: it hands out the header "answer.ptx", refuses a text with the word "refused", and notes its options.
#include <cstring>
#include <string>

#define EXPORT extern "C" __attribute__((visibility("default")))

struct Program {
  std::string text, answer, log;
};
static std::string lastOptions;
static int compilations = 0;

EXPORT const char *fake_nvrtc_options(void) {
  return lastOptions.c_str();
}
EXPORT int fake_nvrtc_compilations(void) {
  return compilations;
}

EXPORT int nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
EXPORT int nvrtcCreateProgram(Program **program, const char *text, const char *, int headers, const char *const *texts,
                              const char *const *names) {
  *program = new Program{text, "", ""};
  for (int index = 0; index < headers; ++index)
    if (std::string(names[index]) == "answer.ptx")
      (*program)->answer = texts[index];
  return 0;
}
EXPORT int nvrtcDestroyProgram(Program **program) {
  delete *program;
  *program = nullptr;
  return 0;
}
EXPORT int nvrtcCompileProgram(Program *program, int count, const char *const *options) {
  ++compilations;
  lastOptions.clear();
  for (int index = 0; index < count; ++index)
    lastOptions += std::string(options[index]) + '\n';
  if (program->text.find("refused") == std::string::npos)
    return 0;
  program->log = "hashed.cu(1): error: refused\n";
  return 6;
}
EXPORT int nvrtcGetPTXSize(Program *program, size_t *bytes) {
  *bytes = program->answer.size() + 1;
  return 0;
}
EXPORT int nvrtcGetPTX(Program *program, char *to) {
  std::strcpy(to, program->answer.c_str());
  return 0;
}
EXPORT int nvrtcGetProgramLogSize(Program *program, size_t *bytes) {
  *bytes = program->log.size() + 1;
  return 0;
}
EXPORT int nvrtcGetProgramLog(Program *program, char *to) {
  std::strcpy(to, program->log.c_str());
  return 0;
}
