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

/// For a GPU, with a map of a: f32[M..., K], whose M are two dimensions.
static json gpuMetadata() {
  json tree = kernel("maps", {},
                     {view("a", "in", "f32", {"M...", "K"}), view("b", "in", "f32", {"K"}, true),
                      view("c", "out", "f32", {"M...", "K"}), scalar("s", "f32")});
  tree.update({{"target", "cuda"},
               {"processor", "sm_90a"},
               {"dimensions", {"M", "K"}},
               {"grid", "product"},
               {"present", {{"b", false}}},
               {"pack_rank", {{"a", 2}, {"c", 1}}},
               {"alignment", {{"a", 16}, {"c", 8}}},
               {"unit_stride", {{"a", 1}, {"c", 1}}},
               {"threads", 128},
               {"entries", {{"tiles", "maps_tiles"}}},
               {"tensor_maps", json::array({{{"view", 0}, {"order", {2, 0, 1}}, {"box", {32, 1, 256}}, {"swizzle", 128}}})}});
  return tree;
}

TEST(Artifact, TensorMapsAreRead) {
  json tree = gpuMetadata();
  tree["resident_blocks"] = 2;
  tree["cluster_blocks"] = 8;
  std::string bytes = pack(tree, "text");
  Result<Artifact> artifact = Artifact::parse(view(bytes));
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  EXPECT_EQ(artifact->gpu.residentBlocks, 2);
  EXPECT_EQ(artifact->gpu.clusterBlocks, 8);
  ASSERT_EQ(artifact->gpu.tensorMaps.size(), 1u);
  const ViewTensorMap &map = artifact->gpu.tensorMaps[0];
  EXPECT_EQ(map.parameter, 0u);
  EXPECT_EQ(map.order, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{32, 1, 256}));
  EXPECT_EQ(map.swizzleBytes, 128u);
  EXPECT_FALSE(map.roundsToTF32);
  for (const char *key : {"tensor_maps", "resident_blocks", "cluster_blocks"})
    tree.erase(key);
  bytes = pack(tree, "text");
  artifact = Artifact::parse(view(bytes));
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  EXPECT_EQ(artifact->gpu.residentBlocks, 0);
  EXPECT_EQ(artifact->gpu.clusterBlocks, 1);
  EXPECT_TRUE(artifact->gpu.tensorMaps.empty());
}

TEST(Artifact, DamagedTensorMapsAreSaid) {
  auto message = [](const json &change) {
    json tree = gpuMetadata();
    tree.merge_patch(change);
    std::string bytes = pack(tree, "text");
    std::string whole = Artifact::parse(view(bytes)).status().message();
    std::string head = "the artifact is damaged: ";
    EXPECT_EQ(whole.substr(0, head.size()), head) << change;
    return whole.substr(std::min(head.size(), whole.size()));
  };
  auto ofMap = [&](const json &change) {
    json map = gpuMetadata()["tensor_maps"][0];
    map.merge_patch(change);
    return message({{"tensor_maps", json::array({map})}});
  };
  EXPECT_EQ(message({{"tensor_maps", 3}}), "\"tensor_maps\" is not a list");
  EXPECT_EQ(message({{"tensor_maps", json::array({7})}}), "tensor map 0: parameter -1 is no view that is present");
  json tooMany = json::array();
  for (int map = 0; map < 25; ++map)
    tooMany.push_back(gpuMetadata()["tensor_maps"][0]);
  EXPECT_EQ(message({{"tensor_maps", tooMany}}), "25 tensor maps, and there may be 24");
  for (int parameter : {-1, 1, 3, 4}) // none, absent, a scalar, none
    EXPECT_EQ(ofMap({{"view", parameter}}),
              "tensor map 0: parameter " + std::to_string(parameter) + " is no view that is present");
  EXPECT_EQ(ofMap({{"view", 2}}), "tensor map 0: view c is aligned to 8 bytes, and a map needs 16");
  std::string orders = "tensor map 0: \"order\" does not name each of the 3 dimensions of view a";
  for (const json &order : {json(), json("21"), json({2, 0}), json({2, 0, 1, 3}), json({2, 0, 0}), json({2, 0, -1}),
                            json({2, 0, 3}), json({2, 0, "1"})})
    EXPECT_EQ(ofMap({{"order", order}}), orders) << order;
  EXPECT_EQ(ofMap({{"order", {1, 2, 0}}}),
            "tensor map 0: dimension 1 of view a is the fastest, and its stride is not known to be 1");
  EXPECT_EQ(message({{"unit_stride", {{"a", -1}}}}),
            "tensor map 0: dimension 2 of view a is the fastest, and its stride is not known to be 1");
  EXPECT_EQ(message({{"pack_rank", {{"a", 5}}}}), "tensor map 0: view a has 6 dimensions, and a map 1 to 5");
  for (const json &box : {json(), json({32, 1}), json({32, 1, 0}), json({32, 1, 257}), json({32, 1, "8"})})
    EXPECT_EQ(ofMap({{"box", box}}), "tensor map 0: \"box\" is not 3 extents of 1 to 256") << box;
  EXPECT_EQ(ofMap({{"box", {6, 1, 1}}}), "tensor map 0: the box's rows have 24 bytes, which is not a multiple of 16");
  EXPECT_EQ(ofMap({{"box", {36, 1, 1}}}), "tensor map 0: the box's rows have 144 bytes, more than the swizzle's 128");
  EXPECT_EQ(ofMap({{"swizzle", 16}}), "tensor map 0: \"swizzle\" is 16");
  EXPECT_EQ(ofMap({{"swizzle", nullptr}}), "tensor map 0: \"swizzle\" is -1");
  EXPECT_EQ(ofMap({{"tf32", 1}}), "tensor map 0: \"tf32\" is 1, of elements of f32");

  EXPECT_EQ(message({{"resident_blocks", 33}}), "\"resident_blocks\" is 33");
  EXPECT_EQ(message({{"resident_blocks", -1}}), "\"resident_blocks\" is -1");
  EXPECT_EQ(message({{"resident_blocks", 1}, {"cluster_blocks", 9}}), "\"cluster_blocks\" is 9");
  EXPECT_EQ(message({{"resident_blocks", 1}, {"cluster_blocks", 0}}), "\"cluster_blocks\" is 0");
  EXPECT_EQ(message({{"resident_blocks", 0}, {"cluster_blocks", 2}}),
            "blocks of a cluster have a tile together, and they are not resident");
  EXPECT_EQ(message({{"resident_blocks", 1}, {"grid", "nested"}}),
            "the grid is nested, and \"resident_blocks\" are for a product");
  EXPECT_EQ(message({{"resident_blocks", 1}, {"sums", {{{"view", "c"}, {"kind", "add"}, {"dtype", "f32"}}}}}),
            "the kernel sums over tiles, and its blocks are resident");
}

TEST(Artifact, AnyDamagedTensorMapIsAStatus) {
  std::string good = gpuMetadata()["tensor_maps"].dump();
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (int change = 0; change < 1 + round % 3; ++change)
      text[random() % text.size()] = static_cast<char>(" \"{}[]:,019-ae"[random() % 14]);
    json maps = json::parse(text, nullptr, false);
    if (maps.is_discarded())
      continue;
    json tree = gpuMetadata();
    tree["tensor_maps"] = maps;
    std::string bytes = pack(tree, "text");
    Artifact::parse(view(bytes)).ok(); // either way
  }
}

TEST(Artifact, NeedsTheEntryPointsThatItSpeaksOf) {
  json tree = metadata();
  tree["grid"] = "listed";
  EXPECT_EQ(outcome(pack(tree, readFile(fakeFile("Add")))), TW_DAMAGED_ARTIFACT);
}
