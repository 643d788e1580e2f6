#include "device/buffer.cuh"

#include <gtest/gtest.h>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device_info.h"

namespace dropmd {
namespace {

struct Value {
  std::uint32_t word[3];
};

class Buffer : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(Buffer, StoresItsFirstElementsInPinnedMemory) {
  const Stream stream(0);
  for (const std::size_t n : {0U, 1U, 2U, 31U, 33U, 42U, 43U, 128U, 257U, 1000U}) {
    std::vector<Value> values(n);
    for (std::uint32_t k = 0; k < n; ++k) values[k] = {{k, ~k, 7 * k}};
    DeviceBuffer<Value> buffer(stream);
    buffer.upload(values);
    for (const std::size_t wanted : {std::size_t{1}, n + 1, n + 5}) {
      const Pinned<Value> host(wanted);
      for (Value& value : host.all()) value = {{0xABCDU, 0xABCDU, 0xABCDU}};
      buffer.store(host);
      stream.synchronize("storing");
      for (std::uint32_t k = 0; k < wanted; ++k) {
        const Value expected = k < n ? values[k] : Value{{0xABCDU, 0xABCDU, 0xABCDU}};
        for (int w = 0; w < 3; ++w) ASSERT_EQ(host[k].word[w], expected.word[w]) << "element " << k << " of " << n;
      }
    }
  }
}

}  // namespace
}  // namespace dropmd
