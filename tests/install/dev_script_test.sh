#!/usr/bin/env bash
# Tests ./dev without building: its usage, and how it installs packages. apt-get, dpkg-query,
# sudo and id are fakes on a PATH that holds nothing else but a few plain tools, so that the
# machine's own packages are never touched.
#
# usage: dev_script_test.sh PATH_TO_DEV
set -u

dev_source=${1:?usage: dev_script_test.sh PATH_TO_DEV}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
failures=0
checks=0

# ---- the fake machine ------------------------------------------------------------------------

mkdir -p "$work/a tree" "$work/tools" "$work/fakes" "$work/lists"
cp -- "$dev_source" "$work/a tree/dev"
dev="$work/a tree/dev"
for tool in bash sh env cat cut dirname find grep head mkdir paste readlink rm sed sort touch xargs; do
  ln -s "$(command -v "$tool")" "$work/tools/$tool"
done

fake() {
  printf '#!%s\nwork=%q\n' "$(command -v bash)" "$work" >"$work/fakes/$1"
  cat >>"$work/fakes/$1"
  chmod +x "$work/fakes/$1"
}

# Prints what the format asks for of each known package; 1 if one is unknown, as the real one.
fake dpkg-query <<'END'
[[ $1 == -W && $2 == -f ]] || exit 2
format=$3 status=0
for name in "${@:4}"; do
  if state=$(grep -m 1 "^$name " "$work/state"); then
    line=${format//'${Package}'/$name}
    printf "${line//'${db:Status-Status}'/${state#* }}"
  else
    status=1
  fi
done
exit $status
END

fake apt-get <<'END'
echo "apt-get $* | frontend=${DEBIAN_FRONTEND:-} stdin=$(cat)" >>"$work/log"
case " $* " in
  *' update '*) echo refreshed; touch "$work/lists/x_Packages" "$work/lists"; exit 0 ;;
  *' -s '*) cat "$work/simulation"; exit "$(<"$work/simulation_status")" ;;
esac
echo 'chatter of apt-get'
status=$(<"$work/install_status")
((status == 0)) || exit "$status"
for word in "$@"; do
  [[ $word != -* && $word != install && $word != *=* ]] || continue
  sed -i "/^$word /d" "$work/state"
  [[ -e $work/forgetful ]] || echo "$word installed" >>"$work/state"
done
END

fake apt-config <<'END'
echo "Lists='$work/lists/'"
END

# fresh_machine USER [MISSING...]: everything that `deps test` needs is there but MISSING.
fresh_machine() {
  rm -rf -- "$work/state" "$work/log" "$work/lists"
  mkdir -p "$work/lists/partial"
  touch "$work/log" "$work/lists/deb_main_Packages.lz4"
  echo 'Inst x (1)' >"$work/simulation"
  echo 0 >"$work/simulation_status"
  echo 0 >"$work/install_status"
  fake id <<<"echo $1"
  fake sudo <<'END'
echo "sudo $*" >>"$work/log"
while [[ $1 == -* ]]; do shift; done
exec "$@"
END
  local tool name
  for tool in cmake ninja g++ clang-format-19 clang-tidy-19; do fake "$tool" <<<'exit 0'; done
  for name in $all_packages; do echo "$name installed"; done >"$work/state"
  shift
  for name in "$@"; do sed -i "/^$name /d" "$work/state"; done
}

# run ARGS...: runs dev without terminal, with empty environment and "y" waiting on stdin.
run() {
  command="dev $*"
  (cd / && env -i PATH="$work/fakes:$work/tools" "$dev" "$@") \
    >"$work/out" 2>"$work/err" <<<y
  status=$?
}

# run_on_terminal ANSWER ARGS...: the same on a terminal, where ANSWER is typed.
run_on_terminal() {
  local answer=$1 words
  shift
  command="dev $* (on a terminal, answer '$answer')"
  printf -v words '%q ' env -i PATH="$work/fakes:$work/tools" "$dev" "$@"
  (sleep 0.3; echo "$answer"; sleep 0.3) | SHELL=/bin/sh script -qec "$words" /dev/null \
    >"$work/err" 2>&1
  status=$?
  : >"$work/out"
}

# ---- assertions ------------------------------------------------------------------------------

check() { # check DESCRIPTION COMMAND...: the command must succeed
  local description=$1
  shift
  checks=$((checks + 1))
  "$@" && return
  failures=$((failures + 1))
  echo "FAILED: $section: $description"
  echo "  command: $command; exit $status"
  sed 's/^/  stdout: /' "$work/out"
  sed 's/^/  stderr: /' "$work/err"
  sed 's/^/  log: /' "$work/log"
}

exits() { check "exit $1" test "$status" -eq "$1"; }
says() { check "stderr has '$1'" grep -qF -- "$1" "$work/err"; }
says_not() { check "stderr has no '$1'" not grep -qF -- "$1" "$work/err"; }
prints() { check "stdout has '$1'" grep -qF -- "$1" "$work/out"; }
prints_nothing() { check 'stdout is empty' not test -s "$work/out"; }
is_silent() { check 'stdout and stderr are empty' not test -s "$work/out" -o -s "$work/err"; }
no_apt() { check 'apt-get was not called' not grep -q apt-get "$work/log"; }
not_installed() { check 'nothing was installed' not grep -q -- '^apt-get.* -y' "$work/log"; }
log_is() { check "log is: $*" equal "$(printf '%s\n' "$@")" "$(<"$work/log")"; }
not() { ! "$@"; }
equal() { [[ $1 == "$2" ]]; }
section() { section=$1; }

lock='-o DPkg::Lock::Timeout=300'
simulated() { echo "apt-get install -s --no-install-recommends $* | frontend= stdin="; }
installed() {
  echo "apt-get $lock install -y --no-remove --no-install-recommends $*" \
    '| frontend=noninteractive stdin='
}
updated="apt-get $lock update | frontend=noninteractive stdin="

# ---- usage -----------------------------------------------------------------------------------

all_packages='clang-format-19 clang-tidy-19'
section 'package list'
fresh_machine 0
run deps bench --no-install
exits 4
prints_nothing
all_packages+=" $(sed -nE 's/^dev:   ([^ ]+) +.+$/\1/p' "$work/err" | paste -s -d ' ')"
check 'the list names what the build needs' \
  equal 5 "$(grep -cE '^dev:   (g\+\+|cmake|ninja-build|llvm-19-dev|clang-19) +[^ ]+' "$work/err")"

section 'help'
fresh_machine 0
for words in help --help -h 'test --help'; do
  # shellcheck disable=SC2086  # words are words
  run $words
  exits 0
  for name in run test rocdrill bench sanitize format tidy deps clean help; do prints "  $name "; done
  prints 'examples'
  check 'stderr is empty' not test -s "$work/err"
done

section 'usage errors'
for words in frobnicate --frobnicate '--preset nosuch run' --preset 'format --frobnicate' \
  'clean frobnicate' 'deps frobnicate' 'deps test run' ''; do
  # shellcheck disable=SC2086  # words are words
  run $words
  exits 2
  prints_nothing
  no_apt
done
run frobnicate
says "unknown command 'frobnicate'"
says './dev help'

# ---- packages --------------------------------------------------------------------------------

section 'nothing missing'
fresh_machine 0
for name in run test rocdrill bench sanitize format tidy; do
  run deps "$name"
  exits 0
  is_silent
done
log_is ''

section 'missing, as root'
fresh_machine 0 ninja-build libfmt-dev
run deps test
exits 0
prints_nothing
says 'ninja-build'
says 'text formatting'
says 'chatter of apt-get'
says_not 'install them now'
log_is "$(simulated ninja-build libfmt-dev)" "$(installed ninja-build libfmt-dev)"
run deps test
exits 0
is_silent

section 'only what the command needs'
fresh_machine 0 clang-format-19 ninja-build
run deps format
exits 0
log_is "$(simulated clang-format-19)" "$(installed clang-format-19)"
fresh_machine 0 clang-format-19 clang-tidy-19 ninja-build
run deps tidy
exits 0
log_is "$(simulated ninja-build clang-tidy-19)" "$(installed ninja-build clang-tidy-19)"

section 'a package of which only its configuration is left is missing'
fresh_machine 0 cmake
echo 'cmake config-files' >>"$work/state"
run deps
exits 0
log_is "$(simulated cmake)" "$(installed cmake)"

section 'no package lists'
fresh_machine 0 cmake
rm "$work"/lists/*_Packages.lz4
run deps
exits 0
log_is "$updated" "$(simulated cmake)" "$(installed cmake)"

section 'stale package lists'
fresh_machine 0 cmake
touch -d '3 days ago' "$work/lists/partial" "$work/lists"
run deps
exits 0
log_is "$updated" "$(simulated cmake)" "$(installed cmake)"

section 'a removal'
fresh_machine 0 cmake
printf '%s\n' 'Inst cmake (3.25)' 'Remv foo [1.2]' 'Purg bar [3]' >"$work/simulation"
for words in '' --yes; do
  : >"$work/log"
  run deps test $words
  exits 4
  says 'REMOVE: bar foo'
  log_is "$(simulated cmake)"
done

section 'upgrades are announced'
fresh_machine 0 cmake
printf '%s\n' 'Inst cmake (3.25)' 'Inst libc6 [2.36-1] (2.36-2)' 'Conf cmake' >"$work/simulation"
run deps
exits 0
says 'install 1 packages, upgrade 1, remove 0'

section 'a simulation that fails'
fresh_machine 0 cmake
echo 'E: Unable to locate package cmake' >"$work/simulation"
echo 100 >"$work/simulation_status"
run deps
exits 4
says 'Unable to locate package cmake'
log_is "$(simulated cmake)" "$updated" "$(simulated cmake)"

section 'an install that fails'
fresh_machine 0 cmake
echo 100 >"$work/install_status"
run deps
exits 4
says 'as root: apt-get update && apt-get install --no-install-recommends cmake'
log_is "$(simulated cmake)" "$(installed cmake)" "$updated" "$(installed cmake)"

section 'an install that claims success'
fresh_machine 0 cmake
touch "$work/forgetful"
run deps
exits 4
says 'still missing after apt-get: cmake'
rm "$work/forgetful"

section 'sudo without terminal'
fresh_machine 1000 cmake
run deps
exits 0
env_words='env DEBIAN_FRONTEND=noninteractive LC_ALL=C'
log_is "$(simulated cmake)" \
  "sudo -n $env_words apt-get $lock install -y --no-remove --no-install-recommends cmake" \
  "$(installed cmake)"

section 'no root, no sudo'
fresh_machine 1000 cmake lld-19
rm "$work/fakes/sudo"
run deps
exits 4
says 'as root: apt-get update && apt-get install --no-install-recommends cmake lld-19'
no_apt

section '--no-install'
fresh_machine 0 cmake
for words in 'deps --no-install' '--no-install deps'; do
  # shellcheck disable=SC2086  # words are words
  run $words
  exits 4
  says 'apt-get install --no-install-recommends cmake'
  no_apt
done
fresh_machine 0 clang-format-19
run --no-install format --check
exits 0
says 'clang-format-19'
no_apt
rm "$work/fakes/clang-format-19"
run --no-install format --check
exits 4
says 'not on PATH: clang-format-19'

section 'not Debian'
fresh_machine 0
mkdir "$work/aside"
mv "$work/fakes/apt-get" "$work/fakes/dpkg-query" "$work/aside"
run deps
exits 0
says 'no apt here'
says 'llvm-19-dev'
rm "$work/fakes/cmake"
run deps
exits 4
says 'not on PATH: cmake'
mv "$work"/aside/* "$work/fakes"

# ---- terminal --------------------------------------------------------------------------------

section 'terminal'
if ! command -v script >/dev/null; then
  echo 'script (package bsdutils) is needed for these tests'
  exit 1
fi
fresh_machine 0 cmake
run_on_terminal n deps
exits 4
says 'install them now? [y/N]'
says 'as root: apt-get update && apt-get install --no-install-recommends cmake'
log_is "$(simulated cmake)"
run_on_terminal '' deps
exits 4
not_installed
: >"$work/log"
run_on_terminal y deps
exits 0
says 'install them now? [y/N]'
log_is "$(simulated cmake)" "$(installed cmake)"

fresh_machine 0 cmake
run_on_terminal n --yes deps
exits 0
says_not 'install them now'
log_is "$(simulated cmake)" "$(installed cmake)"

fresh_machine 1000 cmake
run_on_terminal y deps
exits 0
check 'sudo may ask for a password' grep -q '^sudo env' "$work/log"

fresh_machine 0 cmake
section 'terminal in CI'
PATH_OF_FAKES="$work/fakes:$work/tools"
command='CI=true dev deps'
SHELL=/bin/sh script -qec "$(printf '%q ' env -i CI=true PATH="$PATH_OF_FAKES" "$dev" deps)" \
  /dev/null >"$work/err" 2>&1 </dev/null
status=$?
exits 0
says_not 'install them now'
log_is "$(simulated cmake)" "$(installed cmake)"

# ---- where it is called from -----------------------------------------------------------------

section 'symlink, other folder, closed stdin'
fresh_machine 0
mkdir -p "$work/a tree/build/dev" "$work/elsewhere/build"
ln -s "$dev" "$work/elsewhere/link"
command='link clean <&-'
(cd "$work/elsewhere" && env -i CI=true PATH="$work/fakes:$work/tools" ./link clean) \
  >"$work/out" 2>"$work/err" <&-
status=$?
exits 0
is_silent
check 'build/ next to the script is gone' not test -e "$work/a tree/build"
check 'build/ of the other folder is not' test -d "$work/elsewhere/build"

echo "$checks checks, $failures failed"
((failures == 0))
