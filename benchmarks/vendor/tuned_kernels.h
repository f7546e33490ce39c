#pragma once
// The kernels of the float32 families, compiled for one configuration of their exported headers: of
// those families whose header there is.

#include <string>

#include "common.h"

#if __has_include("matmul_tuned.h")
#include "matmul_tuned.h"

inline RtcKernel matmul_kernel(const std::string& sources, const matmul_tuned::config& c,
                               const matmul_tuned::dims& size, const matmul_tuned::device& device) {
  namespace tuned = matmul_tuned;
  Definitions definitions;
  definitions.choice("FORM", "naive", c.FORM == tuned::FORM_choice::naive)
      .choice("FORM", "shared", c.FORM == tuned::FORM_choice::shared)
      .choice("FORM", "registers", c.FORM == tuned::FORM_choice::registers)
      .choice("FORM", "warptile", c.FORM == tuned::FORM_choice::warptile)
      .choice("SHARED", "static", c.SHARED == tuned::SHARED_choice::static_)
      .choice("SHARED", "dynamic", c.SHARED == tuned::SHARED_choice::dynamic)
      .choice("DIVIDE", "tiles", c.DIVIDE == tuned::DIVIDE_choice::tiles)
      .choice("DIVIDE", "steps", c.DIVIDE == tuned::DIVIDE_choice::steps)
      .choice("WALK", "squares", c.WALK == tuned::WALK_choice::squares)
      .choice("WALK", "bricks", c.WALK == tuned::WALK_choice::bricks);
  definitions.number("BM", c.BM).number("BN", c.BN).number("BK", c.BK).number("WM", c.WM);
  definitions.number("WN", c.WN).number("TM", c.TM).number("TN", c.TN).number("VEC", c.VEC);
  definitions.number("PAD", c.PAD).number("STAGES", c.STAGES).number("CLUSTER", c.CLUSTER);
  definitions.number("SLICES", c.SLICES).number("SPREAD", c.SPREAD);
  return RtcKernel(sources, "matmul", definitions,
                   shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                            tuned::dynamic_shared_bytes_of(c, size, device)));
}
#endif

#if __has_include("transpose_tuned.h")
#include "transpose_tuned.h"

inline RtcKernel transpose_kernel(const std::string& sources, const transpose_tuned::config& c,
                                  const transpose_tuned::dims& size,
                                  const transpose_tuned::device& device) {
  namespace tuned = transpose_tuned;
  Definitions definitions;
  definitions.choice("FORM", "coalesced_read", c.FORM == tuned::FORM_choice::coalesced_read)
      .choice("FORM", "coalesced_write", c.FORM == tuned::FORM_choice::coalesced_write)
      .choice("FORM", "shared", c.FORM == tuned::FORM_choice::shared)
      .choice("FORM", "skewed", c.FORM == tuned::FORM_choice::skewed)
      .choice("SHARED", "static", c.SHARED == tuned::SHARED_choice::static_)
      .choice("SHARED", "dynamic", c.SHARED == tuned::SHARED_choice::dynamic)
      .choice("STREAM", "none", c.STREAM == tuned::STREAM_choice::none)
      .choice("STREAM", "loads", c.STREAM == tuned::STREAM_choice::loads)
      .choice("STREAM", "stores", c.STREAM == tuned::STREAM_choice::stores)
      .choice("STREAM", "both", c.STREAM == tuned::STREAM_choice::both)
      .choice("ORDER", "rows", c.ORDER == tuned::ORDER_choice::rows)
      .choice("ORDER", "columns", c.ORDER == tuned::ORDER_choice::columns)
      .choice("OCCUPANCY", "free", c.OCCUPANCY == tuned::OCCUPANCY_choice::free)
      .choice("OCCUPANCY", "full", c.OCCUPANCY == tuned::OCCUPANCY_choice::full);
  definitions.number("BM", c.BM).number("BN", c.BN).number("TM", c.TM).number("VEC", c.VEC);
  definitions.number("PAD", c.PAD).number("SWIZZLE", c.SWIZZLE).number("ALIGN", c.ALIGN);
  definitions.number("FETCH", c.FETCH).number("AHEAD", c.AHEAD).number("CLUSTER", c.CLUSTER);
  return RtcKernel(sources, "transpose", definitions,
                   shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                            tuned::dynamic_shared_bytes_of(c, size, device)));
}
#endif

#if __has_include("reduction_tuned.h")
#include "reduction_tuned.h"

inline RtcKernel reduction_kernel(const std::string& sources, const reduction_tuned::config& c,
                                  const reduction_tuned::dims& size,
                                  const reduction_tuned::device& device) {
  namespace tuned = reduction_tuned;
  Definitions definitions;
  definitions.choice("FORM", "global", c.FORM == tuned::FORM_choice::global)
      .choice("FORM", "shared", c.FORM == tuned::FORM_choice::shared)
      .choice("FORM", "shuffle", c.FORM == tuned::FORM_choice::shuffle)
      .choice("FINISH", "atomic", c.FINISH == tuned::FINISH_choice::atomic)
      .choice("FINISH", "last_block", c.FINISH == tuned::FINISH_choice::last_block)
      .choice("FINISH", "two_pass", c.FINISH == tuned::FINISH_choice::two_pass)
      .choice("SHARED", "static", c.SHARED == tuned::SHARED_choice::static_)
      .choice("SHARED", "dynamic", c.SHARED == tuned::SHARED_choice::dynamic);
  definitions.number("BLOCK", c.BLOCK).number("VEC", c.VEC).number("UNROLL", c.UNROLL);
  definitions.number("STREAM", c.STREAM).number("BLOCKS_PER_SM", c.BLOCKS_PER_SM);
  return RtcKernel(sources, "reduction", definitions,
                   shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                            tuned::dynamic_shared_bytes_of(c, size, device)));
}
#endif

#if __has_include("softmax_tuned.h")
#include "softmax_tuned.h"

inline RtcKernel softmax_kernel(const std::string& sources, const softmax_tuned::config& c,
                                const softmax_tuned::dims& size,
                                const softmax_tuned::device& device) {
  namespace tuned = softmax_tuned;
  Definitions definitions;
  definitions.choice("FORM", "three_pass", c.FORM == tuned::FORM_choice::three_pass)
      .choice("FORM", "online", c.FORM == tuned::FORM_choice::online)
      .choice("FORM", "shared", c.FORM == tuned::FORM_choice::shared)
      .choice("FORM", "registers", c.FORM == tuned::FORM_choice::registers);
  definitions.number("BLOCK", c.BLOCK).number("ROWS", c.ROWS).number("VEC", c.VEC);
  definitions.number("ITEMS", c.ITEMS).number("CLUSTER", c.CLUSTER);
  return RtcKernel(sources, "softmax", definitions,
                   shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                            tuned::dynamic_shared_bytes_of(c, size, device)));
}
#endif

#if __has_include("convolution2d_tuned.h")
#include "convolution2d_tuned.h"

inline RtcKernel convolution_kernel(const std::string& sources,
                                    const convolution2d_tuned::config& c,
                                    const convolution2d_tuned::dims& size,
                                    const convolution2d_tuned::device& device) {
  namespace tuned = convolution2d_tuned;
  Definitions definitions;
  definitions.choice("FORM", "global", c.FORM == tuned::FORM_choice::global)
      .choice("FORM", "shared", c.FORM == tuned::FORM_choice::shared)
      .choice("FORM", "registers", c.FORM == tuned::FORM_choice::registers);
  definitions.number("FILTER", c.FILTER).number("BM", c.BM).number("BN", c.BN);
  definitions.number("TM", c.TM).number("TN", c.TN).number("PAD", c.PAD);
  definitions.number("UNROLL", c.UNROLL);
  return RtcKernel(sources, "convolution2d", definitions,
                   shape_of(tuned::grid_of(c, size, device), tuned::block_of(c, size, device),
                            tuned::dynamic_shared_bytes_of(c, size, device)));
}
#endif
