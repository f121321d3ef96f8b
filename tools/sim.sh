#!/bin/bash
# The governor on simulated machines: make sim [RUNS=1000] [FROM=1], how many and the first one's seed.
# Then the programs with unlike threads, and the figures of the evaluation against those of the last
# commit that changed them.
set -euo pipefail
cd "$(dirname "$0")/.."
go test ./simtest/campaign -run 'TestCampaign|TestUnreported' -timeout 60m -v -runs "${RUNS:-1000}" -from "${FROM:-1}"
go test ./simtest/campaign -run TestUnlike -timeout 60m -v -unlike 20
go test ./internal/lab/eval -run TestSameNumbers -timeout 60m -v -whole
