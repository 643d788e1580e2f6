#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/run/checkpoint.h"

/// The HDF5 file of a checkpoint, in memory: the contents after the block of checkpoint_file.h.
namespace dropmd {

/// Makes the HDF5 files of checkpoints, one after another. Most checkpoints of a run have as many values as the one
/// before, and are written over these. Making a file takes HDF5 one to two milliseconds, during which no other thread
/// can use it.
class CheckpointImage {
 public:
  CheckpointImage();
  ~CheckpointImage();

  /// Returns the file of a checkpoint: the same bytes whatever was made before. Valid until the next call.
  const std::string& of(const Checkpoint& checkpoint);
  /// Returns the same as a string of its own. A file so large that HDF5's time is negligible beside that of writing it
  /// is not copied, but made anew the next time.
  std::string hand_over(const Checkpoint& checkpoint);
  /// Returns how many files HDF5 has made; all others were written over these.
  int n_made() const { return n_made_; }

 private:
  struct Last;
  std::unique_ptr<Last> last_;
  int n_made_ = 0;
};

/// Returns the HDF5 file of a single checkpoint.
std::string checkpoint_image(const Checkpoint& checkpoint);

/// Reads the HDF5 file. file: its name for messages. Throws InputError for bytes that are not a checkpoint.
Checkpoint checkpoint_of_image(const std::string& file, std::string_view bytes);

/// Returns the name of the dataset of a per-atom field.
template <class Field>
std::string dataset_of() {
  return std::string(Field::kStored == StoredIn::state ? "/state/" : "/structure/") + std::string(Field::kName);
}

/// The group of bookings that belong to no present atom; in runs whose population changes.
inline constexpr std::string_view kCarried = "/state/carried";
inline std::string dataset_of_carried(std::string_view cause) {
  return std::string(kCarried) + '/' + std::string(cause);
}

/// The states of force terms, and the mesh of a divided Coulomb term: only in files of runs that have them.
inline constexpr std::string_view kTermStates = "/state/terms";
inline constexpr std::string_view kCoulombMesh = "/coulomb_mesh";

/// The steps of the actions that will still change the population; only in files of runs with such actions.
inline constexpr std::string_view kPopulationActions = "/population_actions";

/// The molecules that count as the droplet's; only in files of runs with labels.
inline constexpr std::string_view kDropletMembers = "/droplet_members", kDropletProfile = "/droplet_profile";
/// What removed atoms took with them: mass, charge, momentum, angular momentum.
inline constexpr std::string_view kRemovedSums = "/state/removed_sums";

/// Returns the name of the dataset of a cause's bookings.
inline std::string dataset_of_bookings(std::string_view cause) { return "/state/booked/" + std::string(cause); }

}  // namespace dropmd
