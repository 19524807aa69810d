#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# ./dev on systems that aren't here: package lists as they are on Debian 12 and 13 and on Ubuntu 22.04 and 24.04, and tools
# that only write down what they are asked for.
set -euo pipefail

tests="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
failures=0

expect() {  # expect WHAT WANTED GOT
  [ "$2" = "$3" ] && return 0
  printf 'FAILED: %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

# A copy of the script, so that what it builds goes elsewhere.
cp "$tests/../../dev" "$work/dev"
# shellcheck source=../../dev
source "$work/dev"

# The lists of sources that a system's lists of packages become, as one line a stanza.
entries() {
  rm -rf "$work/out" && mkdir "$work/out"
  source_entries "$tests/systems/$1" "$work/out"
  cat "$work/out"/*.list 2>/dev/null | sed 's/^/list /' || true
  cat "$work/out"/*.sources 2>/dev/null | awk 'BEGIN { RS = ""; FS = "\n" } { printf "stanza"; for (i = 1; i <= NF; ++i) if ($i !~ /^#/) printf " %s", $i; print "" }' || true
}

expect "Debian 12: both stanzas, nothing of another vendor" \
"stanza Types: deb-src URIs: http://deb.example.org/debian Suites: bookworm bookworm-updates Components: main Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
stanza Types: deb-src URIs: http://deb.example.org/debian-security Suites: bookworm-security Components: main Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg" \
"$(entries debian-12)"

expect "Debian 13: a disabled stanza is left out, a key within the stanza stays" \
"stanza Types: deb-src URIs: https://mirror.example.org/debian Suites: trixie trixie-updates Components: main non-free-firmware Signed-By:  -----BEGIN PGP PUBLIC KEY BLOCK-----  .  mDMEY865UxYJKwYBBAHaRw8BAQdAd7Z0srwuhlB6JKFkcf4HU4SSS  -----END PGP PUBLIC KEY BLOCK-----" \
"$(entries debian-13)"

expect "fields that go on in the next lines" \
"stanza Types: deb-src URIs: https://mirror.example.org/debian Suites: stable  trixie  trixie-updates Components:  main  contrib" \
"$(entries folded)"

expect "Ubuntu 22.04: lines, with options and without" \
"list deb-src http://archive.example.org/ubuntu jammy main restricted
list deb-src http://archive.example.org/ubuntu jammy-updates main restricted
list deb-src [arch=amd64 signed-by=/usr/share/keyrings/ubuntu.gpg] http://archive.example.org/ubuntu jammy universe
list deb-src http://security.example.org/ubuntu jammy-security main universe" \
"$(entries ubuntu-22.04)"

expect "Ubuntu 24.04: stanzas" \
"stanza Types: deb-src URIs: http://archive.example.org/ubuntu/ Suites: noble noble-updates noble-backports Components: main universe restricted multiverse Signed-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg
stanza Types: deb-src URIs: http://security.example.org/ubuntu/ Suites: noble-security Components: main universe restricted multiverse Signed-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg" \
"$(entries ubuntu-24.04)"

expect "lists that name no release: all of them" \
"list deb-src http://deb.example.org/debian stable main" "$(entries rolling)"

# A packaged Kokkos counts when it has OpenMP.
kokkos_config() {
  rm -rf "$work/root" && mkdir -p "$work/root/usr/lib/$1/cmake/Kokkos"
  echo "$2" >"$work/root/usr/lib/$1/cmake/Kokkos/KokkosConfigCommon.cmake"
  if has_packaged_kokkos "$work/root"; then echo yes; else echo no; fi
}
expect "Kokkos 3.4 with OpenMP" yes "$(kokkos_config . 'SET(Kokkos_DEVICES OPENMP;SERIAL)')"
expect "Kokkos 4.5 with OpenMP" yes "$(kokkos_config x86_64-linux-gnu 'set(Kokkos_DEVICES OPENMP;SERIAL)')"
expect "Kokkos with Serial alone" no "$(kokkos_config x86_64-linux-gnu 'set(Kokkos_DEVICES SERIAL)')"
rm -rf "$work/root"
expect "no Kokkos" no "$(if has_packaged_kokkos "$work/root"; then echo yes; else echo no; fi)"

# Package tools that write down their arguments. KNOWN are the packages that the system has, INSTALLED those that are there.
mkdir "$work/bin"
cat >"$work/bin/apt-get" <<'TOOL'
#!/usr/bin/env bash
echo "apt-get $*" >>"$LOG"
TOOL
cat >"$work/bin/apt-cache" <<'TOOL'
#!/usr/bin/env bash
[[ " $KNOWN " == *" ${*: -1} "* ]] && echo "Package: ${*: -1}"
exit 0
TOOL
cat >"$work/bin/dpkg-query" <<'TOOL'
#!/usr/bin/env bash
shift 2
for name in "$@"; do [[ " $INSTALLED " == *" $name "* ]] && printf 'installed:%s ' "$name"; done
exit 0
TOOL
printf '#!/usr/bin/env bash\n"$@"\n' >"$work/bin/sudo"
chmod +x "$work/bin"/*
export LOG="$work/log" KNOWN INSTALLED PATH="$work/bin:$PATH"

asked() {  # asked FUNCTION ARGS: what the package tool was asked for; the end of the message when it failed
  : >"$LOG"
  local said
  if said="$( (updated='' announced=''; "$@") 2>&1)"; then
    grep -o ' install .*' "$LOG" | sed -e 's/.*--no-install-recommends //' || true
  else
    sed -n 's/^dev: //p' <<<"$said"
  fi
}

KNOWN="g++ cmake ninja-build" INSTALLED="g++"
expect "installs what is missing" "cmake ninja-build" "$(asked need_packages g++ cmake ninja-build)"
INSTALLED="g++ cmake ninja-build"
expect "installs nothing when all is there" "" "$(asked need_packages g++ cmake ninja-build)"
KNOWN="g++" INSTALLED=""
expect "names a package that the system hasn't" \
  "this system has no package cmake (on Ubuntu, 'add-apt-repository universe' adds most); it needs Debian 12 or 13, or Ubuntu 22.04 or 24.04" \
  "$(asked need_packages g++ cmake)"

KNOWN="git clang-format-14" INSTALLED="git"
no_clang_format() { command() { [ "$2" != clang-format-14 ] && builtin command "$@"; }; need_clang_format; }
expect "installs clang-format 14" "clang-format-14" "$(asked no_clang_format)"
KNOWN="git python3-venv"
pip_clang_format() {
  make_environment() { mkdir -p "$1/bin" && echo "$2" >"$1/bin/clang-format" && chmod +x "$1/bin/clang-format"; }
  no_clang_format
}
expect "makes an environment where there is no package" "python3-venv" "$(asked pip_clang_format)"
expect "takes the version that counts" "clang-format==14.0.6" "$(cat "$deps/format/bin/clang-format-14")"

KNOWN="clang libclang-rt-dev" INSTALLED="clang"
libfuzzer_in() {  # libfuzzer_in PACKAGE: installs what is needed where PACKAGE holds libFuzzer
  has_libfuzzer() { [[ " $INSTALLED " == *" $WITH "* ]]; }
  WITH="$1" need_libfuzzer
}
expect "libFuzzer is there" "" "$(asked libfuzzer_in clang)"
expect "libFuzzer is in a package of its own" "libclang-rt-dev" "$(asked libfuzzer_in libclang-rt-dev)"

# A packaged Kokkos is tried out once for each version.
cat >"$work/bin/cmake" <<'TOOL'
#!/usr/bin/env bash
echo "cmake $1" >>"$LOG"
[ "$1" != "$BROKEN" ]
TOOL
chmod +x "$work/bin/cmake"
export BROKEN=""
tries() {  # tries VERSION: the calls of cmake
  : >"$LOG"
  if (has_packaged_kokkos() { true; }; packaged_kokkos_version() { echo "$VERSION"; }; VERSION="$1"; packaged_kokkos_works); then
    tr '\n' ' ' <"$LOG"; echo works
  else tr '\n' ' ' <"$LOG"; echo fails; fi
}
expect "a new package is built with" "cmake -G cmake --build works" "$(tries 4.5)"
expect "and not again" "works" "$(tries 4.5)"
expect "but in another version" "cmake -G cmake --build works" "$(tries 4.6)"
expect "and always where nothing names the version" "cmake -G cmake --build works" "$(tries '')"
BROKEN=--build
expect "a package that doesn't link" "cmake -G cmake --build fails" "$(tries 4.7)"
expect "is not remembered as one that does" "cmake -G cmake --build fails" "$(tries 4.7)"

# Where Kokkos comes from. WORKS: a package works "now", or when it is "installed".
kokkos_from() {
  packaged_kokkos_works() { [ "$WORKS" = now ] || { [ "$WORKS" = installed ] && grep -q 'install .*libkokkos-dev' "$LOG"; }; }
  build_kokkos() { echo "apt-get install --no-install-recommends (built)" >>"$LOG"; }
  need_kokkos
}
unset Kokkos_ROOT Kokkos_DIR
KNOWN="libkokkos-dev" INSTALLED="" WORKS=never
expect "the user's Kokkos" "" "$(Kokkos_ROOT=/opt/kokkos asked kokkos_from)"
mkdir -p "$work/.deps/kokkos" && touch "$work/.deps/kokkos/.complete"
expect "then the one under .deps" "" "$(asked kokkos_from)"
rm -r "$work/.deps/kokkos"
WORKS=now
expect "then an installed package" "" "$(asked kokkos_from)"
WORKS=installed
expect "then a package to install" "libkokkos-dev" "$(asked kokkos_from)"
WORKS=never
expect "then one that is built: the package doesn't work" "libkokkos-dev
(built)" "$(asked kokkos_from)"
KNOWN=""
expect "or there is none" "(built)" "$(asked kokkos_from)"

if [ "$failures" -gt 0 ]; then exit 1; fi
echo "all passed"
