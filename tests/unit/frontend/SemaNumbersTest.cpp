// Dtypes, literals, conversions, elementwise functions.
#include "tests/unit/frontend/Fixtures.h"

using namespace tilewright::frontend;
using namespace tilewright::frontend::tests;
using namespace tilewright::frontend::tests::analysis;

TEST(SemaNumbers, NarrowOperandsWiden) {
  expectBody("for k2 in K by BK { let t = w[j, k2] + w[j, k2]; }", "let t: f32[j, k2] = (f32(w[j, k2]) + f32(w[j, k2]))");
  expectDump("kernel k(a: u8[N], y: out i32[N]) over (i in N by B) { y[i] = -a[i]; }", "y[i] = neg(i32(a[i]))");
}

TEST(SemaNumbers, LiteralsTakeTheTypeOfWhatTheyMeet) {
  expectBody("let t = scale * 2;", "let t: f32 = (scale * 2.0)");
  expectBody("let t = row[i] + 1;", "let t: i32[i] = (row[i] + 1)");
  expectBody("let t = wide[i, j] * 0.1;", "let t: f64[i, j] = (wide[i, j] * 0.1)");
}

TEST(SemaNumbers, LiteralsAloneAreI64AndF32) {
  expectBody("let t = 1; let u = 0.5; let v = exp(1);", "let t: i64 = 1");
  expectBody("let u = 0.5;", "let u: f32 = 0.5");
  expectBody("let v = exp(1);", "let v: f32 = exp(1.0)");
}

TEST(SemaNumbers, LiteralsAreFoldedExactly) {
  expectBody("let t = scale * (1 / 3.0 + 2);", "let t: f32 = (scale * 2.3333333)");
  expectBody("let t = -7 / 2; let u = -7 % 3;", "let t: i64 = -4");
  expectBody("let u = -7 % 3;", "let u: i64 = 2");
  expectBody("let t = max(1, 2) + ceildiv(7, 2);", "let t: i64 = 6");
}

TEST(SemaNumbers, TopLevelConstantsAreLiterals) {
  expectBody("let t = scale * half;", "let t: f32 = (scale * 0.5)", "let two = 2.0;\nlet half = 1 / two;");
}

TEST(SemaNumbers, ALiteralMustFit) {
  expectBodyFault("let t = row[i] + 3000000000;", "3000000000", "`+`: the literal 3000000000 is not a value of i32",
                  "to keep its low bits, write `i32(3000000000)`");
  expectBodyFault("let t = scale + 16777217;", "16777217", "`+`: the literal 16777217 is not a value of f32");
  expectBodyFault("let t = scale + 1e39;", "1e39", "`+`: the literal 1e+39 is not a value of f32");
}

TEST(SemaNumbers, AFloatLiteralIsNoInteger) {
  expectBodyFault("let t = row[i] + 1.5;", "1.5", "`+`: expected i32, found the literal 1.5");
}

TEST(SemaNumbers, IntegersAndFloatsDoNotMix) {
  expectBodyFault("let t = scale + row[i];", "+", "`+` cannot mix f32 and i32[i]",
                  "nothing converts between integers and floats implicitly; convert explicitly: `f32(…)`");
}

TEST(SemaNumbers, BoolIsNoNumber) {
  expectBodyFault("let t = flag[i, j] + flag[i, j];", "+", "`+` does not take bool");
  expectBodyFault("let t = flag[i, j] < flag[i, j];", "<", "`<` does not take bool");
  EXPECT_CLEAN(kernelOf("let t = flag[i, j] == flag[i, j];"));
}

TEST(SemaNumbers, LosslessConversionsAreImplicit) {
  expectBody("let t = wide[i, j] + scale;", "let t: f64[i, j] = (wide[i, j] + f64(scale))");
  expectBodyFault("var t: f32[i, j] = wide[i, j];", "wide[i, j]", "`t`: expected f32, found f64[i, j]",
                  "this conversion may lose something; convert explicitly: `f32(…)`");
}

TEST(SemaNumbers, CastsOfLiterals) {
  expectBody("let t = f32(1); let u = i32(2.7);", "let t: f32 = 1.0");
  expectBody("let u = i32(-2.7);", "let u: i32 = -2");
  expectBody("let v = bf16(0.1);", "let v: bf16 = 0.100097656");
}

TEST(SemaNumbers, NothingConvertsToBool) {
  expectBodyFault("let t = bool(scale);", "bool(scale)", "nothing converts to bool, found f32", "compare it: `x != 0`");
}

TEST(SemaNumbers, BitOperatorsNeedIntegers) {
  expectBodyFault("let t = scale & scale;", "&", "`&` needs integers, found f32 and f32");
  expectBody("let t = row[i] << 2;", "let t: i32[i] = (row[i] << 2)");
}

TEST(SemaNumbers, SelectKeepsOneType) {
  expectBody("for k2 in K by BK { let t = where(true, w[j, k2], w[j, k2]); }",
             "let t: bf16[j, k2] = where(true, w[j, k2], w[j, k2])");
  expectBody("for k2 in K by BK { let t = where(k2 > 3, w[j, k2], 0); }",
             "let t: bf16[j, k2] = where((k2 > 3), w[j, k2], 0.0)");
  expectBody("for k2 in K by BK { let t = where(k2 > 3, w[j, k2], 0.1); }",
             "let t: f32[j, k2] = where((k2 > 3), f32(w[j, k2]), 0.1)");
}

TEST(SemaNumbers, AChoiceBetweenLiteralsIsALiteral) {
  expectBody("var t: f32[i] = 0; t += where(i > 3, 1, 0);", "t = (t + where((i > 3), 1.0, 0.0))");
  expectBody("let t = where(i > 3, 1, 0);", "let t: i64[i] = where((i > 3), 1, 0)");
  expectBody("let t = where(i > 3, 1, 0.5);", "let t: f32[i] = where((i > 3), 1.0, 0.5)");
  expectBody("let t = exp(where(i > 3, 1, where(i > 2, 2, 0)));",
             "let t: f32[i] = exp(where((i > 3), 1.0, where((i > 2), 2.0, 0.0)))");
  expectBodyFault("let t = row[i] + where(i > 3, 1.5, 0);", "1.5", "`+`: expected i32, found the literal 1.5");
}

TEST(SemaNumbers, MathFunctionsNeedFloats) {
  expectBodyFault("let t = sqrt(row[i]);", "row[i]", "`sqrt` needs floats, found i32[i]", "convert explicitly: `f32(…)`");
  expectBody("let t = abs(row[i]);", "let t: i32[i] = abs(row[i])");
}

TEST(SemaNumbers, CeildivAndClampAreArithmetic) {
  expectBody("let t = ceildiv(M, 4);", "let t: i64 = neg((neg(M) / 4))");
  expectBody("let t = clamp(scale, 0, 1);", "let t: f32 = min(max(scale, 0.0), 1.0)");
}

TEST(SemaNumbers, RandomIsTheTopBits) {
  expectBody("let t = random(7, i * N + j);",
             "let t: f32[i, j] = (f32(((random_bits(7, ((i * N) + j)) >> 8) & 16777215)) * 5.9604645e-08)");
}

TEST(SemaNumbers, PrecisionIsCheckedForEachFunction) {
  expectBody("let t = exp(scale, precision = fast);", "let t: f32 = exp(scale, precision = fast)");
  expectBodyFault("let t = sqrt(scale, precision = fast);", "precision", "`sqrt` has no option `precision`");
  expectBodyFault("let t = exp(scale, precision = tf32);", "tf32", "unknown precision `tf32` of `exp`", "it may be `fast`");
  expectBodyFault("for k2 in K by BK { let t = dot(x[i, k2], w[j, k2], over k2, precision = exact); }", "exact",
                  "unknown precision `exact` of `dot`", "it may be `fast`, `tf32` or `tf32x3`");
  expectBody("for k2 in K by BK { let t = dot(w[j, k2], w[j, k2], over k2, precision = fast); }", "precision = fast");
}
