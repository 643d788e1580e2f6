#include "forces/bonded/host_bonded.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "core/ordered_sum.h"
#include "core/parallel_for.h"
#include "core/vector_bytes.h"
#include "forces/bonded/present_terms.h"
#include "forces/bonded/reference/bonded_reference.h"

namespace dropmd {

namespace {

/// Energies that are summed together.
template <class Real, std::size_t n>
struct EnergySums {
  std::array<Real, n> sum{};

  EnergySums& operator+=(const EnergySums& o) {
    for (std::size_t k = 0; k < n; ++k) sum[k] += o.sum[k];
    return *this;
  }
};

/// Returns the value of term k of a kind.
template <class Kind>
auto value_of(const Kind& kind, std::size_t k, std::span<const Vec3<double>> position) {
  constexpr std::size_t n = std::tuple_size_v<std::remove_cvref_t<decltype(kind.atom[0])>>;
  Vec3<double> x[n];
  for (std::size_t a = 0; a < n; ++a) x[a] = position[kind.atom[k][a]];
  return kind.potential[k](x);
}

/// Returns the positions of atoms.
template <class Atoms>
auto positions_of(const Atoms& atom, std::span<const Vec3<double>> position) {
  std::array<Vec3<double>, std::tuple_size_v<Atoms>> x;
  for (std::size_t a = 0; a < x.size(); ++a) x[a] = position[atom[a]];
  return x;
}

/// Adds Σ energies_of(k), k < n_terms, to the energies of a potential.
template <class Potential, class Real, class EnergiesOf>
void add_energies(Cpu cpu, std::size_t n_terms, const EnergiesOf& energies_of, Energies& energies) {
  constexpr std::size_t n = Potential::kEnergies.size();
  const auto total = ordered_sum<EnergySums<Real, n>>(cpu, n_terms, [&](std::size_t k) {
    const auto of_term = energies_of(k);
    EnergySums<Real, n> sums;
    for (std::size_t e = 0; e < n; ++e) sums.sum[e] = of_term[e];
    return sums;
  });
  for (std::size_t e = 0; e < n; ++e) energies.add(Potential::kEnergies[e], static_cast<double>(total.sum[e]));
}

template <class Kind>
using PotentialOf = typename std::remove_cvref_t<decltype(std::declval<Kind&>().potential)>::value_type;

}  // namespace

HostBonded::HostBonded(Cpu cpu, std::shared_ptr<const Topology> topology, double coulomb_constant,
                       const Particles& particles)
    : cpu_(cpu),
      topology_(std::move(topology)),
      coulomb_constant_(coulomb_constant),
      cmap_cells_(cmap_cells(topology_->cmap_grids)),
      cmap_splines_(topology_->cmap_grids) {
  const std::vector<CmapMap> maps = cmap_maps(topology_->cmap_grids, cmap_cells_.data());
  const BondedContext context{coulomb_constant, maps};
  const PresentAtoms present_atoms(particles);
  std::size_t n_forces = 0;
  for_each_kind(*this, [&](auto& kind) {
    using Potential = PotentialOf<decltype(kind)>;
    const auto& terms = terms_of<Potential>(topology_->terms);
    PresentTerms<typename Potential::Term> present(terms, present_atoms);
    kind.potential.reserve(present.term.size());
    for (const std::uint32_t k : present.term) kind.potential.emplace_back(terms[k], context);
    kind.term = std::move(present.term);
    kind.atom = std::move(present.atom);
    kind.first_force = n_forces;
    n_forces += Potential::kAtoms * kind.term.size();
  });
  find_forces_of_atoms(particles.size(), n_forces);
}

void HostBonded::find_forces_of_atoms(std::size_t n_atoms, std::size_t n_forces) {
  const auto for_each_force = [&](const auto& use) {
    for_each_kind(*this, [&](const auto& kind) {
      std::size_t force = kind.first_force;
      for (const auto& atoms : kind.atom)
        for (const std::uint32_t atom : atoms) use(atom, static_cast<std::uint32_t>(force++));
    });
  };
  first_of_atom_.assign(n_atoms + 1, 0);
  for_each_force([&](std::uint32_t atom, std::uint32_t) { ++first_of_atom_[atom + 1]; });
  for (std::size_t i = 0; i < n_atoms; ++i) first_of_atom_[i + 1] += first_of_atom_[i];
  std::vector<std::uint32_t> next(first_of_atom_.begin(), first_of_atom_.end() - 1);
  force_of_atom_.resize(n_forces);
  for_each_force([&](std::uint32_t atom, std::uint32_t force) { force_of_atom_[next[atom]++] = force; });
  force_.resize(n_forces);
}

std::vector<std::string_view> HostBonded::energy_names() const { return bonded_energy_names(topology_->terms); }

void HostBonded::evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) {
  for_each_kind(*this, [&](const auto& kind) {
    constexpr std::size_t n = PotentialOf<decltype(kind)>::kAtoms;
    for_each_index(cpu_, kind.potential.size(), [&](std::size_t k) {
      const auto value = value_of(kind, k, now.position);
      std::copy(value.force, value.force + n, force_.data() + kind.first_force + n * k);
    });
  });
  for_each_index(cpu_, force.size(), [&](std::size_t i) {
    Vec3<double> sum{};
    for (const std::uint32_t k : forces_of(i)) sum += force_[k];
    force[i] = first ? sum : force[i] + sum;
  });
  if (want == Want::forces) return;
  for_each_kind(*this, [&](const auto& kind) {
    using Potential = PotentialOf<decltype(kind)>;
    if (terms_of<Potential>(topology_->terms).empty()) return;
    add_energies<Potential, double>(
        cpu_, kind.potential.size(),
        [&](std::size_t k) {
          const auto value = value_of(kind, k, now.position);
          return std::to_array(value.energy);
        },
        energies);
  });
}

void HostBonded::add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                               std::span<AtomSums> sums) const {
  const bonded_reference::Constants constants{coulomb_constant_, &cmap_splines_};
  parallel_for(cpu, sample.size(), [&](std::size_t s) {
    AtomSums own;
    Vec3<long double> total{};
    for (const std::uint32_t force : forces_of(sample[s]))
      for_each_kind(*this, [&](const auto& kind) {
        using Potential = PotentialOf<decltype(kind)>;
        const std::size_t k = (force - kind.first_force) / Potential::kAtoms;
        if (force < kind.first_force || k >= kind.term.size()) return;
        const auto& term = terms_of<Potential>(topology_->terms)[kind.term[k]];
        const auto of_term = bonded_reference::forces_of(term, positions_of(kind.atom[k], now.position), constants);
        const Vec3<long double>& f = of_term[(force - kind.first_force) % Potential::kAtoms];
        total += f;
        own.terms2 += static_cast<double>(dot(f, f));
      });
    own.force = {static_cast<double>(total.x), static_cast<double>(total.y), static_cast<double>(total.z)};
    sums[s] += own;
  });
}

void HostBonded::add_reference_energies(Cpu cpu, const Moment& now, Energies& energies) const {
  const bonded_reference::Constants constants{coulomb_constant_, &cmap_splines_};
  for_each_kind(*this, [&](const auto& kind) {
    using Potential = PotentialOf<decltype(kind)>;
    const auto& terms = terms_of<Potential>(topology_->terms);
    if (terms.empty()) return;
    add_energies<Potential, long double>(
        cpu, kind.term.size(),
        [&](std::size_t k) {
          return bonded_reference::energies_of(terms[kind.term[k]], positions_of(kind.atom[k], now.position),
                                               constants);
        },
        energies);
  });
}

std::uint64_t HostBonded::bytes() const {
  std::uint64_t bytes = bytes_of_all(cmap_cells_, first_of_atom_, force_of_atom_) +
                        std::uint64_t{force_.capacity()} * sizeof(Vec3<double>);
  for_each_kind(*this, [&](const auto& kind) { bytes += bytes_of_all(kind.potential, kind.atom, kind.term); });
  return bytes;
}

}  // namespace dropmd
