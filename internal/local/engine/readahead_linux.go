package engine

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	// readaheadPiece bounds one request: the kernel reads no more than the read-ahead of the
	// device for each.
	readaheadPiece   = 128 << 10
	readaheadWorkers = 4
)

// readAhead has the kernel read a library into its cache, in order and in parallel. The loader
// and the engine's start touch most pages of it in no order, which takes several times as long
// on a file that is not cached. It costs milliseconds for one that is. Failures do not matter.
func readAhead(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return
	}
	var workers sync.WaitGroup
	for i := range int64(readaheadWorkers) {
		workers.Go(func() {
			for at := i * readaheadPiece; at < info.Size(); at += readaheadWorkers * readaheadPiece {
				if unix.Fadvise(int(f.Fd()), at, readaheadPiece, unix.FADV_WILLNEED) != nil {
					return
				}
			}
		})
	}
	workers.Wait()
}
