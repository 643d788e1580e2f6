#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>

#include "core/macros.h"
#include "core/vec3.h"

/// Counter-based random numbers (Philox4x32-10; Salmon et al., SC11). Each is a pure function of seed, purpose, step
/// and atom: the same on every processor, in any order and for any number of threads.
namespace dropmd {

/// What the numbers are used for; streams of different purposes are independent.
enum class RandomPurpose : std::uint32_t { velocities = 1, generate = 2, thermostat = 3, self_check = 4 };

/// Selects a stream of random numbers.
struct RandomKey {
  std::uint64_t seed = 1;
  RandomPurpose purpose = RandomPurpose::velocities;
};

/// Returns four uniform 32-bit words for (key, index, block).
DROPMD_HOST_DEVICE inline r123::Philox4x32::ctr_type random_words(RandomKey key, std::uint64_t index,
                                                                  std::uint32_t block) {
  const r123::Philox4x32::ctr_type counter{{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                                            block, static_cast<std::uint32_t>(key.purpose)}};
  const r123::Philox4x32::key_type words{
      {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)}};
  return r123::Philox4x32()(counter, words);
}

/// Returns a uniform number in (0, 1) from two words: 52 random bits plus one half, scaled. fp64 holds it exactly, so
/// both ends are excluded.
DROPMD_HOST_DEVICE inline double uniform_open(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 20U) ^ (low >> 12U);
  return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

/// Returns three independent uniform numbers in (0, 1).
DROPMD_HOST_DEVICE inline Vec3<double> uniform_vec3(RandomKey key, std::uint64_t index, std::uint32_t block) {
  const auto a = random_words(key, index, 2 * block);
  const auto b = random_words(key, index, 2 * block + 1);
  return {uniform_open(a[0], a[1]), uniform_open(a[2], a[3]), uniform_open(b[0], b[1])};
}

/// Returns three independent standard normal numbers (Box and Muller 1958).
DROPMD_HOST_DEVICE inline Vec3<double> normal_vec3(RandomKey key, std::uint64_t index, std::uint32_t block) {
  constexpr double kTwoPi = 6.283185307179586;
  const auto a = random_words(key, index, 2 * block);
  const auto b = random_words(key, index, 2 * block + 1);
  const double r1 = std::sqrt(-2.0 * std::log(uniform_open(a[0], a[1])));
  const double r2 = std::sqrt(-2.0 * std::log(uniform_open(b[0], b[1])));
  const double t1 = kTwoPi * uniform_open(a[2], a[3]);
  const double t2 = kTwoPi * uniform_open(b[2], b[3]);
  return {r1 * std::cos(t1), r1 * std::sin(t1), r2 * std::cos(t2)};
}

}  // namespace dropmd
