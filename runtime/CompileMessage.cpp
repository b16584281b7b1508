// A message is a row of numbers (8 bytes) and texts (their length, then their bytes), in the order of `pass`, which serves both
// directions. It begins with the release and the kind, and ends with a mark, so that a part of one is no message.

#include "runtime/CompileMessage.h"

#include "runtime/Version.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

using namespace tilewright::runtime;

namespace {

constexpr const char *requestHead = "tilewright-compile " TILEWRIGHT_VERSION " request";
constexpr const char *answerHead = "tilewright-compile " TILEWRIGHT_VERSION " answer";
constexpr uint64_t mark = 0x656c6f6877206c6c; // "ll whole"

class Writer {
public:
  void number(uint64_t &value) { bytes.append(reinterpret_cast<const char *>(&value), sizeof(value)); }
  void text(std::string &value) {
    uint64_t size = value.size();
    number(size);
    bytes += value;
  }
  template <typename Element> void resize(std::vector<Element> &, uint64_t) {}

  std::string bytes;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  void number(uint64_t &value) {
    isGood &= rest.size() >= sizeof(value);
    if (!isGood)
      return;
    std::memcpy(&value, rest.data(), sizeof(value));
    rest.remove_prefix(sizeof(value));
  }
  void text(std::string &value) {
    uint64_t size = 0;
    number(size);
    isGood &= size <= rest.size();
    if (!isGood)
      return;
    value = rest.substr(0, size);
    rest.remove_prefix(size);
  }
  template <typename Element> void resize(std::vector<Element> &list, uint64_t count) {
    isGood &= count <= rest.size(); // no element is empty
    list.resize(isGood ? count : 0);
  }

  bool isWhole() const { return isGood && rest.empty(); }

private:
  std::string_view rest;
  bool isGood = true;
};

template <typename Message> void pass(Message &message, std::string &text) {
  message.text(text);
}

template <typename Message, typename Number>
  requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>)
void pass(Message &message, Number &value) {
  auto wide = static_cast<uint64_t>(static_cast<int64_t>(value));
  message.number(wide);
  value = static_cast<Number>(static_cast<int64_t>(wide));
}

template <typename Message, typename First, typename Second> void pass(Message &message, std::pair<First, Second> &pair);
template <typename Message> void pass(Message &message, ViewFacts &facts);
template <typename Message> void pass(Message &message, SourceTexts::Import &import);

template <typename Message, typename Element> void pass(Message &message, std::vector<Element> &list) {
  uint64_t count = list.size();
  message.number(count);
  message.resize(list, count);
  for (Element &element : list)
    pass(message, element);
}

template <typename Message, typename First, typename Second> void pass(Message &message, std::pair<First, Second> &pair) {
  pass(message, pair.first);
  pass(message, pair.second);
}

template <typename Message> void pass(Message &message, ViewFacts &facts) {
  pass(message, facts.unitStrideDimension);
  pass(message, facts.packRank);
  pass(message, facts.alignment);
  pass(message, facts.packRun);
}

template <typename Message> void pass(Message &message, SourceTexts::Import &import) {
  pass(message, import.path);
  pass(message, import.importer);
  pass(message, import.text);
}

template <typename Message> void pass(Message &message, SourceTexts &source) {
  pass(message, source.name);
  pass(message, source.text);
  pass(message, source.imports);
}

template <typename Message> void pass(Message &message, CompileRequest &request) {
  pass(message, request.source);
  Specialization &specialization = request.specialization;
  for (std::string *text : {&specialization.kernel, &specialization.target, &specialization.schedule})
    pass(message, *text);
  pass(message, specialization.checked);
  pass(message, specialization.remarks);
  for (std::vector<NamedText> *list : {&specialization.statics, &specialization.tunables, &specialization.hints})
    pass(message, *list);
  pass(message, specialization.presentViews);
  pass(message, specialization.views);
  pass(message, request.stage);
}

template <typename Message> void pass(Message &message, CompileAnswer &answer) {
  pass(message, answer.status);
  pass(message, answer.output);
  pass(message, answer.diagnostics);
}

template <typename Content> std::string encodeWith(const char *head, Content content) {
  Writer writer;
  std::string begin = head;
  uint64_t end = mark;
  writer.text(begin);
  pass(writer, content);
  writer.number(end);
  return std::move(writer.bytes);
}

template <typename Content> std::optional<Content> decodeWith(const char *head, std::string_view bytes) {
  Reader reader(bytes);
  std::string begin;
  uint64_t end = 0;
  Content content;
  reader.text(begin);
  pass(reader, content);
  reader.number(end);
  if (!reader.isWhole() || begin != head || end != mark)
    return std::nullopt;
  return content;
}

} // namespace

std::string SourceTexts::key() const {
  Writer writer;
  SourceTexts copy = *this;
  pass(writer, copy);
  return std::move(writer.bytes);
}

std::string tilewright::runtime::encode(const CompileRequest &request) {
  return encodeWith(requestHead, request);
}
std::string tilewright::runtime::encode(const CompileAnswer &answer) {
  return encodeWith(answerHead, answer);
}
std::optional<CompileRequest> tilewright::runtime::decodeRequest(std::string_view bytes) {
  return decodeWith<CompileRequest>(requestHead, bytes);
}
std::optional<CompileAnswer> tilewright::runtime::decodeAnswer(std::string_view bytes) {
  return decodeWith<CompileAnswer>(answerHead, bytes);
}
