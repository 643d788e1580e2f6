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

/// A part of the potential energy, in the run's energy unit. name: static storage; the column of energy.csv.
struct EnergyComponent {
  std::string_view name;
  double energy = 0;
};

/// Energies of one moment, in the run's energy unit; each pair counted once. The force terms name the components.
class Energies {
 public:
  /// More than all terms of a build have together.
  static constexpr std::size_t kMostComponents = 16;

  double kinetic = 0;

  Energies() = default;
  /// All components at zero, in this order.
  explicit Energies(std::span<const std::string_view> names) {
    for (const std::string_view name : names) add(name, 0);
  }

  Energies(std::initializer_list<EnergyComponent> components, double kinetic_energy) : kinetic(kinetic_energy) {
    for (const auto& [name, energy] : components) add(name, energy);
  }

  /// Adds to a component; one that is not there yet becomes the last.
  void add(std::string_view name, double energy) {
    for (std::size_t k = 0; k < size_; ++k) {
      if (components_[k].name != name) continue;
      components_[k].energy += energy;
      return;
    }
    if (size_ == kMostComponents) throw std::length_error("more energy components than a build has");
    components_[size_++] = {name, energy};
  }

  /// 0 where there is no such component.
  double of(std::string_view name) const {
    for (const EnergyComponent& component : components())
      if (component.name == name) return component.energy;
    return 0;
  }

  std::span<const EnergyComponent> components() const { return std::span(components_).first(size_); }

  /// In the order of the components, on which its last digit depends.
  double potential() const {
    double sum = 0;
    for (const EnergyComponent& component : components()) sum += component.energy;
    return sum;
  }
  double total() const { return potential() + kinetic; }

 private:
  std::array<EnergyComponent, kMostComponents> components_{};
  std::size_t size_ = 0;
};

/// What energy.csv says of one step.
struct EnergyRow {
  std::int64_t step = 0;
  double time = 0;
  Energies energies;
  double temperature = 0;
  Ledger ledger{};

  /// The total energy less all that came in from outside since step 0: constant but for the error of the integrator.
  /// None in a run into which nothing comes.
  std::optional<double> conserved() const {
    if (!ledger.causes.any()) return std::nullopt;
    return energies.total() - ledger.total();
  }
};

}  // namespace dropmd
