#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "core/run/ensemble_table.h"

namespace dropmd {

/// A run of an ensemble that is to be made.
struct ReplicaTask {
  std::size_t index;             ///< in the table, from 0
  std::filesystem::path folder;  ///< with its run file
};

/// Hands out the runs of an ensemble one by one, since they differ in cost, and collects what became of them. It may be
/// used by several threads.
class ReplicaSource {
 public:
  virtual ~ReplicaSource() = default;
  /// Returns a run that nobody has; nullopt: there is none left.
  virtual std::optional<ReplicaTask> next() = 0;
  virtual void ended(std::size_t index, const ReplicaResult& result) = 0;
};

}  // namespace dropmd
