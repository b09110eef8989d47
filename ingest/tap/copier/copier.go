package copier

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// CloseTimeout bounds how long the end of a recording waits until all of it is
// durable.
const CloseTimeout = 30 * time.Second

// ReadError reports that reading the source failed, as opposed to recording it.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return "read: " + e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

// Copy reads a source to its end, splits the bytes into frames and passes the frames to record. If
// the source fails or ctx ends, Copy records what had arrived, with a mark on an incomplete last
// frame. The end of ctx does not interrupt a pending read: see Interruptible. Copy returns a
// ReadError if the source failed, the cause of ctx if ctx ended, and otherwise the error of record.
func Copy(ctx context.Context, from Source, c ingest.Framer, record func(*schema.Frame) error) error {
	for {
		p, at, err := from.Next()
		if err == nil {
			err = c.Split(p, at, record)
		} else if !errors.Is(err, io.EOF) {
			err = &ReadError{err}
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, io.EOF):
			return c.End(ingest.Now(), record)
		case err == context.Cause(ctx) || isReadError(err):
			if failed := c.End(ingest.Now(), record); failed != nil && !isReadError(failed) {
				return failed
			}
		}
		return err
	}
}

func isReadError(err error) bool {
	_, ok := errors.AsType[*ReadError](err)
	return ok
}

// WithGrace returns a context that ends d after ctx. It lets a frame that was read still be
// recorded after the source was stopped: a recording fails permanently if the context of
// one of its frames ends.
func WithGrace(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(fmt.Errorf("not recorded within %v: %w", d, context.Cause(ctx)))
		case <-longer.Done():
		}
	})
	return longer, func() {
		stop()
		cancel(context.Canceled)
	}
}

// CopyAndClose records a source to its end and closes the stream. The end reason is "eof", "closed"
// if ctx ended, or "error: …" with the error of the source. Under backpressure from the recorder it
// does not read. It waits until all frames are durable, for CloseTimeout at most, even if ctx has
// ended. The end of ctx is not an error. The summary is valid even if there is an error.
func CopyAndClose(ctx context.Context, from Source, c ingest.Framer, s *ingest.Stream) (ingest.Summary, error) {
	recordCtx, cancel := WithGrace(ctx, CloseTimeout)
	defer cancel()
	err := Copy(ctx, from, c, func(f *schema.Frame) error { return s.Record(recordCtx, f) })
	reason := Reason(err)
	if ended := context.Cause(ctx); ended != nil && (err == ended || isReadError(err)) {
		err, reason = nil, "closed"
	}
	sum, closeErr := Close(ctx, s, reason)
	if err == nil {
		err = closeErr
	}
	return sum, err
}

// Record records a source as one stream. The first bytes decide between NDJSON and SSE. The
// frame limit is in bytes, 0 for ingest.DefaultFrameLimit. Invalid options are an error;
// for the rest see CopyAndClose. The source of standard input is
// NewReader(Interruptible(ctx, os.Stdin)).
func Record(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, from Source, frameLimit int) (ingest.Summary, error) {
	so.Transport, from = Sniff(from)
	s, err := rec.Open(so)
	if err != nil {
		return ingest.Summary{}, err
	}
	return CopyAndClose(ctx, from, NewFramer(so.Transport, frameLimit), s)
}

// Reason returns the end reason of a stream whose copying ended with err.
func Reason(err error) string {
	if err == nil {
		return "eof"
	}
	if read, ok := errors.AsType[*ReadError](err); ok {
		err = read.Err
	}
	return "error: " + err.Error()
}

// Close closes a stream and waits until it is durable, for CloseTimeout at most, even if ctx has
// ended.
func Close(ctx context.Context, s *ingest.Stream, reason string) (ingest.Summary, error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), CloseTimeout,
		fmt.Errorf("not confirmed within %v", CloseTimeout))
	defer cancel()
	sum, err := s.Close(ctx, reason)
	if err != nil {
		err = fmt.Errorf("end the recording of stream %s: %w", s.ID(), err)
	}
	return sum, err
}
