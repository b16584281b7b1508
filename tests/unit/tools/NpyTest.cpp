#include "compiler/tools/tilewright/Npy.h"

#include "compiler/tools/tilewright/CommandError.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

using namespace tilewright::tools;

namespace {

/// A file's bytes: a header of the given version around a dict, then zeros as data.
std::string fileOf(const std::string &dict, size_t dataBytes, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int n = 0; n < (version == 1 ? 2 : 4); ++n)
    file += static_cast<char>(dict.size() >> 8 * n & 0xff);
  return file + dict + std::string(dataBytes, '\0');
}

NpyHeader parse(const std::string &file) {
  return parseNpyHeader(file, file.size(), "x.npy");
}

std::string messageOf(const std::string &file) {
  try {
    parse(file);
  } catch (const CommandError &error) {
    EXPECT_EQ(error.code, exitFailure);
    return error.what();
  }
  return "(no error)";
}

std::string invalid(const std::string &why) {
  return "x.npy is not a valid .npy file: " + why;
}

TEST(Npy, ReadsWhatNumPyWrites) {
  NpyHeader header = parse(fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }          \n", 48));
  EXPECT_EQ(header.type, (NpyType{NpyKind::Float, 4}));
  EXPECT_EQ(header.shape, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(header.strides(), (std::vector<int64_t>{4, 1}));
  EXPECT_EQ(header.elementCount(), 12);
}

TEST(Npy, FortranOrderIsAMatterOfStrides) {
  NpyHeader header = parse(fileOf("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3, 5)}", 240));
  EXPECT_EQ(header.strides(), (std::vector<int64_t>{1, 2, 6}));
}

TEST(Npy, ReadsVersionsOneToThree) {
  for (int version : {1, 2, 3})
    EXPECT_EQ(parse(fileOf("{'descr': '|b1', 'fortran_order': False, 'shape': (7,)}", 7, version)).elementCount(), 7);
  EXPECT_EQ(messageOf(fileOf("{}", 0, 4)), invalid("its format version is 4, known are 1 to 3"));
}

TEST(Npy, ReadsAllTypesOfTheLanguage) {
  const std::pair<const char *, NpyType> types[] = {{"<f2", {NpyKind::Float, 2}},    {"<f4", {NpyKind::Float, 4}},
                                                    {"<f8", {NpyKind::Float, 8}},    {"|i1", {NpyKind::Signed, 1}},
                                                    {"<i2", {NpyKind::Signed, 2}},   {"<i4", {NpyKind::Signed, 4}},
                                                    {"<i8", {NpyKind::Signed, 8}},   {"|u1", {NpyKind::Unsigned, 1}},
                                                    {"<u2", {NpyKind::Unsigned, 2}}, {"|b1", {NpyKind::Boolean, 1}}};
  for (auto &[descr, type] : types)
    EXPECT_EQ(parse(fileOf("{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (1,)}", 8)).type, type);
}

TEST(Npy, AScalarAndEmptyArraysAreArrays) {
  EXPECT_EQ(parse(fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4)).elementCount(), 1);
  EXPECT_EQ(parse(fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9)}", 0)).elementCount(), 0);
}

TEST(Npy, BigEndianDataIsRefused) {
  EXPECT_EQ(messageOf(fileOf("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4)), "x.npy is big-endian ('>f4')");
}

TEST(Npy, OtherDTypesAreRefused) {
  EXPECT_EQ(messageOf(fileOf("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8)),
            "x.npy holds dtype '|O', which no dtype of the language matches");
  EXPECT_EQ(messageOf(fileOf("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8)),
            "x.npy holds dtype '<c8', which no dtype of the language matches");
  EXPECT_EQ(messageOf(fileOf("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4)),
            "x.npy holds a structured dtype");
}

TEST(Npy, DamagedHeadersAreTold) {
  std::string begin = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
  EXPECT_EQ(messageOf(""), invalid("it does not begin with \\x93NUMPY"));
  EXPECT_EQ(messageOf("PK\3\4 not an array"), invalid("it does not begin with \\x93NUMPY"));
  EXPECT_EQ(messageOf("\x93NUMPY\x01"), invalid("it does not begin with \\x93NUMPY"));
  EXPECT_EQ(messageOf(fileOf(begin + "(3,)}", 0).substr(0, 40)), invalid("it ends within its header"));
  EXPECT_EQ(messageOf(fileOf("{'descr': '<f4'}", 4)), invalid("its header lacks one of 'descr', 'fortran_order', 'shape'"));
  EXPECT_EQ(messageOf(fileOf(begin + "(-3,)}", 4)), invalid("'shape' is not a tuple of sizes"));
  EXPECT_EQ(messageOf(fileOf(begin + "(3", 4)), invalid("its header has no ')' where one is expected"));
  EXPECT_EQ(messageOf(fileOf("{'shape", 4)), invalid("its header ends within a string"));
}

TEST(Npy, AShapeLargerThanTheFileIsTold) {
  std::string begin = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
  EXPECT_EQ(messageOf(fileOf(begin + "(3,)}", 11)), invalid("its shape needs 12 bytes of data, the file has 11"));
  EXPECT_EQ(messageOf(fileOf(begin + "(4611686018427387904, 4)}", 16)),
            invalid("its shape needs more than 2^63 bytes of data, the file has 16"));
}

// The sizes of an empty array may be anything; their product is never formed.
TEST(Npy, HugeEmptyArraysAreEmpty) {
  NpyHeader header =
      parse(fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807, 0)}", 0));
  EXPECT_EQ(header.elementCount(), 0);
  EXPECT_EQ(header.strides().size(), 3u);
}

// Whatever a file holds, reading it gives a header or an error.
TEST(Npy, MutatedFilesNeverCrash) {
  std::string original = fileOf("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n", 48);
  std::mt19937 random(1);
  unsigned refused = 0;
  for (int n = 0; n < 20000; ++n) {
    std::string file = original;
    for (unsigned changes = 1 + random() % 4; changes-- > 0;)
      file[random() % 74] = static_cast<char>(random());
    if (random() % 4 == 0)
      file.resize(random() % file.size());
    refused += messageOf(file) != "(no error)";
  }
  EXPECT_GT(refused, 10000u);
}

TEST(Npy, HeadersAreWhatNumPyWouldWrite) {
  std::string header = npyHeader({NpyKind::Float, 4}, {3, 4});
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.substr(10, 60), "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } ");
  EXPECT_EQ(header.back(), '\n');
  EXPECT_NE(npyHeader({NpyKind::Boolean, 1}, {7}).find("'|b1'"), std::string::npos);
  EXPECT_NE(npyHeader({NpyKind::Boolean, 1}, {7}).find("(7,)"), std::string::npos);
  EXPECT_NE(npyHeader({NpyKind::Boolean, 1}, {}).find("()"), std::string::npos);
}

class NpyFile : public testing::Test {
protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("npy-test-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::filesystem::path folder;
};

TEST_F(NpyFile, WhatIsWrittenIsRead) {
  std::string path = folder / "x.npy";
  std::vector<int32_t> values = {1, -2, 3, 4, 5, 6};
  writeNpy(path, {NpyKind::Signed, 4}, {2, 3}, values.data());
  NpyHeader header = readNpyHeader(path);
  EXPECT_EQ(header.shape, (std::vector<int64_t>{2, 3}));
  std::vector<int32_t> read(6);
  readNpyData(path, header, read.data());
  EXPECT_EQ(read, values);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "a partial file was left behind";
}

TEST_F(NpyFile, AMissingFileIsAnError) {
  EXPECT_THROW(readNpyHeader(folder / "absent.npy"), CommandError);
  EXPECT_THROW(readNpyHeader(folder), CommandError);
  EXPECT_THROW(writeNpy(folder / "absent" / "x.npy", {NpyKind::Float, 4}, {0}, nullptr), CommandError);
}

} // namespace
