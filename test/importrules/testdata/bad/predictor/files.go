package predictor

import "os"

// Keep writes a file by its name in each way that is found.
func Keep(name string, flags int) {
	os.WriteFile(name, nil, 0)
	os.OpenFile(name, os.O_RDWR, 0)
	os.OpenFile(name, flags, 0)
	os.OpenFile(name, os.O_RDONLY, 0)
}
