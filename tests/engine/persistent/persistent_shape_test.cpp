#include "engine/persistent/persistent_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace dropmd {
namespace {

TEST(PersistentShape, EveryAtomHasAPlaceAndAllBlocksRunAtOnce) {
  for (const std::uint32_t multiprocessors : {1U, 20U, 46U, 132U, 192U})
    for (const std::uint32_t n :
         {1U, 2U, 31U, 33U, 127U, 128U, 129U, 256U, 257U, 528U, 640U, 641U, 1200U, 2112U, 3000U, 4224U, 4225U}) {
      SCOPED_TRACE(std::to_string(n) + " atoms on " + std::to_string(multiprocessors) + " multiprocessors");
      const PersistentShape shape = PersistentShape::for_atoms(n, multiprocessors);
      EXPECT_EQ(shape.atoms > PersistentShape::kMostAtoms, n > PersistentShape::kMostAtoms * multiprocessors);
      if (shape.atoms > PersistentShape::kMostAtoms) continue;  // these take other steps
      EXPECT_LE(shape.blocks, multiprocessors);
      EXPECT_GE(shape.blocks * shape.atoms, n);
      EXPECT_LT((shape.blocks - 1) * shape.atoms, n);
      EXPECT_EQ(shape.threads % (32 * 4), 0U) << "sums of warps are added four at a time";
      EXPECT_GE(shape.slots(n), n);
      const std::uint32_t slices = shape.threads / PersistentShape::kLeastAtoms,
                          at_once = std::max(16 / shape.atoms, 1U);
      EXPECT_EQ(shape.slots(n) % (at_once * slices), 0U) << "each thread reads whole groups";
      EXPECT_EQ(shape.threads, PersistentShape::for_atoms(n, 2 * multiprocessors).threads)
          << "they decide on the rounding";
    }
  EXPECT_TRUE(PersistentShape::for_atoms(128, 132).by_warp);
  EXPECT_FALSE(PersistentShape::for_atoms(128, 20).by_warp);
  EXPECT_FALSE(PersistentShape::for_atoms(128, 20, 2).by_warp) << "as on one GPU";
  EXPECT_FALSE(PersistentShape::for_atoms(2112, 132).by_warp);
}

/// Each GPU has as many blocks as it can run at once.
TEST(PersistentShape, SuitsEachOfSeveralGpus) {
  for (const std::uint32_t gpus : {2U, 3U, 8U})
    for (const std::uint32_t n : {1U, 513U, 641U, 1000U, 2112U, 2113U, 4139U, 4224U}) {
      SCOPED_TRACE(std::to_string(n) + " atoms on " + std::to_string(gpus) + " GPUs");
      const PersistentShape shape = PersistentShape::for_atoms(n, 132, gpus);
      EXPECT_LT(shape.atoms, PersistentShape::kMostAtoms);
      EXPECT_LE((shape.blocks + gpus - 1) / gpus, 132U);
      EXPECT_EQ(shape.blocks, (n + shape.atoms - 1) / shape.atoms);
    }
  EXPECT_EQ(PersistentShape::for_atoms(4224, 132).atoms, PersistentShape::kMostAtoms);
  EXPECT_GT(PersistentShape::for_atoms(4225, 132).atoms, PersistentShape::kMostAtoms);
}

TEST(PersistentMoleculeShape, EveryMoleculeHasALaneAndThreadsAndAllBlocksRunAtOnce) {
  using Shape = PersistentMoleculeShape;
  for (const std::uint32_t multiprocessors : {1U, 20U, 46U, 132U, 192U})
    for (const std::uint32_t n : {1U, 2U, 7U, 33U, 127U, 132U, 133U, 1056U, 1057U, 2112U, 2113U, 5000U}) {
      SCOPED_TRACE(std::to_string(n) + " molecules on " + std::to_string(multiprocessors) + " multiprocessors");
      const Shape shape = Shape::for_molecules(n, multiprocessors);
      EXPECT_LE(shape.blocks, multiprocessors);
      EXPECT_GE(shape.blocks * shape.molecules, n);
      EXPECT_LT((shape.blocks - 1) * shape.molecules, n);
      if (shape.molecules > Shape::kMostMolecules) continue;  // these take other steps
      EXPECT_EQ(shape.threads % 32, 0U);
      EXPECT_GE(shape.threads, shape.molecules * shape.slice_threads());
      for (const std::uint32_t places : {3U, 4U}) {
        EXPECT_GE(shape.columns, 3 * places) << "a thread adds up each component of a force";
        EXPECT_LE(shape.threads + Shape::movers(shape.molecules, 32 / places), Shape::kMostThreads);
        EXPECT_GE(shape.threads + Shape::movers(shape.molecules, 32 / places), Shape::least_threads(n));
        EXPECT_GE(Shape::movers(shape.molecules, 32 / places) / 32 * (32 / places), shape.molecules);
      }
    }
}

/// Columns and their slices decide on the rounding, and so do the threads that find the centre.
TEST(PersistentMoleculeShape, SuitsEachOfSeveralGpus) {
  using Shape = PersistentMoleculeShape;
  for (const std::uint32_t multiprocessors : {8U, 20U, 132U})
    for (const std::uint32_t n : {1U, 7U, 127U, 128U, 132U, 133U, 264U, 265U, 529U, 1000U, 1057U, 2000U}) {
      const Shape one = Shape::for_molecules(n, multiprocessors);
      if (one.molecules > Shape::kMostMolecules) continue;
      for (std::uint32_t gpus = 1; gpus <= Shape::kMostGpus; ++gpus) {
        SCOPED_TRACE(std::to_string(n) + " molecules on " + std::to_string(gpus) + " GPUs");
        const Shape shape = Shape::for_molecules(n, multiprocessors, gpus);
        EXPECT_EQ(shape.columns, one.columns);
        EXPECT_EQ(shape.slices_of_column, one.slices_of_column);
        EXPECT_LE(shape.threads_of_column, shape.slices_of_column);
        EXPECT_LE(shape.blocks, multiprocessors * gpus);
        EXPECT_GE(shape.blocks * shape.molecules, n);
        EXPECT_GE(shape.threads, shape.molecules * shape.slice_threads());
        EXPECT_LE(shape.threads + Shape::movers(shape.molecules, 8), Shape::kMostThreads);
        EXPECT_GE(shape.threads + Shape::movers(shape.molecules, 10), Shape::least_threads(n));
      }
    }
  EXPECT_EQ(Shape::for_molecules(1000, 132).threads_of_column, 1U);
  EXPECT_EQ(Shape::for_molecules(1000, 132, 2).threads_of_column, 2U);
}

TEST(PersistentListShape, EveryAtomHasALaneAndAWarpAndAllBlocksRunAtOnce) {
  for (const std::uint32_t multiprocessors : {1U, 20U, 46U, 132U, 192U})
    for (const std::uint32_t n : {1U, 33U, 63U, 65U, 2113U, 4224U, 4225U, 6336U, 6337U, 9216U}) {
      SCOPED_TRACE(std::to_string(n) + " atoms on " + std::to_string(multiprocessors) + " multiprocessors");
      const PersistentListShape shape = PersistentListShape::for_atoms(n, multiprocessors);
      EXPECT_LE(shape.blocks, multiprocessors);
      EXPECT_GE(shape.blocks * shape.atoms, n);
      EXPECT_LT((shape.blocks - 1) * shape.atoms, n);
      EXPECT_EQ(shape.suits(), n <= 48 * multiprocessors);
      if (!shape.suits()) continue;
      EXPECT_LE(shape.warps, PersistentListShape::kMostWarps);
      EXPECT_LE(shape.atoms, shape.warps * PersistentListShape::kMostOfWarp);
      EXPECT_LE(shape.atoms, 32 * shape.flags_of_block());
      EXPECT_LE(shape.flags_of_block(), shape.warps) << "a lane keeps the state of an atom";
      EXPECT_LE((n + 31) / 32, 32 * shape.warps) << "a warp marks its share of all rows in a word";
    }
  EXPECT_FALSE(PersistentListShape::for_atoms(400 * 48, 400).suits());
}

}  // namespace
}  // namespace dropmd
