#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/checkpoint.h"
#include "core/run/ledger.h"
#include "engine/map_observer.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"
#include "outputs/choices_csv.h"
#include "outputs/files/file_descriptor.h"

namespace dropmd {

/// The files of a run: new ones, or those of a run that resumes.
class RunOutputs {
 public:
  /// makes_choices: between methods, while it runs. causes: of its ledger. from: of a run that resumes in the same
  /// folder; outlives this; null: all files are new.
  RunOutputs(const RunConfig& config, bool makes_choices, const CauseSet& causes, const Checkpoint* from);

  /// Before any work: throws OutputError where another run writes to the folder, a file is in the way, is an input, or
  /// is not what the checkpoint knows.
  void check(const std::vector<std::filesystem::path>& inputs, bool overwrite);

  /// Creates the folder and the files, or cuts those back that are there, and adds what writes to them as observers.
  /// choices(): then there where choices are made.
  void open(const System& system, bool overwrite, StepLoop& simulation, bool population_changes);
  ChoicesCsv* choices() { return choices_ ? &*choices_ : nullptr; }
  /// Whether they are in a file that has those before.
  bool choices_go_on() const { return choices_path_ && mark_of(*choices_path_); }

  /// What all files hold up to now, safe on the storage.
  std::vector<OutputMark> synced_marks();

  /// Of a run that makes maps.
  MapFiles map_files() const { return {*map_, map_average_}; }
  /// checkpoint.h5, and the final structure, where one is wanted.
  const std::filesystem::path& checkpoint() const { return checkpoint_; }
  std::filesystem::path status() const { return config_.output_directory / "status.json"; }
  const std::optional<std::filesystem::path>& final_structure() const { return final_structure_; }
  /// All but the checkpoint.
  std::vector<std::filesystem::path> all() const;

 private:
  /// Those that are written as a whole, every time.
  std::vector<std::filesystem::path> whole_files() const;
  /// Those of the run before that goes on here: they may be there.
  std::vector<std::filesystem::path> whole_files_before() const;
  void lock();
  bool has_conserved_column() const;
  void open_energies(const System& system, bool overwrite, StepLoop& simulation);
  template <class WritingObserver>
  void add(StepLoop& simulation, const std::filesystem::path& path, std::unique_ptr<WritingObserver> observer);
  std::optional<FileMark> mark_of(const std::filesystem::path& path) const;
  FileWriter open_file(const std::filesystem::path& path, bool overwrite) const;

  const RunConfig& config_;
  CauseSet causes_;
  const Checkpoint* from_;
  std::optional<std::filesystem::path> energy_, ledger_, trajectory_, choices_path_, final_structure_, map_,
      map_average_;
  std::filesystem::path checkpoint_;
  std::vector<std::filesystem::path> inputs_;
  FileDescriptor lock_;  ///< of the folder, while this lives
  bool locked_ = false;  ///< not where the file system has no locks
  std::optional<ChoicesCsv> choices_;
  std::vector<std::pair<std::string, std::function<FileMark()>>> marks_;  ///< by name; of what observers own
};

}  // namespace dropmd
