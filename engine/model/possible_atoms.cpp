#include "engine/model/possible_atoms.h"

#include <fmt/core.h>

#include <algorithm>

#include <cmath>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/forms/number_rule.h"
#include "inputs/structures/structure.h"

namespace dropmd {

namespace {

enum class Empty { allowed, refused };

template <class T>
void require_length(std::string_view what, const std::vector<T>& values, std::size_t n_atoms, Empty empty) {
  if (values.size() == n_atoms || (values.empty() && empty == Empty::allowed)) return;
  throw std::invalid_argument(fmt::format("there are {} atoms, but '{}' has {} elements (give one for each atom{})",
                                          n_atoms, what, values.size(),
                                          empty == Empty::allowed ? ", or none at all" : ""));
}

void require_finite(std::string_view what, const std::vector<Vec3<double>>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_finite(values[i]))
      throw std::invalid_argument(fmt::format("'{}' of atom {} is ({}, {}, {}) (it must be finite)", what, i + 1,
                                              values[i].x, values[i].y, values[i].z));
}

void require_numbers(std::string_view what, const std::vector<double>& values, NumberRule rule) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const std::string_view problem = number_problem(values[i], rule); !problem.empty())
      throw std::invalid_argument(fmt::format("'{}' of atom {} is {} ({})", what, i + 1, values[i], problem));
}

/// Virtual sites have no mass; other atoms have one.
void require_masses(const std::vector<double>& mass) { require_numbers("mass", mass, {Range::positive}); }

void require_species(const std::vector<std::uint32_t>& species, std::size_t n_names) {
  for (std::size_t i = 0; i < species.size(); ++i)
    if (species[i] >= n_names)
      throw std::invalid_argument(
          fmt::format("'species' of atom {} is {}, but 'species_names' has {} (it must be an index into them)", i + 1,
                      species[i], n_names));
}

/// No id is used twice.
void require_ids(const Particles& particles) {
  std::vector<std::uint32_t> ids = particles.id;
  if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
  std::uint32_t last = 0;
  for (const std::uint32_t id : ids) {
    if (id <= last)
      throw std::invalid_argument(id == 0 ? "an atom has the id 0 (ids begin at 1)"
                                          : fmt::format("two atoms have the id {} (each must have its own)", id));
    last = id;
  }
  if (last >= particles.first_unused_id() && last > 0)
    throw std::invalid_argument(
        fmt::format("'next_id' is {}, but an atom has the id {} (it must be larger)", particles.next_id, last));
}

/// Checks the lengths of the per-atom arrays that are chosen. may_be_empty: whether a field's array may be.
template <template <class> class Choice, class Atoms, class MayBeEmpty>
void require_lengths(const Atoms& atoms, const MayBeEmpty& may_be_empty) {
  for_each_field<Choice>([&]<class Field>(Field field) {
    require_length(Field::kName, Field::of(atoms), atoms.position.size(),
                   may_be_empty(field) ? Empty::allowed : Empty::refused);
  });
}

/// Checks the fields that steps do not change, which structures and the particles of a model have in common.
template <class Atoms>
void require_constants(const Atoms& atoms) {
  for_each_field<IsConstant>([&]<class Field>(Field) {
    if constexpr (std::is_same_v<typename Field::Value, double>)
      require_numbers(Field::kName, Field::of(atoms), Field::kRule);
    else if constexpr (std::is_same_v<typename Field::Value, Vec3<double>>)
      require_finite(Field::kName, Field::of(atoms));
  });
  require_species(atoms.species, atoms.species_names.size());
}

}  // namespace

void require_possible_structure(const Structure& structure, bool may_have_sites) {
  require_lengths<IsInStructure>(structure, []<class Field>(Field) { return !Field::kInEveryStructure; });
  require_constants(structure);
  if (!may_have_sites) require_masses(structure.mass);
  require_length("momentum", structure.momentum, structure.position.size(), Empty::allowed);
  for_each_field<IsMoving>([&]<class Field>(Field) { require_finite(Field::kName, Field::of(structure)); });
  require_finite("momentum", structure.momentum);
  if (!structure.radius) return;
  if (const std::string_view problem = number_problem(*structure.radius, {Range::positive}); !problem.empty())
    throw std::invalid_argument(fmt::format("'radius' of the structure is {} ({})", *structure.radius, problem));
}

void require_possible_particles(const Particles& particles) {
  require_lengths<EveryField>(particles, []<class Field>(Field) { return Field::kMayBeEmpty; });
  require_constants(particles);
  require_ids(particles);
}

void require_possible_system(const System& system) {
  require_possible_particles(system.particles);
  if (!system.topology) require_masses(system.particles.mass);
  if (const std::size_t n = system.particles.species_names.size(); system.row_of_species.size() != n)
    throw std::invalid_argument(
        fmt::format("'row_of_species' has {} elements, but there are {} species (give one for each)",
                    system.row_of_species.size(), n));
  const std::size_t n_rows = system.model.n_species;
  for (const auto& [name, rows] :
       {std::pair("pair_species", &system.particles.pair_species), std::pair("row_of_species", &system.row_of_species)})
    for (const std::uint32_t row : *rows)
      if (row >= n_rows)
        throw std::invalid_argument(fmt::format(
            "'{}' has {}, but the model has {} species (it must be an index of one of them)", name, row, n_rows));
}

}  // namespace dropmd
