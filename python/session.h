#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/vec3.h"
#include "engine/library/simulation.h"
#include "inputs/run_file/run_config.h"

namespace dropmd::python {

/// Atoms that a program has in memory: one element for each atom, or nullopt for what it does not know.
struct GivenAtoms {
  std::optional<std::vector<Vec3<double>>> position;  ///< length
  std::optional<std::vector<Vec3<double>>> velocity;  ///< length/time
  std::optional<std::vector<double>> mass, charge;
  std::optional<std::vector<std::string>> species;
  /// What to call the topology beside them, if its file is not kept.
  std::optional<std::string> topology_name;
};

/// Whether a run file with these settings names a topology.
bool names_topology(const std::filesystem::path& file, const std::vector<std::string>& settings);

/// A simulation with the run file that describes it, so that it can be saved and continued. Functions may be called
/// from several threads, which then wait for each other.
class Session {
 public:
  /// file: a run file. settings: "SECTION.KEY=VALUE", which replace the file's. atoms: if they have positions, these
  /// replace the structure or, beside a topology, the positions in it. A run file without a structure then has all
  /// atoms from memory.
  static Session of_file(const std::filesystem::path& file, const std::vector<std::string>& settings,
                         const GivenAtoms& atoms);
  /// text: a run file in memory; relative paths begin at the working folder.
  static Session of_text(const std::string& text, const std::vector<std::string>& settings, const GivenAtoms& atoms);
  /// path: a checkpoint, or the folder of a run that has one.
  static Session of_checkpoint(const std::filesystem::path& path, const std::vector<std::string>& settings);

  /// Does work with the simulation while no other thread uses it.
  template <class Work>
  auto with(const Work& work) {
    const std::scoped_lock lock(*mutex_);
    return work(simulation_);
  }

  /// Writes a checkpoint, from which `dropmd run --resume` and of_checkpoint() continue. The previous one is kept, as
  /// by write_checkpoint().
  void save(const std::filesystem::path& path);

  /// The run file with every default written out.
  std::string run_file();
  /// What a user should know, to be shown once.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Session(RunConfig config, System system);
  static Session begun(RunConfig config, System system);

  RunConfig config_;
  std::vector<std::string> warnings_;
  Simulation simulation_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace dropmd::python
