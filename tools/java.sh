#!/usr/bin/env bash
# Spark needs Java 17 or newer. Says nothing when it is there; installs Debian's headless JRE when that is possible;
# otherwise says in one line what to install.
set -u
wanted=17

version() { # the major version of the Java that Spark would start, or 0
    local java=java
    [ -n "${JAVA_HOME:-}" ] && java=$JAVA_HOME/bin/java
    local major
    major=$("$java" -version 2>&1 | sed -nE 's/.* version "(1\.)?([0-9]+).*/\2/p' | head -n 1)
    echo "${major:-0}"
}

[ "$(version)" -ge "$wanted" ] && exit 0
advice="Spark needs Java $wanted or newer: install Debian's default-jre-headless (or openjdk-$wanted-jre-headless), or set JAVA_HOME."
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$advice" >&2
    exit 1
fi
echo "java: installing a headless JRE (Spark needs Java $wanted or newer)"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
apt-get update -q >"$log" 2>&1
for package in default-jre-headless "openjdk-$wanted-jre-headless"; do
    apt-get install -qy --no-install-recommends "$package" >>"$log" 2>&1 && [ "$(version)" -ge "$wanted" ] && exit 0
done
tail -n 5 "$log" >&2
echo "$advice" >&2
exit 1
