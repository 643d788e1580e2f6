#include "python/simulation_type.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "python/arrays.h"
#include "python/droplet.h"
#include "python/interpreter.h"
#include "python/population.h"
#include "python/session_calls.h"

namespace nb = nanobind;

namespace dropmd::python {

namespace {

/// Performs n steps, and lets Python handle signals several times a second, between steps. Where a handler throws, as
/// that of Ctrl-C does, fewer steps are performed. Returns whether a minimiser has converged.
bool step(Session& session, std::int64_t n) {
  constexpr double kSeconds = 0.1;
  for (std::int64_t left = n;;) {
    bool converged = false;
    left -= aside(session, [&](Simulation& simulation) {
      const double begin = steady_seconds();
      const std::int64_t from = simulation.step_number();
      converged = simulation.step(left, [&] { return steady_seconds() - begin > kSeconds || ending(); });
      return simulation.step_number() - from;
    });
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (left <= 0 || converged || n <= 0) return converged;
  }
}

nb::dict dict_of(const Energies& energies) {
  nb::dict values;
  for (const auto& [name, energy] : energies.components()) values[nb::str(name.data(), name.size())] = energy;
  values["potential"] = energies.potential();
  values["kinetic"] = energies.kinetic;
  values["total"] = energies.total();
  return values;
}

nb::dict dict_of(const Ledger& ledger) {
  nb::dict values;
  for (std::size_t k = 0; k < kCauses; ++k)
    if (ledger.causes.has(static_cast<Cause>(k)))
      values[nb::str(kCauseNames[k].data(), kCauseNames[k].size())] = ledger.of(static_cast<Cause>(k));
  return values;
}

/// Returns the number of atoms, and positions, velocities and indices in the memory of a GPU, each with its address;
/// None on a CPU.
nb::object arrays_on_device(Session& session) {
  const auto arrays = aside(session, [](Simulation& simulation) { return simulation.device_arrays(); });
  if (!arrays) return nb::none();
  const auto with_address = [&]<class T>(const T* data, std::initializer_list<std::size_t> shape) {
    return nb::make_tuple(on_device(*arrays, data, shape), reinterpret_cast<std::uintptr_t>(data));
  };
  static_assert(sizeof(Vec3<double>) == 3 * sizeof(double));
  const std::size_t n = arrays->n_atoms;
  return nb::make_tuple(n, with_address(reinterpret_cast<const double*>(arrays->position), {n, 3}),
                        with_address(reinterpret_cast<const double*>(arrays->velocity), {n, 3}),
                        with_address(arrays->host_index, {n}));
}

/// Returns a vector of one of the simulation's fields, [n_atoms].
template <class Field>
nb::ndarray<nb::numpy, const typename Field::Value> values_of(Session& session, Field) {
  auto values = aside(session, [](Simulation& simulation) { return Field::of(simulation.system().particles); });
  const std::size_t n = values.size();
  return array_of(std::move(values), {n});
}

nb::ndarray<nb::numpy, const std::uint32_t> ids_of(Session& session) {
  auto ids = aside(session, [](Simulation& simulation) {
    const Particles& p = simulation.system().particles;
    std::vector<std::uint32_t> id(p.size());
    for (std::size_t i = 0; i < id.size(); ++i) id[i] = p.id_of(i);
    return id;
  });
  const std::size_t n = ids.size();
  return array_of(std::move(ids), {n});
}

std::vector<std::string> species_of(Session& session) {
  return aside(session, [](Simulation& simulation) {
    const Particles& p = simulation.system().particles;
    std::vector<std::string> names;
    for (const std::uint32_t species : p.species) names.push_back(p.species_names[species]);
    return names;
  });
}

template <class Get>
nb::ndarray<nb::numpy, const double> vectors(Session& session, const Get& get) {
  return array_of(aside(session, [&](Simulation& simulation) {
    const std::span<const Vec3<double>> values = get(simulation);
    return std::vector<Vec3<double>>(values.begin(), values.end());
  }));
}

/// Makes a session from a run file, which is given by its path or as text.
template <class Run>
Session session_of(Session (*make)(const Run&, const std::vector<std::string>&, const GivenAtoms&), const Run& run,
                   const std::vector<std::string>& settings, const GivenAtoms& atoms) {
  const InterpreterReleased released;
  return make(run, settings, atoms);
}

template <class Run, class Make>
void bind_start(nb::class_<Session>& type, const char* name, Make make) {
  type.def_static(
      name,
      [make](const Run& run, const std::vector<std::string>& settings, const Vectors& positions,
             const Vectors& velocities, const Numbers& masses, const Numbers& charges, const Names& species,
             const std::optional<std::string>& topology_name) {
        return session_of<Run>(make, run, settings,
                               atoms_of(positions, velocities, masses, charges, species, topology_name));
      },
      nb::arg("run"), nb::arg("settings"), nb::arg("positions").none(), nb::arg("velocities").none(),
      nb::arg("masses").none(), nb::arg("charges").none(), nb::arg("species").none(), nb::arg("topology_name").none());
}

}  // namespace

void bind_simulation(nb::module_& module) {
  module.def("names_topology", names_topology);
  nb::class_<Session> type(module, "Session");
  bind_start<std::filesystem::path>(type, "of_file", &Session::of_file);
  bind_start<std::string>(type, "of_text", &Session::of_text);
  type.def_static("of_checkpoint",
                  [](const std::filesystem::path& path, const std::vector<std::string>& settings) {
                    const InterpreterReleased released;
                    return Session::of_checkpoint(path, settings);
                  })
      .def("step", step)
      .def("save",
           [](Session& session, const std::filesystem::path& path) {
             const InterpreterReleased released;
             session.save(path);
           })
      .def("run_file",
           [](Session& session) {
             const InterpreterReleased released;
             return session.run_file();
           })
      .def("warnings", &Session::warnings)
      .def("set_positions",
           [](Session& session, const VectorsIn& values) {
             aside(session, [x = vectors_of(values)](Simulation& simulation) { simulation.set_positions(x); });
           })
      .def("set_velocities",
           [](Session& session, const VectorsIn& values) {
             aside(session, [v = vectors_of(values)](Simulation& simulation) { simulation.set_velocities(v); });
           })
      .def("positions", [](Session& session) { return vectors(session, [](Simulation& s) { return s.positions(); }); })
      .def("velocities",
           [](Session& session) { return vectors(session, [](Simulation& s) { return s.velocities(); }); })
      .def("forces", [](Session& session) { return vectors(session, [](Simulation& s) { return s.forces(); }); })
      .def("arrays_on_device", arrays_on_device)
      .def("masses", [](Session& session) { return values_of(session, field::Mass{}); })
      .def("charges", [](Session& session) { return values_of(session, field::Charge{}); })
      .def("ids", ids_of)
      .def("species", species_of)
      .def("energies",
           [](Session& session) { return dict_of(aside(session, [](Simulation& s) { return s.energies(); })); })
      .def("ledger", [](Session& session) { return dict_of(aside(session, [](Simulation& s) { return s.ledger(); })); })
      .def("conserved", [](Session& session) { return aside(session, [](Simulation& s) { return s.conserved(); }); })
      .def("temperature",
           [](Session& session) { return aside(session, [](Simulation& s) { return s.temperature(); }); })
      .def("step_number",
           [](Session& session) { return aside(session, [](Simulation& s) { return s.step_number(); }); })
      .def("time", [](Session& session) { return aside(session, [](Simulation& s) { return s.time(); }); })
      .def("n_atoms", [](Session& session) { return aside(session, [](Simulation& s) { return s.n_atoms(); }); })
      .def("units", [](Session& session) {
        return std::string(aside(session, [](Simulation& s) { return s.system().units.name; }));
      });
  bind_population(type);
  bind_droplet(type);
}

}  // namespace dropmd::python
