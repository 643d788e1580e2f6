#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/checkpoint.h"
#include "core/run/ledger.h"
#include "engine/droplet/droplet_observer.h"
#include "engine/map_observer.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"
#include "outputs/choices_csv.h"
#include "outputs/files/file_writer.h"
#include "outputs/files/folder_lock.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {

class TrajectoryObserver;

/// The files of a run: new ones, or those of a run that resumes.
class RunOutputs {
 public:
  /// makes_choices: whether the run chooses between methods. causes: of its ledger. from: the checkpoint of a run that
  /// resumes in the same folder; must outlive this object; null: all files are new.
  RunOutputs(const RunConfig& config, bool makes_choices, const CauseSet& causes, const Checkpoint* from,
             std::optional<DropletState> droplet = std::nullopt);

  /// To be called before any work. Throws OutputError if another run writes to the folder, if a file exists, is an
  /// input, or does not match the checkpoint.
  void check(const std::vector<std::filesystem::path>& inputs, bool overwrite);

  /// Creates the folder and the files, or truncates existing ones, and adds their writers as observers. choices() is
  /// then set if choices are made.
  void open(const System& system, bool overwrite, StepLoop& simulation, bool population_changes, Timings& timings);
  ChoicesCsv* choices() { return choices_ ? &*choices_ : nullptr; }
  /// Whether new choices are appended to a file with the previous ones.
  bool choices_resume() const { return choices_path_ && mark_of(*choices_path_); }

  /// The observer of the droplet; null: the run has no labels of clusters.
  DropletObserver* droplet_observer() const { return droplet_observer_; }
  /// What the labels so far pass on; nullopt: there are none.
  std::optional<DropletState> droplet_state() const;

  /// A frame of the trajectory that its format cannot hold, so that the run should end; null: there is none.
  const UnfitFrame* unfit_frame() const;

  /// Returns the marks of all files, and adds what must be synced for the marks to hold after a power cut.
  std::vector<OutputMark> marks(std::vector<UnsyncedFile>& unsynced);

  /// The files of a run with maps.
  MapFiles map_files() const { return {*map_, map_average_}; }
  /// checkpoint.h5.
  const std::filesystem::path& checkpoint() const { return checkpoint_; }
  std::filesystem::path status() const { return config_.output_directory / "status.json"; }
  std::filesystem::path timings_csv() const { return config_.output_directory / "timings.csv"; }
  /// The final structure; nullopt: none is wanted.
  const std::optional<std::filesystem::path>& final_structure() const { return final_structure_; }
  /// All files except the checkpoint.
  std::vector<std::filesystem::path> all() const;

 private:
  /// The files that are rewritten as a whole.
  std::vector<std::filesystem::path> whole_files() const;
  /// Those of the run that resumes here, which may exist already.
  std::vector<std::filesystem::path> whole_files_before() const;
  void lock();
  bool has_conserved_column() const;
  DropletWatch droplet_watch(const System& system) const;
  void open_droplet(const System& system, bool overwrite, StepLoop& simulation, Timings& timings);
  void open_energies(const System& system, bool overwrite, StepLoop& simulation);
  TrajectoryContents trajectory_contents(const System& system, const StepLoop& simulation,
                                         bool population_changes) const;
  void open_trajectory(const TrajectoryContents& contents, bool overwrite, StepLoop& simulation);
  template <class WritingObserver>
  void add(StepLoop& simulation, const std::filesystem::path& path, std::unique_ptr<WritingObserver> observer);
  void note_mark(const std::filesystem::path& path, std::function<FlushedMark()> mark);
  std::optional<FileMark> mark_of(const std::filesystem::path& path) const;
  void require_continuable(const std::filesystem::path& path, const FileMark& mark) const;
  FileWriter open_file(const std::filesystem::path& path, bool overwrite) const;

  const RunConfig& config_;
  CauseSet causes_;
  const Checkpoint* from_;
  std::optional<DropletState> droplet_from_;  ///< what the labels before this part of the run pass on
  std::optional<std::filesystem::path> droplet_, events_, profile_;
  std::optional<std::filesystem::path> energy_, ledger_, trajectory_, choices_path_, final_structure_, map_,
      map_average_;
  std::filesystem::path checkpoint_;
  std::vector<std::filesystem::path> inputs_;
  FolderLock lock_;  ///< of the folder, as long as this object exists
  std::optional<ChoicesCsv> choices_;
  DropletObserver* droplet_observer_ = nullptr;        ///< null: the run has no labels
  TrajectoryObserver* trajectory_observer_ = nullptr;  ///< null: the run has no trajectory
  /// Names of the files that observers own, and functions that return their present marks.
  std::vector<std::pair<std::string, std::function<FlushedMark()>>> marks_;
};

}  // namespace dropmd
