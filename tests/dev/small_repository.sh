# SPDX-FileCopyrightText: The Ostinato authors
# SPDX-License-Identifier: Apache-2.0
#
# For tests of the checks in .ci: makes an empty repository with the check of a name, and enters it.
#   . small_repository.sh CHECK
# Then expect WANTED compares what the check prints, with "(silent)" behind where it passes, and end_of_tests says how
# the test ended.

check="$1" tests="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
command -v git >/dev/null || { echo "no git"; exit 77; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/.ci"
cp "$tests/../../.ci/$check" "$work/.ci"
git -C "$work" -c init.defaultBranch=main init -q
cd "$work"
failures=0

expect() {
  local got
  if got="$(".ci/$check" 2>&1)"; then got+="(silent)"; fi
  [ "$got" = "$1" ] && return 0
  printf 'FAILED:\n  wanted: %s\n  got:    %s\n' "$1" "$got"
  failures=$((failures + 1))
}

end_of_tests() {
  if [ "$failures" -gt 0 ]; then exit 1; fi
  echo "all passed"
}
