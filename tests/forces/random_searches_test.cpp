#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engine/methods/catalogue.h"
#include "forces/pair/brute_force.h"
#include "forces/pair/cuda/pairs_cuda.h"
#include "tests/support/agreement.h"
#include "tests/support/pair_models.h"
#include "tests/support/random_droplets.h"
#include "tests/support/traversals.h"

/// Properties of every search for pairs, with droplets and parameters drawn at random: the pairs are those of brute
/// force, and energies and forces are within the bounds. traversals_test.cpp has regimes chosen by hand.
namespace dropmd {
namespace {

/// Nearer than this to a cutoff, mixed precision may leave a pair out or count it (by design: 1e-5 length units), and
/// terms that jump at the cutoff make the force jump. No pair here is so near, so that all counts are exact.
constexpr double kUndecided = 2e-5;
/// Atoms do not come nearer than this as they move.
constexpr double kNearest = 0.85;

enum class Shape { uniform, clustered, planar, linear, two_pieces, one_lost };
constexpr const char* kShapeNames[] = {"uniform", "clustered", "planar", "linear", "two pieces", "one lost"};

/// A droplet that moves twice, and how its pairs are to be found.
class RandomSearch {
 public:
  struct Moment {
    ChargedAtoms atoms;
    Answer exact;
    PairScales scales;
  };

  explicit RandomSearch(std::uint32_t seed) : seed_(seed), random_(seed) {
    const auto n = static_cast<std::size_t>(chance(0.15) ? uniform(0, 5) : uniform(5, 600));
    shape_ = static_cast<Shape>(random_() % std::size(kShapeNames));
    n_species_ = 1 + random_() % 3;
    ChargedAtoms atoms = with_species(place(n), n_species_);
    if (chance(0.4)) {
      const double far = std::pow(10, uniform(0, 11));
      offset_ = {uniform(-far, far), uniform(-far, far), uniform(-far, far)};
      atoms = moved(std::move(atoms), offset_);
    }
    skin_ = chance(0.3) ? 0 : uniform(0.05, 0.5);
    cell_share_ = chance(0.3) ? 0 : uniform(0.3, 2);
    threads_ = chance(0.9) ? 1 : static_cast<int>(2 + random_() % 3);
    draw_model(atoms);
    for (int move = 0; move < 3; ++move) {
      if (move > 0) shake(atoms, move == 1 ? 0.25 : 0.7);
      moments_.push_back({atoms,
                          evaluate(*make_brute_force(Cpu{1}, model_, atoms.view()), atoms, Want::forces_and_energies),
                          pair_scales(model_, atoms.view(), atoms.position)});
    }
  }

  const std::vector<Moment>& moments() const { return moments_; }
  const PairModel& model() const { return model_; }
  double skin() const { return skin_; }
  double cell_share() const { return cell_share_; }
  double apart() const { return apart_; }
  Cpu cpu() const { return {threads_}; }

  std::string words() const {
    const auto form = [](const std::optional<FormChoice>& f) {
      return f ? f->form + " " + std::to_string(f->value_or("cutoff", 0)) : std::string("off");
    };
    std::ostringstream text;
    text << "seed " << seed_ << ": " << moments_[0].atoms.size() << " atoms, "
         << kShapeNames[static_cast<std::size_t>(shape_)] << (apart_ > 0 ? " by " + std::to_string(apart_) : "")
         << ", moved by " << offset_.x << ' ' << offset_.y << ' ' << offset_.z << ", " << n_species_ << " species, LJ "
         << form(model_.lj) << ", Coulomb " << form(model_.coulomb) << ", skin " << skin_ << ", cells of "
         << cell_share_ << ", " << threads_ << " threads";
    return text.str();
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  bool chance(double probability) { return uniform(0, 1) < probability; }

  ChargedAtoms place(std::size_t n) {
    const auto seed = static_cast<std::uint32_t>(random_());
    switch (shape_) {
      case Shape::clustered:
        return clustered_atoms(n, seed);
      case Shape::planar:
        return planar_atoms(n, seed);
      case Shape::linear:
        return linear_atoms(n, seed);
      case Shape::two_pieces: {
        ChargedAtoms atoms = uniform_atoms(n, 1.8, seed);
        apart_ = std::pow(10, uniform(1.2, 12));
        for (std::size_t i = 0; i < n / 3; ++i) atoms.position[i] += Vec3<double>{apart_, -0.5 * apart_, 0};
        return atoms;
      }
      case Shape::one_lost:
        return one_atom_lost(n, seed);
      case Shape::uniform:
        break;
    }
    return uniform_atoms(n, uniform(1.6, 30), seed);  // from a liquid to a vapour
  }

  /// Draws cutoffs below any distance, or from a contact distance to beyond a droplet of 600 atoms, and rarely none.
  /// Cutoffs between those ranges are left out: only overlapping atoms would interact, with shifted forces that are
  /// small differences of large ones, whose rounding in fp32 exceeds the bounds.
  void draw_model(const ChargedAtoms& atoms) {
    const auto length = [&] {
      return chance(0.08) ? uniform(0.3, 0.8) : std::exp(uniform(std::log(1.1), std::log(30.0)));
    };
    const auto cutoff = [&] { return away_from_pairs(atoms, length()); };
    const bool has_lj = chance(0.8), one_cutoff = chance(0.5);
    const double first = cutoff(), second = one_cutoff ? first : cutoff();
    std::optional<FormChoice> lj, coulomb;
    if (has_lj) lj = lj_treatments(first)[chance(0.1) ? 0 : 1 + random_() % 4];
    if (!has_lj || chance(0.6)) coulomb = coulomb_choices(second)[chance(0.1) ? 0 : 1 + random_() % 7];
    model_ = simple_model(std::move(lj), std::move(coulomb));
    model_.n_species = n_species_;
    model_.lj_parameters = lj_table(n_species_);
  }

  static bool any_pair(const ChargedAtoms& atoms, double from, double to) {
    for (std::size_t i = 0; i < atoms.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (const double r = norm(atoms.position[i] - atoms.position[j]); r > from && r < to) return true;
    return false;
  }
  static double away_from_pairs(const ChargedAtoms& atoms, double cutoff) {
    while (any_pair(atoms, cutoff - kUndecided, cutoff + kUndecided)) cutoff += 3 * kUndecided;
    return cutoff;
  }

  /// Moves every atom by up to `share` of the skin along each axis. With a quarter the list stays valid; with more it
  /// must be rebuilt.
  void shake(ChargedAtoms& atoms, double share) {
    const ChargedAtoms before = atoms;
    const double step = share * (skin_ > 0 ? skin_ : 0.4);
    const auto cutoff_of = [](const std::optional<FormChoice>& form) { return form ? form->value_or("cutoff", 0) : 0; };
    const double lj = cutoff_of(model_.lj), coulomb = cutoff_of(model_.coulomb);
    const auto bad = [&](std::size_t i, std::size_t j) {
      const double r = norm(atoms.position[i] - atoms.position[j]);
      return r < kNearest || std::abs(r - lj) < kUndecided || std::abs(r - coulomb) < kUndecided;
    };
    for (Vec3<double>& x : atoms.position)
      x += Vec3<double>{uniform(-step, step), uniform(-step, step), uniform(-step, step)};
    // Atoms that came too near return to their previous positions, which are known to be good.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < atoms.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (bad(i, j)) {
            changed = changed || atoms.position[i] != before.position[i] || atoms.position[j] != before.position[j];
            atoms.position[i] = before.position[i];
            atoms.position[j] = before.position[j];
          }
    }
  }

  std::uint32_t seed_;
  std::mt19937 random_;
  Shape shape_{};
  std::size_t n_species_ = 1;
  Vec3<double> offset_{};
  double apart_ = 0;  ///< the distance between two pieces
  double skin_ = 0, cell_share_ = 0;
  int threads_ = 1;
  PairModel model_;
  std::vector<Moment> moments_;
};

/// The searches of seeds 1 to 80, or of as many seeds as DROPMD_RANDOM_SEARCHES says.
const std::vector<RandomSearch>& random_searches() {
  static const std::vector<RandomSearch> searches = [] {
    const char* const asked = std::getenv("DROPMD_RANDOM_SEARCHES");
    const auto n = static_cast<std::uint32_t>(asked != nullptr ? std::atoi(asked) : 80);
    std::vector<RandomSearch> made;
    for (std::uint32_t seed = 1; seed <= n; ++seed) made.emplace_back(seed);
    return made;
  }();
  return searches;
}

/// A method on a processor in a precision, with the parameters of a search.
struct Searcher {
  std::string name;
  Precision precision;
  bool needs_cutoff;
  bool needs_gpu;
  std::unique_ptr<PairForces> (*make)(Precision, const RandomSearch&, PairAtoms);
  double exact_up_to = std::numeric_limits<double>::infinity();  ///< as in exact_distance()
  bool two_atom = false;

  bool suits(const RandomSearch& search) const {
    return (!needs_cutoff || std::isfinite(search.model().cutoff())) && search.apart() <= exact_up_to &&
           (!two_atom || two_atom_clusters_suit(search.model(), precision));
  }
};
void PrintTo(const Searcher& searcher, std::ostream* out) { *out << searcher.name; }

template <NeighborMethod method>
Searcher cuda(const std::string& name, Precision precision) {
  return {name,
          precision,
          needs_cutoff(method),
          true,
          [](Precision p, const RandomSearch& s, PairAtoms atoms) {
            const double least = method == NeighborMethod::sorted_cells ? 1 : 0;
            const double share = s.cell_share() > 0 ? std::max(s.cell_share(), least) : 0;
            return make_pairs_cuda(0, s.cpu(), {.method = method, .skin = s.skin(), .cell_share = share}, p, s.model(),
                                   atoms);
          },
          exact_distance(method, precision)};
}

std::vector<Searcher> searchers() {
  std::vector<Searcher> all;
  for (const Precision precision : {Precision::fp64, Precision::mixed}) {
    const std::string end = precision == Precision::fp64 ? "_fp64" : "_mixed";
    all.push_back({"all_pairs" + end, precision, false, false, [](Precision p, const RandomSearch& s, PairAtoms atoms) {
                     return make_all_pairs(s.cpu(), p, s.model(), atoms);
                   }});
    all.push_back({"cells" + end, precision, true, false, [](Precision p, const RandomSearch& s, PairAtoms atoms) {
                     return make_cells(s.cpu(), p, s.model(), atoms, s.cell_share());
                   }});
    all.push_back(
        {"sorted_cells" + end, precision, true, false, [](Precision p, const RandomSearch& s, PairAtoms atoms) {
           return make_sorted_cells(s.cpu(), p, s.model(), atoms, s.skin());
         }});
    all.push_back({"pair_list" + end, precision, true, false, [](Precision p, const RandomSearch& s, PairAtoms atoms) {
                     return make_pair_list(s.cpu(), p, s.model(), atoms, s.skin());
                   }});
    all.push_back(cuda<NeighborMethod::all_pairs>("cuda_all_pairs" + end, precision));
    all.push_back(cuda<NeighborMethod::cells>("cuda_cells" + end, precision));
    all.push_back(cuda<NeighborMethod::sorted_cells>("cuda_sorted_cells" + end, precision));
    all.push_back(cuda<NeighborMethod::pair_list>("cuda_pair_list" + end, precision));
  }
  all.push_back(
      {"cuda_two_atom_mixed", Precision::mixed, true, true, [](Precision p, const RandomSearch& s, PairAtoms atoms) {
         const PairSearch two_atom{.method = NeighborMethod::pair_list, .skin = s.skin(), .form = ListForm::two_atom};
         return make_pairs_cuda(0, s.cpu(), two_atom, p, s.model(), atoms);
       }});
  all.back().two_atom = true;
  return all;
}

class RandomSearches : public ::testing::TestWithParam<Searcher> {
 protected:
  void SetUp() override {
    if (!GetParam().needs_gpu) return;
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_P(RandomSearches, FindThePairsOfBruteForceAsTheAtomsMove) {
  std::uint64_t within = 0;
  for (const RandomSearch& search : random_searches()) {
    if (!GetParam().suits(search)) continue;
    const auto forces = GetParam().make(GetParam().precision, search, search.moments()[0].atoms.view());
    int move = 0;
    for (const RandomSearch::Moment& moment : search.moments()) {
      SCOPED_TRACE(search.words() + ", move " + std::to_string(move++));
      ASSERT_EQ(moment.scales.near_cutoff, 0U);
      const Answer answer = evaluate(*forces, moment.atoms, Want::forces_and_energies);
      expect_agreement(answer, moment.exact, moment.scales, moment.atoms, GetParam().precision);
      within += answer.sums.pairs_within_cutoff;
    }
  }
  EXPECT_GT(within, GetParam().two_atom ? 5'000U : 10'000U) << "hardly any pairs: no test of a search";
}

INSTANTIATE_TEST_SUITE_P(All, RandomSearches, ::testing::ValuesIn(searchers()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace dropmd
