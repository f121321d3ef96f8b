module github.com/ebb-energy/ebb

go 1.26
