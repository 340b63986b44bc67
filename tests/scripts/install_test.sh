#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs a build for Debian, installs the package in a root of its own, runs the program in it, which
# must find the data beside itself, and removes the package. Usage: install_test.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "${1:?usage: install_test.sh BUILD_FOLDER}")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:[^=]*=//p' "$build/CMakeCache.txt")

sandbox=$(mktemp -d)
trap 'rm -rf "$sandbox"' EXIT
root=$sandbox/root

fail() { echo "install_test.sh: $*" >&2 && exit 1; }

# What dpkg has installed on this machine, so that it checks what the package depends on.
mkdir -p "$root"/var/lib/dpkg/{info,updates} "$root/var/log"
cp /var/lib/dpkg/status "$root/var/lib/dpkg/status"

dpkg_in_root() {
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(unshare --map-root-user)
  "${as_root[@]}" dpkg --root="$root" "$@" &>"$sandbox/dpkg.log" || { cat "$sandbox/dpkg.log" && false; }
}

(umask 077 && cd "$sandbox" && cpack --config "$build/CPackConfig.cmake" -G DEB -B . &>cpack.log) ||
  { cat "$sandbox/cpack.log" && false; }
package=("$sandbox/gardenhose_${version}_"*.deb)
started=$(date +%s%N)
dpkg_in_root --install "${package[@]}"

cd /
program=$root/usr/bin/gardenhose
"$program" run --topology sdp4bit_a100 --model gpt_125m --scheme sdp4bit --baseline twin
echo "First prediction $((($(date +%s%N) - started) / 1000000)) ms after installation began"
[ "$("$program" --version)" = "gardenhose $version" ] || fail "another version"
"$root/usr/bin/gardenhose-codec-error" --help >/dev/null
grep -qF "## [$version]" "$source/CHANGELOG.md" || fail "CHANGELOG.md has no entry of $version"
# It starts without ns-3, where SimGrid wants that, and gives the same answer with it.
say() { "$program" run --topology sdp4bit_a100 --model gpt_125m; }
without=$(say)
ldd "$program" | grep libns3 | grep -v "$root/usr/bin/../lib/gardenhose/without_ns3/" && fail "loads ns-3"
rm "$root"/usr/lib/gardenhose/without_ns3/*
[ "$(say)" = "$without" ] || fail "another answer with ns-3"
data=$root/usr/share/gardenhose
diff -r "$source/topologies" "$data/topologies"
diff -r "$source/traces" "$data/traces"
# A file that only the installed data has.
cp "$data/topologies/sdp4bit_a100.toml" "$data/topologies/only_here.toml"
"$program" list | grep only_here
rm "$data/topologies/only_here.toml"

dpkg-deb --info "${package[@]}"
[[ $(dpkg-deb --field "${package[@]}" Depends) == *libsimgrid* ]] || fail "depends on no SimGrid"
[ "$(dpkg-deb --field "${package[@]}" Installed-Size)" -lt 60000 ] || fail "larger than 60 MB"
[ -z "$(find "$root/usr" ! -perm -o=r)" ] || fail "files that not everybody can read"
readelf -S "$program" | grep -q '\.symtab' && fail "not stripped"
for document in copyright NOTICE CHANGELOG.md; do
  [ -s "$root/usr/share/doc/gardenhose/$document" ] || fail "no $document"
done
for file in man/man1/gardenhose-run.1 bash-completion/completions/gardenhose \
  zsh/vendor-completions/_gardenhose fish/vendor_completions.d/gardenhose.fish; do
  [ -s "$root/usr/share/$file" ] || fail "no $file"
done

dpkg_in_root --purge gardenhose
[ -z "$(find "$root" -path "$root/var" -prune -o -type f -print)" ] || fail "files are left behind"

# The GPU's machine may have a driver and a C library, and nothing else.
if [ -x "$build/gardenhose-calibrate" ] && ldd "$build/gardenhose-calibrate" | grep -E 'boost|stdc|simgrid'; then
  fail "gardenhose-calibrate needs these libraries where it runs"
fi

# The C libraries, as another project finds them.
started=$(date +%s%N)
cmake --install "$build" --component codecs --prefix "$sandbox/codecs" >"$sandbox/cmake.log"
{ cmake -S "$source/tests/c/installed" -B "$sandbox/program" -DVERSION="$version" \
  -DCMAKE_PREFIX_PATH="$sandbox/codecs" && cmake --build "$sandbox/program"; } \
  >>"$sandbox/cmake.log" 2>&1 || { cat "$sandbox/cmake.log" && false; }
for program in "$sandbox"/program/*sizes; do "$program" || fail "$program found another library"; done
[ -e "$sandbox"/program/cuda_sizes ] || [ ! -e "$build/codecs/c/libgardenhose_codecs_cuda.so" ] ||
  fail "find_package finds no libgardenhose_codecs_cuda"
# And as pkg-config does, with the flags of docs/install.md.
PKG_CONFIG_PATH=$(dirname "$(find "$sandbox/codecs" -name gardenhose_codecs.pc)")
export PKG_CONFIG_PATH
for name in gardenhose_codecs gardenhose_codecs_cuda; do
  [ -e "$build/codecs/c/lib$name.so" ] || continue
  program=sizes
  [ "$name" = gardenhose_codecs ] || program=cuda_sizes
  flags=$(pkg-config --cflags --libs "$name = $version")
  # shellcheck disable=SC2086  # several flags
  gcc "$source/tests/c/installed/$program.c" $flags \
    -Wl,-rpath,"$(pkg-config --variable=libdir "$name")" -o "$sandbox/by_pkg_config"
  "$sandbox/by_pkg_config" || fail "pkg-config finds another $name, or the program finds none"
done
echo "A project with the C libraries in $((($(date +%s%N) - started) / 1000000)) ms"
