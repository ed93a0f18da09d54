// grid 20, block 512
extern "C" __global__ void __launch_bounds__(512) k539d6d75c16fdde1c16e(const char* i0, char* o0) {
const u32 in_block = threadIdx.x % 32u, slice = threadIdx.x / 32u;
const u32 row = (u32)blockIdx.x * 32u + in_block;
const bool on = true;
const s32 p0 = (s32)(row);
F32::V c0_0 = -0.0f;
for (u32 k = 0; k < 63u; ++k) {
  const u32 q = (k * 16u + slice) * 1u;
  if (on && q < 1000u) {
    const s32 q1 = (s32)(q);
    const F32::V v0_0 = ld<F32>(i0 + (4 * (p0) + 2560 * (q1)));
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
__syncthreads();
if (on && slice == 0) {
  st<F32>(o0 + (4 * (p0)), v1_0);
}
}
