#include "outputs/droplet_csv.h"

#include <fmt/core.h>

#include <string>
#include <utility>

namespace dropmd {

namespace {

std::string vector_text(const Vec3<double>& v) { return fmt::format("{:.17g},{:.17g},{:.17g}", v.x, v.y, v.z); }

}  // namespace

DropletCsv::DropletCsv(FileWriter writer, const Units& units)
    : RunTable(std::move(writer), units,
               "step,time,clusters,molecules,atoms,charge,mass,x,y,z,radius,temperature,vapour_molecules,"
               "vapour_temperature,rayleigh_share") {}

void DropletCsv::append(const DropletRow& row) {
  append_line(fmt::format("{},{:.17g},{},{},{},{:.17g},{:.17g},{},{:.17g},{:.17g},{},{:.17g},{:.17g}", row.step,
                          row.time, row.clusters, row.molecules, row.atoms, row.charge, row.mass,
                          vector_text(row.centre), row.radius, row.temperature, row.vapour_molecules,
                          row.vapour_temperature, row.rayleigh_share));
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

}  // namespace dropmd
