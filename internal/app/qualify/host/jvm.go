package host

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/ebb-energy/ebb/internal/app/qualify"
)

// JVM finds a working JVM in the directories of PATH.
func JVM(ctx context.Context) (java string, err error) {
	java, err = exec.LookPath("java")
	if err == nil {
		java, err = filepath.Abs(java)
	}
	if err != nil {
		return "", lacks(qualify.NotSupported, "there is no java in the directories of PATH")
	}
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	// Without pipes: if a script that starts the JVM is killed, the JVM may keep them open.
	if err := exec.CommandContext(ctx, java, "-version").Run(); err != nil {
		return "", fmt.Errorf("%s -version: %w", java, err)
	}
	return java, nil
}
