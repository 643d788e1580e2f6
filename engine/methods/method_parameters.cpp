#include "engine/methods/method_parameters.h"

#include <algorithm>
#include <string>

#include "core/errors.h"
#include "engine/device/device_run.h"
#include "forces/pair/pair_search.h"

namespace dropmd {

namespace {

/// Edges that are tried, as shares of cutoff and skin: with fewer atoms in a cell more pairs are ruled out, and more
/// cells are met. Sorted cells need one at least, and on a GPU less than two.
constexpr double kShares[] = {1.0, 1.0 / 2, 1.0 / 3}, kSortedShares[] = {1.0, 1.25};

/// Without repeating the one that is first.
template <class Values, class Value>
void append_others(std::vector<Value>& list, const Values& values) {
  std::copy_if(std::begin(values), std::end(values), std::back_inserter(list),
               [first = list.front()](const Value& value) { return value != first; });
}

/// Of the rule first; empty: the method has no cells whose edge is open.
std::vector<double> cell_shares(const Method& method, const PairModel& model) {
  const bool sorted = method.neighbor == NeighborMethod::sorted_cells;
  if (!sorted && method.neighbor != NeighborMethod::cells) return {};
  if (method.backend == Backend::cuda) {
    std::vector<double> shares{cell_share_of(model, {method.neighbor, method.skin})};
    sorted ? append_others(shares, kSortedShares) : append_others(shares, kShares);
    return shares;
  }
  if (sorted) return {};
  std::vector<double> shares{usual_cell_share(model)};
  append_others(shares, kShares);
  std::erase_if(shares, [longest = longest_cell_share(model)](double share) { return share > longest; });
  return shares;
}

/// Of the rule first; empty: the method has no list on a GPU.
std::vector<ListForm> list_forms(const Method& method, const System& system, const RunSettings& config) {
  if (method.backend != Backend::cuda || method.neighbor != NeighborMethod::pair_list) return {};
  std::vector<ListForm> forms{ListForm::clusters};
  if (DeviceRun::may_stay(system, config, method)) forms.insert(forms.begin(), ListForm::resident);
  if (twins_suit(system.model, method.precision)) {
    const bool usual =
        is_by_twins({method.neighbor, method.skin}, system.model, method.precision, system.particles.size());
    forms.insert(usual ? forms.begin() : forms.end(), ListForm::twins);
  }
  return forms;
}

}  // namespace

std::vector<Method> with_each_parameter(const Method& method, const System& system, const RunSettings& config) {
  std::vector<Method> methods;
  const auto add = [&](double cell_share, ListForm list_form) {
    methods.push_back(method);
    methods.back().cell_share = cell_share;
    methods.back().list_form = list_form;
  };
  for (const double share : cell_shares(method, system.model)) add(share, ListForm::automatic);
  for (const ListForm form : list_forms(method, system, config)) add(0, form);
  if (methods.empty()) add(0, ListForm::automatic);
  return methods;
}

ListForm list_form_of(const System& system, const RunSettings& config, const Method& method) {
  const std::vector<ListForm> forms = list_forms(method, system, config);
  if (forms.empty()) return ListForm::automatic;
  if (method.list_form == ListForm::automatic) return forms.front();
  if (std::find(forms.begin(), forms.end(), method.list_form) == forms.end())
    throw InputError("pair lists of the form '" + std::string(word_of(method.list_form)) + "' do not suit this run");
  return method.list_form;
}

}  // namespace dropmd
