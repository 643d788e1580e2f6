#pragma once

#include <string>

namespace dropmd {

/// A shared library that is loaded when it is first needed, so that everything else works where it is not installed. It
/// stays loaded until the program ends.
class SharedLibrary {
 public:
  /// Looks where the system's loader does, then in the usual folders of CUDA's packages, which the loader may not know.
  /// name: with the major version, within which the binary interface stays the same, such as "libcufft.so.12".
  explicit SharedLibrary(const std::string& name);

  bool loaded() const { return handle_ != nullptr; }

  /// Sets the pointer to the function of that name; returns whether the library has it.
  template <class Function>
  bool find(const char* function_name, Function& function) const {
    function = reinterpret_cast<Function>(symbol(function_name));
    return function != nullptr;
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
};

}  // namespace dropmd
