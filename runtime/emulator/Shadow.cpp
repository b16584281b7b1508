#include "runtime/emulator/Shadow.h"

#include <algorithm>

using namespace tilewright::runtime::emulator;

namespace {

bool isOrdered(const Accessor &before, const Actor &who) {
  if (before.party != who.warp)
    return who.known.clocks[before.party] >= before.clock;
  return before.lane == who.lane || who.lane == Accessor::severalLanes || before.clock <= who.lastSync;
}

bool isFenced(const Accessor &before, const Actor &who) {
  if (who.known.fenced[before.party] >= before.clock)
    return true;
  return before.party == who.warp && before.lane == who.lane && before.clock <= who.ownFence;
}

} // namespace

Shadow::Shadow(uint32_t size, bool findsUninitialized)
    : findsUninitialized(findsUninitialized), words((size + 3) / 4), isSplit((size + 3) / 4), isDefined((size + 3) / 4) {}

void Shadow::split(uint32_t word) {
  if (bytes.empty())
    bytes.resize(words.size() * 4);
  for (unsigned byte = 0; byte < 4; ++byte) {
    Cell &part = bytes[word * 4 + byte];
    part = words[word];
    if (part.readers && byte > 0) {
      several.push_back(several[part.readers - 1]);
      part.readers = static_cast<uint32_t>(several.size());
    }
  }
  isSplit[word] = 1;
}

/// Calls visitCell(cell, word, mask of bytes) for the cells of a range; stops at the first conflict.
template <typename Visit> std::optional<Conflict> Shadow::visit(uint32_t offset, uint32_t count, Visit visitCell) {
  for (uint32_t at = offset, end = offset + count; at < end;) {
    uint32_t word = at / 4, first = at % 4, last = std::min(end - word * 4, 4u);
    if (last - first < 4 && !isSplit[word])
      split(word);
    if (!isSplit[word]) {
      if (std::optional<Conflict> conflict = visitCell(words[word], word, 0xf))
        return conflict;
    } else {
      for (uint32_t byte = first; byte < last; ++byte)
        if (std::optional<Conflict> conflict = visitCell(bytes[word * 4 + byte], word, static_cast<uint8_t>(1u << byte)))
          return conflict;
    }
    at = word * 4 + last;
  }
  return std::nullopt;
}

std::optional<Conflict::Kind> Shadow::afterWrite(const Cell &cell, const Actor &who) const {
  if (cell.isInFlight)
    return Conflict::Kind::InFlight;
  if (cell.write.party == Accessor::none)
    return std::nullopt;
  if (!isOrdered(cell.write, who)) {
    if (cell.write.isStrong && who.as.isStrong)
      return std::nullopt;
    return cell.write.isAsync ? Conflict::Kind::InFlight : Conflict::Kind::AfterWrite;
  }
  if (who.as.isAsync && !cell.write.isAsync && !isFenced(cell.write, who))
    return Conflict::Kind::Unfenced;
  return std::nullopt;
}

const Accessor *Shadow::unorderedReader(const Cell &cell, const Actor &who) const {
  auto isUnordered = [&](const Accessor &reader) {
    return reader.party != Accessor::none && !(reader.isStrong && who.as.isStrong) && !isOrdered(reader, who);
  };
  if (!cell.readers)
    return isUnordered(cell.reader) ? &cell.reader : nullptr;
  for (const Accessor &reader : several[cell.readers - 1])
    if (isUnordered(reader))
      return &reader;
  return nullptr;
}

void Shadow::noteReader(Cell &cell, const Actor &who) {
  auto put = [&](Accessor &reader) {
    bool another = reader.party == who.as.party && reader.lane != who.as.lane && reader.clock > who.lastSync;
    bool weak = another && !reader.isStrong;
    reader = who.as;
    if (another)
      reader.lane = Accessor::severalLanes;
    if (weak)
      reader.isStrong = false;
  };
  if (cell.readers) {
    std::vector<Accessor> &all = several[cell.readers - 1];
    auto its = std::find_if(all.begin(), all.end(), [&](const Accessor &reader) { return reader.party == who.as.party; });
    return put(its == all.end() ? all.emplace_back() : *its);
  }
  if (cell.reader.party == Accessor::none || cell.reader.party == who.as.party || isOrdered(cell.reader, who))
    return put(cell.reader);
  if (freeSeveral.empty()) {
    several.emplace_back();
    freeSeveral.push_back(static_cast<uint32_t>(several.size()));
  }
  cell.readers = freeSeveral.back();
  freeSeveral.pop_back();
  several[cell.readers - 1] = {cell.reader, who.as};
}

void Shadow::noteWrite(Cell &cell, const Accessor &who) {
  cell.write = who;
  cell.reader.party = Accessor::none;
  if (cell.readers)
    freeSeveral.push_back(cell.readers);
  cell.readers = 0;
}

std::optional<Conflict> Shadow::read(uint32_t offset, uint32_t count, const Actor &who) {
  // Most reads are of one whole word, and find nothing.
  if (uint32_t word = offset / 4; count == 4 && offset % 4 == 0 && !isSplit[word] && isDefined[word] == 0xf) {
    Cell &cell = words[word];
    if (!afterWrite(cell, who)) {
      noteReader(cell, who);
      return std::nullopt;
    }
  }
  return visit(offset, count, [&](Cell &cell, uint32_t word, uint8_t mask) -> std::optional<Conflict> {
    if (auto kind = afterWrite(cell, who))
      return Conflict{*kind, cell.write, word * 4};
    if (findsUninitialized && (isDefined[word] & mask) != mask)
      return Conflict{Conflict::Kind::Uninitialized, {}, word * 4};
    noteReader(cell, who);
    return std::nullopt;
  });
}

std::optional<Conflict> Shadow::readOperand(uint32_t offset, uint32_t count, const Actor &who, bool notes) {
  // Most pieces of 16 bytes were written at once, and one look at the writer will do.
  uint32_t first = offset / 4;
  auto isLikeFirst = [&](uint32_t word) {
    return !isSplit[word] && words[word].write == words[first].write && !words[word].isInFlight;
  };
  if (offset % 4 == 0 && count == 16 && isLikeFirst(first) && isLikeFirst(first + 1) && isLikeFirst(first + 2) &&
      isLikeFirst(first + 3) && !afterWrite(words[first], who)) {
    for (uint32_t word = first; notes && word < first + 4; ++word)
      noteReader(words[word], who);
    return std::nullopt;
  }
  return visit(offset, count, [&](Cell &cell, uint32_t word, uint8_t) -> std::optional<Conflict> {
    if (auto kind = afterWrite(cell, who))
      return Conflict{*kind, cell.write, word * 4};
    if (notes)
      noteReader(cell, who);
    return std::nullopt;
  });
}

bool Shadow::hasWritten(uint32_t offset, uint32_t count) const {
  return !findsUninitialized || std::any_of(isDefined.begin() + offset / 4, isDefined.begin() + (offset + count + 3) / 4,
                                            [](uint8_t mask) { return mask != 0; });
}

std::optional<Conflict> Shadow::write(uint32_t offset, uint32_t count, const Actor &who, bool isSameValue) {
  return visit(offset, count, [&](Cell &cell, uint32_t word, uint8_t mask) -> std::optional<Conflict> {
    bool together = cell.write.party == who.as.party && cell.write.step == who.as.step &&
                    cell.write.instruction == who.as.instruction && !who.as.isAsync;
    if (auto kind = afterWrite(cell, who); kind && !(together && isSameValue && !cell.isInFlight))
      return Conflict{*kind, cell.write, word * 4};
    if (const Accessor *reader = unorderedReader(cell, who))
      return Conflict{Conflict::Kind::AfterRead, *reader, word * 4};
    noteWrite(cell, who.as);
    isDefined[word] |= mask;
    return std::nullopt;
  });
}

std::optional<Conflict> Shadow::begin(uint32_t offset, uint32_t count, const Actor &who) {
  std::optional<Conflict> conflict = write(offset, count, who, false);
  if (!conflict)
    visit(offset, count, [](Cell &cell, uint32_t, uint8_t) -> std::optional<Conflict> {
      cell.isInFlight = true;
      return std::nullopt;
    });
  return conflict;
}

void Shadow::settle(uint32_t offset, uint32_t count, const Accessor &who) {
  visit(offset, count, [&](Cell &cell, uint32_t, uint8_t) -> std::optional<Conflict> {
    cell.isInFlight = false;
    cell.write = who;
    return std::nullopt;
  });
}
