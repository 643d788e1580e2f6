#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/loose_lattice.h"
#include "tests/support/pair_models.h"
#include "tests/support/traversals.h"

/// Energies that nearly vanish, as differences of terms that do not.
namespace dropmd {
namespace {

/// All pairs lie just within the cutoff.
TEST(EnergiesAtTheCutoff, AreAsExactAsTheirTerms) {
  constexpr double kCutoff = 2.5, kSpacing = 2.48;
  const ChargedAtoms atoms = loose_lattice(6, kSpacing, 0.002, 0.4);
  for (const FormChoice& lj : {lj_treatments(kCutoff)[2], lj_treatments(kCutoff)[3], lj_treatments(kCutoff)[4]})
    for (const FormChoice& coulomb : coulomb_choices(kCutoff)) {
      if (coulomb.form == "exact") continue;
      const PairModel model = simple_model(lj, coulomb);
      const PairScales scales = pair_scales(model, atoms.view(), atoms.position);
      const Answer exact = evaluate(*make_brute_force(Cpu{1}, model, atoms.view()), atoms, Want::forces_and_energies);
      ASSERT_GT(exact.sums.pairs_within_cutoff, 400);
      for (const Traversal& traversal : all_traversals()) {
        if (!reason_to_skip(traversal).empty() || !traversal.suits(model)) continue;
        SCOPED_TRACE(traversal.name + ", " + lj.form + " + " + coulomb.form);
        const Answer answer = evaluate(*traversal(Cpu{1}, model, atoms.view()), atoms, Want::forces_and_energies);
        const double bound = bounds_of(traversal.precision).energy;
        EXPECT_NEAR(answer.sums.vdw, exact.sums.vdw, bound * scales.vdw);
        EXPECT_NEAR(answer.sums.coulomb, exact.sums.coulomb, bound * scales.coulomb);
      }
    }
}

/// `compare` and `--self-check` compare with Σ|u| of the potentials themselves, whatever their treatment.
TEST(EnergiesAtTheCutoff, AreMeasuredByTheUnshiftedTerms) {
  ChargedAtoms atoms;
  atoms.add({0, 0, 0}, 2.0);
  atoms.add({1.5, 0, 0}, -1.0);
  const double lj = 0.3203365942785746;  // 4 (1.5⁻⁶ − 1.5⁻¹²)
  const std::uint32_t first[] = {0};
  for (const NamedModel& named : all_models(1)) {
    const double absolute =
        brute_force_atoms(Cpu{1}, named.model, atoms.view(), atoms.position, first).front().absolute;
    EXPECT_NEAR(absolute, (named.model.lj ? lj : 0) + (named.model.coulomb ? 2 / 1.5 : 0), 1e-12) << named.name;
  }
  const PairModel apart = simple_model(FormChoice{"shift", {{"cutoff", 1.4}}}, FormChoice{"cut", {{"cutoff", 3.0}}});
  EXPECT_NEAR(brute_force_atoms(Cpu{1}, apart, atoms.view(), atoms.position, first).front().absolute, 2 / 1.5, 1e-12)
      << "a term beyond its cutoff counts";
}

}  // namespace
}  // namespace dropmd
