#include "inputs/trajectories/cif_frames.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/structures/cif_file.h"
#include "inputs/trajectories/single_frame.h"
#include "inputs/trajectories/text_stream.h"
#include "inputs/trajectories/title_values.h"
#include "inputs/trajectories/virtual_sites.h"
#include "inputs/whole_number.h"

namespace dropmd {
namespace {

constexpr std::string_view kAtomSite = "_atom_site.", kUnits = "# units:";

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return small;
}

std::string_view without_end(std::string_view line) { return trimmed(line.substr(0, line.find('\n'))); }

/// Divides a line into values, which may be in quotes; a comment or an incomplete value ends it.
void divide(std::string_view line, std::vector<std::string_view>& values) {
  constexpr std::string_view kWhite = " \t\r\n";
  values.clear();
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(kWhite), line.size()));
    if (line.empty() || line.front() == '#') return;
    std::size_t end = line.find_first_of(kWhite);
    if (line.front() == '\'' || line.front() == '"')
      for (end = line.find(line.front(), 1); end != line.npos; end = line.find(line.front(), end))
        if (++end == line.size() || kWhite.find(line[end]) != kWhite.npos) break;
    values.push_back(line.substr(0, end));
    if (end == line.npos) return;
    line.remove_prefix(end);
  }
}

bool is_reserved(std::string_view value) {
  const std::string word = in_small_letters(value);
  return word.starts_with('_') || word.starts_with("data_") || word == "loop_" || word.starts_with("save_") ||
         word == "global_" || word == "stop_";
}

/// A line with an atom.
struct AtomLine {
  std::string text;              ///< with the comments and blank lines before it
  std::size_t lines_before = 0;  ///< number of lines of the file before these
  std::string comment;           ///< the last comment line before it
  std::string model;
  std::optional<std::uint32_t> id;
};

/// The lines of a frame.
struct Rows {
  std::string text;
  std::size_t lines_before = 0;  ///< number of lines of the file before them
  std::string comment;           ///< before the first atom
  std::vector<std::uint32_t> ids;
  std::size_t size = 0;  ///< number of atoms
};

std::size_t n_lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool counts_up(const std::vector<std::uint32_t>& ids) {
  for (std::size_t k = 0; k < ids.size(); ++k)
    if (ids[k] != k + 1) return false;
  return true;
}

class CifFrames final : public TrajectoryReader {
 public:
  CifFrames(const std::filesystem::path& path, std::optional<UnitSystem> given)
      : stream_(path, "an mmCIF file"), given_(given) {
    std::string line = take_header();
    has_atom_ = model_ < n_items_ && take_atom(std::move(line));
  }

  /// Whether each atom is on a line of its own that says its model.
  bool has_atom_lines() const { return has_atom_; }

  std::optional<InputFrame> next() override {
    std::optional<Rows> rows = take_frame();
    if (!rows) return std::nullopt;
    // For further frames the items of the loop are enough.
    const std::string& header = title_ ? items_ : header_;
    const std::size_t n_lines = n_lines_in(header);
    const TextSource source{stream_.file(), header + rows->text};
    InputFrame frame{read_cif_text(source, {n_lines, rows->lines_before - n_lines}), {}, {}};
    if (!title_) title_ = frame.structure.title;
    frame.structure.title = *title_;
    frame.structure.units = units();
    frame.structure.time = time_in_title(rows->comment, units());
    frame.step = step_in_title(rows->comment);
    if (units_ && rows->ids.size() == rows->size && !counts_up(rows->ids)) frame.ids = std::move(rows->ids);
    name_virtual_sites(frame.structure);
    return frame;
  }

  bool skip() override { return take_frame().has_value(); }
  ReadShare share() const override { return stream_.share(); }

 private:
  UnitSystem units() const { return units_.value_or(given_.value_or(UnitSystem::real)); }

  /// Returns the first line after the items of the loop; empty: there is none.
  std::string take_header() {
    bool in_text = false;
    std::string line;
    for (; stream_.take_line(line); header_ += line, line.clear()) {
      if (line.front() == ';') in_text = !in_text;
      const std::string word = in_text ? std::string() : in_small_letters(without_end(line));
      if (word.starts_with(kUnits))
        units_ = trimmed(std::string_view(word).substr(kUnits.size())) == "lj" ? UnitSystem::lj : UnitSystem::real;
      if (word.starts_with(kAtomSite)) {
        if (word == std::string(kAtomSite) + "pdbx_pdb_model_num") model_ = n_items_;
        if (word == std::string(kAtomSite) + "id") id_ = n_items_;
        ++n_items_;
        items_ += line;
      } else if (n_items_ > 0) {
        return line;
      } else if (!word.empty() && !word.starts_with('#')) {
        items_ = word == "loop_" ? "data_\nloop_\n" : "";
      }
    }
    return {};
  }

  /// Takes lines up to the next atom, which is then atom_; line: the first of them, or empty. Returns false at the end
  /// of the loop, and at a line with a mistake, which wrong_ then describes.
  bool take_atom(std::string line = {}) {
    atom_ = {};
    atom_.lines_before = stream_.lines_taken() - (line.empty() ? 0 : 1);
    while (!line.empty() || stream_.take_line(line)) {
      const bool has_end = line.ends_with('\n');
      divide(line, values_);
      if (values_.empty()) atom_.comment = without_end(line);
      // A run that was killed may have cut the last value.
      if (values_.size() == n_items_ && (has_end || !units_)) {
        atom_.model = values_[model_];
        if (id_ < n_items_) atom_.id = whole_number<std::uint32_t>(values_[id_]);
        atom_.text += line;
        return true;
      }
      if (!values_.empty()) {
        if (is_reserved(values_.front())) return false;
        is_cut_ = !has_end;
        if (has_end)
          wrong_ = {SourcePlace{stream_.file(), stream_.lines_taken(), 1},
                    fmt::format("{} of {} values of an atom (give each atom one line)", values_.size(), n_items_)};
        return false;
      }
      atom_.text += line;
      line.clear();
    }
    is_cut_ = number_in_title(atom_.comment, "step=").has_value();
    return false;
  }

  std::optional<Rows> take_frame() {
    if (!has_atom_) {
      require_no_rest(atom_.lines_before);
      return std::nullopt;
    }
    Rows rows;
    rows.lines_before = atom_.lines_before;
    rows.comment = atom_.comment;
    const std::string model = atom_.model;
    while (has_atom_ && atom_.model == model) {
      rows.text += atom_.text;
      if (atom_.id) rows.ids.push_back(*atom_.id);
      ++rows.size;
      has_atom_ = take_atom();
    }
    require_complete(rows);
    ++n_frames_;
    return rows;
  }

  /// A line with a mistake may belong to the frame before it.
  void require_complete(const Rows& rows) const {
    const auto n = number_in_title(rows.comment, "atoms=");
    if (n && *n == static_cast<double>(rows.size)) return;
    require_no_rest(rows.lines_before);
    if (!n) return;
    const std::string counts = fmt::format("{} of {} atoms", rows.size, *n);
    if (!has_atom_) throw_cut_off(rows.lines_before, counts);
    throw InputError({stream_.file(), rows.lines_before + 1, 1}, "this frame has " + counts);
  }

  void require_no_rest(std::size_t lines_before) const {
    if (wrong_) throw InputError(wrong_->place, wrong_->what);
    if (is_cut_) throw_cut_off(lines_before, "a part of its atoms");
  }

  [[noreturn]] void throw_cut_off(std::size_t lines_before, std::string_view rest) const {
    const std::string what = fmt::format("this frame is cut off: the file ends after {}", rest);
    const SourcePlace place{stream_.file(), lines_before + 1, 1};
    if (n_frames_ == 0) throw InputError(place, what);
    throw CutOffFrame(place, fmt::format("{} ({})", what, kCutOffRemedy));
  }

  struct Wrong {
    SourcePlace place;
    std::string what;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  TextStream stream_;
  std::string header_;  ///< the file up to the atoms
  std::string items_;   ///< the same with the items of the loop alone
  std::size_t n_items_ = 0, model_ = kNone, id_ = kNone;
  std::optional<UnitSystem> given_;
  std::optional<UnitSystem> units_;   ///< nullopt: not dropmd's file
  std::optional<std::string> title_;  ///< of the file, once a frame was read
  AtomLine atom_;                     ///< the first of the next frame
  bool has_atom_ = false;
  std::optional<Wrong> wrong_;
  bool is_cut_ = false;  ///< whether the file ends within a line, or after a frame's comment
  std::size_t n_frames_ = 0;
  std::vector<std::string_view> values_;
};

}  // namespace

std::unique_ptr<TrajectoryReader> open_cif_frames(const std::filesystem::path& path, std::optional<UnitSystem> units) {
  auto frames = std::make_unique<CifFrames>(path, units);
  if (frames->has_atom_lines()) return frames;
  return open_single_frame(path);
}

}  // namespace dropmd
