package node

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// A server counts as quiet while it allocates less than quietBytes within quietFor, or less than
// 1/quietShare of its heap.
const (
	quietFor   = 5 * time.Second
	quietBytes = 4 << 20
	quietShare = 8
	// worthTidying is the number of allocated bytes that justifies a collection.
	worthTidying = 32 << 20
	// repeats is the number of further collections: pools release what they keep in the second one,
	// and the sink releases its columns some seconds after the last block.
	repeats = 2
)

// tidyWhenQuiet returns memory to the system when the server has become quiet, until
// ctx ends. Go collects a heap only when it has grown, so the garbage of large frames, or of
// opening ten thousand connections, would stay as long as the server has little to do.
func tidyWhenQuiet(ctx context.Context) {
	tick := time.NewTicker(quietFor)
	defer tick.Stop()
	before, tidied, more := allocated(), uint64(0), 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := allocated()
		if now-before < max(quietBytes, heap()/quietShare) && (now-tidied > worthTidying || more > 0) {
			if more--; now-tidied > worthTidying {
				more = repeats
			}
			debug.FreeOSMemory()
			now = allocated()
			tidied = now
		}
		before = now
	}
}

// allocated returns the bytes allocated since the process began.
func allocated() uint64 { return read("/gc/heap/allocs:bytes") }

// heap returns the memory that the heap has obtained from the system, including garbage, bytes.
func heap() uint64 {
	return read("/memory/classes/heap/objects:bytes") + read("/memory/classes/heap/free:bytes") + read("/memory/classes/heap/unused:bytes")
}

// read returns a metric of the runtime.
func read(name string) uint64 {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
