#include "core/form.h"

#include <gtest/gtest.h>

#include <set>

#include "core/form_list.h"
#include "engine/catalog.h"

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

/// Words, keys and summaries are an interface: each there, each once.
TEST(FormCatalog, WhatThisBuildOffers) {
  const auto words = [](const FormList& forms) {
    std::vector<std::string> names;
    for (const FormInfo& form : forms) names.emplace_back(form.name);
    return names;
  };
  const FormCatalog catalog = form_catalog();
  using Words = std::vector<std::string>;
  EXPECT_EQ(words(catalog.lennard_jones), (Words{"none", "cut", "shift", "force-shift", "switch"}));
  EXPECT_EQ(words(catalog.coulomb), (Words{"exact", "cut", "shift", "smoothed", "reaction-field", "dsf"}));
  EXPECT_EQ(words(catalog.wall), (Words{"harmonic", "quartic"}));
  for (const char* form : {"velocity-verlet", "langevin", "csvr", "descent", "fire"})
    EXPECT_NE(find_form(catalog.integrator, form), nullptr);
  EXPECT_EQ(find_form(catalog.coulomb, "ewald"), nullptr);
  for (const FormList& forms : {catalog.lennard_jones, catalog.coulomb, catalog.wall, catalog.integrator})
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

}  // namespace
}  // namespace dropmd
