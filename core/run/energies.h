#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "core/run/ledger.h"

namespace dropmd {

/// One component of the potential energy.
struct EnergyComponent {
  std::string_view name;  ///< column of energy.csv; static storage
  double energy = 0;      ///< in the run's energy unit
};

/// The energies at one moment, in the run's energy unit; each pair is counted once. The force terms name the
/// components.
class Energies {
 public:
  /// More components than all terms of a build have together.
  static constexpr std::size_t kMostComponents = 16;

  double kinetic = 0;  ///< kinetic energy

  /// No components.
  Energies() = default;
  /// All components at zero, in this order.
  explicit Energies(std::span<const std::string_view> names) {
    for (const std::string_view name : names) add(name, 0);
  }

  /// Components in this order, and the kinetic energy.
  Energies(std::initializer_list<EnergyComponent> components, double kinetic_energy) : kinetic(kinetic_energy) {
    for (const auto& [name, energy] : components) add(name, energy);
  }

  /// Adds to a component; a new component is appended. Throws std::length_error beyond kMostComponents.
  void add(std::string_view name, double energy) {
    for (std::size_t k = 0; k < size_; ++k) {
      if (components_[k].name != name) continue;
      components_[k].energy += energy;
      return;
    }
    if (size_ == kMostComponents) throw std::length_error("more energy components than a build has");
    components_[size_++] = {name, energy};
  }

  /// Returns the energy of a component; 0 if there is no such component.
  double of(std::string_view name) const {
    for (const EnergyComponent& component : components())
      if (component.name == name) return component.energy;
    return 0;
  }

  /// All components, in the order in which they were added.
  std::span<const EnergyComponent> components() const { return std::span(components_).first(size_); }

  /// Potential energy: the sum in the order of the components, on which its last digit depends.
  double potential() const {
    double sum = 0;
    for (const EnergyComponent& component : components()) sum += component.energy;
    return sum;
  }
  /// Potential and kinetic energy.
  double total() const { return potential() + kinetic; }

 private:
  std::array<EnergyComponent, kMostComponents> components_{};
  std::size_t size_ = 0;
};

/// A row of energy.csv: the observables of one step.
struct EnergyRow {
  std::int64_t step = 0;   ///< number of the step
  double time = 0;         ///< in the run's time unit
  Energies energies;       ///< of this step
  double temperature = 0;  ///< in the run's temperature unit
  Ledger ledger{};         ///< energy that came in from outside since step 0

  /// The total energy less all that came in from outside since step 0, which is constant except for the error of the
  /// integrator. nullopt for a run in which nothing changes the energy from outside.
  std::optional<double> conserved() const {
    if (!ledger.causes.any()) return std::nullopt;
    return energies.total() - ledger.total();
  }
};

}  // namespace dropmd
