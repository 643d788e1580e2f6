#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "device/device_info.h"
#include "tests/support/hot_droplet.h"
#include "tests/support/system/app_folder.h"
#include "tests/support/system/same_outputs.h"

/// The messages that users read when the driver or the GPU fails. The program loads
/// tests/support/system/stub_driver.cpp instead of the machine's driver, which stands behind it where there is one.
/// Statuses are those of CUresult in cuda.h.
namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCluster = "inputs/samples/lj-cluster-13-langevin.toml";

#if !defined(DROPMD_STUB_DRIVER_FOLDER)
#define DROPMD_STUB_DRIVER_FOLDER ""  // without CUDA there is no stub, and the tests are skipped
#endif

class DriverMessages : public testing::Test {
 protected:
  void SetUp() override {
#if !DROPMD_HAS_CUDA
    GTEST_SKIP() << "built without CUDA: no driver is asked";
#endif
    needed_file(std::filesystem::path(DROPMD_STUB_DRIVER_FOLDER) / "libcuda.so.1");
  }

  /// Runs a command line; `settings` ("DROPMD_STUB_INIT=100") tell the stub what to do.
  Outcome run(const std::string& line, const std::vector<std::string>& settings) const {
    const char* const path = std::getenv("LD_LIBRARY_PATH");
    std::vector<std::string> words{"env", std::string("LD_LIBRARY_PATH=") + DROPMD_STUB_DRIVER_FOLDER +
                                              (path != nullptr ? ":" : "") + (path != nullptr ? path : "")};
    words.insert(words.end(), settings.begin(), settings.end());
    words.emplace_back(DROPMD_BINARY);
    const std::vector<std::string> rest = words_of(line);
    words.insert(words.end(), rest.begin(), rest.end());
    return ChildProcess(folder_.path(), words).wait();
  }

  /// Expects a machine without a usable GPU: `info` says why, `cuda` is refused, `auto` runs on the CPU.
  void expect_no_gpu(const std::vector<std::string>& settings, const std::string& reason) const {
    const Outcome info = run("info", settings);
    EXPECT_EQ(info.status, 0) << info.err;
    EXPECT_THAT(info.out, HasSubstr(reason));
    const std::string line = std::string("run ") + kCluster + " --steps 2 -o out --force --backend ";
    const Outcome refused = run(line + "cuda", settings);
    EXPECT_EQ(refused.status, 4) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("dropmd: error: no usable GPU: " + reason));
    EXPECT_THAT(refused.err, HasSubstr("(use --backend cpu)"));
    EXPECT_FALSE(folder_.has("out")) << "nothing is written before the GPU is there";
    const Outcome fallback = run(line + "auto", settings);
    EXPECT_EQ(fallback.status, 0) << fallback.err;
    EXPECT_THAT(fallback.err, HasSubstr("dropmd: running on the CPU: no usable GPU (dropmd info says why)\n"));
    EXPECT_TRUE(folder_.has("out/energy.csv"));
    std::filesystem::remove_all(folder_.path() / "out");
  }

  const AppFolder folder_;
};

TEST_F(DriverMessages, TooOldADriver) {
  for (const auto& [number, text] : {std::pair{"10020", "10.2"}, std::pair{"11040", "11.4"}})
    expect_no_gpu({std::string("DROPMD_STUB_VERSION=") + number},
                  std::string("the NVIDIA driver supports CUDA ") + text + ", but this dropmd needs ");
  EXPECT_THAT(run("info", {"DROPMD_STUB_VERSION=11040"}).out,
              AllOf(HasSubstr("driver 11.4"), HasSubstr("(update the")));
}

/// The version of this build's CUDA, so that nothing but cuInit's answer keeps the driver from starting.
std::string fitting_version() { return "DROPMD_STUB_VERSION=" + std::to_string(query_devices().runtime_version); }

TEST_F(DriverMessages, ADriverThatFindsNoGpu) {
  expect_no_gpu({fitting_version(), "DROPMD_STUB_INIT=100"},  // CUDA_ERROR_NO_DEVICE
                "the NVIDIA driver finds no GPU (see nvidia-smi and CUDA_VISIBLE_DEVICES)");
}

TEST_F(DriverMessages, ADriverThatDoesNotStart) {
  const auto info = [](int status) {
    return std::vector{fitting_version(), "DROPMD_STUB_INIT=" + std::to_string(status)};
  };
  expect_no_gpu(info(802), "the NVIDIA driver does not start: ");  // CUDA_ERROR_SYSTEM_NOT_READY
  EXPECT_THAT(run("info", info(802)).out, HasSubstr("(start the driver's services, such as nvidia-fabricmanager)"));
  EXPECT_THAT(run("info", info(803)).out, HasSubstr("(restart the machine, or"));   // ..._SYSTEM_DRIVER_MISMATCH
  EXPECT_THAT(run("info", info(34)).out, HasSubstr("stubs from LD_LIBRARY_PATH"));  // CUDA_ERROR_STUB_LIBRARY
  EXPECT_THAT(run("info", info(999)).out, HasSubstr("does not start: unknown error (see nvidia-smi)"));
}

TEST_F(DriverMessages, AnEmptyDriver) {  // version 0, as where there is no driver
  expect_no_gpu({"DROPMD_STUB_VERSION=0"}, "no NVIDIA driver is installed");
}

/// Tests with the machine's own driver behind the stub.
class DriverMessagesWithGpu : public DriverMessages {
 protected:
  void SetUp() override {
    DriverMessages::SetUp();
    if (IsSkipped()) return;
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);  // the runtime has already loaded it
    link_map* map = nullptr;
    ASSERT_NE(driver, nullptr);
    ASSERT_EQ(dlinfo(driver, RTLD_DI_LINKMAP, &map), 0);
    real_ = std::string("DROPMD_STUB_REAL=") + map->l_name;
    dlclose(driver);
  }

  std::string real_;
};

TEST_F(DriverMessagesWithGpu, TheStubIsTransparent) {
  const Outcome outcome = run(std::string("run ") + kCluster + " --steps 2 -o out --backend cuda", {real_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(DriverMessagesWithGpu, NoCodeForIt) {  // CUDA_ERROR_NO_BINARY_FOR_GPU, however the runtime loads code
  const DeviceInfo device = query_devices().devices[0];
  expect_no_gpu(
      {real_, "DROPMD_STUB_FAIL=cuLibraryLoadData,cuModuleLoadData,cuModuleLoadDataEx,cuModuleLoadFatBinary:209:0"},
      device.name + " has compute capability " + std::to_string(device.major) + "." + std::to_string(device.minor) +
          ", for which this dropmd has no code (build it for that GPU)");
}

TEST_F(DriverMessagesWithGpu, LostInTheMiddleOfARun) {
  folder_.write("long.toml",
                "units = \"lj\"\n[system]\nstructure = \"inputs/samples/lj-cluster-13.xyz\"\nmass = 1.0\n"
                "[lennard-jones]\nepsilon = 1.0\nsigma = 1.0\n[integrator]\ntimestep = 0.001\n"
                "[output]\ndirectory = \"out\"\nenergy-every = 1\n");
  const std::string line = "run long.toml --force --backend cuda --steps 20000";
  for (const int status : {46, 214, 999}) {  // CUDA_ERROR_DEVICE_UNAVAILABLE, ..._ECC_UNCORRECTABLE, ..._UNKNOWN
    const Outcome outcome =
        run(line, {real_, "DROPMD_STUB_FAIL=cuStreamSynchronize:" + std::to_string(status) + ":100"});
    EXPECT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("dropmd: error: CUDA: "),
                                   HasSubstr("the GPU was lost: see nvidia-smi or dmesg, then start again")));
    const std::string energies = folder_.text("out/energy.csv");
    EXPECT_TRUE(energies.ends_with('\n'));
    EXPECT_GT(std::count(energies.begin(), energies.end(), '\n'), 10) << "it was lost at work";
  }
  const Outcome defect = run(line, {real_, "DROPMD_STUB_FAIL=cuStreamSynchronize:700:100"});  // ..._ILLEGAL_ADDRESS
  EXPECT_EQ(defect.status, 4) << defect.err;
  EXPECT_THAT(defect.err, AllOf(HasSubstr("a defect in dropmd"), Not(HasSubstr("lost"))));
}

TEST_F(DriverMessagesWithGpu, TooLittleMemoryForARun) {
  write_hot_droplet(folder_, "method = \"cells\"\nskin = 0.5\n");
  const Outcome outcome = run("run hot.toml -o out", {real_, "DROPMD_STUB_FREE=1000000"});
  EXPECT_EQ(outcome.status, 4) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("dropmd: error: the run needs "),
                                 HasSubstr(" bytes of memory on GPU 0, where 1000000 are free (use fewer atoms")));
  EXPECT_FALSE(folder_.has("out")) << "nothing is written before it is known";
}

/// Another program may take the memory that was free. Each allocation fails in turn with CUDA_ERROR_OUT_OF_MEMORY:
/// each of the first 8 and the last 10, and every tenth between them. Whatever checkpoint there is resumes to the files
/// of the uninterrupted run.
TEST_F(DriverMessagesWithGpu, MemoryThatRunsOut) {
  write_hot_droplet(folder_, "method = \"cells\"\nskin = 0.5\n");
  ASSERT_EQ(run("run hot.toml -q -o whole", {real_}).status, 0);
  const auto run_without = [&](int allocation) {
    std::filesystem::remove_all(folder_.path() / "out");
    return run("run hot.toml -q -o out", {real_, "DROPMD_STUB_FAIL=cuMemAllocAsync:2:" + std::to_string(allocation)});
  };
  // Finds the number of allocations: `made` is one whose failure fails the run, `none` one that is never reached.
  int made = 0, none = 4096;
  ASSERT_EQ(run_without(none).status, 0);
  while (none - made > 1) {
    const int middle = (made + none) / 2;
    (run_without(middle).status == 0 ? none : made) = middle;
  }
  ASSERT_GT(made, 8);
  int resumed = 0;
  for (int n = 0; n <= made; n += n < 8 || n > made - 10 ? 1 : std::min(10, made - 9 - n)) {
    SCOPED_TRACE("allocation " + std::to_string(n + 1));
    const Outcome outcome = run_without(n);
    EXPECT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("out of memory (cudaErrorMemoryAllocation) while "),
                                   HasSubstr("(use fewer atoms, another --device, or --backend cpu)")));
    if (!folder_.has("out/checkpoint.h5")) continue;
    ++resumed;
    EXPECT_EQ(folder_.run("dropmd run -q --resume out/checkpoint.h5").status, 0);
    expect_same_outputs(folder_, "out", "whole");
  }
  EXPECT_GT(resumed, 0) << "memory is asked for at the start alone";
}

}  // namespace
}  // namespace dropmd
