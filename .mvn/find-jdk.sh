#!/bin/sh
# Prints the home of a JDK that can build and run Semel, or says on stderr why there is none and fails.
#
# It reads the "release" file that every JDK carries instead of starting "java -version": a JVM costs as much time as
# the command that is to be run. $JAVA_HOME and the java on the path are taken if they are new enough, because somebody
# chose them; if not, they are passed over and the newest JDK in the usual places is taken.
#
# SEMEL_JDK_SEARCH replaces the usual places: file name patterns, separated by colons.
set -u

needed=21
home_directory=${HOME:-/}
search=${SEMEL_JDK_SEARCH-"/usr/lib/jvm/*:/opt/java/*:$home_directory/.sdkman/candidates/java/*:$home_directory/.jdks/*:/Library/Java/JavaVirtualMachines/*/Contents/Home"}
seen=''

# Looks at the directory $1, found by way of $2: true if it holds a JDK that will do. Sets $version, and $rank to compare it.
look_at() {
  version='' rank=0
  [ -r "$1/release" ] || return 1
  while IFS='=' read -r name value || [ -n "$name" ]; do
    if [ "$name" = JAVA_VERSION ]; then
      value=${value#\"}
      version=${value%%\"*}
    fi
  done <"$1/release"

  numbers=${version%%[!0-9.]*} # 25-ea, 1.8.0_402
  major=${numbers%%.*}
  [ -n "$major" ] || return 1
  numbers=${numbers#"$major"} numbers=${numbers#.}
  minor=${numbers%%.*}
  numbers=${numbers#"$minor"} numbers=${numbers#.}
  patch=${numbers%%.*}
  rank=$(((major * 1000 + ${minor:-0}) * 1000 + ${patch:-0}))

  if [ "$major" -lt "$needed" ]; then
    verdict='too old'
  elif [ ! -x "$1/bin/java" ] || [ ! -x "$1/bin/javac" ]; then
    verdict='not a JDK: bin/java or bin/javac is missing'
  else
    return 0
  fi
  seen="$seen
    $1 ($2): version $version, $verdict"
  return 1
}

if [ -n "${JAVA_HOME-}" ] && look_at "${JAVA_HOME%/}" 'JAVA_HOME'; then
  printf '%s\n' "${JAVA_HOME%/}"
  exit 0
fi

java=$(command -v java) || java=''
# The java on the path is usually a link to a link.
while [ -L "$java" ]; do
  target=$(readlink "$java") || break
  case $target in
  /*) java=$target ;;
  *) java=${java%/*}/$target ;;
  esac
done
case $java in
*/bin/java)
  home=$(CDPATH='' cd -P -- "${java%/bin/java}/" && pwd) || home=''
  if [ -n "$home" ] && look_at "$home" 'java on the path'; then
    printf '%s\n' "$home"
    exit 0
  fi
  ;;
esac

best='' best_rank=0
IFS=:
for home in $search; do
  unset IFS
  if look_at "$home" 'found' && [ "$rank" -gt "$best_rank" ]; then
    best=$home best_rank=$rank
  fi
done
if [ -n "$best" ]; then
  printf '%s\n' "$best"
  exit 0
fi

{
  printf 'Semel needs a JDK %s or newer (with javac), and none was found.\n' "$needed"
  printf '  Found:%s\n' "${seen:- nothing}"
  printf '  Looked at: JAVA_HOME, the java on the path'
  IFS=:
  set -f
  for place in $search; do printf ', %s' "$place"; done
  printf '\n  What to do: install a JDK %s or newer, or set JAVA_HOME to the directory of one.\n' "$needed"
} >&2
exit 1
