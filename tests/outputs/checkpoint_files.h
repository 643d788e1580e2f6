#pragma once
// Helpers that make, read and compare checkpoints.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/errors.h"
#include "outputs/checkpoint/checkpoint_file.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {

namespace fs = std::filesystem;

/// Bytes before the HDF5 file.
inline constexpr std::size_t kCheckpointBlock = 512;

/// The message of the InputError with which a checkpoint is refused; empty if it is read.
inline std::string refusal_of(const fs::path& path) {
  try {
    read_checkpoint(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Numbers whose bits a careless reader or writer changes.
class AwkwardNumbers {
 public:
  double next() {
    constexpr double kNumbers[] = {-0.0, 0.0,     5e-324, -2.2250738585072011e-308, 1e308,     -1.7976931348623157e308,
                                   0.1,  1.0 / 3, -1e-17, 123456789.123456789,      1 + 1e-16, 2.5};
    ++at_;
    return kNumbers[at_ % std::size(kNumbers)] * (at_ % 5 == 0 ? 0.5 : 1);
  }
  double next_positive() {
    const double number = std::abs(next());
    return number > 0 ? number : 1.5;
  }
  Vec3<double> next_vector() {
    const double x = next(), y = next(), z = next();
    return {x, y, z};
  }
  std::vector<Vec3<double>> vectors(std::size_t n) {
    std::vector<Vec3<double>> values(n);
    for (Vec3<double>& value : values) value = next_vector();
    return values;
  }

 private:
  std::size_t at_ = 0;
};

/// A checkpoint with everything that may be present.
inline Checkpoint full_checkpoint(std::size_t n_atoms) {
  AwkwardNumbers numbers;
  Checkpoint c;
  c.run_file = "title = \"Tröpfchen\"\nunits = \"lj\"\n";
  c.title = "水滴, -40 °C";
  c.radius = 0.1;
  c.species_names = {"Na⁺", "", "Cl", "with blanks and 'quotes'"};
  for (std::size_t i = 0; i < n_atoms; ++i) {
    c.mass.push_back(numbers.next_positive());
    c.charge.push_back(numbers.next());
    c.species.push_back(static_cast<std::uint32_t>(i % c.species_names.size()));
  }
  c.state.step = std::numeric_limits<std::int64_t>::max() - 1;
  c.state.n_dof = 3 * n_atoms;
  c.state.position = numbers.vectors(n_atoms);
  c.state.velocity = numbers.vectors(n_atoms);
  c.state.next_id = 3 * static_cast<std::uint32_t>(n_atoms) + 7;
  c.state.integrator_state = {0.013, 0.099, 7, -0.0};
  c.state.backend = Backend::cuda;
  c.state.precision = Precision::fp64;
  c.state.choice = {c.state.step, NeighborMethod::pair_list, 0.1, 1.0 / 3, ListForm::two_atom};
  c.state.force = numbers.vectors(n_atoms);
  c.state.list_positions = numbers.vectors(n_atoms);
  c.state.term_states = {{}, {numbers.next(), -0.0, 5e-324}, {}, {1e308}};
  c.coulomb_mesh = {numbers.next(), 12.4, 5e-324, 6};
  for (std::uint32_t i = 0; i < n_atoms; ++i) c.state.id.push_back(3 * i + 2);
  for (const Cause cause : {Cause::removed, Cause::added, Cause::mesh}) c.state.carried.causes.insert(cause);
  for (double& energy : c.state.carried.booked) energy = numbers.next();
  for (std::size_t k = 0; k < kAtomCauses; k += 2)
    for (std::size_t i = 0; i < n_atoms; ++i) c.state.booked.by_atom[k].push_back(numbers.next());
  DeviceOrder& device = c.state.device;
  for (std::size_t i = n_atoms; i-- > 0;) device.host_index.push_back(static_cast<std::uint32_t>(i));
  device.force_sums = {~std::uint64_t{0}, 0, std::uint64_t{1} << 63U, 17};
  device.anchor = numbers.next_vector();
  device.force_scale = -7;
  device.sorted_at = 1000, device.sort_interval = 300, device.sort_at = 1300, device.sortings = 4;
  device.sorted_positions = numbers.vectors(n_atoms);
  device.sorted_anchor = numbers.next_vector();
  c.choices = {{0, NeighborMethod::cells, 0, 0.7, ListForm::automatic},
               {326, NeighborMethod::pair_list, 5e-324, 0, ListForm::persistent},
               {1'000'000'000'000, NeighborMethod::all_pairs, 0, 0, ListForm::clusters}};
  c.replayed = {{0, NeighborMethod::sorted_cells, 0.25, 0, ListForm::automatic},
                {7, NeighborMethod::pair_list, 0.5, 0, ListForm::two_atom}};
  c.population_actions = {c.state.step, c.state.step + 1};
  c.map = MapState{.grid = {numbers.next_vector(), {0.5, 5e-324, 1e308}, {3, 1, 2}},
                   .sum = {numbers.next(), -0.0, 5e-324, numbers.next(), 1e308, numbers.next()},
                   .frames = std::numeric_limits<std::int64_t>::max()};
  c.state.droplet = DropletState{{1, 4, 0xFFFFFFFF}};
  c.outputs = {{"energy.csv", {.bytes = 123, .crc = 0xFFFFFFFF}},
               {"trajectory.xyz", {.bytes = std::uint64_t{1} << 63U, .crc = 0}},
               {"wörter und mehr.csv", {}}};
  return c;
}

/// A checkpoint without everything that may be missing.
inline Checkpoint bare_checkpoint(std::size_t n_atoms) {
  Checkpoint c;
  c.mass.assign(n_atoms, 1.0);
  c.charge.assign(n_atoms, 0.0);
  c.species.assign(n_atoms, 0);
  if (n_atoms > 0) c.species_names = {"X"};
  c.state.position.assign(n_atoms, {});
  c.state.velocity.assign(n_atoms, {});
  c.state.backend = Backend::cpu;
  return c;
}

/// Compares bits: -0.0 differs from 0.0.
template <class T>
inline bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

inline void expect_same(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.run_file, b.run_file);
  EXPECT_EQ(a.title, b.title);
  ASSERT_EQ(a.radius.has_value(), b.radius.has_value());
  EXPECT_TRUE(same_bits(a.radius.value_or(0), b.radius.value_or(0)));
  EXPECT_TRUE(same_bits(a.mass, b.mass));
  EXPECT_TRUE(same_bits(a.charge, b.charge));
  EXPECT_EQ(a.species, b.species);
  EXPECT_EQ(a.species_names, b.species_names);
  EXPECT_EQ(a.state.step, b.state.step);
  EXPECT_EQ(a.state.n_dof, b.state.n_dof);
  EXPECT_TRUE(same_bits(a.state.position, b.state.position));
  EXPECT_TRUE(same_bits(a.state.velocity, b.state.velocity));
  EXPECT_EQ(a.state.id, b.state.id);
  EXPECT_EQ(a.state.next_id, b.state.next_id);
  EXPECT_TRUE(same_bits(a.state.integrator_state, b.state.integrator_state));
  EXPECT_EQ(a.state.backend, b.state.backend);
  EXPECT_EQ(a.state.precision, b.state.precision);
  EXPECT_EQ(a.state.choice, b.state.choice);
  EXPECT_TRUE(a.state.carried.causes == b.state.carried.causes);
  for (std::size_t k = 0; k < kCauses; ++k)
    EXPECT_TRUE(same_bits(a.state.carried.booked[k], b.state.carried.booked[k])) << kCauseNames[k];
  for (std::size_t k = 0; k < kAtomCauses; ++k)
    EXPECT_TRUE(same_bits(a.state.booked.by_atom[k], b.state.booked.by_atom[k])) << kCauseNames[k];
  EXPECT_TRUE(same_bits(a.state.force, b.state.force));
  EXPECT_TRUE(same_bits(a.state.list_positions, b.state.list_positions));
  ASSERT_EQ(a.state.term_states.size(), b.state.term_states.size());
  for (std::size_t k = 0; k < a.state.term_states.size(); ++k)
    EXPECT_TRUE(same_bits(a.state.term_states[k], b.state.term_states[k])) << k;
  EXPECT_TRUE(same_bits(a.coulomb_mesh, b.coulomb_mesh));
  const DeviceOrder &d = a.state.device, &e = b.state.device;
  EXPECT_EQ(d.host_index, e.host_index);
  EXPECT_EQ(d.force_sums, e.force_sums);
  EXPECT_EQ(d.force_scale, e.force_scale);
  EXPECT_TRUE(same_bits(std::vector{d.anchor, d.sorted_anchor}, std::vector{e.anchor, e.sorted_anchor}));
  EXPECT_EQ(d.sorted_at, e.sorted_at);
  EXPECT_EQ(d.sort_interval, e.sort_interval);
  EXPECT_EQ(d.sort_at, e.sort_at);
  EXPECT_EQ(d.sortings, e.sortings);
  EXPECT_TRUE(same_bits(d.sorted_positions, e.sorted_positions));
  EXPECT_EQ(a.choices, b.choices);
  EXPECT_EQ(a.replayed, b.replayed);
  EXPECT_EQ(a.population_actions, b.population_actions);
  EXPECT_EQ(a.state.droplet, b.state.droplet);
  ASSERT_EQ(a.map.has_value(), b.map.has_value());
  if (a.map) {
    EXPECT_TRUE(same_bits(std::vector{a.map->grid.origin, a.map->grid.spacing},
                          std::vector{b.map->grid.origin, b.map->grid.spacing}));
    EXPECT_EQ(a.map->grid.points, b.map->grid.points);
    EXPECT_TRUE(same_bits(a.map->sum, b.map->sum));
    EXPECT_EQ(a.map->frames, b.map->frames);
  }
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (std::size_t k = 0; k < a.outputs.size(); ++k) {
    EXPECT_EQ(a.outputs[k].name, b.outputs[k].name);
    EXPECT_EQ(a.outputs[k].mark, b.outputs[k].mark);
  }
}

/// A folder with a checkpoint.
class CheckpointFile : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "checkpoint.h5"; }
  fs::path previous() const { return folder_.path() / "checkpoint-previous.h5"; }
  const TempFolder& folder() const { return folder_; }

  std::string bytes_of(const Checkpoint& checkpoint) const {
    write_checkpoint(path(), checkpoint);
    return read_text(path());
  }
  /// The message that refuses a file of these bytes.
  std::string refusal_of_bytes(std::string_view bytes) const {
    folder_.write("checkpoint.h5", bytes);
    return refusal_of(path());
  }

 private:
  TempFolder folder_;
};

}  // namespace dropmd
