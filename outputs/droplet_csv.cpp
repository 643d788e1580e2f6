#include "outputs/droplet_csv.h"

#include <fmt/core.h>

#include <string>
#include <utility>

namespace dropmd {

namespace {

std::string vector_text(const Vec3<double>& v) { return fmt::format("{:.17g},{:.17g},{:.17g}", v.x, v.y, v.z); }

std::string columns_of_profile(std::span<const std::string> names) {
  std::string columns = "step,r";
  for (const std::string& name : names) columns += ",density_" + name;
  return columns + ",temperature,charge_density,potential";
}

}  // namespace

DropletCsv::DropletCsv(FileWriter writer, const Units& units)
    : RunTable(std::move(writer), units,
               "step,time,clusters,molecules,atoms,charge,mass,x,y,z,radius,temperature,vapour_molecules,"
               "vapour_temperature,rayleigh_share,gyration_1,gyration_2,gyration_3") {}

void DropletCsv::append(const DropletRow& row) {
  append_line(fmt::format("{},{:.17g},{},{},{},{:.17g},{:.17g},{},{:.17g},{:.17g},{},{:.17g},{:.17g},{}", row.step,
                          row.time, row.clusters, row.molecules, row.atoms, row.charge, row.mass,
                          vector_text(row.centre), row.radius, row.temperature, row.vapour_molecules,
                          row.vapour_temperature, row.rayleigh_share, vector_text(row.gyration)));
}

EventsCsv::EventsCsv(FileWriter writer, const Units& units)
    : RunTable(std::move(writer), units,
               "step,time,event,molecule,name,charge,x,y,z,vx,vy,vz,kinetic,cluster_molecules") {}

void EventsCsv::append(const DropletEvent& event) {
  append_line(fmt::format("{},{:.17g},{},{},{},{:.17g},{},{},{:.17g},{}", event.step, event.time,
                          kDropletEventNames[static_cast<std::size_t>(event.kind)], event.molecule, event.name,
                          event.charge, vector_text(event.centre), vector_text(event.velocity), event.kinetic,
                          event.molecules));
}

ProfileCsv::ProfileCsv(FileWriter writer, const Units& units, std::span<const std::string> names)
    : RunTable(std::move(writer), units, columns_of_profile(names)) {}

void ProfileCsv::append(const ProfileRow& row) {
  std::string line = fmt::format("{},{:.17g}", row.step, row.r);
  for (const double density : row.density) line += fmt::format(",{:.17g}", density);
  append_line(line + fmt::format(",{:.17g},{:.17g},{:.17g}", row.temperature, row.charge_density, row.potential));
}

}  // namespace dropmd
