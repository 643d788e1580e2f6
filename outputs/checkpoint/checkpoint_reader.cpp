#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "outputs/checkpoint/checkpoint_image.h"
#include "outputs/checkpoint/hdf5_reader.h"
#include "outputs/checkpoint/lines.h"
#include "outputs/checkpoint/molecules_image.h"

namespace dropmd {
namespace {

/// Converts the number of an enumerator; enumerators count from 0 to `last`.
template <class Choice>
Choice choice_of_number(const Hdf5Reader& image, const std::string& name, std::uint32_t value, Choice last) {
  if (value > static_cast<std::uint32_t>(last)) image.fail(name);
  return static_cast<Choice>(value);
}

std::vector<MethodChoice> read_choices(const Hdf5Reader& image, const std::string& group) {
  const auto step = image.array<std::int64_t>(group + "/step");
  const auto neighbor = image.array<std::uint32_t>(group + "/neighbor", step.size());
  const auto skin = image.array<double>(group + "/skin", step.size());
  const auto cell_share = image.array<double>(group + "/cell_share", step.size());
  const auto list_form = image.array<std::uint32_t>(group + "/list_form", step.size());
  std::vector<MethodChoice> choices;
  choices.reserve(step.size());
  for (std::size_t k = 0; k < step.size(); ++k) {
    const bool possible = std::isfinite(skin[k]) && skin[k] >= 0 && std::isfinite(cell_share[k]) && cell_share[k] >= 0;
    if (!possible || step[k] < (k > 0 ? step[k - 1] : 0)) image.fail(group);
    choices.push_back({step[k], choice_of_number(image, group + "/neighbor", neighbor[k], NeighborMethod::pair_list),
                       skin[k], cell_share[k],
                       choice_of_number(image, group + "/list_form", list_form[k], ListForm::two_atom)});
  }
  return choices;
}

/// Checks that each atom occurs once, or that there are none.
DeviceOrder read_device_order(const Hdf5Reader& image, std::size_t n_atoms) {
  DeviceOrder device;
  if (!image.has("/state/gpu/force_scale")) return device;  // without it the sums mean nothing and are computed again
  device.force_scale = image.number<std::int64_t>("/state/gpu/force_scale");
  device.host_index = image.array<std::uint32_t>("/state/gpu/number");
  if (!device.host_index.empty() && device.host_index.size() != n_atoms) image.fail("/state/gpu/number");
  std::vector<bool> seen(n_atoms, false);
  for (const std::uint32_t i : device.host_index) {
    if (i >= n_atoms || seen[i]) image.fail("/state/gpu/number");
    seen[i] = true;
  }
  device.force_sums = image.array<std::uint64_t>("/state/gpu/force_sums");
  device.anchor = image.array<Vec3<double>>("/state/gpu/anchor", 1).front();
  const auto sorting = image.array<std::int64_t>("/state/gpu/sorting", 4);
  for (const std::int64_t number : sorting)
    if (number < 0) image.fail("/state/gpu/sorting");
  device.sorted_at = sorting[0], device.sort_interval = sorting[1], device.sort_at = sorting[2];
  device.sortings = sorting[3];
  device.sorted_positions = image.array<Vec3<double>>("/state/gpu/sorted_places", device.host_index.size());
  device.sorted_anchor = image.array<Vec3<double>>("/state/gpu/sorted_anchor", 1).front();
  return device;
}

/// n_atoms: nullopt if the field itself defines it.
template <class Field>
std::vector<typename Field::Value> read_field(const Hdf5Reader& image, std::optional<std::size_t> n_atoms) {
  auto values = image.array<typename Field::Value>(dataset_of<Field>(), n_atoms);
  if (!std::all_of(values.begin(), values.end(), Field::possible)) image.fail(dataset_of<Field>());
  return values;
}

/// Checkpoints of versions that could not remove or add atoms have no ids, which are then 1 to n_atoms.
void read_ids(const Hdf5Reader& image, std::size_t n_atoms, RunState& state) {
  const std::string name = dataset_of<field::Id>();
  if (!image.has(name)) return;
  state.id = read_field<field::Id>(image, n_atoms);
  state.next_id = image.number<std::uint32_t>("/state/next_id");
  if (state.next_id == 0 || state.next_id > kMostAtomIds + 1) image.fail("/state/next_id");
  std::vector<std::uint32_t> ids = state.id;
  if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
  std::uint32_t before = 0;
  for (const std::uint32_t id : ids) {
    if (id <= before || id >= state.next_id) image.fail(name);
    before = id;
  }
  if (state.next_id != n_atoms + 1 || ids != state.id) return;  // otherwise they are 1 to n_atoms
  state.id.clear();
  state.next_id = 0;
}

/// A file of a version without a ledger has no bookings; each cause has been booked for all atoms, or for none.
Bookings read_bookings(const Hdf5Reader& image, std::size_t n_atoms) {
  Bookings booked;
  for (std::size_t k = 0; k < kAtomCauses; ++k) {
    const std::string name = dataset_of_bookings(kCauseNames[k]);
    if (!image.has(name)) continue;
    std::vector<double>& energy = booked.by_atom[k];
    energy = image.array<double>(name);
    const bool finite = std::all_of(energy.begin(), energy.end(), [](double e) { return std::isfinite(e); });
    if (!finite || (!energy.empty() && energy.size() != n_atoms)) image.fail(name);
  }
  return booked;
}

/// Returns the numbers of a dataset, which must be finite.
std::vector<double> finite_numbers(const Hdf5Reader& image, const std::string& name) {
  auto numbers = image.array<double>(name);
  if (!std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); }))
    image.fail(name);
  return numbers;
}

/// The causes booked for the whole system are those that the file has; `removed` and `added` come together.
Ledger read_carried(const Hdf5Reader& image) {
  Ledger carried;
  if (!image.has(std::string(kCarried))) return carried;
  const auto has = [&](Cause cause) { return image.has(dataset_of_carried(kCauseNames[CauseSet::index(cause)])); };
  if (has(Cause::removed) || has(Cause::added)) {
    carried.causes.insert(Cause::removed);
    carried.causes.insert(Cause::added);
  }
  if (has(Cause::mesh)) carried.causes.insert(Cause::mesh);
  for (std::size_t k = 0; k < kCauses; ++k) {
    if (k >= kAtomCauses && !carried.causes.has(static_cast<Cause>(k))) continue;
    const std::string name = dataset_of_carried(kCauseNames[k]);
    carried.booked[k] = image.number<double>(name);
    if (!std::isfinite(carried.booked[k])) image.fail(name);
  }
  const std::string sums(kRemovedSums);
  if (!image.has(sums)) return carried;
  const std::vector<double> v = finite_numbers(image, sums);
  if (v.size() != 8) image.fail(sums);
  carried.removed = {v[0], v[1], {v[2], v[3], v[4]}, {v[5], v[6], v[7]}};
  return carried;
}

std::vector<std::vector<double>> read_term_states(const Hdf5Reader& image) {
  const std::string group(kTermStates);
  if (!image.has(group)) return {};
  const auto length = image.array<std::uint32_t>(group + "/length");
  const std::vector<double> numbers = finite_numbers(image, group + "/numbers");
  std::vector<std::vector<double>> states;
  std::size_t first = 0;
  for (const std::uint32_t n : length) {
    if (n > numbers.size() - first) image.fail(group + "/length");
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
    states.emplace_back(begin, begin + n);
    first += n;
  }
  if (first != numbers.size()) image.fail(group + "/length");
  return states;
}

RunState read_state(const Hdf5Reader& image, std::size_t n_atoms) {
  RunState state;
  state.step = image.number<std::int64_t>("/state/step");
  if (state.step < 0) image.fail("/state/step");
  state.n_dof = image.number<std::uint64_t>("/state/degrees_of_freedom");
  if (state.n_dof > 3 * n_atoms) image.fail("/state/degrees_of_freedom");
  for_each_field<IsInState>([&]<class Field>(Field) {
    if constexpr (!std::is_same_v<Field, field::Id>) Field::of(state) = read_field<Field>(image, n_atoms);
  });
  read_ids(image, n_atoms, state);
  const auto all_or_none = [&](const std::string& name) {
    auto values = image.array<Vec3<double>>(name);
    if (!values.empty() && values.size() != n_atoms) image.fail(name);
    return values;
  };
  state.force = all_or_none("/state/force");
  state.list_positions = all_or_none("/state/list_positions");
  state.integrator_state = image.array<double>("/state/integrator");
  state.booked = read_bookings(image, n_atoms);
  state.carried = read_carried(image);
  state.backend =
      choice_of_number(image, "/state/backend", image.number<std::uint32_t>("/state/backend"), Backend::cuda);
  state.precision =
      choice_of_number(image, "/state/precision", image.number<std::uint32_t>("/state/precision"), Precision::fp64);
  const auto method = read_choices(image, "/state/method");
  if (method.size() != 1) image.fail("/state/method");
  state.choice = method.front();
  state.term_states = read_term_states(image);
  state.device = read_device_order(image, n_atoms);
  return state;
}

void read_structure(const Hdf5Reader& image, Checkpoint& checkpoint) {
  checkpoint.title = image.text("/structure/title");
  const auto radius = image.array<double>("/structure/radius");
  if (radius.size() > 1 || (!radius.empty() && !(std::isfinite(radius.front()) && radius.front() > 0)))
    image.fail("/structure/radius");
  if (!radius.empty()) checkpoint.radius = radius.front();
  checkpoint.mass = read_field<field::Mass>(image, std::nullopt);
  const std::size_t n_atoms = checkpoint.mass.size();
  for_each_field<IsConstant>([&]<class Field>(Field) {
    if constexpr (!std::is_same_v<Field, field::Mass>) Field::of(checkpoint) = read_field<Field>(image, n_atoms);
  });
  checkpoint.species_names = split_lines(image.text("/structure/species_names"));
  for (const std::uint32_t species : checkpoint.species)
    if (species >= checkpoint.species_names.size()) image.fail("/structure/species");
}

std::vector<ChoiceComment> read_comments(const Hdf5Reader& image) {
  std::vector<ChoiceComment> comments;
  if (!image.has("/replay/comments")) return comments;  // of a version that kept none
  for (const std::string& line : split_lines(image.text("/replay/comments"))) {
    ChoiceComment comment;
    const char* const end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(line.data(), end, comment.step);
    if (error != std::errc{} || rest == end || *rest != ' ' || comment.step < 0) image.fail("/replay/comments");
    comment.text.assign(rest + 1, end);
    comments.push_back(std::move(comment));
  }
  return comments;
}

/// step: number of the state's step.
std::optional<std::vector<std::int64_t>> read_population_actions(const Hdf5Reader& image, std::int64_t step) {
  const std::string name(kPopulationActions);
  if (!image.has(name)) return std::nullopt;
  auto steps = image.array<std::int64_t>(name);
  if (!std::is_sorted(steps.begin(), steps.end()) || (!steps.empty() && steps.front() < step)) image.fail(name);
  return steps;
}

/// Whether each axis has at least one point and no more than MapGrid can hold, and the number of points fits into 64
/// bits.
bool is_countable(const std::vector<std::uint32_t>& points) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::int32_t>::max();
  if (!std::all_of(points.begin(), points.end(), [](std::uint32_t n) { return n >= 1 && n <= kMost; })) return false;
  return std::uint64_t{points[0]} * points[1] <= std::numeric_limits<std::uint64_t>::max() / points[2];
}

/// step: that of the state. A sum is that of at least one map, and of at most one per step.
MapState read_map(const Hdf5Reader& image, std::int64_t step) {
  MapState map;
  MapGrid& grid = map.grid;
  grid.origin = image.array<Vec3<double>>("/map/origin", 1).front();
  if (!is_finite(grid.origin)) image.fail("/map/origin");
  grid.spacing = image.array<Vec3<double>>("/map/spacing", 1).front();
  if (!is_finite(grid.spacing) || !(std::min({grid.spacing.x, grid.spacing.y, grid.spacing.z}) > 0))
    image.fail("/map/spacing");
  const auto points = image.array<std::uint32_t>("/map/points", 3);
  if (!is_countable(points)) image.fail("/map/points");
  grid.points = {static_cast<std::int32_t>(points[0]), static_cast<std::int32_t>(points[1]),
                 static_cast<std::int32_t>(points[2])};
  map.sum = image.array<double>("/map/sum");
  const bool is_whole = map.sum.empty() || map.sum.size() == grid.n_points();
  if (!is_whole || !std::all_of(map.sum.begin(), map.sum.end(), [](double v) { return std::isfinite(v); }))
    image.fail("/map/sum");
  map.frames = image.number<std::uint64_t>("/map/frames");
  if ((map.frames == 0) != map.sum.empty() || map.frames > static_cast<std::uint64_t>(step) + 1)
    image.fail("/map/frames");
  return map;
}

DropletState read_droplet(const Hdf5Reader& image) {
  DropletState droplet{.members = image.array<std::uint32_t>(std::string(kDropletMembers))};
  if (!std::is_sorted(droplet.members.begin(), droplet.members.end())) image.fail(std::string(kDropletMembers));
  if (image.has(std::string(kDropletProfile))) droplet.profile = finite_numbers(image, std::string(kDropletProfile));
  return droplet;
}

std::vector<OutputMark> read_outputs(const Hdf5Reader& image) {
  const auto names = split_lines(image.text("/outputs/name"));
  const auto bytes = image.array<std::uint64_t>("/outputs/bytes", names.size());
  const auto crc = image.array<std::uint32_t>("/outputs/crc32", names.size());
  std::vector<OutputMark> outputs;
  outputs.reserve(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) outputs.push_back({names[k], {bytes[k], crc[k]}});
  return outputs;
}

}  // namespace

Checkpoint checkpoint_of_image(const std::string& file, std::string_view bytes) {
  const Hdf5Reader image(file, bytes);
  Checkpoint checkpoint;
  checkpoint.run_file = image.text("/run_file");
  read_structure(image, checkpoint);
  if (image.has(std::string(kMolecules))) checkpoint.molecules = read_molecules_image(image);
  // Virtual sites have no mass, and only molecules have virtual sites.
  if (!checkpoint.molecules &&
      !std::all_of(checkpoint.mass.begin(), checkpoint.mass.end(), [](double m) { return m > 0; }))
    image.fail(dataset_of<field::Mass>());
  checkpoint.state = read_state(image, checkpoint.mass.size());
  if (image.has(std::string(kCoulombMesh))) checkpoint.coulomb_mesh = finite_numbers(image, std::string(kCoulombMesh));
  checkpoint.choices = read_choices(image, "/choices");
  checkpoint.replayed = read_choices(image, "/replay");
  if (!checkpoint.replayed.empty() && checkpoint.replayed.front().step != 0) image.fail("/replay/step");
  checkpoint.replayed_comments = read_comments(image);
  checkpoint.population_actions = read_population_actions(image, checkpoint.state.step);
  if (image.has("/map")) checkpoint.map = read_map(image, checkpoint.state.step);
  if (image.has(std::string(kDropletMembers))) checkpoint.state.droplet = read_droplet(image);
  checkpoint.outputs = read_outputs(image);
  return checkpoint;
}

}  // namespace dropmd
