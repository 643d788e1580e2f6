#pragma once

namespace dropmd {

/// Sixteen bytes that are transferred as one: a reader sees a packet completely or not at all (PTX ISA: accesses of
/// type .b128 are single-copy atomic from sm_70 on). As the packet contains its tag, the data need no separate flag.
struct alignas(16) Packet {
  float x, y, z;
  unsigned tag;
};

#if defined(__CUDACC__)

/// The instruction that stores a packet; a macro, as asm takes no text from template arguments. scope: who may see it.
#define DROPMD_STORE_PACKET(scope, to, p)                                                      \
  asm volatile(                                                                                \
      "{ .reg .b128 all; .reg .b64 low, high; mov.b64 low, {%1, %2}; mov.b64 high, {%3, %4}; " \
      "mov.b128 all, {low, high}; st.relaxed." scope ".global.b128 [%0], all; }" ::"l"(to),    \
      "f"((p).x), "f"((p).y), "f"((p).z), "r"((p).tag)                                         \
      : "memory")

/// Writes to global memory, visible to the whole device; without order relative to other accesses.
__device__ inline void put_packet(Packet* to, const Packet& p) { DROPMD_STORE_PACKET("gpu", to, p); }

/// The same in the memory of another GPU, over NVLink.
__device__ inline void put_packet_on_peer(Packet* to, const Packet& p) { DROPMD_STORE_PACKET("sys", to, p); }

#undef DROPMD_STORE_PACKET

/// Reads from global memory, bypassing the caches of the multiprocessor. Another GPU may have written it.
__device__ inline Packet get_packet(const Packet* from) {
  Packet p;
  asm volatile(
      "{ .reg .b128 all; .reg .b64 low, high; ld.relaxed.sys.global.b128 all, [%4]; mov.b128 {low, high}, all; "
      "mov.b64 {%0, %1}, low; mov.b64 {%2, %3}, high; }"
      : "=f"(p.x), "=f"(p.y), "=f"(p.z), "=r"(p.tag)
      : "l"(from)
      : "memory");
  return p;
}

#endif

}  // namespace dropmd
