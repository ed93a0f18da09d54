// grid 40, block 128
extern "C" __global__ void __launch_bounds__(128) k6df1087bf85c28076253(const char* i0, const char* i1, char* o0) {
const u32 tile = blockIdx.x % 40u, rest = blockIdx.x / 40u;
const u32 x = threadIdx.x % 32u, y = threadIdx.x / 32u;
const s32 down0 = (s32)(tile / 4u * 32u), across0 = (s32)(tile % 4u * 32u);
__shared__ F32::V q1[32][33];
F32::B e0[8];
#pragma unroll
for (u32 e = 0; e < 8u; ++e) {
  const u32 i = x, j = y + 4u * e;
  const s32 down = down0 + (s32)j, across = across0 + (s32)i;
  if (down < 300 && across < 100) {
    e0[e] = *(const F32::B*)(i0 + (400 * (down) + 4 * (across)));
  }
}
#pragma unroll
for (u32 e = 0; e < 8u; ++e) {
  const u32 i = y + 4u * e, j = x;
  const s32 down = down0 + (s32)j, across = across0 + (s32)i;
  if (down < 300 && across < 100) {
    q1[i][j] = ld<F32>(i1 + (4 * (down) + 1200 * (across)));
  }
}
__syncthreads();
#pragma unroll
for (u32 e = 0; e < 8u; ++e) {
  const u32 i = x, j = y + 4u * e;
  const s32 down = down0 + (s32)j, across = across0 + (s32)i;
  if (down < 300 && across < 100) {
    const F32::V v0_0 = F32::from(e0[e]);
    const F32::V v0_1 = q1[i][j];
    const F32::V v0_2 = add(v0_0, v0_1);
    st<F32>(o0 + (400 * (down) + 4 * (across)), v0_2);
  }
}
}
