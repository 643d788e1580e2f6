#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/model/system.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/extended_xyz.h"
#include "inputs/structures/structure.h"
#include "outputs/structures/extended_xyz.h"
#include "tests/support/system/python_reader.h"
#include "tests/support/system/temp_folder.h"

/// Extended XYZ files read and written by other programs (tests/outputs/read_structure.py). A program that is not
/// installed is skipped; scripts/check_readers.sh installs all of them.
namespace dropmd {
namespace {

using Json = nlohmann::json;

/// Masses that are no program's defaults.
Particles ions() {
  Particles particles;
  particles.position = {{0.1, -1.0 / 3.0, 2}, {1.5, 2.0, -3.0}, {-7, 8, 1e-3}};
  particles.velocity = {{0.25, 0.0, -1.0 / 7.0}, {-1e-3, 2e-3, 0.0}, {1e-5, 0, 0.5}};
  particles.mass = {20, 35.4527, 20};
  particles.charge = {1.0, -0.8, 1.0 / 3.0};
  particles.species = {1, 0, 1};
  particles.species_names = {"Cl", "Na"};
  return particles;
}

/// Writes two frames, the second of which has the particles, and reads them back. Returns nothing without the program.
std::optional<Json> read_back(const std::string& reader, const Units& units) {
  const TempFolder folder;
  const Particles particles = ions();
  Particles earlier = particles;
  for (Vec3<double>& x : earlier.position) x.z += 1;
  FileWriter writer(folder.path() / "a.xyz", false);
  write_frame(writer, earlier, &units, {.step = 0, .time = 0});
  write_frame(writer, particles, &units, {.step = 10, .time = 5});
  const auto outcome = run_python(folder.path(), "read_structure.py", {reader, "a.xyz"});
  if (!outcome) return std::nullopt;
  EXPECT_EQ(outcome->status, 0) << outcome->out << outcome->err;
  return outcome->status == 0 ? Json::parse(outcome->out) : Json::object();
}

void expect_names(const Json& read) { EXPECT_EQ(read["names"], (Json{"Na", "Cl", "Na"})); }

void expect_numbers(const Json& read, const std::vector<double>& expected, double relative) {
  ASSERT_EQ(read.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(read[i].get<double>(), expected[i], relative * std::abs(expected[i])) << i;
}

void expect_vectors(const Json& read, const std::vector<Vec3<double>>& expected, double relative) {
  ASSERT_EQ(read.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    expect_numbers(read[i], {expected[i].x, expected[i].y, expected[i].z}, relative);
}

constexpr double kNineDigits = 6e-9;  ///< for momenta and for ASE's constants
constexpr double kSingle = 6e-8;      ///< fp32

TEST(StructureReaders, AseHasTheRightVelocitiesChargesAndMasses) {
  for (const bool real : {true, false}) {
    const auto read = read_back(real ? "ase" : "ase-lj", real ? kRealUnits : kLjUnits);
    if (!read) GTEST_SKIP() << "no ASE";
    expect_names(*read);
    expect_vectors((*read)["positions"], ions().position, 0);
    expect_vectors((*read)["velocities"], ions().velocity, kNineDigits);
    expect_numbers((*read)["charges"], ions().charge, 0);
    expect_numbers((*read)["masses"], ions().mass, 0);
  }
}

/// OVITO shows the first frame.
TEST(StructureReaders, OvitoHasItsStandardProperties) {
  const auto read = read_back("ovito", kRealUnits);
  if (!read) GTEST_SKIP() << "no OVITO";
  expect_names(*read);
  std::vector<Vec3<double>> first = ions().position;
  for (Vec3<double>& x : first) x.z += 1;
  expect_vectors((*read)["positions"], first, 1e-15);
  expect_vectors((*read)["velocities"], ions().velocity, 1e-15);
  expect_numbers((*read)["charges"], ions().charge, 1e-15);
  expect_numbers((*read)["masses"], ions().mass, 1e-15);
}

TEST(StructureReaders, MdAnalysisHasThePositions) {
  const auto read = read_back("mdanalysis", kRealUnits);
  if (!read) GTEST_SKIP() << "no MDAnalysis";
  expect_names(*read);
  EXPECT_EQ((*read)["frames"], 2);
  std::vector<Vec3<double>> first = ions().position;
  for (Vec3<double>& x : first) x.z += 1;
  expect_vectors((*read)["positions"], first, kSingle);
}

/// ASE writes momenta in its own units with eight decimals.
TEST(StructureReaders, WhatAseWritesIsRead) {
  const TempFolder folder;
  folder.write("a.xyz", "2\n\nNa 0 0 0\nCl 0 0 3\n");
  const auto outcome = run_python(folder.path(), "read_structure.py", {"ase-writes", "a.xyz"});
  if (!outcome) GTEST_SKIP() << "no ASE";
  ASSERT_EQ(outcome->status, 0) << outcome->err;
  const Structure structure = read_extended_xyz(folder.path() / "ase.xyz");
  EXPECT_TRUE(structure.warnings.empty()) << structure.warnings[0];
  RunConfig config;
  config.units = UnitSystem::real;
  const Particles particles = build_system(config, structure).particles;
  EXPECT_EQ(particles.mass, (std::vector<double>{10, 10}));
  EXPECT_EQ(particles.charge, (std::vector<double>{0.25, 0.25}));
  for (const Vec3<double>& v : particles.velocity) EXPECT_LT(norm(v - Vec3<double>{1, 2, 3}), 1e-8);
}

}  // namespace
}  // namespace dropmd
