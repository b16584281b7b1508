#include "runtime/emulator/Warp.h"

#include "runtime/Text.h"
#include "runtime/emulator/Cluster.h"
#include "runtime/emulator/Lexer.h"
#include "runtime/emulator/Mnemonic.h"

#include <algorithm>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

/// Registers per thread when a kernel begins. They are allocated by eights; each of a multiprocessor's four schedulers has 16
/// K.
uint32_t registersAtEntry(const Function &kernel, unsigned threads) {
  if (kernel.maxRegisters)
    return kernel.maxRegisters;
  if (!kernel.minBlocks)
    return 0;
  unsigned warpsPerScheduler = ((threads + warpSize - 1) / warpSize + 3) / 4 * kernel.minBlocks;
  return std::min(16384 / (warpsPerScheduler * warpSize) / 8 * 8, 255u);
}

/// After how many choices the lanes that are furthest go on for once.
constexpr uint64_t fairness = 1024;

} // namespace

Warp::Warp(Block &block, unsigned number, uint16_t party, uint32_t lanes)
    : block(block), program(block.launch.program), number(number), party(party), live(lanes),
      registers(block.launch.kernel.registerBytes), specials(offsetOf(Special::Count)),
      localBytes((block.launch.kernel.localBytes + 15) / 16 * 16) {
  localMemory.resize(static_cast<size_t>(localBytes) * warpSize);
  banks[static_cast<unsigned>(Bank::Registers)] = registers.data();
  banks[static_cast<unsigned>(Bank::Constants)] = program.constants.data();
  banks[static_cast<unsigned>(Bank::Warp)] = specials.data();
  banks[static_cast<unsigned>(Bank::Block)] = block.specials.data();
  pcs.fill(block.launch.kernel.begin);
  known.clocks.raise(party, 1);
  registersPerThread = registersAtEntry(block.launch.kernel, block.threadCount());
  fillSpecials();
}

void Warp::fillSpecials() {
  auto fill = [&](Special special, auto valueOf) {
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      uint32_t value = valueOf(lane);
      memcpy(specials.data() + offsetOf(special) + lane * 4, &value, 4);
    }
  };
  Index3 threads[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    threads[lane] = block.threadIndex(number * warpSize + lane);
  fill(Special::TidX, [&](unsigned lane) { return threads[lane].x; });
  fill(Special::TidY, [&](unsigned lane) { return threads[lane].y; });
  fill(Special::TidZ, [&](unsigned lane) { return threads[lane].z; });
  fill(Special::WarpId, [&](unsigned) { return number; });
  fill(Special::LaneId, [](unsigned lane) { return lane; });
  fill(Special::LaneMaskEq, [](unsigned lane) { return 1u << lane; });
  fill(Special::LaneMaskLe, [](unsigned lane) { return (2u << lane) - 1; });
  fill(Special::LaneMaskLt, [](unsigned lane) { return (1u << lane) - 1; });
  fill(Special::LaneMaskGe, [](unsigned lane) { return ~((1u << lane) - 1); });
  fill(Special::LaneMaskGt, [](unsigned lane) { return ~((2u << lane) - 1); });
}

/// Clocks count the warp's instructions, so that they are the same in every run.
void Warp::refreshClock() {
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    uint32_t low = static_cast<uint32_t>(steps), high = static_cast<uint32_t>(steps >> 32);
    for (Special special : {Special::Clock, Special::GlobalTimerLow})
      memcpy(specials.data() + offsetOf(special) + lane * 4, &low, 4);
    for (Special special : {Special::ClockHigh, Special::GlobalTimerHigh})
      memcpy(specials.data() + offsetOf(special) + lane * 4, &high, 4);
    for (Special special : {Special::Clock64, Special::GlobalTimer})
      memcpy(specials.data() + offsetOf(special) + lane * 8, &steps, 8);
  }
}

uint64_t Warp::value(const Operand &operand, unsigned lane) const {
  switch (operand.bytes) {
  case 2:
    return in<uint16_t>(operand)[lane];
  case 4:
    return in<uint32_t>(operand)[lane];
  case 8:
    return in<uint64_t>(operand)[lane];
  default:
    return predicate(operand) >> lane & 1;
  }
}

void Warp::addresses(const Operand &operand, uint64_t (&to)[warpSize]) const {
  uint64_t displacement = static_cast<uint64_t>(operand.value);
  if (operand.bytes == 8) {
    const uint64_t *base = in<uint64_t>(operand);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      to[lane] = base[lane] + displacement;
  } else {
    const uint32_t *base = in<uint32_t>(operand);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      to[lane] = base[lane] + displacement;
  }
}

void Warp::setValue(const Operand &operand, unsigned lane, uint64_t value) {
  switch (operand.bytes) {
  case 2:
    out<uint16_t>(operand)[lane] = static_cast<uint16_t>(value);
    break;
  case 4:
    out<uint32_t>(operand)[lane] = static_cast<uint32_t>(value);
    break;
  case 8:
    out<uint64_t>(operand)[lane] = value;
    break;
  default:
    setPredicate(operand, value ? allLanes : 0, 1u << lane);
  }
}

void Warp::run(uint64_t quantum) {
  mustYield = false;
  if (!select())
    return;
  const Instruction *code = program.code.data();
  uint64_t before = steps;
  for (uint64_t count = 0; count < quantum && !mustYield; ++count) {
    const Instruction &instruction = code[pc];
    uint32_t lanes = group;
    if (instruction.guard.offset != ~0u) {
      uint32_t mask;
      memcpy(&mask, registers.data() + instruction.guard.offset, 4);
      lanes &= instruction.guard.negated ? ~mask : mask;
    }
    if (lanes == 0) {
      advance();
      if (!group && !select())
        break;
      continue;
    }
    bool isFault = false;
    if (instruction.convergence != Convergence::None && !isComplete(instruction, lanes, isFault)) {
      if (isFault || !select())
        break;
      continue;
    }
    if (instruction.touchesMatrix && !checkMatrixRegisters(instruction))
      break;
    ++steps;
    laneSteps += static_cast<unsigned>(std::popcount(lanes));
    Outcome outcome = instruction.execute(*this, instruction, lanes);
    if (outcome == Outcome::Next)
      advance();
    else if (outcome == Outcome::Fault)
      break;
    if (!group && !select())
      break;
  }
  flush();
  group = 0;
  block.launch.steps.fetch_add(steps - before, std::memory_order_relaxed);
}

void Warp::flush() {
  for (unsigned lane : lanesOf(group))
    pcs[lane] = pc;
}

void Warp::advance() {
  ++pc;
  if (pc < nextOther)
    return;
  flush();
  group = 0;
}

/// Chooses the lanes that go on; false if none can.
bool Warp::select() {
  uint32_t candidates = live & ~waiting & ~parked;
  if (!candidates) {
    group = 0;
    if (parked && !waiting)
      reportDivergence();
    return false;
  }
  auto key = [&](unsigned lane) { return uint64_t(255 - depth[lane]) << 32 | pcs[lane]; };
  bool last = ++selections % fairness == 0;
  uint64_t best = 0;
  bool isFirst = true;
  for (unsigned lane : lanesOf(candidates)) {
    uint64_t its = key(lane);
    if (isFirst || (last ? its > best : its < best))
      best = its;
    isFirst = false;
  }
  group = 0;
  nextOther = ~0u;
  for (unsigned lane : lanesOf(live & ~waiting)) {
    uint64_t its = key(lane);
    if (its == best)
      group |= 1u << lane;
    else if (its > best && its >> 32 == best >> 32)
      nextOther = std::min(nextOther, pcs[lane]);
  }
  pc = static_cast<uint32_t>(best);
  parked &= ~group;
  return true;
}

/// Whether the lanes an instruction needs are there; if not, they are parked until they are.
bool Warp::isComplete(const Instruction &instruction, uint32_t lanes, bool &isFault) {
  uint32_t required = live;
  if (instruction.convergence == Convergence::Mask) {
    const Operand &mask = instruction.operand(instruction.operandCount - 1u);
    required = 0;
    for (unsigned lane : lanesOf(lanes)) {
      uint32_t its = in<uint32_t>(mask)[lane];
      if (!(its >> lane & 1)) {
        fault(FaultKind::Divergence, instruction, lane,
              concat("the member mask does not name the lane itself (lane ", lane, ')'));
        isFault = true;
        return false;
      }
      required |= its;
    }
    required &= live;
  }
  if (!(required & ~lanes))
    return true;
  if (required & group & ~lanes) {
    unsigned missing = static_cast<unsigned>(std::countr_zero(required & group & ~lanes));
    fault(FaultKind::Divergence, instruction, static_cast<unsigned>(std::countr_zero(lanes)),
          concat("lane ", missing, " of warp ", number, " must execute this instruction too, and its guard is false"),
          std::nullopt, {{place(instruction, missing), "the lane whose guard is false"}});
    isFault = true;
    return false;
  }
  flush();
  parked |= group;
  group = 0;
  return false;
}

void Warp::reportDivergence() {
  unsigned lane = static_cast<unsigned>(std::countr_zero(parked));
  for (unsigned other : lanesOf(parked))
    if (pcs[other] < pcs[lane])
      lane = other;
  const Instruction &instruction = program.code[pcs[lane]];
  std::vector<Party> parties;
  uint32_t elsewhere = 0;
  for (unsigned other : lanesOf(live))
    if (pcs[other] != pcs[lane]) {
      if (!elsewhere)
        parties.push_back({place(program.code[pcs[other]], other), "a lane that is elsewhere"});
      elsewhere |= 1u << other;
    }
  fault(FaultKind::Divergence, instruction, lane,
        concat(instruction.opcode->name,
               instruction.convergence == Convergence::Aligned ? " must be executed by all threads of the warp together, and "
                                                               : " names lanes that do not execute it: ",
               std::popcount(elsewhere), " of its ", std::popcount(live), " threads are at another instruction"),
        std::nullopt, std::move(parties));
}

Outcome Warp::jump(uint32_t lanes, uint32_t target) {
  if (lanes == group && nextOther == ~0u && group == live) {
    pc = target;
    return Outcome::Jumped;
  }
  for (unsigned lane : lanesOf(group))
    pcs[lane] = lanes >> lane & 1 ? target : pc + 1;
  group = 0;
  return Outcome::Jumped;
}

Outcome Warp::jumpEach(uint32_t lanes, const std::array<uint32_t, warpSize> &targets) {
  for (unsigned lane : lanesOf(group))
    pcs[lane] = lanes >> lane & 1 ? targets[lane] : pc + 1;
  group = 0;
  return Outcome::Jumped;
}

Outcome Warp::callFunction(const Instruction &instruction, uint32_t lanes) {
  const Call &call = program.calls[instruction.detail];
  const Function &callee = program.functions[call.function];
  for (size_t k = 0; k < call.arguments.size(); ++k)
    for (unsigned lane : lanesOf(lanes))
      memcpy(local(lane, callee.parameters[k].offset), local(lane, call.arguments[k]), callee.parameters[k].bytes);
  for (unsigned lane : lanesOf(lanes)) {
    if (callers.size() <= depth[lane])
      callers.emplace_back();
    callers[depth[lane]++][lane] = pc;
  }
  return jump(lanes, callee.begin);
}

Outcome Warp::returnFrom(uint32_t lanes) {
  uint32_t ending = 0;
  for (unsigned lane : lanesOf(lanes))
    ending |= depth[lane] == 0 ? 1u << lane : 0;
  if (ending)
    return exitLanes(lanes);
  for (unsigned lane : lanesOf(group))
    pcs[lane] = pc + 1;
  for (unsigned lane : lanesOf(lanes)) {
    uint32_t caller = callers[--depth[lane]][lane];
    const Call &call = program.calls[program.code[caller].detail];
    const Function &callee = program.functions[call.function];
    for (size_t k = 0; k < call.results.size(); ++k)
      memcpy(local(lane, call.results[k]), local(lane, callee.results[k].offset), callee.results[k].bytes);
    pcs[lane] = caller + 1;
  }
  group = 0;
  return Outcome::Jumped;
}

Outcome Warp::exitLanes(uint32_t lanes) {
  for (unsigned lane : lanesOf(group & ~lanes))
    pcs[lane] = pc + 1;
  live &= ~lanes;
  group = 0;
  block.warpExited(*this);
  return Outcome::Jumped;
}

Outcome Warp::waitFor(Wait::Kind kind, uint32_t id, uint64_t phase, uint32_t lanes) {
  waits.push_back({kind, id, lanes, pc, phase});
  waiting |= lanes;
  for (unsigned lane : lanesOf(group))
    pcs[lane] = lanes >> lane & 1 ? pc : pc + 1;
  group = 0;
  return Outcome::Waiting;
}

void Warp::wake(Wait::Kind kind, uint32_t id, bool behind, const NamedBarrier *completed) {
  std::erase_if(waits, [&](const Wait &wait) {
    if (wait.kind != kind || wait.id != id)
      return false;
    waiting &= ~wait.lanes;
    if (completed)
      deliverReduction(*this, program.code[wait.pc], wait.lanes, *completed);
    for (unsigned lane : lanesOf(wait.lanes))
      pcs[lane] = wait.pc + behind;
    return true;
  });
}

bool Warp::isAllAt(uint32_t barrier) const {
  uint32_t there = 0;
  for (const Wait &wait : waits)
    if (wait.kind == Wait::Kind::Barrier && wait.id == barrier)
      there |= wait.lanes;
  return live && (live & ~there) == 0;
}

void Warp::release(Knowledge &into) {
  into.join(known);
  // What one lane has fenced counts for the warp from here on.
  into.fenced.raise(party, *std::max_element(ownFence.begin(), ownFence.end()));
  known.clocks.raise(party, known.clocks[party] + 1);
}

/// What the warp's own lanes had released is ordered before what its lanes do from now on.
void Warp::acquire(const Knowledge &from) {
  known.join(from);
  lastSync = std::max(lastSync, from.clocks[party]);
}

void Warp::orderLanes() {
  lastSync = known.clocks[party];
  known.clocks.raise(party, lastSync + 1);
}

/// A fence by some lanes covers what they did, and what the others had done when the lanes were last ordered.
void Warp::fenceProxy(uint32_t lanes) {
  uint32_t now = known.clocks[party];
  Clocks covered = known.clocks;
  covered.set(party, live & ~lanes ? lastSync : now);
  known.fenced.join(covered);
  for (unsigned lane : lanesOf(lanes))
    ownFence[lane] = now;
  known.clocks.raise(party, now + 1);
}

Place Warp::place(const Instruction &instruction, unsigned lane) const {
  Place result;
  if (auto file = program.files.find(instruction.file); instruction.line && file != program.files.end()) {
    result.file = file->second;
    result.line = instruction.line;
  }
  result.ptxLine = instruction.ptxLine;
  result.ptxText = std::string(lineOf(program.source, instruction.ptxLine));
  result.block = block.index;
  result.thread = block.threadIndex(number * warpSize + lane);
  return result;
}

Outcome Warp::fault(FaultKind kind, const Instruction &instruction, unsigned lane, std::string message,
                    std::optional<uint64_t> address, std::vector<Party> parties) {
  block.report({kind, block.launch.kernel.name, place(instruction, lane), std::move(message), address, std::move(parties)});
  mustYield = true;
  return Outcome::Fault;
}

void Warp::describeWaits(std::vector<Party> &parties) const {
  for (const Wait &wait : waits) {
    std::string what =
        wait.kind == Wait::Kind::Barrier          ? concat("barrier ", wait.id)
        : wait.kind == Wait::Kind::Mbarrier       ? concat("the mbarrier at shared address ", wait.id, ", phase ", wait.phase)
        : wait.kind == Wait::Kind::ClusterBarrier ? concat("the cluster's barrier, phase ", wait.phase)
        : wait.kind == Wait::Kind::Registers      ? concat("setmaxnreg for ", wait.phase, " registers that nobody gives back")
                                                  : std::string("wgmma.wait_group, for other warps of the warpgroup");
    parties.push_back({place(program.code[wait.pc], static_cast<unsigned>(std::countr_zero(wait.lanes))),
                       concat("warp ", number, ", ", std::popcount(wait.lanes), " threads wait at ", what)});
  }
  if (parked) {
    unsigned lane = static_cast<unsigned>(std::countr_zero(parked));
    parties.push_back({place(program.code[pcs[lane]], lane),
                       concat("warp ", number, ", ", std::popcount(parked), " threads wait for other threads of their warp")});
  }
  if (uint32_t polling = live & ~waiting & ~parked) {
    unsigned lane = static_cast<unsigned>(std::countr_zero(polling));
    parties.push_back({place(program.code[pcs[lane]], lane),
                       concat("warp ", number, ", ", std::popcount(polling), " threads ask in a loop")});
  }
}
