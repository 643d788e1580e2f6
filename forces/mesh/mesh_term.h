#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/forms/form.h"
#include "core/run/choices.h"
#include "core/topology/excluded_pairs.h"
#include "core/topology/topology.h"
#include "forces/many_atom_term.h"
#include "forces/mesh/influence_functions.h"
#include "forces/mesh/mesh_parameters.h"

namespace dropmd {

/// The meshes for which memory is estimated.
struct ExpectedMesh {
  std::array<int, 3> points{};         ///< of the mesh, along the axes
  std::array<int, 3> coarse_points{};  ///< of a second mesh; 0: there is none
  Precision precision = Precision::mixed;
};

/// The smooth part of an untruncated Coulomb term, which a particle mesh in free space computes. The pair form
/// `short-range` with the same cutoff and bandwidth computes the rest, and both add to the energy `coulomb`.
///
/// The mesh counts all pairs. The smooth part L of those that the topology excludes, k_e q_i q_j L(r_ij), is subtracted
/// again, in fp64 on both processors, even in mixed precision: these pairs are few and close. With L from `pairs`, it
/// is what the mesh has added for them up to the mesh's error. Pairs of atoms that have left are omitted. The energy is
/// invariant under translation and rotation up to the error of the mesh.
class MeshTerm final : public ManyAtomTerm {
 public:
  /// coulomb_constant: k_e, energy length/charge². prices: by which the region of the mesh is chosen. pairs: the form
  /// of the pair part (short_range_choice()), which the reference complements to the Coulomb term; nullopt: the exact
  /// short-range part. A term without it has no code for a GPU. expected: the meshes that device_bytes() is for.
  /// topology: whose exclusions the pairs leave out; null: none.
  MeshTerm(double coulomb_constant, const MeshParameters& parameters, const MeshPrices& prices = kCpuMeshPrices,
           std::optional<FormChoice> pairs = std::nullopt, const ExpectedMesh& expected = {},
           std::shared_ptr<const Topology> topology = nullptr)
      : coulomb_constant_(coulomb_constant),
        parameters_(parameters),
        prices_(prices),
        pairs_(std::move(pairs)),
        expected_(expected),
        topology_(std::move(topology)) {}

  /// Returns the same mesh for atoms of another topology, with the same influence functions. The meshes for which
  /// memory is estimated stay the same.
  std::shared_ptr<const MeshTerm> with_topology(std::shared_ptr<const Topology> topology) const;

  const MeshParameters& parameters() const { return parameters_; }
  const ExpectedMesh& expected() const { return expected_; }

  std::vector<std::string_view> energy_names() const override;
  bool is_slow() const override { return true; }
  std::unique_ptr<ForceTerm> on_host(Cpu cpu, const Particles& particles) const override;
  /// Throw DeviceError if memory or a library is missing.
  std::unique_ptr<DeviceForceTerm<float>> on_gpu_in_mixed(const Cuda& cuda, const Particles& particles) const override;
  std::unique_ptr<DeviceForceTerm<double>> on_gpu_in_double(const Cuda& cuda,
                                                            const Particles& particles) const override;
  std::uint64_t device_bytes(std::size_t n_atoms) const override;
  /// Returns an estimate of the memory of the meshes on a CPU, bytes.
  std::uint64_t host_bytes() const;

 private:
  /// The exclusions of the present atoms.
  ExcludedPairs excluded(const Particles& particles) const;

  double coulomb_constant_;
  MeshParameters parameters_;
  MeshPrices prices_;
  std::optional<FormChoice> pairs_;
  ExpectedMesh expected_;
  std::shared_ptr<const Topology> topology_;
  std::shared_ptr<InfluenceFunctions> known_ = std::make_shared<InfluenceFunctions>();
};

}  // namespace dropmd
