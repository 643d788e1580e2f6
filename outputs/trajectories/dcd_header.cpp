#include "outputs/trajectories/dcd_header.h"

#include <array>
#include <cstring>

namespace dropmd {
namespace {

constexpr std::size_t kTitleLines = 2, kLineBytes = 80;
/// Indices into the 20 integers of the first record. The flags for fixed atoms, a unit cell and a fourth dimension stay
/// zero.
constexpr std::size_t kFrames = 0, kFirstStep = 1, kEvery = 2, kLastStep = 3, kTimestep = 9, kVersion = 19;
/// The version of CHARMM that programs look at to know that the timestep is a float, as CHARMM writes it.
constexpr std::int32_t kCharmm = 24;

template <class Value>
void append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// A record of Fortran has its length before and after it.
void append_record(std::string& bytes, const std::string& record) {
  const auto length = static_cast<std::int32_t>(record.size());
  append(bytes, length);
  bytes += record;
  append(bytes, length);
}

std::string title_record(std::string_view title) {
  std::string record;
  append(record, static_cast<std::int32_t>(kTitleLines));
  for (std::size_t k = 0; k < kTitleLines; ++k) {
    const std::string_view rest = title.substr(0, title.find('\n'));
    std::string line(rest.substr(0, kLineBytes));
    title.remove_prefix(std::min(title.size(), rest.size() + 1));
    line.resize(kLineBytes, ' ');
    record += line;
  }
  return record;
}

}  // namespace

std::string DcdHeader::bytes() const {
  std::array<std::int32_t, 20> numbers{};
  numbers[kFrames] = n_frames;
  numbers[kFirstStep] = first_step;
  numbers[kEvery] = every;
  numbers[kLastStep] = last_step;
  std::memcpy(&numbers[kTimestep], &timestep, sizeof timestep);
  numbers[kVersion] = kCharmm;
  std::string first = "CORD", bytes;
  append(first, numbers);
  append_record(bytes, first);
  append_record(bytes, title_record(title));
  std::string number;
  append(number, n_atoms);
  append_record(bytes, number);
  return bytes;
}

DcdHeader dcd_counts(std::string_view first_bytes) {
  DcdHeader header;
  if (first_bytes.size() < kDcdCountsEnd) return header;
  const auto take = [&](std::size_t index, std::int32_t& value) {
    std::memcpy(&value, first_bytes.data() + kDcdCounts + index * sizeof value, sizeof value);
  };
  take(kFrames, header.n_frames);
  take(kFirstStep, header.first_step);
  take(kEvery, header.every);
  take(kLastStep, header.last_step);
  return header;
}

}  // namespace dropmd
