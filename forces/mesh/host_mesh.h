#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/execution.h"
#include "core/particles.h"
#include "core/topology/excluded_pairs.h"
#include "forces/force_term.h"
#include "forces/mesh/coulomb_split.h"
#include "forces/mesh/levels/host_level.h"
#include "forces/mesh/mesh_parameters.h"
#include "forces/mesh/mesh_region.h"
#include "forces/mesh/smooth_kernel.h"

namespace dropmd {

/// The smooth part of the Coulomb interaction as a force term on the host, in fp64:
///
///   U = ½ k_e [Σ_i q_i φ(x_i) − L(0) Σ_i q_i²] + k_e Σ q_i q_j L(r_ij) − k_e Σ q_i q_j L(r_ij)
///
/// where the first part is that of the charges in the region of the mesh (mesh_region.h) and φ is the potential of the
/// mesh; the next sum is over pairs with at least one charge outside of the region, and the last one over excluded
/// pairs, which the others have counted. With a second mesh, which is coarser and wider by a ratio s, L = [L(r) −
/// L(r/s)/s] + L(r/s)/s. The first mesh then has the bracket, which vanishes from s r_c on, and the second one has the
/// rest, for all charges in either. The sum over pairs outside has the bracket for pairs that the second mesh has but
/// the first does not, and L for the others. Forces are −dU/dx less the mesh's net force, their sum, which is not
/// exactly zero: it is subtracted from all atoms in proportion to mass. A droplet at rest then stays at rest, and the
/// subtraction does no work as long as the total momentum is zero.
class HostMesh final : public ForceTerm {
 public:
  /// pairs: see MeshTerm; excluded: those of these particles; known: of the run. The particles must outlive it.
  HostMesh(Cpu cpu, double coulomb_constant, const MeshParameters& parameters, const MeshPrices& prices,
           const Particles& particles, const std::optional<FormChoice>& pairs = std::nullopt,
           ExcludedPairs excluded = {},
           std::shared_ptr<InfluenceFunctions> known = std::make_shared<InfluenceFunctions>());

  std::vector<std::string_view> energy_names() const override;
  void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) override;
  void add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                     std::span<AtomSums> sums) const override;
  void add_reference_energies(Cpu cpu, const Moment& now, Energies& energies) const override;

  /// The region of the mesh (MeshRegion::numbers()).
  std::vector<double> state() const override;
  void set_state(std::span<const double> state) override;

  std::uint64_t bytes() const override;

  /// The region of the last evaluation.
  const MeshRegion& region() const { return region_; }
  /// −dU/dx of the last evaluation, energy/length: the forces before their sum was subtracted. They are those of the
  /// charged atoms, in the order of charged().
  std::span<const Vec3<double>> gradient_forces() const { return of_charge_; }
  /// Indices of the atoms whose charge is not 0.
  std::span<const std::uint32_t> charged() const { return charged_; }

 private:
  /// Chooses another region if that is needed, and makes the mesh fit the region.
  void update_region();
  /// Makes the meshes fit the region.
  void fit_meshes();
  /// Adds the forces of the meshes to of_charge_, and returns their energy.
  double add_meshes();
  /// Adds the forces of the pairs that are summed directly to of_charge_, and returns their energy.
  double add_outside();
  /// Subtracts the forces of the excluded pairs from of_charge_, and returns their energy. position: of all atoms.
  double subtract_excluded(std::span<const Vec3<double>> position);
  bool is_excluded(std::uint32_t i, std::uint32_t j) const { return !excluded_.empty() && excluded_.view()(i, j); }

  Cpu cpu_;
  double coulomb_constant_;
  MeshParameters parameters_;
  CoulombSplit split_;
  SmoothKernel kernel_;
  RegionRule rule_;
  std::shared_ptr<InfluenceFunctions> known_;
  const Particles& particles_;
  ExcludedPairs excluded_;
  double mass_ = 0;  ///< of all atoms

  MeshRegion region_;
  double fitted_ratio_ = 0;  ///< of the region that the meshes fit
  HostLevel fine_, coarse_;
  std::vector<std::uint32_t> charged_;  ///< [n_charged] indices of atoms
  // [n_charged], of the last evaluation.
  std::vector<Vec3<double>> position_, of_charge_, field_;
  std::vector<double> charge_;
  /// Indices into charged_: charges in the fine mesh, others in the coarse mesh, charges in either, and the rest.
  std::vector<std::uint32_t> inside_, between_, on_mesh_, outside_;
};

}  // namespace dropmd
