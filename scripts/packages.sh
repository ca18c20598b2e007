# packages.sh - the Debian packages that building and testing need (sourced)
#
# ensure_packages build [test]: returns at once when all is there, without
# asking the network; else installs by apt-get as root or by sudo; else says
# what is missing and ends.

packages_build=(gcc libc6-dev cmake ninja-build pkg-config luajit
  libluajit-5.1-dev libmicrohttpd-dev libpcre2-dev libssl-dev libyaml-dev
  lua-cjson libsqlite3-dev libcurl4-openssl-dev)
packages_test=(git libcmocka-dev libjansson-dev lua-busted lua-check clang
  libclang-rt-14-dev clang-format valgrind)
packages_bench=(wrk)
# A command that also comes from elsewhere (nvm, pyenv): its package is
# installed only when the command is missing. command:package
commands_test=(python3:python3 node:nodejs npm:npm curl:curl openssl:openssl)

# The packages of the groups named that this machine lacks, one a line.
missing_packages() {
  local group
  for group in "$@"; do
    local -n list=packages_$group
    { dpkg-query -W -f='${db:Status-Status} ${binary:Package}\n' \
      "${list[@]}" 2>/dev/null || true; } |
      sed -n 's/^installed \([^:]*\).*/\1/p' | sort >"$scratch/have"
    printf '%s\n' "${list[@]}" | sort | comm -23 - "$scratch/have"
    if [ "$group" = test ]; then
      local pair
      for pair in "${commands_test[@]}"; do
        command -v "${pair%%:*}" >/dev/null || printf '%s\n' "${pair#*:}"
      done
    fi
  done
}

# Without dpkg nothing can be installed, only looked for.
check_other_system() {
  local tool absent=()
  for tool in gcc cmake ninja pkg-config; do
    command -v "$tool" >/dev/null || absent+=("$tool")
  done
  [ ${#absent[@]} -eq 0 ] ||
    die "not a Debian system, and these commands are missing: ${absent[*]}"
  say "not a Debian system: nothing is installed, the build uses what is here"
}

ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    check_other_system
    return
  fi
  local scratch missing
  scratch=$(mktemp -d)
  mapfile -t missing < <(missing_packages "$@")
  rm -rf "$scratch"
  [ ${#missing[@]} -gt 0 ] || return 0
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "missing Debian packages, and neither root nor sudo to install" \
        "them; as root: apt-get install --no-install-recommends ${missing[*]}"
    root=(sudo)
  fi
  command -v apt-get >/dev/null ||
    die "missing Debian packages, and there is no apt-get: ${missing[*]}"
  say "installing Debian packages: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${root[@]}" apt-get update &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y \
      --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    die "apt-get could not install: ${missing[*]}"
  fi
  rm -f "$log"
}

# Every C file of ours, one a line.
c_files() {
  find src tests bench -name node_modules -prune -o \
    -name '*.[ch]' -print 2>/dev/null | sort
}
