package node

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// A burst is followed by a few collections as soon as nothing more is allocated.
func TestTidyWhenQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go tidyWhenQuiet(ctx)
		time.Sleep(quietFor / 2) // virtual time: the burst is within an interval
		for range 2 * worthTidying >> 20 {
			sunk = make([]byte, 1<<20)
		}
		burst := collections()
		time.Sleep((2 + repeats) * quietFor) // virtual time: quiet intervals
		tidied := collections()
		if tidied == burst {
			t.Error("nothing was collected after the burst")
		}
		time.Sleep(10 * quietFor) // virtual time: nothing may happen in it
		if n := collections(); n != tidied {
			t.Errorf("%d more collections, though there was nothing to collect", n-tidied)
		}
	})
}

// sunk keeps the compiler from leaving an allocation out.
var sunk []byte

func collections() uint32 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.NumGC
}
