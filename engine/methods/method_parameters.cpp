#include "engine/methods/method_parameters.h"

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "engine/device/device_run.h"
#include "engine/methods/catalogue.h"

namespace dropmd {

std::vector<Method> with_each_parameter(const Method& method, const System& system, const RunSettings& config) {
  std::vector<Method> methods;
  for (const MethodParameters& parameters : record_of(method).parameters({system, config, method})) {
    methods.push_back(method);
    methods.back().cell_share = parameters.cell_share;
    methods.back().list_form = parameters.list_form;
  }
  return methods;
}

ListForm list_form_of(const System& system, const RunSettings& config, const Method& method) {
  const std::vector<MethodParameters> all = record_of(method).parameters({system, config, method});
  const ListForm usual = all.front().list_form;
  if (usual == ListForm::automatic || method.list_form == ListForm::automatic) return usual;
  if (std::none_of(all.begin(), all.end(), [&](const auto& each) { return each.list_form == method.list_form; }))
    throw InputError("pair lists of the form '" + std::string(word_of(method.list_form)) + "' do not suit this run");
  return method.list_form;
}

bool is_persistent(const System& system, const RunSettings& config, const Method& method) {
  const ListForm form = list_form_of(system, config, method);
  return form == ListForm::automatic ? DeviceRun::may_be_persistent(system, config, method)
                                     : form == ListForm::persistent;
}

}  // namespace dropmd
