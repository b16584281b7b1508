// Written by scripts/math/minimax.py, which says how; do not edit.
#pragma once

namespace tilewright::math_constants {

/// q where exp(r) = 1 + r + r^2 q(r)
/// on [-0.3467, 0.3467]: error 2^-28.2.
inline constexpr double expF32[] = {
    0x1.fffffcp-2, 0x1.55548cp-3, 0x1.555858p-5, 0x1.123deap-7,
    0x1.6ac764p-10,
};

/// q where 2^r = 1 + r q(r)
/// on [-0.5001, 0.5001]: error 2^-31.8.
inline constexpr double exp2F32[] = {
    0x1.62e430p-1, 0x1.ebfbe0p-3, 0x1.c6b06ep-5, 0x1.3b2a5cp-7,
    0x1.5da49ap-10, 0x1.440df8p-13, 0x1.e1dc6ep-17,
};

/// q where exp(r) = 1 + r + r^2 q(r)
/// on [-0.3467, 0.3467]: error 2^-57.9.
inline constexpr double expF64[] = {
    0x1.000000000000ap-1, 0x1.5555555555502p-3, 0x1.55555555505fcp-5, 0x1.11111111251dap-7,
    0x1.6c16c184b90f1p-10, 0x1.a01a013ba012dp-13, 0x1.a019987fcae39p-16, 0x1.71def7fd1246fp-19,
    0x1.28aee97c7379cp-22, 0x1.add1ae2f7e7dbp-26,
};

/// q where 2^r = 1 + r q(r)
/// on [-0.5001, 0.5001]: error 2^-57.1.
inline constexpr double exp2F64[] = {
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c5b3p-3, 0x1.c6b08d704a26fp-5, 0x1.3b2ab6fb9dabdp-7,
    0x1.5d87fe784577ap-10, 0x1.430913167d5e9p-13, 0x1.ffcbfe667c135p-17, 0x1.62bfb4a2b2d57p-20,
    0x1.b52082d587118p-24, 0x1.e63b87e196cb7p-28, 0x1.f0e7885987c8cp-32,
};

/// q where 2^r = 1 + r q(r)
/// on [-0.5001, 0.5001]: error 2^-28.0.
inline constexpr double exp2ForPowF32[] = {
    0x1.62e430af75de1p-1, 0x1.ebfbce277988dp-3, 0x1.c6aed90160c73p-5, 0x1.3b392a8f96cbcp-7,
    0x1.5f47dcf564033p-10, 0x1.3938310ad1837p-13,
};

/// ln 2 = high + low, where high ends in 9 zero bits, so that n * high is exact.
inline constexpr double ln2HighF32 = 0x1.62e400p-1;
inline constexpr double ln2LowF32 = 0x1.7f7d1cp-20;
/// ln 2 = high + low, where high ends in 12 zero bits, so that n * high is exact.
inline constexpr double ln2HighF64 = 0x1.62e42fefa4000p-1;
inline constexpr double ln2LowF64 = -0x1.8432a1b0e2634p-43;

/// q where log((1 + s) / (1 - s)) = 2 s + s z q(z), z = s^2
/// on [0.0000, 0.0294]: error 2^-35.2.
inline constexpr double logF32[] = {
    0x1.555554p-1, 0x1.999c26p-2, 0x1.23d3ecp-2, 0x1.f136fap-3,
};

/// log2(e) = high + low, where the high half has half of the bits.
inline constexpr double log2eHighF32 = 0x1.716000p+0;
inline constexpr double log2eLowF32 = -0x1.7135a8p-13;

/// q where log((1 + s) / (1 - s)) = 2 s + s z q(z), z = s^2
/// on [0.0000, 0.0294]: error 2^-59.5.
inline constexpr double logF64[] = {
    0x1.5555555555592p-1, 0x1.999999997feebp-2, 0x1.24924941e5565p-2, 0x1.c71c521033b26p-3,
    0x1.74663deb133acp-3, 0x1.39a1cbd954707p-3, 0x1.2f04fd29e9d23p-3,
};

/// log2(e) = high + low, where the high half has half of the bits.
inline constexpr double log2eHighF64 = 0x1.7154780000000p+0;
inline constexpr double log2eLowF64 = -0x1.ad47d01e8882fp-24;

/// q where log((1 + s) / (1 - s)) = 2 s + s z (2/3 + z q(z)), z = s^2
/// on [0.0000, 0.0294]: error 2^-73.4.
inline constexpr double logForPowF64[] = {
    0x1.9999999999996p-2, 0x1.2492492492f52p-2, 0x1.c71c71c5965b8p-3, 0x1.745d182977084p-3,
    0x1.3b1364bf215a5p-3, 0x1.112070e05cde4p-3, 0x1.de3d265611113p-4, 0x1.eac84c2011d98p-4,
};

/// twoThirds + twoThirdsLow.
inline constexpr double twoThirds = 0x1.5555555555555p-1;
inline constexpr double twoThirdsLow = 0x1.5555555555555p-55;
/// log2e + log2eLow.
inline constexpr double log2e = 0x1.71547652b82fep+0;
inline constexpr double log2eLow = 0x1.777d0ffda0d24p-56;

/// q where log((1 + s) / (1 - s)) = 2 s + s z q(z), z = s^2
/// on [0.0000, 0.0294]: error 2^-44.9.
inline constexpr double logForPowF32[] = {
    0x1.555555561e7b9p-1, 0x1.999996a8816b0p-2, 0x1.2494124d98fabp-2, 0x1.c62af254f6bafp-3,
    0x1.9117a64eb146ep-3,
};

/// q where sin(r) = r + r z q(z), z = r^2
/// on [0.0000, 0.6181]: error 2^-28.0.
inline constexpr double sinF32[] = {
    -0x1.555546p-3, 0x1.11077ap-7, -0x1.9954a6p-13,
};

/// q where cos(r) = 1 - z/2 + z^2 q(z), z = r^2
/// on [0.0000, 0.6181]: error 2^-33.1.
inline constexpr double cosF32[] = {
    0x1.55554ap-5, -0x1.6c0c1ap-10, 0x1.99e0eep-16,
};

/// q where sin(r) = r + r z q(z), z = r^2
/// on [0.0000, 0.6181]: error 2^-58.0.
inline constexpr double sinF64[] = {
    -0x1.5555555555549p-3, 0x1.111111110f892p-7, -0x1.a01a019c121c8p-13, 0x1.71de3576bf810p-19,
    -0x1.ae5e64aae509ep-26, 0x1.5d925ea2808dap-33,
};

/// q where cos(r) = 1 - z/2 + z^2 q(z), z = r^2
/// on [0.0000, 0.6181]: error 2^-64.1.
inline constexpr double cosF64[] = {
    0x1.555555555554cp-5, -0x1.6c16c16c15210p-10, 0x1.a01a019cbcdc0p-16, -0x1.27e4f81049f74p-22,
    0x1.1ee9ef570772ep-29, -0x1.8fb0044d315b9p-37,
};

/// 2/pi = sum of chunk[i] * 2^(-29 i).
inline constexpr double twoOverPi29[] = {
    0x1.45f306d000000p-1, 0x1.9391054000000p-1, 0x1.4fe13ab000000p-1, 0x1.d1f534d000000p-1,
    0x1.b81b6c5000000p-1, 0x1.5993c40000000p-3, 0x1.c820ff2000000p-1,
};

/// 2/pi = sum of chunk[i] * 2^(-53 i).
inline constexpr double twoOverPi53[] = {
    0x1.45f306dc9c882p-1, 0x1.4a7f09d5f47d4p-1, 0x1.a6ee06db14accp-1, 0x1.3c439041fe516p-1,
    0x1.d5ef5de2b0db8p-3, 0x1.2371d2126e970p-2, 0x1.924bba8274600p-8, 0x1.21cfe1deb1cb1p-1,
    0x1.4d39f74411af8p-3, 0x1.4baed1213a671p-1, 0x1.8135a2fbf209cp-1, 0x1.91d639835339fp-1,
    0x1.272117e2ef7e4p-2, 0x1.41d8ffc4bffeep-2, 0x1.02cc07f79788cp-1, 0x1.6b414da3eda6cp-2,
    0x1.fb3c9f2c26dd2p-2, 0x1.d18fd9a797fa8p-1, 0x1.6ba93dd63f5f2p-1, 0x1.f17b3d0739f78p-1,
    0x1.4a525d4d7f6bfp-1, 0x1.88fc6ae842b00p-2,
};

/// pi/2 = halfPi + halfPiLow.
inline constexpr double halfPi = 0x1.921fb54442d18p+0;
inline constexpr double halfPiLow = 0x1.1a62633145c07p-54;
/// pi/2 = the sum of three f32.
inline constexpr double halfPiF32[] = {
    0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50,
};

/// q where tanh(x) = x + x z q(z), z = x^2
/// on [0.0000, 0.3055]: error 2^-29.7.
inline constexpr double tanhF32[] = {
    -0x1.55554ap-2, 0x1.110ceep-3, -0x1.b91e80p-5, 0x1.58e538p-6,
    -0x1.992298p-8,
};

/// q where tanh(x) = x + x z q(z), z = x^2
/// on [0.0000, 0.3055]: error 2^-64.1.
inline constexpr double tanhF64[] = {
    -0x1.5555555555555p-2, 0x1.1111111111080p-3, -0x1.ba1ba1ba10e2bp-5, 0x1.664f487f8eb88p-6,
    -0x1.226e34cf89cfcp-7, 0x1.d6d3b1095fab3p-9, -0x1.7da1046c0ccd4p-10, 0x1.35390b00fdfd3p-11,
    -0x1.f34a682bc4c25p-13, 0x1.88db09a788cdap-14, -0x1.113cac965c576p-15, 0x1.e4eb1ad24f4b5p-18,
};

/// q where erf(x) = x + x q(x^2)
/// on [0.0000, 0.7127]: error 2^-26.9.
inline constexpr double erfNearF32[] = {
    0x1.06eba8p-3, -0x1.812728p-2, 0x1.ce25e6p-4, -0x1.b73f08p-6,
    0x1.4bb97ep-8, -0x1.4e2b6cp-11,
};

/// q where erf(x) = 1 - exp(-x^2) q(1 / (x + 2))
/// on [0.1667, 0.3525]: error 2^-27.1.
inline constexpr double erfFarF32[] = {
    0x1.8af78ep-10, 0x1.0cb512p-1, 0x1.8cd81ap+0, -0x1.8ee882p-2,
    0x1.3f21cap+3, -0x1.cf6ae0p+2,
};

/// q where erf(x) = x + x q(x^2)
/// on [0.0000, 0.7127]: error 2^-55.8.
inline constexpr double erfNearF64[] = {
    0x1.06eba8214db68p-3, -0x1.812746b03798dp-2, 0x1.ce2f21a03e04bp-4, -0x1.b82ce310fa3e0p-6,
    0x1.565bcccae27e5p-8, -0x1.c02da69b10e65p-11, 0x1.f9a17d5a57b8dp-14, -0x1.f4b0448d4876dp-17,
    0x1.b8225971f7b57p-20, -0x1.50b1753c971f5p-23, 0x1.6d0b1971fb3aap-27,
};

/// q where erf(x) = 1 - exp(-x^2) q(1 / (x + 2))
/// on [0.1250, 0.3525]: error 2^-56.0.
inline constexpr double erfFarF64[] = {
    0x1.b8cd64332818bp-20, 0x1.20da215e6c0ebp-1, 0x1.20ab6eb55338bp+0, 0x1.009f901e57687p+1,
    0x1.2bccb06b7226ep+1, 0x1.d18456306ac0ep+2, -0x1.df296f8dcba04p+4, 0x1.f910acb67d15ep+6,
    -0x1.af480e50bc149p+8, 0x1.b13bcb2578e17p+9, -0x1.fad8fda63fc62p+9, 0x1.484a3014d2510p+9,
    -0x1.7169bceacb594p+7,
};

/// q where erf(x) = tanh(x q(x^2))
/// on [0.0000, 10.8900]: error 2^-18.0.
inline constexpr double erfByTanhF32[] = {
    0x1.20dd2ep+0, 0x1.a54878p-4, -0x1.ac5844p-12, -0x1.d4143cp-12,
    0x1.2a425ep-15,
};

/// q where (1 - erf(x / sqrt(2))) / 2 = 2^q(x) for x >= 0
/// on [0.0000, 5.6000]: error 2^-11.8.
inline constexpr double log2NormalTailF32[] = {
    -0x1.00198ep+0, -0x1.255acap+0, -0x1.e1905ep-2, -0x1.6a7a20p-5,
    0x1.39b892p-8, -0x1.db12ecp-13,
};

/// Where the slope is 0, with a minus sign.
inline constexpr double geluSlopeRootF32 = 0x1.8142a0p-1;
/// q where the slope at -x is (geluSlopeRootF32 - x) 2^q(x) for x >= 0
/// on [0.0000, 5.0000]: error 2^-11.4.
inline constexpr double log2GeluSlopeF32[] = {
    -0x1.2e3042p-1, -0x1.7cd92cp-2, -0x1.393d8ap-1, -0x1.84e8a2p-19,
    -0x1.354c80p-8,
};

/// Where the slope is 0, with a minus sign.
inline constexpr double geluErfSlopeRootF32 = 0x1.80ead2p-1;
/// q where the slope at -x is (geluErfSlopeRootF32 - x) 2^q(x) for x >= 0
/// on [0.0000, 5.0000]: error 2^-13.4.
inline constexpr double log2GeluErfSlopeF32[] = {
    -0x1.2d544ap-1, -0x1.84c332p-2, -0x1.26aea6p-1, -0x1.214e9ep-5,
    0x1.ee0cb0p-9,
};

} // namespace tilewright::math_constants
