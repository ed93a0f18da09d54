// grid 196, block 512
extern "C" __global__ void __launch_bounds__(512) k37b134d087a64b181a9b(const char* i0, char* o0, char* scratch) {
const u32 in_block = threadIdx.x % 32u, slice = threadIdx.x / 32u;
const u32 split = blockIdx.x % 98u;
const u32 row = (u32)(blockIdx.x / 98u) * 32u + in_block;
const bool on = true;
const s32 p0 = (s32)(row);
F32::V c0_0 = -0.0f;
for (u32 k = 0; k < 128u; ++k) {
  const u32 q = (k * 16u + slice) * 1u;
  if (on) {
    const s32 q1 = (s32)(split * 2048u + q);
    const F32::V v0_0 = ld<F32>(i0 + (4 * (p0) + 256 * (q1)));
    const F32::V v0_1 = 0.0f;
     {
      const F32::V x2 = add(c0_0, v0_0);
      c0_0 = x2;
    }
  }
}
__shared__ F32::V m0_0[512];
m0_0[slice * 32u + in_block] = c0_0;
__syncthreads();
c0_0 = m0_0[in_block];
for (u32 s = 1; s < 16u; ++s) {
  const F32::V x2 = add(c0_0, m0_0[s * 32u + in_block]);
  c0_0 = x2;
}
if (on && slice == 0) ((F32::V*)(scratch + 0ll))[row * 98u + split] = c0_0;
}
// grid 8, block 256
extern "C" __global__ void __launch_bounds__(256) k11b7d0d42fbac06d2470(const char* i0, char* o0, char* scratch) {
const u32 in_block = threadIdx.x / 32u, slice = threadIdx.x % 32u;
const u32 row = (u32)blockIdx.x * 8u + in_block;
const bool on = true;
const s32 p0 = (s32)(row);
F32::V c0_0 = -0.0f;
for (u32 k = 0; k < 4u; ++k) {
  const u32 q = (k * 32u + slice) * 1u;
  if (on && q < 98u) {
     {
      const F32::V x2 = add(c0_0, ((F32::V*)(scratch + 0ll))[row * 98u + q]);
      c0_0 = x2;
    }
  }
}
 {
  const F32::V t0 = from_above(c0_0, 1u);
  if (slice % 32u + 1u < 32u) {
    const F32::V x2 = add(c0_0, t0);
    c0_0 = x2;
  }
}
 {
  const F32::V t0 = from_above(c0_0, 2u);
  if (slice % 32u + 2u < 32u) {
    const F32::V x2 = add(c0_0, t0);
    c0_0 = x2;
  }
}
 {
  const F32::V t0 = from_above(c0_0, 4u);
  if (slice % 32u + 4u < 32u) {
    const F32::V x2 = add(c0_0, t0);
    c0_0 = x2;
  }
}
 {
  const F32::V t0 = from_above(c0_0, 8u);
  if (slice % 32u + 8u < 32u) {
    const F32::V x2 = add(c0_0, t0);
    c0_0 = x2;
  }
}
 {
  const F32::V t0 = from_above(c0_0, 16u);
  if (slice % 32u + 16u < 32u) {
    const F32::V x2 = add(c0_0, t0);
    c0_0 = x2;
  }
}
c0_0 = from_lane(c0_0, (threadIdx.x & 31u) & ~31u);
const F32::V z0_0 = 0.0f;
 {
  const F32::V x2 = add(z0_0, c0_0);
  c0_0 = x2;
}
const F32::V r0_0 = c0_0;
F32::V w1_0;
if (on) {
  const F32::V v1_0 = r0_0;
  w1_0 = v1_0;
}
const F32::V v1_0 = w1_0;
__syncwarp();
if (on && slice == 0) {
  st<F32>(o0 + (4 * (p0)), v1_0);
}
}
