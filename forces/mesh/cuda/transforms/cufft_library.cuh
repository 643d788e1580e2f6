#pragma once

#include <cufft.h>

#include <string>

#include "core/errors.h"

namespace dropmd {

/// The functions of cuFFT that meshes use. The library is loaded when it is first needed, so that everything else works
/// where it is not installed, and stays loaded until the program ends.
class CufftLibrary {
 public:
  /// Returns the library; throws DeviceError with the remedy if it cannot be loaded.
  static const CufftLibrary& get();
  /// Returns why the library cannot be loaded; empty if it can.
  static const std::string& problem();

  decltype(&cufftCreate) create = nullptr;
  decltype(&cufftDestroy) destroy = nullptr;
  decltype(&cufftSetAutoAllocation) set_auto_allocation = nullptr;
  decltype(&cufftSetWorkArea) set_work_area = nullptr;
  decltype(&cufftSetStream) set_stream = nullptr;
  decltype(&cufftMakePlanMany64) make_plan_many = nullptr;
  decltype(&cufftExecR2C) exec_r2c = nullptr;
  decltype(&cufftExecC2R) exec_c2r = nullptr;
  decltype(&cufftExecC2C) exec_c2c = nullptr;
  decltype(&cufftExecD2Z) exec_d2z = nullptr;
  decltype(&cufftExecZ2D) exec_z2d = nullptr;
  decltype(&cufftExecZ2Z) exec_z2z = nullptr;

 private:
  CufftLibrary();
  static const CufftLibrary& loaded();

  std::string problem_;
};

/// Throws DeviceError for a failed call of cuFFT; `doing` completes "while ...".
void check_cufft(cufftResult result, const char* doing);

}  // namespace dropmd
