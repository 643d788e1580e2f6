#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/outputs/trajectories/frames.h"
#include "tests/support/system/python_reader.h"
#include "tests/support/system/temp_folder.h"

/// Trajectories read by other programs (read_trajectory.py). A program that is not installed is skipped;
/// scripts/check_readers.sh installs all of them.
namespace dropmd {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kReadAtoms = 30;
constexpr std::int64_t kReadSteps[] = {0, 10, 20, 30, 40};

/// Writes frames of a run that atoms leave, if `leave`, and reads them back. Returns nothing without the program.
std::optional<Json> read_back(const std::string& reader, const std::string& extension, bool leave = true) {
  const TempFolder folder;
  const std::string name = "a" + extension;
  const auto writer = open_trajectory({.path = folder.path() / name}, some_atoms(kReadAtoms, 8));
  for (const std::int64_t step : kReadSteps)
    append_step(*writer, step, atoms_of_step(kReadAtoms, leave ? step : step % 20));
  writer->close();
  const auto outcome = run_python(folder.path(), "trajectories/read_trajectory.py", {reader, name});
  if (!outcome) return std::nullopt;
  EXPECT_EQ(outcome->status, 0) << outcome->out << outcome->err;
  return outcome->status == 0 ? Json::parse(outcome->out) : Json::array();
}

void expect_near(const Json& read, const Vec3<double>& x, double tolerance) {
  EXPECT_NEAR(read[0].get<double>(), x.x, tolerance);
  EXPECT_NEAR(read[1].get<double>(), x.y, tolerance);
  EXPECT_NEAR(read[2].get<double>(), x.z, tolerance);
}

/// Compares frames in which atoms that left stay where they were last, with the trajectory's tolerance in A.
void expect_constant_atoms(const Json& frames, double tolerance) {
  ASSERT_EQ(frames.size(), std::size(kReadSteps));
  std::vector<Vec3<double>> expected = some_atoms(kReadAtoms, 8).position;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const Particles now = atoms_of_step(kReadAtoms, kReadSteps[k]);
    for (std::size_t i = 0; i < now.size(); ++i) expected[now.id_of(i) - 1] = now.position[i];
    ASSERT_EQ(frames[k]["positions"].size(), kReadAtoms);
    for (std::size_t i = 0; i < kReadAtoms; ++i) expect_near(frames[k]["positions"][i], expected[i], tolerance);
  }
}

/// Picoseconds.
void expect_times(const Json& frames) {
  for (std::size_t k = 0; k < frames.size(); ++k)
    EXPECT_NEAR(frames[k]["time"].get<double>(), 0.002 * static_cast<double>(kReadSteps[k]), 1e-7);
}

constexpr double kGrid = 0.00501, kSingle = 1e-6, kCif = 0.0000501;

#if DROPMD_HAS_XDR
TEST(TrajectoryReaders, MdAnalysisReadsXtc) {
  const auto frames = read_back("mdanalysis", ".xtc");
  if (!frames) GTEST_SKIP() << "no MDAnalysis";
  expect_constant_atoms(*frames, kGrid);
  expect_times(*frames);
  EXPECT_EQ((*frames)[3]["step"], 30);
}

TEST(TrajectoryReaders, MdtrajReadsXtc) {
  const auto frames = read_back("mdtraj", ".xtc");
  if (!frames) GTEST_SKIP() << "no mdtraj";
  expect_constant_atoms(*frames, kGrid);
  expect_times(*frames);
  EXPECT_EQ((*frames)[3]["step"], 30);
}

TEST(TrajectoryReaders, OvitoReadsXtc) {
  const auto frames = read_back("ovito", ".xtc");
  if (!frames) GTEST_SKIP() << "no OVITO";
  expect_constant_atoms(*frames, kGrid);
}
#endif

TEST(TrajectoryReaders, MdAnalysisReadsDcd) {
  const auto frames = read_back("mdanalysis", ".dcd");
  if (!frames) GTEST_SKIP() << "no MDAnalysis";
  expect_constant_atoms(*frames, kSingle);
  expect_times(*frames);
}

TEST(TrajectoryReaders, MdtrajReadsDcd) {
  const auto frames = read_back("mdtraj", ".dcd");
  if (!frames) GTEST_SKIP() << "no mdtraj";
  expect_constant_atoms(*frames, kSingle);
}

#if DROPMD_HAS_GSD
TEST(TrajectoryReaders, GsdReadsGsd) {
  const auto frames = read_back("gsd", ".gsd");
  if (!frames) GTEST_SKIP() << "no gsd";
  ASSERT_EQ(frames->size(), std::size(kReadSteps));
  for (std::size_t k = 0; k < frames->size(); ++k) {
    const Particles now = atoms_of_step(kReadAtoms, kReadSteps[k]);
    const Json& frame = (*frames)[k];
    EXPECT_EQ(frame["step"], kReadSteps[k]);
    EXPECT_EQ(frame["time"], 2 * kReadSteps[k]);
    EXPECT_EQ(frame["edge"], 16);
    ASSERT_EQ(frame["positions"].size(), now.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      expect_near(frame["positions"][i], now.position[i], kSingle);
      expect_near(frame["velocities"][i], now.velocity[i], kSingle);
      EXPECT_NEAR(frame["masses"][i].get<double>(), now.mass[i], kSingle);
      EXPECT_NEAR(frame["charges"][i].get<double>(), now.charge[i], kSingle);
      EXPECT_EQ(frame["names"][i], now.species_names[now.species[i]]);
      EXPECT_EQ(frame["ids"][i], now.id_of(i));
    }
  }
}

TEST(TrajectoryReaders, OvitoReadsGsd) {
  const auto frames = read_back("ovito", ".gsd");
  if (!frames) GTEST_SKIP() << "no OVITO";
  ASSERT_EQ(frames->size(), std::size(kReadSteps));
  for (std::size_t k = 0; k < frames->size(); ++k) {
    const Particles now = atoms_of_step(kReadAtoms, kReadSteps[k]);
    ASSERT_EQ((*frames)[k]["positions"].size(), now.size());
    for (std::size_t i = 0; i < now.size(); ++i) expect_near((*frames)[k]["positions"][i], now.position[i], kSingle);
  }
}
#endif

/// Of the readers of PDB files, ASE alone lets the number of atoms change.
TEST(TrajectoryReaders, AseReadsPdb) {
  const auto frames = read_back("ase", ".pdb");
  if (!frames) GTEST_SKIP() << "no ASE";
  ASSERT_EQ(frames->size(), std::size(kReadSteps));
  for (std::size_t k = 0; k < frames->size(); ++k) {
    const Particles now = atoms_of_step(kReadAtoms, kReadSteps[k]);
    ASSERT_EQ((*frames)[k]["positions"].size(), now.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      expect_near((*frames)[k]["positions"][i], now.position[i], 0.000501);
      EXPECT_EQ((*frames)[k]["names"][i], now.species_names[now.species[i]]);
    }
  }
}

TEST(TrajectoryReaders, GemmiReadsCif) {
  const auto frames = read_back("gemmi", ".cif");
  if (!frames) GTEST_SKIP() << "no gemmi";
  ASSERT_EQ(frames->size(), std::size(kReadSteps));
  for (std::size_t k = 0; k < frames->size(); ++k) {
    const Particles now = atoms_of_step(kReadAtoms, kReadSteps[k]);
    const Json& frame = (*frames)[k];
    ASSERT_EQ(frame["positions"].size(), now.size());
    for (std::size_t i = 0; i < now.size(); ++i) {
      expect_near(frame["positions"][i], now.position[i], kCif);
      EXPECT_EQ(frame["names"][i], now.species_names[now.species[i]]);
      EXPECT_EQ(frame["ids"][i], now.id_of(i));
    }
  }
}

TEST(TrajectoryReaders, BiopythonReadsCif) {
  const auto frames = read_back("biopython", ".cif");
  if (!frames) GTEST_SKIP() << "no Biopython";
  ASSERT_EQ(frames->size(), std::size(kReadSteps));
  for (std::size_t k = 0; k < frames->size(); ++k) {
    const Particles now = atoms_of_step(kReadAtoms, kReadSteps[k]);
    ASSERT_EQ((*frames)[k]["positions"].size(), now.size());
    for (std::size_t i = 0; i < now.size(); ++i) expect_near((*frames)[k]["positions"][i], now.position[i], kCif);
  }
}

TEST(TrajectoryReaders, MdAnalysisReadsPdb) {
  const auto frames = read_back("mdanalysis", ".pdb", /*leave=*/false);
  if (!frames) GTEST_SKIP() << "no MDAnalysis";
  ASSERT_EQ(frames->size(), std::size(kReadSteps));
  for (std::size_t k = 0; k < frames->size(); ++k) {
    const Particles now = atoms_of_step(kReadAtoms, kReadSteps[k] % 20);
    for (std::size_t i = 0; i < now.size(); ++i) expect_near((*frames)[k]["positions"][i], now.position[i], 0.000501);
  }
  EXPECT_EQ((*frames)[0]["names"][1], "H");
  EXPECT_EQ((*frames)[0]["residues"][0], "O");
}

}  // namespace
}  // namespace dropmd
