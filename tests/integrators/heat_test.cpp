#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/integrators/harmonic_atoms.h"

/// The energy that baths book for each atom.
namespace dropmd {
namespace {

constexpr Cpu kTwoThreads{2};

FormChoice langevin(double friction, double temperature = 120) {
  return {"langevin", {{"timestep", 2}, {"temperature", temperature}, {"friction", friction}}};
}
FormChoice csvr(double relaxation) {
  return {"csvr", {{"timestep", 2}, {"temperature", 120}, {"relaxation", relaxation}}};
}

Particles warm_atoms(std::size_t n) {
  Particles p = atoms_at_rest(n, {1.008, 15.999, 35.45});
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, 2e-3);
  for (Vec3<double>& v : p.velocity) v = {normal(random), normal(random), normal(random)};
  return p;
}

/// ½ m v² of each atom in kcal/mol, with more digits than the booking has.
std::vector<long double> kinetic_energies(const Particles& p) {
  std::vector<long double> energies;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const long double x = p.velocity[i].x, y = p.velocity[i].y, z = p.velocity[i].z;
    energies.push_back(0.5L * p.mass[i] * (x * x + y * y + z * z) / kRealUnits.acceleration);
  }
  return energies;
}

struct Books {
  long double given = 0;     ///< Σ of the changes in kinetic energy
  long double booked = 0;    ///< Σ of the bookings
  long double absolute = 0;  ///< Σ of the absolute changes, per atom and step
};

/// Free atoms: nothing but the bath changes their kinetic energy.
Books books_of(const FormChoice& form, int steps, std::size_t n = 500) {
  Particles p = warm_atoms(n);
  const auto integrator = make_integrator(form, kRealUnits, {.seed = 3, .n_dof = 3 * n});
  const std::vector<Vec3<double>> no_force(n);
  std::vector<double> heat(n, 0.0);
  Books books;
  for (int step = 1; step <= steps; ++step) {
    const auto before = kinetic_energies(p);
    integrator->move(kTwoThreads, p, no_force, step, heat);
    integrator->finish(kTwoThreads, p, no_force, step);
    integrator->couple(kTwoThreads, p, no_force, step, heat);
    const auto after = kinetic_energies(p);
    for (std::size_t i = 0; i < n; ++i) {
      books.given += after[i] - before[i];
      books.absolute += std::abs(after[i] - before[i]);
    }
  }
  for (const double energy : heat) books.booked += energy;
  return books;
}

TEST(Heat, IsTheChangeOfTheKineticEnergy) {
  for (const FormChoice& form : {langevin(0.001), langevin(1), langevin(0.01, 0), csvr(100), csvr(1e5), csvr(2)}) {
    SCOPED_TRACE(form.form + " " + std::to_string(form.value_or("friction", form.value_or("relaxation", 0))));
    const Books books = books_of(form, 200);
    EXPECT_GT(books.absolute, 0.1L);
    EXPECT_LE(std::abs(books.booked - books.given), 1e-12L * books.absolute);
  }
}

/// Friction alone takes out all the energy.
TEST(Heat, OfFrictionAloneIsNegative) {
  const Books books = books_of(langevin(0.1, 0), 500);
  long double start = 0;
  for (const long double energy : kinetic_energies(warm_atoms(500))) start += energy;
  EXPECT_NEAR(static_cast<double>(books.booked / start), -1, 1e-9);
}

TEST(Heat, OfMotionsWithoutABathIsNothing) {
  for (const FormChoice& form : {FormChoice{"velocity-verlet", {{"timestep", 2}}}, langevin(0)}) {
    Particles p = warm_atoms(50);
    const auto integrator = make_integrator(form, kRealUnits, {.seed = 3, .n_dof = 150});
    std::vector<double> heat(50, 0.0);
    const auto force = harmonic_force(p, 0.1);
    integrator->move(kTwoThreads, p, force, 1, heat);
    integrator->finish(kTwoThreads, p, harmonic_force(p, 0.1), 1);
    integrator->couple(kTwoThreads, p, harmonic_force(p, 0.1), 1, heat);
    EXPECT_EQ(heat, std::vector<double>(50, 0.0)) << form.form;
  }
  EXPECT_TRUE(is_bath(langevin(1)));
  EXPECT_TRUE(is_bath(csvr(1)));
  EXPECT_FALSE(is_bath({"velocity-verlet", {}}));
  EXPECT_FALSE(is_bath({"fire", {}}));
}

TEST(Heat, ThatNobodyBooksChangesNoStep) {
  for (const FormChoice& form : {langevin(0.01), csvr(50)}) {
    Particles booked = warm_atoms(100), bare = warm_atoms(100);
    std::vector<double> heat(100, 0.0);
    const std::vector<Vec3<double>> no_force(100);
    const auto a = make_integrator(form, kRealUnits, {.seed = 3, .n_dof = 300}),
               b = make_integrator(form, kRealUnits, {.seed = 3, .n_dof = 300});
    for (int step = 1; step <= 20; ++step) {
      a->move(kTwoThreads, booked, no_force, step, heat);
      a->finish(kTwoThreads, booked, no_force, step);
      a->couple(kTwoThreads, booked, no_force, step, heat);
      b->move(kTwoThreads, bare, no_force, step, {});
      b->finish(kTwoThreads, bare, no_force, step);
      b->couple(kTwoThreads, bare, no_force, step, {});
    }
    EXPECT_TRUE(same_bytes(booked, bare)) << form.form;
  }
}

}  // namespace
}  // namespace dropmd
