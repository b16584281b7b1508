// Which files a module of CUDA functions is made of.
#include "compiler/frontend/ExternalFiles.h"

#include <gtest/gtest.h>

using namespace tilewright::frontend;
using Names = std::vector<std::string>;

TEST(ExternalFiles, WhatIsIncludedInQuotes) {
  EXPECT_EQ(includedIn("#include \"a.h\"\n  #\tinclude  \"b/c.h\" // why\n#include <d.h>\n#include\"e.h\"\r\n#include \"a.h\""),
            (Names{"a.h", "b/c.h", "e.h"}));
  EXPECT_EQ(includedIn("int x; #include \"a.h\"\n#includes \"b.h\"\n#define include \"c.h\"\n#include \"d.h\n#include \"\"\n"),
            Names{});
  EXPECT_EQ(includedIn(""), Names{});
}

TEST(ExternalFiles, AreAskedForByTheirIncluders) {
  Names asked;
  auto resolver = [&](const std::string &name, const std::string &includer) -> std::optional<std::string> {
    asked.push_back(name + " in " + includer);
    if (name == "a.h")
      return "#include \"b.h\"\n#include \"c.h\"\n";
    return name == "b.h" ? std::optional<std::string>("#include \"a.h\"\n") : std::nullopt;
  };
  ExternalFiles files;
  const ExternalFile *file = files.find("a.h", "k.tile", resolver);
  ASSERT_TRUE(file);
  EXPECT_EQ(asked, (Names{"a.h in k.tile", "b.h in a.h", "a.h in b.h", "c.h in a.h"}));
  ASSERT_EQ(file->includes.size(), 1u); // c.h is not there
  EXPECT_EQ(file->includes[0]->name, "b.h");
  EXPECT_EQ(file->includes[0]->includes, std::vector<const ExternalFile *>{file});
  EXPECT_EQ(files.find("a.h", "other.tile", resolver), file);
  EXPECT_EQ(files.find("d.h", "k.tile", resolver), nullptr);
  EXPECT_EQ(files.find("a.h", "k.tile", {}), nullptr);
}

TEST(ExternalFiles, NamesThatCudaHas) {
  for (const char *name : {"hash", "__popc", "int_", "operators", "twice", "a", "or"}) // `or` is a word of both languages
    EXPECT_EQ(whyNoCudaName(name), std::nullopt) << name;
  for (const char *name : {"operator", "alignas", "xor_eq", "int", "tw_cuda_f", "tilewright"})
    EXPECT_TRUE(whyNoCudaName(name)) << name;
}
