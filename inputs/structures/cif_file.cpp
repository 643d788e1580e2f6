#include "inputs/structures/cif_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "inputs/line_reader.h"
#include "inputs/structures/cif_tokens.h"
#include "inputs/structures/element_species.h"
#include "inputs/structures/molecule_files.h"
#include "inputs/structures/species_index.h"
#include "inputs/whole_number.h"

namespace dropmd {
namespace {

using Kind = CifToken::Kind;

constexpr std::string_view kAtoms = "_atom_site.";

/// The items of _atom_site that are read; of two that mean the same, the first one counts if the file gives it.
enum Item : std::size_t {
  x,
  y,
  z,
  symbol,
  name,
  label_name,
  residue,
  label_residue,
  number,
  label_number,
  alternate,
  model
};
constexpr std::array<std::string_view, 12> kItems = {
    "Cartn_x",      "Cartn_y",       "Cartn_z",     "type_symbol",  "auth_atom_id", "label_atom_id",
    "auth_comp_id", "label_comp_id", "auth_seq_id", "label_seq_id", "label_alt_id", "pdbx_PDB_model_num",
};

/// Item names are case-insensitive.
bool same_word(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char s, char t) { return small(s) == small(t); });
}

bool is_of(const CifToken& tag, std::string_view category) {
  return same_word(tag.text.substr(0, category.size()), category);
}

/// Collects what is read, item by item.
class CifReading {
 public:
  CifReading(const TextSource& source, CifGap gap)
      : tokens_(source, gap), structure_(empty_molecule_structure(source)), species_(structure_) {}

  Structure read() {
    if (tokens_.current().kind != Kind::block)
      fail(tokens_.current(),
           fmt::format("{} at the start (an mmCIF file begins with data_NAME)", in_quotes(tokens_.current().text)));
    while (tokens_.current().kind != Kind::end) read_item();
    if (structure_.position.empty())
      fail(tokens_.current(),
           has_fractions_
               ? "the atoms have fractional coordinates of a crystal's cell (give _atom_site.Cartn_x, _y and _z, in A)"
               : "the file has no atoms (expected: the category _atom_site)");
    structure_.first_atom_line = structure_.atom_line.front();
    return std::move(structure_);
  }

 private:
  [[noreturn]] void fail(const CifToken& token, const std::string& message) const {
    throw InputError(tokens_.place(token), message);
  }

  void read_item() {
    const CifToken token = tokens_.current();
    tokens_.advance();
    if (token.kind == Kind::loop)
      read_loop(token);
    else if (token.kind == Kind::tag)
      read_single(token);
    else if (token.kind == Kind::value)
      fail(token, fmt::format("the value {} belongs to no item (expected: _category.item VALUE, or loop_)",
                              in_quotes(token.text)));
    else if (token.kind == Kind::block && !structure_.position.empty())
      skip_to_end(token);
  }

  void skip_to_end(const CifToken& block) {
    structure_.warnings.push_back(
        fmt::format("{}: the first block with atoms is read, what follows is not", tokens_.place(block).text()));
    while (tokens_.current().kind != Kind::end) tokens_.advance();
  }

  CifToken value_of(const CifToken& tag) {
    const CifToken value = tokens_.current();
    if (value.kind != Kind::value) fail(value, fmt::format("the item {} has no value", shown(tag.text)));
    tokens_.advance();
    return value;
  }

  void read_single(const CifToken& tag) {
    const CifToken value = value_of(tag);
    if (is_of(tag, kAtoms)) {
      // A structure of one atom needs no loop.
      single_tags_.push_back(tag);
      single_values_.push_back(value);
      const CifToken& next = tokens_.current();
      if (next.kind != Kind::tag || !is_of(next, kAtoms)) {
        set_columns(single_tags_);
        add_atom(single_values_);
        single_tags_.clear();
        single_values_.clear();
      }
    } else if (same_word(tag.text, "_struct.title") && !value.is_missing() && structure_.title.empty()) {
      structure_.title = trimmed(value.text);
      std::replace_if(
          structure_.title.begin(), structure_.title.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    } else if (same_word(tag.text, "_cell.length_a") && !value.is_missing()) {
      // Programs write a cell of 1 A where there is none.
      if (const double edge = number_of(value, "_cell.length_a"); edge != 0 && edge != 1 && !has_cell_) {
        has_cell_ = true;
        structure_.warnings.push_back(box_warning(tokens_.place(tag), "unit cell"));
      }
    }
  }

  void read_loop(const CifToken& loop) {
    std::vector<CifToken> tags;
    for (; tokens_.current().kind == Kind::tag; tokens_.advance()) tags.push_back(tokens_.current());
    if (tags.empty()) fail(loop, "loop_ without items (names such as _atom_site.id must follow it)");
    const bool has_atoms = is_of(tags.front(), kAtoms);
    if (is_of(tags.front(), "_atom_site_fract") || is_of(tags.front(), "_atom_site_label")) has_fractions_ = true;
    if (has_atoms) set_columns(tags);
    std::vector<CifToken> row;
    while (tokens_.current().kind == Kind::value) {
      row.push_back(tokens_.current());
      tokens_.advance();
      if (row.size() < tags.size()) continue;
      if (has_atoms) add_atom(row);
      row.clear();
    }
    if (!row.empty())
      fail(tokens_.current(),
           fmt::format("the last row of the loop at line {} has {} of {} values", loop.line, row.size(), tags.size()));
  }

  void set_columns(const std::vector<CifToken>& tags) {
    columns_.fill(std::nullopt);
    for (std::size_t column = 0; column < tags.size(); ++column)
      for (std::size_t item = 0; item < kItems.size(); ++item)
        if (is_of(tags[column], kAtoms) && same_word(tags[column].text.substr(kAtoms.size()), kItems[item])) {
          if (columns_[item]) fail(tags[column], fmt::format("{} is given twice", shown(tags[column].text)));
          columns_[item] = column;
        }
    for (const Item item : {x, y, z})
      if (!columns_[item])
        fail(tags.front(), fmt::format("the atoms have no {}{} (give it in A)", kAtoms, kItems[item]));
    if (!columns_[name] && !columns_[label_name])
      fail(tags.front(), fmt::format("the atoms have no names (give the item {}label_atom_id)", kAtoms));
  }

  /// The value of an item in a row; nullptr: the file does not give it.
  const CifToken* find(const std::vector<CifToken>& row, Item item) const {
    const std::optional<std::size_t> column = columns_[item];
    return column && !row[*column].is_missing() ? &row[*column] : nullptr;
  }
  const CifToken* find(const std::vector<CifToken>& row, Item first, Item second) const {
    const CifToken* const found = find(row, first);
    return found != nullptr ? found : find(row, second);
  }

  /// A number, without its standard uncertainty in parentheses.
  double number_of(const CifToken& token, std::string_view what) const {
    std::string_view text = token.text;
    if (const std::size_t open = text.find('('); open != std::string_view::npos && open > 0 && text.ends_with(')'))
      text = text.substr(0, open);
    return parse_number(text, tokens_.place(token), what);
  }

  std::int32_t residue_number_of(const CifToken* token) const {
    if (token == nullptr) return 0;
    const auto value = whole_number<std::int32_t>(token->text);
    if (!value) fail(*token, fmt::format("the residue number is {}, not a whole number", in_quotes(token->text)));
    return *value;
  }

  bool is_of_first_model(const std::vector<CifToken>& row) {
    const CifToken* const token = find(row, model);
    const std::string_view text = token != nullptr ? token->text : std::string_view{};
    if (structure_.position.empty()) first_model_ = text;
    if (text == first_model_) return true;
    if (!has_further_)
      structure_.warnings.push_back(
          fmt::format("{}: the first model is read, other models are not", tokens_.place(row.front()).text()));
    has_further_ = true;
    return false;
  }

  void add_atom(const std::vector<CifToken>& row) {
    if (!is_of_first_model(row)) return;
    const std::size_t n = structure_.position.size() + 1;
    const CifToken* const atom = find(row, name, label_name);
    if (atom == nullptr) fail(row.front(), fmt::format("atom {} has no name ({}label_atom_id)", n, kAtoms));
    if (const CifToken* const location = find(row, alternate))
      fail(*location,
           fmt::format("atom {}, {}, has the alternate location {} (keep one location of each atom, with . for "
                       "label_alt_id)",
                       n, shown(atom->text), in_quotes(location->text)));
    const auto component = [&](Item item) { return number_of(row[*columns_[item]], kItems[item]); };
    const Vec3<double> position{component(x), component(y), component(z)};
    structure_.position.push_back(position);
    structure_.atom_name.emplace_back(atom->text);
    const CifToken* const residue_name = find(row, residue, label_residue);
    structure_.residue_name.emplace_back(residue_name != nullptr ? residue_name->text : std::string_view{});
    structure_.residue_number.push_back(residue_number_of(find(row, number, label_number)));
    structure_.atom_line.push_back(static_cast<std::uint32_t>(row.front().line));
    const CifToken* const element = find(row, symbol);
    species_.add_atom(element_species(element != nullptr ? element->text : std::string_view{}, atom->text));
  }

  CifTokens tokens_;
  Structure structure_;
  SpeciesIndex species_;
  std::array<std::optional<std::size_t>, kItems.size()> columns_;
  std::vector<CifToken> single_tags_, single_values_;
  std::string_view first_model_;
  bool has_further_ = false;
  bool has_fractions_ = false;
  bool has_cell_ = false;
};

}  // namespace

Structure read_cif_file(const std::filesystem::path& path) {
  const TextSource source = read_text_source(path, "an mmCIF file");
  return read_cif_text(source);
}

Structure read_cif_text(const TextSource& source, CifGap gap) { return CifReading(source, gap).read(); }

}  // namespace dropmd
