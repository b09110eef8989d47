package redecode

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sort"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// Bounds of the first frames from which the dialect is recognised. They equal those of a tap.
const (
	recogniseFrames = 512
	recogniseBytes  = 512 << 10
)

// Numbers of frames and bytes after which facts are written. They equal those of the recorder.
const (
	blockFrames = 4096
	blockBytes  = 128 << 10
)

// decoding decodes one stream by its dialect.
type decoding struct {
	run      *run
	stream   *stream
	out      blocks
	parser   ingest.Parser
	decoder  dialect.Decoder
	emitter  *dialect.Emitter
	answer   ingest.FirstAnswer
	limits   schema.Limits // of the session; their text is in the block's state
	block    block.Block   // frames of the session that are not written yet
	previous []string      // texts of the previous frame, which are mostly the same
	frames   int           // frames decoded since the last flush, including frames of other sessions
	bytes    int
	changes  []change // where the stream changes to another session; set if the stream has several sessions
}

// change records that frames from a seq on belong to a session.
type change struct {
	from    uint64
	session string
}

// blocks receives the blocks of a decoding. A block is valid during the call.
type blocks interface {
	add(ctx context.Context, b *block.Block) error
}

// decode decodes a stream from its first frame and writes the frames and facts of the session.
func (r *run) decode(ctx context.Context, s *stream, w blocks) error {
	d := &decoding{run: r, stream: s, out: w, emitter: dialect.NewEmitter(s.id),
		parser: ingest.Parser{Depth: r.JSONDepth}}
	d.block.Session = r.session
	windows := r.windows(s)
	masked := r.masks.of(s)
	first := true
	for {
		frames, err := windows.read(ctx)
		if err != nil {
			return err
		}
		last := len(frames) == 0
		if first {
			d.settle(frames)
			first = false
		}
		frames = masked.take(frames)
		for i := range frames {
			if err := d.take(ctx, &frames[i]); err != nil {
				return err
			}
		}
		if last {
			break
		}
	}
	if s.ended != 0 {
		d.decoder.End(s.ended, d.emitter)
	}
	err := d.flush(ctx, true)
	s.after = d.block.State
	return err
}

// settle chooses the dialect and initialises the state of the stream's segment.
func (d *decoding) settle(frames []stored) {
	chosen, evidence := d.recognise(frames)
	d.decoder = chosen.New(d.stream.id)
	was := &d.stream.state
	d.block.State = schema.StreamState{
		StreamID: d.stream.id, FirstSeq: was.FirstSeq, Transport: was.Transport, Dialect: chosen.Name, Evidence: evidence,
		Source: was.Source, Tags: was.Tags, FirstAt: was.FirstAt, LastAt: was.LastAt, Ended: was.Ended, EndReason: was.EndReason,
		Recorder: was.Recorder, Digest: was.Digest, Key: was.Key, DecoderVersion: dialects.Version,
	}
}

func (d *decoding) recognise(frames []stored) (dialect.Dialect, string) {
	if d.run.forced != nil {
		return *d.run.forced, ingest.NamedByUser
	}
	if was := &d.stream.state; d.run.masks != nil || d.run.outdated && was.Evidence == ingest.NamedByUser {
		if i := slices.IndexFunc(d.run.dialects, func(d dialect.Dialect) bool { return d.Name == was.Dialect }); i >= 0 {
			return d.run.dialects[i], was.Evidence
		}
	}
	r := dialects.NewRecogniserOf(d.run.dialects)
	bytes := 0
	for i := range frames {
		f := frames[i].Frame // a copy, since recognition changes the flags
		settled := false
		d.parser.Parse(&f, func(in *dialect.Input) { settled = r.Observe(in) })
		bytes += len(f.Raw)
		if settled || i+1 == recogniseFrames || bytes >= recogniseBytes {
			break
		}
	}
	return r.Settle()
}

// take decodes a frame and keeps it if it belongs to the session.
func (d *decoding) take(ctx context.Context, f *stored) error {
	if !f.Flags.Has(schema.FlagCopied) {
		d.parser.Parse(&f.Frame, func(in *dialect.Input) { d.emitter.Read(d.decoder, in) })
	}
	lost := d.emitter.TakeLost()
	if len(d.stream.sessions) > 1 {
		if n := len(d.changes); n == 0 || d.changes[n-1].session != f.session {
			d.changes = append(d.changes, change{f.Seq, f.session})
		}
	}
	if f.session == d.run.session {
		d.keep(&f.Frame, lost)
	}
	d.frames++
	d.bytes += len(f.Raw)
	if d.frames >= blockFrames || d.bytes >= blockBytes {
		return d.flush(ctx, false)
	}
	return nil
}

// keep counts a frame and adds it to the block. It copies the envelope, which is valid only
// until the decoder's next call; the frame's bytes need no copy.
func (d *decoding) keep(f *schema.Frame, lost uint64) {
	st := &d.block.State
	if st.Frames == 0 {
		st.FirstAt = f.At
	}
	st.LastAt = f.At
	st.Frames++
	st.Bytes += uint64(len(f.Raw))
	ingest.Count(&st.Counters, f.Flags, lost)
	ingest.CountMasked(st, f)
	d.copyTexts(&f.Envelope)
	d.block.Frames = append(d.block.Frames, *f)
}

// copyTexts copies the envelope's texts. It reuses texts that equal those of the previous frame.
func (d *decoding) copyTexts(e *schema.Envelope) {
	if d.previous == nil {
		d.previous = make([]string, 6)
	}
	for i, text := range [...]*string{&e.Type, &e.Session, &e.Run, &e.Node, &e.Agent, &e.EventID} {
		if *text != d.previous[i] {
			d.previous[i] = string([]byte(*text))
		}
		*text = d.previous[i]
	}
}

// flush passes pending frames and facts to the writer. If all is set, the stream has ended and no
// fact is deferred.
func (d *decoding) flush(ctx context.Context, all bool) error {
	// The time is constant, so that an open message is emitted again when its text has doubled, and
	// not once per second of the recording.
	facts, _ := d.emitter.Take(0, all)
	st := &d.block.State
	for _, t := range d.emitter.TakeTitles() {
		if st.Title == "" && d.isOwn(t.Session, d.stream.last) {
			st.Title = t.Text
		}
	}
	for _, l := range d.emitter.TakeLimits() {
		if d.isOwn(l.Session, l.Seq) && d.limits.Set(l.Limit) {
			st.Limits = d.limits.Text()
		}
	}
	d.keepOwn(&facts)
	if st.Title == "" {
		for i := range facts.Messages {
			d.answer.See(&facts.Messages[i])
		}
		if all {
			st.Title = cmp.Or(d.answer.Title, fileName(&d.stream.state, st.Source))
		}
	}
	st.Version = ingest.StateVersion(*st, d.stream.last)
	d.block.Facts = facts
	frames := len(d.block.Frames)
	err := d.out.add(ctx, &d.block)
	d.stream.written += uint64(frames)
	clear(d.block.Frames)
	d.block.Frames, d.block.Facts = d.block.Frames[:0], block.Facts{}
	d.frames, d.bytes = 0, 0
	return err
}

// fileName returns the title of a stream of a file whose title is the file's name, "" for others.
// source is the stream's source, masked.
func fileName(was *schema.StreamState, source string) string {
	if was.Title != "" && was.Title == filepath.Base(was.Source) {
		return filepath.Base(source)
	}
	return ""
}

// keepOwn removes the facts of other sessions.
func (d *decoding) keepOwn(f *block.Facts) {
	if len(d.stream.sessions) <= 1 {
		return
	}
	f.Spans = filter(f.Spans, func(s *schema.Span) bool { return d.isOwn(s.Session, s.SeenSeq) })
	f.Messages = filter(f.Messages, func(m *schema.Message) bool { return d.isOwn(m.Session, m.SeenSeq) })
	f.Usages = filter(f.Usages, func(u *schema.Usage) bool { return d.isOwn(u.Session, u.SeenSeq) })
}

func filter[T any](list []T, keep func(*T) bool) []T {
	kept := list[:0]
	for i := range list {
		if keep(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// isOwn reports whether a fact belongs to the session that is decoded. In a stream of several
// sessions a fact belongs to the session that it names, if that is one of them, and otherwise to
// the session of the frame seq, which first mentioned the fact.
func (d *decoding) isOwn(named string, seq uint64) bool {
	if len(d.stream.sessions) <= 1 {
		return true
	}
	for _, s := range d.stream.sessions {
		if named == s {
			return s == d.run.session
		}
	}
	i := sort.Search(len(d.changes), func(i int) bool { return d.changes[i].from > seq })
	return i > 0 && d.changes[i-1].session == d.run.session
}
