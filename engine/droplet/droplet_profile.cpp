#include "engine/droplet/droplet_profile.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "engine/thermometer.h"

namespace dropmd {

namespace {

double width_in(UnitSystem units) {
  constexpr double kAngstrom = 0.5, kSigma = 0.1;
  return units == UnitSystem::real ? kAngstrom : kSigma;
}

}  // namespace

DropletProfile::DropletProfile(std::vector<std::string> names, const Units& units)
    : names_(std::move(names)), units_(units), width_(width_in(units.system)) {}

void DropletProfile::clear(std::size_t n_shells) {
  n_samples_ = 0;
  molecules_.assign(names_.size() * n_shells, 0.0);
  for (std::vector<double>* of : {&kinetic_, &n_dof_, &charge_}) of->assign(n_shells, 0.0);
  for (std::vector<double>* of : {&enclosed_, &beyond_}) of->assign(n_shells + 1, 0.0);
}

void DropletProfile::add(const Sample& sample) {
  constexpr std::size_t kFewestShells = 20;
  if (n_shells() == 0)
    clear(std::max(kFewestShells, static_cast<std::size_t>(std::ceil(2 * sample.droplet_radius / width_))));
  n_samples_ += 1;
  const auto shell_of = [&](double r) {  // n_shells(): outside
    return static_cast<std::size_t>(std::min(r / width_, static_cast<double>(n_shells())));
  };
  for (std::size_t k = 0; k < sample.molecules.size(); ++k) {
    const std::size_t shell = shell_of(norm(sample.centre[k] - sample.droplet_centre));
    if (shell >= n_shells()) continue;
    const auto name = std::find(names_.begin(), names_.end(), sample.molecules.name[k]) - names_.begin();
    if (static_cast<std::size_t>(name) < names_.size())
      molecules_[static_cast<std::size_t>(name) * n_shells() + shell] += 1;
    kinetic_[shell] += sample.kinetic[k];
    n_dof_[shell] += sample.n_dof[k];
  }
  const Particles& p = sample.particles;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.charge[i] == 0) continue;
    const double s = norm(p.position[i] - sample.droplet_centre);
    if (const std::size_t shell = shell_of(s); shell < n_shells()) charge_[shell] += p.charge[i];
    const std::size_t middle = shell_of(s + 0.5 * width_);  // the first sphere that is outside of it
    enclosed_[middle] += p.charge[i];
    if (middle > 0) beyond_[middle] += p.charge[i] / s;
  }
}

std::vector<ProfileRow> DropletProfile::take(std::int64_t step) {
  std::vector<ProfileRow> rows;
  std::vector<double> beyond(n_shells());  // Σ q/s outside of the sphere through the middle of each shell
  double further = 0;
  for (std::size_t shell = n_shells(); shell-- > 0;) {
    further += beyond_[shell + 1];
    beyond[shell] = further;
  }
  double enclosed = 0;
  for (std::size_t shell = 0; shell < n_shells() && n_samples_ > 0; ++shell) {
    const double inner = width_ * static_cast<double>(shell), outer = inner + width_, r = inner + 0.5 * width_;
    const double volume = 4 * std::numbers::pi / 3 * (outer * outer * outer - inner * inner * inner) * n_samples_;
    enclosed += enclosed_[shell];
    ProfileRow row{.step = step, .r = r};
    for (std::size_t name = 0; name < names_.size(); ++name)
      row.density.push_back(molecules_[name * n_shells() + shell] / volume);
    const auto degrees = static_cast<std::size_t>(n_dof_[shell]);
    if (degrees > 0) row.temperature = temperature_of(kinetic_[shell], degrees, units_);
    row.charge_density = charge_[shell] / volume;
    row.potential = units_.coulomb * (enclosed / r + beyond[shell]) / n_samples_;
    rows.push_back(std::move(row));
  }
  clear(n_shells());
  return rows;
}

std::vector<double> DropletProfile::numbers() const {
  if (n_shells() == 0) return {};
  std::vector<double> numbers{n_samples_};
  for (const std::vector<double>* of : {&molecules_, &kinetic_, &n_dof_, &charge_, &enclosed_, &beyond_})
    numbers.insert(numbers.end(), of->begin(), of->end());
  return numbers;
}

void DropletProfile::set(std::span<const double> numbers) {
  if (numbers.empty()) return;
  const std::size_t of_shell = names_.size() + 5, rest = numbers.size() < 3 ? 1 : (numbers.size() - 3) % of_shell;
  if (rest != 0) throw std::invalid_argument("it is the profile of a run whose molecules have other names");
  clear((numbers.size() - 3) / of_shell);
  n_samples_ = numbers[0];
  auto next = numbers.begin() + 1;
  for (std::vector<double>* of : {&molecules_, &kinetic_, &n_dof_, &charge_, &enclosed_, &beyond_}) {
    std::copy_n(next, of->size(), of->begin());
    next += static_cast<std::ptrdiff_t>(of->size());
  }
}

}  // namespace dropmd
