#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/topology/bonded_terms.h"
#include "core/topology/present_atoms.h"

namespace dropmd {

/// The terms of one kind whose atoms are present.
template <class Term>
struct PresentTerms {
  using Atoms = decltype(Term::atom);
  std::vector<std::uint32_t> term;  ///< [n_terms] index of the term in the topology
  std::vector<Atoms> atom;          ///< [n_terms] indices of its atoms in the arrays of the particles

  /// Atoms leave as whole molecules: throws std::logic_error for a term only some of whose atoms are present.
  PresentTerms(const std::vector<Term>& terms, const PresentAtoms& present) {
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (!present.contains(terms[k].atom)) continue;
      Atoms atoms{};
      for (std::size_t a = 0; a < atoms.size(); ++a) atoms[a] = present.of(terms[k].atom[a]);
      term.push_back(static_cast<std::uint32_t>(k));
      atom.push_back(atoms);
    }
  }
};

}  // namespace dropmd
