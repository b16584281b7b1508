#include "runtime/emulator/Shadow.h"

#include <algorithm>

using namespace tilewright::runtime::emulator;

namespace {

bool isOrdered(const Accessor &before, const Accessor &who, const Clocks &known, uint32_t lastSync) {
  if (before.warp != who.warp)
    return known[before.warp] >= before.clock;
  return before.lane == who.lane || before.clock <= lastSync;
}

} // namespace

void tilewright::runtime::emulator::join(Clocks &into, const Clocks &from) {
  for (size_t warp = 0; warp < from.size(); ++warp)
    into[warp] = std::max(into[warp], from[warp]);
}

Shadow::Shadow(uint32_t size, unsigned warps)
    : warps(warps), words((size + 3) / 4), isSplit((size + 3) / 4), isDefined((size + 3) / 4) {}

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

std::optional<Conflict::Kind> Shadow::afterWrite(const Cell &cell, const Accessor &who, const Clocks &known,
                                                 uint32_t lastSync) const {
  if (cell.isInFlight)
    return Conflict::Kind::InFlight;
  if (cell.write.warp == Accessor::none || isOrdered(cell.write, who, known, lastSync) || (cell.write.isStrong && who.isStrong))
    return std::nullopt;
  return Conflict::Kind::AfterWrite;
}

const Accessor *Shadow::unorderedReader(const Cell &cell, const Accessor &who, const Clocks &known, uint32_t lastSync) const {
  auto isUnordered = [&](const Accessor &reader) {
    if (reader.warp == Accessor::none || (reader.isStrong && who.isStrong))
      return false;
    bool sameThread = reader.warp == who.warp && reader.lane == who.lane;
    return !sameThread && !isOrdered(reader, who, known, lastSync);
  };
  if (!cell.readers)
    return isUnordered(cell.reader) ? &cell.reader : nullptr;
  for (const Accessor &reader : several[cell.readers - 1].by)
    if (isUnordered(reader))
      return &reader;
  return nullptr;
}

void Shadow::noteReader(Cell &cell, const Accessor &who, const Clocks &known, uint32_t lastSync) {
  auto put = [&](Accessor &reader) {
    bool another = reader.warp == who.warp && reader.lane != who.lane && reader.clock > lastSync;
    bool weak = another && !reader.isStrong;
    reader = who;
    if (another)
      reader.lane = Accessor::severalLanes;
    if (weak)
      reader.isStrong = false;
  };
  if (cell.readers)
    return put(several[cell.readers - 1].by[who.warp]);
  if (cell.reader.warp == Accessor::none || cell.reader.warp == who.warp || isOrdered(cell.reader, who, known, lastSync))
    return put(cell.reader);
  if (freeSeveral.empty()) {
    several.emplace_back();
    freeSeveral.push_back(static_cast<uint32_t>(several.size()));
  }
  cell.readers = freeSeveral.back();
  freeSeveral.pop_back();
  std::vector<Accessor> &by = several[cell.readers - 1].by;
  by.assign(warps, Accessor());
  by[cell.reader.warp] = cell.reader;
  put(by[who.warp]);
}

void Shadow::noteWrite(Cell &cell, const Accessor &who) {
  cell.write = who;
  cell.reader.warp = Accessor::none;
  if (cell.readers)
    freeSeveral.push_back(cell.readers);
  cell.readers = 0;
}

std::optional<Conflict> Shadow::read(uint32_t offset, uint32_t count, const Accessor &who, const Clocks &known,
                                     uint32_t lastSync) {
  // Most reads are of one whole word, and find nothing.
  if (uint32_t word = offset / 4; count == 4 && offset % 4 == 0 && !isSplit[word] && isDefined[word] == 0xf) {
    Cell &cell = words[word];
    if (!afterWrite(cell, who, known, lastSync)) {
      noteReader(cell, who, known, lastSync);
      return std::nullopt;
    }
  }
  return visit(offset, count, [&](Cell &cell, uint32_t word, uint8_t mask) -> std::optional<Conflict> {
    if (auto kind = afterWrite(cell, who, known, lastSync))
      return Conflict{*kind, cell.write, word * 4};
    if ((isDefined[word] & mask) != mask)
      return Conflict{Conflict::Kind::Uninitialized, {}, word * 4};
    noteReader(cell, who, known, lastSync);
    return std::nullopt;
  });
}

std::optional<Conflict> Shadow::write(uint32_t offset, uint32_t count, const Accessor &who, const Clocks &known,
                                      uint32_t lastSync, bool isSameValue) {
  return visit(offset, count, [&](Cell &cell, uint32_t word, uint8_t mask) -> std::optional<Conflict> {
    bool together = cell.write.warp == who.warp && cell.write.step == who.step && cell.write.instruction == who.instruction;
    if (auto kind = afterWrite(cell, who, known, lastSync); kind && !(together && isSameValue && !cell.isInFlight))
      return Conflict{*kind, cell.write, word * 4};
    if (const Accessor *reader = unorderedReader(cell, who, known, lastSync))
      return Conflict{Conflict::Kind::AfterRead, *reader, word * 4};
    noteWrite(cell, who);
    isDefined[word] |= mask;
    return std::nullopt;
  });
}

std::optional<Conflict> Shadow::begin(uint32_t offset, uint32_t count, const Accessor &who, const Clocks &known,
                                      uint32_t lastSync) {
  std::optional<Conflict> conflict = write(offset, count, who, known, lastSync, false);
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
