package redecode

import (
	"context"
	"sort"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// A dialect is looked for among so many first frames, as far as the tap looks.
const (
	recogniseFrames = 512
	recogniseBytes  = 512 << 10
)

// Facts are taken off the book after so many frames or bytes, as by the recorder.
const (
	blockFrames = 4096
	blockBytes  = 128 << 10
)

// decoding is one stream on its way through its dialect.
type decoding struct {
	run     *run
	stream  *stream
	out     *writer
	parser  ingest.Parser
	decoder dialect.Decoder
	emitter *dialect.Emitter
	block   block.Block // the session's frames that wait to be written
	room    []string    // texts of the frame before, which mostly come again
	frames  int         // decoded since the last cut, those of other sessions included
	bytes   int
	changes []change // where the stream goes over to another session; kept if it has several
}

// change says that frames from a number on are of a session.
type change struct {
	from    uint64
	session string
}

// decode reads a stream from its first frame and writes what is of the session.
func (r *run) decode(ctx context.Context, s *stream, w *writer) error {
	d := &decoding{run: r, stream: s, out: w, emitter: dialect.NewEmitter(s.id)}
	d.block.Session = r.session
	windows := r.windows(s)
	first := true
	for {
		frames, err := windows.read(ctx)
		if err != nil {
			return err
		}
		if first {
			d.settle(frames)
			first = false
		}
		if len(frames) == 0 {
			break
		}
		for i := range frames {
			if err := d.take(ctx, &frames[i]); err != nil {
				return err
			}
		}
	}
	if s.ended != 0 {
		d.decoder.End(s.ended, d.emitter)
	}
	err := d.cut(ctx, true)
	s.after = d.block.State
	return err
}

// settle chooses the dialect and begins the state of the stream's part.
func (d *decoding) settle(frames []stored) {
	chosen, evidence := d.recognise(frames)
	d.decoder = chosen.New(d.stream.id)
	was := &d.stream.state
	d.block.State = schema.StreamState{
		StreamID: d.stream.id, FirstSeq: was.FirstSeq, Transport: was.Transport, Dialect: chosen.Name, Evidence: evidence,
		Source: was.Source, Tags: was.Tags, FirstAt: was.FirstAt, LastAt: was.LastAt, Ended: was.Ended, EndReason: was.EndReason,
		Recorder: was.Recorder, Digest: was.Digest, Key: was.Key,
	}
}

func (d *decoding) recognise(frames []stored) (dialect.Dialect, string) {
	if d.run.forced != nil {
		return *d.run.forced, "named by the user"
	}
	r := dialects.NewRecogniser()
	bytes := 0
	for i := range frames {
		f := frames[i].Frame // the marks that looking leaves are not the frame's own
		settled := false
		d.parser.Parse(&f, func(in *dialect.Input) { settled = r.Feed(in) })
		bytes += len(f.Raw)
		if settled || i+1 == recogniseFrames || bytes >= recogniseBytes {
			break
		}
	}
	return r.Settle()
}

// take decodes a frame and keeps it if it is the session's.
func (d *decoding) take(ctx context.Context, f *stored) error {
	d.parser.Parse(&f.Frame, func(in *dialect.Input) { d.decoder.Decode(in, d.emitter) })
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
		return d.cut(ctx, false)
	}
	return nil
}

// keep counts a frame and adds it to the block. Its bytes are its own, its
// envelope lives only until the decoder's next call.
func (d *decoding) keep(f *schema.Frame, lost uint64) {
	st := &d.block.State
	if st.Frames == 0 {
		st.FirstAt = f.At
	}
	st.LastAt = f.At
	st.Frames++
	st.Bytes += uint64(len(f.Raw))
	ingest.Count(&st.Counters, f.Flags, lost)
	d.own(&f.Envelope)
	d.block.Frames = append(d.block.Frames, *f)
}

// own has the envelope's texts be copies, shared with the frame before where they
// are the same.
func (d *decoding) own(e *schema.Envelope) {
	if d.room == nil {
		d.room = make([]string, 6)
	}
	for i, text := range [...]*string{&e.Type, &e.Session, &e.Run, &e.Node, &e.Agent, &e.EventID} {
		if *text != d.room[i] {
			d.room[i] = string([]byte(*text))
		}
		*text = d.room[i]
	}
}

// cut hands what waits to the writer. With all set the stream is over and nothing
// is put off.
func (d *decoding) cut(ctx context.Context, all bool) error {
	// At one and the same time, so that an open message is told again when its
	// text has doubled, and not once more for every second of the recording.
	facts, _ := d.emitter.Take(0, all)
	st := &d.block.State
	for _, t := range d.emitter.TakeTitles() {
		if st.Title == "" && d.isOurs(t.Session, d.stream.last) {
			st.Title = t.Text
		}
	}
	d.ours(&facts)
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

// ours leaves the session's facts.
func (d *decoding) ours(f *block.Facts) {
	if len(d.stream.sessions) <= 1 {
		return
	}
	f.Spans = filter(f.Spans, func(s *schema.Span) bool { return d.isOurs(s.Session, s.SeenSeq) })
	f.Messages = filter(f.Messages, func(m *schema.Message) bool { return d.isOurs(m.Session, m.SeenSeq) })
	f.Usages = filter(f.Usages, func(u *schema.Usage) bool { return d.isOurs(u.Session, u.SeenSeq) })
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

// isOurs reports whether what names a session belongs to the one that is decoded:
// in a stream of several the one that is named, if it is one of them, else that
// of the frame which first spoke of it.
func (d *decoding) isOurs(named string, seq uint64) bool {
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
