package settings

import "tapedeck/internal/budget"

// Readers are the flags that bound the readers of recordings and their memory, for
// the commands that run servers.
type Readers struct {
	MaxReaders        int  `help:"Playbacks, pages of frames, exports and emulations that are served at a time, together. One more is answered 503." default:"2000" min:">0" unit:"readers" env:"TAPEDECK_MAX_READERS" placeholder:"N"`
	MaxReaderBytes    Size `help:"Memory that recordings may take which are read for them. Beyond it a request waits for 5 seconds and is then answered 503." default:"1GiB" min:"256KiB" env:"TAPEDECK_MAX_READER_BYTES" placeholder:"SIZE"`
	SessionCacheBytes Size `help:"Memory for the streams and the first frames of sessions that were read lately, for all readers together." default:"64MiB" min:"1MiB" env:"TAPEDECK_SESSION_CACHE_BYTES" placeholder:"SIZE"`
}

// Budget returns the budget of readers.
func (l *Readers) Budget() *budget.Budget {
	return budget.New(budget.Options{Bytes: int64(l.MaxReaderBytes), Readers: l.MaxReaders})
}
