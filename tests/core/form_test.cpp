#include "core/forms/form.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "core/forms/form_list.h"
#include "engine/model/form_catalog.h"
#include "outputs/trajectories/trajectory_file.h"

namespace dropmd {
namespace {

TEST(FormChoice, ValuesByKey) {
  const FormChoice choice{"cut", {{"cutoff", 2.5}}};
  EXPECT_TRUE(choice.has("cutoff"));
  EXPECT_FALSE(choice.has("damping"));
  EXPECT_EQ(choice.at("cutoff"), 2.5);
  EXPECT_EQ(choice.value_or("damping", 7), 7);
  EXPECT_THROW(choice.at("damping"), std::out_of_range);
}

struct One {
  static FormInfo form() { return {"one", {}, ""}; }
};
struct TwoAndThree {
  static FormList forms() { return {{"two", {}, ""}, {"three", {}, ""}}; }
};
using Both = std::tuple<One, TwoAndThree>;

TEST(FormList, KeepsTheOrderOfTheTypes) {
  const FormList forms = form_list<Both>();
  ASSERT_EQ(forms.size(), 3U);
  EXPECT_EQ(forms[0].name, "one");
  EXPECT_EQ(forms[1].name, "two");
  EXPECT_EQ(forms[2].name, "three");
}

TEST(FormList, FindsTheTypeThatOffersTheForm) {
  int which = 0;
  const auto use = [&]<class Form>(std::type_identity<Form>) { which += std::is_same_v<Form, One> ? 1 : 10; };
  with_form<Both>({"three"}, use);
  EXPECT_EQ(which, 10);
  with_form<Both>({"one"}, use);
  EXPECT_EQ(which, 11);
  EXPECT_THROW(with_form<Both>({"four"}, use), std::invalid_argument);
}

/// Words, keys and summaries are an interface: each must be present and unique.
TEST(FormCatalog, WhatThisBuildOffers) {
  const auto words = [](const FormList& forms) {
    std::vector<std::string> names;
    for (const FormInfo& form : forms) names.emplace_back(form.name);
    return names;
  };
  const FormCatalog catalog = form_catalog();
  using Words = std::vector<std::string>;
  EXPECT_EQ(words(catalog.lennard_jones), (Words{"none", "cut", "shift", "force-shift", "switch"}));
  EXPECT_EQ(words(catalog.born_mayer), (Words{"none", "cut", "shift", "force-shift"}));
  EXPECT_EQ(words(catalog.coulomb), (Words{"exact", "cut", "shift", "smoothed", "reaction-field", "dsf"}));
  EXPECT_EQ(words(fields_of(catalog, "wall")), (Words{"harmonic", "quartic"}));
  for (const char* form : {"velocity-verlet", "langevin", "csvr", "descent", "fire"})
    EXPECT_NE(find_form(catalog.integrator, form), nullptr);
  EXPECT_EQ(find_form(catalog.coulomb, "ewald"), nullptr);
  EXPECT_EQ(catalog.written_maps, (std::vector<std::string_view>{".dx", ".cube", ".mrc", ".ccp4", ".map", ".vti"}));
  EXPECT_EQ(catalog.written_structures, (std::vector<std::string_view>{".drop", ".xyz", ".gro"}));
  EXPECT_EQ(catalog.trajectories, trajectory_extensions());
  for (const FormList& forms :
       {catalog.lennard_jones, catalog.born_mayer, catalog.coulomb, fields_of(catalog, "wall"), catalog.integrator})
    for (const FormInfo& form : forms) {
      EXPECT_FALSE(form.summary.empty()) << form.name;
      std::set<std::string_view> keys;
      for (const FormKey& key : form.keys) {
        EXPECT_TRUE(keys.insert(key.name).second) << form.name << " has " << key.name << " twice";
        EXPECT_FALSE(key.unit.empty());
        EXPECT_TRUE(key.required || key.default_real || !key.note.empty()) << form.name << ": " << key.name;
        EXPECT_EQ(key.default_real.has_value(), key.default_lj.has_value());
      }
    }
}

std::string text_of(std::optional<double> value) {
  std::ostringstream text;
  if (value)
    text << *value;
  else
    text << "none";
  return text.str();
}

/// "form.key: unit, range, whether it may be left out, defaults in units real and lj" of every key.
std::vector<std::string> keys_of(const FormList& forms) {
  std::vector<std::string> texts;
  for (const FormInfo& form : forms)
    for (const FormKey& key : form.keys) {
      std::ostringstream text;
      text << form.name << '.' << key.name << ": " << key.unit << ", "
           << (key.range == Range::positive       ? "> 0"
               : key.range == Range::not_negative ? ">= 0"
                                                  : "any")
           << (key.infinity_allowed ? " or inf" : "") << (key.required ? ", required" : ", optional") << ", "
           << text_of(key.default_in(UnitSystem::real)) << " | " << text_of(key.default_in(UnitSystem::lj));
      texts.push_back(text.str());
    }
  return texts;
}

/// What users may leave out, what they may write and which defaults they get: the tables of docs/file-formats.md.
TEST(FormCatalog, KeysAndDefaults) {
  const FormCatalog catalog = form_catalog();
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys_of(catalog.lennard_jones),
            (Keys{"cut.cutoff: length, > 0, required, none | none", "shift.cutoff: length, > 0, required, none | none",
                  "force-shift.cutoff: length, > 0, required, none | none",
                  "switch.cutoff: length, > 0, required, none | none",
                  "switch.switch-from: length, > 0, required, none | none"}));
  EXPECT_EQ(keys_of(catalog.born_mayer),
            (Keys{"cut.cutoff: length, > 0, required, none | none", "shift.cutoff: length, > 0, required, none | none",
                  "force-shift.cutoff: length, > 0, required, none | none"}));
  EXPECT_EQ(
      keys_of(catalog.coulomb),
      (Keys{"cut.cutoff: length, > 0, required, none | none", "shift.cutoff: length, > 0, required, none | none",
            "smoothed.cutoff: length, > 0, required, none | none",
            "reaction-field.cutoff: length, > 0, required, none | none",
            "reaction-field.dielectric: 1, > 0 or inf, optional, 1 | 1",
            "dsf.cutoff: length, > 0, required, none | none", "dsf.damping: 1/length, >= 0, required, none | none"}));
  EXPECT_EQ(keys_of(fields_of(catalog, "wall")),
            (Keys{"harmonic.radius: length, > 0, optional, none | none",
                  "harmonic.stiffness: energy/length^2, > 0, optional, 1 | 1",
                  "quartic.radius: length, > 0, optional, none | none",
                  "quartic.stiffness: energy/length^3, > 0, optional, 0.01 | 0.01"}));
  EXPECT_EQ(keys_of(fields_of(catalog, "field")),
            (Keys{"uniform.strength: V/A; lj: energy/charge/length, any, required, none | none",
                  "uniform.frequency: 1/time, >= 0, optional, 0 | 0"}));
  EXPECT_EQ(keys_of(catalog.integrator), (Keys{"velocity-verlet.timestep: time, > 0, optional, 1 | 0.005",
                                               "langevin.timestep: time, > 0, optional, 1 | 0.005",
                                               "langevin.temperature: temperature, >= 0, required, none | none",
                                               "langevin.friction: 1/time, >= 0, optional, 0.001 | 0.2",
                                               "csvr.timestep: time, > 0, optional, 1 | 0.005",
                                               "csvr.temperature: temperature, >= 0, required, none | none",
                                               "csvr.relaxation: time, > 0 or inf, optional, 100 | 0.5",
                                               "descent.factor: length^2/energy, > 0, optional, 0.01 | 0.01",
                                               "fire.timestep: time, > 0, optional, 1 | 0.005",
                                               "fire.force-tolerance: energy/length, > 0, optional, 1e-06 | 1e-06"}));
}

}  // namespace
}  // namespace dropmd
