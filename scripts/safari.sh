#!/usr/bin/env bash
# SAFARI's tables on kernels of our own: functions/tables. The results go to functions/tables/results.txt. ROUNDS= says how often
# everything is measured.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v gcc >/dev/null || { echo "safari: there is no gcc to compile the kernels with" >&2; exit 1; }
mkdir -p build/kernels
go build -o build/tables ./functions/tables
build/tables -rounds "${ROUNDS:-7}" | tee build/safari.txt
mv build/safari.txt functions/tables/results.txt
