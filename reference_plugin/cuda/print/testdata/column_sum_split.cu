// grid 784, block 256
extern "C" __global__ void __launch_bounds__(256) kd2aaad6a219aa8d838a2(const char* i0, char* o0, char* scratch) {
const u32 in_block = threadIdx.x % 16u, slice = threadIdx.x / 16u;
const u32 split = blockIdx.x % 784u;
const u32 row = ((u32)(blockIdx.x / 784u) * 16u + in_block) * 4u;
const bool on = true;
const s32 p0 = (s32)(row);
F32::V c0_0[4];
#pragma unroll
for (u32 j = 0; j < 4; ++j) c0_0[j] = -0.0f;
 {
  Pack<F32::B, 4> e0[8];
  for (u32 first = 0; first < 16u; first += 8u) {
    #pragma unroll
    for (u32 k = 0; k < 8u; ++k) {
      const u32 q = ((first + k) * 16u + slice) * 1u;
      if (on) {
        const s32 q1 = (s32)((u32)split * 256u + q);
        e0[k] = ldp<F32::B, 4>(i0 + (4 * (p0) + 256 * (q1)));
      }
    }
    #pragma unroll
    for (u32 k = 0; k < 8u; ++k) {
      const u32 q = ((first + k) * 16u + slice) * 1u;
      if (on) {
        const s32 q1 = (s32)((u32)split * 256u + q);
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
  m0_0[(slice * 16u + in_block) * 4u + j] = c0_0[j];
}
__syncthreads();
if (slice % 2u == 0 && slice + 1u < 16u) {
  #pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    const F32::V x2 = add(c0_0[j], m0_0[((slice + 1u) * 16u + in_block) * 4u + j]);
    c0_0[j] = x2;
    m0_0[(slice * 16u + in_block) * 4u + j] = c0_0[j];
  }
}
__syncthreads();
if (slice % 4u == 0 && slice + 2u < 16u) {
  #pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    const F32::V x2 = add(c0_0[j], m0_0[((slice + 2u) * 16u + in_block) * 4u + j]);
    c0_0[j] = x2;
    m0_0[(slice * 16u + in_block) * 4u + j] = c0_0[j];
  }
}
__syncthreads();
if (slice % 8u == 0 && slice + 4u < 16u) {
  #pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    const F32::V x2 = add(c0_0[j], m0_0[((slice + 4u) * 16u + in_block) * 4u + j]);
    c0_0[j] = x2;
    m0_0[(slice * 16u + in_block) * 4u + j] = c0_0[j];
  }
}
__syncthreads();
if (slice % 16u == 0 && slice + 8u < 16u) {
  #pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    const F32::V x2 = add(c0_0[j], m0_0[((slice + 8u) * 16u + in_block) * 4u + j]);
    c0_0[j] = x2;
    m0_0[(slice * 16u + in_block) * 4u + j] = c0_0[j];
  }
}
if (on && slice == 0) {
  #pragma unroll
  for (u32 j = 0; j < 4; ++j) {
    ((F32::V*)(scratch + 0ll))[(s64)split * 64ll + row + j] = c0_0[j];
  }
}
}
// grid 2, block 1024
extern "C" __global__ void __launch_bounds__(1024) kb030bf96bbc94a4199aa(const char* i0, char* o0, char* scratch) {
const u32 in_block = threadIdx.x % 32u, slice = threadIdx.x / 32u;
const u32 row = (u32)blockIdx.x * 32u + in_block;
const bool on = true;
const s32 p0 = (s32)(row);
F32::V c0_0 = -0.0f;
for (u32 k = 0; k < 25u; ++k) {
  const u32 q = (k * 32u + slice) * 1u;
  if (on && q < 784u) {
     {
      const F32::V x2 = add(c0_0, ((F32::V*)(scratch + 0ll))[(s64)q * 64ll + row]);
      c0_0 = x2;
    }
  }
}
__shared__ F32::V m0_0[1024];
m0_0[(slice * 32u + in_block)] = c0_0;
__syncthreads();
if (slice % 2u == 0 && slice + 1u < 32u) {
  const F32::V x2 = add(c0_0, m0_0[((slice + 1u) * 32u + in_block)]);
  c0_0 = x2;
  m0_0[(slice * 32u + in_block)] = c0_0;
}
__syncthreads();
if (slice % 4u == 0 && slice + 2u < 32u) {
  const F32::V x2 = add(c0_0, m0_0[((slice + 2u) * 32u + in_block)]);
  c0_0 = x2;
  m0_0[(slice * 32u + in_block)] = c0_0;
}
__syncthreads();
if (slice % 8u == 0 && slice + 4u < 32u) {
  const F32::V x2 = add(c0_0, m0_0[((slice + 4u) * 32u + in_block)]);
  c0_0 = x2;
  m0_0[(slice * 32u + in_block)] = c0_0;
}
__syncthreads();
if (slice % 16u == 0 && slice + 8u < 32u) {
  const F32::V x2 = add(c0_0, m0_0[((slice + 8u) * 32u + in_block)]);
  c0_0 = x2;
  m0_0[(slice * 32u + in_block)] = c0_0;
}
__syncthreads();
if (slice % 32u == 0 && slice + 16u < 32u) {
  const F32::V x2 = add(c0_0, m0_0[((slice + 16u) * 32u + in_block)]);
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
