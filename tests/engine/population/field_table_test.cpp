#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/jobs/run_checkpoint.h"
#include "engine/model/possible_atoms.h"
#include "engine/population/population_change.h"
#include "outputs/checkpoint/checkpoint_image.h"
#include "tests/support/fcc_ball.h"
#include "tests/support/short_run.h"

/// Every field of the table goes wherever atoms go: none of these tests names one whose values it checks.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// A value that differs from that of the other atoms, within what any field allows.
template <class Value>
Value some_value(std::size_t atom) {
  const auto number = static_cast<double>(atom);
  if constexpr (std::is_same_v<Value, Vec3<double>>)
    return {1.5 * number, -0.25 * number, 0.125 * number};
  else if constexpr (std::is_same_v<Value, double>)
    return 0.5 + 0.25 * number;
  else
    return static_cast<Value>(atom % 2);  // an index into the two species
}

/// Atoms with values of every field that a structure may have; they are at the places of a crystal.
Structure full_structure() {
  Structure structure = structure_of(fcc_ball(6));
  structure.species_names = {"X", "Y"};
  for_each_field<IsInStructure>([&]<class Field>(Field) {
    auto& values = Field::of(structure);
    if constexpr (std::is_same_v<Field, field::Position>) return;
    values.resize(structure.position.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = some_value<typename Field::Value>(i);
  });
  return structure;
}

System full_system() { return build_system(lj_run(verlet(0.004), 10), full_structure()); }

std::string refusal_of(const auto& check) {
  try {
    check();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(FieldTable, AModelHasWhatItsStructureHas) {
  const Structure structure = full_structure();
  const System system = full_system();
  for_each_field<IsInStructure>(
      [&]<class Field>(Field) { EXPECT_EQ(Field::of(system.particles), Field::of(structure)) << Field::kName; });
}

TEST(FieldTable, StayingAtomsKeepTheirValuesAndAddedOnesGetSome) {
  const System before = full_system();
  const NewAtom atom{.position = {20, 0, 0}, .species = "Y"};
  const System after = changed(before, {.removed = {2, 5}, .added = {atom, atom}});
  const std::size_t n = before.particles.size();
  for_each_field<EveryField>([&]<class Field>(Field) {
    const auto& values = Field::of(after.particles);
    ASSERT_EQ(values.size(), n) << Field::kName << ", of which two are new";
    const auto& old = Field::of(before.particles);
    for (std::size_t k = 0, i = 0; i < n; ++i)
      if (i != 1 && i != 4 && !old.empty()) {
        EXPECT_EQ(values[k++], old[i]) << Field::kName << " of atom " << i + 1;
      }
  });
  EXPECT_EQ(refusal_of([&] { require_possible_system(after); }), "");
}

/// Ids are not 1 to n here, since atoms have left.
TEST(FieldTable, EveryStoredFieldSurvivesACheckpoint) {
  RunConfig config = lj_run(verlet(0.004), 10);
  config.structure = "ball.xyz";  // a checkpoint names it
  const System system = changed(full_system(), {.removed = {2, 5}});
  Checkpoint written = checkpoint_of(config, system);
  take_constants(system, written);
  for_each_field<IsInState>([&]<class Field>(Field) { Field::of(written.state) = Field::of(system.particles); });
  written.state.next_id = system.particles.next_id;

  const Checkpoint read = checkpoint_of_image("checkpoint.h5", checkpoint_image(written));
  System resumed = build_system(config, structure_of(read));
  restore_identity(read.state, resumed.particles);
  for_each_field<EveryField>([&]<class Field>(Field) {
    EXPECT_EQ(Field::of(resumed.particles), Field::of(system.particles)) << Field::kName;
  });
  EXPECT_EQ(resumed.particles.next_id, system.particles.next_id);
}

/// The number of positions is the number of atoms.
TEST(FieldTable, AnArrayOfAnotherLengthIsRefused) {
  for_each_field<EveryField>([]<class Field>(Field) {
    if constexpr (std::is_same_v<Field, field::Position>) return;
    System system = full_system();
    system.particles.id.resize(system.particles.size());
    std::iota(system.particles.id.begin(), system.particles.id.end(), 1U);
    Field::of(system.particles).pop_back();
    EXPECT_THAT(refusal_of([&] { require_possible_system(system); }),
                HasSubstr("'" + std::string(Field::kName) + "' has"));
  });
  for_each_field<IsInStructure>([]<class Field>(Field) {
    if constexpr (std::is_same_v<Field, field::Position>) return;
    Structure structure = full_structure();
    Field::of(structure).pop_back();
    EXPECT_THAT(refusal_of([&] { require_possible_structure(structure); }),
                HasSubstr("'" + std::string(Field::kName) + "' has"));
  });
}

}  // namespace
}  // namespace dropmd
