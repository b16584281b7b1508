// A block in braces has registers and labels of its own, so a body stands as it is, but for its parameters:
//
//   { // callseq 0, 0                                       { // tw_cuda_hash
//   .param .b32 param0;                                     .reg .b32 %tw_in0, %tw_out0;
//   .param .b32 retval0;                                    mov.b32 %tw_in0, %r21;
//   st.param.b32 [param0], %r21;                            {
//   call.uni (retval0), tw_cuda_hash, (param0);       ⇒     .reg .b32 %r<7>;
//   ld.param.b32 %r22, [retval0];                           mov.u32 %r1, %tw_in0;      // ld.param.u32 %r1,
//   [tw_cuda_hash_param_0]; } // callseq 0                                          …
//                                                           mov.b32 %tw_out0, %r6;     // st.param.b32 [func_retval0+0], %r6;
//                                                           }
//                                                           $tw_returned:
//                                                           mov.b32 %r22, %tw_out0;
//                                                           }
#include "runtime/cuda/PtxInline.h"

#include "runtime/Text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

using namespace tilewright::runtime;

namespace {

/// Instructions that calls may become, in one module: a kernel has some hundreds of calls, and ptxas is to be done in a second.
constexpr size_t mostInstructions = 16384;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool isNamePart(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) || character == '_' || character == '$' || character == '%';
}

/// The maximal runs of name characters, dots and signs between others: "ld.param.b32 %r2, [retval0+4];" gives four.
std::vector<std::string_view> wordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t begin = 0; begin < line.size();) {
    size_t end = begin;
    while (end < line.size() && (isNamePart(line[end]) || line[end] == '.' || line[end] == '-'))
      ++end;
    if (end > begin)
      words.push_back(line.substr(begin, end - begin));
    begin = std::max(end, begin + 1);
  }
  return words;
}

/// 32 of "b32", "f32" or "u32"; 0 of what is no such type.
unsigned bitsOf(std::string_view type) {
  unsigned bits = 0;
  if (type.size() < 2 || std::string_view("bufs").find(type[0]) == std::string_view::npos ||
      std::from_chars(type.data() + 1, type.data() + type.size(), bits).ptr != type.data() + type.size())
    return 0;
  return bits;
}

/// `ld.param.b32 %r2, [retval0+4];` and `st.param.b32 [param0], %r1;`
struct ParameterAccess {
  bool isLoad;
  std::string_view type; ///< "b32"
  std::string_view name; ///< of the parameter
  unsigned offset;
  std::string_view value; ///< a register, or what is stored
};

/// Nothing: the line is no access of one value.
std::optional<ParameterAccess> accessOf(std::string_view line) {
  line = trimmed(line);
  bool isLoad = line.starts_with("ld.param."), isStore = line.starts_with("st.param.");
  std::vector<std::string_view> words = wordsOf(line);
  if ((!isLoad && !isStore) || words.size() < 3 || words.size() > 4 || line.find('{') != std::string_view::npos)
    return std::nullopt;
  bool hasOffset = words.size() == 4;
  ParameterAccess access{isLoad, words[0].substr(9), isLoad ? words[2] : words[1], 0, isLoad ? words[1] : words.back()};
  std::string_view offset = hasOffset ? words[isLoad ? 3 : 2] : "0";
  if (std::from_chars(offset.data(), offset.data() + offset.size(), access.offset).ptr != offset.data() + offset.size() ||
      bitsOf(access.type) == 0)
    return std::nullopt;
  return access;
}

struct Parameter {
  std::string_view name;
  unsigned bits;
};

struct Callee {
  std::vector<Parameter> parameters;
  std::string_view returned; ///< the parameter of its results
  std::string_view body;
  size_t instructions = 0;
};

/// `.param .b32 name`; bits 0: an array.
std::optional<Parameter> parameterOf(std::string_view text) {
  std::vector<std::string_view> words = wordsOf(text);
  if (words.size() < 3 || words[0] != ".param")
    return std::nullopt;
  if (words.size() == 3)
    return Parameter{words[2], bitsOf(words[1].substr(1))};
  bool isArray = words.size() == 6 && words[1] == ".align"; // .param .align 4 .b8 name[8]
  return isArray ? std::optional(Parameter{words[4], 0}) : std::nullopt;
}

/// Splits "(a, b)" at its commas; the text after it is left.
std::optional<std::vector<std::string_view>> takeList(std::string_view &text) {
  text = trimmed(text);
  size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos)
    return std::nullopt;
  std::vector<std::string_view> items;
  std::string_view inside = text.substr(1, close - 1);
  while (!trimmed(inside).empty()) {
    size_t comma = std::min(inside.find(','), inside.size());
    items.push_back(trimmed(inside.substr(0, comma)));
    inside.remove_prefix(std::min(comma + 1, inside.size()));
  }
  text.remove_prefix(close + 1);
  return items;
}

size_t closingBrace(std::string_view text, size_t open) {
  size_t depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    depth += text[at] == '{';
    if (text[at] == '}' && --depth == 0)
      return at;
  }
  return std::string_view::npos;
}

/// The function whose result stands at the start of `text`: `(.param .b32 r) name(.param .b32 a) { … }`. Nothing if it is a
/// declaration, has no result, or is no candidate.
std::optional<std::pair<std::string, Callee>> calleeAt(std::string_view text) {
  Callee callee;
  auto results = takeList(text);
  if (!results || results->size() != 1)
    return std::nullopt;
  std::optional<Parameter> returned = parameterOf((*results)[0]);
  text = trimmed(text);
  size_t nameEnd = std::min(text.find('('), text.size());
  std::string name(trimmed(text.substr(0, nameEnd)));
  text.remove_prefix(nameEnd);
  auto parameters = takeList(text);
  if (!returned || !parameters)
    return std::nullopt;
  callee.returned = returned->name;
  for (std::string_view item : *parameters) {
    std::optional<Parameter> parameter = parameterOf(item);
    if (!parameter || parameter->bits == 0)
      return std::nullopt;
    callee.parameters.push_back(*parameter);
  }
  text = trimmed(text);
  size_t close = text.starts_with('{') ? closingBrace(text, 0) : std::string_view::npos;
  if (close == std::string_view::npos)
    return std::nullopt;
  callee.body = text.substr(1, close - 1);
  callee.instructions = static_cast<size_t>(std::count(callee.body.begin(), callee.body.end(), ';'));
  bool hasMemory =
      callee.body.find(".local") != std::string_view::npos || callee.body.find(".shared") != std::string_view::npos;
  return hasMemory ? std::nullopt : std::optional(std::pair(name, callee));
}

std::map<std::string, Callee> calleesIn(std::string_view functions) {
  constexpr std::string_view word = ".func";
  std::map<std::string, Callee> callees;
  for (size_t at = functions.find(word); at != std::string_view::npos; at = functions.find(word, at + 1))
    if (auto callee = calleeAt(functions.substr(at + word.size())))
      callees.insert(std::move(*callee));
  return callees;
}

/// A value that a call gives back: where it is in the results, and its width.
using Piece = std::pair<unsigned, unsigned>;

bool overlap(const Piece &one, const Piece &other) {
  return one.first < other.first + other.second / 8 && other.first < one.first + one.second / 8;
}

std::string inputName(size_t number) {
  return concat("%tw_in", number);
}
std::string outputName(unsigned offset) {
  return concat("%tw_out", offset);
}

/// The type of a register of the body, from its declaration `.reg .b16 %rs<4>;`; "" if there is none.
std::string_view registerType(std::string_view body, std::string_view name) {
  std::string_view prefix = name.substr(0, name.find_last_not_of("0123456789") + 1);
  for (std::string_view line : linesOf(body)) {
    std::vector<std::string_view> words = wordsOf(line);
    if (words.size() >= 3 && words[0] == ".reg" && words[2] == prefix)
      return words[1].substr(1);
  }
  return "";
}

/// What takes the place of the body's load of a parameter that is in a register; nothing if there is no such thing. Of a narrow
/// load of a wide parameter that is a conversion of its low bits.
std::optional<std::string> inputInstead(const Callee &callee, const ParameterAccess &access, size_t number) {
  unsigned wanted = bitsOf(access.type), given = callee.parameters[number].bits;
  if (access.offset != 0 || wanted > given)
    return std::nullopt;
  if (wanted == given)
    return concat("\tmov.", access.type, ' ', access.value, ", ", inputName(number), ";\n");
  unsigned registerBits = bitsOf(registerType(callee.body, access.value));
  char sign = access.type[0] == 's' ? 's' : 'u';
  if (registerBits < 16 || registerBits < wanted || access.type[0] == 'f')
    return std::nullopt;
  return concat("\tcvt.", sign, registerBits, '.', sign, wanted, ' ', access.value, ", ", inputName(number), ";\n");
}

/// The callee's body between the registers of its parameters and results; nothing if it cannot stand there.
std::optional<std::string> bodyOf(const Callee &callee, const std::vector<Piece> &outputs) {
  std::string text;
  for (std::string_view line : linesOf(callee.body)) {
    std::string_view content = trimmed(line);
    std::optional<ParameterAccess> access = accessOf(content);
    auto isOurs = [&](std::string_view name) {
      return access ? access->name == name : content.find(name) != std::string_view::npos;
    };
    if (isOurs(callee.returned)) {
      if (!access || access->isLoad)
        return std::nullopt;
      Piece stored(access->offset, bitsOf(access->type));
      if (std::find(outputs.begin(), outputs.end(), stored) != outputs.end())
        text += concat("\tmov.", access->type, ' ', outputName(access->offset), ", ", access->value, ";\n");
      else if (std::any_of(outputs.begin(), outputs.end(), [&](const Piece &output) { return overlap(output, stored); }))
        return std::nullopt;
      continue; // what the caller does not look at is not stored
    }
    auto parameter = std::find_if(callee.parameters.begin(), callee.parameters.end(),
                                  [&](const Parameter &each) { return isOurs(each.name); });
    if (parameter != callee.parameters.end()) {
      size_t number = static_cast<size_t>(parameter - callee.parameters.begin());
      std::optional<std::string> instead = access && access->isLoad ? inputInstead(callee, *access, number) : std::nullopt;
      if (!instead)
        return std::nullopt;
      text += *instead;
      continue;
    }
    bool returns = content == "ret;" || content.ends_with(" ret;") || content.ends_with("\tret;"); // perhaps under a predicate
    std::string_view rest = content.substr(0, content.size() - (returns ? 4 : 0));
    std::vector<std::string_view> words = wordsOf(rest);
    if (std::any_of(words.begin(), words.end(), [](std::string_view word) { return word == "ret" || word == "ret.uni"; }))
      return std::nullopt;
    text += concat('\t', rest, returns ? "bra $tw_returned;" : "", '\n');
  }
  return text;
}

/// A call and what stands around it, from `{ // callseq` to its brace.
struct Call {
  std::string callee;
  std::map<std::string_view, ParameterAccess> inputs; ///< by the parameter's name
  std::vector<std::string_view> parameters;
  std::vector<ParameterAccess> outputs;
};

/// Nothing: there is a line of another kind.
std::optional<Call> callIn(const std::vector<std::string_view> &lines) {
  Call call;
  for (std::string_view line : lines) {
    line = trimmed(line);
    if (line.empty() || line.starts_with(".param") || line.starts_with(".loc"))
      continue;
    if (std::optional<ParameterAccess> access = accessOf(line)) {
      if (access->isLoad)
        call.outputs.push_back(*access);
      else if (access->offset != 0 || !call.inputs.emplace(access->name, *access).second)
        return std::nullopt;
      continue;
    }
    std::string_view rest = line.starts_with("call") ? line.substr(std::min(line.find_first_of(" \t"), line.size())) : "";
    auto results = takeList(rest);
    size_t comma = rest.find(','), next = rest.find(',', comma + 1);
    if (!results || comma == std::string_view::npos || !call.callee.empty())
      return std::nullopt;
    call.callee = std::string(trimmed(rest.substr(comma + 1, next - comma - 1)));
    rest = next == std::string_view::npos ? std::string_view("()") : rest.substr(next + 1);
    if (call.callee.ends_with(';'))
      call.callee.pop_back();
    auto parameters = takeList(rest);
    if (!parameters)
      return std::nullopt;
    call.parameters = *parameters;
  }
  return call.callee.empty() ? std::nullopt : std::optional(std::move(call));
}

std::optional<std::string> inlined(const Call &call, const Callee &callee) {
  if (call.parameters.size() != callee.parameters.size())
    return std::nullopt;
  std::string text = concat("\t{ // ", call.callee, '\n'), after;
  for (size_t number = 0; number < call.parameters.size(); ++number) {
    auto input = call.inputs.find(call.parameters[number]);
    if (input == call.inputs.end() || bitsOf(input->second.type) != callee.parameters[number].bits)
      return std::nullopt;
    text += concat("\t.reg .b", callee.parameters[number].bits, ' ', inputName(number), ";\n\tmov.", input->second.type, ' ',
                   inputName(number), ", ", input->second.value, ";\n");
  }
  std::vector<Piece> outputs;
  for (const ParameterAccess &output : call.outputs) {
    outputs.emplace_back(output.offset, bitsOf(output.type));
    text += concat("\t.reg .b", bitsOf(output.type), ' ', outputName(output.offset), ";\n");
    after += concat("\tmov.", output.type, ' ', output.value, ", ", outputName(output.offset), ";\n");
  }
  std::optional<std::string> body = bodyOf(callee, outputs);
  return body ? std::optional(concat(text, "\t{\n", *body, "\t}\n$tw_returned:\n", after, "\t}\n")) : std::nullopt;
}

} // namespace

std::string tilewright::runtime::cuda::inlineCalls(std::string_view module, std::string_view functions) {
  std::map<std::string, Callee> callees = calleesIn(functions);
  std::string text;
  size_t instructions = 0;
  std::vector<std::string_view> lines = linesOf(module);
  for (size_t at = 0; at < lines.size(); ++at) {
    auto end = lines.begin() + static_cast<std::ptrdiff_t>(at);
    if (trimmed(lines[at]).starts_with("{ // callseq"))
      end = std::find_if(end, lines.end(), [](std::string_view line) { return trimmed(line).starts_with("} // callseq"); });
    size_t last = static_cast<size_t>(end - lines.begin());
    std::optional<Call> call;
    if (last > at && last < lines.size())
      call = callIn(std::vector<std::string_view>(lines.begin() + static_cast<std::ptrdiff_t>(at) + 1, end));
    auto callee = call ? callees.find(call->callee) : callees.end();
    std::optional<std::string> body;
    if (callee != callees.end() && instructions + callee->second.instructions <= mostInstructions)
      body = inlined(*call, callee->second);
    if (body) {
      instructions += callee->second.instructions;
      text += *body;
      at = last;
    } else {
      text += lines[at];
      text += '\n';
    }
  }
  return text;
}
