#!/usr/bin/env bash
# bare-machine.sh - does a bare Debian 12 with git and apt suffice?
#
# Makes a minimal root by debootstrap (kept for the next time), clones the
# committed tree into it, without ../shared, and runs `./dev ARGUMENTS` there.
#
#   scripts/bare-machine.sh FOLDER test [stage...]
#   scripts/bare-machine.sh FOLDER run --port 0
#
# Root only; needs debootstrap. Mounts are undone at the end.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
root=${1:?usage: bare-machine.sh FOLDER test|run ...}
shift

if [ ! -x "$root/usr/bin/apt-get" ]; then
  debootstrap --variant=minbase --include=git,ca-certificates bookworm "$root"
fi

# The ways to the package registries are the host's.
copy() { [ ! -e "$1" ] || { mkdir -p "$root$(dirname "$1")" && cp -rL "$1" "$root$1"; }; }
for path in /etc/resolv.conf /etc/hosts /etc/apt /etc/ssl/certs \
  /usr/local/share/ca-certificates "$HOME/.npmrc" /etc/npmrc; do
  copy "$path"
done

leave() {
  umount -l "$root/proc" "$root/dev" 2>/dev/null || true
}
trap leave EXIT
mount -t proc proc "$root/proc"
mount --rbind --make-rslave /dev "$root/dev"

rm -rf "$root/root/bare" && mkdir -p "$root/root/bare"
git clone -q "$here" "$root/root/bare/mcpluad"
chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" \
  npm_config_registry="${npm_config_registry:-}" \
  NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-}" SSL_CERT_FILE="${SSL_CERT_FILE:-}" \
  bash -c 'cd /root/bare/mcpluad && ./dev "$@"' dev "$@"
