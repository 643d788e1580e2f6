#include "device/status_words.cuh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/check.cuh"

/// The wording of statuses that this machine's driver may never return; no test here needs a GPU.
namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The message that a failed call throws.
std::string refusal_of(cudaError_t status) {
  try {
    DROPMD_CUDA(status, "making steps");
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.status(), ExitStatus::device);
    return error.what();
  }
  return "no DeviceError";
}

TEST(StatusWords, SuccessIsNoFailure) { EXPECT_EQ(refusal_of(cudaSuccess), "no DeviceError"); }

TEST(StatusWords, AFailedCallSaysWhatWhereAndWhile) {
  EXPECT_THAT(refusal_of(cudaErrorInvalidValue),
              AllOf(StartsWith("CUDA: invalid argument (cudaErrorInvalidValue) while making steps ["),
                    HasSubstr("status_words_test.cu:"), Not(HasSubstr("lost")), Not(HasSubstr("defect"))));
  EXPECT_THAT(refusal_of(cudaErrorMemoryAllocation),
              HasSubstr("(use fewer atoms, another --device, or --backend cpu)"));
  EXPECT_THAT(refusal_of(cudaErrorLaunchTimeout), HasSubstr("(the display's watchdog ended a kernel"));
}

TEST(StatusWords, ALostGpuIsToldFromADefect) {
  for (const cudaError_t lost : {cudaErrorDevicesUnavailable, cudaErrorECCUncorrectable, cudaErrorNvlinkUncorrectable,
                                 cudaErrorMpsClientTerminated, cudaErrorUnknown})
    EXPECT_THAT(refusal_of(lost), AllOf(HasSubstr(cudaGetErrorName(lost)), Not(HasSubstr("defect")),
                                        HasSubstr("(the GPU was lost: see nvidia-smi or dmesg, then start again)")));
  for (const cudaError_t defect :
       {cudaErrorIllegalAddress, cudaErrorAssert, cudaErrorHardwareStackError, cudaErrorIllegalInstruction,
        cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace, cudaErrorInvalidPc, cudaErrorLaunchFailure})
    EXPECT_THAT(refusal_of(defect), AllOf(HasSubstr(cudaGetErrorName(defect)), Not(HasSubstr("lost")),
                                          HasSubstr("(a defect in dropmd, or rarely in the GPU")));
}

TEST(StatusWords, ADeviceWithoutCodeForIt) {
  DeviceInfo device;
  device.index = 1;
  device.name = "NVIDIA Old";
  device.major = 7;
  device.minor = 2;
  for (const cudaError_t status : {cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction})
    EXPECT_EQ(device_problem(device, status),
              "NVIDIA Old has compute capability 7.2, for which this dropmd has no code (build it for that GPU)");
  for (const cudaError_t status : {cudaErrorInvalidPtx, cudaErrorUnsupportedPtxVersion, cudaErrorJitCompilerNotFound,
                                   cudaErrorJitCompilationDisabled})
    EXPECT_THAT(device_problem(device, status),
                AllOf(StartsWith("NVIDIA Old has compute capability 7.2, for which this dropmd has no native code"),
                      HasSubstr(cudaGetErrorString(status)), HasSubstr("or update the driver)")));
}

TEST(StatusWords, AnotherProblemOfADeviceIsNotAboutItsCode) {
  DeviceInfo device;
  device.index = 1;
  for (const cudaError_t status : {cudaErrorDevicesUnavailable, cudaErrorMemoryAllocation, cudaErrorECCUncorrectable})
    EXPECT_EQ(device_problem(device, status),
              std::string("device 1: ") + cudaGetErrorString(status) + " (see nvidia-smi)");
}

TEST(StatusWords, NoDevice) {
  EXPECT_EQ(no_device_reason(cudaErrorInsufficientDriver, 12080, 13000),
            "the NVIDIA driver supports CUDA 12.8, but this dropmd needs 13.0 (update the driver)");
  EXPECT_THAT(no_device_reason(cudaErrorInsufficientDriver, 13000, 13000),
              AllOf(Not(HasSubstr("13.0")), HasSubstr("(update the driver)")));
  EXPECT_EQ(no_device_reason(cudaSuccess, 13000, 13000), no_device_reason(cudaErrorNoDevice, 13000, 13000));
  EXPECT_THAT(no_device_reason(cudaErrorNoDevice, 13000, 13000), StartsWith("the NVIDIA driver finds no GPU"));
}

}  // namespace
}  // namespace dropmd
