#include "python/frames_type.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "inputs/text_source.h"
#include "inputs/trajectories/trajectory_source.h"
#include "python/arrays.h"
#include "python/interpreter.h"

namespace nb = nanobind;

namespace dropmd::python {

namespace {

/// A trajectory. Threads that read it wait for each other.
class FrameReader {
 public:
  FrameReader(const std::filesystem::path& path, const std::optional<std::string>& units) {
    std::optional<UnitSystem> system;
    if (units && !(system = unit_system_named(*units)))
      throw std::invalid_argument("units are '" + *units + "' (expected: real or lj)");
    const InterpreterReleased released;
    reader_ = open_frames(path, system);
  }

  std::optional<InputFrame> next() {
    const InterpreterReleased released;
    const std::scoped_lock lock(*mutex_);
    return reader_->next();
  }

 private:
  std::unique_ptr<TrajectoryReader> reader_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

nb::list names_of(const std::vector<std::string>& names) {
  nb::list list;
  for (const std::string& name : names) list.append(nb::str(as_utf8(name).c_str()));
  return list;
}

nb::list species_of(const Structure& structure) {
  const nb::list names = names_of(structure.species_names);
  nb::list list;
  for (const std::uint32_t species : structure.species) list.append(names[species]);
  return list;
}

/// Returns an array; None for an empty one, of which the file says nothing.
template <class T>
nb::object array_or_none(std::vector<T> values) {
  if (values.empty()) return nb::none();
  const std::size_t n = values.size();
  return nb::cast(array_of(std::move(values), {n}));
}

nb::object vectors_or_none(std::vector<Vec3<double>> vectors) {
  return vectors.empty() ? nb::none() : nb::cast(array_of(std::move(vectors)));
}

template <class T>
nb::object value_or_none(const std::optional<T>& value) {
  return value ? nb::cast(*value) : nb::none();
}

/// The arguments of dropmd.Frame, by their names.
nb::dict dict_of(InputFrame frame) {
  Structure& structure = frame.structure;
  nb::dict values;
  values["step"] = value_or_none(frame.step);
  values["time"] = value_or_none(structure.time);
  values["units"] = structure.units ? nb::cast(std::string(units_of(*structure.units).name)) : nb::object(nb::none());
  values["title"] = nb::str(as_utf8(structure.title).c_str());
  values["positions"] = array_of(std::move(structure.position));
  values["velocities"] = vectors_or_none(std::move(structure.velocity));
  values["masses"] = array_or_none(std::move(structure.mass));
  values["charges"] = array_or_none(std::move(structure.charge));
  values["ids"] = array_or_none(std::move(frame.ids));
  values["species"] = species_of(structure);
  values["atom_names"] = names_of(structure.atom_name);
  values["residue_names"] = names_of(structure.residue_name);
  values["residue_numbers"] = array_or_none(std::move(structure.residue_number));
  return values;
}

/// Returns the next frame and its warnings; None after the last.
nb::object next(FrameReader& reader) {
  std::optional<InputFrame> frame = reader.next();
  if (!frame) return nb::none();
  const nb::list warnings = names_of(frame->structure.warnings);
  return nb::make_tuple(dict_of(std::move(*frame)), warnings);
}

}  // namespace

void bind_frames(nb::module_& module) {
  nb::class_<FrameReader>(module, "FrameReader")
      .def(nb::init<const std::filesystem::path&, const std::optional<std::string>&>(), nb::arg("path"),
           nb::arg("units").none())
      .def("next", next);
}

}  // namespace dropmd::python
