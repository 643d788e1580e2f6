#include "engine/population/molecule_assembly.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "core/part_of.h"
#include "engine/molecules/constrained_start.h"
#include "engine/molecules/motion_plans.h"
#include "forces/bonded/bonded_term.h"
#include "forces/mesh/mesh_term.h"
#include "inputs/structures/element_species.h"

namespace dropmd {

namespace {

/// The value of each field for an atom that was not in the system: what is given, what the model says, or the default
/// that the field declares.
struct ValueOfNewAtom {
  const MolecularModel& model;
  std::uint32_t number, species;
  const Vec3<double>&position, &velocity;
  std::uint8_t groups;

  Vec3<double> operator()(field::Position) const { return position; }
  Vec3<double> operator()(field::Velocity) const { return velocity; }
  double operator()(field::Charge) const { return model.charge[number]; }
  double operator()(field::Mass) const { return model.mass[number]; }
  std::uint32_t operator()(field::Species) const { return species; }
  std::uint32_t operator()(field::PairSpecies) const { return model.type[number]; }
  std::uint8_t operator()(field::Groups) const { return groups; }
  std::uint32_t operator()(field::Id) const { return number + 1; }
  template <class Field>
  typename Field::Value operator()(Field) const {
    static_assert(HasDefault<Field>, "new atoms have no value of this field: declare its kDefault, or give it above");
    return Field::kDefault;
  }
};

/// Replaces the system's topology and pair parameters with those of another model.
void take_topology(std::shared_ptr<const MolecularModel> model, System& system) {
  system.molecules = std::move(model);
  system.topology = {system.molecules, &system.molecules->topology};
  system.model.n_species = system.molecules->type_names.size();
  system.model.lj_parameters = system.molecules->lj;
  system.constraints.reset();
  keep_constraints(system);
  auto bonded = std::make_shared<const BondedTerm>(system.topology, system.units.coulomb);
  const auto before = std::find_if(system.terms.begin(), system.terms.end(), [](const auto& term) {
    return dynamic_cast<const BondedTerm*>(term.get()) != nullptr;
  });
  if (before != system.terms.end())
    *before = std::move(bonded);
  else if (!bonded->energy_names().empty())  // where a system that is built anew has it
    system.terms.insert(system.terms.begin(), std::move(bonded));
  for (auto& term : system.terms)  // a mesh leaves out the pairs that the topology excludes
    if (const auto* const mesh = dynamic_cast<const MeshTerm*>(term.get())) term = mesh->with_topology(system.topology);
}

/// Moves some atoms, whole molecules, to satisfy their constraints, and places the virtual sites among them. ids:
/// ascending.
void satisfy(std::span<const std::uint32_t> ids, System& system) {
  Particles& p = system.particles;
  std::vector<std::uint32_t> index;
  for (std::uint32_t i = 0; i < p.size(); ++i)
    if (std::binary_search(ids.begin(), ids.end(), p.id_of(i))) index.push_back(i);
  System part;
  part.topology = system.topology, part.molecules = system.molecules, part.constraints = system.constraints;
  part.particles = part_of(p, index);
  part.particles.next_id = p.next_id;
  satisfy_constraints(part, part.particles.position, part.particles.velocity);
  for (std::size_t k = 0; k < index.size(); ++k) {
    p.position[index[k]] = part.particles.position[k];
    p.velocity[index[k]] = part.particles.velocity[k];
  }
}

}  // namespace

MoleculeAssembly::MoleculeAssembly(const System& system, std::shared_ptr<const MolecularModel> model)
    : system_(system), model_(std::move(model)), before_(system.particles) {
  for_each_field<EveryField>([&]<class Field>(Field) { Field::of(next_).reserve(system.particles.size() + 16); });
  next_.species_names = system.particles.species_names;
  next_.next_id = static_cast<std::uint32_t>(model_->size() + 1);
}

void MoleculeAssembly::keep(std::size_t index) {
  const Particles& p = system_.particles;
  for_each_field<EveryField>([&]<class Field>(Field) {
    if constexpr (!std::is_same_v<Field, field::Id>)
      if (!Field::of(p).empty()) Field::of(next_).push_back(Field::of(p)[index]);
  });
  next_.id.push_back(p.id_of(index));
}

void MoleculeAssembly::add(std::uint32_t number, const Vec3<double>& position, const Vec3<double>& velocity,
                           std::uint8_t groups) {
  const std::uint32_t species = species_of(number);
  if (const std::uint32_t index = index_before(number); index != PresentAtoms::kAbsent) {
    keep(index);
    next_.charge.back() = model_->charge[number];
    next_.mass.back() = model_->mass[number];
    next_.pair_species.back() = model_->type[number];
    next_.species.back() = species;
    return;
  }
  const ValueOfNewAtom value{*model_, number, species, position, velocity, groups};
  for_each_field<EveryField>([&]<class Field>(Field field) {
    constexpr bool kIsId = std::is_same_v<Field, field::Id>;
    if (kIsId || !Field::kMayBeEmpty || !Field::of(system_.particles).empty()) Field::of(next_).push_back(value(field));
  });
}

/// Returns the species of atoms with the same type and mass, else that of the element or, without one, of the type.
std::uint32_t MoleculeAssembly::species_of(std::uint32_t number) {
  const auto key = std::pair(model_->type[number], model_->mass[number]);
  if (const auto known = species_.find(key); known != species_.end()) return known->second;
  const Particles& p = system_.particles;
  const auto has_it = [&](std::size_t i) { return std::pair(p.pair_species[i], p.mass[i]) == key; };
  std::size_t i = 0;
  while (i < p.size() && !has_it(i)) ++i;
  return species_[key] = i < p.size() ? p.species[i]
                                      : species_of_mass(model_->mass[number], model_->type_names[model_->type[number]]);
}

std::uint32_t MoleculeAssembly::species_of_mass(double mass, const std::string& type) {
  const std::string element = mass == 0 ? "X" : element_of_mass(mass);
  const std::string& name = element.empty() ? type : element;
  auto& names = next_.species_names;
  const auto found = std::find(names.begin(), names.end(), name);
  const auto index = static_cast<std::uint32_t>(found - names.begin());
  if (found == names.end()) names.push_back(name);
  return index;
}

ChangedMolecules MoleculeAssembly::finish(std::vector<std::uint32_t> ids) {
  System next = system_;
  next.particles = std::move(next_);
  next.row_of_species.resize(next.particles.species_names.size(), 0);
  next.momentum_removed_at_start = false;
  take_topology(model_, next);
  std::sort(ids.begin(), ids.end());
  satisfy(ids, next);
  return {std::move(next), std::move(ids)};
}

}  // namespace dropmd
