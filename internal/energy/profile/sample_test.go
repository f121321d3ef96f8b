package profile

// sample is a small profile by hand: two threads of the application and a collector's.
func sample() *Profile {
	return &Profile{
		RateHz: 99, Taken: 12, WallNS: 2e9, Windows: 20, OwnCPUNS: 1e6,
		Zones: []Zone{
			{Name: "package-0", Source: "measured", TotalNJ: 2000, Attr: []int64{1600, 2000},
				OthersNJ: []int64{100, 0}, IdleNJ: []int64{300, 0}, RestNJ: []int64{0, 0}},
			{Name: "cores-0", Source: "measured", TotalNJ: 900, Attr: []int64{900, 900},
				OthersNJ: []int64{0, 0}, IdleNJ: []int64{0, 0}, RestNJ: []int64{0, 0}},
		},
		Rules: []string{"ledger", "equal"},
		Threads: []Thread{
			{TID: 10, PID: 10, Comm: "main", Phase: Application, RunNS: 1e9},
			{TID: 11, PID: 10, Comm: "GC Thread#0", Phase: GC, RunNS: 2e8},
			{TID: 12, PID: 10, Comm: "idle", Phase: Application, RunNS: 3e6},
		},
		Frames: []Frame{
			frame("app.core.Parser.parse", "[jit]", "jit"),             // 0
			frame("java.util.HashMap.get", "[jit]", "jit"),             // 1
			frame("app.Main.run", "[jit]", "jit"),                      // 2
			frame("entry_SYSCALL_64", "[kernel]", "kernel"),            // 3
			frame("G1ParScanThreadState::trim", "libjvm.so", "native"), // 4
			frame("[unknown]", "", "unresolved"),                       // 5
			frame("memcpy", "libc.so.6", "native"),                     // 6
			frame("Interpreter", "[jit]", "jit"),                       // 7
		},
		Stacks: []Stack{
			{Thread: 0, Frames: []int{1, 0, 2, 7}, Samples: 6, EnergyNJ: []int64{600, 700},
				ByZone: []int64{600, 300}, Squares: 6e4},
			{Thread: 0, Frames: []int{3, 6, 0, 2}, Samples: 2, EnergyNJ: []int64{300, 100},
				ByZone: []int64{300, 200}, Squares: 4.5e4},
			{Thread: 0, Frames: []int{2}, Samples: 2, EnergyNJ: []int64{200, 100},
				ByZone: []int64{200, 100}, Squares: 2e4},
			{Thread: 1, Frames: []int{4}, Samples: 1, EnergyNJ: []int64{400, 400},
				ByZone: []int64{400, 200}, Squares: 1.6e5},
			{Thread: 0, Frames: []int{5}, Samples: 1, Cut: true, EnergyNJ: []int64{50, 350},
				ByZone: []int64{50, 50}, Squares: 2.5e3},
			{Thread: 2, EnergyNJ: []int64{50, 350}, ByZone: []int64{50, 50}, Squares: 2.5e3},
		},
		Timeline: []Point{{AtNS: 0, DurNS: 1e9, Watts: 12, FreqHz: 3e9},
			{AtNS: 1e9, DurNS: 1e9, Watts: 8, FreqHz: 2e9}},
		Problems: []string{"process 11 had ended before its mappings could be read"},
	}
}

// frame is a frame that has no more than these.
func frame(name, module, kind string) Frame {
	return Frame{Name: name, Module: module, Kind: kind}
}
