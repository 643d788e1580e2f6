#include "core/particle_fields.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "core/run/checkpoint.h"
#include "core/run/run_state.h"

/// Where the per-atom fields of the table are stored.
namespace dropmd {
namespace {

/// A checkpoint holds each stored field once: in the state or next to it.
TEST(ParticleFields, EachStoredFieldIsInTheStateOrBesideIt) {
  Checkpoint checkpoint;
  std::size_t n_state = 0, n_constant = 0;
  for_each_field<IsInState>([&]<class Field>(Field) {
    static_assert(std::is_same_v<decltype(Field::of(checkpoint.state)), std::vector<typename Field::Value>&>);
    ++n_state;
  });
  for_each_field<IsConstant>([&]<class Field>(Field) {
    static_assert(std::is_same_v<decltype(Field::of(checkpoint)), std::vector<typename Field::Value>&>);
    ++n_constant;
  });
  EXPECT_EQ(n_state, 3U);
  EXPECT_EQ(n_constant, 3U);
  static_assert(std::is_base_of_v<FieldVectors<IsInState>, RunState>);
  static_assert(!std::is_base_of_v<FieldVectors<EveryField>, RunState>);
}

TEST(ParticleFields, StepsChangeFieldsOfTheStateAlone) {
  for_each_field<IsMoving>([]<class Field>(Field) { EXPECT_TRUE(IsInState<Field>::value) << Field::kName; });
}

}  // namespace
}  // namespace dropmd
