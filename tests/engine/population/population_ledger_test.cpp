#include "engine/ledger/population_ledger.h"

#include <gtest/gtest.h>

/// Bookings across changes of the population.
namespace dropmd {
namespace {

Particles atoms(std::vector<std::uint32_t> ids) {
  Particles particles;
  particles.position.resize(ids.size());
  particles.id = std::move(ids);
  return particles;
}

TEST(PopulationLedger, IsNotThereWherePopulationsStay) {
  PopulationLedger ledger;
  ledger.resume({});
  ledger.book(Cause::mesh, 1);
  EXPECT_TRUE(ledger.carried() == Ledger{});
  Ledger of_atoms;
  of_atoms.causes.insert(Cause::bath);
  of_atoms.booked[0] = 3;
  EXPECT_EQ(ledger.with_atoms(of_atoms).causes, of_atoms.causes);
  EXPECT_EQ(ledger.with_atoms(of_atoms).total(), 3);
}

TEST(PopulationLedger, BookingsFollowTheIds) {
  PopulationLedger ledger;
  Bookings booked;
  booked.of(Cause::bath) = {1, 2, 4, 8};
  booked.of(Cause::momentum) = {-1, -2, -4, -8};
  const Bookings passed = ledger.pass_on(booked, atoms({2, 3, 5, 9}), atoms({3, 9, 11}));
  EXPECT_EQ(passed.of(Cause::bath), (std::vector<double>{2, 8, 0}));
  EXPECT_EQ(passed.of(Cause::momentum), (std::vector<double>{-2, -8, 0}));
  EXPECT_TRUE(passed.of(Cause::field).empty());
  EXPECT_EQ(ledger.carried().booked, (CauseTotals{5, 0, 0, -5, 0, 0}));
  const Bookings none = ledger.pass_on(passed, atoms({3, 9, 11}), atoms({}));
  EXPECT_TRUE(none.of(Cause::bath).empty());
  EXPECT_EQ(ledger.carried().booked, (CauseTotals{15, 0, 0, -15, 0, 0}));
}

TEST(PopulationLedger, AddsWhatLeavesAndComes) {
  PopulationLedger ledger;
  ledger.open(Cause::mesh);
  Ledger saved{.booked = {1, 0, 0, 0, 10, 20}};
  saved.causes.insert(Cause::removed);
  ledger.resume(saved);
  for (const Cause cause : {Cause::removed, Cause::added}) ledger.open(cause);  // carried bookings stay
  ledger.book(Cause::removed, 5);
  ledger.book(Cause::added, -7);
  ledger.book(Cause::mesh, 0.5);
  Ledger of_atoms;
  of_atoms.causes.insert(Cause::bath);
  of_atoms.booked[0] = 2;
  const Ledger whole = ledger.with_atoms(of_atoms);
  EXPECT_EQ(whole.booked, (CauseTotals{3, 0, 0, 0, 15, 13, 0.5}));
  for (const Cause cause : {Cause::bath, Cause::removed, Cause::added, Cause::mesh})
    EXPECT_TRUE(whole.causes.has(cause));
  EXPECT_EQ(whole.causes.size(), 4U);
}

}  // namespace
}  // namespace dropmd
