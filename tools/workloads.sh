#!/bin/bash
# Usage: tools/workloads.sh [DIR]
# Builds the bundled workloads for which this machine has compilers and jars into DIR (default
# build/workloads). It prints one line for each: its name, a tab, and the command that runs it with
# its default arguments.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=${1:-build/workloads}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
jars=/usr/share/java

line() { printf '%s\t%s\n' "$1" "$2"; }
skip() { echo "workloads: no $1: $2" >&2; }

CGO_ENABLED=0 go build -o "$dir/contend" ./test/workloads/go
line contend "$dir/contend"
cp -f "$dir/contend" "$dir/split-go" # its name says which it is
line split-go "$dir/split-go"

for c in test/workloads/c/*.c; do
	name=$(basename "$c" .c)
	if ! command -v gcc >/dev/null; then
		skip "$name" "gcc is not installed"
		continue
	fi
	gcc -std=gnu11 -O2 -Wall -Wextra -Werror -fno-omit-frame-pointer -pthread -o "$dir/$name" "$c"
	line "$name" "$dir/$name"
done

if ! command -v javac >/dev/null || ! command -v java >/dev/null; then
	skip "Java workload" "java and javac are not installed"
	exit 0
fi
# One javac start for all programs. Each runs with the jars that it needs.
classes=$dir/classes
sources=()
all_jars=
java_program() { # name, main class, jars with ':' between, sources
	local name=$1 main=$2 cp=$3
	shift 3
	sources+=("$@")
	all_jars+=${cp:+:$cp}
	line "$name" "java${options:+ $options} -cp $classes${cp:+:$cp} $main"
}
java_program java-contend Contend "" test/workloads/java/Contend.java
# Its methods are not inlined, like split's in C and Go, and its collector has threads of its own,
# which a JVM on one CPU does not choose by itself.
options='-XX:+UseG1GC -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,Split::*' \
	java_program java-split Split "" test/workloads/java/Split.java

dacapo() { # main class, jars
	local main=$1 name=${1,,} cp="" jar
	shift
	for jar in "$@"; do
		if [ ! -e "$jars/$jar" ]; then
			skip "$name" "$jars/$jar is missing (see tools/packages.txt)"
			return
		fi
		cp=${cp:+$cp:}$jars/$jar
	done
	java_program "$name" "$main" "$cp" "test/workloads/dacapo/$main.java"
}
dacapo Xalan xalan2.jar serializer.jar xercesImpl.jar
dacapo Batik batik-all.jar xmlgraphics-commons.jar xml-apis-ext.jar commons-io.jar commons-logging.jar
dacapo H2 h2.jar
dacapo Lucene lucene-core-4.10.4.jar lucene-analyzers-common-4.10.4.jar
dacapo Jython jython.jar
dacapo Sunflow sunflow.jar janino.jar commons-compiler.jar
dacapo Tomcat tomcat10-embed-core.jar
javac -nowarn -d "$classes" -cp "${all_jars#:}" test/workloads/dacapo/Load.java "${sources[@]}"
