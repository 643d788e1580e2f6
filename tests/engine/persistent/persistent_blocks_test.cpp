#include <string>

#include "engine/methods/method_parameters.h"
#include "engine/persistent/persistent_shape.h"
#include "tests/engine/persistent/small_droplet_test.h"
#include "tests/support/seen_run.h"

/// The persistent kernel for all pairs of atoms: results do not depend on how many atoms a block has.
namespace dropmd {
namespace {

class PersistentBlocks : public SmallDropletTest {};
INSTANTIATE_TEST_SUITE_P(AllPairs, PersistentBlocks,
                         testing::Values(DeviceMethod{Precision::mixed, NeighborMethod::all_pairs}),
                         name_of_device_method);

/// Fewer multiprocessors have blocks of more atoms. With 256 threads and with 512, and with a last block that is not
/// full.
TEST_P(PersistentBlocks, HaveTheSameBytesWithAnyNumberOfAtoms) {
  const Method whole = gpu();
  for (const std::uint32_t n : {257U, 500U, 641U, 1000U, 1999U, 3000U}) {
    RunConfig config = charged_run(langevin(), 400);
    config.recenter_every = 50;
    config.recenter = Recenter::mass;
    const System system = build_system(config, moving_atoms(n, 3));
    const Seen seen = seen_of(system, config, whole);
    for (const std::uint32_t atoms : PersistentShape::kAtoms) {
      Method method = whole;
      method.multiprocessors = static_cast<int>((n + atoms - 1) / atoms);
      if (method.multiprocessors > multiprocessors_of(whole)) continue;
      SCOPED_TRACE(std::to_string(n) + " atoms in blocks of " + std::to_string(atoms));
      EXPECT_TRUE(is_persistent(system, config, method));
      expect_same(seen_of(system, config, method), seen);
    }
  }
}

/// Forces of blocks with as many atoms as the kernel takes, compared with those of the host in double precision.
TEST_P(PersistentBlocks, MoveAsTheHostDoes) {
  for (const std::uint32_t n : {31U, 33U, 127U, 129U, 255U, 600U, 1001U}) {
    SCOPED_TRACE(n);
    Method method = gpu();
    method.multiprocessors = static_cast<int>((n + PersistentShape::kMostAtoms - 1) / PersistentShape::kMostAtoms);
    const Structure structure = moving_atoms(n, n);
    const RunConfig config = charged_run(langevin(), 20);
    EXPECT_TRUE(is_persistent(build_system(config, structure), config, method));
    expect_same_run(config, structure, method);
  }
}

}  // namespace
}  // namespace dropmd
