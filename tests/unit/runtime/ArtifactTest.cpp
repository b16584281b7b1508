#include "runtime/LoadedKernel.h"

#include "tests/unit/runtime/TestSupport.h"

#include <random>

using namespace tilewright::runtime;
using namespace tilewright::runtime::test;

static std::string pack(const json &metadata, const std::string &code) {
  std::string text = metadata.dump(), bytes = "TWARTIF1";
  uint64_t lengths[] = {text.size(), code.size()};
  bytes.append(reinterpret_cast<const char *>(lengths), sizeof(lengths));
  return bytes + text + code;
}

static std::span<const std::byte> view(const std::string &bytes) {
  return std::as_bytes(std::span(bytes.data(), bytes.size()));
}

static json metadata() {
  json tree = kernel("add", {},
                     {view("a", "in", "f32", {"N..."}), view("b", "in", "f32", {"N..."}), view("c", "out", "f32", {"N..."})});
  tree.update({{"target", "cpu"},
               {"processor", "znver4"},
               {"checked", false},
               {"dimensions", {"N"}},
               {"chosen", {{"BN", 4}}},
               {"grid", "product"},
               {"scratch", 100},
               {"pack_rank", {{"a", 1}}},
               {"alignment", {{"a", 64}}},
               {"unit_stride", {{"a", 0}}},
               {"messages", {{{"kind", "print"}, {"parts", {{{"text", "n"}}, {{"dtype", "i64"}}}}, {"where", "a.tile:1:1"}}}}});
  return tree;
}

TEST(Artifact, IsRead) {
  std::string bytes = pack(metadata(), "code");
  Result<Artifact> artifact = Artifact::parse(view(bytes));
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  EXPECT_EQ(artifact->signature.name, "add");
  EXPECT_EQ(artifact->processor, "znver4");
  EXPECT_EQ(artifact->slotCount, 1u);
  EXPECT_EQ(artifact->alignment[0], 64);
  EXPECT_EQ(artifact->alignment[1], 1);
  EXPECT_EQ(artifact->scratchBytes, 100);
  EXPECT_EQ(artifact->chosen.at(0).second, 4);
  EXPECT_EQ(artifact->messages.at(0).parts.at(1).dtype, TW_I64);
  EXPECT_EQ(artifact->code.size(), 4u);
}

TEST(Artifact, AListedGridSaysHowManyVariablesItHas) {
  json tree = metadata();
  tree["grid"] = "listed";
  for (const json &variables : {json(), json(-1), json(2000)}) {
    tree["grid_variables"] = variables;
    EXPECT_EQ(Artifact::parse(view(pack(tree, "code"))).status().code(), TW_DAMAGED_ARTIFACT) << variables;
  }
  tree["grid_variables"] = 3;
  std::string bytes = pack(tree, "code");
  Result<Artifact> artifact = Artifact::parse(view(bytes));
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  EXPECT_EQ(artifact->gridVariables, 3u);
}

static tw_status outcome(const std::string &bytes) {
  Result<std::shared_ptr<LoadedKernel>> loaded = LoadedKernel::load(view(bytes));
  return loaded.ok() ? TW_OK : loaded.status().code();
}

TEST(Artifact, EveryPrefixIsDamaged) {
  std::string bytes = pack(metadata(), readFile(fakeFile("Add")));
  ASSERT_EQ(outcome(bytes), TW_OK);
  for (size_t length = 0; length < bytes.size(); length += 1 + length / 16)
    ASSERT_EQ(outcome(bytes.substr(0, length)), TW_DAMAGED_ARTIFACT) << length;
  EXPECT_EQ(outcome(bytes + "x"), TW_DAMAGED_ARTIFACT);
}

TEST(Artifact, ForAnotherProcessorIsNotLoaded) {
  json tree = metadata();
  tree["features"] = {"avx9000"};
  Result<std::shared_ptr<LoadedKernel>> loaded = LoadedKernel::load(view(pack(tree, readFile(fakeFile("Add")))));
  ASSERT_EQ(loaded.status().code(), TW_UNSUPPORTED);
  EXPECT_EQ(loaded.status().message(),
            "kernel add is compiled for the processor znver4, and this one lacks avx9000: compile it "
            "for \"cpu\", which is the processor at hand");
}

TEST(Artifact, HugeLengthsAreDamaged) {
  std::string bytes = pack(metadata(), "code");
  for (size_t at : {8u, 16u}) {
    std::string wrong = bytes;
    wrong.replace(at, 8, 8, '\xff');
    EXPECT_EQ(outcome(wrong), TW_DAMAGED_ARTIFACT);
  }
}

TEST(Artifact, AnyDamagedMetadataIsAStatus) {
  std::string good = metadata().dump();
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int change = 0; change < 1 + round % 3; ++change)
      text[random() % text.size()] = static_cast<char>(" \"{}[]:,019-ae\x80\xff"[random() % 16]);
    std::string bytes = "TWARTIF1";
    uint64_t lengths[] = {text.size(), 4};
    bytes.append(reinterpret_cast<const char *>(lengths), sizeof(lengths));
    Artifact::parse(view(bytes + text + "code")).ok(); // either way
  }
}

TEST(Artifact, EveryMemberOfTheWrongTypeIsAStatus) {
  json good = metadata();
  for (const auto &[key, value] : good.items())
    for (const json &wrong :
         {json(), json(3), json(-1), json("text"), json::array({1}), json{{"a", {}}}, json(1e300), json(true)}) {
      json tree = good;
      tree[key] = wrong;
      std::string bytes = pack(tree, "code");
      Artifact::parse(view(bytes)).ok();
    }
}

TEST(Artifact, SaysWhatIsWrong) {
  auto message = [](const json &change) {
    json tree = metadata();
    tree.merge_patch(change);
    std::string bytes = pack(tree, "code");
    return Artifact::parse(view(bytes)).status().message();
  };
  EXPECT_EQ(message({{"grid", "hexagonal"}}),
            "the artifact is damaged: the grid is neither a product nor listed, but hexagonal");
  EXPECT_EQ(message({{"scratch", -1}}), "the artifact is damaged: scratch memory of -1 bytes");
  EXPECT_EQ(message({{"sums", {{{"view", "a"}, {"dtype", "f32"}}}}}),
            "the artifact is damaged: a sum over tiles is damaged: a in f32");
  EXPECT_EQ(message({{"pack_rank", {{"q", 1}}}}), "the artifact is damaged: a fact about q is damaged");
}

TEST(Artifact, OfAnotherTargetIsUnsupported) {
  json tree = metadata();
  tree["target"] = "tpu";
  EXPECT_EQ(outcome(pack(tree, readFile(fakeFile("Add")))), TW_UNSUPPORTED);
}

TEST(Artifact, OfAGpuSaysHowToLaunch) {
  json tree = metadata();
  tree["target"] = "cuda";
  tree["grid"] = "nested";
  tree["threads"] = 128;
  tree["shared_bytes"] = 49152;
  tree["message_words"] = 5;
  tree["entries"] = {{"tiles", "add_tiles"}, {"begin", nullptr}};
  std::string bytes = pack(tree, "text");
  Result<Artifact> artifact = Artifact::parse(view(bytes));
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  EXPECT_EQ(artifact->gpu.tiles, "add_tiles");
  EXPECT_EQ(artifact->gpu.begin + artifact->gpu.finish, "");
  EXPECT_EQ(artifact->gpu.threads, 128);
  EXPECT_EQ(artifact->gpu.sharedBytes, 49152);
  EXPECT_EQ(artifact->gpu.messageWords, 5);
  EXPECT_TRUE(artifact->gpu.isNested);
  EXPECT_EQ(outcome(bytes), TW_UNSUPPORTED); // without a device

  for (auto [key, value] : {std::pair("grid", json("listed")),
                            {"threads", 0},
                            {"threads", 1025},
                            {"threads", nullptr},
                            {"shared_bytes", -1},
                            {"message_words", -1},
                            {"entries", nullptr},
                            {"entries", json::object()}}) {
    json wrong = tree;
    wrong[key] = value;
    EXPECT_EQ(outcome(pack(wrong, "text")), TW_DAMAGED_ARTIFACT) << key << ": " << value;
  }
}

TEST(Artifact, NeedsTheEntryPointsThatItSpeaksOf) {
  json tree = metadata();
  tree["grid"] = "listed";
  EXPECT_EQ(outcome(pack(tree, readFile(fakeFile("Add")))), TW_DAMAGED_ARTIFACT);
}
