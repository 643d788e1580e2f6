#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/topology/bonded_terms.h"
#include "inputs/topologies/gromacs/force_field/bonded_types.h"
#include "inputs/topologies/gromacs/interaction_functions.h"
#include "inputs/topologies/gromacs/text/source_map.h"
#include "inputs/topologies/lj_rules.h"

namespace dropmd::gromacs {

/// [ defaults ].
struct Defaults {
  CombinationRule rule = CombinationRule::lorentz;
  bool generates_pairs = false;
  double fudge_lj = 1;
  double fudge_qq = 1;
};

/// A line of [ atomtypes ].
struct AtomType {
  std::uint32_t bonded = 0;  ///< number of its bonded type
  double mass = 0;           ///< g/mol
  double charge = 0;         ///< e
  bool is_site = false;      ///< a virtual site: particle type V or D
  LjNumbers lj;
};

/// A line of [ nonbond_params ] or [ pairtypes ].
struct PairType {
  LjNumbers lj;
  TextPlace place;
};

/// What the sections before the first molecule type say. Values are in GROMACS' units, except those of CMAP grids.
struct ForceField {
  std::optional<Defaults> defaults;
  NameTable type_names;
  std::vector<AtomType> types;  ///< in the order of `type_names`
  NameTable bonded_names;       ///< of the bonded types
  /// By the keys of two types of atoms.
  std::unordered_map<TypeKey, PairType, TypeKeyHash> nonbond_params, pair_types;
  /// Of bonds, constraints and angles, by section and function.
  std::unordered_map<const InteractionFunction*, BondedTypeTable> bonded;
  /// Of dihedrals; functions 1 and 9 share one, under function 9.
  std::unordered_map<const InteractionFunction*, DihedralTypeTable> dihedrals;
  std::vector<CmapGrid> cmap_grids;  ///< kcal/mol
  /// By the bonded types of five atoms, in one direction only.
  std::unordered_map<TypeKey, std::uint32_t, TypeKeyHash> cmap_types;

  /// Returns the numbers of two types, from [ nonbond_params ] or by the combination rule.
  LjNumbers lj_of(std::uint32_t a, std::uint32_t b) const;
  /// Returns the numbers of two types three bonds apart, from [ pairtypes ] or generated; nullopt if there are neither.
  std::optional<LjNumbers> pair_lj_of(std::uint32_t a, std::uint32_t b) const;
};

/// Returns the table that a dihedral's function uses.
const InteractionFunction* dihedral_table_of(const InteractionFunction& function);

/// Returns the number of an atom type. Throws InputError if there is none.
std::uint32_t read_atom_type(WordReader& words, const ForceField& field);

/// Returns the number of a bonded type. Throws InputError if there is none.
std::uint32_t read_bonded_type(WordReader& words, const ForceField& field);

}  // namespace dropmd::gromacs
