package memorylimit

import (
	"runtime"
	"sync"
	"time"
)

const (
	// LargeGarbage is the size of memory, bytes, from which on AfterCollection waits for its
	// collection.
	LargeGarbage = 1 << 20
	// garbageShare is the part of the memory of which garbage is collected at once.
	garbageShare = 32
	// garbageFor is how long less garbage is left to collections that occur for other reasons.
	garbageFor = 5 * time.Second
)

// garbage is what has been released and may still be in memory. It is not used in a process without
// a limit of memory.
var garbage struct {
	mu         sync.Mutex // guards the fields below
	most       int64      // bytes that are collected at once; 0 without a limit of memory
	bytes      int64
	released   []func() // called after the next collection that begins
	collecting bool
	wanted     bool        // a collection shall follow the one that runs
	timer      *time.Timer // wants a collection at the latest
}

// LimitGarbage sets the memory of the process, bytes, for AfterCollection; 0 for no limit. Bound calls
// it.
func LimitGarbage(memory uint64) {
	garbage.mu.Lock()
	defer garbage.mu.Unlock()
	garbage.most = int64(memory / garbageShare)
}

// AfterCollection calls released once n bytes, which the caller no longer uses, are collected: a
// bound of what is in memory must count garbage too, since buffers of megabytes are released faster
// than Go collects them. It returns false, and does not call released, if the memory need not be
// waited for: it is small, or the memory of the process has no limit. released is called from
// another goroutine.
func AfterCollection(n int64, released func()) bool {
	garbage.mu.Lock()
	defer garbage.mu.Unlock()
	if garbage.most == 0 || n < LargeGarbage {
		return false
	}
	garbage.bytes += n
	garbage.released = append(garbage.released, released)
	switch {
	case garbage.bytes >= garbage.most:
		collect()
	case garbage.timer == nil:
		garbage.timer = time.AfterFunc(garbageFor, Collect)
	default:
		garbage.timer.Reset(garbageFor)
	}
	return true
}

// Collect collects the garbage of which AfterCollection was informed, if there is any. It does not
// wait.
func Collect() {
	garbage.mu.Lock()
	defer garbage.mu.Unlock()
	if len(garbage.released) > 0 {
		collect()
	}
}

// collect starts collections in a goroutine. garbage.mu is held.
func collect() {
	garbage.wanted = true
	if garbage.collecting {
		return
	}
	garbage.collecting = true
	go func() {
		garbage.mu.Lock()
		defer garbage.mu.Unlock()
		for garbage.wanted {
			released := garbage.released
			garbage.wanted, garbage.released, garbage.bytes = false, nil, 0
			garbage.mu.Unlock()
			runtime.GC()
			for _, f := range released {
				f()
			}
			garbage.mu.Lock()
		}
		garbage.collecting = false
	}()
}
