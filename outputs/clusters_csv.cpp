#include "outputs/clusters_csv.h"

#include <fmt/core.h>

#include "outputs/files/atomic_file.h"

namespace dropmd {

void write_clusters_csv(const std::filesystem::path& path, std::span<const ClusterRow> rows, bool overwrite) {
  write_atomically(path, overwrite, [rows](FileWriter& writer) {
    writer.write("molecule,first_atom,cluster\n");
    for (const ClusterRow& row : rows)
      writer.write(fmt::format("{},{},{}\n", row.molecule, row.first_atom, row.cluster));
  });
}

}  // namespace dropmd
