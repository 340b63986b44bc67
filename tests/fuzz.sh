#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the input readers for SECONDS in total, a ninth for each of them, starting from the
# shipped files. Exits with 1 when one crashes, leaks, hangs or breaks a promise; the input that did
# is then in build/fuzz/findings. Usage: tests/fuzz.sh SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:?usage: tests/fuzz.sh SECONDS}
compiler=clang++-14  # the asan preset's

if ! command -v "$compiler" >/dev/null; then
  echo "fuzz.sh: $compiler is missing; install Debian's clang-14" >&2
  exit 2
fi
if [ ! -e "$("$compiler" -print-file-name=libclang_rt.fuzzer-x86_64.a)" ] &&
   [ ! -e "$("$compiler" -print-resource-dir)/lib/linux/libclang_rt.fuzzer-$(uname -m).a" ]; then
  echo "fuzz.sh: libFuzzer is missing; install Debian's libclang-rt-14-dev" >&2
  exit 2
fi

mkdir -p build/fuzz
# The preset's flags, given again, would undo those of tests/run.sh and compile everything again.
[ -e build/asan/build.ninja ] || cmake --preset asan >build/fuzz/configure.log 2>&1 ||
  { cat build/fuzz/configure.log >&2; exit 2; }
cmake --build --preset asan --target fuzzers

mkdir -p build/fuzz/findings build/fuzz/corpus/{calibration,card,cluster,model}
mkdir -p build/fuzz/corpus/{quantity,scheme,tensor,trace,wide_area}
cp traces/calibration/*_published.json tests/fuzz/calibration.json build/fuzz/corpus/calibration
cp tests/fuzz/trace.json build/fuzz/corpus/trace
gzip -nc tests/fuzz/trace.json >build/fuzz/corpus/trace/packed
cp topologies/*.toml build/fuzz/corpus/cluster
cp topologies/wide_area/*.toml build/fuzz/corpus/wide_area
cp traces/models/*.toml build/fuzz/corpus/model
for config in tests/workload/configs/*/config.json; do
  name=$(basename "$(dirname "$config")")
  cp "$config" "build/fuzz/corpus/model/$name.json"
  # With a sequence, which not every config.json may do without.
  { cat "$config"; printf '\0model.sequence=1024'; } >"build/fuzz/corpus/model/$name.sequence"
done
grep -ho '= "[^"]*"' topologies/*.toml topologies/wide_area/*.toml | cut -d'"' -f2 | sort -u |
  split -l 1 - build/fuzz/corpus/quantity/seed_
# A sidecar and a file of one number, of each type.
tensor() {  # TYPE SHAPE
  printf '{"source": "step 7", "kind": "gradient", "step": 7}'
  printf '\x93NUMPY\1\0\x76\0%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': $2, }"
}
{ tensor '<f4' '(1,)'; printf '\0\0\x80\x3f'; } >build/fuzz/corpus/tensor/float32
{ tensor '<u2' '(1, 1)'; printf '\x80\x3f'; } >build/fuzz/corpus/tensor/bfloat16

./build/asan/tests/fuzz/scheme_seeds build/fuzz/corpus/scheme
{ cat tests/fuzz/card.toml; printf '\0'; cat tests/fuzz/card.csv; } >build/fuzz/corpus/card/seed

status=0
for reader in calibration card cluster model quantity scheme tensor trace wide_area; do
  case $reader in
    calibration | model | tensor | trace) dictionary=$reader ;;
    *) dictionary=toml ;;
  esac
  echo "== $reader"
  # 1 MiB and a byte: the first text that is too long is among the inputs.
  ./build/asan/tests/fuzz/fuzz_$reader -max_total_time=$(((seconds + 8) / 9)) -timeout=60 \
    -rss_limit_mb=1024 -max_len=1048577 -dict=tests/fuzz/$dictionary.dict -print_final_stats=1 \
    -artifact_prefix=build/fuzz/findings/$reader- build/fuzz/corpus/$reader \
    >build/fuzz/$reader.log 2>&1 || { status=1; echo "FOUND: see build/fuzz/$reader.log" >&2; }
  grep -E 'stat::number_of_executed_units|SUMMARY' build/fuzz/$reader.log || true
done
exit $status
