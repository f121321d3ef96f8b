package tenants

import (
	"context"
	"errors"
	"strings"
	"time"
)

// kept is a wish that is kept. The Keeper's mutex guards its fields.
type kept struct {
	end     context.CancelFunc
	now     chan struct{} // says that it may ask now
	since   time.Time     // when its lease began; zero: it has none
	crowded bool          // the service had no lease left
	// promised is the time until which a lease that another namespace gave back is for this one.
	promised time.Time
}

// wait waits for a pause, and reports whether the wish may ask at once.
func (o *kept) wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-o.now:
		return true
	case <-time.After(pause):
	case <-ctx.Done():
	}
	return false
}

// noLeases ends the service's reason where all leases of the agent are taken.
const noLeases = " leases, and no more can be"

// answered notes how a wish was answered.
func (k *Keeper) answered(o *kept, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var no refusal
	o.since, o.crowded = time.Time{}, errors.As(err, &no) && strings.HasSuffix(string(no), noLeases)
	if err == nil {
		o.since = time.Now()
	}
	if !o.crowded {
		o.promised = time.Time{}
	}
}

// may reports whether a wish may ask: while leases are promised, only those they are promised to.
func (k *Keeper) may(o *kept) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	for _, other := range k.kept {
		if other.promised.After(now) {
			return o.promised.After(now)
		}
	}
	return true
}

// share has the namespaces with the most leases give some back, where others wish in vain: each has
// as many as it wishes for, or as many as any other within one. The newest lease ends first.
func (k *Keeper) share(ctx context.Context) {
	now := time.Now()
	has, vain, last := map[string]int{}, map[string]Wish{}, map[string]Wish{}
	for {
		clear(has)
		clear(vain)
		clear(last)
		for w, o := range k.kept {
			switch young, is := last[w.Namespace]; {
			case o.promised.After(now):
				has[w.Namespace]++
			case !o.since.IsZero():
				has[w.Namespace]++
				if !is || o.since.After(k.kept[young].since) {
					last[w.Namespace] = w
				}
			case o.crowded:
				vain[w.Namespace] = w
			}
		}
		poor, rich := "", ""
		for space := range vain {
			if poor == "" || has[space] < has[poor] {
				poor = space
			}
		}
		for space := range last {
			if rich == "" || has[space] > has[rich] {
				rich = space
			}
		}
		if poor == "" || rich == "" || has[rich] <= has[poor]+1 {
			return
		}
		gives, takes := last[rich], k.kept[vain[poor]]
		k.kept[gives].end()
		k.begin(ctx, gives, k.late)
		takes.promised = now.Add(k.late)
		select {
		case takes.now <- struct{}{}:
		default:
		}
	}
}
