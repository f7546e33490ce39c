#!/usr/bin/env bash
# Records what this machine's GPU says of the shipped kernels: scripts/record_results.sh PREFIX [OUT]
#
# PREFIX is an installed tree or a build tree. First every textbook form of a kernel alone, so that
# each gets a fair chance (beside the fast forms it would be dropped early), then the whole study
# with its own strategy and budget. OUT (default: results) gets the store and the ranked CSV files;
# tables.md the best of every form; of the CSV files stays what is shipped (fewer_rows.py). Needs a few minutes
# a study on an H200. Then the ranges of sizes of search_spaces/domains, DOMAIN_BUDGET (default: 600s) for each,
# go to OUT/domains, and their CSV files into OUT/domains/NAME.tar.gz, which `tuner export --from` reads: equal
# results give equal bytes. What other devices left in that archive stays. STUDIES and DOMAINS name what is
# recorded; an empty one leaves that part out.
set -euo pipefail
prefix=$(cd "${1:?usage: scripts/record_results.sh PREFIX [OUT]}" && pwd)
out=${2:-results}
tuner=$prefix/bin/tuner
studies=$prefix/share/tuner/search_spaces
here=$(cd "$(dirname "$0")" && pwd)
budget=${BUDGET:-1000,60s}
recorded=${STUDIES-matmul matmul_bf16 matmul_tf32 grouped_product transpose reduction softmax convolution2d histogram histogram_u8 histogram_edges}
mkdir -p "$out"

tune() { "$tuner" run "$studies/$1.yaml" --backend cuda --progress plain --results "$out" "${@:2}"; }

# The forms of a textbook, by study.
forms_of() {
  case $1 in
    matmul) echo "naive shared registers" ;;
    matmul_bf16 | matmul_tf32) echo "mma" ;;
    transpose) echo "coalesced_read coalesced_write" ;;
    reduction) echo "global shared shuffle" ;;
    convolution2d | histogram | histogram_edges) echo "global shared" ;;
  esac
}

# Bare atomics on one address take seconds a launch beyond these.
sizes_for() { [ "$1 $2" = "reduction global" ] && echo "--size N=1048576 --size N=16777216" || true; }

for study in $recorded; do
  for form in $(forms_of "$study"); do
    # shellcheck disable=SC2046
    tune "$study" $(sizes_for "$study" "$form") --where "FORM == '$form'" --budget "${FORM_BUDGET:-120,15s}"
  done
  # What padding is worth to the plain shared transpose.
  if [ "$study" = transpose ]; then
    for pad in 0 1; do
      tune transpose --budget "${FORM_BUDGET:-120,15s}" \
        --where "FORM == 'shared' and VEC == 1 and SWIZZLE == 0 and PAD == $pad"
    done
  fi
  tune "$study" --budget "$budget"
done
[ -z "$recorded" ] || python3 "$here/forms_table.py" "$out" | tee "$out/tables.md"
for study in $recorded; do
  for device in "$out/$study"/*/; do
    python3 "$here/fewer_rows.py" "$tuner" "$studies/$study.yaml" "$device"
  done
done

mkdir -p "$out/domains"
for study in ${DOMAINS-matmul matmul_bf16 matmul_tf32 matmul_emulated transpose reduction softmax convolution2d thin_product thin_product_fp8 linear_bf16}; do
  archive=$out/domains/$study.tar.gz
  [ ! -e "$archive" ] || tar -C "$out/domains" --skip-old-files -xzf "$archive"
  "$tuner" run "$studies/domains/$study.yaml" --backend cuda --progress plain \
    --budget "${DOMAIN_BUDGET:-600s}" --results "$out/domains"
  tar -C "$out/domains" --format=ustar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 \
    --mode=a=rX,u+w -c "$study" | gzip -9n >"$archive"
done
