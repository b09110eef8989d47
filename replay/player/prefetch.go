package player

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tapedeck/replay"
)

// prefetcher reads a tape without blocking the player: the reader runs in a separate goroutine,
// which fetches a batch whenever the current one is used up.
type prefetcher struct {
	tape replay.Tape
	stop func() // ends the goroutine and waits for it; nil while no reader is open

	wanted  chan<- struct{} // requests frames from the goroutine
	arrived <-chan arrival
	batch   []replay.Frame // memory of the reader; valid until frames are requested again
	at      int            // index of the next frame in batch
	err     error          // the reader's final error
	live    bool           // the reader has returned all frames so far
}

type arrival struct {
	frames []replay.Frame
	err    error
}

// errWaiting is the error while a batch is being read.
var errWaiting = errors.New("waiting for the tape")

// open starts reading at another place. If it fails, the previous reader remains open.
func (f *prefetcher) open(ctx context.Context, q replay.Query) error {
	ctx, cancel := context.WithCancel(ctx)
	reader, err := f.tape.Read(ctx, q)
	if err != nil {
		cancel()
		return fmt.Errorf("read the tape from %s: %w", q.From.Position, err)
	}
	f.close()
	wanted, arrived, done := make(chan struct{}, 1), make(chan arrival, 1), make(chan struct{})
	*f = prefetcher{tape: f.tape, wanted: wanted, arrived: arrived}
	f.stop = func() {
		cancel()
		close(wanted)
		<-done
	}
	wanted <- struct{}{}
	go func() {
		defer close(done)
		defer reader.Close()
		serveBatches(ctx, reader, wanted, arrived)
	}()
	return nil
}

// serveBatches sends one arrival for each request on wanted, until the first error or until wanted
// is closed. The end of ctx alone must not end it, since the reader's memory is in use. There is
// one request at a time, for which both channels have room.
func serveBatches(ctx context.Context, r replay.Reader, wanted <-chan struct{}, arrived chan<- arrival) {
	for range wanted {
		frames, err := r.Next(ctx)
		arrived <- arrival{frames, err}
		if err != nil && err != replay.ErrLive {
			return
		}
	}
}

// close ends reading. The current frames become invalid.
func (f *prefetcher) close() {
	if f.stop != nil {
		f.stop()
	}
	*f = prefetcher{tape: f.tape}
}

// next returns the next frame. It returns the same frame until taken is called. The error is
// errWaiting while the frame is not available yet, and io.EOF after the last frame.
func (f *prefetcher) next() (*replay.Frame, error) {
	if fr := f.peek(); fr != nil {
		return fr, nil
	}
	if f.err == nil {
		select {
		case a := <-f.arrived:
			f.accept(a)
			return f.next()
		default:
			return nil, errWaiting
		}
	}
	if f.err == io.EOF {
		return nil, io.EOF
	}
	return nil, fmt.Errorf("read the tape: %w", f.err)
}

// peek returns the next frame if it is in the batch, else nil.
func (f *prefetcher) peek() *replay.Frame {
	if f.at < len(f.batch) {
		return &f.batch[f.at]
	}
	return nil
}

// taken advances past the next frame.
func (f *prefetcher) taken() {
	if f.at++; f.at == len(f.batch) {
		f.wanted <- struct{}{}
	}
}

// accept stores an arrival.
func (f *prefetcher) accept(a arrival) {
	if f.live = a.err == replay.ErrLive; f.live {
		f.batch, f.at = nil, 0
		f.wanted <- struct{}{}
		return
	}
	f.batch, f.at, f.err = a.frames, 0, a.err
}

// ended reports whether the tape is known to have no further frame.
func (f *prefetcher) ended() bool { return f.peek() == nil && f.err == io.EOF }
