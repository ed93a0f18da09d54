// grid 4, block 256
extern "C" __global__ void __launch_bounds__(256) k519fd63c38ecf2b0f329(const char* i0, const char* i1, char* o0, u32 n) {
const u32 t = (u32)blockIdx.x * 256u + threadIdx.x;
if (t >= n) return;
const s32 p0 = (s32)(t);
const F32::V v0_0 = ld<F32>(i0 + (4 * (p0)));
const F32::V v0_1 = ld<F32>(i1 + (4 * (p0)));
const F32::V v0_2 = add(v0_0, v0_1);
st<F32>(o0 + (4 * (p0)), v0_2);
}
