#include "outputs/checkpoint/checkpoint_file.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <fstream>
#include <limits>
#include <span>
#include <vector>

#include "core/errors.h"
#include "core/version.h"
#include "outputs/checkpoint/hdf5_image.h"
#include "outputs/checkpoint/hdf5_reader.h"
#include "outputs/files/atomic_file.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// Where HDF5 looks for a file behind something else: at powers of two from 512 on.
constexpr std::size_t kBlockBytes = 512;
constexpr int kFormat = 1;
constexpr std::string_view kMagic = "dropmd checkpoint";

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string block_of(std::string_view image) {
  std::string block = fmt::format("{} {}\nbytes {}\ncrc32 {:08x}\n", kMagic, kFormat, image.size(), crc_of(image));
  block.resize(kBlockBytes, '\n');
  return block;
}

/// Names separated by line ends, which no name has.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return text;
}
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    names.push_back(text.substr(begin, end - begin));
  return names;
}

/// Of an enumeration whose values count from 0, `last` being the largest.
template <class Choice>
Choice choice_of_number(const Hdf5Reader& image, const std::string& name, std::uint32_t value, Choice last) {
  if (value > static_cast<std::uint32_t>(last)) image.fail(name);
  return static_cast<Choice>(value);
}

void write_choices(Image& image, const std::string& group, const std::vector<MethodChoice>& choices) {
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
                       choice_of_number(image, group + "/list_form", list_form[k], ListForm::twins)});
  }
  return choices;
}

void write_state(Image& image, const RunState& state) {
  image.group("/state");
  image.number("/state/step", state.step);
  image.number("/state/degrees_of_freedom", std::uint64_t{state.n_dof});
  image.array("/state/position", state.position);
  image.array("/state/velocity", state.velocity);
  image.array("/state/force", state.force);
  image.array("/state/integrator", state.learnt);
  image.array("/state/list_positions", state.list_positions);
  image.number("/state/backend", static_cast<std::uint32_t>(state.backend));
  image.number("/state/precision", static_cast<std::uint32_t>(state.precision));
  write_choices(image, "/state/method", {state.choice});
  const DeviceOrder& device = state.device;
  image.group("/state/gpu");
  image.array("/state/gpu/number", device.number);
  image.array("/state/gpu/force_sums", device.force_sums);
  image.array("/state/gpu/anchor", std::vector{device.anchor});
  image.array("/state/gpu/sorting",
              std::vector{device.sorted_at, device.sort_interval, device.sort_at, device.sortings});
  image.array("/state/gpu/sorted_places", device.sorted_places);
  image.array("/state/gpu/sorted_anchor", std::vector{device.sorted_anchor});
}

/// A checkpoint says each atom once, or none.
DeviceOrder read_device_order(const Hdf5Reader& image, std::size_t n_atoms) {
  DeviceOrder device;
  device.number = image.array<std::uint32_t>("/state/gpu/number");
  if (!device.number.empty() && device.number.size() != n_atoms) image.fail("/state/gpu/number");
  std::vector<bool> seen(n_atoms, false);
  for (const std::uint32_t i : device.number) {
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
  device.sorted_places = image.array<Vec3<double>>("/state/gpu/sorted_places", device.number.size());
  device.sorted_anchor = image.array<Vec3<double>>("/state/gpu/sorted_anchor", 1).front();
  return device;
}

RunState read_state(const Hdf5Reader& image, std::size_t n_atoms) {
  RunState state;
  state.step = image.number<std::int64_t>("/state/step");
  if (state.step < 0) image.fail("/state/step");
  state.n_dof = image.number<std::uint64_t>("/state/degrees_of_freedom");
  if (state.n_dof > 3 * n_atoms) image.fail("/state/degrees_of_freedom");
  state.position = image.array<Vec3<double>>("/state/position", n_atoms);
  state.velocity = image.array<Vec3<double>>("/state/velocity", n_atoms);
  const auto all_or_none = [&](const std::string& name) {
    auto values = image.array<Vec3<double>>(name);
    if (!values.empty() && values.size() != n_atoms) image.fail(name);
    return values;
  };
  state.force = all_or_none("/state/force");
  state.list_positions = all_or_none("/state/list_positions");
  state.learnt = image.array<double>("/state/integrator");
  state.backend =
      choice_of_number(image, "/state/backend", image.number<std::uint32_t>("/state/backend"), Backend::cuda);
  state.precision =
      choice_of_number(image, "/state/precision", image.number<std::uint32_t>("/state/precision"), Precision::fp64);
  const auto method = read_choices(image, "/state/method");
  if (method.size() != 1) image.fail("/state/method");
  state.choice = method.front();
  state.device = read_device_order(image, n_atoms);
  return state;
}

void write_structure(Image& image, const Checkpoint& checkpoint) {
  image.group("/structure");
  image.text("/structure/title", checkpoint.title);
  image.array("/structure/radius", checkpoint.radius ? std::vector{*checkpoint.radius} : std::vector<double>{});
  image.array("/structure/mass", checkpoint.mass);
  image.array("/structure/charge", checkpoint.charge);
  image.array("/structure/species", checkpoint.species);
  image.text("/structure/species_names", joined(checkpoint.species_names));
}

void read_structure(const Hdf5Reader& image, Checkpoint& checkpoint) {
  checkpoint.title = image.text("/structure/title");
  const auto radius = image.array<double>("/structure/radius");
  if (radius.size() > 1 || (!radius.empty() && !(std::isfinite(radius.front()) && radius.front() > 0)))
    image.fail("/structure/radius");
  if (!radius.empty()) checkpoint.radius = radius.front();
  checkpoint.mass = image.array<double>("/structure/mass");
  const std::size_t n_atoms = checkpoint.mass.size();
  checkpoint.charge = image.array<double>("/structure/charge", n_atoms);
  for (std::size_t i = 0; i < n_atoms; ++i) {
    if (!(std::isfinite(checkpoint.mass[i]) && checkpoint.mass[i] > 0)) image.fail("/structure/mass");
    if (!std::isfinite(checkpoint.charge[i])) image.fail("/structure/charge");
  }
  checkpoint.species = image.array<std::uint32_t>("/structure/species", n_atoms);
  checkpoint.species_names = split(image.text("/structure/species_names"));
  for (const std::uint32_t species : checkpoint.species)
    if (species >= checkpoint.species_names.size()) image.fail("/structure/species");
}

void write_map(Image& image, const MapState& map) {
  const Vec3<std::int32_t>& n = map.grid.points;
  image.group("/map");
  image.array("/map/origin", std::vector{map.grid.origin});
  image.array("/map/spacing", std::vector{map.grid.spacing});
  image.array("/map/points", std::vector{static_cast<std::uint32_t>(n.x), static_cast<std::uint32_t>(n.y),
                                         static_cast<std::uint32_t>(n.z)});
  image.array("/map/sum", map.sum);
  image.number("/map/frames", map.frames);
}

/// A line each: the step, a space, the text.
void write_comments(Image& image, const std::vector<ChoiceComment>& comments) {
  std::vector<std::string> lines;
  for (const ChoiceComment& comment : comments) lines.push_back(fmt::format("{} {}", comment.step, comment.text));
  image.text("/replay/comments", joined(lines));
}

std::vector<ChoiceComment> read_comments(const Hdf5Reader& image) {
  std::vector<ChoiceComment> comments;
  if (!image.has("/replay/comments")) return comments;  // of a version that kept none
  for (const std::string& line : split(image.text("/replay/comments"))) {
    ChoiceComment comment;
    const char* const end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(line.data(), end, comment.step);
    if (error != std::errc{} || rest == end || *rest != ' ' || comment.step < 0) image.fail("/replay/comments");
    comment.text.assign(rest + 1, end);
    comments.push_back(std::move(comment));
  }
  return comments;
}

/// Along each axis at least one and no more than MapGrid can say; false: so many that their number has no 64 bits.
bool is_countable(const std::vector<std::uint32_t>& points) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::int32_t>::max();
  if (!std::all_of(points.begin(), points.end(), [](std::uint32_t n) { return n >= 1 && n <= kMost; })) return false;
  return std::uint64_t{points[0]} * points[1] <= std::numeric_limits<std::uint64_t>::max() / points[2];
}

/// step: of the state. A sum is of one map at least, and of no more than one for each step.
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

void write_outputs(Image& image, const std::vector<OutputMark>& outputs) {
  image.group("/outputs");
  std::vector<std::string> names;
  std::vector<std::uint64_t> bytes;
  std::vector<std::uint32_t> crc;
  for (const OutputMark& output : outputs) {
    names.push_back(output.name);
    bytes.push_back(output.mark.bytes);
    crc.push_back(output.mark.crc);
  }
  image.text("/outputs/name", joined(names));
  image.array("/outputs/bytes", bytes);
  image.array("/outputs/crc32", crc);
}

std::vector<OutputMark> read_outputs(const Hdf5Reader& image) {
  const auto names = split(image.text("/outputs/name"));
  const auto bytes = image.array<std::uint64_t>("/outputs/bytes", names.size());
  const auto crc = image.array<std::uint32_t>("/outputs/crc32", names.size());
  std::vector<OutputMark> outputs;
  outputs.reserve(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) outputs.push_back({names[k], {bytes[k], crc[k]}});
  return outputs;
}

std::string image_of(const Checkpoint& checkpoint) {
  const Hdf5Silence silence;
  Image image;
  image.text("/program", fmt::format("dropmd {}", kVersion));
  image.text("/run_file", checkpoint.run_file);
  write_structure(image, checkpoint);
  write_state(image, checkpoint.state);
  write_choices(image, "/choices", checkpoint.choices);
  write_choices(image, "/replay", checkpoint.replayed);
  write_comments(image, checkpoint.replayed_comments);
  if (checkpoint.map) write_map(image, *checkpoint.map);
  write_outputs(image, checkpoint.outputs);
  return image.bytes();
}

[[noreturn]] void throw_damaged(const fs::path& path) {
  std::error_code error;
  const bool has_previous = fs::exists(previous_checkpoint(path), error);
  throw InputError({path.string()},
                   fmt::format("the checkpoint is damaged: its bytes are not those that were written ({})",
                               has_previous ? "try " + previous_checkpoint(path).string()
                                            : "start anew, from the run's last structure"));
}

/// Of a file of `size` bytes: whether it is one of ours, and as long as it was. Before its bytes are read, since any
/// large file may be meant.
void require_block(const fs::path& path, std::string_view block, std::uintmax_t size) {
  if (!block.starts_with(kMagic) || size <= kBlockBytes)
    throw InputError({path.string()}, "this is no checkpoint (a checkpoint.h5 that a run wrote)");
  const std::string begin = fmt::format("{} {}\n", kMagic, kFormat);
  if (!block.starts_with(begin))
    throw InputError({path.string()},
                     "this is a checkpoint of another version of dropmd (take the version that wrote it)");
  if (!block.starts_with(begin + fmt::format("bytes {}\n", size - kBlockBytes))) throw_damaged(path);
}

/// The whole file, where it is one of ours and undamaged.
std::string checked_bytes(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw InputError({path.string()}, "there is no such checkpoint (a checkpoint.h5 that a run wrote)");
  std::ifstream stream(path, std::ios::binary);
  const std::uintmax_t size = fs::file_size(path, error);
  std::string bytes(error ? 0 : std::min<std::uintmax_t>(size, kBlockBytes), '\0');
  const auto read_from = [&](std::size_t begin) {
    if (!stream || !stream.read(bytes.data() + begin, static_cast<std::streamsize>(bytes.size() - begin)))
      throw InputError({path.string()}, "cannot read the checkpoint");
  };
  read_from(0);
  require_block(path, bytes, size);
  try {
    bytes.resize(size);
  } catch (const std::exception&) {  // std::bad_alloc, std::length_error
    throw InputError({path.string()}, fmt::format("is larger than the memory ({} bytes)", size));
  }
  read_from(kBlockBytes);
  const std::string_view whole = bytes;
  if (whole.substr(0, kBlockBytes) != block_of(whole.substr(kBlockBytes))) throw_damaged(path);
  return bytes;
}

bool is_whole(const fs::path& path) {
  try {
    checked_bytes(path);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// A second name of the last checkpoint, until it takes the place of the one before.
fs::path link_beside(const fs::path& kept) { return fs::path(kept) += ".tmp"; }

/// Keeps what is there under another name; at no time there is none of the name. A damaged one takes no good one's
/// place.
void keep_previous(const fs::path& path) {
  if (!is_whole(path)) return;
  const fs::path kept = previous_checkpoint(path), link = link_beside(kept);
  std::error_code error;
  fs::remove(link, error);
  fs::create_hard_link(fs::canonical(path, error), link, error);  // where it is a symbolic link, the file that it names
  if (error) {                                                    // a file system without links
    const std::string bytes = checked_bytes(path);
    return write_atomically(kept, /*overwrite=*/true, [&](FileWriter& writer) { writer.write(bytes); });
  }
  fs::rename(link, kept, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(link, ignored);
  throw_output_error(kept, "cannot keep the checkpoint before", error.value());
}

}  // namespace

fs::path previous_checkpoint(const fs::path& path) {
  fs::path previous = path;
  previous.replace_filename(path.stem().string() + "-previous" + path.extension().string());
  return previous;
}

void remove_checkpoint_leftovers(const fs::path& path, const std::vector<fs::path>& keep) {
  const fs::path kept = previous_checkpoint(path);
  remove_leftovers(path, keep);
  remove_leftovers(kept, keep);
  std::error_code ignored;
  fs::remove(link_beside(kept), ignored);
}

void write_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
  const std::string image = image_of(checkpoint);
  write_atomically(path, /*overwrite=*/true, [&](FileWriter& writer) {
    writer.write(block_of(image));
    writer.write(image);
    writer.sync();  // a disk may be full: until here both that are there stay as they are
    keep_previous(path);
  });
}

Checkpoint read_checkpoint(const fs::path& path) {
  const std::string bytes = checked_bytes(path);
  const Hdf5Reader image(path.string(), std::string_view(bytes).substr(kBlockBytes));
  Checkpoint checkpoint;
  checkpoint.run_file = image.text("/run_file");
  read_structure(image, checkpoint);
  checkpoint.state = read_state(image, checkpoint.mass.size());
  checkpoint.choices = read_choices(image, "/choices");
  checkpoint.replayed = read_choices(image, "/replay");
  if (!checkpoint.replayed.empty() && checkpoint.replayed.front().step != 0) image.fail("/replay/step");
  checkpoint.replayed_comments = read_comments(image);
  if (image.has("/map")) checkpoint.map = read_map(image, checkpoint.state.step);
  checkpoint.outputs = read_outputs(image);
  return checkpoint;
}

}  // namespace dropmd
