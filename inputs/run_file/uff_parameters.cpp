#include "inputs/run_file/uff_parameters.h"

#include <cstddef>
#include <gemmi/elem.hpp>
#include <iterator>
#include <string>

namespace dropmd {
namespace {

struct VanDerWaals {
  double r_min, epsilon;
};

/// x and D of A. K. Rappé, C. J. Casewit, K. S. Colwell, W. A. Goddard III and W. M. Skiff, UFF, a full periodic table
/// force field, J. Am. Chem. Soc. 114, 10024 (1992), Table I, by atomic number from hydrogen to lawrencium: all atom
/// types of an element have the same values.
constexpr VanDerWaals kUff[] = {
    {2.886, 0.044}, {2.362, 0.056}, {2.451, 0.025}, {2.745, 0.085}, {4.083, 0.180},  // H He Li Be B
    {3.851, 0.105}, {3.660, 0.069}, {3.500, 0.060}, {3.364, 0.050}, {3.243, 0.042},  // C N O F Ne
    {2.983, 0.030}, {3.021, 0.111}, {4.499, 0.505}, {4.295, 0.402}, {4.147, 0.305},  // Na Mg Al Si P
    {4.035, 0.274}, {3.947, 0.227}, {3.868, 0.185}, {3.812, 0.035}, {3.399, 0.238},  // S Cl Ar K Ca
    {3.295, 0.019}, {3.175, 0.017}, {3.144, 0.016}, {3.023, 0.015}, {2.961, 0.013},  // Sc Ti V Cr Mn
    {2.912, 0.013}, {2.872, 0.014}, {2.834, 0.015}, {3.495, 0.005}, {2.763, 0.124},  // Fe Co Ni Cu Zn
    {4.383, 0.415}, {4.280, 0.379}, {4.230, 0.309}, {4.205, 0.291}, {4.189, 0.251},  // Ga Ge As Se Br
    {4.141, 0.220}, {4.114, 0.040}, {3.641, 0.235}, {3.345, 0.072}, {3.124, 0.069},  // Kr Rb Sr Y Zr
    {3.165, 0.059}, {3.052, 0.056}, {2.998, 0.048}, {2.963, 0.056}, {2.929, 0.053},  // Nb Mo Tc Ru Rh
    {2.899, 0.048}, {3.148, 0.036}, {2.848, 0.228}, {4.463, 0.599}, {4.392, 0.567},  // Pd Ag Cd In Sn
    {4.420, 0.449}, {4.470, 0.398}, {4.500, 0.339}, {4.404, 0.332}, {4.517, 0.045},  // Sb Te I Xe Cs
    {3.703, 0.364}, {3.522, 0.017}, {3.556, 0.013}, {3.606, 0.010}, {3.575, 0.010},  // Ba La Ce Pr Nd
    {3.547, 0.009}, {3.520, 0.008}, {3.493, 0.008}, {3.368, 0.009}, {3.451, 0.007},  // Pm Sm Eu Gd Tb
    {3.428, 0.007}, {3.409, 0.007}, {3.391, 0.007}, {3.374, 0.006}, {3.355, 0.228},  // Dy Ho Er Tm Yb
    {3.640, 0.041}, {3.141, 0.072}, {3.170, 0.081}, {3.069, 0.067}, {2.954, 0.066},  // Lu Hf Ta W Re
    {3.120, 0.037}, {2.840, 0.073}, {2.754, 0.080}, {3.293, 0.039}, {2.705, 0.385},  // Os Ir Pt Au Hg
    {4.347, 0.680}, {4.297, 0.663}, {4.370, 0.518}, {4.709, 0.325}, {4.750, 0.284},  // Tl Pb Bi Po At
    {4.765, 0.248}, {4.900, 0.050}, {3.677, 0.404}, {3.478, 0.033}, {3.396, 0.026},  // Rn Fr Ra Ac Th
    {3.424, 0.022}, {3.395, 0.022}, {3.424, 0.019}, {3.424, 0.016}, {3.381, 0.014},  // Pa U Np Pu Am
    {3.326, 0.013}, {3.339, 0.013}, {3.313, 0.013}, {3.299, 0.012}, {3.286, 0.012},  // Cm Bk Cf Es Fm
    {3.274, 0.011}, {3.248, 0.011}, {3.236, 0.011}};                                 // Md No Lr

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

}  // namespace

std::optional<UffParameters> uff_parameters(std::string_view species) {
  const std::string symbol(species.substr(0, species.find_first_of("0123456789+-")));
  if (symbol.empty() || symbol.size() > 2 || !is_letter(symbol.front()) || !is_letter(symbol.back()))
    return std::nullopt;
  const gemmi::Element element(symbol);
  const auto number = static_cast<std::size_t>(element.atomic_number());
  if (number == 0 || number > std::size(kUff) || element == gemmi::El::D) return std::nullopt;
  const VanDerWaals& uff = kUff[number - 1];
  return UffParameters{element.weight(), uff.epsilon, uff.r_min};
}

}  // namespace dropmd
