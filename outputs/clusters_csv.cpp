#include "outputs/clusters_csv.h"

#include <fmt/core.h>

#include <string>

#include "outputs/files/atomic_file.h"
#include "outputs/run_table.h"

namespace dropmd {

namespace {

std::string if_known(bool known, double value) { return known ? fmt::format("{:.17g}", value) : std::string(); }

}  // namespace

void write_clusters_csv(const std::filesystem::path& path, std::span<const ClusterRow> rows, bool overwrite) {
  write_atomically(path, overwrite, [rows](FileWriter& writer) {
    writer.write("molecule,first_atom,cluster\n");
    for (const ClusterRow& row : rows)
      writer.write(fmt::format("{},{},{}\n", row.molecule, row.first_atom, row.cluster));
  });
}

void write_frames_csv(const std::filesystem::path& path, std::span<const FrameRow> rows, KnownOfAtoms known,
                      const Units& units, bool overwrite) {
  write_atomically(path, overwrite, [&](FileWriter& writer) {
    writer.write(units_line(units));
    writer.write("frame,time,clusters,molecules,atoms,charge,mass,x,y,z,radius,gyration_1,gyration_2,gyration_3\n");
    for (const auto& [frame, time, row] : rows)
      writer.write(fmt::format("{},{},{},{},{},{},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", frame,
                               if_known(time.has_value(), time.value_or(0)), row.clusters, row.molecules, row.atoms,
                               if_known(known.charge, row.charge), if_known(known.mass, row.mass), row.centre.x,
                               row.centre.y, row.centre.z, row.radius, row.gyration.x, row.gyration.y, row.gyration.z));
  });
}

}  // namespace dropmd
