#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/particles.h"
#include "core/topology/bonded_terms.h"

namespace dropmd {

/// Indices of atoms by number, the id less 1.
class AtomIndices {
 public:
  static constexpr std::uint32_t kGone = 0xFFFFFFFF;

  explicit AtomIndices(const Particles& particles) {
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) most = std::max(most, particles.id_of(i));
    index_.assign(most, kGone);
    for (std::size_t i = 0; i < particles.size(); ++i) index_[particles.id_of(i) - 1] = static_cast<std::uint32_t>(i);
  }

  /// Returns the index of an atom in the arrays of the particles, kGone if it has left.
  std::uint32_t operator[](std::uint32_t number) const { return number < index_.size() ? index_[number] : kGone; }

 private:
  std::vector<std::uint32_t> index_;
};

/// The terms of one kind whose atoms are there.
template <class Term>
struct PresentTerms {
  using Atoms = decltype(Term::atom);
  std::vector<std::uint32_t> term;  ///< [n_terms] index of the term in the topology
  std::vector<Atoms> atom;          ///< [n_terms] indices of its atoms in the arrays of the particles

  /// Atoms leave by whole molecules: throws std::logic_error for a term of which only some atoms are there.
  PresentTerms(const std::vector<Term>& terms, const AtomIndices& index_of) {
    for (std::size_t k = 0; k < terms.size(); ++k) {
      Atoms atoms{};
      std::size_t n_gone = 0;
      for (std::size_t a = 0; a < atoms.size(); ++a) {
        atoms[a] = index_of[terms[k].atom[a]];
        if (atoms[a] == AtomIndices::kGone) ++n_gone;
      }
      if (n_gone == atoms.size()) continue;
      if (n_gone > 0)
        throw std::logic_error("atoms of a molecule have left without the others: those of the " +
                               std::string(Term::kEnergy) + " term of atom " + std::to_string(terms[k].atom[0] + 1));
      term.push_back(static_cast<std::uint32_t>(k));
      atom.push_back(atoms);
    }
  }
};

}  // namespace dropmd
