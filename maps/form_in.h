#pragma once

namespace dropmd {

/// The same form for another scalar type.
template <class Form, class Real>
struct FormIn;
template <template <class> class Form, class From, class Real>
struct FormIn<Form<From>, Real> {
  using type = Form<Real>;
};

}  // namespace dropmd
