#include "device/device_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/errors.h"

namespace dropmd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal_of(int index) {
  try {
    require_device(index);
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.status(), ExitStatus::device);
    return error.what();
  }
  return "no DeviceError";
}

TEST(DeviceInfo, EitherDevicesOrAReason) {
  const DeviceReport report = query_devices();
  EXPECT_EQ(report.devices.empty(), !report.reason.empty());
  EXPECT_EQ(report.reason.find('\n'), std::string::npos) << "a reason is one line";
}

TEST(DeviceInfo, WithoutGpuTheRefusalSaysWhyAndWhatToDo) {
  const DeviceReport report = query_devices();
  if (!report.devices.empty()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THAT(refusal_of(0), AllOf(HasSubstr("no usable GPU"), HasSubstr(report.reason), HasSubstr("--backend cpu")));
}

TEST(DeviceInfo, DescribesEachGpu) {
  const DeviceReport report = query_devices();
  if (report.devices.empty()) GTEST_SKIP() << report.reason;
  EXPECT_GE(report.driver_version, report.runtime_version);
  for (std::size_t k = 0; k < report.devices.size(); ++k) {
    const DeviceInfo& device = report.devices[k];
    EXPECT_EQ(device.index, static_cast<int>(k));
    EXPECT_FALSE(device.name.empty());
    EXPECT_GE(device.major, 5);
    EXPECT_GT(device.multiprocessors, 0);
    EXPECT_GT(device.memory, std::size_t{1} << 28);
    EXPECT_LE(device.memory_free, device.memory);
    EXPECT_EQ(require_device(device.index).name, device.name);
  }
}

TEST(DeviceInfo, AnIndexThatIsNotThereIsRefused) {
  const DeviceReport report = query_devices();
  if (report.devices.empty()) GTEST_SKIP() << report.reason;
  const auto n = static_cast<int>(report.devices.size());
  for (const int index : {-1, n, n + 100})
    EXPECT_THAT(refusal_of(index), AllOf(HasSubstr("device " + std::to_string(index)), HasSubstr("dropmd info")));
}

}  // namespace
}  // namespace dropmd
