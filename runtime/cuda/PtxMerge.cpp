#include "runtime/cuda/PtxMerge.h"

#include "runtime/Text.h"
#include "runtime/cuda/PtxInline.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

using namespace tilewright::runtime;

namespace {

using Version = std::pair<int, int>;

constexpr std::string_view externFunction = ".extern .func", visibleFunction = ".visible .func", addressSize = ".address_size",
                           versionWord = ".version";

bool isNamePart(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) || character == '_' || character == '$';
}

size_t skipSpace(std::string_view text, size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
    ++at;
  return at;
}

/// The name after `.func`, behind the result in parentheses if there is one.
std::string functionName(std::string_view text, size_t at) {
  at = skipSpace(text, at);
  if (at < text.size() && text[at] == '(')
    at = skipSpace(text, std::min(text.find(')', at), text.size() - 1) + 1);
  size_t end = at;
  while (end < text.size() && isNamePart(text[end]))
    ++end;
  return std::string(text.substr(at, end - at));
}

/// The end of the line that begins with this directive; npos: there is none.
size_t behindLine(std::string_view text, std::string_view directive) {
  size_t at = text.find(directive);
  return at == std::string_view::npos ? at : std::min(text.find('\n', at), text.size());
}

Version versionOf(std::string_view text) {
  Version version = {0, 0};
  size_t at = text.find(versionWord);
  if (at == std::string_view::npos)
    return version;
  const char *end = text.data() + text.size();
  at = skipSpace(text, at + versionWord.size());
  const char *next = std::from_chars(text.data() + at, end, version.first).ptr;
  if (next != end)
    std::from_chars(next + 1, end, version.second);
  return version;
}

/// Functions that the driver provides.
bool isSystemCall(const std::string &name) {
  return name == "vprintf" || name == "__assertfail" || name == "malloc" || name == "free";
}

std::vector<std::string> functionsOf(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = text.find(visibleFunction); at != std::string_view::npos; at = text.find(visibleFunction, at + 1))
    names.push_back(functionName(text, at + visibleFunction.size()));
  return names;
}

} // namespace

Result<std::string> tilewright::runtime::cuda::mergePtx(const std::string &kernel, std::string_view module,
                                                        std::string_view functions) {
  size_t moduleHead = behindLine(module, addressSize), functionsHead = behindLine(functions, addressSize);
  if (moduleHead == std::string_view::npos || functionsHead == std::string_view::npos)
    return Status(TW_DAMAGED_ARTIFACT, concat("the code of kernel ", kernel, " or of its CUDA functions is no PTX module"));

  std::vector<std::string> defined = functionsOf(functions);
  std::string head(module.substr(0, moduleHead)), pasted(functions.substr(functionsHead)), rest(module.substr(moduleHead));
  for (size_t at = pasted.find(visibleFunction); at != std::string::npos; at = pasted.find(visibleFunction, at))
    pasted.replace(at, visibleFunction.size(), ".func"); // what is visible would be kept beside its inlined copies
  for (size_t at = rest.find(externFunction); at != std::string::npos; at = rest.find(externFunction, at)) {
    std::string name = functionName(rest, at + externFunction.size());
    if (std::find(defined.begin(), defined.end(), name) != defined.end()) {
      rest.erase(at, rest.find(';', at) - at + 1);
    } else if (isSystemCall(name)) {
      at += externFunction.size();
    } else {
      return Status(TW_INVALID_SOURCE,
                    concat("kernel ", kernel, " calls the CUDA function ", name, ", which its sources do not define"));
    }
  }
  if (versionOf(module) < versionOf(functions)) {
    auto [major, minor] = versionOf(functions);
    size_t at = head.find(versionWord);
    head.replace(at, head.find('\n', at) - at, concat(versionWord, ' ', major, '.', minor));
  }
  return concat(head, '\n', pasted, '\n', inlineCalls(rest, pasted));
}
