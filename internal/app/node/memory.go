package node

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A server counts as quiet while it allocates less than quietBytes within quietFor.
const (
	quietFor   = 5 * time.Second
	quietBytes = 4 << 20
	// worthTidying is the number of allocated bytes that justifies a collection.
	worthTidying = 32 << 20
)

// tidyWhenQuiet returns memory to the system when the server has become quiet, until ctx ends. Go
// collects a heap only after it has doubled, so without it the garbage of opening ten thousand
// connections would stay while they are idle.
func tidyWhenQuiet(ctx context.Context) {
	tick := time.NewTicker(quietFor)
	defer tick.Stop()
	before, tidied := allocated(), uint64(0)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := allocated()
		if now-before < quietBytes && now-tidied > worthTidying {
			debug.FreeOSMemory()
			tidied = now
		}
		before = now
	}
}

// allocated returns the bytes allocated since the process began.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
