#include "runtime/emulator/Async.h"

#include "runtime/emulator/Cluster.h"

#include <cstring>

using namespace tilewright::runtime::emulator;

void Async::commit(unsigned thread) {
  ofThread(thread).groups.push_back(std::move(ofThread(thread).open));
  ofThread(thread).open.clear();
}

void Async::issue(Block &block, unsigned thread, const Copy &copy) {
  ofThread(thread).open.push_back(std::make_shared<Copy>(copy));
  if (block.chance(4))
    land(block, *ofThread(thread).open.back());
}

void Async::land(Block &block, Copy &copy) {
  if (copy.hasLanded)
    return;
  copy.hasLanded = true;
  std::byte *to = block.shared.data() + copy.destination;
  if (copy.sourceBytes)
    memcpy(to, copy.source, copy.sourceBytes);
  memset(to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
}

void Async::complete(Block &block, Copy &copy) {
  if (copy.isDone)
    return;
  land(block, copy);
  copy.isDone = true;
  if (!block.launch.options.checkRaces)
    return;
  copy.who.clock = block.cluster.warp(copy.who.party).known.clocks[copy.who.party];
  block.shadow.settle(copy.destination, copy.bytes, copy.who);
}

void Async::wait(Block &block, unsigned thread, uint32_t left) {
  auto &groups = ofThread(thread).groups;
  if (groups.size() <= left)
    return;
  auto end = groups.end() - static_cast<std::ptrdiff_t>(left);
  for (auto group = groups.begin(); group != end; ++group)
    for (auto &copy : *group)
      complete(block, *copy);
  groups.erase(groups.begin(), end);
}

void Async::waitAll(Block &block, unsigned thread) {
  wait(block, thread, 0);
  for (auto &copy : ofThread(thread).open)
    complete(block, *copy);
  ofThread(thread).open.clear();
}

void Async::arriveAfter(unsigned thread, uint32_t mbarrier, const Accessor &who) {
  AsyncArrive arrive{mbarrier, who, {}};
  for (const auto &group : ofThread(thread).groups)
    arrive.copies.insert(arrive.copies.end(), group.begin(), group.end());
  arrive.copies.insert(arrive.copies.end(), ofThread(thread).open.begin(), ofThread(thread).open.end());
  arrives.push_back(std::move(arrive));
}

void Async::fire(Block &block, size_t index) {
  AsyncArrive arrive = std::move(arrives[index]);
  arrives.erase(arrives.begin() + static_cast<std::ptrdiff_t>(index));
  for (auto &copy : arrive.copies)
    complete(block, *copy);
  Mbarrier *barrier = block.mbarrier(arrive.mbarrier);
  if (!barrier || barrier->pending == 0)
    return;
  block.cluster.warp(arrive.who.party).release(barrier->arrivals);
  --barrier->pending;
  block.update(*barrier, arrive.mbarrier);
}
