#!/usr/bin/env bash
# Lets this machine run another processor's programs by qemu: foreign.sh arm64
# Debian's package leaves that to systemd, which may not run here. Stays until the machine restarts.
set -euo pipefail
[ "$1" = arm64 ] || { echo "Only arm64 is known, not $1." >&2; exit 2; }
qemu=/usr/bin/qemu-aarch64-static registered=/proc/sys/fs/binfmt_misc
[ -x "$qemu" ] || { echo "Missing: $qemu. Install Debian's package qemu-user-static." >&2; exit 1; }
[ -e "$registered/register" ] || mount -t binfmt_misc binfmt_misc "$registered"
[ -e "$registered/qemu-aarch64" ] && exit 0
# What an ELF file for this processor begins with, and which bits of it count (as in Debian's own table).
# F: the kernel opens qemu now, so that it is found in any root folder.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
echo ":qemu-aarch64:M::$magic:$mask:$qemu:FC" > "$registered/register"
