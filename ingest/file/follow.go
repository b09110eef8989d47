package file

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/copier"
)

// FollowOptions say which file to follow. The zero value of a field stands for
// its default.
type FollowOptions struct {
	Path       string
	FrameLimit int // bytes; default ingest.DefaultFrameLimit
	// StateDir is where the checkpoint lies. Without it the file is recorded
	// from its beginning each time.
	StateDir string
	// Poll is how often the file is looked at, beside the notices of the file
	// system; default 250 ms.
	Poll time.Duration
	// Settle is how long a file that was replaced by another is still read
	// after that was seen and after it last grew: its writer may not have
	// turned to the new one yet; default 500 ms.
	Settle time.Duration
	Log    *slog.Logger
}

// Follow records a file and what is added to it, until ctx ends. The file need
// not exist yet. NDJSON or SSE is told from its content.
//
// A last line without terminator waits for the rest of it. It is recorded as it
// stands when the file is replaced or emptied; when ctx ends it is left to the
// next Follow, or recorded if there is no StateDir.
//
// Rotation is followed, by renaming and creating anew as well as by copying and
// emptying: everything goes into one stream. What the writer adds between a
// copy and the emptying is lost to every reader.
//
// With a StateDir, a checkpoint says up to where everything is durable, and the
// next Follow of the same path, tenant and session goes on there, in the same
// stream, also if the file was renamed meanwhile within its directory. After a
// crash the frames behind the checkpoint are recorded once more, under the same
// stream and seq, where they replace themselves. A file that is replaced twice
// while nobody follows is lost.
//
// The error is for a file that cannot be read and for frames that could not be
// recorded; the summary counts from this call's beginning.
func Follow(ctx context.Context, rec *ingest.Recorder, so ingest.StreamOptions, opts FollowOptions) (ingest.Summary, error) {
	path, err := filepath.Abs(opts.Path)
	if err != nil {
		return ingest.Summary{}, fmt.Errorf("follow %s: %w", opts.Path, err)
	}
	if opts.Poll == 0 {
		opts.Poll = 250 * time.Millisecond
	}
	if opts.Settle == 0 {
		opts.Settle = 500 * time.Millisecond
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if so.Source == "" {
		so.Source = opts.Path
	}
	f := &follower{path: path, opts: opts, rec: rec, so: so, log: opts.Log.With("path", path)}
	if opts.StateDir != "" {
		if f.store, err = openStore(opts.StateDir, path, so.Tenant, so.Session); err != nil {
			return ingest.Summary{}, err
		}
		defer f.store.close()
	}
	recordCtx, cancel := copier.WithGrace(ctx, copier.CloseTimeout)
	defer cancel()
	f.recordCtx = recordCtx
	defer f.drop()
	err = f.run(ctx)
	sum, err := f.end(ctx, err)
	if err != nil {
		err = fmt.Errorf("follow %s: %w", opts.Path, err)
	}
	return sum, err
}

// run goes on until ctx ends, which is no error.
func (f *follower) run(ctx context.Context) error {
	if err := f.resume(); err != nil {
		return err
	}
	w := newWatch(f.path, f.opts.Poll, f.log)
	defer w.close()
	for {
		if err := f.catchUp(ctx); err != nil {
			return err
		}
		moved, err := f.turn()
		if err != nil {
			return err
		}
		f.saveNowAndThen()
		if ctx.Err() != nil || !moved && !w.wait(ctx) {
			return nil
		}
	}
}

// end closes the stream, if one was begun, and leaves the last checkpoint.
func (f *follower) end(ctx context.Context, err error) (ingest.Summary, error) {
	if f.store == nil && err == nil {
		err = f.finish()
	}
	if f.stream == nil {
		return ingest.Summary{}, err
	}
	reason := "closed"
	if err != nil {
		reason = copier.Reason(err)
	}
	sum, closeErr := copier.Close(ctx, f.stream, reason)
	if closeErr == nil {
		f.offsets.Durable(f.firstSeq + sum.Frames)
	}
	if err == nil {
		err = closeErr
	}
	return sum, errors.Join(err, f.save())
}
