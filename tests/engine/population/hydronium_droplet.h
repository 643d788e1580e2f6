#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "engine/library/simulation.h"
#include "engine/model/form_catalog.h"
#include "engine/molecules/molecules.h"
#include "inputs/run_file/run_file.h"
#include "inputs/structures/structure.h"
#include "tests/outputs/output_files.h"
#include "tests/support/device_runs.h"
#include "tests/support/processors.h"
#include "tests/support/system/temp_folder.h"

/// The droplet of waters with hydronium ions whose molecules change, and systems that are built anew to compare with.
namespace dropmd {

inline constexpr std::uint32_t kWaters = 200, kSitesOfWater = 4, kSitesOfHydronium = 5;
inline constexpr std::uint32_t kFirstHydronium = kWaters * kSitesOfWater + 1;

/// Returns the message of an error; empty if there is none.
template <class Error, class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline std::string sample(const std::string& name) {
  return std::string(DROPMD_SOURCE_DIR) + "/inputs/samples/" + name;
}

inline RunConfig run_of(const std::string& file, const std::vector<std::string>& settings) {
  std::vector<Setting> parsed;
  for (const std::string& text : settings) parsed.push_back(parse_setting("test", text));
  return read_run_file(file, form_catalog(), parsed);
}

/// The droplet of waters with hydronium ions, without anything random.
inline RunConfig hydronium_run(std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {"integrator.form=\"velocity-verlet\"", "integrator.timestep=0.5"});
  return run_of(sample("hydronium.toml"), settings);
}

inline std::vector<Vec3<double>> copy(std::span<const Vec3<double>> values) { return {values.begin(), values.end()}; }

/// Where a water that becomes a hydronium ion gets its third hydrogen: 0.9686 A from its oxygen, opposite to the middle
/// of the hydrogens and turned out of their plane, so that the constraints move the atoms a little.
inline PlacedAtom third_hydrogen(const Particles& p, std::size_t oxygen) {
  const Vec3<double> o = p.position[oxygen], a = p.position[oxygen + 1] - o, b = p.position[oxygen + 2] - o;
  const Vec3<double> normal = cross(a, b), axis = a + b;
  const Vec3<double> way = (0.9 / norm(normal)) * normal - (0.5 / norm(axis)) * axis;
  return {.name = "HW3", .position = o + (0.9686 / norm(way)) * way};
}

inline MoleculeReplacement protonated(const Particles& p, std::uint32_t molecule) {
  std::size_t oxygen = 0;
  while (p.id_of(oxygen) != molecule) ++oxygen;
  return {.molecule = molecule, .kind = "H3O", .placed = {third_hydrogen(p, oxygen)}};
}

/// Builds a system of the same molecules from a topology that has them in its text. blocks: lines of [ molecules ].
inline System built_anew(const TempFolder& folder, const RunConfig& config, const System& like,
                         const std::string& blocks) {
  std::string text = read_text(sample("hydronium.top"));
  text = text.substr(0, text.find("[ molecules ]")) + "[ molecules ]\n" + blocks;
  std::ofstream(folder.path() / "other.top") << text;
  RunConfig other = config;
  other.topology.file = (folder.path() / "other.top").string();
  Structure structure;
  structure.position = like.particles.position, structure.velocity = like.particles.velocity;
  structure.species = like.particles.species, structure.species_names = like.particles.species_names;
  for (std::size_t i = 0; i < like.particles.size(); ++i)
    structure.atom_name.push_back(like.molecules->atom_name[like.particles.id_of(i) - 1]);
  const auto molecules = read_molecules(other, structure);
  return build_system(other, structure, molecules);
}

/// Simulations of that droplet on all processors.
class OnHydronium : public OnProcessors {
 protected:
  static RunConfig config(const std::vector<std::string>& settings = {}) {
    RunConfig config = hydronium_run(settings);
    const Method on = method();
    config.backend = on.backend;
    config.precision = on.precision;
    return config;
  }

  /// Two systems give the same energies and forces, to the rounding of sums in another order. In mixed precision the
  /// order in space, and with it what is rounded, depends on the atoms that were there before: the bounds of
  /// docs/guarantees.md hold.
  static void expect_same_physics(Simulation& a, Simulation& b) {
    a.step(0), b.step(0);
    const double scale = std::abs(b.energies().total());
    EXPECT_NEAR(a.energies().total(), b.energies().total(), (is_mixed() ? 2 * bounds().energy : 1e-12) * scale);
    const std::vector<Vec3<double>> of_a = copy(a.forces()), of_b = copy(b.forces());
    ASSERT_EQ(of_a.size(), of_b.size());
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      worst = std::max(worst, norm(of_a[i] - of_b[i]));
      largest = std::max(largest, norm(of_b[i]));
    }
    EXPECT_LT(worst, (is_mixed() ? 2 * bounds().worst_force : 1e-10) * largest);
  }

  TempFolder folder_;
};

}  // namespace dropmd
