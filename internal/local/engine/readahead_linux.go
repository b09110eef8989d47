package engine

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	// readaheadPiece bounds one request: for each request the kernel reads no more than the
	// read-ahead of the device.
	readaheadPiece   = 128 << 10
	readaheadWorkers = 4
)

// readAhead makes the kernel read a library into its cache, in order and in parallel. The loader
// and the engine's start access most pages of the library in random order, which takes several
// times as long for a file that is not cached. For a cached file it costs milliseconds. Failures
// are ignored.
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
