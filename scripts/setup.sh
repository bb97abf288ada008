# SPDX-License-Identifier: Apache-2.0
# Sourced by demo.sh and check.sh: packages and builds. Nothing is installed when nothing is missing.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '\n==> %s\n' "$*"; }

# need_packages NAME…: installs the Debian packages that are missing, or says which.
need_packages() {
    local missing=() name
    if ! command -v dpkg-query >/dev/null; then
        echo "This is not a Debian system; the following Debian packages have to be there by other names:"
        echo "    $*"
        return 0
    fi
    for name in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local sudo=()
    if [ "$(id -u)" != 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            echo "Packages are missing, and this user may not install them. Please run:"
            echo "    sudo apt-get install --no-install-recommends ${missing[*]}"
            exit 1
        fi
        sudo=(sudo -n)
    fi
    say "installing ${missing[*]}"
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" >/dev/null
}

# What the library, benchdnn and the examples are built from, and a device to run on.
build_packages=(gcc libc6-dev cmake ninja-build pkg-config ocl-icd-opencl-dev opencl-headers
    pocl-opencl-icd)
# What the tests and benchmarks need beside it.
test_packages=(g++ clang libcmocka-dev libbenchmark-dev mesa-opencl-icd oclgrind
    libopenmpi-dev openmpi-bin)
# What builds for 64-bit ARM, and runs that.
aarch64_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
aarch64_emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu"

# configure PRESET [cmake options]; build does this, and builds build/PRESET.
configure() {
    local preset=$1
    cmake --preset "$@" >"$root/build/$preset.log" 2>&1 || {
        cat "$root/build/$preset.log"
        return 1
    }
}
build() { configure "$@" && ninja -C "build/$1" --quiet; }
