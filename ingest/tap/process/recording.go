package process

import (
	"context"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/copier"
	"tapedeck/schema"
)

// recording records the chunks of the backlog.
type recording struct {
	recorder *ingest.Recorder
	so       ingest.StreamOptions
	limit    int
	twoWay   bool
	waiting  *backlog
	offsets  *copier.Offsets // of the output
	ctx      context.Context // ends when the recording is cancelled
	cancel   func(error)
	summary  ingest.Summary
}

func newRecording(rec *ingest.Recorder, so ingest.StreamOptions, opts Options) *recording {
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &recording{
		recorder: rec, so: so, limit: opts.FrameLimit, twoWay: opts.TwoWay, waiting: newBacklog(opts.Buffer),
		offsets: copier.NewOffsets(0, 0), ctx: ctx,
	}
	r.cancel = func(err error) {
		r.waiting.fail(err)
		cancel(err)
	}
	return r
}

// copy records what waits, up to its end, as a stream. The stream is nil if it could not be opened.
func (r *recording) copy() (*ingest.Stream, error) {
	transport, source := schema.NDJSON, copier.Source(r.waiting)
	if !r.twoWay {
		transport, source = copier.Sniff(r.waiting)
	}
	r.so.Transport, r.so.Durable = transport, r.offsets.Durable
	s, err := r.recorder.Open(r.so)
	if err != nil {
		return nil, err
	}
	if r.twoWay {
		return s, r.copyBoth(s)
	}
	record := func(f *schema.Frame) error {
		r.offsets.Add(len(f.Raw))
		return s.Record(r.ctx, f)
	}
	return s, copier.Copy(context.Background(), source, copier.NewFramer(transport, r.limit), record)
}

// run records up to the output's end, and closes the stream once the command has ended.
func (r *recording) run(command *running) error {
	defer r.cancel(context.Canceled) // later output is dropped
	s, err := r.copy()
	if s == nil {
		return err
	}
	reason := copier.Reason(err)
	if err == nil {
		select {
		case <-command.exited:
			reason = command.reason()
		case <-r.ctx.Done():
			err = context.Cause(r.ctx)
			reason = copier.Reason(err)
		}
	}
	var closeErr error
	r.summary, closeErr = s.Close(r.ctx, reason)
	if closeErr == nil {
		r.offsets.Durable(r.summary.Frames)
	}
	if err == nil {
		err = closeErr
	}
	return err
}
