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

// ReadError says that a source failed, rather than its recording.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return "read: " + e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }

// Copy has a source's bytes cut into frames and hands these to record, up to
// the source's end. What had arrived when the source failed or ctx ended is
// recorded, the last frame marked if it is not complete. Waiting for a read does
// not end with ctx by itself: see Interruptible. The error is a ReadError if the
// source failed, the cause if ctx ended, otherwise that of record.
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

// WithGrace gives a context that ends d after ctx has: a frame that was read is
// still recorded, though its source is told to stop, for a recording fails for
// good with the context of one frame.
func WithGrace(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(fmt.Errorf("not taken within %v: %w", d, context.Cause(ctx)))
		case <-longer.Done():
		}
	})
	return longer, func() {
		stop()
		cancel(context.Canceled)
	}
}

// CopyAndClose records a source up to its end and closes the stream: with the reason
// "eof", "closed" if ctx ended, or "error: …" and the source's error. While the
// recorder pushes back, nothing is read. CopyAndClose waits until everything is durable,
// CloseTimeout at most, also after ctx has ended. The summary is valid also if
// there is an error; that ctx ended is none.
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

// Record records a source as one stream, NDJSON or SSE as its first bytes tell,
// with a frame limit in bytes, 0 for ingest.DefaultFrameLimit. For the rest see
// CopyAndClose; options that cannot be are an error as well. For standard input the
// source is NewReader(Interruptible(ctx, os.Stdin)).
func Record(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, from Source, frameLimit int) (ingest.Summary, error) {
	so.Transport, from = Sniff(from)
	s, err := rec.Open(so)
	if err != nil {
		return ingest.Summary{}, err
	}
	return CopyAndClose(ctx, from, NewFramer(so.Transport, frameLimit), s)
}

// Reason is how a stream's end reads after err.
func Reason(err error) string {
	if err == nil {
		return "eof"
	}
	if read, ok := errors.AsType[*ReadError](err); ok {
		err = read.Err
	}
	return "error: " + err.Error()
}

// Close closes a stream and waits until it is durable, CloseTimeout at most,
// also if ctx has ended.
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
