// grid 32768, block 256
extern "C" __global__ void __launch_bounds__(256) kb96ee445d4775f7364ad(const char* i0, const char* i1, char* o0, u32 n) {
const u32 t = (u32)blockIdx.x * 512u + threadIdx.x;
if (((t + 1u * 256u) + 1u) * 4u <= n) {
  Pack<F32::B, 4> e0[2];
  Pack<F32::B, 4> e1[2];
  #pragma unroll
  for (u32 k = 0; k < 2u; ++k) {
    const s32 p0 = (s32)((t + k * 256u) * 4u);
    e0[k] = ldp<F32::B, 4>(i0 + (4 * (p0)));
    e1[k] = ldp<F32::B, 4>(i1 + (4 * (p0)));
  }
  #pragma unroll
  for (u32 k = 0; k < 2u; ++k) {
    const s32 p0 = (s32)((t + k * 256u) * 4u);
    const Pack<F32::B, 4> a0_0 = e0[k];
    const Pack<F32::B, 4> a0_1 = e1[k];
    Pack<F32::B, 4> s0;
    #pragma unroll
    for (u32 j = 0; j < 4; ++j) {
      const s32 c = (p0) + (s32)j;
      const F32::V v0_0 = F32::from(a0_0.v[j]);
      const F32::V v0_1 = F32::from(a0_1.v[j]);
      const F32::V v0_2 = add(v0_0, v0_1);
      s0.v[j] = F32::bits(v0_2);
    }
    stp<F32::B, 4>(o0 + (4 * (p0)), s0);
  }
}
else {
  #pragma unroll 1
  for (u32 i = 0; i < 8u; ++i) {
    const u32 at = (t + i / 4u * 256u) * 4u + i % 4u;
    if (at >= n) break;
    const s32 p0 = (s32)(at);
    const F32::V v0_0 = ld<F32>(i0 + (4 * (p0)));
    const F32::V v0_1 = ld<F32>(i1 + (4 * (p0)));
    const F32::V v0_2 = add(v0_0, v0_1);
    st<F32>(o0 + (4 * (p0)), v0_2);
  }
}
}
