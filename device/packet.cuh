#pragma once

namespace dropmd {

/// Sixteen bytes that travel as one: a reader sees a packet whole or not at all (PTX ISA, accesses of type .b128 are
/// single-copy atomic from sm_70 on). With a number of the packet among them, data needs no flag beside it.
struct alignas(16) Packet {
  float x, y, z;
  unsigned tag;
};

#if defined(__CUDACC__)

/// To global memory, seen by the whole device; without order to other accesses.
__device__ inline void put_packet(Packet* to, const Packet& p) {
  asm volatile(
      "{ .reg .b128 all; .reg .b64 low, high; mov.b64 low, {%1, %2}; mov.b64 high, {%3, %4}; "
      "mov.b128 all, {low, high}; st.relaxed.gpu.global.b128 [%0], all; }" ::"l"(to),
      "f"(p.x), "f"(p.y), "f"(p.z), "r"(p.tag)
      : "memory");
}

/// From global memory, past the caches of the multiprocessor.
__device__ inline Packet get_packet(const Packet* from) {
  Packet p;
  asm volatile(
      "{ .reg .b128 all; .reg .b64 low, high; ld.relaxed.gpu.global.b128 all, [%4]; mov.b128 {low, high}, all; "
      "mov.b64 {%0, %1}, low; mov.b64 {%2, %3}, high; }"
      : "=f"(p.x), "=f"(p.y), "=f"(p.z), "=r"(p.tag)
      : "l"(from)
      : "memory");
  return p;
}

#endif

}  // namespace dropmd
