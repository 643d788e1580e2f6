#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/form.h"
#include "core/macros.h"
#include "core/units.h"
#include "forces/fields/any_wall.h"
#include "forces/fields/atom_point.h"
#include "forces/fields/uniform_field.h"

/// Terms of one atom - walls, external fields - composed into one function, which a step evaluates where it has the
/// atom in hand: the same text on every processor.
namespace dropmd {

/// A term of one atom is trivially copyable and has
///
///   kSection        its section of the run file; forms() lists what may be chosen there
///   kEnergy         the name of its energy; kAlwaysListed: a column even where the run has no such term
///   kInvariance     as ForceTerm::invariance()
///   a default constructor: it does not act; one from a FormChoice and the units: it acts
///   acts()          whether the run has it
///   operator()      energy and force on one atom
template <class First, class... Others>
class AtomTermList : First, Others... {
 public:
  static constexpr std::size_t kCount = 1 + sizeof...(Others);

  AtomTermList() = default;
  AtomTermList(const FormChoices& chosen, const Units& units)
      : First(made<First>(chosen, units)), Others(made<Others>(chosen, units))... {}

  /// Of all terms, in the order of the list.
  DROPMD_HOST_DEVICE Vec3<double> force(const AtomPoint& atom) const {
    Vec3<double> sum = First::operator()(atom).force;
    (add_force<Others>(atom, sum), ...);
    return sum;
  }
  /// Adds the energy of each term to energy[kCount].
  DROPMD_HOST_DEVICE void add_energies(const AtomPoint& atom, double* energy) const {
    *energy += First::operator()(atom).energy;
    (add_energy<Others>(atom, ++energy), ...);
  }

  /// Calls use(term, its number) for each term.
  template <class Use>
  void for_each(const Use& use) const {
    std::size_t k = 0;
    use(static_cast<const First&>(*this), k);
    (use(static_cast<const Others&>(*this), ++k), ...);
  }

  /// What may be chosen, by section of the run file.
  static std::vector<FormSection> sections() {
    return {{First::kSection, First::forms()}, {Others::kSection, Others::forms()}...};
  }

 private:
  template <class Term>
  static Term made(const FormChoices& chosen, const Units& units) {
    const auto found = chosen.find(Term::kSection);
    return found == chosen.end() ? Term() : Term(found->second, units);
  }
  template <class Term>
  DROPMD_HOST_DEVICE void add_force(const AtomPoint& atom, Vec3<double>& sum) const {
    if (Term::acts()) sum += Term::operator()(atom).force;
  }
  template <class Term>
  DROPMD_HOST_DEVICE void add_energy(const AtomPoint& atom, double* energy) const {
    if (Term::acts()) *energy += Term::operator()(atom).energy;
  }
};

/// The terms of this build, in the order in which they are added. A new one is a header and its name here.
using AtomTerms = AtomTermList<AnyWall, UniformField>;

}  // namespace dropmd
