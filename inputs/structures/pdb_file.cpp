#include "inputs/structures/pdb_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "inputs/line_reader.h"
#include "inputs/nearest_word.h"
#include "inputs/structures/element_species.h"
#include "inputs/structures/fixed_columns.h"
#include "inputs/structures/molecule_files.h"
#include "inputs/structures/species_index.h"
#include "inputs/whole_number.h"

namespace dropmd {
namespace {

/// Columns of a record, from 0, and their number.
struct Columns {
  std::size_t begin, width;
};
constexpr Columns kRecord{0, 6}, kAtomName{12, 4}, kAlternate{16, 1}, kResidueName{17, 4}, kResidueNumber{22, 4},
    kElement{76, 2}, kTitle{10, 70}, kCellEdge{6, 9};
constexpr std::array kPosition = {Columns{30, 8}, Columns{38, 8}, Columns{46, 8}};

Word word_in(const LineReader& lines, const Columns& columns) {
  return word_in_columns(lines, columns.begin, columns.width);
}

/// Returns a number of four digits, a number in hybrid-36 notation (A000 is 10000, a000 follows ZZZZ), or 0 for blanks;
/// nullopt: neither.
std::optional<std::int32_t> residue_number_of(std::string_view text) {
  if (text.empty()) return 0;
  if (const auto number = whole_number<std::int32_t>(text)) return number;
  const bool is_upper = text.front() >= 'A' && text.front() <= 'Z',
             is_lower = text.front() >= 'a' && text.front() <= 'z';
  if (text.size() != kResidueNumber.width || (!is_upper && !is_lower)) return std::nullopt;
  const auto value = whole_number<std::int32_t>(text, 36);
  if (!value) return std::nullopt;
  constexpr std::int32_t kDecimal = 10000, kFirst = 10 * 36 * 36 * 36, kLetters = 26 * 36 * 36 * 36;
  return *value - kFirst + kDecimal + (is_lower ? kLetters : 0);
}

/// Fills a structure from the records of a file.
class PdbRecords {
 public:
  explicit PdbRecords(Structure& structure) : structure_(structure), species_(structure) {}

  void read(const LineReader& lines) {
    const std::string record = pdb_record_name(lines.line());
    if (record == "ATOM" || record == "HETATM") {
      read_atom_record(lines);
    } else if (record == "MODEL" || record == "ENDMDL" || record == "END") {
      is_past_first_ = !structure_.position.empty();
    } else if (record == "TITLE" && !is_past_first_) {
      const Word title = word_in(lines, kTitle);
      if (!structure_.title.empty() && title) structure_.title += ' ';
      structure_.title += title.text;
    } else if (record == "CRYST1") {
      read_box(lines);
    } else {
      require_known(lines, record);
    }
  }

  void finish(const LineReader& lines) {
    if (structure_.position.empty())
      throw InputError(lines.end_place(), "the file has no atoms (expected: ATOM or HETATM records)");
  }

 private:
  void read_atom_record(const LineReader& lines) {
    if (is_past_first_) {
      if (!has_further_)
        structure_.warnings.push_back(
            fmt::format("{}: the first model is read, what follows is not", lines.place().text()));
      has_further_ = true;
      return;
    }
    const std::size_t number = structure_.position.size() + 1;
    const Word name = word_in(lines, kAtomName);
    if (!name) throw InputError(lines.place(name), fmt::format("atom {} has no name (columns 13 to 16)", number));
    if (const Word alternate = word_in(lines, kAlternate))
      throw InputError(lines.place(alternate),
                       fmt::format("atom {}, {}, has the alternate location {} (keep one location of each atom and "
                                   "clear column 17)",
                                   number, shown(name.text), in_quotes(alternate.text)));
    const Word residue = word_in(lines, kResidueNumber);
    const std::optional<std::int32_t> residue_number = residue_number_of(residue.text);
    if (!residue_number)
      throw InputError(
          lines.place(residue),
          fmt::format("the residue number is {}, not a whole number (columns 23 to 26)", in_quotes(residue.text)));
    structure_.position.push_back(read_position(lines, number));
    structure_.atom_name.emplace_back(name.text);
    structure_.residue_name.emplace_back(word_in(lines, kResidueName).text);
    structure_.residue_number.push_back(*residue_number);
    structure_.atom_line.push_back(static_cast<std::uint32_t>(lines.line_number()));
    species_.add_atom(element_species(word_in(lines, kElement).text, name.text));
  }

  static Vec3<double> read_position(const LineReader& lines, std::size_t number) {
    const auto component = [&](std::size_t k, std::string_view name) {
      const Word word = word_in(lines, kPosition[k]);
      if (!word)
        throw InputError(lines.place(word),
                         fmt::format("atom {} has no {} (columns {} to {})", number, name, kPosition[k].begin + 1,
                                     kPosition[k].begin + kPosition[k].width));
      return parse_number(lines, word, name);
    };
    const double x = component(0, "x"), y = component(1, "y"), z = component(2, "z");
    return {x, y, z};
  }

  /// Programs write a cell of 0 or 1 Å where there is none.
  void read_box(const LineReader& lines) {
    const Word edge = word_in(lines, kCellEdge);
    if (!edge || parse_number(lines, edge, "the edge of the box") <= 1) return;
    if (!has_box_) structure_.warnings.push_back(box_warning(lines.place()));
    has_box_ = true;
  }

  /// A misspelt ATOM would mean one atom fewer.
  static void require_known(const LineReader& lines, std::string_view record) {
    if (const auto meant = nearest_word(record, {"ATOM", "HETATM"}))
      throw InputError(lines.place(), fmt::format("unknown record {} (did you mean {}?)", in_quotes(record), *meant));
  }

  Structure& structure_;
  SpeciesIndex species_;
  bool is_past_first_ = false;
  bool has_further_ = false;
  bool has_box_ = false;
};

}  // namespace

std::string pdb_record_name(std::string_view line) {
  std::string record(trimmed(line.substr(0, std::min(line.find('\n'), kRecord.width))));
  std::transform(record.begin(), record.end(), record.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return record;
}

Structure read_pdb_file(const std::filesystem::path& path) {
  const TextSource source = read_text_source(path, "a PDB file");
  LineReader lines(source);
  return read_pdb_model(lines, source);
}

Structure read_pdb_model(LineReader& lines, const TextSource& source) {
  Structure structure = empty_molecule_structure(source);
  PdbRecords records(structure);
  while (lines.next_line()) records.read(lines);
  records.finish(lines);
  structure.first_atom_line = structure.atom_line.front();
  return structure;
}

}  // namespace dropmd
