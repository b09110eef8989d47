package compressed

import (
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// encoder is a compressor that is used for one answer after another.
type encoder interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

// coding is a content coding with its idle encoders.
type coding struct {
	name string
	idle *sync.Pool // of encoder
}

// codings are those that answers may have, the cheapest first. Their levels and windows are chosen
// for the memory of many streamed answers at a time: 0.6 to 1.3 MiB for each (TestMemory).
var codings = []coding{
	{"zstd", &sync.Pool{New: func() any {
		// The same window as for gzip and Brotli here; zstd's own default is 4 MiB.
		z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(128<<10))
		if err != nil {
			panic(err) // the options are constants
		}
		return z
	}}},
	{"gzip", &sync.Pool{New: func() any {
		z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		if err != nil {
			panic(err) // the level is a constant
		}
		return z
	}}},
	{"br", &sync.Pool{New: func() any {
		return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: 2, LGWin: 17})
	}}},
}
