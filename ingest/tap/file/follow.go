package file

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/copier"
)

// FollowOptions configure following a file. The zero value of a field means its default.
type FollowOptions struct {
	Path       string
	FrameLimit int // bytes; default ingest.DefaultFrameLimit
	// StateDir is the directory of the checkpoint. Without it, each Follow records the file from
	// its beginning.
	StateDir string
	// Poll is the interval at which the file is checked, in addition to file system events;
	// default 250 ms.
	Poll time.Duration
	// Settle is how long a file is still read after it was replaced and after it last grew:
	// its writer may not have opened the new file yet; default 500 ms.
	Settle time.Duration
	Log    *slog.Logger
}

// Follow records a file and what is appended to it, until ctx ends. The file need not exist yet.
// The content determines whether it is NDJSON or SSE.
//
// A last line without a terminator is recorded once it is complete, or as it is when the file is
// replaced or emptied. When ctx ends, the line is left to the next Follow, or recorded if there is
// no StateDir.
//
// Follow supports rotation by renaming, and by copying and truncating (copytruncate): all files
// become one stream. What the writer appends between the copy and the truncation is lost to every
// reader.
//
// With a StateDir, a checkpoint records up to where everything is durable, and the next
// Follow of the same path, tenant and session continues there, in the same stream, even if
// the file was renamed meanwhile within its directory. After a crash the frames after the
// checkpoint are recorded again, under the same stream and seq, which is idempotent. A file
// that is replaced twice while no Follow runs is lost.
//
// Follow returns an error if the file cannot be read or frames could not be recorded. The summary
// counts from the beginning of this call.
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
	f := &follower{path: path, opts: opts, rec: rec, so: so, log: opts.Log}
	if opts.StateDir != "" {
		if f.store, err = openStore(opts.StateDir, path, so.Tenant, so.Session); err != nil {
			return ingest.Summary{}, err
		}
		defer f.store.close()
	}
	recordCtx, cancel := copier.WithGrace(ctx, copier.CloseTimeout)
	defer cancel()
	f.recordCtx = recordCtx
	defer f.closeFiles()
	err = f.run(ctx)
	sum, err := f.end(ctx, err)
	if err != nil {
		err = fmt.Errorf("follow %s: %w", opts.Path, err)
	}
	return sum, err
}

// run follows the file until ctx ends, which is not an error.
func (f *follower) run(ctx context.Context) error {
	if err := f.resume(); err != nil {
		return err
	}
	w := newNotifier(f.path, f.opts.Poll, f.log)
	defer w.close()
	for {
		if err := f.catchUp(ctx); err != nil {
			return err
		}
		moved, err := f.nextFile()
		if err != nil {
			return err
		}
		f.saveIfDue()
		if ctx.Err() != nil || !moved && !w.wait(ctx) {
			return nil
		}
	}
}

// end closes the stream, if there is one, and writes the last checkpoint.
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
