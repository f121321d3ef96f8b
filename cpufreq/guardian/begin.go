package guardian

import "time"

// An ebb that begins has stalled when so many looks in a row find nothing new. They count and not
// the time, so that a machine that was paused raises no alarm.
const (
	beginLooks = 8
	beginTime  = beginLooks * lookEvery
	beatPause  = lookEvery / 2
)

// Begin has both processes put the frequencies back when ebb stands still for beginTime, as one
// that was stopped, from Take until Began. Nobody is to read what the kernel's programs write
// before ebb governs, so these cannot say it. A thread that hangs while others run is not seen.
func (g *Guardian) Begin() {
	began := make(chan struct{})
	g.limit, g.began = beginTime, began
	g.page.beats.Store(1)
	g.beating.Go(func() {
		beat := time.NewTicker(beatPause)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				g.page.beats.Add(1)
			case <-began:
				g.page.beats.Store(0)
				return
			}
		}
	})
}

// Began ends what Begin has begun, when another watch has taken over. Later calls do nothing.
func (g *Guardian) Began() {
	if g.began == nil {
		return
	}
	close(g.began)
	g.beating.Wait()
	g.began = nil
}

// beginning is what one of the two processes knows of an ebb that begins.
type beginning struct {
	heard int64 // beats at the last check
	looks int   // number of looks in a row that found nothing new
	over  bool  // ebb has stalled
}

// look reports whether ebb has stalled.
func (b *beginning) look(beats int64) bool {
	if beats != b.heard {
		*b = beginning{heard: beats}
		return false
	}
	b.looks++
	b.over = b.looks == beginLooks
	return b.over
}
