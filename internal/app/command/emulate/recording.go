package emulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/commandline"
	"tapedeck/replay"
	"tapedeck/replay/tapefile"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// openRecording creates a temporary tape from a file of lines or events, which exists while the
// process runs.
func (o *Options) openRecording(ctx context.Context) (*Session, error) {
	f, session, err := tapeOf(ctx, o.Name, o.Session, o.Dialect, o.Log)
	if err != nil {
		return nil, err
	}
	return o.playTape(ctx, f, session)
}

// isFile reports whether a name means a file: an existing file, or a name that can only be a path.
// A session's id may contain a slash.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() || filepath.IsAbs(name) ||
		strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../")
}

// tapeOf records a file of lines or events, as "tapedeck record --clock frame" does, to a
// temporary tape, and opens it. The default id of the session is the name of the file.
func tapeOf(ctx context.Context, path, session, dialect string, log *slog.Logger) (*tapefile.File, string, error) {
	if session == "" {
		session = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		if ingest.CheckSession(session) != nil {
			session = "recording"
		}
	}
	if err := commandline.As(ingest.CheckStream(ingest.DefaultTenant, session, dialect)); err != nil {
		return nil, "", err
	}
	out, err := os.CreateTemp("", "tapedeck-*.tape")
	if err != nil {
		return nil, "", err
	}
	defer os.Remove(out.Name()) // the file exists while it is open
	defer out.Close()
	w, err := tapefile.NewWriter(out)
	if err != nil {
		return nil, "", err
	}
	to := &tapePublisher{writer: w}
	summary, err := file.Record(ctx, ingest.NewRecorder(to, ingest.Settings{}),
		ingest.StreamOptions{Session: session, Dialect: dialect, FrameClock: true}, file.Options{Path: path})
	if err == nil && summary.Frames == 0 {
		err = fmt.Errorf("%s holds no line and no event", path)
	}
	if err == nil {
		err = to.finish()
	}
	if err != nil {
		return nil, "", err
	}
	f, err := tapefile.Open(out.Name(), tapefile.Options{})
	return f, session, err
}

// tapePublisher writes the blocks of one stream with one session to a tape. It writes every version
// of a fact; readers use the highest version. It is an ingest.Publisher.
type tapePublisher struct {
	writer *tapefile.Writer
	state  schema.StreamState // the latest state
	begun  bool
	facts  []block.Block // written last
}

// Publish implements ingest.Publisher. A stream publishes one block at a time.
func (p *tapePublisher) Publish(_ context.Context, blk ingest.EncodedBlock, done func(error)) error {
	b, err := block.Decode(blk.Data)
	if err != nil {
		return ingest.Permanent(err)
	}
	p.state = b.State
	if !p.begun {
		p.begun = true
		err = p.writer.Begin(b.Session, []schema.StreamState{p.state})
	}
	for i := range b.Frames {
		err = errors.Join(err, p.writer.Add(&replay.Frame{Frame: b.Frames[i], Stream: &p.state}))
	}
	if b.Facts.Len() > 0 {
		p.facts = append(p.facts, block.Block{State: b.State, Facts: b.Facts})
	}
	go done(err)
	return nil
}

// finish ends the tape.
func (p *tapePublisher) finish() error {
	err := p.writer.States([]schema.StreamState{p.state})
	for i := range p.facts {
		err = errors.Join(err, p.writer.Facts(p.facts[i:i+1]))
	}
	return errors.Join(err, p.writer.Close())
}
