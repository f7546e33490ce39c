
// Filling and comparing on the device; sdk_elements.h stands above this text. Ranges are given by
// a buffer and bytes from its start.

__kernel void tuner_fill(__global uchar* to, ulong offset, ulong elements, uint kind, uint type,
                         double a, double b, ulong seed) {
  for (ulong i = get_global_id(0); i < elements; i += get_global_size(0)) {
    if (kind == kMask) {
      ((__global ulong*)(to + offset))[i] ^= element_mask(a, seed, i);
    } else {
      store_element(to + offset, i, type, element_value(kind, a, b, seed, i));
    }
  }
}

__kernel void tuner_compare(__global const uchar* actual, ulong actual_offset,
                            __global const uchar* expected, ulong expected_offset, ulong elements,
                            uint type, double rtol, double atol, __global ComparedPart* parts) {
  parts[get_global_id(0)] =
      compare_part(actual + actual_offset, expected + expected_offset, elements, type, rtol, atol,
                   get_global_id(0), get_global_size(0));
}
