#!/usr/bin/env bash
# Makes a fresh machine ready: Python packages in .venv, Java, the jars Spark needs, a PostgreSQL server that tests start.
# Does nothing when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv
stamp="$venv/.lamina-ready"
wanted="$(cat requirements/dev.txt pyproject.toml scripts/setup.sh | sha256sum | cut -d' ' -f1) $PWD"

say() { printf 'setup: %s\n' "$*" >&2; }
stop() { printf 'setup: %s\n' "$*" >&2; exit 1; }
can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

apt_install() { # the first of the named packages that can be had
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    for package in "$@"; do
        if apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1; then
            return 0
        fi
    done
    return 1
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null &&
            "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

java_version() {
    local java=java
    [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ] && java="$JAVA_HOME/bin/java"
    command -v "$java" >/dev/null || { echo 0; return; }
    "$java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1
}

has_postgres() { # server and client; Debian keeps the server's programs beside PATH
    command -v psql >/dev/null || return 1
    command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

make_venv() {
    local python
    if ! python="$(find_python)"; then
        can_install || stop "Python 3.11, 3.12 or 3.13 is needed: install it, or name it with PYTHON=/path/to/python"
        say "installing Python"
        apt_install python3.11 python3 && python="$(find_python)" || stop "Python 3.11 or later could not be installed"
    fi
    if ! "$python" -m venv "$venv" >/dev/null 2>&1; then
        can_install || stop "\`$python -m venv $venv\` failed: install the venv module of Python (\`python3-venv\`)"
        apt_install "$(basename "$("$python" -c 'import os, sys; print(os.path.realpath(sys.executable))')")-venv" python3-venv || true
        "$python" -m venv --clear "$venv"
    fi
}

install_packages() {
    local pip=("$venv/bin/python" -m pip --quiet --disable-pip-version-check install)
    local builder
    builder="$(mktemp)"
    # pyspark comes as source only: its build tool is installed first, by hash like everything else.
    awk '/^[^ #]/ { ours = /^setuptools==/ } ours' requirements/dev.txt >"$builder"
    "${pip[@]}" --require-hashes --no-deps -r "$builder"
    rm -f "$builder"
    "${pip[@]}" --require-hashes --no-deps --no-build-isolation -r requirements/dev.txt
    "${pip[@]}" --no-deps --no-build-isolation -e .
    # As for every installed package; where the environment forbids to keep bytecode, each start would compile it again.
    env -u PYTHONDONTWRITEBYTECODE "$venv/bin/python" -m compileall -q -x templates src
}

if [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && "$venv/bin/python" -c '' 2>/dev/null; then
    exit 0
fi
started=$SECONDS
if ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
    say "making $venv"
    make_venv
fi
say "installing Python packages (a few minutes the first time: Spark alone is 450 MB)"
install_packages
if [ "$(java_version)" -lt 17 ]; then
    can_install || stop "Java 17 or later is needed: install it, or set JAVA_HOME"
    say "installing Java"
    apt_install openjdk-17-jre-headless openjdk-21-jre-headless default-jre-headless || stop "Java could not be installed"
    [ "$(java_version)" -ge 17 ] || stop "Java 17 or later is needed, found $(java_version)"
fi
if ! has_postgres; then
    # Only tests of sources in a database need it: they say so themselves where it is missing.
    if can_install; then
        say "installing PostgreSQL"
        apt_install postgresql || say "PostgreSQL could not be installed: tests of databases will fail"
    else
        say "PostgreSQL is not installed: tests of databases will fail; install \`postgresql\`"
    fi
fi
say "looking for the jars of Iceberg and of database drivers"
"$venv/bin/python" scripts/resolve_jars.py
printf '%s' "$wanted" >"$stamp"
say "ready after $((SECONDS - started)) s"
