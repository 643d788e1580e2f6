#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/version.h"
#include "outputs/checkpoint/checkpoint_image.h"
#include "outputs/checkpoint/hdf5_image.h"
#include "outputs/checkpoint/lines.h"
#include "outputs/checkpoint/molecules_image.h"

namespace dropmd {
namespace {

void write_choices(ImageFiller& image, const std::string& group, const std::vector<MethodChoice>& choices) {
  image.group(group);
  std::vector<std::int64_t> step;
  std::vector<std::uint32_t> neighbor, list_form;
  std::vector<double> skin, cell_share;
  for (const MethodChoice& choice : choices) {
    step.push_back(choice.step);
    neighbor.push_back(static_cast<std::uint32_t>(choice.neighbor));
    skin.push_back(choice.skin);
    cell_share.push_back(choice.cell_share);
    list_form.push_back(static_cast<std::uint32_t>(choice.list_form));
  }
  image.array(group + "/step", step);
  image.array(group + "/neighbor", neighbor);
  image.array(group + "/skin", skin);
  image.array(group + "/cell_share", cell_share);
  image.array(group + "/list_form", list_form);
}

/// Writes the fields that steps change, and the ids.
void write_fields(ImageFiller& image, const RunState& state) {
  for_each_field<IsInState>([&]<class Field>(Field) {
    if constexpr (!std::is_same_v<Field, field::Id>) image.array(dataset_of<Field>(), Field::of(state));
  });
  std::vector<std::uint32_t> id = state.id;
  if (id.empty()) {
    id.resize(state.position.size());
    std::iota(id.begin(), id.end(), 1U);
  }
  image.array(dataset_of<field::Id>(), id);
  image.number("/state/next_id", state.next_id > 0 ? state.next_id : static_cast<std::uint32_t>(id.size() + 1));
}

/// Writes nothing if the run has no cause that is booked for the whole system.
void write_carried(ImageFiller& image, const Ledger& carried) {
  if (!carried.causes.any()) return;
  image.group(std::string(kCarried));
  for (std::size_t k = 0; k < kCauses; ++k)
    if (k < kAtomCauses || carried.causes.has(static_cast<Cause>(k)))
      image.number(dataset_of_carried(kCauseNames[k]), carried.booked[k]);
  if (!carried.causes.has(Cause::removed)) return;
  const RemovedSums& sums = carried.removed;
  const Vec3<double>&p = sums.momentum, &l = sums.angular_momentum;
  image.array(std::string(kRemovedSums), std::vector<double>{sums.mass, sums.charge, p.x, p.y, p.z, l.x, l.y, l.z});
}

/// Writes nothing if no term has a state.
void write_term_states(ImageFiller& image, const std::vector<std::vector<double>>& states) {
  std::vector<double> numbers;
  std::vector<std::uint32_t> length;
  for (const std::vector<double>& state : states) {
    length.push_back(static_cast<std::uint32_t>(state.size()));
    numbers.insert(numbers.end(), state.begin(), state.end());
  }
  if (numbers.empty()) return;
  image.group(std::string(kTermStates));
  image.array(std::string(kTermStates) + "/length", length);
  image.array(std::string(kTermStates) + "/numbers", numbers);
}

void write_state(ImageFiller& image, const RunState& state) {
  image.group("/state");
  image.number("/state/step", state.step);
  image.number("/state/degrees_of_freedom", std::uint64_t{state.n_dof});
  write_fields(image, state);
  image.array("/state/force", state.force);
  image.array("/state/integrator", state.integrator_state);
  image.group("/state/booked");
  for (std::size_t k = 0; k < kAtomCauses; ++k)
    image.array(dataset_of_bookings(kCauseNames[k]), state.booked.by_atom[k]);
  write_carried(image, state.carried);
  image.array("/state/list_positions", state.list_positions);
  write_term_states(image, state.term_states);
  image.number("/state/backend", static_cast<std::uint32_t>(state.backend));
  image.number("/state/precision", static_cast<std::uint32_t>(state.precision));
  write_choices(image, "/state/method", {state.choice});
  const DeviceOrder& device = state.device;
  image.group("/state/gpu");
  image.array("/state/gpu/number", device.host_index);
  image.array("/state/gpu/force_sums", device.force_sums);
  image.number("/state/gpu/force_scale", device.force_scale);
  image.array("/state/gpu/anchor", std::vector{device.anchor});
  image.array("/state/gpu/sorting",
              std::vector{device.sorted_at, device.sort_interval, device.sort_at, device.sortings});
  image.array("/state/gpu/sorted_places", device.sorted_positions);
  image.array("/state/gpu/sorted_anchor", std::vector{device.sorted_anchor});
}

void write_structure(ImageFiller& image, const Checkpoint& checkpoint) {
  image.group("/structure");
  image.text("/structure/title", checkpoint.title);
  image.array("/structure/radius", checkpoint.radius ? std::vector{*checkpoint.radius} : std::vector<double>{});
  for_each_field<IsConstant>([&]<class Field>(Field) { image.array(dataset_of<Field>(), Field::of(checkpoint)); });
  image.text("/structure/species_names", joined_lines(checkpoint.species_names));
}

void write_map(ImageFiller& image, const MapState& map) {
  const Vec3<std::int32_t>& n = map.grid.points;
  image.group("/map");
  image.array("/map/origin", std::vector{map.grid.origin});
  image.array("/map/spacing", std::vector{map.grid.spacing});
  image.array("/map/points", std::vector{static_cast<std::uint32_t>(n.x), static_cast<std::uint32_t>(n.y),
                                         static_cast<std::uint32_t>(n.z)});
  image.array("/map/sum", map.sum);
  image.number("/map/frames", map.frames);
}

/// Writes a line per comment: the step, a space, the text.
void write_comments(ImageFiller& image, const std::vector<ChoiceComment>& comments) {
  std::vector<std::string> lines;
  for (const ChoiceComment& comment : comments) lines.push_back(fmt::format("{} {}", comment.step, comment.text));
  image.text("/replay/comments", joined_lines(lines));
}

void write_outputs(ImageFiller& image, const std::vector<OutputMark>& outputs) {
  image.group("/outputs");
  std::vector<std::string> names;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> crc;
  for (const OutputMark& output : outputs) {
    names.push_back(output.name);
    bytes.push_back(output.mark.bytes);
    crc.push_back(output.mark.crc);
  }
  image.text("/outputs/name", joined_lines(names));
  image.array("/outputs/bytes", bytes);
  image.array("/outputs/crc32", crc);
}

}  // namespace

namespace {

void write_checkpoint_to(ImageFiller& image, const Checkpoint& checkpoint) {
  image.text("/program", fmt::format("dropmd {}", kVersion));
  image.text("/run_file", checkpoint.run_file);
  write_structure(image, checkpoint);
  if (checkpoint.molecules) write_molecules(image, *checkpoint.molecules);
  write_state(image, checkpoint.state);
  if (!checkpoint.coulomb_mesh.empty()) image.array(std::string(kCoulombMesh), checkpoint.coulomb_mesh);
  write_choices(image, "/choices", checkpoint.choices);
  write_choices(image, "/replay", checkpoint.replayed);
  write_comments(image, checkpoint.replayed_comments);
  if (checkpoint.population_actions) image.array(std::string(kPopulationActions), *checkpoint.population_actions);
  if (checkpoint.map) write_map(image, *checkpoint.map);
  if (const auto& droplet = checkpoint.state.droplet) {
    image.array(std::string(kDropletMembers), droplet->members);
    image.array(std::string(kDropletProfile), droplet->profile);
  }
  write_outputs(image, checkpoint.outputs);
}

/// Simulations of one process save on threads of their own, and HDF5 is rarely built for use by several threads.
std::mutex hdf5_in_use;

}  // namespace

struct CheckpointImage::Last {
  std::string bytes;
  std::vector<ImagePart> parts;
};

CheckpointImage::CheckpointImage() : last_(std::make_unique<Last>()) {}
CheckpointImage::~CheckpointImage() = default;

const std::string& CheckpointImage::of(const Checkpoint& checkpoint) {
  if (!last_->bytes.empty()) {
    ImageRefill refill(last_->bytes, last_->parts);
    write_checkpoint_to(refill, checkpoint);
    if (refill.fits()) return last_->bytes;
    last_->bytes.clear();
  }
  const std::lock_guard lock(hdf5_in_use);
  const Hdf5Silence silence;
  Image image;
  write_checkpoint_to(image, checkpoint);
  last_->parts = image.take_parts();
  last_->bytes = image.bytes();
  ++n_made_;
  return last_->bytes;
}

std::string CheckpointImage::hand_over(const Checkpoint& checkpoint) {
  constexpr std::size_t kMostCopied = std::size_t{16} << 20U;
  if (of(checkpoint).size() <= kMostCopied) return last_->bytes;
  const std::unique_ptr<Last> large = std::exchange(last_, std::make_unique<Last>());
  return std::move(large->bytes);
}

std::string checkpoint_image(const Checkpoint& checkpoint) { return CheckpointImage().of(checkpoint); }

}  // namespace dropmd
