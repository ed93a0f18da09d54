// grid 75, block 256
extern "C" __global__ void __launch_bounds__(256) k78b74dd766dce41221cf(const char* i0, char* o0, char* scratch) {
const u32 in_block = threadIdx.x % 32u, slice = threadIdx.x / 32u;
const u32 split = blockIdx.x % 15u;
const u32 row = ((u32)(blockIdx.x / 15u) * 32u + in_block) * 4u;
const u32 end = split == 14u ? 62u : 67u;
const bool on = true;
const s32 p0 = (s32)(row);
F32::V c0_0[4];
#pragma unroll
for (u32 j = 0; j < 4; ++j) c0_0[j] = -0.0f;
 {
  Pack<F32::B, 4> e0[5];
  for (u32 first = 0; first < 9u; first += 5u) {
    #pragma unroll
    for (u32 k = 0; k < 5u; ++k) {
      const u32 q = ((first + k) * 8u + slice) * 1u;
      if (on && q < end) {
        const s32 q1 = (s32)((u32)split * 67u + q);
        e0[k] = ldp<F32::B, 4>(i0 + (4 * (p0) + 2560 * (q1)));
      }
    }
    #pragma unroll
    for (u32 k = 0; k < 5u; ++k) {
      const u32 q = ((first + k) * 8u + slice) * 1u;
      if (on && q < end) {
        const s32 q1 = (s32)((u32)split * 67u + q);
        const Pack<F32::B, 4> a0_0 = e0[k];
        #pragma unroll
        for (u32 j = 0; j < 4; ++j) {
          const s32 c = (p0) + (s32)j;
          const F32::V v0_0 = F32::from(a0_0.v[j]);
          const F32::V v0_1 = 0.0f;
           {
            const F32::V x2 = add(c0_0[j], v0_0);
            c0_0[j] = x2;
          }
        }
      }
    }
  }
}
__shared__ F32::V m0_0[1024];
#pragma unroll
for (u32 j = 0; j < 4; ++j) {
  m0_0[(slice * 32u + in_block) * 4u + j] = c0_0[j];
}
__syncthreads();
if (slice % 2u == 0 && slice + 1u < 8u) {
  #pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    const F32::V x2 = add(c0_0[j], m0_0[((slice + 1u) * 32u + in_block) * 4u + j]);
    c0_0[j] = x2;
    m0_0[(slice * 32u + in_block) * 4u + j] = c0_0[j];
  }
}
__syncthreads();
if (slice % 4u == 0 && slice + 2u < 8u) {
  #pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    const F32::V x2 = add(c0_0[j], m0_0[((slice + 2u) * 32u + in_block) * 4u + j]);
    c0_0[j] = x2;
    m0_0[(slice * 32u + in_block) * 4u + j] = c0_0[j];
  }
}
__syncthreads();
if (slice % 8u == 0 && slice + 4u < 8u) {
  #pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    const F32::V x2 = add(c0_0[j], m0_0[((slice + 4u) * 32u + in_block) * 4u + j]);
    c0_0[j] = x2;
    m0_0[(slice * 32u + in_block) * 4u + j] = c0_0[j];
  }
}
if (on && slice == 0) {
  #pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    ((F32::V*)(scratch + 0ll))[(s64)split * 640ll + row + j] = c0_0[j];
  }
}
}
// grid 20, block 64
extern "C" __global__ void __launch_bounds__(64) kf7b2def49eae94da695b(const char* i0, char* o0, char* scratch) {
const u32 in_block = threadIdx.x % 32u, slice = threadIdx.x / 32u;
const u32 row = (u32)blockIdx.x * 32u + in_block;
const bool on = true;
const s32 p0 = (s32)(row);
F32::V c0_0 = -0.0f;
for (u32 k = 0; k < 8u; ++k) {
  const u32 q = (k * 2u + slice) * 1u;
  if (on && q < 15u) {
     {
      const F32::V x2 = add(c0_0, ((F32::V*)(scratch + 0ll))[(s64)q * 640ll + row]);
      c0_0 = x2;
    }
  }
}
__shared__ F32::V m0_0[64];
m0_0[(slice * 32u + in_block)] = c0_0;
__syncthreads();
if (slice % 2u == 0 && slice + 1u < 2u) {
  const F32::V x2 = add(c0_0, m0_0[((slice + 1u) * 32u + in_block)]);
  c0_0 = x2;
  m0_0[(slice * 32u + in_block)] = c0_0;
}
__syncthreads();
c0_0 = m0_0[(0u * 32u + in_block)];
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
