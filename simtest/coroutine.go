package simtest

import "iter"

// coroutine is a thread's body, which goes on when it is entered and comes back when it waits.
type coroutine struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// errStopped unwinds a body whose machine was closed.
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

// enter lets the body go on until it waits; it returns false when the body has ended.
func (c *coroutine) enter() bool {
	_, goesOn := c.next()
	return goesOn
}

// leave waits until the body is entered again. It is called by the body.
func (c *coroutine) leave() {
	if !c.yield(struct{}{}) {
		panic(errStopped{})
	}
}
