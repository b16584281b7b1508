// Bulk copies and tensor maps: what they move, what waits for them, and what the asynchronous proxy needs.
#include "Machine.h"

#include <algorithm>
#include <numeric>

using namespace tilewright::runtime;
using namespace tilewright::runtime::emulator;

namespace {

struct Finding {
  std::string fault; // kind, or "none"
  std::vector<uint32_t> result;
  std::string text;
};

const std::string prologue = R"(
.shared .align 1024 .b8 buffer[8192];
.shared .align 8 .b64 barrier;
.reg .pred %p<6>; .reg .b16 %h<4>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
mov.u32 %r0, %tid.x; mov.u32 %r1, buffer; mov.u32 %r8, barrier; mov.u32 %r7, %cluster_ctarank;
mad.lo.u32 %r2, %r0, 4, %r1; setp.eq.u32 %p0, %r0, 0; setp.lt.u32 %p1, %r0, 32; setp.eq.u32 %p3, %r7, 0; mov.u32 %r5, 0;
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; mov.u32 %r9, %ctaid.x; shl.b32 %r9, %r9, 6; add.u32 %r9, %r9, %r0;
mad.wide.u32 %rd2, %r9, 4, %rd1; mov.b64 %rd3, map; cvta.param.u64 %rd3, %rd3;
)";
const std::string init = "@%p0 mbarrier.init.shared.b64 [%r8], 1; @%p0 fence.mbarrier_init.release.cluster; bar.sync 0; ";
const std::string meet = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ";
const std::string waitPhase = "w: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0; @!%p2 bra w; ";
const std::string announce = "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r8], ";
const std::string store = "\nst.global.u32 [%rd2], %r5;";

TensorMapRequest requestFor(uint64_t address) {
  // 16 rows of 64 words.
  TensorMapRequest request;
  request.type = Type::U32;
  request.rank = 2;
  request.address = address;
  request.extents = {64, 16};
  request.strides = {256};
  request.box = {8, 4};
  return request;
}

/// `blocks` (a cluster) of 64 threads; `in` holds 0 … 1023; `out` is as large; the map is of the one that `mapsOutput` says.
Finding runBody(const std::string &body, std::optional<uint64_t> seed = {}, bool mapsOutput = false, uint32_t blocks = 1,
                Swizzle swizzle = Swizzle::None, uint64_t columns = 64) {
  Machine machine("bulk.ptx", kernelText(".param .u64 in, .param .u64 out, .param .align 64 .b8 map[128]", prologue + body));
  machine.options.seed = seed;
  std::vector<uint32_t> in(1024);
  std::iota(in.begin(), in.end(), 0);
  uint64_t source = machine.upload(in), result = machine.upload(std::vector<uint32_t>(1024, 7));
  TensorMapRequest request = requestFor(mapsOutput ? result : source);
  request.swizzle = swizzle;
  request.extents[0] = columns;
  LaunchReport report = machine.run("test", {.grid = {blocks}, .block = {64}, .cluster = {blocks, 1, 1}}, source, result,
                                    *encodeTensorMap(request));
  return {report.ok() ? "none" : std::string(nameOf(report.faults[0].kind)), machine.download<uint32_t>(result, 1024),
          report.text()};
}

template <typename F>
void expectClean(const std::string &body, size_t count, F expected, bool mapsOutput = false, uint32_t blocks = 1,
                 Swizzle swizzle = Swizzle::None) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Finding finding = runBody(body, seed ? std::optional<uint64_t>(seed) : std::nullopt, mapsOutput, blocks, swizzle);
    ASSERT_EQ(finding.fault, "none") << body << '\n' << finding.text;
    for (uint32_t k = 0; k < count; ++k)
      ASSERT_EQ(finding.result[k], uint32_t(expected(k))) << body << " at " << k << " by seed " << seed;
  }
}

void expectFault(const std::string &body, const std::string &fault, const std::string &word, bool mapsOutput = false,
                 uint32_t blocks = 1) {
  for (uint64_t seed = 0; seed <= 3; ++seed) {
    Finding finding = runBody(body, seed ? std::optional<uint64_t>(seed) : std::nullopt, mapsOutput, blocks);
    EXPECT_EQ(finding.fault, fault) << body << '\n' << finding.text;
    EXPECT_NE(finding.text.find(word), std::string::npos) << word << " is not in\n" << finding.text;
  }
}

const std::string bulkLoad =
    "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 256, [%r8]; ";
const std::string bulkStore = "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 256; @%p0 "
                              "cp.async.bulk.commit_group; ";
const std::string waitRead = "@%p0 cp.async.bulk.wait_group.read 0; ";

std::string tensorLoad(const std::string &x, const std::string &y) {
  return "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd3, {" + x + ", " +
         y + "}], [%r8]; ";
}
std::string tensorStore(const std::string &x, const std::string &y, const std::string &kind = "cp.async.bulk") {
  return "@%p0 " + kind + "[%rd3, {" + x + ", " + y + "}], [%r1]; @%p0 cp.async.bulk.commit_group; ";
}
const std::string plainStore = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group ";

} // namespace

TEST(EmulatorBulk, CopiesIntoSharedMemory) {
  expectClean(init + announce + "256; " + bulkLoad + waitPhase + "ld.shared.u32 %r5, [%r2];" + store, 64,
              [](uint32_t k) { return k; });
  // The announcement may come after the copy.
  expectClean(init + bulkLoad + announce + "256; " + waitPhase + "ld.shared.u32 %r5, [%r2];" + store, 64,
              [](uint32_t k) { return k; });
  // One thread waits, the others learn of it by a barrier.
  expectClean(init + announce + "256; " + bulkLoad + "@!%p0 bra over; " + waitPhase +
                  "over: bar.sync 0; ld.shared.u32 %r5, [%r2];" + store,
              64, [](uint32_t k) { return k; });
}

TEST(EmulatorBulk, FaultsOfCopiesIntoSharedMemory) {
  expectFault(init + announce + "256; " + bulkLoad + "bar.sync 0; ld.shared.u32 %r5, [%r2]; " + waitPhase,
              "access to a copy in flight", "no wait has covered it");
  expectFault(init + announce + "256; " + bulkLoad + "bar.sync 0; st.shared.u32 [%r2], 1; " + waitPhase,
              "access to a copy in flight", "a write to");
  expectFault(init + announce + "512; " + bulkLoad + waitPhase, "deadlock", "256 bytes pending");
  expectFault(init + announce + "240; " + bulkLoad + waitPhase, "wrong use of a barrier", "16 bytes more than expect_tx");
  // Two copies, announced as one: the phase ends with either.
  std::string second = "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+256], [%rd0], 256, [%r8]; ";
  expectFault(init + announce + "256; " + bulkLoad + second + waitPhase + "ld.shared.u32 %r5, [%r2+256];",
              "wrong use of a barrier", "expect_tx announces fewer bytes");
  expectFault(init + announce + "256; " + bulkLoad, "access to a copy in flight",
              "none of its threads has waited for this copy");
  std::string plain = "@%p0 mbarrier.init.shared.b64 [%r8], 1; ";
  expectFault(plain + "bar.sync 0; " + announce + "256; " + bulkLoad + waitPhase, "missing proxy fence",
              "whose initialization it may not see");
  expectFault(plain + "@%p0 fence.acq_rel.cluster; bar.sync 0; " + announce + "256; " + bulkLoad + waitPhase,
              "missing proxy fence", "whose initialization it may not see");
  expectClean(plain + "@%p0 fence.proxy.async; bar.sync 0; " + announce + "256; " + bulkLoad + waitPhase, 0,
              [](uint32_t) { return 0; });
  expectFault(bulkLoad, "wrong use of a barrier", "nobody has initialized it");
  expectFault(init + "add.u32 %r1, %r1, 8; " + bulkLoad, "misaligned", "16 does not divide");
  expectFault(init + "add.u32 %r1, %r1, 8000; " + bulkLoad, "out of bounds", "bytes of shared memory");
  expectFault(init + "add.u64 %rd0, %rd0, 4000; " + bulkLoad, "out of bounds", "bytes of global memory");
  // What threads read before is overwritten only after they have said so.
  std::string read = "st.shared.u32 [%r2], %r0; fence.proxy.async; bar.sync 0; ld.shared.u32 %r5, [%r2]; ";
  expectFault(init + read + announce + "256; " + bulkLoad + waitPhase, "data race", "another thread reads");
  expectClean(init + read + "bar.sync 0; " + announce + "256; " + bulkLoad + waitPhase +
                  "ld.shared.u32 %r6, [%r2]; add.u32 %r5, %r5, %r6;" + store,
              64, [](uint32_t k) { return 2 * k; });
}

TEST(EmulatorBulk, CopiesOutOfSharedMemory) {
  std::string fill = "add.u32 %r6, %r0, 50; st.shared.u32 [%r2], %r6; ";
  expectClean(fill + "fence.proxy.async.shared::cta; bar.sync 0; " + bulkStore + waitRead, 64,
              [](uint32_t k) { return k + 50; });
  // After the wait for the read, and a barrier, the buffer is free.
  expectClean(fill + "fence.proxy.async; bar.sync 0; " + bulkStore + waitRead + "bar.sync 0; st.shared.u32 [%r2], 1;", 64,
              [](uint32_t k) { return k + 50; });
  expectFault(fill + "bar.sync 0; " + bulkStore + waitRead, "missing proxy fence", "fence.proxy.async is missing");
  expectFault(fill + "fence.proxy.async; " + bulkStore + waitRead, "data race", "no barrier orders the two");
  // Only the thread that issues the copy fences: what others wrote is not covered unless they are ordered before.
  expectFault(fill + "@%p0 fence.proxy.async; bar.sync 0; " + bulkStore + waitRead, "missing proxy fence", "st.shared");
  expectClean(fill + "bar.sync 0; @%p0 fence.proxy.async; " + bulkStore + waitRead, 64, [](uint32_t k) { return k + 50; });
  expectFault(fill + "fence.proxy.async.global; bar.sync 0; " + bulkStore + waitRead, "missing proxy fence", "");
  expectFault(fill + "fence.proxy.async; bar.sync 0; " + bulkStore + "bar.sync 0; st.shared.u32 [%r2], 1; " + waitRead,
              "data race", "an asynchronous instruction may still be reading");
  expectFault(fill + "fence.proxy.async; bar.sync 0; " + bulkStore, "access to a copy in flight", "wait_group.read is missing");
  // .read says nothing of global memory.
  std::string reload = "bar.sync 0; ld.global.u32 %r5, [%rd2]; bar.sync 0; st.global.u32 [%rd2+1024], %r5;";
  expectClean(fill + "fence.proxy.async; bar.sync 0; " + bulkStore + "@%p0 cp.async.bulk.wait_group 0; " + reload, 64,
              [](uint32_t k) { return k + 50; });
  Finding late = runBody(fill + "fence.proxy.async; bar.sync 0; " + bulkStore + waitRead + reload);
  EXPECT_EQ(late.result[256], 7u) << late.text;
  EXPECT_EQ(late.result[0], 50u);
}

TEST(EmulatorBulk, Reductions) {
  expectClean(
      "add.u32 %r6, %r0, 50; st.shared.u32 [%r2], %r6; fence.proxy.async; bar.sync 0; "
      "@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 256; @%p0 cp.async.bulk.commit_group; " +
          waitRead,
      64, [](uint32_t k) { return k + 57; });
  expectClean(
      "st.shared.u32 [%r2], %r0; fence.proxy.async; bar.sync 0; " +
          tensorStore("56", "14", "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group ") + waitRead,
      1024, [](uint32_t k) { return k / 64 >= 14 && k % 64 >= 56 ? std::max(k / 64 % 2 * 8 + k % 8, 7u) : 7; }, true);
}

TEST(EmulatorBulk, TensorLoads) {
  auto load = [](const std::string &x, const std::string &y) {
    return init + announce + "128; " + tensorLoad(x, y) + waitPhase + "@%p1 ld.shared.u32 %r5, [%r2];" + store;
  };
  expectClean(load("16", "3"), 32, [](uint32_t k) { return (3 + k / 8) * 64 + 16 + k % 8; });
  // Outside: zeros, on every side; the bytes count all the same.
  expectClean(load("-3", "14"), 32, [](uint32_t k) { return k % 8 >= 3 && k / 8 < 2 ? (14 + k / 8) * 64 + k % 8 - 3 : 0; });
  expectClean(load("60", "-2"), 32, [](uint32_t k) { return k % 8 < 4 && k / 8 >= 2 ? (k / 8 - 2) * 64 + 60 + k % 8 : 0; });
  expectClean(load("1000", "-1000"), 32, [](uint32_t) { return 0; });
}

TEST(EmulatorBulk, TensorStores) {
  auto body = [](const std::string &x, const std::string &y) {
    return "@%p1 st.shared.u32 [%r2], %r0; fence.proxy.async; bar.sync 0; " + tensorStore(x, y, plainStore) + waitRead;
  };
  auto expected = [](int x, int y) {
    return [=](uint32_t k) {
      int column = int(k % 64) - x, row = int(k / 64) - y;
      return column >= 0 && column < 8 && row >= 0 && row < 4 ? row * 8 + column : 7;
    };
  };
  expectClean(body("16", "3"), 1024, expected(16, 3), true);
  expectClean(body("60", "14"), 1024, expected(60, 14), true);
  // Loads may begin before the tensor, stores may not.
  expectFault(body("-3", "14"), "illegal instruction", "negative coordinate -3 of dimension 0", true);
  expectFault(body("60", "-2"), "illegal instruction", "negative coordinate -2 of dimension 1", true);
}

TEST(EmulatorBulk, TensorStoresWriteWholePiecesOf16Bytes) {
  // Rows of 61 words end within a piece, which an H200 writes in whole; those of 60 end with one.
  std::string body = "@%p1 st.shared.u32 [%r2], %r0; fence.proxy.async; bar.sync 0; " + tensorStore("56", "3", plainStore) + waitRead;
  for (uint64_t columns : {60, 61, 63}) {
    Finding finding = runBody(body, {}, true, 1, Swizzle::None, columns);
    ASSERT_EQ(finding.fault, "none") << finding.text;
    for (uint32_t column = 56; column < 64; ++column)
      EXPECT_EQ(finding.result[3 * 64 + column], column < (columns == 60 ? 60 : 64) ? column - 56 : 7u) << columns << ", " << column;
  }
}

TEST(EmulatorBulk, Swizzles) {
  // A box of rows as wide as the swizzle: the load exchanges pieces, the store back exchanges them again.
  for (auto [swizzle, words] : {std::pair(Swizzle::Bytes32, 8u), {Swizzle::Bytes64, 16u}, {Swizzle::Bytes128, 32u}}) {
    Machine machine("swizzle.ptx",
                    kernelText(".param .u64 in, .param .u64 out, .param .align 64 .b8 map[128], .param .align 64 .b8 back[128]",
                               prologue + init + "mov.b64 %rd4, back; cvta.param.u64 %rd4, %rd4; " + announce +
                                   std::to_string(words * 4 * 16) + "; " + tensorLoad("0", "0") + waitPhase +
                                   "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd4, {0, 0}], [%r1]; "
                                   "@%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group.read 0;"
                                   "mov.u32 %r4, 0; copy: mad.lo.u32 %r6, %r4, 256, %r2; setp.ge.u32 %p4, %r4, " +
                                   std::to_string(words * 16 / 64) +
                                   "; @%p4 bra out; ld.shared.u32 %r5, [%r6]; st.global.u32 [%rd2], %r5; add.u64 %rd2, "
                                   "%rd2, 256; add.u32 %r4, %r4, 1; bra copy; out:"));
    std::vector<uint32_t> in(1024);
    std::iota(in.begin(), in.end(), 0);
    uint64_t source = machine.upload(in), raw = machine.upload(std::vector<uint32_t>(1024)),
             restored = machine.upload(std::vector<uint32_t>(1024));
    TensorMapRequest request = requestFor(source);
    request.box = {words, 16};
    request.swizzle = swizzle;
    TensorMap load = *encodeTensorMap(request), back = load;
    ASSERT_TRUE(replaceTensorMapAddress(back, restored).ok());
    machine.runCleanly("test", {.block = {64}}, source, raw, load, back);
    std::vector<uint32_t> shared = machine.download<uint32_t>(raw, 16 * words),
                          same = machine.download<uint32_t>(restored, 1024);
    for (uint32_t row = 0; row < 16; ++row)
      for (uint32_t column = 0; column < words; ++column) {
        EXPECT_EQ(same[row * 64 + column], row * 64 + column);
        // The row's place in a period of eight 128-byte lines says how its pieces are exchanged.
        uint32_t line = row * words * 4 / 128 % 8, piece = (column / 4) ^ (line & (words / 4 - 1));
        EXPECT_EQ(shared[row * words + piece * 4 + column % 4], row * 64 + column) << words << ": " << row << ' ' << column;
      }
  }
}

TEST(EmulatorBulk, OneToFiveDimensionsAndElementStrides) {
  // A tensor of 3·3·3·3 rows of 32 bytes; the box takes a corner of it, in dimension 1 every second element.
  const std::string coordinates[] = {"4", "4, 1", "4, 1, 2", "4, 1, 2, 0", "4, 1, 2, 0, 1"};
  for (unsigned rank = 1; rank <= 5; ++rank) {
    uint32_t rows = rank == 1 ? 1 : 1u << (rank - 1), bytes = rows * 16;
    std::string body = init + announce + std::to_string(bytes) + "; @%p0 cp.async.bulk.tensor." + std::to_string(rank) +
                       "d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd3, {" + coordinates[rank - 1] +
                       "}], [%r8]; " + waitPhase + "setp.lt.u32 %p4, %r0, " + std::to_string(bytes / 4) +
                       "; @%p4 ld.shared.u32 %r5, [%r2];" + store;
    Machine machine("dimensions.ptx",
                    kernelText(".param .u64 in, .param .u64 out, .param .align 64 .b8 map[128]", prologue + body));
    std::vector<uint32_t> in(81 * 8);
    std::iota(in.begin(), in.end(), 1);
    uint64_t source = machine.upload(in), result = machine.upload(std::vector<uint32_t>(64));
    TensorMapRequest request;
    request.type = Type::S32;
    request.rank = rank;
    request.address = source;
    request.extents = {8, 3, 3, 3, 3};
    request.strides = {32, 96, 288, 864};
    request.box = {4, rank > 1 ? 3u : 1u, 2, 2, 2};
    request.elementStrides = {1, 2, 1, 1, 1};
    machine.runCleanly("test", {.block = {64}}, source, result, *encodeTensorMap(request));
    std::vector<uint32_t> found = machine.download<uint32_t>(result, 64);
    for (uint32_t row = 0; row < rows; ++row) {
      // Coordinates 1, 3 in dimension 1; 2, 3 in dimension 2; 0, 1 in dimension 3; 1, 2 in dimension 4.
      uint32_t a = rank > 1 ? 1 + row % 2 * 2 : 0, b = rank > 2 ? 2 + row / 2 % 2 : 0, c = rank > 3 ? row / 4 % 2 : 0,
               d = rank > 4 ? 1 + row / 8 % 2 : 0;
      bool isInside = a < 3 && b < 3 && c < 3 && d < 3;
      for (uint32_t k = 0; k < 4; ++k)
        EXPECT_EQ(found[row * 4 + k], isInside ? (d * 27 + c * 9 + b * 3 + a) * 8 + 4 + k + 1 : 0u)
            << rank << ": " << row << ' ' << k;
    }
  }
}

TEST(EmulatorBulk, FaultsOfTensorCopies) {
  expectFault(init + announce + "128; mov.b64 %rd3, in; cvta.param.u64 %rd3, %rd3; " + tensorLoad("0", "0") + waitPhase,
              "illegal instruction", "there is no tensor map");
  expectFault(init + announce + "128; add.u32 %r1, %r1, 64; " + tensorLoad("0", "0") + waitPhase, "misaligned",
              "128 does not divide");
  expectFault(init + announce +
                  "128; @%p0 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd3, {0}], "
                  "[%r8]; " +
                  waitPhase,
              "illegal instruction", "a copy of 1 dimensions with a tensor map of 2");
  // An extent that goes beyond the allocation.
  Machine machine("extent.ptx", kernelText(".param .u64 in, .param .u64 out, .param .align 64 .b8 map[128]",
                                           prologue + init + announce + "128; " + tensorLoad("0", "16") + waitPhase));
  uint64_t source = machine.upload(std::vector<uint32_t>(1024), "x");
  TensorMapRequest request = requestFor(source);
  request.extents[1] = 17;
  LaunchReport report = machine.run("test", {.block = {64}}, source, source, *encodeTensorMap(request));
  EXPECT_NE(report.text().find("behind the end of x"), std::string::npos) << report.text();
}

TEST(EmulatorBulk, Multicast) {
  std::string both = "@%p0 mov.u16 %h0, 3; and.pred %p4, %p0, %p3; @%p4 "
                     "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes.multicast::cluster [%r1], [%rd3, {8, 2}], [%r8], %h0; ";
  auto expected = [](uint32_t k) { return k % 64 < 32 ? (2 + k % 64 / 8) * 64 + 8 + k % 8 : 0; };
  std::string read = waitPhase + "@%p1 ld.shared.u32 %r5, [%r2];" + store;
  expectClean(init + meet + announce + "128; " + both + read + meet, 128, expected, false, 2);
  expectFault(init + announce + "128; " + both + read + meet, "access to a block that is not there", "may not have begun",
              false, 2);
  expectFault(init + meet + "@%p3 bra announced; " + announce + "256; bra over; announced: " + announce + "128; over: " + both +
                  read + meet,
              "deadlock", "128 bytes pending", false, 2);
  // A block that does not wait may end before the bytes come.
  expectFault(init + meet + announce + "128; " + both + meet + "@!%p3 bra end; " + read + "end: ret;",
              "access to a copy in flight", "block 1 of the cluster ends, and none of its threads has waited", false, 2);
  expectFault("mov.u16 %h0, 5; " + init + meet + announce + "128; " +
                  "@%p0 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], "
                  "[%rd3, {8, 2}], "
                  "[%r8], %h0; " +
                  meet,
              "illegal instruction", "a multicast to blocks 5", false, 2);
}

TEST(EmulatorBulk, CopiesBetweenBlocks) {
  std::string map = "xor.b32 %r6, %r7, 1; mapa.shared::cluster.u32 %r10, %r1, %r6; mapa.shared::cluster.u32 %r11, %r8, %r6; ";
  std::string fill = "mad.lo.u32 %r12, %r7, 100, %r0; st.shared.u32 [%r2+1024], %r12; ";
  std::string copy =
      "@%p0 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r10], [%r1+1024], 256, [%r11]; ";
  expectClean(
      map + fill + "fence.proxy.async; " + init + meet + announce + "256; " + copy + waitPhase + "ld.shared.u32 %r5, [%r2];" +
          store + meet,
      128, [](uint32_t k) { return (k / 64 ^ 1) * 100 + k % 64; }, false, 2);
  expectFault(map + fill + init + meet + announce + "256; " + copy + waitPhase + meet, "missing proxy fence",
              "fence.proxy.async", false, 2);
}

TEST(EmulatorBulk, TensorMapsAreChecked) {
  auto refusal = [](auto change) {
    TensorMapRequest request = requestFor(4096);
    change(request);
    Result<TensorMap> map = encodeTensorMap(request);
    return map.ok() ? std::string() : map.status().message();
  };
  using Request = TensorMapRequest;
  EXPECT_EQ(refusal([](Request &) {}), "");
  EXPECT_EQ(refusal([](Request &r) { r.box = {256, 256}; }), "");
  EXPECT_EQ(refusal([](Request &r) { r.box = {8, 4}, r.swizzle = Swizzle::Bytes32; }), "");
  const std::pair<std::string, void (*)(Request &)> wrong[] = {
      {"the address 4104 is not a multiple of 16", [](Request &r) { r.address += 8; }},
      {"0 dimensions; 1 to 5", [](Request &r) { r.rank = 0; }},
      {"6 dimensions; 1 to 5", [](Request &r) { r.rank = 6; }},
      {"extent 1 is 0", [](Request &r) { r.extents[1] = 0; }},
      {"extent 0 is 4294967297", [](Request &r) { r.extents[0] = (uint64_t(1) << 32) + 1; }},
      {"the stride of dimension 1 is 264 bytes", [](Request &r) { r.strides[0] = 264; }},
      {"multiples of 16 below 2^40", [](Request &r) { r.strides[0] = uint64_t(1) << 40; }},
      {"the box has 257 elements in dimension 1", [](Request &r) { r.box[1] = 257; }},
      {"the box has 0 elements in dimension 0", [](Request &r) { r.box[0] = 0; }},
      {"the box's rows have 24 bytes", [](Request &r) { r.box[0] = 6; }},
      {"more than the swizzle's 32", [](Request &r) { r.box[0] = 16, r.swizzle = Swizzle::Bytes32; }},
      {"more than the swizzle's 128", [](Request &r) { r.box[0] = 64, r.swizzle = Swizzle::Bytes128; }},
      {"element stride 1 is 9", [](Request &r) { r.elementStrides[1] = 9; }},
      {"a fill of NaN for elements that are integers", [](Request &r) { r.fillsNaN = true; }},
      {"elements of type e4m3", [](Request &r) { r.type = Type::E4M3; }},
  };
  for (const auto &[message, change] : wrong)
    EXPECT_NE(refusal(change).find(message), std::string::npos) << message << "\n-> " << refusal(change);
  TensorMap map = *encodeTensorMap(requestFor(4096)), none;
  EXPECT_FALSE(replaceTensorMapAddress(map, 8).ok());
  EXPECT_FALSE(replaceTensorMapAddress(none, 4096).ok());
  ASSERT_TRUE(replaceTensorMapAddress(map, 8192).ok());
  EXPECT_EQ(decodeTensorMap(map)->address, 8192u);
  EXPECT_EQ(decodeTensorMap(map)->box, requestFor(0).box);
}
