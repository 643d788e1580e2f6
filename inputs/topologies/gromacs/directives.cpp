#include "inputs/topologies/gromacs/directives.h"

#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "inputs/line_reader.h"
#include "inputs/nearest_word.h"
#include "inputs/text_source.h"

namespace dropmd::gromacs {
namespace {

/// A section, and the sections of which at least one must come before it.
struct DirectiveRule {
  std::string_view name;
  std::vector<Directive> needs;
};

const std::array<DirectiveRule, kDirectives>& rules() {
  using enum Directive;
  static const std::array<DirectiveRule, kDirectives> all = {{
      {"defaults", {}},
      {"atomtypes", {defaults}},
      {"bondtypes", {atomtypes}},
      {"constrainttypes", {atomtypes}},
      {"pairtypes", {atomtypes}},
      {"angletypes", {atomtypes}},
      {"dihedraltypes", {atomtypes}},
      {"nonbond_params", {atomtypes}},
      {"implicit_genborn_params", {atomtypes}},
      {"implicit_surface_params", {atomtypes}},
      {"cmaptypes", {atomtypes}},
      {"moleculetype", {atomtypes}},
      {"atoms", {moleculetype}},
      {"virtual_sites1", {atoms}},
      {"virtual_sites2", {atoms}},
      {"virtual_sites3", {atoms}},
      {"virtual_sites4", {atoms}},
      {"virtual_sitesn", {atoms}},
      {"bonds", {atoms}},
      {"exclusions", {bonds, constraints, settles}},
      {"pairs", {atoms}},
      {"pairs_nb", {atoms}},
      {"angles", {atoms}},
      {"dihedrals", {atoms}},
      {"constraints", {atoms}},
      {"settles", {atoms}},
      {"polarization", {atoms}},
      {"water_polarization", {atoms}},
      {"thole_polarization", {atoms}},
      {"system", {moleculetype}},
      {"molecules", {system}},
      {"position_restraints", {atoms}},
      {"angle_restraints", {atoms}},
      {"angle_restraints_z", {atoms}},
      {"distance_restraints", {atoms}},
      {"orientation_restraints", {atoms}},
      {"dihedral_restraints", {atoms}},
      {"cmap", {atoms}},
      {"intermolecular_interactions", {molecules}},
  }};
  return all;
}

/// The letters and digits of a name, in lower case; "dummies" of old topologies are virtual sites.
std::string plain_name(std::string_view name) {
  constexpr std::string_view kOldName = "dummies";
  std::string plain;
  for (const char c : name)
    if (c != '-' && c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (plain.starts_with(kOldName)) plain.replace(0, kOldName.size(), "virtualsites");
  return plain;
}

std::optional<Directive> directive_named(std::string_view name) {
  const std::string plain = plain_name(name);
  for (std::size_t k = 0; k < kDirectives; ++k)
    if (plain == plain_name(rules()[k].name)) return static_cast<Directive>(k);
  return std::nullopt;
}

std::string unknown_name_hint(std::string_view name) {
  std::vector<std::string_view> names;
  for (const DirectiveRule& rule : rules()) names.push_back(rule.name);
  if (const auto nearest = nearest_word(name, names)) return fmt::format("(did you mean '{}'?)", *nearest);
  return "(expected: a section of GROMACS, such as [ atoms ])";
}

}  // namespace

std::string_view name_of(Directive directive) { return rules()[static_cast<std::size_t>(directive)].name; }

bool is_section_head(const TopologyLine& line) { return line.word(0).text.starts_with('['); }

Directive DirectiveOrder::read(const TopologyLine& line) {
  const TopologyWord first = line.word(0);
  const std::string text = line.text();
  const std::size_t end = text.find(']');
  if (end == std::string::npos) line.sources().fail(first.place, "a section without ] (write [ name ])");
  const std::string_view name = trimmed(std::string_view(text).substr(1, end - 1));
  const std::string_view after = trimmed(std::string_view(text).substr(end + 1));
  if (!after.empty())
    line.sources().fail(first.place, fmt::format("{} after the name of the section [ {} ] (begin a new line)",
                                                 in_quotes(after), shown(name)));
  const auto directive = directive_named(name);
  if (!directive)
    line.sources().fail(first.place, fmt::format("unknown section [ {} ] {}", shown(name), unknown_name_hint(name)));
  check(*directive, line, first.place);
  seen_.set(static_cast<std::size_t>(*directive));
  return *directive;
}

void DirectiveOrder::check(Directive directive, const TopologyLine& line, const TextPlace& place) {
  if (directive < Directive::moleculetype && has_seen(Directive::moleculetype))
    line.sources().fail(
        place,
        fmt::format(
            "[ {} ] after [ moleculetype ] (parameters of the force field must come before the first molecule type)",
            name_of(directive)));
  const std::vector<Directive>& needs = rules()[static_cast<std::size_t>(directive)].needs;
  std::string missing;
  for (const Directive needed : needs) {
    if (has_seen(needed)) return;
    missing += fmt::format("{}[ {} ]", missing.empty() ? "" : " or ", name_of(needed));
  }
  if (!needs.empty())
    line.sources().fail(place,
                        fmt::format("[ {} ] before {} (it must follow that section)", name_of(directive), missing));
}

}  // namespace dropmd::gromacs
