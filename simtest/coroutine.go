package simtest

import "iter"

// coroutine is a thread's body. It continues when the engine enters it and returns when it waits.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// errStopped unwinds the body of a thread whose computer was closed.
type errStopped struct{}

func newCoroutine(t *Thread, body func(*Thread)) {
	t.body.next, t.body.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil {
				if _, stopped := r.(errStopped); !stopped {
					panic(r)
				}
			}
		}()
		t.body.yield = yield
		body(t)
	})
}

// enter runs the body until it waits. It returns false if the body has ended.
func (c *coroutine) enter() bool {
	_, goesOn := c.next()
	return goesOn
}

// leave returns to the engine until it enters the body again. The body calls it.
func (c *coroutine) leave() {
	if !c.yield(struct{}{}) {
		panic(errStopped{})
	}
}
