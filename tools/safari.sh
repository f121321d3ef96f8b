#!/usr/bin/env bash
# SAFARI's tables on kernels of our own and on two of Debian's programs, compiled with the hooks: test/papers. The results go
# to docs/figures/safari.txt. ROUNDS= says how often everything is measured; it takes about a minute for each round and two
# before the first. Debian's sources stay below build/sources; without a network, or tclsh for SQLite, the results say so.
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${ROUNDS:-7}
command -v gcc >/dev/null || { echo "safari: there is no gcc to compile the kernels with" >&2; exit 1; }
[ "$(id -u)" = 0 ] || echo "safari: table I takes root and is left out" >&2
mkdir -p build/kernels build/sources

# fetch DIRECTORY FILE SHA256 FOLDER: Debian's upstream archive of bookworm, unpacked to build/sources/DIRECTORY. The sum is that of
# the package's .dsc. Where it fails, DIRECTORY.why says why.
fetch() {
	local to=build/sources/$1 file=build/sources/$2
	[ ! -e "$to/.whole" ] || return 0
	rm -rf "$to" "$to.why"
	if ! curl -sSfL --max-time 120 -o "$file" "http://deb.debian.org/debian/pool/main/$4/$2" 2>"$to.why"; then
		return 1
	fi
	if ! echo "$3  $file" | sha256sum -c --quiet - >/dev/null 2>&1; then
		echo "$2 has another checksum than the package's" >"$to.why"
		rm -f "$file"
		return 1
	fi
	tar -xf "$file" -C build/sources 2>"$to.why" || return 1
	rm -f "$file" "$to.why"
}

fetch bzip2-1.0.8 bzip2_1.0.8.orig.tar.gz ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269 b/bzip2 &&
	touch build/sources/bzip2-1.0.8/.whole
# SQLite's one file is made of many, by tclsh.
sqlite=build/sources/sqlite3-3.40.1
if ! command -v tclsh >/dev/null; then
	echo "there is no tclsh to make SQLite's sources with" >$sqlite.why
elif [ ! -e $sqlite/.whole ] &&
	fetch sqlite3-3.40.1 sqlite3_3.40.1.orig.tar.xz aaa776260ab4dc976db34aa7891819484c8676b5b2783123ebc6301e2ca5d655 s/sqlite3; then
	(cd $sqlite && ./configure --disable-tcl && make sqlite3.c) >build/sources/sqlite.log 2>&1 && touch $sqlite/.whole ||
		{ rm -f $sqlite/sqlite3.c && echo "its sources cannot be made: build/sources/sqlite.log" >$sqlite.why; }
fi

echo "safari: $rounds rounds take about $((rounds + 2)) minutes where nothing else runs" >&2
go build -o build/papers ./test/papers
build/papers safari -rounds "$rounds" | tee build/safari.txt
mv build/safari.txt docs/figures/safari.txt
echo "safari: took $((SECONDS / 60)) minutes $((SECONDS % 60)) seconds; docs/figures/safari.txt has the tables" >&2
