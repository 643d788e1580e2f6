#include <fmt/core.h>

#include "inputs/topologies/openmm/system_reading.h"

namespace dropmd::openmm {

void require_no_parameters(const XmlElement& force) {
  for (const char* const list : {"GlobalParameters", "ParticleOffsets", "ExceptionOffsets", "ComputedValues",
                                 "EnergyParameterDerivatives", "InteractionGroups"})
    if (force.has_items(list))
      force.fail(fmt::format("the {} has {}, on which its energy depends (write the system without them)",
                             shown(force.text("type")), list));
}

std::vector<std::string> parameter_attributes(const XmlElement& force, const char* list,
                                              std::span<const std::string_view> names) {
  const std::vector<XmlElement> parameters = force.items(list, "Parameter");
  if (parameters.size() != names.size())
    force.fail(fmt::format("the {} has {} {}, but its energy contains {}", shown(force.text("type")), parameters.size(),
                           list, names.size()));
  std::vector<std::string> attributes;
  for (const std::string_view name : names) {
    std::size_t at = 0;
    while (at < parameters.size() && parameters[at].text("name") != name) ++at;
    if (at == parameters.size())
      force.fail(
          fmt::format("the {} has no parameter '{}', which its energy contains", shown(force.text("type")), name));
    attributes.push_back(fmt::format("param{}", at + 1));
  }
  return attributes;
}

}  // namespace dropmd::openmm
