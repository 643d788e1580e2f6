#include "python/droplet.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "python/session_calls.h"

namespace nb = nanobind;

namespace dropmd::python {

namespace {

nb::object array_of_one(const Vec3<double>& v) { return nb::cast(array_of(std::vector{v.x, v.y, v.z}, {3})); }

template <class T>
nb::object array_of_all(std::vector<T> values) {
  const std::size_t n = values.size();
  return nb::cast(array_of(std::move(values), {n}));
}

/// The arguments of dropmd.Droplet, by their names.
nb::dict dict_of(const ClusterMeasure& droplet) {
  nb::dict values;
  values["molecules"] = droplet.molecules;
  values["atoms"] = droplet.atoms;
  values["charge"] = droplet.charge;
  values["mass"] = droplet.mass;
  values["centre"] = array_of_one(droplet.centre);
  values["radius"] = droplet.radius;
  values["radius_of_gyration"] = droplet.radius_of_gyration;
  values["gyration"] = array_of_one(droplet.gyration);
  return values;
}

/// The arguments of dropmd.DropletEvent, by their names.
nb::dict dict_of(const DropletEvent& event) {
  const std::string_view kind = kDropletEventNames[static_cast<std::size_t>(event.kind)];
  nb::dict values;
  values["step"] = event.step;
  values["time"] = event.time;
  values["event"] = nb::str(kind.data(), kind.size());
  values["molecule"] = event.molecule;
  values["name"] = nb::str(event.name.c_str());
  values["charge"] = event.charge;
  values["centre"] = array_of_one(event.centre);
  values["velocity"] = array_of_one(event.velocity);
  values["kinetic"] = event.kinetic;
  values["cluster_molecules"] = event.molecules;
  return values;
}

/// Returns the link distance, the droplet, the sizes of the clusters, the number (from 1) of each atom's cluster, and
/// the number of each molecule's cluster by the molecule's id.
nb::tuple clusters(Session& session, std::optional<double> link_distance) {
  const ClusterCensus census =
      aside(session, [&](Simulation& simulation) { return simulation.clusters(link_distance); });
  std::vector<std::uint32_t> of_atom;
  for (const std::uint32_t molecule : census.molecules.of_atom) of_atom.push_back(census.clusters.number[molecule] + 1);
  nb::dict of_molecule;
  for (std::size_t k = 0; k < census.molecules.size(); ++k)
    of_molecule[nb::int_(census.molecules.id[k])] = census.clusters.number[k] + 1;
  return nb::make_tuple(census.link_distance, dict_of(census.droplet), array_of_all(census.clusters.size),
                        array_of_all(std::move(of_atom)), of_molecule);
}

nb::list take_events(Session& session) {
  nb::list events;
  for (const DropletEvent& event : aside(session, [](Simulation& simulation) { return simulation.take_events(); }))
    events.append(dict_of(event));
  return events;
}

}  // namespace

void bind_droplet(nb::class_<Session>& type) {
  type.def("clusters", clusters, nb::arg("link_distance").none()).def("take_events", take_events);
}

}  // namespace dropmd::python
