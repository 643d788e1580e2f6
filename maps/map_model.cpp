#include "maps/map_model.h"

#include "core/errors.h"
#include "maps/map_forms.h"

namespace dropmd {

FormList map_forms() { return form_list<MapForms<double>>(); }

void require_map_model(const MapModel& model) {
  const FormList forms = map_forms();
  if (find_form(forms, model.coulomb.form) == nullptr) {
    std::string known;
    for (const FormInfo& form : forms) known += (known.empty() ? "" : ", ") + std::string(form.name);
    throw InputError("a potential map has no form '" + model.coulomb.form + "' (use one of: " + known + ")");
  }
  if (!(model.nearest > 0)) throw InputError("the smallest distance of a potential map is not positive");
  // Fields of a charge at this distance, q/r², are within the range of fp32.
  constexpr double kLeast = 1e-15;
  if (model.nearest < kLeast) throw InputError("the smallest distance of a potential map is below 1e-15");
  if (model.coulomb.has("cutoff") && !(model.nearest < model.coulomb.at("cutoff")))
    throw InputError("the smallest distance of a potential map is not below its cutoff");
  if (model.mesh && model.coulomb.form != "exact")
    throw InputError("a map computed by a mesh is untruncated (use the form exact)");
}

}  // namespace dropmd
