#include <fmt/core.h>

#include "inputs/topologies/gromacs/force_field/force_field_sections.h"

namespace dropmd::gromacs {
namespace {

Parameters read_required_parameters(WordReader& words, const InteractionFunction& function, const TextPlace& place) {
  auto parameters = read_parameters(words, function);
  if (!parameters && function.n_parameters > 0)
    words.fail(words.peek(),
               fmt::format("the parameters of function {} are missing ({})", function.number, function.columns));
  if (!parameters) parameters.emplace();
  parameters->place = place;
  return *parameters;
}

Directive interactions_of(Directive section) {
  if (section == Directive::bondtypes) return Directive::bonds;
  return section == Directive::constrainttypes ? Directive::constraints : Directive::angles;
}

/// Whether a line of [ dihedraltypes ] has two types: then the third column is the function's number.
bool has_two_types(const TopologyLine& line) {
  const std::string_view third = line.word(2).text, fifth = line.word(4).text;
  const auto is_digit = [](std::string_view text) {
    return text.size() == 1 && text.front() >= '0' && text.front() <= '9';
  };
  return is_digit(third) || (is_integer(third) && !is_integer(fifth));
}

}  // namespace

void read_bonded_type_line(const TopologyLine& line, Directive section, ForceField& field, WarningList& warnings) {
  const bool is_angle = section == Directive::angletypes;
  WordReader words(line, is_angle ? "i j k func parameters" : "i j func parameters");
  const TextPlace place = words.peek().place;
  std::array<std::uint32_t, 3> types{};
  const std::size_t n_types = is_angle ? 3 : 2;
  for (std::size_t k = 0; k < n_types; ++k) types[k] = read_bonded_type(words, field);
  const InteractionFunction* const function = read_type_function(words, interactions_of(section));
  if (function == nullptr) return;
  const Parameters parameters = read_required_parameters(words, *function, place);
  field.bonded[function].add(std::span(types).first(n_types), parameters, warnings);
}

void read_dihedral_type_line(const TopologyLine& line, ForceField& field, WarningList& warnings) {
  const bool is_short = has_two_types(line);
  WordReader words(line, is_short ? "j k func parameters" : "i j k l func parameters");
  const TextPlace place = words.peek().place;
  DihedralTypeTable::Types types{};
  for (std::size_t k = 0; k < (is_short ? 2 : 4); ++k) {
    if (words.peek().text == "X") {
      words.word("a bonded type");
      types[k] = kAnyType;
    } else {
      types[k] = read_bonded_type(words, field);
    }
  }
  const InteractionFunction* const function = read_type_function(words, Directive::dihedrals);
  if (function == nullptr) return;
  if (is_short && function->number == 2)
    types = {types[0], kAnyType, kAnyType, types[1]};
  else if (is_short)
    types = {kAnyType, types[0], types[1], kAnyType};
  const Parameters parameters = read_required_parameters(words, *function, place);
  field.dihedrals[dihedral_table_of(*function)].add(types, parameters, function->number == 9, line.sources(), warnings);
}

}  // namespace dropmd::gromacs
