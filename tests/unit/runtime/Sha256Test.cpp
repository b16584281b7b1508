#include "runtime/Sha256.h"
#include "runtime/Sha256Block.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tilewright::runtime;

// The examples of FIPS 180-4 and of NIST's test vectors.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(hexadecimal(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexadecimal(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hexadecimal(sha256(std::string(1000000, 'a'))), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesArrive) {
  std::string text;
  for (int length = 0; length < 200; ++length) {
    Sha256 pieces;
    for (size_t at = 0; at < text.size(); at += 7)
      pieces.update(std::string_view(text).substr(at, 7));
    EXPECT_EQ(pieces.digest(), sha256(text)) << length;
    text.push_back(static_cast<char>(length * 31));
  }
}

// Which of the two the published digests were computed with depends on the processor.
TEST(Sha256, TheProcessorsInstructionsGiveTheSame) {
  Sha256Blocks inHardware = sha256BlocksInHardware();
  if (!inHardware)
    GTEST_SKIP() << "this processor has no instructions for SHA-256";
  std::mt19937 generator(1);
  std::vector<unsigned char> bytes(64 * 20 + 1);
  for (unsigned char &byte : bytes)
    byte = static_cast<unsigned char>(generator());
  for (size_t count : {1, 2, 20}) {
    uint32_t portable[8], hardware[8];
    for (int index = 0; index < 8; ++index)
      portable[index] = hardware[index] = static_cast<uint32_t>(generator());
    takeSha256Blocks(portable, bytes.data() + 1, count);
    inHardware(hardware, bytes.data() + 1, count);
    for (int index = 0; index < 8; ++index)
      EXPECT_EQ(portable[index], hardware[index]) << count << " blocks, word " << index;
  }
}
