package partitions

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/fulltest"
)

var (
	partitions = flag.Int("partitions.count", 4, "number of partitions")
	kills      = flag.Int("partitions.kills", 20, "how often the leader of a partition is killed")
)

// Leaders are killed while sinks join and leave, then a node is stopped for a while, and then the
// store of one is full: every frame is stored once, and each follower receives each frame once.
func TestLeadersKilled(t *testing.T) {
	fulltest.Long(t)
	r := newRig(t)
	r.sink()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	sessions := make([]*recorded, 12)
	var recording sync.WaitGroup
	for i := range sessions {
		sessions[i] = &recorded{name: fmt.Sprint("s", i)}
		recording.Go(func() { r.record(ctx, sessions[i]) })
	}
	wait := func() { time.Sleep(time.Second) } // the load goes on between two faults
	wait()
	for i := range *kills {
		stop := r.sink() // another one joins
		n := r.leader(i % *partitions)
		n.kill()
		wait()
		stop() // and leaves, with a node away
		n.start(t, room)
		r.whole()
	}
	r.leader(0).pause(3 * time.Second)
	r.whole()
	full := r.leader(*partitions - 1) // its store has no room for anything more
	full.kill()
	full.start(t, 1<<20)
	wait()
	wait()
	full.kill()
	full.start(t, room)
	r.whole()
	wait()
	end()
	recording.Wait()
	frames := 0
	for _, s := range sessions {
		r.check(s)
		frames += s.frames
	}
	t.Logf("%d frames of %d sessions, %d leaders killed", frames, len(sessions), *kills)
}
