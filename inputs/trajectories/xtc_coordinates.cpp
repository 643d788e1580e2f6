#include "inputs/trajectories/xtc_coordinates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace dropmd {
namespace {

/// The product of three sizes of up to 24 bits.
__extension__ using Wide = unsigned __int128;

/// Ranges of small offsets. Three numbers below the size with index k fit into k bits; the sizes are about 2^(k/3),
/// with the deviations that the format has. Indices below 9 are not used.
constexpr std::size_t kFirstSize = 9;
constexpr std::array<std::uint32_t, 73> kSizes = {
    0,       0,       0,       0,       0,        0,        0,       0,       0,       8,       10,
    12,      16,      20,      25,      32,       40,       50,      64,      80,      101,     128,
    161,     203,     256,     322,     406,      512,      645,     812,     1024,    1290,    1625,
    2048,    2580,    3250,    4096,    5060,     6501,     8192,    10321,   13003,   16384,   20642,
    26007,   32768,   41285,   52015,   65536,    82570,    104031,  131072,  165140,  208063,  262144,
    330280,  416127,  524287,  660561,  832255,   1048576,  1321122, 1664510, 2097152, 2642245, 3329021,
    4194304, 5284491, 6658042, 8388607, 10568983, 13316085, 16777216};

using Triple = std::array<std::int64_t, 3>;

/// Takes numbers from a string of bits. Beyond its end they are 0, and has_failed() is true.
class BitReader {
 public:
  explicit BitReader(std::span<const char> bytes) : bytes_(bytes) {}

  /// Returns the next n bits, at most 32; the first is the highest.
  std::uint32_t take(unsigned n) {
    while (n_held_ < n) {
      held_ = held_ << 8U | next_byte();
      n_held_ += 8;
    }
    n_held_ -= n;
    const auto value = static_cast<std::uint32_t>(held_ >> n_held_ & ((std::uint64_t{1} << n) - 1));
    held_ &= (std::uint64_t{1} << n_held_) - 1;
    return value;
  }

  /// Returns three numbers below these sizes from n bits, which are the bytes of the packed number from the lowest to
  /// the highest.
  Triple take_packed(unsigned n, const std::array<std::uint32_t, 3>& sizes) {
    Wide packed = 0;
    for (unsigned at = 0; at < n; at += 8) packed |= Wide{take(std::min(8U, n - at))} << at;
    const auto third = static_cast<std::int64_t>(packed % sizes[2]);
    packed /= sizes[2];
    const auto second = static_cast<std::int64_t>(packed % sizes[1]);
    const auto first = static_cast<std::int64_t>(packed / sizes[1]);
    return {first, second, third};
  }

  bool has_failed() const { return has_failed_; }

 private:
  std::uint64_t next_byte() {
    if (at_ < bytes_.size()) return static_cast<unsigned char>(bytes_[at_++]);
    has_failed_ = true;
    return 0;
  }

  std::span<const char> bytes_;
  std::size_t at_ = 0;
  std::uint64_t held_ = 0;  ///< the last n_held_ bits that were read but not taken
  unsigned n_held_ = 0;
  bool has_failed_ = false;
};

/// How the offsets of atoms from the least coordinates are packed.
struct Packing {
  std::array<std::uint32_t, 3> size{};  ///< their ranges; 0: 2^32
  unsigned bits = 0;                    ///< of all three; 0: each has its own
  std::array<unsigned, 3> own_bits{};

  explicit Packing(const XtcCompression& c) {
    constexpr std::uint32_t kMostPacked = 0xFFFFFF;
    for (std::size_t k = 0; k < 3; ++k)
      size[k] = static_cast<std::uint32_t>(c.most[k]) - static_cast<std::uint32_t>(c.least[k]) + 1;
    if (*std::max_element(size.begin(), size.end()) > kMostPacked) {
      for (std::size_t k = 0; k < 3; ++k) own_bits[k] = static_cast<unsigned>(std::bit_width(size[k]));
      return;
    }
    const Wide product = Wide{size[0]} * size[1] * size[2];
    const auto high = static_cast<std::uint64_t>(product >> 64U), low = static_cast<std::uint64_t>(product);
    bits = static_cast<unsigned>(high > 0 ? 64 + std::bit_width(high) : std::bit_width(low));
  }

  Triple take(BitReader& reader) const {
    if (bits > 0) return reader.take_packed(bits, size);
    Triple offset{};
    for (std::size_t k = 0; k < 3; ++k) offset[k] = reader.take(own_bits[k]);
    return offset;
  }
};

Triple sum(const Triple& a, const Triple& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }

}  // namespace

std::optional<std::vector<Vec3<double>>> xtc_coordinates(const XtcCompression& compression, std::span<const char> bytes,
                                                         std::size_t n_atoms) {
  const std::int32_t(&least)[3] = compression.least, (&most)[3] = compression.most;
  std::size_t small = compression.small;
  if (!(compression.precision > 0) || !std::isfinite(compression.precision)) return std::nullopt;
  if (least[0] > most[0] || least[1] > most[1] || least[2] > most[2]) return std::nullopt;
  const Packing packing(compression);
  if (packing.bits == 0 && std::count(packing.size.begin(), packing.size.end(), 0U) > 0) return std::nullopt;
  BitReader reader(bytes);
  std::vector<Vec3<double>> coordinates;
  coordinates.reserve(n_atoms);
  const auto append = [&, unit = static_cast<double>(compression.precision)](const Triple& x) {
    coordinates.push_back(
        {static_cast<double>(x[0]) / unit, static_cast<double>(x[1]) / unit, static_cast<double>(x[2]) / unit});
  };
  std::uint32_t n_small = 0;  // atoms that follow as small offsets; valid until another number is given
  while (coordinates.size() < n_atoms) {
    const Triple whole = sum(packing.take(reader), {least[0], least[1], least[2]});
    int change = 0;  // of `small`
    if (reader.take(1) != 0) {
      const std::uint32_t code = reader.take(5);
      change = static_cast<int>(code % 3) - 1;
      n_small = code / 3;
    }
    if (reader.has_failed() || small < kFirstSize || small >= kSizes.size() || n_small >= n_atoms - coordinates.size())
      return std::nullopt;
    const std::uint32_t size = kSizes[small];
    const std::int64_t half = size / 2;
    Triple before = whole;
    for (std::uint32_t k = 0; k < n_small; ++k) {
      const Triple offset = reader.take_packed(static_cast<unsigned>(small), {size, size, size});
      before = sum(before, sum(offset, {-half, -half, -half}));
      append(before);
      // The first two are exchanged, which makes the offsets of water's hydrogens smaller.
      if (k == 0) append(whole);
    }
    if (n_small == 0) append(whole);
    small = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(small) + change);
  }
  if (reader.has_failed()) return std::nullopt;
  return coordinates;
}

}  // namespace dropmd
