package main

import (
	"tapedeck/internal/budget"
	"tapedeck/internal/usage"
)

// readerLimits are the flags that bound the readers of recordings and their memory, for
// the commands that run servers.
type readerLimits struct {
	MaxReaders     int   `help:"Playbacks, pages of frames, exports and emulations that are served at a time, together. One more is answered 503." default:"2000" env:"TAPEDECK_MAX_READERS" placeholder:"N"`
	MaxReaderBytes int64 `help:"Memory, bytes, that recordings may take which are read for them. Beyond it a request waits for 5 seconds and is then answered 503." default:"1073741824" env:"TAPEDECK_MAX_READER_BYTES" placeholder:"BYTES"`
}

// check refuses limits that would refuse all readers.
func (l *readerLimits) check() error {
	if l.MaxReaders <= 0 {
		return usage.Errorf("--max-readers=%d: it must be above 0", l.MaxReaders)
	}
	if l.MaxReaderBytes < budget.Base {
		return usage.Errorf("--max-reader-bytes=%d: one reader takes %d", l.MaxReaderBytes, budget.Base)
	}
	return nil
}

func (l *readerLimits) budget() *budget.Budget {
	return budget.New(budget.Options{Bytes: l.MaxReaderBytes, Readers: l.MaxReaders})
}
