package command

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestThirdSignalEnds: the first signal ends what is done, and the third ends ebb, whatever it
// waits for.
func TestThirdSignalEnds(t *testing.T) {
	exits := make(chan int, 1)
	ctx, i := untilSignal(context.Background(), func(code int) { exits <- code })
	defer i.Stop()
	i.c <- unix.SIGTERM
	<-ctx.Done()
	i.c <- unix.SIGINT
	select {
	case code := <-exits:
		t.Errorf("the second ends it with %d", code)
	case <-time.After(10 * time.Millisecond):
	}
	i.c <- unix.SIGINT
	select {
	case code := <-exits:
		if want := int(BySignal(unix.SIGINT)); code != want {
			t.Errorf("it ends with %d, want %d", code, want)
		}
	case <-time.After(time.Minute):
		t.Error("the third does not end it")
	}
	if err := i.Or(ctx.Err()); err != StatusError(BySignal(unix.SIGTERM)) {
		t.Errorf("the measurement's error is %v", err)
	}
}
